"""Assignments and arithmetic, without control flow."""

import math
from math import exp as exponential
from math import sqrt

import numpy as np
import numpy.linalg as la
from numpy import sin as sine

from tests.programs.table import program

GRAVITY = 9.81
WEIGHTS = np.array([0.2, -0.5, 1.1])


@program(args=(1.3,), tags=("third",))
def polynomial(x):
    return 3 * x**3 - 2 * x**2 + x - 5


@program(args=(0.7, 1.9), wrt=(0, 1))
def rosenbrock(x, y):
    a = 1.0 - x
    b = y - x**2
    return a**2 + 100.0 * b**2


@program(args=(0.8,), tags=("third",))
def intermediate_used_many_times(x):
    s = math.sin(x)
    t = s * s + s
    return t * s - t / (2 + s)


@program(args=(0.4,), tags=("third",))
def deep_chain(x):
    return math.exp(math.sin(math.log(1 + math.cosh(math.tan(x)))))


@program(args=(1.7, 0.6), wrt=(0, 1))
def every_operator(x, y):
    a = x + y
    b = x - y
    c = a * b
    d = c / y
    e = d**3
    f = e % 2.7
    g = x // y
    return f + g * x + -e + +d


@program(args=(1.4, 2.3), wrt=(0, 1))
def variable_power(x, y):
    return x**y + y ** (-x) + 2.0**x


@program(args=(1.2,), tags=("third",))
def negative_and_fractional_powers(x):
    return x**-2 + x**0.5 - x**-1.5 + x**0 + x**1


@program(args=(0.35,), tags=("third",))
def trigonometry_of_math(x):
    a = math.sin(x) + math.cos(x) + math.tan(x)
    b = math.asin(x) * math.acos(x) + math.atan(x)
    c = math.sinh(x) + math.cosh(x) * math.tanh(x)
    return a * b + c


@program(args=(1.35,), tags=("third",))
def exponents_of_math(x):
    a = math.exp(x) + math.expm1(x) + math.log(x) + math.log1p(x)
    b = math.log2(x) * math.log10(x) + math.sqrt(x)
    return a + b * math.fabs(x)


@program(args=(0.9, 1.6), wrt=(0, 1))
def two_argument_math(x, y):
    return math.atan2(y, x) * math.hypot(x, y) + math.pow(x, y)


@program(args=(1.6, -0.4), wrt=(0, 1))
def builtin_functions(x, y):
    return abs(y) * pow(x, 3) + float(x) ** 2 + round(x) * y


@program(args=(1.6, -0.4, 0.3), wrt=(0, 1, 2))
def builtin_min_and_max(x, y, z):
    return max(x, y) ** 2 + min(x, y, z) * z + max(y, 0.0) + min(z, 1)


@program(args=(2.0, 3.0), wrt=(0, 1))
def argument_without_influence(x, y):
    return x**2


@program(args=(2.0,), tags=("flat",))
def constant_result(x):
    return 3.0


@program(args=(2.0,))
def identity(x):
    return x


@program(args=lambda rng: (rng.normal(size=3),), vector=True)
def identity_of_array(x):
    return x


@program(args=(1.1, 0.3), wrt=(0, 1))
def dead_code(x, y):
    ignored = math.exp(x) * y
    ignored = ignored + 1.0  # still nobody reads it
    return x * y


@program(args=(1.1, 0.3), wrt=(1, 0))
def wrt_in_another_order(x, y):
    return x * math.sin(y) + x**2


@program(args=(1.1, 0.3, 0.7), wrt=(2,))
def only_the_last_argument(x, y, z):
    return x * math.sin(y * z) + z * x


@program(args=(0.6, 1.2), wrt=(0, 1))
def same_value_in_both_operands(x, y):
    square = x * x
    quotient = y / (y + y)
    return square * square - square / square + quotient**2 * (x - x) + math.hypot(y, y)


# fmt: off
@program(args=(0.6, 1.2), wrt=(0, 1))
def layout_that_a_formatter_would_change( x,y ):
    # A comment above, and one at the end of lines.
    a = (x +   y     # the sum
         * 2.0       # of two
        )
    b = a*x ; c = b-y ; d = c*c


    e = d + \
        a * b
    return (
        e
        - x
    )
# fmt: on


@program(args=(0.6,))
def number_literals(x):
    return 1_000 * x**2 + 1e-3 * x + 0x10 * x + 1.5e1 / x - 0b11


@program(args=(0.6, 1.2), wrt=(0, 1))
def names_that_generated_code_might_use(x, y):
    """Cotangents, residuals and the functions of the pair must not meet these."""
    x_bar = x * y
    y_bar = x_bar + y**2
    saved = x_bar * y_bar
    residuals = saved + x
    value = residuals * residuals
    value_bar = value * y_bar
    backward = value_bar - x_bar
    result = backward * y
    t = result + saved
    t_1 = t * value
    z_bar = t_1 - t
    _ = z_bar * x_bar
    return _ * 1e-2


@program(args=(0.6, 1.2), wrt=(0, 1))
def greek_names(μ, σ):
    Δ = (1.7 - μ) / σ
    return -0.5 * Δ**2 - math.log(σ)


@program(args=(0.9, 14.0), wrt=(0, 1))
def globals_of_the_module(angle, speed):
    reach = speed**2 * math.sin(2 * angle) / GRAVITY
    return reach * np.sum(WEIGHTS * angle)


@program(args=lambda rng: (0.9, rng.normal(size=(3, 3))), wrt=(0, 1))
def names_imported_in_other_ways(x, a):
    return sine(x) * exponential(-x) + sqrt(x) * la.norm(a)


@program(args=(1.3, 3))
def integer_argument(x, n):
    return x**n / n + n * x


@program(args=(np.float64(1.3), np.float64(0.4)), wrt=(0, 1))
def numpy_scalars(x, y):
    return x * y + np.sin(x) / y


@program(args=(np.array(1.3), np.array(0.4)), wrt=(0, 1))
def arrays_without_dimensions(x, y):
    return np.exp(x * y) - x / y


@program(args=lambda rng: (rng.normal(size=4), 0.7, -0.2), wrt=(0, 1, 2))
def scalars_with_an_array(x, a, b):
    line = a * x + b
    return np.sum(line**2) / a


@program(args=lambda rng: (rng.normal(size=4), rng.normal(size=4)), wrt=(0, 1))
def array_intermediates(x, y):
    difference = x - y
    distance = np.sqrt(np.sum(difference**2))
    cosine = np.dot(x, y) / (np.sqrt(np.dot(x, x)) * np.sqrt(np.dot(y, y)))
    return distance * cosine


@program(args=lambda rng: (rng.normal(size=3), 0.4), wrt=(0, 1), vector=True)
def several_results(x, a):
    return np.sin(a * x), a**2, np.sum(x)


@program(args=lambda rng: (rng.normal(size=3), 0.4), wrt=(0, 1), vector=True)
def result_twice(x, a):
    y = a * x
    return y, y


@program(args=lambda rng: (rng.normal(size=3), 0.4), wrt=(0, 1), vector=True)
def nested_results(x, a):
    y = a * x
    return (y, (a, np.sum(y))), np.cos(y)


@program(args=lambda rng: (rng.normal(size=3), 0.4), wrt=(0, 1), vector=True)
def arguments_among_the_results(x, a):
    return x, x * a, a
