"""Python functions in the place of callables that have no text of their own."""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections import OrderedDict
from typing import Any

from srcgrad.errors import ArgumentError, SourceNotFoundError
from srcgrad.library.libraries import is_of_library
from srcgrad.program import facts
from srcgrad.program.guards import Facts
from srcgrad.program.texts import made_of_text
from srcgrad.registry import find_formula

_of_libraries: weakref.WeakSet[Any] = weakref.WeakSet()


@functools.lru_cache(maxsize=256)
def calling(function: Any, name: str, formula: Any) -> Any:
    """Write a Python function that calls one that has a formula but no source."""
    parameters = facts.signature(formula).parameters.values()
    stars = [f"*{p.name}" for p in parameters if p.kind is p.VAR_POSITIONAL]
    names = ", ".join([*_required(formula), *stars])
    text = f"def {name}({names}):\n    return {name}_({names})\n"
    space = {f"{name}_": function, "__name__": getattr(function, "__module__", "") or ""}
    made = _made(name, text, space, function)
    _of_libraries.add(made)
    return made


def stands_for_library(function: Any) -> bool:
    """Tell whether a function was written here for one of a library."""
    return isinstance(function, types.FunctionType) and function in _of_libraries


def misfit(function: Any, args: Any, options: Any) -> ArgumentError:
    """Return the error for a call with more or fewer arguments than a stand-in has."""
    parameters = ", ".join(facts.signature(function).parameters)
    name = function.__name__
    given = [*("..." for _ in args), *(f"{key}=..." for key in options)]
    return ArgumentError(
        f"{name}({', '.join(given)}) is no call with the arguments ({parameters})",
        why=f"The text of {name} cannot be read, and it is known as a function of these.",
        fixes=[f"wrap it: lambda {parameters}: {name}({parameters}, ...)"],
    )


_known: OrderedDict[int, tuple[Any, Facts, Any]] = OrderedDict()


def of_partial(partial: functools.partial[Any]) -> Any:
    """Write a Python function that does what ``functools.partial`` does.

    What was bound has the names of the parameters, as variables from outside; what was
    bound by keyword is a default. One that is asked for again is the same, as long as the
    partial and the defaults of its function are.
    """
    found = _known.get(id(partial))
    if found is None or found[0] is not partial or not found[1].hold():
        with facts.recording() as read:
            made = _of_partial(partial)
        found = _known[id(partial)] = partial, read, made
        if len(_known) > 256:
            _known.popitem(last=False)
    facts.rely_on(found[1])
    return found[2]


def _of_partial(partial: functools.partial[Any]) -> Any:
    inner, bound, keywords = facts.parts_of_partial(partial)
    name = getattr(inner, "__name__", "function")
    name = name if name.isidentifier() else "function"
    try:
        own = list(facts.signature(inner).parameters.values())
    except ValueError:
        raise SourceNotFoundError(
            f"the source of a partial of {name} cannot be read: it does not tell its parameters",
            fixes=["wrap it in a function of your own"],
        ) from None
    home = getattr(inner, "__module__", None) or ""
    library = find_formula(inner) is not None and is_of_library(inner)
    if library:  # what is called is known there by its formula, and the text is none of its own
        home = functools.__name__
    needed = [p.name for p in own[: len(_required(find_formula(inner)))]] if library else []
    space: dict[str, Any] = {"__name__": home}
    given = []
    for k, value in enumerate(bound):
        plain = k < len(own) and own[k].kind is not inspect.Parameter.VAR_POSITIONAL
        label = own[k].name if plain else f"bound_{k}"
        space[label] = value
        given.append(label)
    head: list[str] = []
    star = False
    named = {p.name for p in own}
    extra = [key for key in keywords if key not in named]
    for p in facts.signature(partial).parameters.values():
        unset = p.default is not p.empty and p.name not in {*keywords, *needed}
        if library and (p.kind is p.VAR_KEYWORD or unset):
            continue  # options of which formulas know some, and some exclude each other
        if p.kind is p.VAR_KEYWORD:
            space |= {f"bound_{key}": keywords[key] for key in extra}
            bound_here = "".join(f"{key!r}: bound_{key}, " for key in extra)
            head.append(f"**{p.name}")
            given.append(f"**{{{bound_here}**{p.name}}}" if extra else f"**{p.name}")
            continue
        if p.kind is p.VAR_POSITIONAL:
            star = True
            head.append(f"*{p.name}")
            given.append(f"*{p.name}")
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            star = True
            head.append("*")
        text = p.name
        if p.default is not p.empty:
            space[f"{p.name}_default"] = p.default
            text = f"{p.name}={p.name}_default"
        head.append(text)
        given.append(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name)
    called = f"{name}_" if name in {p.name for p in own} else name
    space[called] = inner
    made = f"{name}_partial"
    text = f"def {made}({', '.join(head)}):\n    return {called}({', '.join(given)})\n"
    stand_in = _made(made, text, space, partial)
    if library:
        _of_libraries.add(stand_in)
    return stand_in


def _required(formula: Any) -> list[str]:
    """The names of the parameters that must be passed by position."""
    return [
        p.name
        for p in facts.signature(formula).parameters.values()
        if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty
    ]


def _made(name: str, text: str, space: dict[str, Any], stands_for: Any) -> Any:
    return made_of_text(f"srcgrad-{id(stands_for)}/<{name}>", text, name, space)
