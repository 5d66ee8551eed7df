"""Whole Jacobians and Hessians, and products with Hessians."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.api import _ranks, _wrt, grad
from srcgrad.errors import ArgumentError
from srcgrad.pullback import run_vjp
from srcgrad.pushforward import run_jvp
from srcgrad.transformed import Transform


def jacfwd(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes the Jacobian column by column, in forward mode.

    This is the better choice where the arguments are smaller than the result.

    Args:
        f: the function; it may return arrays, numbers, and tuples of them.
        wrt: position or name of the parameter to differentiate with respect to,
            or a tuple of them; a tuple gives a tuple of Jacobians.

    Returns:
        A function of the positional arguments of ``f``. A Jacobian has the shape
        of the result followed by the shape of the argument; for a tuple of results
        there is a tuple, with None for what is no real number.

    Raises:
        ArgumentError: when ``wrt`` names no parameter; at the call, when an
            argument cannot be differentiated.

    Example:
        >>> import numpy as np
        >>> from srcgrad import jacfwd
        >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0])).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """
    wrt = _wrt(f, wrt)
    many = isinstance(wrt, tuple | list)
    whole = Transform(f, "jvp", wrt, False, _ranks(f))
    single = [Transform(f, "jvp", (name,), False, _ranks(f)) for name in whole.labels()]

    def columns(*args: Any) -> Any:
        parts = [
            _columns(transform, args, k)
            for transform, k in zip(single, whole.positions(args), strict=True)
        ]
        return _nested(parts, many)

    columns.__srcgrad_of__ = ("jacfwd", f, wrt)
    return columns


def jacrev(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes the Jacobian row by row, in reverse mode.

    This is the better choice where the result is smaller than the arguments.

    Args:
        f: the function; see ``jacfwd``.
        wrt: what to differentiate with respect to; see ``jacfwd``.

    Returns:
        A function of the positional arguments of ``f``; see ``jacfwd``.

    Raises:
        ArgumentError: see ``jacfwd``.

    Example:
        >>> import numpy as np
        >>> from srcgrad import jacrev
        >>> jacrev(lambda x: np.sum(x * x))(np.array([1.0, 2.0])).tolist()
        [2.0, 4.0]
    """
    wrt = _wrt(f, wrt)
    many = isinstance(wrt, tuple | list)
    transform = Transform(f, "vjp", tuple(wrt) if many else (wrt,), False, _ranks(f))

    def rows(*args: Any) -> Any:
        value, backward = run_vjp(transform, args, watch=False)
        given = [_array(args[k], k) for k in transform.positions(args)]
        return _nested([_rows(value, backward, j, x) for j, x in enumerate(given)], many)

    rows.__srcgrad_of__ = ("jacrev", f, wrt)
    return rows


def jacobian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes the Jacobian in the mode that takes fewer passes.

    Args:
        f: the function; see ``jacfwd``.
        wrt: what to differentiate with respect to; see ``jacfwd``.

    Returns:
        A function of the positional arguments of ``f``; see ``jacfwd``. It
        evaluates ``f`` once to learn the size of its result.

    Raises:
        ArgumentError: see ``jacfwd``.

    Example:
        >>> import numpy as np
        >>> from srcgrad import jacobian
        >>> jacobian(lambda x: x[0] * x[1])(np.array([2.0, 3.0])).tolist()
        [3.0, 2.0]
    """
    forwards, backwards = jacfwd(f, wrt), jacrev(f, wrt)
    transform = Transform(f, "vjp", _wrt(f, wrt), False, _ranks(f))

    def chosen(*args: Any) -> Any:
        given = sum(np.size(args[k]) for k in transform.positions(args))
        result = sum(np.size(leaf) for leaf in _leaves(f(*args)))
        return (forwards if given <= result else backwards)(*args)

    chosen.__srcgrad_of__ = ("jacobian", f, wrt)
    return chosen


def hessian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes the Hessian of a real scalar function.

    It is the Jacobian, in forward mode, of the gradient in reverse mode.

    Args:
        f: the function; it must return one real number.
        wrt: what to differentiate with respect to; a tuple gives a tuple of
            tuples, the second derivatives with respect to each two of them.

    Returns:
        A function of the positional arguments of ``f``. A Hessian has the shape of
        its argument twice.

    Raises:
        ArgumentError: see ``jacfwd``.
        ResultError: at the call, when ``f`` does not return one real number.

    Example:
        >>> import numpy as np
        >>> from srcgrad import hessian
        >>> hessian(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0])).tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """
    wrt = _wrt(f, wrt)
    return jacfwd(grad(f, wrt), tuple(wrt) if isinstance(wrt, list) else wrt)


def hvp(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that multiplies the Hessian with a vector, without forming it.

    The product is the tangent of the gradient: forward mode over reverse mode. It
    costs a small multiple of what the function costs.

    Args:
        f: the function; it must return one real number.
        wrt: what to differentiate with respect to; see ``hessian``.

    Returns:
        A function of the positional arguments of ``f`` and then the vector, in the
        shape of the argument (for a tuple ``wrt``, a tuple). The product looks
        like the vector.

    Raises:
        ArgumentError: see ``jacfwd``; at the call, when the vector does not fit.
        ResultError: at the call, when ``f`` does not return one real number.

    Example:
        >>> import numpy as np
        >>> from srcgrad import hvp
        >>> x, v = np.array([1.0, 2.0]), np.array([1.0, 10.0])
        >>> hvp(lambda x: np.sum(x ** 3))(x, v).tolist()
        [6.0, 120.0]
    """
    wrt = _wrt(f, wrt)
    many = isinstance(wrt, tuple | list)
    names = tuple(wrt) if many else (wrt,)
    gradient = Transform(grad(f, wrt), "jvp", names)

    def product(*arguments: Any) -> Any:
        *args, vector = arguments
        parts = tuple(vector) if many else (vector,)
        if len(parts) != len(names):
            raise ArgumentError(
                f"wrt names {len(names)} arguments, and the vector has {len(parts)} parts",
                fixes=["give a tuple with a part for each of them"],
            )
        tangents: list[Any] = [None] * len(args)
        for k, part in zip(gradient.positions(tuple(args)), parts, strict=True):
            tangents[k] = part
        return run_jvp(lambda moving: gradient, args, tangents)[1]

    product.__srcgrad_of__ = ("hvp", f, wrt)
    return product


def _array(x: Any, k: int) -> Any:
    """Refuse an argument that is a tree."""
    if not hasattr(x, "shape") and not isinstance(x, int | float | complex):
        raise ArgumentError(
            f"argument {k} is a {type(x).__name__}; only arrays and numbers have a Jacobian",
            fixes=["take jvp, vjp or hvp, which know trees", "pass its parts one by one"],
        )
    return x


def _require_real(x: Any) -> None:
    """Refuse complex arguments, of which the real and the imaginary part move by themselves."""
    if np.iscomplexobj(x):
        raise ArgumentError(
            "a Jacobian or Hessian is one with respect to real arguments",
            fixes=["pass the real and the imaginary part", "use vjp, jvp or hvp"],
        )


def _columns(transform: Transform, args: tuple[Any, ...], k: int) -> Any:
    """The Jacobian for one argument: a tangent for each of its elements."""
    x = _array(args[k], k)
    _require_real(x)
    shape = np.shape(x)
    made = []
    for index in np.ndindex(shape):
        tangents: list[Any] = [None] * len(args)
        tangents[k] = _unit(x, index)
        made.append(run_jvp(lambda moving: transform, args, tangents)[1])
    if not made:
        tangents = [None] * len(args)
        tangents[k] = np.zeros_like(x)
        empty = run_jvp(lambda moving: transform, args, tangents)[1]
        return _map(lambda dot: np.zeros((*np.shape(dot), *shape)), empty)
    return _map(lambda *dots: np.stack(dots, axis=-1).reshape((*np.shape(dots[0]), *shape)), *made)


def _rows(value: Any, backward: Callable[[Any], Any], j: int, x: Any) -> Any:
    """The Jacobian for one argument: a cotangent for each element of the result."""
    _require_real(x)

    def rows(leaf: Any, path: tuple[int, ...]) -> Any:
        if isinstance(leaf, tuple):
            return tuple(rows(part, (*path, k)) for k, part in enumerate(leaf))
        if np.asarray(leaf).dtype.kind not in "fc":
            return None
        made = []
        for index in np.ndindex(np.shape(leaf)):
            unit = _unit(leaf, index)
            row = backward(_placed(value, path, unit))[j]
            if np.iscomplexobj(leaf):  # the real part, and the imaginary one
                row = row + 1j * backward(_placed(value, path, -1j * unit))[j]
            made.append(row)
        return np.array(made).reshape((*np.shape(leaf), *np.shape(x)))

    return rows(value, ())


def _placed(value: Any, path: tuple[int, ...], bar: Any) -> Any:
    """A cotangent with one part that is not zero."""
    if not path:
        return bar
    return tuple(
        _placed(part, path[1:], bar) if k == path[0] else None for k, part in enumerate(value)
    )


def _unit(x: Any, index: tuple[int, ...]) -> Any:
    """Return zeros like an array, or a number, with one 1."""
    if not np.ndim(x):
        return np.ones_like(x) if hasattr(x, "shape") else 1.0
    out = np.zeros_like(x)
    out[index] = 1
    return out


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _map(function: Callable[..., Any], *trees: Any) -> Any:
    """Apply a function to corresponding leaves of nested tuples; None stays."""
    if isinstance(trees[0], tuple):
        return tuple(_map(function, *parts) for parts in zip(*trees, strict=True))
    return None if trees[0] is None else function(*trees)


def _nested(parts: list[Any], many: bool) -> Any:
    """Let the structure of the result stand outside, that of ``wrt`` inside."""
    if not many:
        return parts[0]
    if isinstance(parts[0], tuple):
        return tuple(_nested(list(row), many) for row in zip(*parts, strict=True))
    return None if parts[0] is None else tuple(parts)


__all__ = ["hessian", "hvp", "jacfwd", "jacobian", "jacrev"]
