"""Forward mode and second derivatives on tapes.

A tape only goes backward. But the product of a cotangent and a Jacobian is linear in the
cotangent, so that its own derivative is the product of the Jacobian and a tangent.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentError
from srcgrad.tape.derivatives import grad, value_and_grad, vjp
from srcgrad.tape.recording import mapped, raw
from srcgrad.tape.seeing import seen


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Evaluate a function and its derivative along a direction; see ``srcgrad.jvp``.

    Example:
        >>> from srcgrad.tape.products import jvp
        >>> value, slope = jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, None))
        >>> float(value), float(slope)
        (6.0, 2.0)
    """
    moving = tuple(k for k, dot in enumerate(tangents) if dot is not None)
    value, backward = vjp(f, *primals, wrt=moving)
    zeros = mapped(lambda v: np.zeros_like(v) if np.ndim(v) else type(v)(0), raw(value))
    _, forward = vjp(backward, zeros)
    return value, forward(tuple(tangents[k] for k in moving))


def _along(f: Callable[..., Any], args: Sequence[Any], wrt: int, direction: Any) -> Any:
    """Return the derivative along a direction of one argument."""
    return jvp(f, args, [direction if k == wrt else None for k in range(len(args))])[1]


def hvp(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that multiplies the Hessian with a vector; see ``srcgrad.hvp``."""
    return lambda *args: _along(grad(f, wrt), args[:-1], wrt, args[-1])


def jacobian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes a Jacobian column by column; see ``srcgrad.jacfwd``."""

    def columns(*args: Any) -> Any:
        x = raw(args[wrt])
        if np.iscomplexobj(x):
            raise ArgumentError("a Jacobian is one of real arguments", fixes=["use vjp or jvp"])
        if not np.ndim(x):
            return _along(f, args, wrt, 1.0)
        made = [_along(f, args, wrt, unit.reshape(x.shape)) for unit in np.eye(x.size)]
        return np.stack(made, axis=-1).reshape((*np.shape(raw(made[0])), *x.shape))

    return columns


jacfwd = jacrev = jacobian


def hessian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes a Hessian; see ``srcgrad.hessian``."""
    return jacobian(grad(f, wrt), wrt)


def decorated(made: Any) -> Any:
    """Return what stands for a decorated function: its derivatives are taken on tapes."""
    primal, wrt = made.__srcgrad_primal__, made.wrt
    run: Any = functools.wraps(primal)(functools.partial(seen(primal)))
    run.grad, run.value_and_grad = grad(primal, wrt), value_and_grad(primal, wrt)
    run.vjp, run.jvp = functools.partial(vjp, primal, wrt=wrt), functools.partial(jvp, primal)
    return run


# What has the names of srcgrad's own functions, and stands for them on a tape.
__all__ = [
    "grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp", "value_and_grad", "vjp",
]  # fmt: skip
