"""Scalar and vector algorithms: roots, series, recurrences, linear systems, option prices."""

import math

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=4), 0.3), wrt=(0, 1))
def clenshaw(coefficients, x):
    """A Chebyshev series, summed from its end."""
    b1 = 0.0
    b2 = 0.0
    for c in coefficients[:0:-1]:
        b1, b2 = 2 * x * b1 - b2 + c, b1
    return x * b1 - b2 + coefficients[0]


@program(args=lambda rng: (0.02, 0.1, 0.8, rng.normal(size=6) * 0.2), wrt=(0, 1, 2))
def garch_likelihood(omega, alpha, beta, returns):
    variance = 0.04
    likelihood = 0.0
    for r in returns:
        likelihood = likelihood - 0.5 * (math.log(variance) + r**2 / variance)
        variance = omega + alpha * r**2 + beta * variance
    return likelihood


