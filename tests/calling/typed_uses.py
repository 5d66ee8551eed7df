"""Uses of derivatives that type checkers read; those marked as wrong are errors, and no others."""

import functools
from typing import Any, assert_type

import numpy as np

from srcgrad import (
    checkpoint,
    differentiate,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)


@differentiate
def loss(w: np.ndarray, x: np.ndarray, power: int = 2) -> float:
    """Return a number."""
    return float(np.sum((w * x) ** power))


@differentiate(wrt=("w", "x"))
def other(w: np.ndarray, x: np.ndarray, *, power: int = 2) -> float:
    """Return a number, with an option."""
    return float(np.sum((w * x) ** power))


class Model:
    """Has methods that are differentiated."""

    @differentiate(wrt="w")
    def loss(self, w: np.ndarray, power: int = 1) -> float:
        """Return a number."""
        return float(np.sum(w**power))


w = np.ones(2)

# The function itself, and what is computed beside it
assert_type(loss(w, x=w), float)
assert_type(loss.value_and_grad(w, x=w, power=3), tuple[float, Any])
assert_type(value_and_grad(loss)(w, w), tuple[float, Any])
assert_type(value_and_grad(other)(w, w, power=2), tuple[float, Any])
assert_type(loss.vjp(w, w)[0], float)
assert_type(vjp(loss, w, w)[0], float)
assert_type(loss.jvp((w, w), (w, None))[0], float)
assert_type(jvp(loss, (w, w), (w, None))[0], float)
assert_type(Model().loss(w), float)
assert_type(Model().loss.value_and_grad(w, power=2), tuple[float, Any])
assert_type(checkpoint(loss)(w, w), float)
assert_type(grad(loss, has_aux=True)(w, w), tuple[Any, Any])

# Calls as of the function
loss.grad(w, w, power=3)
loss.hessian(w, w)
loss.hvp(w, w, w)
hessian(grad(loss))(w, w)
jacobian(loss)(w, x=w)
grad(lambda x: x * x)(3.0)
grad(np.sin)(1.0)
grad(functools.partial(other, x=w))(w)
Model().loss.grad(w, 2)
gradient = grad(loss)
gradient.recorded.clear()
gradient.file(w, w).upper()

loss()  # wrong
loss.grad(w)  # wrong
loss.grad("a", w)  # wrong
loss.hessian(w, w, w)  # wrong
loss.vjp(w)  # wrong
loss.trace(w)  # wrong
grad(loss)(w, w, m=1)  # wrong
grad(loss)(w, 3)  # wrong
gradient.debug(w)  # wrong
value_and_grad(other)(w, w, 2)  # wrong
hessian(other)(w, w, 2)  # wrong
jacfwd(loss)(w, y=w)  # wrong
jacrev(loss)(w)  # wrong
hvp(loss, order=2)  # wrong
other.value_and_grad(w, w, power="a")  # wrong
Model().loss.grad()  # wrong
Model().loss("x")  # wrong
grad(3)  # wrong
differentiate(wrt=0)(3)  # wrong
text: str = loss(w, w)  # wrong
text = value_and_grad(loss)(w, w)[0]  # wrong
