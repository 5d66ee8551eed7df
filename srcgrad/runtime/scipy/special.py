"""Special functions that derivatives need and NumPy does not have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def bessel_i1(x: Any) -> Any:
    """Return the modified Bessel function of the first kind of order 1.

    The power series serves up to 30, the asymptotic one above: NIST Digital
    Library of Mathematical Functions, 10.25.2 and 10.40.1.

    Args:
        x: an array or a number.

    Returns:
        An array of the shape of ``x``, or a number.
    """
    size = np.abs(x)
    small = np.minimum(size, 30.0)
    term = total = small / 2
    for k in range(1, 60):
        term = term * (small / 2) ** 2 / (k * (k + 1))
        total = total + term
    large = np.maximum(size, 30.0)
    tail = factor = np.ones_like(large)
    for k in range(1, 25):
        factor = factor * ((2 * k - 1) ** 2 - 4) / (8 * k * large)
        tail = tail + factor
    # half of the exponential at a time, which overflows no earlier than the result
    far = np.exp(large / 2) * (np.exp(large / 2) / np.sqrt(2 * math.pi * large) * tail)
    return np.sign(x) * np.where(size <= 30.0, total, far)


def polygamma(n: int, x: float) -> float:
    """Return derivative number n + 1 of the logarithm of the gamma function.

    The recurrence leads to x > 20, where the asymptotic series serves: NIST
    Digital Library of Mathematical Functions, 5.15.5 and 5.15.8.

    Args:
        n: a whole number from 0 on; 0 gives the digamma function.
        x: a number that is no whole number below 1.
    """
    sign = (-1) ** (n + 1)
    total = 0.0
    while x < 20 + n:
        total += sign * math.factorial(n) / x ** (n + 1)
        x = x + 1  # an array of no axes stays what it is
    total += math.log(x) if n == 0 else sign * math.factorial(n - 1) / x**n
    total += sign * math.factorial(n) / (2 * x ** (n + 1))
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
    for k, b in enumerate(bernoulli, start=1):
        factor = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        total += sign * b * factor / x ** (2 * k + n)
    return total


def unit(x: Any) -> Any:
    """Return ``np.sign`` of complex numbers: x / |x|, and 0 for 0."""
    return np.sign(x)


def unit_conjugate(x: Any) -> Any:
    """Return conj(x) / |x| for complex numbers, and 0 for 0.

    It is the slope of |x|.

    Args:
        x: an array or a number.

    Returns:
        An array of the shape of ``x``.
    """
    size = np.abs(x)
    return np.conj(x) / (size + (size == 0))


def weighted_logsumexp(a: Any, b: Any, **options: Any) -> Any:
    """Return ``scipy.special.logsumexp(a, b=b, **options)``."""
    from scipy import special

    return special.logsumexp(a, b=b, **options)
