"""Densities and an integral that derivatives of SciPy's functions need.

Only formulas for SciPy import this module, as it needs SciPy. Generated code may
call what is here at run time. A density has the dtype of its argument: the logarithm
of the gamma function of a Python number would take it out of single precision.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.runtime.broadcasting import cast_like


def normal_density(x: Any) -> Any:
    """Return the density of the standard normal distribution at ``x``."""
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def standardised(x: Any, loc: Any, scale: Any) -> Any:
    """Return (x - loc) / scale, and where x is infinite, some number within.

    A density is 0 there, and what it is multiplied by has to be finite for the product
    to be 0; so are the slopes of this, which are 0.
    """
    u = (x - loc) / scale
    return cast_like(np.where(np.isinf(x), 0.5, u)[()], u)


def inside(x: Any, far: float, loc: Any, scale: Any) -> Any:
    """Return x, and where it is as far as ``far``, an infinity, some number within.

    There is no density as far as that, in any order of derivatives, but the formulas for it
    are of 0 and infinity.
    """
    return np.where(x == far, loc + scale / 2, x)[()]


def mills_ratio(x: Any) -> Any:
    """Return the density of the standard normal distribution at ``x``, over the probability."""
    return math.sqrt(2 / math.pi) / special.erfcx(-x / math.sqrt(2))


def gamma_density(b: Any, x: Any) -> Any:
    """Return the density of the gamma distribution with shape ``b`` and rate 1 at ``x``."""
    return cast_like(np.exp(special.xlogy(b - 1, x) - x - special.gammaln(b)), x)


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """Return the density of the beta distribution with shapes ``a`` and ``b`` at ``x``."""
    powers = special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x)
    return cast_like(np.exp(powers - special.betaln(a, b)), x)


def f_density(dfn: Any, dfd: Any, x: Any) -> Any:
    """Return the density of the F distribution at ``x``, from that of a beta variable."""
    scale = dfn / (dfn * x + dfd)
    return beta_density(dfn / 2, dfd / 2, scale * x) * scale * dfd / (dfn * x + dfd)


def student_density(df: Any, t: Any) -> Any:
    """Return the density of Student's t distribution at ``t``."""
    powers = -(df + 1) / 2 * np.log1p(np.square(t / df**0.5))
    return cast_like(np.exp(powers - special.betaln(0.5, df / 2)) / df**0.5, t)


def poisson_probability(k: Any, m: Any) -> Any:
    """Return the probability of ``k`` events where ``m`` are expected."""
    return cast_like(np.exp(special.xlogy(k, m) - m - special.gammaln(k + 1)), m)


def noncentral_density(x: Any, df: Any, nc: Any) -> Any:
    """Return the density of the noncentral chi-square distribution at ``x``."""
    order = df / 2 - 1
    bell = np.exp(-((np.sqrt(x) - np.sqrt(nc)) ** 2) / 2)
    return bell * (x / nc) ** (order / 2) * special.ive(order, np.sqrt(nc * x)) / 2


def elliptic_d(phi: Any, m: Any) -> Any:
    """Return the incomplete elliptic integral D = (F - E) / m.

    Carlson's R_D serves within half a period: NIST Digital Library of Mathematical
    Functions, 19.25.13; each whole period adds twice the complete integral.

    Args:
        phi: the amplitude.
        m: the parameter, below 1.
    """
    periods = np.round(phi / math.pi)
    rest = phi - periods * math.pi
    sine = np.sin(rest)
    part = special.elliprd(np.cos(rest) ** 2, 1 - m * sine**2, 1.0) * sine**3
    return (part + 2 * periods * special.elliprd(0.0, 1 - m, 1.0)) / 3


def even_mathieu_level(m: Any, q: Any, x: Any) -> Any:
    """Return the characteristic value of even Mathieu functions, in the dtype of ``x``."""
    return cast_like(special.mathieu_a(m, q), x)


def odd_mathieu_level(m: Any, q: Any, x: Any) -> Any:
    """Return the characteristic value of odd Mathieu functions, in the dtype of ``x``."""
    return cast_like(special.mathieu_b(m, q), x)


def prolate_level(m: Any, n: Any, c: Any, x: Any) -> Any:
    """Return the characteristic value of prolate functions, in the dtype of ``x``."""
    return cast_like(special.pro_cv(m, n, c), x)


def oblate_level(m: Any, n: Any, c: Any, x: Any) -> Any:
    """Return the characteristic value of oblate functions, in the dtype of ``x``."""
    return cast_like(special.obl_cv(m, n, c), x)


def all_up_to(n: int, x: Any) -> Any:
    """Return 0, 1, ..., n along a first axis before those of ``x``."""
    return np.reshape(np.arange(n + 1), (n + 1,) + (1,) * np.ndim(x))
