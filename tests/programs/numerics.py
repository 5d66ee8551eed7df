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


@program(args=(3.2, 0.4), wrt=(0, 1))
def logistic_map(r, x):
    for _ in range(6):
        x = r * x * (1 - x)
    return x


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


@program(args=(3.7,))
def cube_root_by_halley(a):
    x = a / 2
    for _ in range(5):
        cube = x**3
        x = x * (cube + 2 * a) / (2 * cube + a)
    return x


@program(args=(0.8, 1.7), wrt=(0, 1))
def secant(a, b):
    """The root of cos(x) - a x, from two active starting points."""
    x0, x1 = b - 1.0, b
    f0 = math.cos(x0) - a * x0
    for _ in range(4):
        f1 = math.cos(x1) - a * x1
        if abs(f1) < 1e-3:
            break
        x0, x1, f0 = x1, x1 - f1 * (x1 - x0) / (f1 - f0), f1
    return x1


@program(args=(0.1, 2.3, 2.0), wrt=(0, 1))
def bisection(low, high, target):
    """The bounds are active; which of them moves is not differentiable."""
    for _ in range(8):
        middle = 0.5 * (low + high)
        if middle * middle > target:
            high = middle
        else:
            low = middle
        if high - low < 0.05:
            return middle
    return 0.5 * (low + high)


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


@program(args=(0.4, 0.9, 1.4), wrt=(0, 1, 2))
def golden_section(a, b, c):
    """The minimum of a parabola through an interval that shrinks."""
    ratio = (math.sqrt(5) - 1) / 2
    low, high = a - 2, a + b
    for _ in range(5):
        left = high - ratio * (high - low)
        right = low + ratio * (high - low)
        if c * (left - a) ** 2 < c * (right - a) ** 2:
            high = right
        else:
            low = left
    return c * (low + high) / 2


@program(args=lambda rng: (rng.normal(size=6), 0.5, -0.3), wrt=(0, 1, 2))
def autoregressive_residuals(x, a, b):
    total = 0.0
    for t in range(2, len(x)):
        prediction = a * x[t - 1] + b * x[t - 2]
        total += (x[t] - prediction) ** 2
    return total / (len(x) - 2)


@program(args=lambda rng: (rng.normal(size=6), 0.3), wrt=(0, 1))
def exponential_smoothing(x, alpha):
    level = x[0]
    error = 0.0
    for value in x[1:]:
        error = error + (value - level) ** 2
        level = alpha * value + (1 - alpha) * level
    return error


@program(args=lambda rng: (0.02, 0.1, 0.8, rng.normal(size=6) * 0.2), wrt=(0, 1, 2))
def garch_likelihood(omega, alpha, beta, returns):
    variance = 0.04
    likelihood = 0.0
    for r in returns:
        likelihood = likelihood - 0.5 * (math.log(variance) + r**2 / variance)
        variance = omega + alpha * r**2 + beta * variance
    return likelihood


@program(args=lambda rng: (1.0, 0.2, rng.normal(size=8)), wrt=(0, 1))
def random_walk_with_given_noise(drift, volatility, noise):
    x = 1.0
    dt = 1.0 / len(noise)
    for z in noise:
        x = x + drift * x * dt + volatility * x * math.sqrt(dt) * z
    return x


@program(args=lambda rng: (0.1, 0.4, 0.9, rng.normal(size=5)), wrt=(0, 1, 2))
def barrier_crossed_by_a_path(x, volatility, barrier, noise):
    """A path stops where it crosses the barrier, and pays by the time it took."""
    for k, z in enumerate(noise):
        x = x + volatility * abs(z)
        if x > barrier:
            return (x - barrier) * math.exp(-0.1 * k)
    return x * 0.0


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


@program(args=(4.0, 0.9, 1.2, 0.7), wrt=(0, 1, 2, 3))
def gauss_seidel_by_scalars(a, b, x, y):
    for _ in range(4):
        x = (1.0 - b * y) / a
        y = (2.0 - b * x) / a
    return x * y


@program(
    args=lambda rng: (rng.normal(size=(3, 3)) + 4 * np.eye(3), rng.normal(size=3)),
    wrt=(0, 1),
)
def jacobi_iteration(a, b):
    d = np.diag(a)
    x = b / d
    for _ in range(4):
        x = x + (b - a @ x) / d
    return np.sum(x**2)


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


@program(args=lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)), wrt=(0, 1))
def power_iteration(m, v):
    a = m @ m.T
    for _ in range(5):
        w = a @ v
        v = w / np.linalg.norm(w)
    return v @ a @ v


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


@program(args=(0.3, 1.9, 0.6), wrt=(0, 1, 2))
def simpson(a, b, c):
    n = 4
    h = (b - a) / n
    total = 0.0
    for k in range(n + 1):
        weight = 1 if k in (0, n) else 4 if k % 2 else 2
        t = a + k * h
        total = total + weight * math.exp(-c * t * t)
    return total * h / 3


@program(args=(0.3, 1.9))
def romberg(a, b):
    def f(t):
        return math.sin(t) / (1 + t)

    rough = (b - a) * (f(a) + f(b)) / 2
    fine = rough / 2 + (b - a) / 2 * f((a + b) / 2)
    return (4 * fine - rough) / 3


def adaptive(f, a, b, depth):
    middle = (a + b) / 2
    whole = (b - a) * f(middle)
    halves = (b - a) / 2 * (f((a + middle) / 2) + f((middle + b) / 2))
    if depth == 0 or abs(whole - halves) < 1e-2:
        return halves + (halves - whole) / 3
    return adaptive(f, a, middle, depth - 1) + adaptive(f, middle, b, depth - 1)


@program(args=(0.1, 2.0, 3.0), wrt=(0, 1, 2))
def adaptive_quadrature(a, b, c):
    return adaptive(lambda t: math.sin(c * t) / (0.3 + t), a, b, 4)


@program(args=(1.3,))
def lanczos_like_gamma(x):
    """Stirling's series after a shift to larger arguments."""
    shift = 0.0
    while x < 4:
        shift = shift + math.log(x)
        x = x + 1
    series = 1 / (12 * x) - 1 / (360 * x**3)
    return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) + series - shift


@program(args=(0.8, 3), label="3")
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


@program(
    args=lambda rng: (
        rng.uniform(1, 2, 4),
        rng.uniform(0.1, 0.5, 3),
        rng.normal(size=4),
    ),
    wrt=(0, 1, 2),
)
def tridiagonal_solution(d, e, b):
    """Elimination and substitution for a symmetric matrix; the last unknown."""
    pivot = d[0]
    side = b[0]
    for k in range(1, 4):
        factor = e[k - 1] / pivot
        pivot = d[k] + 2 - factor * e[k - 1]
        side = b[k] - factor * side
    return side / pivot


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
