"""Programs of the problems in the words that JAX needs: loops that it compiles, no writes.

A program that is not here is run as it stands, under JAX's NumPy.
"""

import jax
import jax.numpy as np
from jax.lax import scan


def lstm(w, u, b, v, x, y):
    """Return the squared error of a long short-term memory over a sequence."""
    n = u.shape[0]

    def step(state, now):
        h, c = state
        x, y = now
        z = x @ w + h @ u + b
        i = 1 / (1 + np.exp(-z[:n]))
        f = 1 / (1 + np.exp(-z[n : 2 * n]))
        o = 1 / (1 + np.exp(-z[2 * n : 3 * n]))
        c = f * c + i * np.tanh(z[3 * n :])
        h = o * np.tanh(c)
        return (h, c), np.sum((h @ v - y) ** 2)

    return np.sum(scan(step, (np.zeros(n), np.zeros(n)), (x, y))[1])


def lorenz(y, sigma, rho, beta):
    """Return the slope of the Lorenz system."""
    return np.array([sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - beta * y[2]])


def runge_kutta(y, sigma, rho, beta, h, steps):
    """Return the squared norm of the state after steps of the classical method."""

    def step(y, _):
        k1 = lorenz(y, sigma, rho, beta)
        k2 = lorenz(y + h / 2 * k1, sigma, rho, beta)
        k3 = lorenz(y + h / 2 * k2, sigma, rho, beta)
        k4 = lorenz(y + h * k3, sigma, rho, beta)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    return np.sum(scan(step, y, length=steps)[0] ** 2)


def kalman(a, q, x, p, h, r, ys):
    """Return the negative log-likelihood of measurements of a linear system."""

    def step(state, y):
        x, p = state
        x = a @ x
        p = a @ p @ a.T + q
        s = h @ p @ h.T + r
        k = np.linalg.solve(s, h @ p).T
        e = y - h @ x
        loss = 0.5 * (e @ np.linalg.solve(s, e) + np.log(np.linalg.det(s)))
        return (x + k @ e, p - k @ h @ p), loss

    return np.sum(scan(step, (x, p), ys)[1])


def wave(u, c, steps):
    """Return the energy at the end of a wave on a square."""

    def step(state, _):
        u, v = state
        lap = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        v = v.at[1:-1, 1:-1].add(c * lap)
        return (u + v, v), None

    return np.sum(scan(step, (u, np.zeros_like(u)), length=steps)[0][0] ** 2)


def particles(x, v, k, steps):
    """Return the spread of damped particles when they have come to rest, or after all steps."""

    def step(state, _):
        x, v, moving = state
        force = -k * x - 0.5 * v + 0.1 * np.sin(x)
        v = np.where(moving, v + 0.05 * force, v)
        x = np.where(moving, x + 0.05 * v, x)
        return (x, v, moving & ~(np.sum(v**2) < 1e-3 * v.shape[0])), None

    return np.sum(scan(step, (x, v, True), length=steps)[0][0] ** 2)


def diffusion(u, rate, steps):
    """Return the sum of squares after explicit steps of diffusion."""

    def step(u, _):
        return np.pad(u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2]), 1), None

    return np.sum(scan(step, u, length=steps)[0] ** 2)


def spectral(u, viscosity, h, steps):
    """Return the energy of Burgers' equation after steps in which slopes come from a transform."""
    n = u.shape[0]
    k = np.arange(n // 2 + 1)

    def step(u, _):
        modes = np.fft.rfft(u)
        slope = np.fft.irfft(1j * k * modes, n)
        bend = np.fft.irfft(-(k**2) * modes, n)
        return u + h * (viscosity * bend - u * slope), None

    return np.sum(scan(step, u, length=steps)[0] ** 2)


def tridiagonal(a, b, c, d):
    """Return the squared norm of the solution of a tridiagonal system."""

    def down(before, row):
        p, q = before
        a, b, c, d = row
        m = b - a * p
        here = c / m, (d - a * q) / m
        return here, here

    first = c[0] / b[0], d[0] / b[0]
    _, (p, q) = scan(down, first, (a[1:], b[1:], c[1:], d[1:]))
    p, q = np.append(first[0], p), np.append(first[1], q)

    def up(x, row):
        p, q = row
        return (x := q - p * x), x

    _, x = scan(up, q[-1], (p[:-1], q[:-1]), reverse=True)
    return np.sum(x**2) + q[-1] ** 2


def gram_schmidt(a):
    """Return a weighted sum of the orthonormal columns that a matrix gives."""

    def column(q, k):  # columns that are not there yet are zero
        v = a[:, k] - q @ (q.T @ a[:, k])
        return q.at[:, k].set(v / np.sqrt(np.sum(v**2))), None

    return np.sum(scan(column, np.zeros_like(a), np.arange(a.shape[1]))[0] ** 3)


def correlation(x):
    """Return the sum of squares of the correlations of the columns, row by row."""
    n, m = x.shape
    x = x - x.mean(axis=0)
    x = x / np.sqrt(np.mean(x**2, axis=0))

    def row(_, i):
        return None, np.where(np.arange(m) > i, x[:, i] @ x / n, np.where(np.arange(m) == i, 1, 0))

    return np.sum(scan(row, None, np.arange(m))[1] ** 2)


def hand(angles, axes, bones, skin, targets):
    """Return how far the skin of a finger is from targets."""

    def bone(state, now):
        turn, joint = state
        angle, about, bone, skin, target = now
        step = np.eye(3) + np.sin(angle) * about + (1 - np.cos(angle)) * (about @ about)
        turn = turn @ step
        joint = joint + turn @ bone
        return (turn, joint), skin @ turn.T + joint - target

    return scan(bone, (np.eye(3), np.zeros(3)), (angles, axes, bones, skin, targets))[1]


def sparse_product(values, x, rows, columns, b):
    """Return the squared residual of a sparse matrix, of which entries and places are listed."""
    y = jax.ops.segment_sum(values * x[columns], rows, num_segments=b.shape[0])
    return np.sum((y - b) ** 2)
