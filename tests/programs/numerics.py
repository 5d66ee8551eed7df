"""Scalar and vector algorithms: roots, series, recurrences, linear systems, option prices."""

import math

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=5), 0.7), wrt=(0, 1))
def horner(coefficients, x):
    value = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        value = value * x + coefficients[k]
    return value


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


@program(args=(0.9, 0.3), wrt=(0, 1))
def kepler_equation(mean_anomaly, eccentricity):
    angle = mean_anomaly
    for _ in range(20):
        residual = angle - eccentricity * math.sin(angle) - mean_anomaly
        step = residual / (1 - eccentricity * math.cos(angle))
        angle = angle - step
        if abs(step) < 1e-12:
            break
    return angle


@program(args=(1.9, 0.4), wrt=(0, 1))
def false_position(high, c):
    low = 0.1
    f_low = low**3 - c
    f_high = high**3 - c
    for _ in range(5):
        x = (low * f_high - high * f_low) / (f_high - f_low)
        f = x**3 - c
        if f > 0:
            high, f_high = x, f
        else:
            low, f_low = x, f
    return x


@program(args=lambda rng: (rng.normal(size=6), 0.5, -0.3), wrt=(0, 1, 2))
def autoregressive_residuals(x, a, b):
    total = 0.0
    for t in range(2, len(x)):
        prediction = a * x[t - 1] + b * x[t - 2]
        total += (x[t] - prediction) ** 2
    return total / (len(x) - 2)


@program(args=lambda rng: (0.02, 0.1, 0.8, rng.normal(size=6) * 0.2), wrt=(0, 1, 2))
def garch_likelihood(omega, alpha, beta, returns):
    variance = 0.04
    likelihood = 0.0
    for r in returns:
        likelihood = likelihood - 0.5 * (math.log(variance) + r**2 / variance)
        variance = omega + alpha * r**2 + beta * variance
    return likelihood


@program(args=(100.0, 95.0, 0.03, 0.25, 0.5), wrt=(0, 1, 2, 3, 4))
def black_scholes(spot, strike, rate, volatility, time):
    def normal_cdf(x):
        """The logistic approximation."""
        return 1 / (1 + math.exp(-1.5976 * x - 0.070566 * x**3))

    d1 = (math.log(spot / strike) + (rate + volatility**2 / 2) * time) / (
        volatility * math.sqrt(time)
    )
    d2 = d1 - volatility * math.sqrt(time)
    return spot * normal_cdf(d1) - strike * math.exp(-rate * time) * normal_cdf(d2)


@program(args=(1.0, 0.95, 0.3), wrt=(0, 1, 2))
def binomial_tree(spot, strike, volatility):
    steps, rate = 4, 0.05
    dt = 1.0 / steps
    up = np.exp(volatility * np.sqrt(dt))
    p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    discount = np.exp(-rate * dt)
    powers = np.arange(steps + 1) * 2 - steps
    value = np.maximum(spot * up**powers - strike, 0.0)
    for _ in range(steps):
        value = discount * (p * value[1:] + (1 - p) * value[:-1])
    return value[0]


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


@program(args=lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=3)), wrt=(0, 1))
def conjugate_gradients(m, b):
    a = m.T @ m + np.eye(3)
    x = np.zeros(3)
    r = b
    p = r
    rr = r @ r
    for _ in range(2):
        ap = a @ p
        alpha = rr / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new_rr = r @ r
        p = r + new_rr / rr * p
        rr = new_rr
    return np.sum(x**2)


@program(args=lambda rng: (rng.normal(size=3), 0.1), wrt=(0, 1))
def gradient_descent_with_line_search(x, step):
    def f(v):
        return np.sum(v**4) + np.sum(v[:-1] * v[1:])

    for _ in range(3):
        direction = -(
            4 * x**3
            + np.concatenate([x[1:], np.zeros(1)])
            + np.concatenate([np.zeros(1), x[:-1]])
        )
        size = step
        while f(x + size * direction) > f(x) - 0.1 * size * np.sum(direction**2):
            size = size / 2
        x = x + size * direction
    return f(x)


@program(args=(0.3, 1.9))
def romberg(a, b):
    def f(t):
        return math.sin(t) / (1 + t)

    rough = (b - a) * (f(a) + f(b)) / 2
    fine = rough / 2 + (b - a) / 2 * f((a + b) / 2)
    return (4 * fine - rough) / 3


@program(args=(1.3,))
def lanczos_like_gamma(x):
    """Stirling's series after a shift to larger arguments."""
    shift = 0.0
    while x < 4:
        shift = shift + math.log(x)
        x = x + 1
    series = 1 / (12 * x) - 1 / (360 * x**3)
    return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) + series - shift


@program(args=(0.8, 1), label="1")
def legendre_polynomial(x, n):
    previous, current = 1.0, x
    for k in range(1, n):
        previous, current = (
            current,
            ((2 * k + 1) * x * current - k * previous) / (k + 1),
        )
    return current


@program(
    args=lambda rng: (np.sort(rng.uniform(0, 2, 4)), rng.normal(size=4), 0.9),
    wrt=(0, 1, 2),
)
def lagrange_interpolation(nodes, values, x):
    total = 0.0
    for i in range(4):
        basis = 1.0
        for j in range(4):
            if j != i:
                basis = basis * (x - nodes[j]) / (nodes[i] - nodes[j])
        total = total + values[i] * basis
    return total


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=4), 0.7), wrt=(0, 1, 2))
def soft_edit_distance(x, y, gamma):
    """Two rows of a dynamic programme, with a softened minimum, kept as arrays."""
    previous = np.cumsum((x[0] - y) ** 2)
    for i in range(1, 3):
        cost = (x[i] - y) ** 2
        current = cost + previous
        shifted = np.concatenate([previous[:1] + 5.0, previous[:-1]])
        current = cost - gamma * np.logaddexp(-previous / gamma, -shifted / gamma)
        previous = current
    return previous[-1]
