"""Recursion: a continued fraction."""

from srcgrad import grad


def fraction(x, k, depth):
    if k == depth:
        return 2 * k + 1.0
    return 2 * k + 1 - x * x / fraction(x, k + 1, depth)


def tangent(x):
    return x / fraction(x, 0, 8)


def arguments():
    return (0.9,)


derivative = grad(tangent)


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import require_scalar
from srcgrad.runtime import unbroadcast


def tangent_grad(x):
    """Gradient of tangent (recursion.py:12) with respect to x."""
    den, fraction_residuals = fraction_forward(x, 0, 8)
    value = x / den
    value_ = value
    require_scalar(value_)

    # recursion.py:13  return x / fraction(x, 0, 8)
    den_bar = unbroadcast(-(value / den), den)
    x_bar = unbroadcast(1 / den, x) + fraction_backward(fraction_residuals, den_bar)
    return x_bar


def fraction_forward(x, k, depth):
    """fraction (recursion.py:6), with what its backward function needs."""
    ratio = 0.0
    den = 0.0
    fraction_residuals = 0.0
    if k == depth:
        value = 2 * k + 1.0
    else:
        den, fraction_residuals = fraction_forward(x, k + 1, depth)
        ratio = x * x / den
        value = 2 * k + 1 - ratio
    return value, (ratio, den, fraction_residuals, x, k, depth)


def fraction_backward(residuals, value_bar):
    """Backward function of fraction (recursion.py:6)."""
    ratio, den, fraction_residuals, x, k, depth = residuals
    if k == depth:
        x_bar = 0.0
    else:
        # recursion.py:9  return 2 * k + 1 - x * x / fraction(x, k + 1, depth)
        ratio_bar = unbroadcast(-value_bar, ratio)
        den_bar = unbroadcast(-(ratio_bar * ratio / den), den)
        term = 2 * (unbroadcast(ratio_bar / den, x * x) * x)
        x_bar = fraction_backward(fraction_residuals, den_bar) + term
    return x_bar
