"""Local functions and lambdas that close over active values, and functions of functions."""

import math

import numpy as np

from srcgrad import grad
from tests.programs.table import program


@program(args=(0.7, 1.2), wrt=(0, 1))
def captured_intermediate(x, y):
    a = math.exp(x * y)
    b = a + x

    def line(t, scale=2.0):
        s = a * t + b
        return s * scale

    return line(y) + line(x, scale=y) * b


@program(args=(0.7, 4), recorded2=True)
def recursive_local_function(x, n):
    def chain(k):
        if k == 0:
            return x
        return math.sin(chain(k - 1)) + x * k

    return chain(n)

def integrate(f, a, b, n):
    """The trapezoidal rule with n intervals."""
    h = (b - a) / n
    total = 0.5 * (f(a) + f(b))
    for k in range(1, n):
        total = total + f(a + k * h)
    return total * h

@program(args=(0.2, 1.4, 0.8), wrt=(0, 1, 2))
def integral_with_a_parameter_and_active_limits(a, b, c):
    return integrate(lambda t: math.exp(-c * t * t), a, b, 5)


@program(args=(0.7, 1.2), wrt=(0, 1))
def captured_library_functions(x, y, activation=np.tanh):
    def layer(h):
        inner = lambda t: activation(t) * x
        return inner(h) + inner(1.0) + activation(2.0)

    return layer(y) * y

@program(args=(0.7, 1.2), wrt=(0, 1), recorded=True)
def active_default_of_a_local_function(x, y):
    def f(t, scale=x * y):
        return t * scale

    x = x + 1.0
    return f(x) + f(y, 2.0) + f(y, scale=y)


@program(args=(0.7, 1.2), wrt=(0, 1), recorded=True)
def functions_appended_in_a_loop(x, y):
    functions = []
    for k in range(3):
        functions.append(lambda v, k=k: v * x + k * y)
    out = 1.0
    for f in functions:
        out = f(out)
    return out


@program(args=(np.array([0.7, 1.2]),), label="first")
@program(args=(np.array([-0.7, 1.2]),), label="second")
def lambdas_in_both_arms(x):
    rows = [x[0] > 0]
    if rows[0]:
        bent = lambda v: v**2 if v > 1 else v
    else:
        bent = lambda v: v**3
    rows[0] = not rows[0]
    other = (lambda v: np.sin(v)) if x[0] < 0.0 else (lambda v: v * v)
    return sum(map(bent, x)) + other(x[1])

@program(args=(np.array([0.7, 1.2]),), recorded=True)
def another_meaning_in_the_other_arm(x):
    scale = 3.0
    if x[0] > 0.2:

        def bent(v):
            return v**2 * scale
    else:

        def bent(v):
            scale = v * 2
            return v**3 * scale

    return np.sum(bent(x))

@program(args=(np.array([0.7, 1.2]),), recorded=True)
def made_in_each_iteration(x):
    made = []
    for k in range(2):
        if x[k] > 1:

            def bent(v):
                return v**2
        else:

            def bent(v):
                return v**3

        made.append(bent)
    return made[0](x[0]) * made[1](x[1])

def activation(name):
    if name == "cube":
        return cube
    return np.tanh

def cube(t):
    return t**3 * np.exp(t)

class Activated:
    def __init__(self, act):
        self.act = act

    def apply(self, x):
        return self.act(2.0 * x)

@program(args=(np.array([0.5, 1.2, 0.8]), "cube"))
def chosen_by_a_helper(x, name):
    act = activation(name)
    held = Activated(lambda t: t / (1.0 + np.abs(t)))
    kinds = [Activated(act), Activated(np.sin), held]
    return sum(np.sum(each.apply(x)) for each in kinds)


TABLE = {"sine": np.sin, "tanh": np.tanh}


def chosen_by(kind):
    if kind == "square":
        return np.square
    return TABLE[kind]


def gradient_of(f, which=0):
    return grad(f, wrt=which)


def product_of_sums(a, b):
    return np.sum(a * a) * np.sum(b)


@program(args=(np.array([0.7, 1.2]),))
def functions_that_functions_give(x):
    total = 0.0
    for kind in ("sine", "square", "tanh"):
        total = total + np.sum(chosen_by(kind)(x) * x)
    slope = gradient_of(product_of_sums, 1)
    return total * np.sum(slope(x, x) * gradient_of(product_of_sums)(x, 2 * x))
