"""Derivatives of SciPy's logistic functions, Box-Cox transformations and information theory."""

from __future__ import annotations

import numpy as np
from scipy import special
from srcgrad.formulas.scipy import named

from srcgrad.registry import formula, option_as_argument
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.special import weighted_logsumexp

# Logistic functions


@formula(special.expit)
def expit(x):
    """z = 1 / (1 + e**-x)."""
    z = special.expit(x)
    return z, lambda z_bar: z_bar * z * special.expit(-x)


@formula(special.log_expit)
def log_expit(x):
    """z = log expit(x)."""
    return special.log_expit(x), lambda z_bar: z_bar * special.expit(-x)


@formula(special.logit)
def logit(x):
    """z = log(x / (1 - x)); 0 < x < 1."""
    return special.logit(x), lambda z_bar: z_bar / (x * (1 - x))


@formula(*named(special, "softplus"))
def softplus(x):
    """z = log(1 + e**x)."""
    return special.softplus(x), lambda z_bar: z_bar * special.expit(x)


@formula(special.tklmbda)
def tklmbda(x, lmbda):
    """z = Tukey's lambda distribution function; slope 0 outside of its support.

    Its inverse is boxcox(z, lmbda) - boxcox(1 - z, lmbda).
    """
    z = special.tklmbda(x, lmbda)

    def backward(z_bar):
        inside = (z > 0) & (z < 1)
        below = np.where(inside, z, 0.5)
        rest = 1 - below
        x_bar = z_bar * inside / (below ** (lmbda - 1) + rest ** (lmbda - 1))
        y, u = np.log(below), np.log(rest)
        in_lmbda = y**2 * special.hyp1f1(2.0, 3.0, lmbda * y) / 2
        in_lmbda = in_lmbda - u**2 * special.hyp1f1(2.0, 3.0, lmbda * u) / 2
        return x_bar, -x_bar * in_lmbda

    return z, backward


# Box-Cox transformations


@formula(special.boxcox)
def boxcox(x, lmbda):
    """z = (x**lmbda - 1) / lmbda, and log x for lmbda == 0; x > 0.

    The slope in lmbda is the integral of t x**(lmbda t) (log x)**2 over t in [0, 1].
    """
    z = special.boxcox(x, lmbda)

    def backward(z_bar):
        x_bar = z_bar * x ** (as_floats(lmbda) - 1)
        y = np.log(as_floats(x))
        lmbda_bar = z_bar * y**2 * special.hyp1f1(2.0, 3.0, lmbda * y) / 2
        return x_bar, lmbda_bar

    return z, backward


@formula(special.boxcox1p)
def boxcox1p(x, lmbda):
    """z = boxcox(1 + x, lmbda); x > -1."""
    z = special.boxcox1p(x, lmbda)

    def backward(z_bar):
        x_bar = z_bar * (1 + x) ** (as_floats(lmbda) - 1)
        y = np.log1p(as_floats(x))
        lmbda_bar = z_bar * y**2 * special.hyp1f1(2.0, 3.0, lmbda * y) / 2
        return x_bar, lmbda_bar

    return z, backward


@formula(special.inv_boxcox)
def inv_boxcox(y, lmbda):
    """z = the x with boxcox(x, lmbda) == y; lmbda y > -1."""
    z = special.inv_boxcox(y, lmbda)

    def backward(z_bar):
        y_bar = z_bar * z ** (1 - lmbda)
        u = np.log(z)
        lmbda_bar = -y_bar * u**2 * special.hyp1f1(2.0, 3.0, lmbda * u) / 2
        return y_bar, lmbda_bar

    return z, backward


@formula(special.inv_boxcox1p)
def inv_boxcox1p(y, lmbda):
    """z = the x with boxcox1p(x, lmbda) == y; lmbda y > -1."""
    z = special.inv_boxcox1p(y, lmbda)

    def backward(z_bar):
        y_bar = z_bar * (1 + z) ** (1 - lmbda)
        u = np.log1p(z)
        lmbda_bar = -y_bar * u**2 * special.hyp1f1(2.0, 3.0, lmbda * u) / 2
        return y_bar, lmbda_bar

    return z, backward


# Sums of exponentials


option_as_argument(special.logsumexp, "b", weighted_logsumexp)


@formula(special.logsumexp)
def logsumexp(a, *, axis=None, b=None, keepdims=False, return_sign=False):
    """z = log(sum(b e**a)), and the sign of the sum; not all of a minus infinity."""
    z = special.logsumexp(a, axis=axis, b=b, keepdims=keepdims, return_sign=return_sign)

    def backward(z_bar):
        log_bar = z_bar[0] if return_sign else z_bar
        total = z[0] if return_sign else z
        sign = z[1] if return_sign else 1.0
        if axis is not None and not keepdims:
            log_bar = np.expand_dims(log_bar, axis)
            total = np.expand_dims(total, axis)
            sign = np.expand_dims(sign, axis) if return_sign else 1.0
        a_bar = log_bar * np.exp(a - total)
        if return_sign:
            a_bar = a_bar * sign
        if b is not None:
            a_bar = a_bar * b
        # SciPy may add an axis to a number
        return a_bar if b is None and a.ndim > 0 else unbroadcast(a_bar, a)

    return z, backward


@formula(weighted_logsumexp)
def weighted_logsumexp_(a, b, *, axis=None, keepdims=False, return_sign=False):
    """z = log(sum(b e**a)), and the sign of the sum."""
    z = weighted_logsumexp(a, b, axis=axis, keepdims=keepdims, return_sign=return_sign)

    def backward(z_bar):
        log_bar = z_bar[0] if return_sign else z_bar
        total = z[0] if return_sign else z
        sign = z[1] if return_sign else 1.0
        if axis is not None and not keepdims:
            log_bar = np.expand_dims(log_bar, axis)
            total = np.expand_dims(total, axis)
            sign = np.expand_dims(sign, axis) if return_sign else 1.0
        parts_bar = log_bar * np.exp(a - total)
        if return_sign:
            parts_bar = parts_bar * sign
        a_bar = unbroadcast(parts_bar * b, a)
        b_bar = unbroadcast(parts_bar + np.zeros_like(b), b)
        return a_bar, b_bar

    return z, backward


@formula(special.softmax, of_complex=True)
def softmax(x, *, axis=None):
    """z = e**x / sum(e**x)."""
    z = special.softmax(x, axis=axis)

    def backward(z_bar):
        return z * (z_bar - np.sum(z_bar * z, axis=axis, keepdims=True))

    return z, backward


@formula(special.log_softmax, of_complex=True)
def log_softmax(x, *, axis=None):
    """z = x - log(sum(e**x))."""
    z = special.log_softmax(x, axis=axis)

    def backward(z_bar):
        return z_bar - np.exp(z) * np.sum(z_bar, axis=axis, keepdims=True)

    return z, backward


# Information theory


@formula(special.entr)
def entr(x):
    """z = -x log x; x > 0."""
    return special.entr(x), lambda z_bar: -z_bar * (np.log(x) + 1)


@formula(special.rel_entr)
def rel_entr(x, y):
    """z = x log(x / y); x > 0, y > 0, and y >= 0 where x == 0, with slope 0 in y there."""
    z = special.rel_entr(x, y)

    def backward(z_bar):
        base = np.where((x == 0) & (y == 0), 1, y)
        x_bar = z_bar * (np.log(x / base) + 1)
        return x_bar, -z_bar * x / base

    return z, backward


@formula(special.kl_div)
def kl_div(x, y):
    """z = x log(x / y) - x + y; x > 0, y > 0, and y >= 0 where x == 0, with slope 1 in y there."""
    z = special.kl_div(x, y)

    def backward(z_bar):
        base = np.where((x == 0) & (y == 0), 1, y)
        x_bar = z_bar * np.log(x / base)
        return x_bar, z_bar * (1 - x / base)

    return z, backward


@formula(special.huber)
def huber(delta, r):
    """z = r**2 / 2 for |r| <= delta, delta (|r| - delta / 2) beyond; delta >= 0."""
    z = special.huber(delta, r)

    def backward(z_bar):
        least = -as_floats(delta)
        r_bar = z_bar * np.clip(r, least, delta)  # with slope 1 at 0
        delta_bar = z_bar * np.maximum(np.abs(as_floats(r)) - delta, 0.0)
        return delta_bar, r_bar

    return z, backward


@formula(special.pseudo_huber)
def pseudo_huber(delta, r):
    """z = delta**2 (sqrt(1 + (r / delta)**2) - 1); delta > 0."""
    z = special.pseudo_huber(delta, r)

    def backward(z_bar):
        root = np.sqrt(1 + (r / delta) ** 2)
        delta_bar = z_bar * (2 * z / delta - r / delta * r / root)
        return delta_bar, z_bar * r / root

    return z, backward
