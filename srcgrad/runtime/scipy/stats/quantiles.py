"""Quantiles of SciPy's distributions, in closed form.

``ppf`` gives the number below which a share ``q`` lies, ``isf`` the one above which it lies.
The parameters have the names that SciPy gives them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special


def _share(q: Any) -> Any:
    """Return shares as an array, nan where they are none."""
    q = np.asarray(q)
    return np.where((q >= 0) & (q <= 1), q, np.nan)


def _placed(found: Any, loc: Any, scale: Any) -> Any:
    """Return numbers that many scales above the location."""
    return (loc + scale * found)[()]


def _bent(c: Any, t: Any) -> Any:
    """Return (e**(c t) - 1) / c, which is t where c is 0, by its series near that."""
    near = np.abs(c * t) < 1e-4
    u = np.where(near, c * t, 0.0)
    series = t * (1 + u / 2 * (1 + u / 3 * (1 + u / 4 * (1 + u / 5))))
    return np.where(near, series, np.expm1(np.where(near, 0.0, c * t)) / np.where(near, 1.0, c))


def _cotangent(q: Any) -> Any:
    """Return cos(pi q) / sin(pi q), infinite at both ends."""
    return np.where(q < 0.5, 1 / np.tan(math.pi * q), -1 / np.tan(math.pi * (1 - q)))


def _student(df: Any, q: Any) -> Any:
    return np.where(q == 0, -np.inf, special.stdtrit(df, q))


def norm_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(special.ndtri(q), loc, scale)


def norm_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(-special.ndtri(q), loc, scale)


def expon_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(-np.log1p(-q), loc, scale)


def expon_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(-np.log(q), loc, scale)


def uniform_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(q, loc, scale)


def uniform_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(1 - q, loc, scale)


def laplace_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(np.where(q < 0.5, np.log(2 * q), -np.log(2 * (1 - q))), loc, scale)


def laplace_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(np.where(q < 0.5, -np.log(2 * q), np.log(2 * (1 - q))), loc, scale)


def logistic_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(special.logit(q), loc, scale)


def logistic_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(-special.logit(q), loc, scale)


def cauchy_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(-_cotangent(q), loc, scale)


def cauchy_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(_cotangent(q), loc, scale)


def halfcauchy_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(_cotangent((1 - q) / 2), loc, scale)


def halfcauchy_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(_cotangent(q / 2), loc, scale)


def halfnorm_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(special.ndtri((1 + q) / 2), loc, scale)


def halfnorm_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(-special.ndtri(q / 2), loc, scale)


def lognorm_ppf(q: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(np.exp(s * special.ndtri(q)), loc, scale)


def lognorm_isf(q: Any, s: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(np.exp(-s * special.ndtri(q)), loc, scale)


def weibull_min_ppf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed((-np.log1p(-q)) ** (1 / c), loc, scale)


def weibull_min_isf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed((-np.log(q)) ** (1 / c), loc, scale)


def gumbel_r_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(-np.log(-np.log(q)), loc, scale)


def gumbel_r_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(-np.log(-np.log1p(-q)), loc, scale)


def gumbel_l_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(np.log(-np.log1p(-q)), loc, scale)


def gumbel_l_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(np.log(-np.log(q)), loc, scale)


def genextreme_ppf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(-_bent(c, np.log(-np.log(q))), loc, scale)


def genextreme_isf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(-_bent(c, np.log(-np.log1p(-q))), loc, scale)


def genpareto_ppf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(_bent(c, -np.log1p(-q)), loc, scale)


def genpareto_isf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(_bent(c, -np.log(q)), loc, scale)


def pareto_ppf(q: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed((1 - q) ** (-1 / b), loc, scale)


def pareto_isf(q: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(q ** (-1 / b), loc, scale)


def rayleigh_ppf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(np.sqrt(-2 * np.log1p(-q)), loc, scale)


def rayleigh_isf(q: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(np.sqrt(-2 * np.log(q)), loc, scale)


def fisk_ppf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed((q / (1 - q)) ** (1 / c), loc, scale)


def fisk_isf(q: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(((1 - q) / q) ** (1 / c), loc, scale)


def gamma_ppf(q: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(special.gammaincinv(a, q), loc, scale)


def gamma_isf(q: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(special.gammainccinv(a, q), loc, scale)


def chi2_ppf(q: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(2 * special.gammaincinv(df / 2, q), loc, scale)


def chi2_isf(q: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(2 * special.gammainccinv(df / 2, q), loc, scale)


def beta_ppf(q: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(special.betaincinv(a, b, q), loc, scale)


def beta_isf(q: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(1 - special.betaincinv(b, a, q), loc, scale)


def t_ppf(q: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number below which a share lies."""
    q = _share(q)
    return _placed(_student(df, q), loc, scale)


def t_isf(q: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the number above which a share lies."""
    q = _share(q)
    return _placed(-_student(df, q), loc, scale)
