"""Differences of special functions that lose their digits when they are computed as such.

A slope such as 1 - 2 x F(x) of Dawson's integral is the small difference of large terms
where x is large. What is here computes it by a series there. Only formulas for SciPy
import this module, as it needs SciPy. The argument n is the number of a derivative, so
that the slope of each function is the function with n + 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.runtime.broadcasting import cast_like

_FAR = 8.0  # from where on twenty terms of the asymptotic series are exact
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def dawsn_slope(x: Any, n: int) -> Any:
    """Return derivative number ``n`` >= 1 of Dawson's integral at real ``x``."""
    far = np.abs(x) > _FAR
    near = np.where(far, 0.0, x)
    by_series = _inverse_powers(np.where(far, x, _FAR), n, 1.0) / 2
    return np.where(far, by_series, _recurrence(near, special.dawsn(near), n, -1.0, 1.0))


def erfcx_slope(x: Any, n: int) -> Any:
    """Return derivative number ``n`` >= 1 of e**(x**2) erfc(x) at real ``x``."""
    far = x > _FAR
    near = np.where(far, 0.0, x)
    scale = 1 / math.sqrt(math.pi)
    by_series = _inverse_powers(np.where(far, x, _FAR), n, -1.0) * scale
    return np.where(far, by_series, _recurrence(near, special.erfcx(near), n, 1.0, -2 * scale))


def wofz_slope(x: Any, n: int) -> Any:
    """Return derivative number ``n`` >= 1 of Faddeeva's function at ``x``."""
    far = (np.abs(x) > _FAR) & (np.imag(x) >= 0)
    near = np.where(far, 0.0, x)
    scale = 1j / math.sqrt(math.pi)
    by_series = _inverse_powers(np.where(far, x, _FAR), n, 1.0) * scale
    return np.where(far, by_series, _recurrence(near, special.wofz(near), n, -1.0, 2 * scale))


def ive_slope(v: Any, x: Any, n: int) -> Any:
    """Return derivative number ``n`` >= 1 of e**-|x| I_v(x) at real ``x``.

    From a distance on that grows with the order, by the asymptotic series, DLMF 10.40.1.
    A negative ``x`` asks for a whole ``v``.
    """
    size = np.abs(x)
    far = size > 1e3 * (1 + v**2)
    near = np.where(far, 0.5, size)
    by_recurrence = np.zeros_like(near)
    for k in range(n + 1):
        orders = (math.comb(k, j) * special.ive(v - k + 2 * j, near) for j in range(k + 1))
        by_recurrence = by_recurrence + math.comb(n, k) * (-1) ** (n - k) * sum(orders) / 2**k
    inverse = 1 / np.where(far, size, 1.0)
    by_series, coefficient = np.zeros_like(near), 1.0 / math.sqrt(2 * math.pi)
    for k in range(8):
        falling = math.prod(-(k + 0.5 + i) for i in range(n))
        by_series = by_series + coefficient * falling * inverse**k
        coefficient = -coefficient * (4 * v**2 - (2 * k + 1) ** 2) / (8 * (k + 1))
    by_series = by_series * np.sqrt(inverse) * inverse**n
    found = np.where(far, by_series, by_recurrence)
    order = v + np.zeros_like(size)  # of the kind that x is, which may be CuPy's
    whole = order == np.floor(order)
    turned = np.where(whole, (-1.0) ** (np.floor(order) + n), np.nan)
    at_zero = np.where(whole, (1 + turned) / 2, 1.0)  # the slope in between, where there are two
    sign = np.where(x < 0, turned, np.where(x == 0, at_zero, 1.0))
    return cast_like(found * sign, x)


def _inverse_powers(x: Any, n: int, sign: float) -> Any:
    """Derivative ``n`` of the sum of (2 k - 1)!! (sign / 2)**k / x**(2 k + 1): DLMF 7.12.1."""
    total = np.zeros_like(x)
    inverse = 1 / x
    for k in reversed(range(20)):
        coefficient = math.prod(range(2 * k - 1, 0, -2)) * (sign / 2) ** k
        total = total * inverse**2 + coefficient * math.perm(2 * k + n, n)
    return (-1) ** n * total * inverse ** (n + 1)


def _recurrence(x: Any, value: Any, n: int, sign: float, constant: complex) -> Any:
    """Derivative ``n`` of a function f with f' = 2 sign x f + constant."""
    before, last = value, 2 * sign * x * value + constant
    for k in range(1, n):
        before, last = last, 2 * sign * (x * last + k * before)
    return last


def rgamma_slope(x: Any) -> Any:
    """Return the slope of 1 / gamma(x) = sin(pi x) gamma(1 - x) / pi, also where that is 0."""
    left, right = np.minimum(x, 0.5), np.clip(x, 0.5, 500.0)
    turn = np.cos(math.pi * left) - np.sin(math.pi * left) * special.psi(1 - left) / math.pi
    by_reflection = special.gamma(1 - left) * turn
    return np.where(x < 0.5, by_reflection, -special.rgamma(right) * special.psi(right))


def psi_rise(x: Any, d: Any) -> Any:
    """Return psi(x + d) - psi(x), also where ``d`` is small beside ``x``: DLMF 5.11.2."""
    far = (x > 1e3) & (x + d > 1e3)
    low, rise = np.where(far, x, 1e3), np.where(far, d, 0.0)
    high = low + rise
    first, second = rise / low / high, (1 / low + 1 / high) / 12
    by_series = np.log1p(rise / low) + first * (0.5 + second)
    return np.where(far, by_series, special.psi(x + d) - special.psi(x))


def bessel_gap(x: Any, n: int) -> Any:
    """Return derivative number ``n`` of (1 - J_0(x)) / x."""
    return _gap(x, n, -1.0, special.jvp)


def modified_gap(x: Any, n: int) -> Any:
    """Return derivative number ``n`` of (I_0(x) - 1) / x."""
    return _gap(x, n, 1.0, special.ivp)


def _gap(x: Any, n: int, sign: float, slopes: Any) -> Any:
    """Derivative ``n`` of sign (w(x) - 1) / x for w = sum of (sign x**2 / 4)**k / k!**2."""
    small = np.abs(x) < 1
    near, far = np.where(small, x, 0.0), np.where(small, 1.0, x)
    total = np.zeros_like(near)
    for k in range(1, 12):
        if 2 * k - 1 >= n:
            factor = math.perm(2 * k - 1, n) * (sign / 4) ** k / math.factorial(k) ** 2
            total = total + sign * factor * near ** (2 * k - 1 - n)
    quotient = sign * (slopes(0, far, 0) - 1) / far
    for k in range(1, n + 1):
        quotient = (sign * slopes(0, far, k) - k * quotient) / far
    return cast_like(np.where(small, total, quotient), x)


def elliptic_slope(phi: Any, m: Any, n: int, power: int) -> Any:
    """Return derivative number ``n`` >= 1 of an elliptic integral in ``m``, at a fixed amplitude.

    It is the integral of sin(t)**(2 power) / sqrt(1 - m sin(t)**2) from 0 to ``phi``: F for the
    power 0, D for 1. The first one of F is Carlson's R_D: NIST Digital Library of Mathematical
    Functions, 19.25.13 with the last two arguments exchanged. The others are integrated by the
    rule of Gauss and Legendre in u = F, in which nothing has a peak where ``m`` is close to 1.

    Args:
        phi: the amplitude.
        m: the parameter, below 1; it may be 1 within half a period.
        n: the number of the derivative.
        power: of the square of the sine.
    """
    periods = np.round(phi / math.pi)
    rest = phi - periods * math.pi
    part = _first_slope if (n, power) == (1, 0) else _integrated
    beyond = np.where(periods == 0, 0.0, m)  # the complete integral is infinite where m is 1
    quarter = np.full_like(rest, math.pi / 2)
    return part(rest, m, n, power) + 2 * periods * part(quarter, beyond, n, power)


def _first_slope(phi: Any, m: Any, n: int, power: int) -> Any:
    sine, square = np.sin(phi), np.cos(phi) ** 2
    return special.elliprd(square, 1.0, square + (1 - m) * sine**2) * sine**3 / 6


def _integrated(phi: Any, m: Any, n: int, power: int) -> Any:
    u = np.asarray(special.ellipkinc(phi, m))
    largest = np.max(np.abs(u), initial=1.0, where=np.isfinite(u))
    count = math.ceil(largest / 1.5)
    half = u[..., None] / (2 * count)
    nodes = (_NODES + 1 + 2 * np.arange(count)[:, None]).reshape(-1).astype(half.dtype)
    sn, dn = _sine_and_delta(half * nodes, np.asarray(m)[..., None])
    values = math.prod(k + 0.5 for k in range(n)) * sn ** (2 * n + 2 * power) / dn ** (2 * n)
    return np.sum(values * half * np.tile(_WEIGHTS, count).astype(half.dtype), axis=-1)


def _sine_and_delta(u: Any, m: Any) -> tuple[Any, Any]:
    """Jacobi's functions sn and dn; SciPy has none for negative ``m``: DLMF 22.17.6, 22.17.8."""
    below = m < 0
    scale = np.where(below, 1 - m, 1.0).astype(u.dtype)
    sn, _, dn, _ = special.ellipj(u * np.sqrt(scale), np.where(below, -m, m) / scale)
    return np.where(below, sn / dn, sn) / np.sqrt(scale), np.where(below, 1 / dn, dn)
