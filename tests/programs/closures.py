"""Local functions and lambdas that close over active values, and functions of functions."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.7, 1.2), wrt=(0, 1))
def local_function(x, y):
    def scaled(t):
        return t * y

    return scaled(x) ** 2 + scaled(y)


@program(args=(0.7,), tags=("third",))
def local_function_without_captures(x):
    def cube(t):
        return t * t * t

    return cube(x) + cube(math.sin(x))


@program(args=(0.7, 1.2), wrt=(0, 1))
def captured_intermediate(x, y):
    a = math.exp(x * y)
    b = a + x

    def line(t, scale=2.0):
        s = a * t + b
        return s * scale

    return line(y) + line(x, scale=y) * b


@program(args=(0.7, True), label="first")
@program(args=(0.7, False), label="second")
def local_function_chosen_by_a_branch(x, flag):
    if flag:
        f = lambda t: t * x
    else:
        f = lambda t: math.sin(t) + x
    return f(x * x)


@program(args=(0.7, 1.2), wrt=(0, 1))
def local_function_that_calls_another(x, y):
    def inner(t):
        return t * x

    def outer(t):
        return inner(t) + inner(y)

    return outer(y * x)


@program(args=(0.7, 1.2), wrt=(0, 1))
def local_functions_in_each_other(x, y):
    def outer(t):
        u = t * x

        def inner(s):
            return s * u + y

        return inner(t) * inner(y)

    return outer(x + y)


@program(args=(0.7, 4))
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


def make_line(slope, intercept):
    def line(t):
        return slope * t + intercept

    return line


def make_polynomial(a, b):
    return lambda t: a * t**2 + b * t


def compose(f, g):
    return lambda t: f(g(t))


@program(args=(0.7, 1.2), wrt=(0, 1))
def two_functions_of_one_factory(x, y):
    first = make_line(x, 1.0)
    second = make_line(y, x)
    return first(y) * second(x) + first(second(2.0))


@program(args=(0.7, 1.2), wrt=(0, 1))
def factory_called_at_once(x, y):
    return make_line(x, y)(x) + make_polynomial(x, y)(y)


@program(args=(0.7, 1.2), wrt=(0, 1))
def composition(x, y):
    f = compose(make_line(x, y), lambda t: t * t * x)
    return f(y) + f(x)


def make_layer(w, activation):
    """A layer that captured a function of a library."""

    def layer(h):
        return activation(w @ h)

    return layer


def layer_arguments(rng):
    return rng.normal(size=(3, 2)), rng.normal(size=(2, 3)), rng.normal(size=2)


@program(args=layer_arguments, wrt=(0, 1, 2))
def layers_of_a_factory(w1, w2, x):
    hidden = make_layer(w1, np.tanh)
    last = make_layer(w2, lambda v: v**2)
    return np.sum(last(hidden(x)))


@program(args=(0.7, 1.2), wrt=(0, 1))
def captured_library_functions(x, y, activation=np.tanh):
    def layer(h):
        inner = lambda t: activation(t) * x
        return inner(h) + inner(1.0) + activation(2.0)

    return layer(y) * y


def choose_step(kind, rate):
    """Two functions, of which one is returned: which one is known when code is generated."""
    if kind == "plain":

        def step(w, slope):
            return w - rate * slope

    else:

        def step(w, slope):
            return w - rate * slope * slope

    return step


@program(args=(np.array([1.0, 2.0]), 0.1), wrt=(0, 1))
def step_of_a_factory(w, rate):
    step = choose_step("plain", rate)
    for _ in range(3):
        w = step(w, 2 * w)
    return np.sum(w**2)


constant_line = make_line(3.0, -1.0)
sine_of_double = compose(math.sin, lambda t: 2 * t)


@program(args=(0.7,))
def closures_made_outside(x):
    return constant_line(x) * sine_of_double(x)


@program(args=(0.7, 1.2), wrt=(0, 1))
def active_default_of_a_local_function(x, y):
    def f(t, scale=x * y):
        return t * scale

    x = x + 1.0
    return f(x) + f(y, 2.0) + f(y, scale=y)


@program(args=(np.array([0.5, 1.5, 0.3, 0.8]),))
def a_name_that_is_also_an_option_in_a_local_function(x):
    def rows(z):
        def total(axis):
            return z.reshape(2, 2).sum(axis=axis)

        return total(0)

    y = rows(x)
    reshape = y * 2
    axis = reshape * y
    return np.sum(axis)


@program(args=(0.7, 1.2), wrt=(0, 1))
def list_of_functions_that_captured(x, y):
    functions = [lambda v, k=k: v * x + k for k in range(3)]
    out = 1.0
    for f in functions:
        out = f(out) * y
    return out + sum(f(x) for f in functions)


@program(args=(0.7, 1.2), wrt=(0, 1))
def functions_appended_in_a_loop(x, y):
    functions = []
    for k in range(3):
        functions.append(lambda v, k=k: v * x + k * y)
    out = 1.0
    for f in functions:
        out = f(out)
    return out


@program(args=(0.7, 1.2), wrt=(0, 1))
def functions_in_tuples(x, y):
    steps = [(k, lambda v, k=k: v * x + y) for k in range(3)]
    out = 1.0
    for k, f in steps:
        out = f(out) + k
    return out


def combined(*terms, **options):
    return sum(terms) * options["scale"] + options.get("shift", 0.0)


def handed_on(f, *args, **options):
    return f(*args, **options)


@program(args=(0.7, 1.2), wrt=(0, 1))
def keywords_in_a_definition(x, y):
    return combined(x, x * y, scale=y) + handed_on(combined, y, x, scale=x, shift=y * y)
