"""Derivatives of SciPy's raw distribution functions and of their inverses.

The slope of a distribution function is its density, and that of its inverse is one
over it. Shape parameters in which the slope has no closed form are constant.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from srcgrad.registry import formula
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.stats.densities import (
    beta_density,
    f_density,
    gamma_density,
    mills_ratio,
    noncentral_density,
    normal_density,
    poisson_probability,
    student_density,
)

# Binomial and negative binomial distribution; counts of successes are rounded down


@formula(special.bdtr, constant="k n")
def bdtr(k, n, p):
    """z = probability of at most k successes in n trials; 0 < p < 1, k < n."""
    z = special.bdtr(k, n, p)

    def backward(z_bar):
        p_bar = -z_bar * beta_density(np.floor(k) + 1, n - np.floor(k), p)
        return None, None, p_bar

    return z, backward


@formula(special.bdtrc, constant="k n")
def bdtrc(k, n, p):
    """z = probability of more than k successes in n trials; 0 < p < 1, k < n."""
    z = special.bdtrc(k, n, p)

    def backward(z_bar):
        p_bar = z_bar * beta_density(np.floor(k) + 1, n - np.floor(k), p)
        return None, None, p_bar

    return z, backward


@formula(special.bdtri, constant="k n")
def bdtri(k, n, y):
    """z = the p with bdtr(k, n, p) == y; 0 < y < 1, k < n."""
    z = special.bdtri(k, n, y)

    def backward(z_bar):
        y_bar = -z_bar / beta_density(np.floor(k) + 1, n - np.floor(k), z)
        return None, None, y_bar

    return z, backward


@formula(special.nbdtr, constant="k n")
def nbdtr(k, n, p):
    """z = probability of at most k failures before success number n; 0 < p < 1."""
    z = special.nbdtr(k, n, p)

    def backward(z_bar):
        return None, None, z_bar * beta_density(n, np.floor(k) + 1, p)

    return z, backward


@formula(special.nbdtrc, constant="k n")
def nbdtrc(k, n, p):
    """z = probability of more than k failures before success number n; 0 < p < 1."""
    z = special.nbdtrc(k, n, p)

    def backward(z_bar):
        return None, None, -z_bar * beta_density(n, np.floor(k) + 1, p)

    return z, backward


@formula(special.nbdtri, constant="k n")
def nbdtri(k, n, y):
    """z = the p with nbdtr(k, n, p) == y; 0 < y < 1."""
    z = special.nbdtri(k, n, y)

    def backward(z_bar):
        return None, None, z_bar / beta_density(n, np.floor(k) + 1, z)

    return z, backward


# F distribution


@formula(special.fdtr, constant="dfn dfd")
def fdtr(dfn, dfd, x):
    """z = probability of at most x; x > 0."""
    z = special.fdtr(dfn, dfd, x)

    def backward(z_bar):
        return None, None, z_bar * f_density(dfn, dfd, x)

    return z, backward


@formula(special.fdtrc, constant="dfn dfd")
def fdtrc(dfn, dfd, x):
    """z = probability of more than x; x > 0."""
    z = special.fdtrc(dfn, dfd, x)

    def backward(z_bar):
        return None, None, -z_bar * f_density(dfn, dfd, x)

    return z, backward


@formula(special.fdtri, constant="dfn dfd")
def fdtri(dfn, dfd, p):
    """z = the x with fdtr(dfn, dfd, x) == p; 0 < p < 1."""
    z = special.fdtri(dfn, dfd, p)

    def backward(z_bar):
        return None, None, z_bar / f_density(dfn, dfd, z)

    return z, backward


# Gamma distribution; a is the rate, b the shape


@formula(special.gdtr, constant="b")
def gdtr(a, b, x):
    """z = probability of at most x; x > 0."""
    z = special.gdtr(a, b, x)

    def backward(z_bar):
        density = z_bar * gamma_density(b, a * x)
        return density * x, None, density * a

    return z, backward


@formula(special.gdtrc, constant="b")
def gdtrc(a, b, x):
    """z = probability of more than x; x > 0."""
    z = special.gdtrc(a, b, x)

    def backward(z_bar):
        density = -z_bar * gamma_density(b, a * x)
        return density * x, None, density * a

    return z, backward


@formula(special.gdtria, constant="b")
def gdtria(p, b, x):
    """z = the rate a with gdtr(a, b, x) == p; 0 < p < 1."""
    z = special.gdtria(p, b, x)

    def backward(z_bar):
        p_bar = z_bar / (x * gamma_density(b, z * x))
        return p_bar, None, -z_bar * z / x

    return z, backward


@formula(special.gdtrix, constant="b")
def gdtrix(a, b, p):
    """z = the x with gdtr(a, b, x) == p; 0 < p < 1."""
    z = special.gdtrix(a, b, p)

    def backward(z_bar):
        p_bar = z_bar / (a * gamma_density(b, a * z))
        return -z_bar * z / a, None, p_bar

    return z, backward


# Poisson distribution


@formula(special.pdtr, constant="k")
def pdtr(k, m):
    """z = probability of at most k events where m are expected; m > 0."""
    z = special.pdtr(k, m)

    def backward(z_bar):
        return None, -z_bar * poisson_probability(np.floor(k), m)

    return z, backward


@formula(special.pdtrc, constant="k")
def pdtrc(k, m):
    """z = probability of more than k events where m are expected; m > 0."""
    z = special.pdtrc(k, m)

    def backward(z_bar):
        return None, z_bar * poisson_probability(np.floor(k), m)

    return z, backward


@formula(special.pdtri, constant="k")
def pdtri(k, y):
    """z = the m with pdtr(k, m) == y; 0 < y < 1."""
    z = special.pdtri(k, y)

    def backward(z_bar):
        return None, -z_bar / poisson_probability(np.floor(k), z)

    return z, backward


# Student's t distribution


@formula(special.stdtr, constant="df")
def stdtr(df, t):
    """z = probability of at most t."""
    z = special.stdtr(df, t)
    return z, lambda z_bar: (None, z_bar * student_density(df, t))


@formula(special.stdtrit, constant="df")
def stdtrit(df, p):
    """z = the t with stdtr(df, t) == p; 0 < p < 1."""
    z = special.stdtrit(df, p)
    return z, lambda z_bar: (None, z_bar / student_density(df, z))


# Chi-square distribution, central and noncentral


@formula(special.chdtr, constant="v")
def chdtr(v, x):
    """z = probability of at most x; x > 0."""
    z = special.chdtr(v, x)
    return z, lambda z_bar: (None, z_bar * gamma_density(v / 2, x / 2) / 2)


@formula(special.chdtrc, constant="v")
def chdtrc(v, x):
    """z = probability of more than x; x > 0."""
    z = special.chdtrc(v, x)
    return z, lambda z_bar: (None, -z_bar * gamma_density(v / 2, x / 2) / 2)


@formula(special.chdtri, constant="v")
def chdtri(v, p):
    """z = the x with chdtrc(v, x) == p; 0 < p < 1."""
    z = special.chdtri(v, p)
    return z, lambda z_bar: (None, -2 * z_bar / gamma_density(v / 2, z / 2))


@formula(special.chndtr, constant="df")
def chndtr(x, df, nc):
    """z = probability of at most x; x > 0, nc > 0.

    N. Johnson, S. Kotz, N. Balakrishnan, "Continuous Univariate Distributions",
    volume 2, 1995, chapter 29: the slope in nc is minus the density at df + 2.
    """
    z = special.chndtr(x, df, nc)

    def backward(z_bar):
        x_bar = z_bar * noncentral_density(x, df, as_floats(nc))
        nc_bar = -z_bar * noncentral_density(as_floats(x), df + 2, nc)
        return x_bar, None, nc_bar

    return z, backward


@formula(special.chndtrix, constant="df")
def chndtrix(p, df, nc):
    """z = the x with chndtr(x, df, nc) == p; 0 < p < 1, nc > 0."""
    z = special.chndtrix(p, df, nc)

    def backward(z_bar):
        p_bar = z_bar / noncentral_density(z, df, as_floats(nc))
        nc_bar = p_bar * noncentral_density(z, df + 2, nc)
        return p_bar, None, nc_bar

    return z, backward


@formula(special.chndtrinc, constant="df")
def chndtrinc(x, df, p):
    """z = the nc with chndtr(x, df, nc) == p; it is above 0."""
    z = special.chndtrinc(x, df, p)

    def backward(z_bar):
        p_bar = -z_bar / noncentral_density(as_floats(x), df + 2, z)
        x_bar = -p_bar * noncentral_density(x, df, z)
        return x_bar, None, p_bar

    return z, backward


# Normal distribution


@formula(special.ndtr, of_complex=True)
def ndtr(x):
    """z = probability of at most x."""
    return special.ndtr(x), lambda z_bar: z_bar * normal_density(x)


@formula(special.log_ndtr, of_complex=True)
def log_ndtr(x):
    """z = log ndtr(x)."""
    z = special.log_ndtr(x)
    return z, lambda z_bar: z_bar * mills_ratio(x)


@formula(special.ndtri)
def ndtri(p):
    """z = the x with ndtr(x) == p; 0 < p < 1."""
    z = special.ndtri(p)
    return z, lambda z_bar: z_bar / normal_density(z)


@formula(special.ndtri_exp)
def ndtri_exp(y):
    """z = the x with log_ndtr(x) == y; y < 0."""
    z = special.ndtri_exp(y)
    return z, lambda z_bar: z_bar * math.sqrt(math.pi / 2) * special.erfcx(-z / math.sqrt(2))


@formula(special.nrdtrimn)
def nrdtrimn(p, std, x):
    """z = the mean with probability p of at most x; 0 < p < 1."""
    z = special.nrdtrimn(p, std, x)

    def backward(z_bar):
        quantile = special.ndtri(p)
        p_bar = -z_bar * std / normal_density(quantile)
        return p_bar, -z_bar * quantile, z_bar

    return z, backward


@formula(special.nrdtrisd)
def nrdtrisd(mn, p, x):
    """z = the standard deviation with probability p of at most x; 0 < p < 1, p != 1/2."""
    z = special.nrdtrisd(mn, p, x)

    def backward(z_bar):
        quantile = special.ndtri(p)
        x_bar = z_bar / quantile
        p_bar = -x_bar * z / normal_density(quantile)
        return -x_bar, p_bar, x_bar

    return z, backward


@formula(special.owens_t)
def owens_t(h, a):
    """z = probability of X > h and 0 < Y < a X, for normal X and Y.

    D. Owen, "Tables for computing bivariate normal probabilities", 1956.
    """
    z = special.owens_t(h, a)

    def backward(z_bar):
        h_bar = -z_bar * normal_density(h) * (special.ndtr(a * h) - 0.5)
        a_bar = z_bar * np.exp(-(as_floats(h) ** 2) * (1 + a**2) / 2) / (2 * math.pi * (1 + a**2))
        return h_bar, a_bar

    return z, backward
