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

def tangent_grad(x):
    """Gradient of tangent (recursion.py:12) with respect to x."""
    den, fraction_residuals = fraction_forward(x, 0, 8)

    # recursion.py:13  return x / fraction(x, 0, 8)
    x_bar = 1 / den + fraction_backward(fraction_residuals, -x / den / den)
    return x_bar


def fraction_forward(x, k, depth):
    """fraction (recursion.py:6), with what its backward function needs."""
    den = fraction_residuals = float("nan")
    if k == depth:
        value = 2 * k + 1.0
    else:
        den, fraction_residuals = fraction_forward(x, k + 1, depth)
        value = 2 * k + 1 - x * x / den
    return value, (x, den, fraction_residuals, k, depth)


def fraction_backward(residuals, value_bar):
    """Backward function of fraction (recursion.py:6)."""
    x, den, fraction_residuals, k, depth = residuals
    if k == depth:
        x_bar = 0.0
    else:
        # recursion.py:9  return 2 * k + 1 - x * x / fraction(x, k + 1, depth)
        num_bar = -value_bar / den
        x_bar = (
            fraction_backward(fraction_residuals, -num_bar * (x * x / den))
            + 2 * num_bar * x
        )
    return x_bar
