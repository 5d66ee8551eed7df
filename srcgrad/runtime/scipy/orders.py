"""Derivatives of the incomplete gamma function in its order.

The regularised function is P(a, x) = the integral of exp(a u - e**u) / gamma(a) over u = log t
from -infinity to log x. Derivative number n in ``a`` of the integrand is the integrand times
B_n(u - psi(a), -psi'(a), -psi''(a), ...), a complete Bell polynomial, and the integral of that
over all u is 0. So the smaller of the two sides is integrated, by the rule of Gauss and Legendre;
where a is small, the side below is the series of NIST Digital Library of Mathematical Functions,
8.7.1, whose terms are differentiated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_PANELS = 4
_SMALL = 20.0  # the order up to which the series serves
_TERMS = 120  # as many of its terms as are not negligible then
_REACH = 45.0  # -log of what is negligible


def gammainc_slope(a: Any, x: Any, n: int) -> Any:
    """Return derivative number ``n`` >= 1 in ``a`` of ``scipy.special.gammainc(a, x)``.

    Args:
        a: the order, positive.
        x: where, not negative.
        n: the number of the derivative.
    """
    dtype = np.result_type(a, x, 0.0)
    a, x = np.broadcast_arrays(np.asarray(a, float), np.asarray(x, float))
    inside = (x > 0) & (x < np.inf) & (a > 0)
    order, at = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
    below = at < order + 1.0
    found = np.where(
        below & (order <= _SMALL),
        _series(np.minimum(order, _SMALL), np.minimum(at, _SMALL + 1.0), n),
        np.where(below, _side(order, at, n, -1.0), -_side(order, at, n, 1.0)),
    )
    outside = np.where((x >= 0) & (a > 0), 0.0, np.nan)
    return np.where(inside, found, outside).astype(dtype)[()]


def gamma_density_slope(a: Any, x: Any, n: int) -> Any:
    """Return derivative number ``n`` in ``a`` of x**(a - 1) exp(-x) / gamma(a); positive x."""
    dtype = np.result_type(a, x, 0.0)
    density = np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))
    flat = x == 0  # there, the density of a > 1 is 0, and the logarithm counts for less
    slope = density * _bell(np.log(np.where(flat, 1.0, x)) - special.psi(a), a, n)
    return np.where(flat & (a > 1), 0.0, slope).astype(dtype)[()]


def _bell(first: Any, a: Any, n: int) -> Any:
    """Return B_n(first, -psi'(a), -psi''(a), ...), a complete Bell polynomial."""
    arguments = [first, *(-special.polygamma(k, a) for k in range(1, n))]
    found: list[Any] = [1.0 + 0.0 * first]
    for m in range(n):
        terms = (math.comb(m, k) * found[m - k] * arguments[k] for k in range(m + 1))
        found.append(sum(terms))
    return found[n]


def _series(a: Any, x: Any, n: int) -> Any:
    """Return the derivative of the sum of x**(a + k) exp(-x) / gamma(a + k + 1)."""
    k = np.arange(_TERMS)
    orders, at = a[..., None] + k + 1.0, x[..., None]
    terms = np.exp((orders - 1.0) * np.log(at) - at - special.gammaln(orders))
    return np.sum(terms * _bell(np.log(at) - special.psi(orders), orders, n), axis=-1)


def _side(a: Any, x: Any, n: int, side: float) -> Any:
    """Return the integral of the derivative of the integrand over one side of log x."""
    # in s = |u - log x| the exponent falls by a s + x (exp(-s) - 1), or by x (exp(s) - 1) - a s
    far = np.sqrt(2 * _REACH / np.maximum(a, x)) + 2 * _REACH / (3 * np.maximum(a, x))
    if side > 0:
        far = np.minimum(far + 1.0, np.log1p((_REACH + 40.0) / x) + 1.0)
    else:
        far = far + np.maximum(_REACH / a, 0.0)
    width = far / (2 * _PANELS)
    nodes = (_NODES + 1 + 2 * np.arange(_PANELS)[:, None]).reshape(-1)
    s = side * width[..., None] * nodes
    order, at = a[..., None], x[..., None]
    log_peak = a * np.log(x) - x - special.gammaln(a)
    density = np.exp(log_peak[..., None] + order * s - at * np.expm1(s))
    values = density * _bell(np.log(at) + s - special.psi(order), order, n)
    return np.sum(values * np.tile(_WEIGHTS, _PANELS), axis=-1) * width
