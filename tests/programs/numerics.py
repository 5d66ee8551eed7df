"""Scalar and vector algorithms: roots, series, recurrences, linear systems, option prices."""

import math

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=4), 0.3), wrt=(0, 1))
def clenshaw(coefficients, x):
    """A Chebyshev series, summed from its end."""
    b1 = 0.0
    b2 = 0.0
    for c in coefficients[:0:-1]:
        b1, b2 = 2 * x * b1 - b2 + c, b1
    return x * b1 - b2 + coefficients[0]

@program(args=(0.7, 6), tags=("third",))
def continued_fraction(x, depth):
    value = 1.0
    for k in range(depth, 0, -1):
        value = k + x / value
    return value

@program(args=lambda rng: (0.02, 0.1, 0.8, rng.normal(size=6) * 0.2), wrt=(0, 1, 2))
def garch_likelihood(omega, alpha, beta, returns):
    variance = 0.04
    likelihood = 0.0
    for r in returns:
        likelihood = likelihood - 0.5 * (math.log(variance) + r**2 / variance)
        variance = omega + alpha * r**2 + beta * variance
    return likelihood

@program(args=(1.0, 1.07, 0.3), wrt=(0, 1, 2))
def american_put_on_a_tree(spot, strike, volatility):
    steps = 3
    dt = 1.0 / steps
    up = np.exp(volatility * np.sqrt(dt))
    p = (np.exp(0.05 * dt) - 1 / up) / (up - 1 / up)
    value = np.maximum(strike - spot * up ** (2 * np.arange(steps + 1) - steps), 0.0)
    for n in range(steps - 1, -1, -1):
        held = np.exp(-0.05 * dt) * (p * value[1:] + (1 - p) * value[:-1])
        exercised = strike - spot * up ** (2 * np.arange(n + 1) - n)
        value = np.maximum(held, exercised)
    return value[0]

@program(args=(0.3, 1.9))
def romberg(a, b):
    def f(t):
        return math.sin(t) / (1 + t)

    rough = (b - a) * (f(a) + f(b)) / 2
    fine = rough / 2 + (b - a) / 2 * f((a + b) / 2)
    return (4 * fine - rough) / 3
