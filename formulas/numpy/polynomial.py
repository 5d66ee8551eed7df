"""Derivatives of the series in numpy.polynomial, in the places where they are asked."""

from __future__ import annotations

from numpy.polynomial import Polynomial, chebyshev, hermite, hermite_e, laguerre, legendre

from srcgrad.effects import effects
from srcgrad.registry import formula
from srcgrad.runtime.numpy.polynomials import polynomial_slope


@formula(Polynomial.__call__, constant="series", sequences="series", shaped_like=1)
def polynomial(series, x):
    """z = the value of a Polynomial, a Chebyshev series or the like at x."""
    z = Polynomial.__call__(series, x)

    def backward(z_bar):
        return None, z_bar * polynomial_slope(series, x)

    return z, backward


# Nodes and weights of quadratures
effects(
    *(chebyshev.chebgauss, hermite.hermgauss, hermite_e.hermegauss, laguerre.laggauss),
    legendre.leggauss,
    writes="",
    keeps="",
    draws=False,
)
