"""Programs whose arrays have lengths that are computed: sums, parts, and whole numbers given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad import grad


@dataclass(frozen=True)
class Case:
    """A program with arguments.

    Attributes:
        fn: the program; its first argument is differentiated.
        make: gives arguments, from random numbers and two lengths and a whole number.
    """

    fn: Callable[..., Any]
    make: Callable[..., tuple[Any, ...]]


PROGRAMS: list[Case] = []


def program(make):
    """Put a program into the table."""

    def put(fn):
        PROGRAMS.append(Case(fn, make))
        return fn

    return put


def vector(rng, n, m, k):
    """A vector."""
    return (rng.normal(size=n),)


def vector_and_length(rng, n, m, k):
    """A vector and its length."""
    return rng.normal(size=n), n


def vector_and_number(rng, n, m, k):
    """A vector and a small number."""
    return rng.normal(size=n), k


def matrix(rng, n, m, k):
    """A matrix."""
    return (rng.normal(size=(m, n)),)


@program(vector_and_length)
def ones_of_a_given_length(x, n):
    return np.sum(np.ones(n) * x**2)


@program(vector_and_length)
def loop_from_zeros_of_a_given_length(x, n):
    y = np.zeros(n)
    for _ in range(4):
        y = y + np.sin(x) * (y + 1.0)
    return np.sum(y)


@program(vector)
def shifted_by_one(x):
    y = np.concatenate((np.ones(1), x[:-1]))
    return np.sum(x * y)


@program(vector)
def with_ghost_cells(x):
    u = np.concatenate(([x[0]], x, [0.0, 1.0]))
    return np.sum(u[1:] * u[:-1])


@program(vector)
def padded(x):
    u = np.pad(x, 1)
    return np.sum((u[2:] - 2 * u[1:-1] + u[:-2]) * x)


@program(vector)
def halves(x):
    m = len(x) // 2
    return np.sum(x[:m] * x[m : 2 * m])


@program(vector)
def every_second(x):
    return np.sum(x[::2] * x[::2]) + np.sum(x[1::2] * x[:-1:2])


@program(vector)
def interleaved(x):
    y = np.zeros(2 * len(x))
    y[::2] = x
    y[1::2] = -x
    return np.sum(y * np.repeat(x, 2))


@program(vector_and_number)
def polynomial_on_a_grid(c, n):
    t = np.linspace(0, 1, n)
    y = np.zeros_like(t)
    for ck in c[::-1]:
        y = y * t + ck
    return np.sum(y**2)


@program(vector_and_number)
def kernel_density(x, n):
    c = np.linspace(-2, 2, n)
    w = np.exp(-((x[:, None] - c) ** 2))
    w = w / w.sum(axis=1)[:, None]
    return np.sum(w.mean(axis=0) * np.arange(n))


@program(vector_and_number)
def windows(x, w):
    y = np.empty(len(x) - w + 1)
    for i in range(len(x) - w + 1):
        y[i] = np.sum(x[i : i + w] ** 2)
    return np.sum(y * np.arange(len(x) - w + 1))


@program(vector_and_number)
def lagged(x, k):
    return np.sum(x[k:] * x[: len(x) - k])


@program(matrix)
def rows_below(m):
    a = np.vstack([m[0], 2 * m[0], m[0] ** 2])
    return np.sum(np.concatenate([m, a]) ** 2)


@program(vector)
def columns(x):
    a = np.column_stack([x, x * x])
    return np.sum(a * a[::-1])


@program(vector)
def appended(x):
    u = np.append(x, x[0])
    return np.sum(np.diff(u) ** 2)


@program(vector)
def spectrum(x):
    s = np.abs(np.fft.rfft(x)) ** 2
    return np.sum(s * np.arange(len(x) // 2 + 1))


@program(matrix)
def reshaped(m):
    r, c = m.shape
    v = m.reshape(r * c)
    return np.sum(v * np.arange(v.size)) + np.sum((v.reshape(c, r) @ m) ** 2)


@program(lambda rng, n, m, k: (rng.normal(size=n + 7), 0.1))
def heat(u0, kappa):
    u = u0.copy()
    for _ in range(5):
        v = np.zeros(len(u))
        v[1:-1] = u[1:-1] + kappa * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = v
    return np.sum(u**2)


@program(vector)
def states_in_a_list(x):
    rows = []
    h = np.zeros(len(x))
    for _ in range(4):
        h = np.tanh(h + x)
        rows.append(h)
    return np.sum(np.array(rows) * x)


def layer(W, b, h):
    return np.tanh(W @ h + b)


@program(lambda rng, n, m, k: (rng.normal(size=(n, n)), rng.normal(size=n)))
def network(V, h):
    for W, b in zip([V, 2 * V], [V[0], V[0] ** 2]):
        h = layer(W, b, h)
    return np.sum(h)


@program(lambda rng, n, m, k: (rng.normal(size=(m, n)), rng.normal(size=(2, n, m))))
def stacked_products(m, t):
    return np.sum(np.tanh(t @ m))


def power(x, n):
    if n == 0:
        return np.ones(x.shape)
    return x * power(x, n - 1)


@program(vector_and_number)
def powers_by_recursion(x, n):
    return np.sum(power(x, n))


def product_by_recursion(x, y):
    if len(x) == 0:
        return 0.0
    return x[0] * y[0] + product_by_recursion(x[1:], y[1:])


@program(vector)
def products_of_shorter_and_shorter(x):
    return product_by_recursion(x, x**2)


def energy(x):
    return np.sum(np.sin(x[1:]) * x[:-1])


@program(vector)
def of_a_gradient(x):
    g = grad(energy)(x)
    return np.sum(g * x)
