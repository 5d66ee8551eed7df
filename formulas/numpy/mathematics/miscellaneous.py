"""Derivatives of NumPy's remaining elementwise functions."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.registry import NO_ORDER, REAL_FORMULA, formula
from srcgrad.runtime import place
from srcgrad.runtime.broadcasting import is_boolean
from srcgrad.runtime.scipy.special import bessel_i1
from srcgrad.runtime.transposes import unwrapped


@formula(np.sqrt)
def sqrt(x):
    """z = square root of x; x > 0."""
    z = np.sqrt(x)
    return z, lambda z_bar: z_bar / (2 * z)


@formula(np.cbrt)
def cbrt(x):
    """z = cube root of x; x != 0."""
    z = np.cbrt(x)
    return z, lambda z_bar: z_bar / (3 * z**2)


@formula(np.square)
def square(x):
    """z = x ** 2."""
    return np.square(x), lambda z_bar: z_bar * 2 * x


@formula(np.reciprocal)
def reciprocal(x):
    """z = 1 / x; x != 0."""
    z = np.reciprocal(x)
    return z, lambda z_bar: -z_bar * z**2


@formula(np.fmod)
def fmod(x, y):
    """z = the remainder of x / y with the sign of x; at jumps, the slope beside."""
    z = np.fmod(x, y)

    def backward(z_bar):
        y_bar = -z_bar * np.trunc(x / y)
        return z_bar, y_bar

    return z, backward


@formula(np.copysign)
def copysign(x, y):
    """z = |x| with the sign of y; slope 0 at x == 0."""
    z = np.copysign(x, y)

    def backward(z_bar):
        if is_boolean(x):
            x_bar = None
        else:
            x_bar = z_bar * np.sign(x) * np.sign(z)
        return x_bar, None

    return z, backward


@formula(np.sinc)
def sinc(x):
    """z = sin(pi x) / (pi x), and 1 at x == 0; near 0 the slope is a Taylor series."""
    z = np.sinc(x)

    def backward(z_bar):
        near = np.abs(x) < 0.03
        t = (math.pi * x) ** 2
        series = -(math.pi**2) / 3 * x * (1 - t / 10 * (1 - t / 28 * (1 - t / 54)))
        slope = (np.cos(math.pi * x) - z) / np.where(near, 1, x)
        return z_bar * np.where(near, series, slope)

    return z, backward


@formula(np.clip, elementwise=True, of_complex=NO_ORDER)
def clip(x, low=None, high=None, *, min=None, max=None):
    """z = x, held between low and high; x passes at a bound. low <= high.

    Generated code takes bounds that are called min and max for low and high.
    """
    least = low if min is None else min
    most = high if max is None else max
    z = np.clip(x, least, most)

    def backward(z_bar):
        # asked of the bounds: x is not equal to z where it is computed again, and rounded otherwise
        low_bar = high_bar = None
        if least is None and most is None:
            x_bar = z_bar
        elif most is None:
            x_bar, low_bar = z_bar * (x >= least), z_bar * (x < least)
        elif least is None:
            x_bar, high_bar = z_bar * (x <= most), z_bar * (x > most)
        else:
            x_bar = z_bar * ((x >= least) & (x <= most))
            low_bar = z_bar * ((x < least) & (least <= most))
            high_bar = z_bar * ((x > most) | (least > most))
        return (
            x_bar,
            low_bar,
            high_bar,
        )

    return z, backward


@formula(np.heaviside)
def heaviside(x, y):
    """z = 0 for x < 0, 1 for x > 0, y at x == 0; slope 0 in x."""
    z = np.heaviside(x, y)

    def backward(z_bar):
        return None, z_bar * (x == 0)

    return z, backward


@formula(np.nan_to_num)
def nan_to_num(x, *, nan=0.0, posinf=None, neginf=None):
    """z = x with other numbers for nan and the infinities; slope 0 there."""
    z = np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    return z, lambda z_bar: z_bar * np.isfinite(x)


@formula(np.ldexp)
def ldexp(x, i):
    """z = x * 2 ** i, for whole numbers i."""
    z = np.ldexp(x, i)

    def backward(z_bar):
        return np.ldexp(z_bar, i), None

    return z, backward


@formula(np.frexp)
def frexp(x):
    """z = (m, e) with x == m * 2 ** e and 0.5 <= |m| < 1; at jumps, the slope beside."""
    z = np.frexp(x)
    return z, lambda z_bar: np.ldexp(z_bar[0], -z[1])


@formula(np.modf)
def modf(x):
    """z = fractional and whole part of x; at jumps, the slope beside."""
    z = np.modf(x)

    def backward(z_bar):
        return np.zeros_like(x) if z_bar[0] is None else z_bar[0]

    return z, backward


@formula(np.divmod, divmod)
def divmod_(x, y):
    """z = x // y and x % y; at jumps, the slope beside."""
    z = np.divmod(x, y)

    def backward(z_bar):
        if z_bar[1] is None:
            x_bar = np.zeros_like(x)
            y_bar = np.zeros_like(y)
        else:
            x_bar = z_bar[1]
            y_bar = -z_bar[1] * z[0]
        return x_bar, y_bar

    return z, backward


@formula(np.nextafter)
def nextafter(x, y):
    """z = the neighbour of x in the direction of y; slope 1 in x, 0 in y."""
    return np.nextafter(x, y), lambda z_bar: (z_bar, None)


@formula(np.i0, of_complex=REAL_FORMULA)
def i0(x):
    """z = modified Bessel function of the first kind of order 0."""
    return np.i0(x), lambda z_bar: z_bar * bessel_i1(x)


@formula(bessel_i1, of_complex=REAL_FORMULA)
def bessel_i1_(x):
    """z = modified Bessel function of the first kind of order 1."""
    z = bessel_i1(x)

    def backward(z_bar):
        near = x == 0
        slope = np.i0(x) - z / np.where(near, 1, x)
        return z_bar * np.where(near, 0.5, slope)

    return z, backward


@formula(np.interp)
def interp(x, knots, values, left=None, right=None, period=None):
    """z = piecewise linear function of x; at a knot, the slope on its right.

    Outside of the knots z is constant: an end of the values, or left and right; with
    a period > 0 it has no outside.
    """
    z = np.interp(x, knots, values, left=left, right=right, period=period)

    def backward(z_bar):
        if period is not None:
            order = np.argsort(knots % period)
            inner, held = (knots % period)[order], values[order]
            ends = np.concatenate((inner[-1:] - period, inner, inner[:1] + period))
            rounds = np.concatenate((held[-1:], held, held[:1]))
            k = np.searchsorted(ends, x % period, side="right") - 1
            step = ends[k + 1] - ends[k]
            t = (x % period - ends[k]) / step
            x_bar = (z_bar * rounds[k + 1] - z_bar * rounds[k]) / step
            ends_bar = place(-x_bar * (1 - t), k, ends) + place(-x_bar * t, k + 1, ends)
            rounds_bar = place(z_bar * (1 - t), k, ends) + place(z_bar * t, k + 1, ends)
            knots_bar = place(unwrapped(ends_bar), order, knots)
            values_bar = place(unwrapped(rounds_bar), order, values)
            left_bar = None
            right_bar = None
            turns = np.sum(x_bar * (x // period)) + np.sum(knots_bar * (knots // period))
            period_bar = ends_bar[-1] - ends_bar[0] - turns
        else:
            left_bar = None if left is None else np.sum(np.where(x < knots[0], z_bar, 0))
            right_bar = None if right is None else np.sum(np.where(x > knots[-1], z_bar, 0))
            period_bar = None
            if left is not None and right is not None:
                z_bar = np.where((x < knots[0]) | (x > knots[-1]), 0, z_bar)
            elif left is not None:
                z_bar = np.where(x < knots[0], 0, z_bar)
            elif right is not None:
                z_bar = np.where(x > knots[-1], 0, z_bar)
            k = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, knots.size - 2)
            gap = knots[k + 1] - knots[k]
            step = np.where(gap > 0, gap, 1)  # there may be one knot only, or one knot twice
            t = np.clip((x - knots[k]) / step, 0, 1)
            inside = (x >= knots[0]) & (x <= knots[-1])
            rise = z_bar * values[k + 1] - z_bar * values[k]  # of unsigned numbers, too
            x_bar = np.where(inside, rise / step, 0)
            knots_bar = place(-x_bar * (1 - t), k, knots) + place(-x_bar * t, k + 1, knots)
            values_bar = place(z_bar * (1 - t), k, values) + place(z_bar * t, k + 1, values)
        return x_bar, knots_bar, values_bar, left_bar, right_bar, period_bar

    return z, backward


@formula(unwrapped, linear="x_bar")
def unwrapped_(x_bar):
    """w = x_bar without its ends, which are added to the entries at the other end."""

    def backward(w_bar):
        return np.concatenate((w_bar[-1:], w_bar, w_bar[:1]))

    return unwrapped(x_bar), backward
