"""Derivatives inside of a function that is differentiated, and constants."""

import numpy as np
from scipy.optimize import brentq

from srcgrad import (
    checkpoint,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from tests.language.rows import shows

X = np.array([0.3, 0.7, 1.1])

def cubes(v):
    return np.sum(v**3) * v[0]

def square(v):
    return v * v * v[0]

@shows("gradients inside", args=(X,))
def gradients(x):
    value, slope = value_and_grad(cubes)(x)
    return value * np.sum(grad(cubes)(x) * slope)

@shows("products inside", args=(X,))
def products(x):
    value, backward = vjp(cubes, x)
    _, slope = jvp(cubes, (x,), (x * x,))
    return np.sum(backward(value) ** 2) * slope + np.sum(hvp(cubes)(x, x) ** 2)

@shows("Jacobians inside", args=(X,))
def jacobians(x):
    return (
        np.sum(hessian(cubes)(x) ** 2)
        + np.sum(jacobian(square)(x) ** 3)
        + np.sum(jacfwd(square)(x) * jacrev(square)(x))
    )

@shows("derivatives of local functions", args=(0.7, X), wrt=(0, 1))
def tuned(rate, w):
    for _ in range(2):
        w = w - rate * grad(lambda v: np.sum((v - rate) ** 4))(w)
    return np.sum((w - 1.0) ** 2)

def stopped_twin(x, size=1.1):
    return np.sum(x**2 / size)

def block(h, w):
    for _ in range(2):
        h = np.tanh(h * w)
    return h

@shows("`checkpoint`", args=(X, 0.7), wrt=(0, 1))
def run_again(x, w):
    scale = np.sum(x**2)
    h = checkpoint(block)(x, w)
    return np.sum(checkpoint(lambda t: np.sin(t) * scale)(h) ** 2)

@shows("constants", args=(X, 3))
def constants(x, n):
    weights = np.random.default_rng(1).normal(size=x.shape[0])
    above = x > 0.5
    k = int(np.argmax(x))
    return np.sum(x**n * weights * above) * k + len(f"{n}") * x[0]

@shows("solvers", args=(0.7,))
def solved(a):
    return brentq(lambda t, c: t**3 + t - c, 0.0, 2.0, args=(a,), xtol=1e-13) * a
