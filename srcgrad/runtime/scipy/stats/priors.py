"""Distributions of SciPy's that errors and unknown parameters are given.

The parameters have the names that SciPy gives them. The densities are textbook: N. Johnson,
S. Kotz, N. Balakrishnan, "Continuous Univariate Distributions", 1994 and 1995.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.runtime.scipy.stats.supports import chance, held, log_normal_mass, logarithm, standard

_HALF_LOG_2PI = math.log(2 * math.pi) / 2


def halfnorm_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of the size of a normal variable."""
    y = standard(x, loc, scale)
    return logarithm(y < 0, math.log(2 / math.pi) / 2 - held(y, y < 0, 0.0) ** 2 / 2, scale)


def halfnorm_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density of the size of a normal variable."""
    return np.exp(halfnorm_logpdf(x, loc, scale))


def halfnorm_cdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    y = standard(x, loc, scale)
    return special.erf(held(y, y < 0, 0.0) / math.sqrt(2))[()]


def halfnorm_sf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    y = standard(x, loc, scale)
    return special.erfc(held(y, y < 0, 0.0) / math.sqrt(2))[()]


def foldnorm_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of the size of a normal variable around ``c``."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 0.0)
    return logarithm(
        y < 0, np.logaddexp(-((u - c) ** 2) / 2, -((u + c) ** 2) / 2) - _HALF_LOG_2PI, scale
    )


def truncnorm_logpdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of a normal variable between ``a`` and ``b``."""
    y = standard(x, loc, scale)
    outside = (y < a) | (y > b)
    u = held(y, outside, 0.0)
    return logarithm(outside, -(u**2) / 2 - _HALF_LOG_2PI - log_normal_mass(a, b), scale)


def truncnorm_pdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density of a normal variable between ``a`` and ``b``."""
    return np.exp(truncnorm_logpdf(x, a, b, loc, scale))


def truncnorm_cdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    y = standard(x, loc, scale)
    outside = (y <= a) | (y >= b)
    end = np.where(y >= b, 1.0, 0.0)
    share = np.exp(log_normal_mass(a, held(y, outside, (a + b) / 2)) - log_normal_mass(a, b))
    return np.where(outside, end, share)[()]


def truncnorm_sf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return truncnorm_cdf(-np.asarray(x), -b, -a, -loc, scale)


def skewnorm_logpdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of a skew normal variable."""
    y = standard(x, loc, scale)
    bell = math.log(2) - _HALF_LOG_2PI - y**2 / 2
    return (bell + special.log_ndtr(a * y) - np.log(scale))[()]


def skewnorm_pdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density of a skew normal variable."""
    return np.exp(skewnorm_logpdf(x, a, loc, scale))


def exponnorm_logpdf(x: Any, K: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:  # noqa: N803 -- as SciPy names it
    """Return the logarithm of the density of a normal plus an exponential variable."""
    y = standard(x, loc, scale)
    rate = 1 / K
    found = np.log(rate) + rate * (rate / 2 - y) + special.log_ndtr(y - rate)
    return (found - np.log(scale))[()]


def exponnorm_pdf(x: Any, K: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:  # noqa: N803 -- as SciPy names it
    """Return the density of a normal plus an exponential variable."""
    return np.exp(exponnorm_logpdf(x, K, loc, scale))


def johnsonsu_logpdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of Johnson's unbounded density."""
    y = standard(x, loc, scale)
    found = np.log(b) - np.log1p(y**2) / 2 - (a + b * np.arcsinh(y)) ** 2 / 2
    return (found - _HALF_LOG_2PI - np.log(scale))[()]


def vonmises_logpdf(x: Any, kappa: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the von Mises density of an angle."""
    y = standard(x, loc, scale)
    found = -2 * kappa * np.sin(y / 2) ** 2 - math.log(2 * math.pi)
    return (found - np.log(special.i0e(kappa)) - np.log(scale))[()]


def vonmises_pdf(x: Any, kappa: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the von Mises density of an angle."""
    return np.exp(vonmises_logpdf(x, kappa, loc, scale))


def invgamma_logpdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of the inverse of a gamma variable."""
    y = standard(x, loc, scale)
    u = held(y, y <= 0, 1.0)
    return logarithm(y <= 0, -(a + 1) * np.log(u) - special.gammaln(a) - 1 / u, scale)


def invgamma_pdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density of the inverse of a gamma variable."""
    return np.exp(invgamma_logpdf(x, a, loc, scale))


def gengamma_logpdf(x: Any, a: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the generalised gamma density."""
    y = standard(x, loc, scale)
    u = held(y, y <= 0, 1.0)
    found = np.log(np.abs(c)) + (c * a - 1) * np.log(u) - u**c - special.gammaln(a)
    return logarithm(y <= 0, found, scale)


def loggamma_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of the logarithm of a gamma variable."""
    y = standard(x, loc, scale)
    return (c * y - np.exp(y) - special.gammaln(c) - np.log(scale))[()]


def chi_logpdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of the root of a chi-square variable."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    found = (1 - df / 2) * math.log(2) - special.gammaln(df / 2)
    return logarithm(y < 0, found + special.xlogy(df - 1, u) - u**2 / 2, scale)


def maxwell_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of a Maxwell speed."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    return logarithm(y < 0, math.log(2 / math.pi) / 2 + 2 * np.log(u) - u**2 / 2, scale)


def maxwell_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density of a Maxwell speed."""
    return np.exp(maxwell_logpdf(x, loc, scale))


def nakagami_logpdf(x: Any, nu: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the Nakagami density."""
    y = standard(x, loc, scale)
    u = held(y, y <= 0, 1.0)
    found = math.log(2) + nu * np.log(nu) - special.gammaln(nu)
    return logarithm(y <= 0, found + (2 * nu - 1) * np.log(u) - nu * u**2, scale)


def invgauss_logpdf(x: Any, mu: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the inverse Gaussian density with mean ``mu``."""
    y = standard(x, loc, scale)
    u = held(y, y <= 0, 1.0)
    found = -1.5 * np.log(u) - ((u - mu) / mu) ** 2 / (2 * u) - _HALF_LOG_2PI
    return logarithm(y <= 0, found, scale)


def invgauss_pdf(x: Any, mu: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the inverse Gaussian density."""
    return np.exp(invgauss_logpdf(x, mu, loc, scale))


def levy_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the Lévy density."""
    y = standard(x, loc, scale)
    u = held(y, y <= 0, 1.0)
    return logarithm(y <= 0, -1.5 * np.log(u) - 1 / (2 * u) - _HALF_LOG_2PI, scale)


def f_logpdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of a ratio of two chi-square variables."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    n, m = dfn / 2, dfd / 2
    found = n * np.log(dfn) + m * np.log(dfd) - special.betaln(n, m)
    found = found + special.xlogy(n - 1, u) - (n + m) * np.log(dfd + dfn * u)
    return logarithm(y < 0, found, scale)


def f_pdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density of a ratio of two chi-square variables."""
    return np.exp(f_logpdf(x, dfn, dfd, loc, scale))


def betaprime_logpdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of the odds of a beta variable."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    found = special.xlogy(a - 1, u) - (a + b) * np.log1p(u) - special.betaln(a, b)
    return logarithm(y < 0, found, scale)


def halflogistic_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of the size of a logistic variable."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    return logarithm(y < 0, math.log(2) - u - 2 * np.log1p(np.exp(-u)), scale)


def hypsecant_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the hyperbolic secant density."""
    y = standard(x, loc, scale)
    return (math.log(2 / math.pi) - np.logaddexp(y, -y) - np.log(scale))[()]


def triang_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of a density that rises up to ``c``, and falls to 1."""
    y = standard(x, loc, scale)
    outside = (y < 0) | (y > 1)
    u = held(y, outside, 0.5)
    rising = u < c
    share = np.where(rising, u, 1 - u) / np.where(rising, c, 1 - c)
    return logarithm(outside, np.log(2 * share), scale)


def powerlaw_logpdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of a density that is a power between 0 and 1."""
    y = standard(x, loc, scale)
    outside = (y < 0) | (y > 1)
    return logarithm(outside, np.log(a) + special.xlogy(a - 1, held(y, outside, 0.5)), scale)


def loguniform_logpdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of what has a uniform logarithm."""
    y = standard(x, loc, scale)
    outside = (y < a) | (y > b)
    u = held(y, outside, 1.0)
    return logarithm(outside, -np.log(u) - np.log(np.log(b) - np.log(a)), scale)


def loguniform_pdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density of what has a uniform logarithm."""
    return np.exp(loguniform_logpdf(x, a, b, loc, scale))


def truncexpon_logpdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of an exponential variable up to ``b``."""
    y = standard(x, loc, scale)
    outside = (y < 0) | (y > b)
    return logarithm(outside, -held(y, outside, 0.0) - np.log(-np.expm1(-b)), scale)


def nbinom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    """Return the logarithm of the probability of ``k`` failures before ``n`` successes."""
    count = np.asarray(k) - loc
    outside = (count < 0) | (np.floor(count) < count)
    u = held(count, outside, 0)
    found = special.gammaln(n + u) - special.gammaln(u + 1) - special.gammaln(n)
    found = found + n * np.log(p) + special.xlog1py(u, -p)
    return chance(outside, found, -np.inf)


def nbinom_pmf(k: Any, n: Any, p: Any, loc: Any = 0) -> Any:
    """Return the probability of ``k`` failures before ``n`` successes."""
    return np.exp(nbinom_logpmf(k, n, p, loc))


def geom_logpmf(k: Any, p: Any, loc: Any = 0) -> Any:
    """Return the logarithm of the probability that the first success is the ``k``-th trial."""
    count = np.asarray(k) - loc
    outside = (count < 1) | (np.floor(count) < count)
    u = held(count, outside, 1)
    return chance(outside, special.xlog1py(u - 1, -p) + np.log(p), -np.inf)


def geom_pmf(k: Any, p: Any, loc: Any = 0) -> Any:
    """Return the probability that the first success is the ``k``-th trial."""
    return np.exp(geom_logpmf(k, p, loc))


def betabinom_logpmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> Any:
    """Return the logarithm of the probability of ``k`` successes whose chance is a beta one."""
    count = np.asarray(k) - loc
    outside = (count < 0) | (count > n) | (np.floor(count) < count)
    u = held(count, outside, 0)
    ways = -np.log(n + 1) - special.betaln(n - u + 1, u + 1)
    return chance(outside, ways + special.betaln(u + a, n - u + b) - special.betaln(a, b), -np.inf)


def foldnorm_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(foldnorm_logpdf(x, c, loc, scale))


def gengamma_pdf(x: Any, a: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(gengamma_logpdf(x, a, c, loc, scale))


def loggamma_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(loggamma_logpdf(x, c, loc, scale))


def chi_pdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(chi_logpdf(x, df, loc, scale))


def nakagami_pdf(x: Any, nu: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(nakagami_logpdf(x, nu, loc, scale))


def levy_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(levy_logpdf(x, loc, scale))


def betaprime_pdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(betaprime_logpdf(x, a, b, loc, scale))


def halflogistic_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(halflogistic_logpdf(x, loc, scale))


def hypsecant_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(hypsecant_logpdf(x, loc, scale))


def triang_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(triang_logpdf(x, c, loc, scale))


def powerlaw_pdf(x: Any, a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(powerlaw_logpdf(x, a, loc, scale))


def truncexpon_pdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(truncexpon_logpdf(x, b, loc, scale))


def johnsonsu_pdf(x: Any, a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(johnsonsu_logpdf(x, a, b, loc, scale))


def betabinom_pmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> Any:
    """Return the probability of ``k`` successes whose chance is a beta one."""
    return np.exp(betabinom_logpmf(k, n, a, b, loc))


def halfnorm_logsf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    y = standard(x, loc, scale)
    return (math.log(2) + special.log_ndtr(-held(y, y < 0, 0.0)))[()]


def halfnorm_logcdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of at most ``x``."""
    return np.log(halfnorm_cdf(x, loc, scale))
