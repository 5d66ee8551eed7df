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
from srcgrad.tape.derivatives import grad, vjp
from srcgrad.tape.recording import raw


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
    _, forward = vjp(backward, _zeros(raw(value)))
    return value, forward(tuple(tangents[k] for k in moving))


def hvp(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that multiplies the Hessian with a vector; see ``srcgrad.hvp``."""

    def product(*arguments: Any) -> Any:
        *args, vector = arguments
        tangents: list[Any] = [None] * len(args)
        tangents[wrt] = vector
        return jvp(grad(f, wrt), args, tangents)[1]

    return product


def jacobian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes a Jacobian column by column; see ``srcgrad.jacfwd``."""

    def columns(*args: Any) -> Any:
        shape = np.shape(raw(args[wrt]))
        if np.iscomplexobj(raw(args[wrt])):
            raise ArgumentError("a Jacobian is one of real arguments", fixes=["use vjp or jvp"])
        if not shape:
            return jvp(f, args, [1.0 if k == wrt else None for k in range(len(args))])[1]
        made = []
        for direction in np.eye(int(np.prod(shape))):
            tangents: list[Any] = [None] * len(args)
            tangents[wrt] = direction.reshape(shape)
            made.append(jvp(f, args, tangents)[1])
        return np.stack(made, axis=-1).reshape((*np.shape(raw(made[0])), *shape))

    return columns


def hessian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the function that computes a Hessian; see ``srcgrad.hessian``."""
    return jacobian(grad(f, wrt), wrt)


def _zeros(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(map(_zeros, value))
    return np.zeros_like(value) if np.ndim(value) else 0j if np.iscomplexobj(value) else 0.0


class Decorated:
    """What stands for a decorated function: its derivatives are taken on tapes."""

    def __init__(self, made: Any, run: Callable[..., Any]) -> None:
        self.function, self.wrt, self.run = made.__srcgrad_primal__, made.wrt, run
        functools.update_wrapper(self, self.function)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.run(*args, **options)

    def __getattr__(self, name: str) -> Any:
        from srcgrad.tape import derivatives

        if name in ("grad", "value_and_grad"):
            return getattr(derivatives, name)(self.function, self.wrt)
        if name == "vjp":
            return lambda *args: vjp(self.function, *args, wrt=self.wrt)
        if name == "jvp":
            return lambda primals, tangents: jvp(self.function, primals, tangents)
        raise AttributeError(name)
