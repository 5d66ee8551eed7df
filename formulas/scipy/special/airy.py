"""Derivatives of SciPy's Airy functions.

Both families solve w'' = x w: NIST Digital Library of Mathematical Functions, 9.2.1.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from srcgrad.registry import formula, nondifferentiable


@formula(special.airy)
def airy(x):
    """z = (Ai, Ai', Bi, Bi')(x)."""
    z = special.airy(x)

    def backward(z_bar):
        ai_bar = z_bar[0] * z[1] + z_bar[1] * x * z[0]
        return ai_bar + z_bar[2] * z[3] + z_bar[3] * x * z[2]

    return z, backward


@formula(special.airye)
def airye(x):
    """z = (Ai, Ai') e**s and (Bi, Bi') e**-s for s = 2/3 x**(3/2), which is 0 for Bi at x < 0."""
    z = special.airye(x)

    def backward(z_bar):
        root = np.sqrt(np.maximum(x, 0.0))
        ai_bar = z_bar[0] * (z[1] + root * z[0]) + z_bar[1] * (x * z[0] + root * z[1])
        bi_bar = z_bar[2] * (z[3] - root * z[2]) + z_bar[3] * (x * z[2] - root * z[3])
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
