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
def lambda_over_active_values(x, y):
    f = lambda t: t * x + y
    return f(x) * f(2.0)


@program(args=(0.7, 1.2), wrt=(0, 1))
def captured_intermediate(x, y):
    a = math.exp(x * y)
    b = a + x

    def line(t, scale=2.0):
        s = a * t + b
        return s * scale

    return line(y) + line(x, scale=y) * b


@program(args=(0.7, 1.2), wrt=(0, 1))
def captured_name_rebound_before_the_call(x, y):
    """Python looks the captured name up when the function runs."""

    def scaled(t):
        return t * factor

    factor = x
    a = scaled(y)
    factor = y * y
    return a + scaled(x)


@program(args=(0.7,))
def local_function_in_a_loop(x):
    total = 0.0
    for k in range(3):

        def term(t):
            return math.sin(k * t) * x

        total = total + term(x) * term(2.0)
    return total


@program(args=(0.7,))
def carried_value_captured_in_a_loop(x):
    y = x
    f = lambda t: t * y
    for _ in range(3):
        y = f(x) + y
    return y


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


def apply_twice(f, x):
    return f(f(x))


def integrate(f, a, b, n):
    """The trapezoidal rule with n intervals."""
    h = (b - a) / n
    total = 0.5 * (f(a) + f(b))
    for k in range(1, n):
        total = total + f(a + k * h)
    return total * h


def newton(f, derivative, x, steps):
    for _ in range(steps):
        x = x - f(x) / derivative(x)
    return x


@program(args=(0.7, 1.2), wrt=(0, 1))
def function_as_an_argument(x, y):
    return apply_twice(lambda t: t * y + math.sin(t), x)


@program(args=(0.7,))
def library_functions_as_arguments(x):
    return apply_twice(math.sin, x) + apply_twice(np.exp, x * x)


@program(args=(0.2, 1.4, 0.8), wrt=(0, 1, 2))
def integral_with_a_parameter_and_active_limits(a, b, c):
    return integrate(lambda t: math.exp(-c * t * t), a, b, 5)


@program(args=(2.3, 1.5), wrt=(0, 1))
def root_of_a_local_function(c, start):
    def f(t):
        return t**3 - c * t - 1

    def derivative(t):
        return 3 * t**2 - c

    return newton(f, derivative, start, 3)


def make_line(slope, intercept):
    def line(t):
        return slope * t + intercept

    return line


def make_polynomial(a, b):
    return lambda t: a * t**2 + b * t


def compose(f, g):
    return lambda t: f(g(t))


@program(args=(0.7, 1.2), wrt=(0, 1))
def factory(x, y):
    line = make_line(x, y)
    return line(x * y) * line(2.0)


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


@program(args=(0.7, 4))
def factory_in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        line = make_line(x * k, total)
        total = line(x) + np.sin(total)
    return total


@program(args=(0.7, 1.2), wrt=(0, 1))
def functions_of_a_factory_in_a_list(x, y):
    total = x
    for line in [make_line(x * k, y) for k in range(3)]:
        total = line(total)
    return total


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


@program(args=(0.7, 1.2), wrt=(0, 1))
def lambda_called_at_once(x, y):
    return (lambda a, b: a * b + y)(x, x + y)


@program(args=(0.7, 1.2), wrt=(0, 1))
def local_function_with_a_tuple_result(x, y):
    def both(t):
        return t * x, t + y

    a, b = both(y)
    c, _ = both(a)
    return a * b + c


@program(args=(0.7, 1.2), wrt=(0, 1))
def local_names_hide_outer_ones(x, y):
    def f(x):
        y = x * 2
        return y * x

    g = lambda y: y + x
    return f(y) * g(y)


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=(3, 3))), wrt=(0, 1))
def captured_arrays(x, a):
    residual = lambda v: a @ v - x
    r = residual(x)
    for _ in range(2):
        r = r - 0.1 * residual(r)
    return np.sum(r**2)


@program(args=(0.7, 1.2), wrt=(0, 1))
def right_hand_side_of_an_equation(x, decay):
    def rhs(t, y):
        return -decay * y + math.sin(t)

    t, h = 0.0, 0.2
    for _ in range(3):
        middle = x + 0.5 * h * rhs(t, x)
        x = x + h * rhs(t + 0.5 * h, middle)
        t = t + h
    return x


def fold(f, values, start):
    for value in values:
        start = f(start, value)
    return start


@program(args=(0.7, 1.2, 0.4), wrt=(0, 1, 2))
def fold_over_a_tuple(x, y, z):
    return fold(lambda a, b: a * b + z, (x, y, z), 1.0)


@program(args=(0.7,))
def tuple_of_functions(x):
    total = x
    for f in (math.sin, math.exp, lambda t: t * x):
        total = total + f(total)
    return total


@program(args=(0.7, 1.2), wrt=(0, 1))
def early_return_in_a_local_function(x, y):
    def f(t):
        if t > 1:
            return t * x
        return t + y

    return f(x) * f(y)


@program(args=(np.array([0.5, 1.5]),))
def a_name_that_is_also_a_method_in_a_local_function(x):
    def half(z):
        return z.sum() / 2

    first = half(x)
    sum = first * 3
    return sum * first


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
