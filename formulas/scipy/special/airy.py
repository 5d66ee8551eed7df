"""Derivatives of SciPy's Airy functions.

Both families solve w'' = x w: NIST Digital Library of Mathematical Functions, 9.2.1.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from srcgrad.registry import formula, nondifferentiable


@formula(special.airy, of_complex=True)
def airy(x):
    """z = (Ai, Ai', Bi, Bi')(x)."""
    z = special.airy(x)

    def backward(z_bar):
        if z_bar[2] is None and z_bar[3] is None:  # which are infinite for a large x
            x_bar = np.zeros_like(x)
        else:
            x_bar = np.zeros_like(x) if z_bar[2] is None else z_bar[2] * z[3]
            x_bar = x_bar if z_bar[3] is None else x_bar + z_bar[3] * x * z[2]
        x_bar = x_bar if z_bar[0] is None else x_bar + z_bar[0] * z[1]
        return x_bar if z_bar[1] is None else x_bar + z_bar[1] * x * z[0]

    return z, backward


@formula(special.airye)
def airye(x):
    """z = (Ai, Ai') e**s and (Bi, Bi') e**-s for s = 2/3 x**(3/2), which is 0 for Bi at x < 0."""
    z = special.airye(x)

    def backward(z_bar):
        root = np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0)
        bi_bar = np.zeros_like(x)
        if z_bar[2] is not None:
            bi_bar = z_bar[2] * (z[3] - root * z[2])
        if z_bar[3] is not None:
            bi_bar = bi_bar + z_bar[3] * (x * z[2] - root * z[3])
        if z_bar[0] is None and z_bar[1] is None:  # which are nan for x < 0
            return bi_bar
        ai_bar = np.zeros_like(x)
        if z_bar[0] is not None:
            ai_bar = z_bar[0] * (z[1] + root * z[0])
        if z_bar[1] is not None:
            ai_bar = ai_bar + z_bar[1] * (x * z[0] + root * z[1])
        return ai_bar + bi_bar

    return z, backward


@formula(special.itairy)
def itairy(x):
    """z = integrals from 0 to x of Ai(t), Bi(t), Ai(-t), Bi(-t)."""
    z = special.itairy(x)

    def backward(z_bar):
        right = special.airy(x)
        left = special.airy(-x)
        right_bar = z_bar[0] * right[0] + z_bar[1] * right[2]
        return right_bar + z_bar[2] * left[0] + z_bar[3] * left[2]

    return z, backward


nondifferentiable(special.ai_zeros, special.bi_zeros)
