"""Calls, functions as values, and results."""

import functools
from typing import Any, NamedTuple

import numpy as np

from tests.language.rows import shows

X = np.array([0.3, 0.7, 1.1])

def power(x, n=2, *, scale=1.0):
    return scale * x**n

def summed(*parts):
    total = 0.0
    for part in parts:
        total = total + part * part
    return total

@shows("arguments", args=(0.7,))
def called(x):
    pair = (x, 3)
    options = {"scale": x, "n": 2}
    return power(x) * power(x, n=3, scale=x) + power(*pair) + power(x, **options)

def ratio(a, b):
    return a / b

@shows("arguments", args=(np.array([0.7, 1.1]),))
def star_of_an_array(theta):
    return ratio(*theta) + ratio(*theta[::-1]) ** 2 + ratio(b=theta[0], *theta[1:])

def volume(n, m=1, *more):
    return n * m + sum(more)

TABLE = {"a": (2.0, 3.0)}

@shows("arguments", args=(np.array([[0.7, 1.1], [0.5, 0.2]]),))
def star_of_a_shape(x):
    rows = [t * t for t in x[0]]
    return volume(*x.shape) * ratio(*TABLE["a"]) * np.sum(x**2) + ratio(*rows) + volume(*x[1])

PAIR = (1.5, 0.5)
OPTIONS = {"b": 2.5}

@shows("arguments", args=(0.7,))
def stars_of_what_is_outside(x):
    return x * ratio(*PAIR) ** x + ratio(x, **OPTIONS)

@shows("`*args` and `**options` in definitions", args=(0.7, 1.1), wrt=(0, 1))
def variadic(*args):
    def inner(**options):
        return options["a"] * options["b"]

    return summed(*args, args[0]) * summed(args[1]) + inner(a=args[0], b=args[1])

def double(x, /, *, factor=2.0):
    return x * factor

@shows("positional-only and keyword-only parameters", args=(0.7,))
def marked(x, /, *, offset=1.0):
    return double(x, factor=x) + offset * x

def falling(x, n):
    return x if n == 0 else np.sin(falling(x, n - 1)) * x

def even(x, n):
    return x if n == 0 else odd(x * x, n - 1)

def odd(x, n):
    return 1.0 if n == 0 else even(x + 1, n - 1) * x

@shows("recursion", args=(0.7,), order2=False)
def recursive(x):
    return falling(x, 3) + even(x, 2)

@shows("imports", args=(0.7,))
def modules_imported_inside(x):
    """A module, and one with another name."""
    import math

    import numpy.linalg as la
    import scipy.special

    return math.sin(x) * la.norm(np.array([x, 1.0])) + scipy.special.expit(x)

@shows("imports", args=(0.7,))
def names_imported_inside(x):
    """Functions of a module."""
    from math import cos as c
    from math import sin

    return sin(x) * c(x)

@shows("imports", args=(0.7,))
def called_with_an_import(x):
    """A called function has the import, and its caller another thing under that name."""
    math = x * 2.0
    return modules_imported_inside(x) * math

@shows("local functions and lambdas", args=(0.7,))
def local(x):
    y = x * x

    def inner(t):
        return t * y + x

    square = lambda t: t * t * y
    total = inner(x) * square(y)

    def add(t):
        nonlocal total
        total = total + t * y

    add(x)
    return total

def through_all(functions, x):
    for f in functions:
        x = f(x)
    return x

@shows("local functions in lists, dicts and objects", args=(0.7, 1.2), wrt=(0, 1))
def in_lists_and_dicts(x, a):
    def scaled(y):
        return a * y

    table = {"first": [scaled, np.sin, lambda y: y * x]}
    a = a * x
    return through_all(table["first"], x)

class Iteration:
    def __init__(self, step, measure):
        self.step, self.measure = step, measure
        self.seen = []

    def run(self, x, n):
        for _ in range(n):
            x = self.step(x)
            self.seen.append(self.measure(x))
        return x

@shows("local functions in lists, dicts and objects", args=(X, 0.4), wrt=(0, 1))
def in_an_object(x, rate):
    iteration = Iteration(lambda y: y - rate * np.sin(y), lambda y: np.sum(y) * rate)
    first = iteration.run(x, 2)
    earlier = rate
    rate = rate * 0.5  # which the functions see
    second = iteration.run(first, 1)
    return np.sum(first * second) + sum(iteration.seen) * earlier

def apply(f, x):
    return f(f(x))

@shows("functions as arguments", args=(0.7,))
def applied(x):
    return apply(np.sin, x) * apply(lambda t: t * x, x)

@shows("functions as values", args=(0.7,))
def chosen(x):
    layers = [np.sin, np.tanh, lambda t: t * t]
    for layer in layers:
        x = layer(x)
    table = {"square": lambda t: t * t, "cube": lambda t: t**3}
    for f in table.values():
        x = x + f(x)
    return x * table["cube"](x)


@shows("`functools.partial`", args=(0.7,))
def partial(x):
    cube = functools.partial(power, n=3)
    scaled = functools.partial(power, scale=x)
    return cube(x) * scaled(x, 2)


@shows("decorators that hand the function on", args=(0.7,))
def decorated(x):
    return cached(x) * x

def plain(f):
    return f

@plain
def cached(x):
    return np.sin(x)


def scaled(x):
    return 2 * x

GATES = {"scaled": scaled, "sine": np.sin}
TABLE_OF_STEPS = [("scaled", 2.0, np.cos), ("sine", 0.5, np.tanh)]

@shows("global variables", args=(0.7, "exp"), wrt=(0,))
def tables_read(x, name):
    TABLE = TABLE_OF_STEPS
    total = getattr(np, name)(x)
    for name, w, f in TABLE:
        total = total + w * GATES[name](x) * f(x)
    return total

class Pair(NamedTuple):
    """Two results."""

    first: Any
    second: Any


@shows("results", args=(X,), vector=True)
def by_name(x):
    return {"a": x * x, "b": Pair(np.sin(x), x[0])}
