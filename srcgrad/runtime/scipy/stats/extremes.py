"""Distributions of SciPy's for extremes and for the time until something fails.

The parameters have the names that SciPy gives them. The densities are textbook: N. Johnson,
S. Kotz, N. Balakrishnan, "Continuous Univariate Distributions", 1994 and 1995.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.runtime.scipy.stats.supports import (
    chance,
    held,
    log_of_rest,
    logarithm,
    slope_of_log1p,
    standard,
)


def weibull_min_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the Weibull density with shape ``c``."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    return logarithm(y < 0, np.log(c) + special.xlogy(c - 1, u) - u**c, scale)


def weibull_min_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the Weibull density."""
    return np.exp(weibull_min_logpdf(x, c, loc, scale))


def weibull_min_logsf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    y = standard(x, loc, scale)
    return chance(y <= 0, -(held(y, y <= 0, 1.0) ** c), 0.0)


def weibull_min_sf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return np.exp(weibull_min_logsf(x, c, loc, scale))


def weibull_min_cdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    return -np.expm1(weibull_min_logsf(x, c, loc, scale))


def gumbel_r_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the Gumbel density of largest values."""
    y = standard(x, loc, scale)
    return (-y - np.exp(-y) - np.log(scale))[()]


def gumbel_r_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the Gumbel density of largest values."""
    return np.exp(gumbel_r_logpdf(x, loc, scale))


def gumbel_r_logcdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of at most ``x``."""
    return -np.exp(-standard(x, loc, scale))[()]


def gumbel_r_cdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    return np.exp(gumbel_r_logcdf(x, loc, scale))


def gumbel_r_sf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return -np.expm1(gumbel_r_logcdf(x, loc, scale))


def gumbel_l_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the Gumbel density of smallest values."""
    y = standard(x, loc, scale)
    return (y - np.exp(y) - np.log(scale))[()]


def gumbel_l_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the Gumbel density of smallest values."""
    return np.exp(gumbel_l_logpdf(x, loc, scale))


def gumbel_l_logsf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    return -np.exp(standard(x, loc, scale))[()]


def gumbel_l_sf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return np.exp(gumbel_l_logsf(x, loc, scale))


def gumbel_l_cdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    return -np.expm1(gumbel_l_logsf(x, loc, scale))


def genextreme_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of generalised extremes; c > 0 has an upper end."""
    y = standard(x, loc, scale)
    outside = c * y >= 1
    t = slope_of_log1p(-c, held(y, outside, 0.0))
    return logarithm(outside, -(1 - c) * t - np.exp(-t), scale)


def genextreme_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density of generalised extremes."""
    return np.exp(genextreme_logpdf(x, c, loc, scale))


def genextreme_logcdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of at most ``x``."""
    y = standard(x, loc, scale)
    outside = c * y >= 1
    t = slope_of_log1p(-c, held(y, outside, 0.0))
    end = np.where(y > 0, 0.0, -np.inf)
    return np.where(outside, end, -np.exp(-t))[()]


def genextreme_cdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    return np.exp(genextreme_logcdf(x, c, loc, scale))


def genextreme_sf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return -np.expm1(genextreme_logcdf(x, c, loc, scale))


def genpareto_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the generalised Pareto density; c < 0 has an upper end."""
    y = standard(x, loc, scale)
    outside = (y < 0) | (c * y < -1)
    return logarithm(outside, -(1 + c) * slope_of_log1p(c, held(y, outside, 0.0)), scale)


def genpareto_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the generalised Pareto density."""
    return np.exp(genpareto_logpdf(x, c, loc, scale))


def genpareto_logsf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    y = standard(x, loc, scale)
    beyond = (y > 0) & (c * y <= -1)
    t = slope_of_log1p(c, held(y, beyond | (y < 0), 0.0))
    return np.where(beyond, -np.inf, -t)[()]


def genpareto_sf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return np.exp(genpareto_logsf(x, c, loc, scale))


def genpareto_cdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    return -np.expm1(genpareto_logsf(x, c, loc, scale))


def pareto_logpdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the Pareto density."""
    y = standard(x, loc, scale)
    return logarithm(y < 1, np.log(b) - (b + 1) * np.log(held(y, y < 1, 1.0)), scale)


def pareto_pdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the Pareto density."""
    return np.exp(pareto_logpdf(x, b, loc, scale))


def pareto_logsf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    y = standard(x, loc, scale)
    return (-b * np.log(held(y, y < 1, 1.0)))[()]


def pareto_sf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return np.exp(pareto_logsf(x, b, loc, scale))


def pareto_cdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    return -np.expm1(pareto_logsf(x, b, loc, scale))


def lomax_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of a Pareto variable less 1."""
    y = standard(x, loc, scale)
    return logarithm(y < 0, np.log(c) - (c + 1) * np.log1p(held(y, y < 0, 0.0)), scale)


def lomax_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density of a Pareto variable less 1."""
    return np.exp(lomax_logpdf(x, c, loc, scale))


def rayleigh_logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the Rayleigh density."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    return logarithm(y < 0, np.log(u) - u**2 / 2, scale)


def rayleigh_pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the Rayleigh density."""
    return np.exp(rayleigh_logpdf(x, loc, scale))


def rayleigh_logsf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    y = standard(x, loc, scale)
    return (-(held(y, y < 0, 0.0) ** 2) / 2)[()]


def rayleigh_sf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return np.exp(rayleigh_logsf(x, loc, scale))


def rayleigh_cdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    return -np.expm1(rayleigh_logsf(x, loc, scale))


def fisk_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the log-logistic density with shape ``c``."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    return logarithm(y < 0, np.log(c) + special.xlogy(c - 1, u) - 2 * np.log1p(u**c), scale)


def fisk_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the log-logistic density."""
    return np.exp(fisk_logpdf(x, c, loc, scale))


def fisk_logsf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    y = standard(x, loc, scale)
    return chance(y <= 0, -np.log1p(held(y, y <= 0, 1.0) ** c), 0.0)


def fisk_sf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return np.exp(fisk_logsf(x, c, loc, scale))


def fisk_cdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    return -np.expm1(fisk_logsf(x, c, loc, scale))


def gompertz_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the Gompertz density with shape ``c``."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    return logarithm(y < 0, np.log(c) + u - c * np.expm1(u), scale)


def gompertz_logsf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    y = standard(x, loc, scale)
    return (-c * np.expm1(held(y, y < 0, 0.0)))[()]


def exponweib_logpdf(x: Any, a: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of a power ``a`` of the Weibull probability."""
    y = standard(x, loc, scale)
    u = held(y, y <= 0, 1.0)
    rest = np.log(a * c) + (a - 1) * np.log(-np.expm1(-(u**c))) - u**c
    return logarithm(y <= 0, rest + (c - 1) * np.log(u), scale)


def burr12_logpdf(x: Any, c: Any, d: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of Burr's twelfth kind."""
    y = standard(x, loc, scale)
    u = held(y, y < 0, 1.0)
    rest = np.log(c * d) + special.xlogy(c - 1, u) - (d + 1) * np.log1p(u**c)
    return logarithm(y < 0, rest, scale)


def invweibull_logpdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the density of the inverse of a Weibull variable."""
    y = standard(x, loc, scale)
    u = held(y, y <= 0, 1.0)
    return logarithm(y <= 0, np.log(c) - (c + 1) * np.log(u) - u ** (-c), scale)


def weibull_min_logcdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of at most ``x``."""
    return log_of_rest(weibull_min_logsf(x, c, loc, scale))


def gumbel_r_logsf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    return log_of_rest(gumbel_r_logcdf(x, loc, scale))


def gumbel_l_logcdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of at most ``x``."""
    return log_of_rest(gumbel_l_logsf(x, loc, scale))


def genextreme_logsf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of more than ``x``."""
    return log_of_rest(genextreme_logcdf(x, c, loc, scale))


def genpareto_logcdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of at most ``x``."""
    return log_of_rest(genpareto_logsf(x, c, loc, scale))


def pareto_logcdf(x: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of at most ``x``."""
    return log_of_rest(pareto_logsf(x, b, loc, scale))


def rayleigh_logcdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of at most ``x``."""
    return log_of_rest(rayleigh_logsf(x, loc, scale))


def fisk_logcdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the logarithm of the probability of at most ``x``."""
    return log_of_rest(fisk_logsf(x, c, loc, scale))


def gompertz_sf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of more than ``x``."""
    return np.exp(gompertz_logsf(x, c, loc, scale))


def gompertz_cdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the probability of at most ``x``."""
    return -np.expm1(gompertz_logsf(x, c, loc, scale))


def gompertz_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(gompertz_logpdf(x, c, loc, scale))


def exponweib_pdf(x: Any, a: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(exponweib_logpdf(x, a, c, loc, scale))


def burr12_pdf(x: Any, c: Any, d: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(burr12_logpdf(x, c, d, loc, scale))


def invweibull_pdf(x: Any, c: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return the density."""
    return np.exp(invweibull_logpdf(x, c, loc, scale))
