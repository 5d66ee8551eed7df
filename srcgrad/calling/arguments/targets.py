"""What is differentiated: the plain function behind a callable, and the parameters meant by wrt."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from srcgrad.calling.arguments.local_names import LocalName, local_name
from srcgrad.calling.arguments.stand_ins import calling, of_partial
from srcgrad.errors import ArgumentError, SourceNotFoundError
from srcgrad.late import late
from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import is_of_library
from srcgrad.program import facts
from srcgrad.program.compiled_functions import python_of
from srcgrad.registry import find_formula, find_in_python, form_of


def names_of_wrt(
    wrt: Any, parameters: list[inspect.Parameter], function: str, plain: Any = None
) -> list[str]:
    """Return the names of the parameters that are meant by ``wrt``, and of values inside."""
    names = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    variadic = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    options = next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None)
    out = []
    for item in wrt if isinstance(wrt, tuple | list) else (wrt,):
        if isinstance(item, LocalName) or (
            isinstance(item, str) and (item in names or item == options)
        ):
            out.append(item)
        elif isinstance(item, str) and item.isidentifier() and options is not None:
            out.append(f"{options}.{item}")
        elif (
            isinstance(item, int)
            and not isinstance(item, bool)
            and -len(names) <= item < (len(names) if variadic is None else 10**6)
        ):
            if variadic is not None and item >= names.index(variadic):
                out.append(f"{variadic}.{item - names.index(variadic)}")
            else:
                out.append(names[item])
        elif isinstance(item, str) and isinstance(plain, types.FunctionType):
            out.append(local_name(item, plain, names))
        else:
            raise ArgumentError(
                f"wrt={wrt!r} does not fit {function}({', '.join(p.name for p in parameters)})",
                fixes=["give the position or the name of a parameter, or a tuple of them"],
            )
    return out


def _formula_of(function: Any) -> Any:
    """Return the formula of a function or None; those of libraries are registered first."""
    if not isinstance(function, types.FunctionType) or is_of_library(function):
        late("load_used")()
    return find_formula(function)


def _takes_any(function: Any) -> bool:
    """Tell whether what a function is given first has no parameter of its own."""
    if not isinstance(function, types.FunctionType):
        return False
    first = next(iter(facts.signature(function).parameters.values()), None)
    return first is not None and first.kind is first.VAR_POSITIONAL


def unwrap(function: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the plain Python function behind a callable, and its leading arguments."""
    while plainly(function, "__srcgrad_primal__") is not None:  # of what is checkpointed, too
        function = function.__srcgrad_primal__
    if python_of(function) is not function and _formula_of(function) is None:
        function = facts.python_of(function)
    if isinstance(function, types.FunctionType):
        formula = _formula_of(function)
        if formula is not None:
            return calling(function, function.__name__, formula), ()
        own, option, _ = find_in_python(function) or (function, "", ())
        return function if option else own, ()
    if isinstance(function, types.MethodType):
        if _takes_any(function.__func__):  # the object is one of those behind a star
            return of_partial(functools.partial(function.__func__, function.__self__)), ()
        return function.__func__, (function.__self__,)
    if plainly(function, "__srcgrad__") is not None:
        return function, ()
    if isinstance(function, functools.partial):
        return of_partial(function), ()
    if not isinstance(function, type) and callable(function):
        call = facts.in_class(facts.class_of(function), "__call__")
        known = not is_of_library(call) or form_of(function) is not None
        if isinstance(call, types.FunctionType) and known:
            return call, (function,)
    name = getattr(function, "__name__", repr(function))
    formula = _formula_of(function)
    if formula is not None and name.isidentifier():
        return calling(function, name, formula), ()
    raise SourceNotFoundError(
        f"the source of {name} cannot be read: it is not written in Python",
        why="srcgrad differentiates source text; it needs the text of every function "
        "that active values go through.",
        fixes=["wrap it in a function of your own: lambda x: " + f"{name}(x)"],
    )
