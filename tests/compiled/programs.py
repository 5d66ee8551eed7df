"""Numerical programs with loops, which Numba compiles; their derivatives have to compile too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """A program with arguments.

    Attributes:
        function: the program; it returns one real number.
        arguments: those of a call.
        wrt: what is differentiated, by position.
        but: the modes that cannot be compiled.
    """

    function: Any
    arguments: tuple[Any, ...]
    wrt: tuple[int, ...] = (0,)
    but: tuple[str, ...] = ()


PROGRAMS: list[Program] = []
_random = np.random.default_rng(7)


def _program(*arguments, wrt=(0,), but=()):
    def add(function):
        PROGRAMS.append(Program(function, arguments, wrt, but))
        return function

    return add


def _normal(*shape):
    return _random.normal(size=shape)


@_program(3.0, 2.0, wrt=(0, 1))
def damped_newton(x, a):
    for _ in range(12):
        step = (x * x - a) / (2 * x)
        if abs(step) > 1.0:
            x = x - 0.5 * step
        else:
            x = x - step
    return x


@_program(_normal(12), 0.1, 5, wrt=(0, 1))
def heat(u0, kappa, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += kappa * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


@_program(_normal(9), 0.2, 4, wrt=(0, 1))
def heat_by_points(u0, kappa, steps):
    u = u0.copy()
    n = len(u)
    for _ in range(steps):
        v = u.copy()
        for i in range(1, n - 1):
            v[i] = u[i] + kappa * (u[i + 1] - 2 * u[i] + u[i - 1])
        u = v
    total = 0.0
    for i in range(n):
        total += u[i] * u[i]
    return total


@_program(_normal(6, 7), 0.1, 3, wrt=(0, 1))
def wave(u0, c, steps):
    u = u0.copy()
    before = u0.copy()
    for _ in range(steps):
        after = 2 * u - before
        after[1:-1, 1:-1] += c * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
        before = u
        u = after
    return np.sum(u * u)


@_program(_normal(5, 6), 3)
def wave_by_points(u0, steps):
    u = u0.copy()
    m, n = u.shape
    for _ in range(steps):
        for i in range(1, m - 1):
            for j in range(1, n - 1):
                u[i, j] += 0.1 * (
                    u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
                )
    return np.sum(np.sin(u))


@_program(np.array([1.0, 0.5]), np.array([1.1, 0.4, 0.4, 0.1]), 0.05, 20, wrt=(0, 1))
def runge_kutta(y0, p, h, steps):
    a, b, c, d = p[0], p[1], p[2], p[3]
    x, y = y0[0], y0[1]
    for _ in range(steps):
        k1 = a * x - b * x * y
        l1 = d * x * y - c * y
        x2 = x + 0.5 * h * k1
        y2 = y + 0.5 * h * l1
        k2 = a * x2 - b * x2 * y2
        l2 = d * x2 * y2 - c * y2
        x3 = x + 0.5 * h * k2
        y3 = y + 0.5 * h * l2
        k3 = a * x3 - b * x3 * y3
        l3 = d * x3 * y3 - c * y3
        x4 = x + h * k3
        y4 = y + h * l3
        k4 = a * x4 - b * x4 * y4
        l4 = d * x4 * y4 - c * y4
        x = x + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
        y = y + h / 6.0 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x * x + y


def _pendulum(y, k):
    out = np.empty_like(y)
    out[0] = y[1]
    out[1] = -k * np.sin(y[0])
    return out


@_program(np.array([0.5, 0.1]), 2.0, 0.05, 10, wrt=(0, 1))
def runge_kutta_of_a_function(y, k, h, steps):
    for _ in range(steps):
        k1 = _pendulum(y, k)
        k2 = _pendulum(y + 0.5 * h * k1, k)
        k3 = _pendulum(y + 0.5 * h * k2, k)
        k4 = _pendulum(y + h * k3, k)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y[0] ** 2 + y[1]


@_program(0.1, 0.2, _normal(15), wrt=(0, 1))
def kalman_scalar(q, r, z):
    x, p = 0.0, 1.0
    score = 0.0
    for t in range(len(z)):
        p = p + q
        s = p + r
        e = z[t] - x
        score += 0.5 * (math.log(s) + e * e / s)
        k = p / s
        x = x + k * e
        p = (1.0 - k) * p
    return score


@_program(
    np.array([[1.0, 0.1], [0.0, 0.9]]),
    np.eye(2) * 0.1,
    _normal(8, 2),
    wrt=(0, 1),
    but=("vjp", "jvp"),
)
def kalman(f, q, z):
    x = np.zeros(2)
    p = np.eye(2)
    score = 0.0
    for t in range(len(z)):
        x = f @ x
        p = f @ p @ f.T + q
        s = p + np.eye(2)
        e = z[t] - x
        k = p @ np.linalg.inv(s)
        score += np.log(np.linalg.det(s)) + e @ np.linalg.inv(s) @ e
        x = x + k @ e
        p = p - k @ p
    return score


@_program(_normal(4, 8), _normal(2, 8), _normal(8), _normal(5, 4), wrt=(0, 1, 2))
def lstm(wx, wh, b, xs):
    n = wh.shape[0]
    h = np.zeros(n)
    c = np.zeros(n)
    for t in range(xs.shape[0]):
        g = xs[t] @ wx + h @ wh + b
        i = 1.0 / (1.0 + np.exp(-g[:n]))
        f = 1.0 / (1.0 + np.exp(-g[n : 2 * n]))
        o = 1.0 / (1.0 + np.exp(-g[2 * n : 3 * n]))
        c = f * c + i * np.tanh(g[3 * n :])
        h = o * np.tanh(c)
    return np.sum(h * h)


@_program(_normal(4), _normal(20), _normal(20))
def polynomial(c, x, y):
    total = 0.0
    for i in range(len(x)):
        p = 0.0
        for k in range(len(c) - 1, -1, -1):
            p = p * x[i] + c[k]
        total += (p - y[i]) ** 2
    return total / len(x)


@_program(_normal(8) + 4.0, _normal(8), _normal(8), _normal(8), wrt=(0, 1, 2, 3))
def tridiagonal(d, a, b, r):
    n = len(d)
    e = np.zeros(n)
    g = np.zeros(n)
    e[0] = b[0] / d[0]
    g[0] = r[0] / d[0]
    for i in range(1, n):
        m = d[i] - a[i] * e[i - 1]
        e[i] = b[i] / m
        g[i] = (r[i] - a[i] * g[i - 1]) / m
    x = np.zeros(n)
    x[n - 1] = g[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = g[i] - e[i] * x[i + 1]
    return np.sum(x * x)


@_program(_normal(5, 3))
def gram_schmidt(a):
    q = a.copy()
    n = a.shape[1]
    for j in range(n):
        for k in range(j):
            q[:, j] -= np.dot(q[:, k], q[:, j]) * q[:, k]
        q[:, j] /= np.sqrt(np.sum(q[:, j] ** 2))
    return np.sum(np.sin(q) * a)


@_program(np.array([0.0, 1.0]), np.array([3.0, 2.0]), 0.05, 60, wrt=(0, 1))
def particle_with_exit(x0, v0, h, steps):
    x, y = x0[0], x0[1]
    u, v = v0[0], v0[1]
    for _ in range(steps):
        v = v - 9.81 * h
        x = x + h * u
        y = y + h * v
        if y < 0.0:
            break
    return x * x + y


@_program(_normal(6, 2), _normal(6, 2), 0.02, 8, wrt=(0, 1))
def n_body(x, v, h, steps):
    x = x.copy()
    v = v.copy()
    n = x.shape[0]
    for _ in range(steps):
        for i in range(n):
            fx = 0.0
            fy = 0.0
            for j in range(n):
                if i != j:
                    dx = x[j, 0] - x[i, 0]
                    dy = x[j, 1] - x[i, 1]
                    d = (dx * dx + dy * dy + 0.1) ** 1.5
                    fx += dx / d
                    fy += dy / d
            v[i, 0] += h * fx
            v[i, 1] += h * fy
        for i in range(n):
            x[i, 0] += h * v[i, 0]
            x[i, 1] += h * v[i, 1]
    return np.sum(x * x)


@_program(0.2, 0.3, 40, wrt=(0, 1))
def mandelbrot(a, b, most):
    x, y = 0.0, 0.0
    count = 0
    while x * x + y * y < 4.0 and count < most:
        x, y = x * x - y * y + a, 2 * x * y + b
        count += 1
    return x * y + x


def _phi(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@_program(100.0, 95.0, 0.5, 0.02, 0.3, wrt=(0, 1, 2, 3, 4))
def black_scholes(s, k, t, r, sigma):
    d1 = (math.log(s / k) + (r + 0.5 * sigma * sigma) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    return s * _phi(d1) - k * math.exp(-r * t) * _phi(d2)


@_program(np.linspace(90.0, 110.0, 6), 100.0, 0.5, 0.02, 0.3, wrt=(0, 4))
def black_scholes_many(s, k, t, r, sigma):
    total = 0.0
    for i in range(len(s)):
        d1 = (math.log(s[i] / k) + (r + 0.5 * sigma * sigma) * t) / (sigma * math.sqrt(t))
        d2 = d1 - sigma * math.sqrt(t)
        total += s[i] * _phi(d1) - k * math.exp(-r * t) * _phi(d2)
    return total


@_program(_normal(3, 2), _normal(15, 2))
def k_means(centres, points):
    total = 0.0
    for i in range(len(points)):
        best = 1e300
        for k in range(len(centres)):
            d = 0.0
            for j in range(points.shape[1]):
                d += (points[i, j] - centres[k, j]) ** 2
            if d < best:
                best = d
        total += best
    return total


@_program(_normal(30))
def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


@_program(_normal(12))
def log_sum_exp_by_points(x):
    m = x[0]
    for v in x:
        m = max(m, v)
    total = 0.0
    for v in x:
        total += math.exp(v - m)
    return m + math.log(total)


@_program(3.6, 0.3, 10, wrt=(0, 1))
def logistic_map(r, x, n):
    total = 0.0
    for _ in range(n):
        x = r * x * (1.0 - x)
        total += x
    return total


@_program(_normal(4, 4) + 4 * np.eye(4))
def determinant(a):
    a = a.copy()
    n = a.shape[0]
    det = 1.0
    for k in range(n):
        det *= a[k, k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= factor * a[k, j]
    return det


@_program(_normal(5, 3), _normal(3), _normal(5), wrt=(0, 1))
def logistic_regression(x, w, y):
    z = x @ w
    return np.mean(np.log(1 + np.exp(-y * z))) + 0.1 * np.sum(w * w)


@_program(_normal(3, 4), _normal(4), _normal(4, 2), _normal(5, 3), _normal(5, 2), wrt=(0, 1, 2))
def perceptron(w1, b1, w2, x, y):
    h = np.tanh(x @ w1 + b1)
    r = h @ w2 - y
    return np.mean(r**2)


@_program(
    _normal(7), np.array([0, 1, 1, 3, 4, 2]), np.array([1, 0, 2, 4, 6, 5]), _normal(6), wrt=(0, 3)
)
def sparse_product(x, rows, columns, values):
    y = np.zeros(len(x))
    for k in range(len(values)):
        y[rows[k]] += values[k] * x[columns[k]]
    return np.sum(y * y)


@_program(_normal(9, 4))
def correlation_by_rows(a):
    n, m = a.shape
    mean = np.zeros(m)
    for i in range(n):
        mean += a[i] / n
    c = np.zeros((m, m))
    for i in range(n):
        d = a[i] - mean
        c += np.outer(d, d)
    total = 0.0
    for i in range(m):
        for j in range(m):
            total += c[i, j] / np.sqrt(c[i, i] * c[j, j])
    return total


def _chebyshev(x, n):
    if n == 0:
        return 1.0
    if n == 1:
        return x
    return 2 * x * _chebyshev(x, n - 1) - _chebyshev(x, n - 2)


@_program(0.3, 6, but=("grad", "value_and_grad", "vjp", "hvp"))
def recursion(x, n):
    return _chebyshev(x, n)


@_program(_normal(10), 0.3, wrt=(0, 1))
def exponential_smoothing(x, alpha):
    s = x[0]
    total = 0.0
    for t in range(1, len(x)):
        total += (x[t] - s) ** 2
        s = alpha * x[t] + (1 - alpha) * s
    return total


@_program(_normal(6), _normal(4), wrt=(0, 1))
def convolution(x, k):
    n = len(x) + len(k) - 1
    y = np.zeros(n)
    for i in range(len(x)):
        for j in range(len(k)):
            y[i + j] += x[i] * k[j]
    return np.sum(np.tanh(y))


@_program(np.abs(_normal(5)) + 0.5, 0.01, 20, wrt=(0, 1))
def reaction_chain(c, h, steps):
    c = c.copy()
    for _ in range(steps):
        rate = c[:-1] * c[1:]
        c[:-1] -= h * rate
        c[1:] += h * rate
    return np.sum(np.log(c))


@_program(_normal(4, 4), _normal(4), 30, but=("hvp",))  # a write to what may have another name
def power_iteration(a, v, most):
    b = a + a.T
    for _ in range(most):
        w = b @ v
        w = w / np.sqrt(np.sum(w * w))
        if np.sum((w - v) ** 2) < 1e-3:
            break
        v = w
    return v @ (b @ v)


@_program(_normal(8), 3.0, wrt=(0, 1))
def huber(r, delta):
    total = 0.0
    for v in r:
        size = abs(v)
        if size <= delta:
            total += 0.5 * v * v
        else:
            total += delta * (size - 0.5 * delta)
    return total


@_program(_normal(4, 3), _normal(4, 3), wrt=(0, 1))
def softmax_rows(x, t):
    total = 0.0
    for i in range(x.shape[0]):
        e = np.exp(x[i] - np.max(x[i]))
        p = e / np.sum(e)
        total -= np.sum(t[i] * np.log(p))
    return total


@_program(_normal(3, 5), _normal(5), wrt=(0, 1))
def sums_along_axes(a, b):
    c = a * b
    rows = np.sum(c, axis=1)
    columns = c.sum(axis=0)
    return np.sum(rows**2) + np.sum(np.sin(columns))


@_program(_normal(3), np.array([0, 2, 0, -1]))
def gathered(x, places):
    return np.sum(x[places] ** 2 * np.arange(4.0)) + x[0]


@_program(_normal(3, 2), np.array([[0, 2], [0, -1]]))
def gathered_rows(x, places):
    return np.sum(x[places] ** 2) * x[0, 1]


@_program(_normal(3), 0.5 + _normal(2), _normal(3, 2), wrt=(0, 1, 2))
def joined(x, y, a):
    ends = np.concatenate((x, y, 2.0 * x))
    return np.sum(ends**2 * np.arange(8.0)) + np.sum(np.concatenate((a, a * a), axis=1) ** 3)


@_program(_normal(3))
def list_of_rows(x):
    rows = []
    for k in range(3):
        rows.append(x * x[k])
    total = 0.0
    for row in rows:
        total += np.sum(row * rows[0])
    return total
