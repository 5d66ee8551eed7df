"""Derivatives of Python's math module, in the order of its reference."""

from __future__ import annotations

import math
import sys

import numpy as np

from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime.broadcasting import is_fixed
from srcgrad.runtime.scipy.special import polygamma

# Floating point arithmetic


@formula(math.fabs)
def fabs(x):
    """z = |x|; slope 0 at 0."""
    return math.fabs(x), lambda z_bar: z_bar * np.sign(x)


if sys.version_info >= (3, 13):

    @formula(math.fma)
    def fma(x, y, z):
        """Give x y + z, rounded once."""
        return math.fma(x, y, z), lambda z_bar: (z_bar * y, z_bar * x, z_bar)


@formula(math.fmod)
def fmod(x, y):
    """z = the remainder of x / y with the sign of x; at jumps, the slope beside."""
    return math.fmod(x, y), lambda z_bar: (z_bar, -z_bar * math.trunc(x / y))


@formula(math.remainder)
def remainder(x, y):
    """z = x minus the nearest multiple of y; at jumps, the slope beside."""
    z = math.remainder(x, y)

    def backward(z_bar):
        return z_bar, -z_bar * round((x - z) / y)

    return z, backward


@formula(math.copysign)
def copysign(x, y):
    """z = |x| with the sign of y; slope 0 at x == 0, and in y."""
    z = math.copysign(x, y)

    def backward(z_bar):
        return z_bar * np.sign(x) * np.sign(z), None

    return z, backward


@formula(math.ldexp)
def ldexp(x, i):
    """z = x * 2 ** i, for a whole number i."""
    return math.ldexp(x, i), lambda z_bar: (math.ldexp(z_bar, i), None)


@formula(math.frexp)
def frexp(x):
    """z = (m, e) with x == m * 2 ** e and 0.5 <= |m| < 1; at jumps, the slope beside."""
    z = math.frexp(x)
    return z, lambda z_bar: math.ldexp(z_bar[0], -z[1])


@formula(math.modf)
def modf(x):
    """z = fractional and whole part of x; at jumps, the slope beside."""
    z = math.modf(x)
    return z, lambda z_bar: z_bar[0]


@formula(math.nextafter)
def nextafter(x, y):
    """z = the neighbour of x in the direction of y; slope 1 in x, 0 in y."""
    return math.nextafter(x, y), lambda z_bar: (z_bar, None)


# Powers, exponentials, logarithms


@formula(math.cbrt)
def cbrt(x):
    """z = cube root of x; x != 0."""
    z = math.cbrt(x)
    return z, lambda z_bar: z_bar / (3 * z**2)


@formula(math.exp)
def exp(x):
    """z = e ** x."""
    z = math.exp(x)
    return z, lambda z_bar: z_bar * z


@formula(math.exp2)
def exp2(x):
    """z = 2 ** x."""
    z = math.exp2(x)
    return z, lambda z_bar: z_bar * z * math.log(2)


@formula(math.expm1)
def expm1(x):
    """z = e ** x - 1."""
    z = math.expm1(x)
    return z, lambda z_bar: z_bar * (z + 1)


@formula(math.log)
def log(x, base=None):
    """z = logarithm of x, natural or to a base; x > 0, base > 0, base != 1."""
    z = math.log(x) if base is None else math.log(x, base)

    def backward(z_bar):
        if base is None:
            x_bar = z_bar / x
            base_bar = None
        else:
            x_bar = z_bar / (x * math.log(base))
            base_bar = -z_bar * z / (base * math.log(base))
        return x_bar, base_bar

    return z, backward


@formula(math.log1p)
def log1p(x):
    """z = log(1 + x); x > -1."""
    return math.log1p(x), lambda z_bar: z_bar / (1 + x)


@formula(math.log2)
def log2(x):
    """z = binary logarithm of x; x > 0."""
    return math.log2(x), lambda z_bar: z_bar / (x * math.log(2))


@formula(math.log10)
def log10(x):
    """z = decimal logarithm of x; x > 0."""
    return math.log10(x), lambda z_bar: z_bar / (x * math.log(10))


@formula(math.pow)
def power(x, y):
    """z = x ** y; x > 0 for the slope in y, which is 0 at x == 0.

    The comparisons keep 0 * inf out, as for the operator.
    """
    z = math.pow(x, y)

    def backward(z_bar):
        if is_fixed(y):
            x_bar = z_bar * y * x ** (y - (y != 0))
        else:
            x_bar = z_bar * y * (x + ((x == 0) & (y == 0))) ** (y - 1)
        y_bar = z_bar * z * math.log(x + (x == 0))
        return x_bar, y_bar

    return z, backward


@formula(math.sqrt)
def sqrt(x):
    """z = square root of x; x > 0."""
    z = math.sqrt(x)
    return z, lambda z_bar: z_bar / (2 * z)


# Summation and product functions


@formula(math.hypot)
def hypot(*coordinates):
    """z = length of the vector with these coordinates; slopes 0 at the origin."""
    z = math.hypot(*coordinates)

    def backward(z_bar):
        return tuple(z_bar * x / (z + (z == 0)) for x in coordinates)

    return z, backward


@formula(math.dist, sequences="p q")
def dist(p, q):
    """z = distance of two points, tuples of numbers; slopes 0 where they coincide."""
    z = math.dist(p, q)

    def backward(z_bar):
        ratio = z_bar / (z + (z == 0))
        p_bar = tuple(ratio * (a - b) for a, b in zip(p, q, strict=True))
        q_bar = tuple(ratio * (b - a) for a, b in zip(p, q, strict=True))
        return p_bar, q_bar

    return z, backward


if sys.version_info >= (3, 12):

    @formula(math.sumprod)
    def sumprod(p, q):
        """z = sum of the products of the numbers in two tuples."""
        z = math.sumprod(p, q)

        def backward(z_bar):
            p_bar = tuple(z_bar * b for b in q)
            q_bar = tuple(z_bar * a for a in p)
            return p_bar, q_bar

        return z, backward


@formula(math.fsum, sequences="x")
def fsum(x):
    """z = sum of a tuple of numbers."""
    return math.fsum(x), lambda z_bar: tuple(z_bar for a in x)


@formula(math.prod, sequences="x")
def prod(x, *, start=1):
    """z = product of a tuple of numbers, and of a constant."""
    z = math.prod(x, start=start)

    def backward(z_bar):
        return tuple(z_bar * math.prod((*x[:k], *x[k + 1 :]), start=start) for k, a in enumerate(x))

    return z, backward


# Angular conversion


@formula(math.degrees, linear="x")
def degrees(x):
    """z = x * 180 / pi."""
    z = math.degrees(x)

    def backward(z_bar):
        return math.degrees(z_bar)

    return z, backward


@formula(math.radians, linear="x")
def radians(x):
    """z = x * pi / 180."""
    z = math.radians(x)

    def backward(z_bar):
        return math.radians(z_bar)

    return z, backward


# Trigonometric functions


@formula(math.acos)
def acos(x):
    """z = arccos(x); |x| < 1."""
    return math.acos(x), lambda z_bar: -z_bar / math.sqrt((1 - x) * (1 + x))


@formula(math.asin)
def asin(x):
    """z = arcsin(x); |x| < 1."""
    return math.asin(x), lambda z_bar: z_bar / math.sqrt((1 - x) * (1 + x))


@formula(math.atan)
def atan(x):
    """z = arctan(x)."""
    return math.atan(x), lambda z_bar: z_bar / (1 + x * x)


@formula(math.atan2)
def atan2(y, x):
    """z = the angle of the point (x, y); not the origin."""
    z = math.atan2(y, x)

    def backward(z_bar):
        r = math.hypot(x, y)
        y_bar = z_bar * (x / r) / r
        x_bar = -z_bar * (y / r) / r
        return y_bar, x_bar

    return z, backward


@formula(math.cos)
def cos(x):
    """z = cos(x)."""
    return math.cos(x), lambda z_bar: -z_bar * math.sin(x)


@formula(math.sin)
def sin(x):
    """z = sin(x)."""
    return math.sin(x), lambda z_bar: z_bar * math.cos(x)


@formula(math.tan)
def tan(x):
    """z = tan(x); x is no odd multiple of pi / 2."""
    z = math.tan(x)
    return z, lambda z_bar: z_bar * (1 + z**2)


# Hyperbolic functions


@formula(math.acosh)
def acosh(x):
    """z = arccosh(x); x > 1."""
    return math.acosh(x), lambda z_bar: z_bar / (math.sqrt(x - 1) * math.sqrt(x + 1))


@formula(math.asinh)
def asinh(x):
    """z = arcsinh(x)."""
    return math.asinh(x), lambda z_bar: z_bar / math.hypot(x, 1)


@formula(math.atanh)
def atanh(x):
    """z = arctanh(x); |x| < 1."""
    return math.atanh(x), lambda z_bar: z_bar / ((1 - x) * (1 + x))


@formula(math.cosh)
def cosh(x):
    """z = cosh(x)."""
    return math.cosh(x), lambda z_bar: z_bar * math.sinh(x)


@formula(math.sinh)
def sinh(x):
    """z = sinh(x)."""
    return math.sinh(x), lambda z_bar: z_bar * math.cosh(x)


@formula(math.tanh)
def tanh(x):
    """z = tanh(x)."""
    z = math.tanh(x)
    return z, lambda z_bar: z_bar * (1 - z**2)


# Special functions


@formula(math.erf)
def erf(x):
    """z = erf(x), the integral of 2 / sqrt(pi) * exp(-t ** 2) from 0 to x."""
    return math.erf(x), lambda z_bar: z_bar * 2 / math.sqrt(math.pi) * math.exp(-x * x)


@formula(math.erfc)
def erfc(x):
    """z = 1 - erf(x)."""
    z = math.erfc(x)

    def backward(z_bar):
        return -z_bar * 2 / math.sqrt(math.pi) * math.exp(-x * x)

    return z, backward


@formula(math.gamma)
def gamma(x):
    """z = gamma function of x; x is no whole number below 1."""
    z = math.gamma(x)
    return z, lambda z_bar: z_bar * z * polygamma(0, x)


@formula(math.lgamma)
def lgamma(x):
    """z = logarithm of |gamma(x)|; x is no whole number below 1."""
    return math.lgamma(x), lambda z_bar: z_bar * polygamma(0, x)


@formula(polygamma)
def polygamma_(n, x):
    """z = derivative number n + 1 of the logarithm of the gamma function."""
    return polygamma(n, x), lambda z_bar: (None, z_bar * polygamma(n + 1, x))


# Whole numbers and truth values: piecewise constant

nondifferentiable(
    math.comb, math.factorial, math.gcd, math.isqrt, math.lcm, math.perm,
    math.ceil, math.floor, math.trunc,
    math.isclose, math.isfinite, math.isinf, math.isnan, math.ulp,
)  # fmt: skip
