"""Which functions have a derivative formula, and which have none to have.

The registry maps function objects to the formulas that serve them. Looking up
is by identity of the function object, never by name: two functions that share
a name never meet.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

from srcgrad.late import late
from srcgrad.library.libraries import home, is_of_library, module_of
from srcgrad.library.tables import entry, is_in

F = TypeVar("F", bound=Callable[..., Any])

_formulas: dict[Any, Callable[..., Any]] = {}
_constant: dict[Callable[..., Any], frozenset[str]] = {}
_linear: dict[Any, tuple[str, ...]] = {}
_elementwise: set[Any] = set()
_nondifferentiable: set[Any] = set()
_static: set[Any] = set()
_refused: dict[Any, str] = {}
_solvers: dict[Any, Any] = {}
_of_complex: dict[Any, bool | str] = {}
_structured: dict[Any, frozenset[str]] = {}
_taking: dict[tuple[Any, str], Any] = {}
_stood_for: dict[Any, Any] = {}
_wrapped: set[Any] = set()
_called: dict[type, Any] = {}
_class_tests: set[Any] = set()
_models: dict[Any, Any] = {}
_in_python: dict[Any, tuple[Any, str, tuple[Any, ...]]] = {}

_watching: list[Callable[[], None]] = []

NOT_YET = "there is no formula yet"
NO_ORDER = "complex numbers have no order"
REAL_FORMULA = "its formula is that for real numbers"

_target: ContextVar[Callable[..., Any]] = ContextVar("_target")


class Primal:
    """What a formula for several functions calls in its forward part: the one that was called."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return _target.get()(*args, **options)


primal = Primal()


@contextmanager
def running_for(function: Callable[..., Any]) -> Iterator[None]:
    """Let ``primal`` be one function while a formula runs."""
    token = _target.set(function)
    try:
        yield
    finally:
        _target.reset(token)


CHANGES = [0]  # how often a user has registered something; generated code is for one count


def on_change(forget: Callable[[], None]) -> None:
    """Have a function called whenever a function is declared, to forget what was known."""
    _watching.append(forget)


def _tell() -> None:
    for forget in _watching:
        forget()


def formula(
    *targets: Callable[..., Any],
    constant: str = "",
    linear: str = "",
    elementwise: bool = False,
    of_complex: bool | str | None = None,
    sequences: str = "",
    shaped_like: int | tuple[int | None, ...] | None = None,
    wrapped: bool = False,
    **does: Any,
) -> Callable[[F], F]:
    """Register a derivative formula for one function or for several aliases of it.

    The formula is a plain Python function that computes the result of its
    target and returns it with a function from the result's cotangent to the
    cotangents of the positional parameters. Keyword-only parameters are options
    that are not differentiated. It is parsed, never traced.

    The tangent rule of forward mode is the transpose of that function, and need
    not be given. Where it can be told more simply, a formula says in which of its
    parameters it is linear, or returns a third thing after these two: a function
    ``tangent`` from the tangents of the positional parameters to the result's.

    Args:
        *targets: the functions that the formula is for.
        constant: names of positional parameters, separated by blanks, in which
            the formula knows no derivative. A call with an active value there is
            refused; where the derivative is zero, ``backward`` returns None and
            the parameter is not named here.
        linear: the names of the parameters in each of which the result is
            linear, separated by spaces, where it depends differentiably on no
            others; the tangent is then the function itself, applied to the
            tangent of one of them at a time.
        elementwise: whether the functions work element by element, and broadcast all their
            positional arguments, as every ufunc without a signature is known to do. What
            ``backward`` returns is then summed over the axes along which an argument was
            broadcast.
        of_complex: whether the formula holds for complex operands, too; or why it does not,
            a sentence without capital and full stop. Unless told, those for SciPy do not.
        sequences: names of positional parameters, separated by blanks, that are no arrays,
            but sequences or options. Whatever else is given to a formula of srcgrad's own
            is an array or a number: NumPy makes an array of a list or tuple there.
        shaped_like: the position of the argument whose shape the result has, for functions
            that cannot be asked with lengths that do not fit; for several results a tuple,
            with None for a result that has another shape, or is a number.
        wrapped: whether the functions give a tuple of one array for some of their options,
            whose cotangent is that of the array.
        **does: what the functions do besides giving a result: ``writes``, ``keeps``,
            ``views``, ``draws`` and ``parameters`` as for ``srcgrad.effects.effects``.

    Returns:
        A decorator that registers the formula and returns it unchanged.

    Raises:
        MalformedFormulaError: when the formula breaks the rules of the format;
            the message names the line.

    Example:
        >>> import numpy as np
        >>> from srcgrad import formula, grad
        >>> def cube(x):
        ...     return x * x * x
        >>> @formula(cube)
        ... def cube_formula(x):
        ...     z = cube(x)
        ...     def backward(z_bar):
        ...         return z_bar * 3 * x ** 2
        ...     return z, backward
        >>> float(grad(cube)(2.0))
        12.0
    """

    def register(fn: F) -> F:
        if not is_own(fn):
            late("validate")(fn)
            CHANGES[0] += not module_of(fn).startswith("srcgrad.")
        _constant[fn] = frozenset(constant.split())
        if linear:
            _linear[fn] = tuple(linear.split())
        if elementwise or any(_is_elementwise_ufunc(target) for target in targets):
            _elementwise.add(fn)
        declare(targets, does)
        for target in targets:
            _formulas[target] = fn
            _nondifferentiable.discard(target)
            _refused.pop(target, None)
            _in_python.pop(target, None)
            describe(target, of_complex, sequences, shaped_like)
            _wrapped.discard(target)
            if wrapped:
                _wrapped.add(target)
        _tell()
        return fn

    return register


def declare(functions: Iterable[Any], does: dict[str, Any]) -> None:
    """Note that functions are registered, and what they do besides giving a result."""
    late("note_registered")(*functions)
    if does:
        late("effects")(*functions, **does)


def nondifferentiable(
    *functions: Callable[..., Any],
    of_complex: str | None = None,
    shaped_like: int | None = None,
    **does: Any,
) -> Callable[..., Any]:
    """Declare functions whose results do not depend differentiably on anything.

    Calls of such a function pass through a differentiated program unchanged, and
    their results count as constants. May be used as a decorator.

    Args:
        *functions: the functions to declare.
        of_complex: why complex operands that are differentiated are refused, if they are.
        shaped_like: the position of the argument whose shape the result has, as for ``formula``.
        **does: what they do besides giving a result, as for ``srcgrad.effects.effects``.

    Returns:
        The first of the functions, so that the call can decorate it.

    Example:
        >>> from srcgrad import grad, nondifferentiable
        >>> @nondifferentiable
        ... def bucket(x):
        ...     return int(x)
        >>> float(grad(lambda x: bucket(x) * x)(2.5))
        2.0
    """
    declare(functions, does)
    for function in functions:
        _nondifferentiable.add(function)
        _formulas.pop(function, None)
        _refused.pop(function, None)
        describe(function, of_complex, "", shaped_like)
    caller = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001
    CHANGES[0] += not caller.startswith("srcgrad.")
    _tell()
    return functions[0]


def class_tests(*functions: Callable[[Any], bool]) -> None:
    """Declare functions that tell whether something is of a class that no array is of."""
    nondifferentiable(*functions)
    _class_tests.update(functions)


def tells_class(fn: Any) -> bool:
    """Tell whether a function only asks for a class that no number or array is of."""
    return is_in(fn, _class_tests)


def refused(reason: str, *functions: Callable[..., Any], **does: Any) -> None:
    """Declare functions that active arguments cannot go through, and why.

    Args:
        reason: a sentence without capital and full stop, for the error message.
        *functions: the functions to declare.
        **does: what they do besides giving a result, as for ``srcgrad.effects.effects``.
    """
    declare(functions, does)
    for function in functions:
        _refused[function] = reason


def describe(
    function: Any,
    of_complex: bool | str | None = None,
    sequences: str = "",
    shaped_like: int | tuple[int | None, ...] | None = None,
) -> None:
    """Note what is known of a function's operands and result, as told to ``formula``."""
    tables = (
        (_of_complex, of_complex),
        (_structured, frozenset(sequences.split()) or None),
        (_models, shaped_like),
    )
    table: dict[Any, Any]
    for table, what in tables:
        table.pop(function, None)
        if what is not None:
            table[function] = what


def refusal_of_complex(function: Any) -> str | None:
    """Return why active complex numbers cannot go through a function, or None."""
    told = entry(_of_complex, function)
    if told is not None:
        return None if told is True else str(told)
    rule = find_formula(function)
    if rule is not None and module_of(rule).startswith("srcgrad.formulas.scipy"):
        return "the formulas for SciPy are those for real numbers"
    return None


def refusal_of(function: Any) -> str | None:
    """Return why a function object was declared refused, or None."""
    return entry(_refused, function)


def solver(recipe: Any, *functions: Callable[..., Any]) -> None:
    """Declare functions that take a function and solve something with it."""
    late("note_registered")(*functions)
    for function in functions:
        _solvers[function] = recipe


DIFFERENTIATED: tuple[Any, ...] = (object(),)  # stands for all values that are differentiated


def in_python(function: Any, own: Any, option: str = "", values: tuple[Any, ...] = ()) -> None:
    """Declare a function in Python through which another one is differentiated.

    Args:
        function: the function that is called.
        own: one in Python with the same parameters that gives the same; it is differentiated
            as the user's functions are, at every order.
        option: the name of an option, where this is done for some values of it only.
        values: these; ``DIFFERENTIATED`` where the formula takes the option as a constant.
    """
    late("note_registered")(function)
    _in_python[function] = own, option, values


def find_in_python(function: Any) -> tuple[Any, str, tuple[Any, ...]] | None:
    """Return what was declared by ``in_python`` of a function, or None."""
    return entry(_in_python, function)


def find_solver(function: Any) -> Any:
    """Return the recipe declared for a function that takes a function, or None."""
    return entry(_solvers, function)


def called(form: Any, cls: type) -> None:
    """Declare what the calls of the objects of a class stand for."""
    _called[cls] = form


def form_of(thing: Any) -> Any:
    """Return the form of an object whose calls stand for something, or None."""
    known = (form for cls, form in _called.items() if isinstance(thing, cls))
    return next((form for form in known if type(thing).__call__ is form.cls.__call__), None)


def static(function: F) -> F:
    """Declare a pure function of options that is evaluated when code is generated."""
    _static.add(function)
    return function


def find_formula(function: Any) -> Callable[..., Any] | None:
    """Return the formula registered for a function object, or None."""
    return entry(_formulas, function)


@functools.cache
def tests_for_none(formula: Callable[..., Any]) -> bool:
    """Tell whether a formula of several results tests single cotangents for ``None``.

    Such a formula is given ``None`` for a cotangent that is known to be zero.
    """
    try:
        text = inspect.getsource(formula)
    except (OSError, TypeError):
        return False
    return re.search(r"_bar\[\d\] is (not )?None", text) is not None


def constant_parameters(formula: Callable[..., Any]) -> frozenset[str]:
    """Return the positional parameters in which a formula knows no derivative."""
    return _constant.get(formula, frozenset())


def linear_parameters(formula: Any) -> tuple[str, ...]:
    """Return the parameters in each of which a formula's function is linear, if it is."""
    return _linear.get(formula, ())


def is_elementwise(formula: Any) -> bool:
    """Tell whether a formula is for functions that broadcast all their arguments."""
    return formula in _elementwise


def _is_elementwise_ufunc(function: Any) -> bool:
    return isinstance(function, np.ufunc) and function.signature is None


def is_own(formula: Callable[..., Any] | None) -> bool:
    """Tell whether a formula came with srcgrad, and not from a user."""
    return module_of(formula).startswith("srcgrad.formulas")


def is_nondifferentiable(function: Any) -> bool:
    """Tell whether a function object was declared nondifferentiable."""
    return is_in(function, _nondifferentiable)


def is_static(function: Any) -> bool:
    """Tell whether a function is evaluated when code is generated."""
    return is_in(function, _static)


def option_as_argument(function: Any, option: str, other: Any) -> None:
    """Note which function computes the same, with an option as its last positional argument.

    A call with an active value there is a call of that function, whose formula knows the
    slope in it.

    Args:
        function: a function whose formula has this option, or does not know it.
        option: the name of the option.
        other: a function with a formula of its own.
    """
    _taking[function, option] = other
    _stood_for[other] = function


def with_option_as_argument(function: Any, option: str) -> Any:
    """Return the function that takes an option of another as an argument; None without one."""
    return _taking.get((function, option))


def method_of(thing: Any) -> tuple[Any, Any] | None:
    """Return a method of a library that there is a formula for, where a call is one of it.

    The user's own methods are read.

    Args:
        thing: what is called: an object, or a method of one.

    Returns:
        The function in the object's class, and the object; None for everything else.
    """
    bound = isinstance(thing, types.MethodType)
    owner = thing.__self__ if bound else thing
    method = thing.__func__ if bound else inspect.getattr_static(type(thing), "__call__", None)
    if not isinstance(method, types.FunctionType) or not is_of_library(method):
        return None
    known = method in _formulas or method in _in_python
    return (method, owner) if known else None


def called_as(function: Any) -> Any:
    """Return the function that stands in the text where another one is meant."""
    return _stood_for.get(function, function)


def structured_parameters(function: Any) -> frozenset[str]:
    """Return the positional parameters of a formula's function that are no arrays."""
    return _structured.get(function, frozenset())


def model_of_shape(function: Any) -> Any:
    """Return which argument has the shape that a function's result has, if that was noted."""
    return entry(_models, function)


def may_be_wrapped(function: Any) -> bool:
    """Whether a function gives a tuple of one array for some of its options."""
    return function in _wrapped


def takes_arrays(function: Any, rule: Any) -> bool:
    """Tell whether a list or tuple given to a function stands for an array."""
    by_entries = is_elementwise(rule)  # as divmod, beside an array
    return is_own(rule) and (by_entries or home(function) not in ("builtins", "srcgrad"))
