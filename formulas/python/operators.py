"""Derivatives of Python's operators and of the NumPy functions behind them."""

from __future__ import annotations

import operator

import numpy as np

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime import place, unbroadcast
from srcgrad.runtime.broadcasting import as_floats, is_boolean, is_fixed

# Arithmetic


@formula(operator.add, np.add)
def add(x, y):
    """z = x + y."""
    z = x + y

    def backward(z_bar):
        return z_bar, z_bar

    return z, backward


@formula(operator.sub, np.subtract)
def subtract(x, y):
    """z = x - y."""
    z = x - y

    def backward(z_bar):
        return z_bar, -z_bar

    return z, backward


@formula(operator.mul, np.multiply, linear="x y")
def multiply(x, y):
    """z = x * y."""
    z = x * y

    def backward(z_bar):
        x_bar = z_bar * y
        y_bar = z_bar * x
        return x_bar, y_bar

    return z, backward


@formula(operator.truediv, np.true_divide)
def divide(x, y):
    """z = x / y; y != 0."""
    z = x / y

    def backward(z_bar):
        x_bar = z_bar / y
        y_bar = -x_bar * z
        return x_bar, y_bar

    def tangent(x_dot, y_dot):
        return (x_dot - z * y_dot) / y

    return z, backward, tangent


@formula(operator.mod, np.remainder)
def remainder(x, y):
    """z = x % y, with the sign of y; at the jumps, the slope beside them."""
    z = x % y

    def backward(z_bar):
        y_bar = -z_bar * (x // y)
        return z_bar, y_bar

    return z, backward


@formula(operator.pow, np.power, np.float_power, pow)
def power(x, y):
    """z = x ** y; the slope in y is nan for real x < 0 with a real z, and 0 at x == 0.

    The comparisons keep 0 * inf out: ``x ** (y - 1)`` where both are 0, ``log(x)``
    where x == 0. The slope in x is y x**(y - 1) at y == 0, too, since its slope in y
    is not 0 there. Where z is complex, the logarithm of a real x is, too: because y is,
    or because Python's own numbers have complex powers.
    """
    z = x**y

    def backward(z_bar):
        if is_boolean(y):
            x_bar = np.where(y, z_bar, 0)
        elif is_fixed(y):
            x_bar = z_bar * y * x ** (y - (y != 0))
        else:
            x_bar = z_bar * y * (x + ((x == 0) & (y == 0))) ** (y - 1)
        if np.iscomplexobj(z) and not np.iscomplexobj(x):
            y_bar = z_bar * z * np.log(x + (x == 0) + 0j)
        else:
            y_bar = z_bar * z * np.log(as_floats(x) + (x == 0))
        return x_bar, y_bar

    return z, backward


@formula(operator.neg, np.negative, linear="x")
def negative(x):
    """z = -x."""
    return -x, lambda z_bar: -z_bar


@formula(operator.pos, np.positive, linear="x")
def positive(x):
    """z = +x."""
    return +x, lambda z_bar: z_bar


@formula(operator.abs, abs, np.absolute, np.fabs)
def absolute(x):
    """z = |x|; slope 0 at 0.

    Of a complex x it is conj(x) / |x|.
    """
    z = abs(x)

    def backward(z_bar):
        if np.iscomplexobj(x):
            return z_bar * np.conj(x) / (z + (z == 0))
        return z_bar * np.sign(x)

    return z, backward


@formula(operator.matmul, np.matmul, np.linalg.matmul, linear="x y")
def matmul(x, y):
    """z = x @ y, over the last two axes; the axes before them broadcast."""
    z = x @ y

    def backward(z_bar):
        if x.ndim == 2 and y.ndim == 2:
            x_bar = z_bar @ y.T
            y_bar = x.T @ z_bar
        elif x.ndim == 1 and y.ndim == 1:
            x_bar = z_bar * y
            y_bar = z_bar * x
        elif x.ndim == 2 and y.ndim == 1:
            x_bar = np.outer(z_bar, y)
            y_bar = x.T @ z_bar
        elif x.ndim == 1 and y.ndim == 2:
            x_bar = y @ z_bar
            y_bar = np.outer(x, z_bar)
        elif y.ndim == 1:
            x_bar = z_bar[..., None] * y
            y_bar = unbroadcast(z_bar[..., None] * x, y)
        elif x.ndim == 1:
            x_bar = unbroadcast(np.sum(z_bar[..., None, :] * y, axis=-1), x)
            y_bar = x[:, None] * z_bar[..., None, :]
        else:
            x_bar = unbroadcast(z_bar @ np.swapaxes(y, -1, -2), x)
            y_bar = unbroadcast(np.swapaxes(x, -1, -2) @ z_bar, y)
        return x_bar, y_bar

    return z, backward


# Indexing


@formula(operator.getitem, linear="x", views="*", sequences="index")
def getitem(x, index):
    """z = x[index]; an entry that is read twice receives both cotangents."""
    z = x[index]

    def backward(z_bar):
        return place(z_bar, index, x), None

    return z, backward


# Comparisons, logic, bits, and division with a whole result: piecewise constant

nondifferentiable(
    operator.floordiv, np.floor_divide,
    operator.lt, np.less,
    operator.le, np.less_equal,
    operator.eq, np.equal,
    operator.ne, np.not_equal,
    operator.ge, np.greater_equal,
    operator.gt, np.greater,
    operator.not_, np.logical_not,
    operator.truth, operator.is_, operator.is_not, operator.contains,
    operator.countOf, operator.indexOf,
    operator.and_, np.bitwise_and,
    operator.or_, np.bitwise_or,
    operator.xor, np.bitwise_xor,
    operator.invert, operator.inv, np.invert,
    operator.lshift, np.left_shift,
    operator.rshift, np.right_shift,
    operator.index,
)  # fmt: skip

nondifferentiable(is_boolean, is_fixed)
