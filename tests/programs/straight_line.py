"""Assignments and arithmetic, without control flow."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(1.3,), tags=("third",))
def polynomial(x):
    return 3 * x**3 - 2 * x**2 + x - 5

@program(args=(0.8,), tags=("third",))
def intermediate_used_many_times(x):
    s = math.sin(x)
    t = s * s + s
    return t * s - t / (2 + s)

@program(args=(0.4,), tags=("third",))
def deep_chain(x):
    return math.exp(math.sin(math.log(1 + math.cosh(math.tan(x)))))

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

@program(args=(1.6, -0.4, 0.3), wrt=(0, 1, 2))
def builtin_min_and_max(x, y, z):
    return max(x, y) ** 2 + min(x, y, z) * z + max(y, 0.0) + min(z, 1)

@program(args=(0.6, 1.2), wrt=(0, 1))
def same_value_in_both_operands(x, y):
    square = x * x
    quotient = y / (y + y)
    return square * square - square / square + quotient**2 * (x - x) + math.hypot(y, y)
# fmt: on

@program(args=(np.float64(1.3), np.float64(0.4)), wrt=(0, 1))
def numpy_scalars(x, y):
    return x * y + np.sin(x) / y
