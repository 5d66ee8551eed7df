"""Random draws whose parameters are differentiated, and distributions with such parameters.

Where NumPy draws a number of a standard distribution and shifts and scales it, the draw is
differentiated as that function of its parameters (reparametrisation), and takes the same
numbers from the generator. Any other draw is refused.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from srcgrad.errors import MissingFormulaError
from srcgrad.tape.calls import call, watched
from srcgrad.tape.formulas import has_box
from srcgrad.tape.memory import write
from srcgrad.tape.recording import Box, raw, unboxed
from srcgrad.tape.session import Session

# Parameters, and their defaults, of the distributions with a location and a scale
_SHIFTED: dict[str, tuple[tuple[str, Any], ...]] = {
    "normal": (("loc", 0.0), ("scale", 1.0)),
    "laplace": (("loc", 0.0), ("scale", 1.0)),
    "logistic": (("loc", 0.0), ("scale", 1.0)),
    "gumbel": (("loc", 0.0), ("scale", 1.0)),
    "uniform": (("low", 0.0), ("high", 1.0)),
    "exponential": (("scale", 1.0),),
    "rayleigh": (("scale", 1.0),),
    "lognormal": (("mean", 0.0), ("sigma", 1.0)),
}


# What is drawn does not depend on the numbers, but for how many there are
_CHOOSING = frozenset({"shuffle", "permutation", "permuted", "choice"})


def draws(fn: Any) -> bool:
    """Tell whether a function draws random numbers."""
    return isinstance(getattr(fn, "__self__", None), np.random.Generator | np.random.RandomState)


def draw(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Draw random numbers."""
    if session.undo is not None:
        session.undo.holder(fn.__self__)
    if not has_box((args, options)):
        return watched(session, fn, args, options)
    if fn.__name__ in _CHOOSING:
        name, rest = "a" if fn.__name__ == "choice" else "x", dict(options)
        parts = [rest.pop(name)] if not args and name in rest else list(args)
        if not has_box((parts[1:], rest)) and "out" not in rest:
            return _choose(session, fn, *parts, **rest)
    known = _SHIFTED.get(fn.__name__)
    if known is None:
        raise MissingFormulaError(
            f"random draws of {fn.__name__} with parameters that are differentiated",
            why="A draw is no differentiable function of the parameters.",
            fixes=["draw from a standard distribution, and transform the numbers"],
        )
    names = [name for name, _ in known]
    given = {**dict(known), **dict(zip([*names, "size"], args, strict=False)), **options}
    size = given.pop("size", None)
    parameters = [given[name] for name in names]
    if size is None:
        shape = np.broadcast_shapes(*(np.shape(part) for part in unboxed(parameters)))
        size = shape or None
    if fn.__name__ == "uniform":
        low, high = parameters
        return low + (high - low) * fn(0.0, 1.0, size)
    if fn.__name__ == "lognormal":
        mean, sigma = parameters
        return call(np.exp, mean + sigma * fn.__self__.normal(0.0, 1.0, size))
    if len(parameters) == 1:
        return parameters[0] * fn(1.0, size)
    loc, scale = parameters
    return loc + scale * fn(0.0, 1.0, size)


def _choose(session: Session, fn: Any, parts: Any, *args: Any, **options: Any) -> Any:
    """Choose from numbers, or put them into another order: the draw is that of their places."""
    if fn.__name__ == "shuffle" and isinstance(parts, list):
        order = list(range(len(parts)))
        fn(order, *args, **options)
        parts[:] = [parts[k] for k in order]
        session.note(parts)
        return None
    numbers = parts if type(parts) is Box else call(np.array, parts)
    places = np.arange(np.size(raw(numbers))).reshape(np.shape(raw(numbers)))
    if fn.__name__ == "shuffle":
        fn(places, *args, **options)
        write(session, numbers, ..., call(np.take, numbers, places))
        return None
    return call(np.take, numbers, fn(places, *args, **options))


class Frozen:
    """A distribution of SciPy's with parameters that are differentiated.

    Args:
        distribution: the distribution.
        args: its parameters by position.
        options: those by name.
    """

    def __init__(self, distribution: Any, args: Any, options: Any) -> None:
        self.dist = distribution
        self.args = args
        self.kwds = options

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        if name == "expect":
            return functools.partial(self._expect, method)

        def with_parameters(*points: Any, **options: Any) -> Any:
            return call(method, *points, *self.args, **self.kwds, **options)

        return with_parameters

    def _expect(self, method: Any, *points: Any, **options: Any) -> Any:
        """Return the expectation of a function: its parameters have an argument of their own."""
        shapes, *rest = call(self.dist._parse_args, *self.args, **self.kwds)  # noqa: SLF001
        names = ("loc", "scale") if len(rest) > 1 and hasattr(self.dist, "pdf") else ("loc",)
        named = dict(zip(names, rest, strict=False))
        return call(method, *points, args=tuple(shapes), **named, **options)


def is_distribution(fn: Any) -> bool:
    """Tell whether a thing is a family of distributions of SciPy's."""
    of_scipy = (type(fn).__module__ or "").startswith("scipy.stats")
    return of_scipy and (hasattr(type(fn), "freeze") or _is_multivariate(fn))


def _is_multivariate(fn: Any) -> bool:
    return type(fn).__name__ in ("multivariate_normal_gen", "dirichlet_gen")


def distribution(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Choose a distribution."""
    if has_box((args, options)):
        return Frozen(fn, args, options)
    return fn(*args, **options)


def frozen(fn: Any) -> bool:
    """Tell whether a function is a method of a distribution with parameters."""
    return _chosen(getattr(fn, "__self__", None)) is not None


def _chosen(holder: Any) -> tuple[Any, Any, Any] | None:
    """The family of a distribution with parameters, and these, by position and by name."""
    if not (type(holder).__module__ or "").startswith("scipy.stats"):
        return None
    own = getattr(holder, "dist", getattr(holder, "_dist", None))
    home = sys.modules["scipy.stats"]
    name = getattr(own, "name", type(own).__name__.removesuffix("_gen"))
    family = getattr(home, name, own) if isinstance(name, str) else own  # SciPy copies it
    family = family if type(family) is type(own) else own
    if hasattr(holder, "dist") and hasattr(holder, "kwds"):
        return family, holder.args, holder.kwds
    if not _is_multivariate(own):
        return None
    normal = hasattr(holder, "cov_object")
    return family, (holder.mean, holder.cov) if normal else (holder.alpha,), {}


def of_frozen(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a method of a distribution whose parameters are constants."""
    chosen = _chosen(fn.__self__)
    if chosen is None or not has_box((args, options)):
        return fn(*args, **options)
    family, parameters, named = chosen
    return call(getattr(family, fn.__name__), *args, *parameters, **named, **options)


HANDLERS = {
    "draws": draws,
    "draw": draw,
    "is_distribution": is_distribution,
    "distribution": distribution,
    "frozen": frozen,
    "of_frozen": of_frozen,
}
