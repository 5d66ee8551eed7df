"""Derivatives inside of functions that are differentiated themselves."""

import numpy as np

from srcgrad import (
    differentiate,
    grad,
    hessian,
    hvp,
    jacobian,
)
from tests.programs.table import program


def vector(rng):
    return (rng.normal(size=3),)

def two_vectors(rng):
    return (rng.normal(size=3), rng.normal(size=3))

def waves(x):
    return np.sum(np.sin(x) * x)

def quartic(w, b):
    return np.sum(w**2) + 0.1 * np.sum(w) ** 2 - b @ w + np.sum(w**4) / 10

def layer(w, c, x):
    return np.sum(np.tanh(x @ w + c) ** 2)

quartic_grad = grad(quartic)

@differentiate(wrt=("x", "y"))
def weighted(x, y):
    return np.sum(x * x * y)


@program(args=vector)
def decorated_pieces(x):
    value, backward = weighted.vjp(x, x)
    _, dot = weighted.jvp((x, x), (x, None))
    x_bar, y_bar = backward(value)
    return dot * np.sum(x_bar * y_bar)


# perturbation confusion: each of these is wrong if two derivatives are taken for one


@program(args=(1.3,))
def definitions_inside_each_other(x):
    def outer(y):
        def inner(z):
            return z**2 * y * x

        return grad(inner)(y) * y

    return grad(outer)(x)


@program(args=(1.3,))
def star_arguments(x):
    def product(*ys):
        return ys[0] * ys[1] ** 2

    return grad(product, wrt=1)(x, x)

@program(args=(1.3,))
def inactive_point(x):
    slope = grad(lambda y: y**3)(2.0)
    return x * x * slope

# products, Jacobians and Hessians


@program(args=two_vectors, wrt=(0, 1))
def hessian_vector_product(x, v):
    return np.sum(hvp(waves)(x, v) ** 2)


@program(args=lambda rng: (rng.normal(size=(2, 2)),))
def hessian_of_a_matrix(w):
    h = hessian(lambda m: np.sum(m**3) + m[0, 0] * m[1, 1] * w[0, 1])(w)
    return np.sum(h**2)


@program(args=(1.3,))
def jacobian_of_a_number(x):
    return np.sum(jacobian(lambda y: np.array([y, y * x, 2.0]))(x) ** 2)


@program(
    args=lambda rng: (0.1, rng.normal(size=(3, 2)), rng.normal(size=2), rng.normal(size=(4, 3))),
    wrt=(0, 1, 2),
    order2=False,
)
def dict_of_parameters(rate, w, c, x):
    params = {"w": w, "c": c}
    for _ in range(2):
        slope = grad(lambda p: layer(p["w"], p["c"], x))(params)
        params = {"w": params["w"] - rate * slope["w"], "c": params["c"] - rate * slope["c"]}
    return layer(params["w"], params["c"], x)

@program(args=two_vectors, wrt=(0, 1))
def implicit_function(w, b):
    for _ in range(3):
        h = hessian(lambda v: quartic(v, b))(w)
        w = w - np.linalg.solve(h, quartic_grad(w, b))
    return np.sum(w * b)
