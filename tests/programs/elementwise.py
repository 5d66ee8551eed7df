"""Arrays, element by element."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def trigonometry(x):
    return np.sum(np.sin(x) * np.cos(x) + np.tan(0.3 * x) + np.arctan(x))


@program(args=lambda rng: (rng.normal(size=4),))
def hyperbolic(x):
    return np.sum(np.sinh(x) / np.cosh(x) + np.tanh(x) ** 3)


@program(args=lambda rng: (rng.uniform(0.5, 2.0, 4),))
def exponents_and_logarithms(x):
    a = np.exp(x) + np.expm1(x) + np.exp2(x)
    b = np.log(x) + np.log1p(x) + np.log2(x) + np.log10(x)
    return np.sum(a * b)


@program(args=lambda rng: (rng.normal(size=4), rng.uniform(0.5, 2.0, 4)), wrt=(0, 1))
def functions_for_operators(x, y):
    a = np.add(x, y) * np.subtract(x, y)
    b = np.multiply(a, x) / np.divide(x, y)
    return np.sum(np.negative(b) + np.positive(a) + np.true_divide(a, y))


@program(args=lambda rng: (rng.normal(size=4), rng.uniform(0.5, 2.0, 4)), wrt=(0, 1))
def functions_of_two_arguments(x, y):
    return np.sum(np.hypot(x, y) * np.arctan2(x, y) + np.logaddexp(x, y))


@program(args=lambda rng: (rng.normal(size=5), rng.normal(size=5)), wrt=(0, 1))
def kinks(x, y):
    a = np.maximum(x, y) * np.minimum(x, 0.3)
    return np.sum(np.abs(a) + np.absolute(x) * np.fabs(y) + np.clip(x, -0.5, 0.5))


@program(args=lambda rng: (rng.normal(size=5), rng.normal(size=5)), wrt=(0, 1))
def where(x, y):
    a = np.where(x > y, x**2, y)
    return np.sum(a * np.where(a > 0.1, np.sin(x), 0.5))


@program(args=lambda rng: (rng.uniform(0.1, 1.0, 4) * np.array([1, -1, 1, -1]),))
def where_guards_a_domain(x):
    safe = np.where(x > 0, x, 1.0)
    return np.sum(np.where(x > 0, np.log(safe), x**2))


@program(args=lambda rng: (3 * rng.normal(size=6),))
def stable_sigmoid(x):
    e = np.exp(-np.abs(x))
    p = np.where(x >= 0, 1 / (1 + e), e / (1 + e))
    return np.sum(p**2)


@program(args=lambda rng: (rng.normal(size=6),))
def softplus_and_relu(x):
    softplus = np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)
    return np.sum(softplus * np.maximum(0.0, x - 0.2))


@program(args=lambda rng: (rng.normal(size=4),))
def constants_with_an_array(x):
    return np.sum(2 * x + x * 3 - 1 / (x - 4) + 2**x - (1 - x) ** 2)


@program(args=lambda rng: (rng.normal(size=4),))
def like_arrays(x):
    ones = np.ones_like(x)
    zeros = np.zeros_like(x)
    return np.sum((ones + zeros) * x**2 + np.full_like(x, 0.5) * x)


@program(args=lambda rng: (rng.normal(size=4),))
def conversions(x):
    x = np.asarray(x)
    y = np.array(x) * 2
    return np.sum(y * np.copy(x)) + float(y[0])


@program(args=(0.4,))
def array_functions_of_a_float(x):
    return np.sum(np.exp(x)) * np.sqrt(x) + np.maximum(x, 0.1) * np.where(x > 0, x, 1.0)


@program(args=lambda rng: (rng.normal(size=4), np.array([True, False, True, True])))
def boolean_array_as_a_constant(x, mask):
    return np.sum(mask * x**2) / np.sum(mask) + np.sum(np.where(~mask, x, 0.0))
