"""What draws of random numbers give: ranks and lengths by ``size``, as NumPy documents them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.results import infer, type_of
from srcgrad.ir.nodes import Const, Items, Value, Var
from srcgrad.ir.types import GENERATOR, OPTIONAL, Type
from srcgrad.library.attributes import plainly
from srcgrad.runtime.generators import same_draws

GENERATORS = (np.random.Generator, np.random.RandomState)
_MAKING = (np.random.default_rng, same_draws, *GENERATORS)
# how many parameters stand before ``size``
_NONE = "random random_sample standard_normal standard_exponential standard_cauchy"
_ONE = """
exponential poisson chisquare standard_gamma standard_t rayleigh power pareto weibull geometric
logseries zipf choice
"""
_TWO = """
normal uniform gamma beta binomial lognormal laplace logistic gumbel f vonmises wald
negative_binomial noncentral_chisquare integers randint
"""
_THREE = "triangular hypergeometric noncentral_f"
_PARAMETERS = {
    name: count for count, names in enumerate((_NONE, _ONE, _TWO, _THREE)) for name in names.split()
}
_WHOLE = """
poisson geometric logseries zipf binomial negative_binomial integers randint hypergeometric
"""
_WHOLE_NUMBERS = frozenset(_WHOLE.split())
_OTHER = """
bytes dirichlet f multinomial multivariate_hypergeometric multivariate_normal permutation permuted
rand randn random_integers tomaxint
"""
DRAWS = frozenset({*_PARAMETERS, *_OTHER.split()})  # the methods that do nothing but draw
WITH_OUTPUT = frozenset(  # those that may be given, by position, what they write into
    ["random", "standard_normal", "standard_exponential", "standard_gamma"]
)


def type_of_call(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: dict[str, Value]
) -> Type | None:
    """Return the type of what a function gives that makes a generator, or draws of one."""
    if any(fn is known for known in _MAKING):
        return Type("opaque", element=GENERATOR)
    if is_draw(fn):
        return type_of_draw(lengths, fn.__name__, args, options)
    return None


def is_draw(fn: Any) -> bool:
    """Tell whether a function is a method of a generator, such as those of ``np.random``."""
    return type(plainly(fn, "__self__")) in GENERATORS


def type_of_draw(
    lengths: Lengths, name: str, args: tuple[Value, ...], options: dict[str, Value]
) -> Type | None:
    """Return the type of what a method of a generator gives; None where it is not known."""
    if name in ("randn", "rand"):
        return _of_size(lengths, Items(args), "f") if args and not options else None
    if name == "permutation" and len(args) == 1 and not options:
        given = type_of(args[0])
        if given.kind == "array" and given.element is None:
            return given.with_active(False)
        return _of_size(lengths, args[0], "i") if given.is_scalar and given.dtype == "i" else None
    count = _PARAMETERS.get(name)
    if count is None or "dtype" in options or "out" in options or len(args) > count + 1:
        return None
    size = _size(name, args, options)
    given = (*args[:count], *(v for k, v in options.items() if k != "size"))
    dtype = "i" if name in _WHOLE_NUMBERS else "f"
    if name == "choice":
        held = type_of(args[0]) if args else None
        if held is None or held.dtype not in ("f", "i") or held.ndim not in (0, 1):
            return None
        dtype, given = held.dtype, ()
    if size != Const(None):
        return _of_size(lengths, size, dtype)
    if all(type_of(value).is_scalar for value in given):
        return Type("scalar", (), dtype)
    return None


def note_size(
    lengths: Lengths, made: Value, name: str, args: tuple[Value, ...], options: dict[str, Value]
) -> None:
    """Note that what a draw gives has the shape that it was given (``size=x.shape``)."""
    size = _size(name, args, options)
    if isinstance(size, Var) and size.type.kind == "shape" and isinstance(made, Var):
        if made.type.kind == "array" and made.type.ndim == size.type.ndim:
            lengths.models[made] = lengths.model(size)


def _size(name: str, args: tuple[Value, ...], options: dict[str, Value]) -> Value:
    place = _PARAMETERS.get(name, len(args))
    return options.get("size", args[place] if len(args) > place else Const(None))


def _of_size(lengths: Lengths, size: Value, dtype: str) -> Type | None:
    """The type of an array of some size: that of the zeros of this size."""
    if type_of(size).element is OPTIONAL:
        return None
    zeros = infer(lengths, np.zeros, (size,), ())
    return replace(zeros, dtype=dtype) if isinstance(zeros, Type) and zeros.ndim else None
