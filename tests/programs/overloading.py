"""Classes with operators, items, lengths, cached properties and constructors made of fields."""

from dataclasses import dataclass, field

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])

class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def __rmul__(self, k):
        return Vector(k * self.x, k * self.y * 1.5)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __abs__(self):
        return np.sqrt(self @ self)

class Polynomial:
    def __init__(self, coefficients):
        self.c = list(coefficients)

    def __call__(self, t):
        total = 0.0
        for a in self.c:
            total = total * t + a
        return total

    def __len__(self):
        return len(self.c)

    def __getitem__(self, k):
        return self.c[k]

    def __add__(self, other):
        return Polynomial([a + b for a, b in zip(self.c, other.c, strict=True)])


@dataclass
class Buffered:
    a: float
    weights: np.ndarray = field(default_factory=lambda: np.full(3, 2.0))
    tags: set = field(default_factory=set)


ORIGIN = Vector(1.0, 2.0)

@program(args=(X,))
def operators_between_objects(x):
    a, b = Vector(x[0], x[1]), Vector(x[2], x[1] * x[2])
    return abs(a + b * 2.0) + (a - b) @ -a

@program(args=(X,))
def operators_that_are_the_right_operand_s(x):
    return abs(2.0 * Vector(x[0], x[1]) + x[2] * Vector(x[1], x[0]))

@program(args=(X,))
def an_operator_that_assigns(x):
    total = Vector(0.0, 0.0)
    for k in range(3):
        total += Vector(x[k], x[k] ** 2)
    total -= Vector(x[0], 1.0)
    return total @ total

@program(args=(X,))
def operators_with_an_object_from_outside(x):
    return (ORIGIN + Vector(x[0], x[1])) @ ORIGIN + Vector(x[2], x[1]) @ ORIGIN

@program(args=(X,))
def a_polynomial_of_coefficients(x):
    p = Polynomial(x) + Polynomial(x * 2.0)
    return p(0.3) * p[1] + len(p) * p[0]


@program(args=(X,))
def an_array_that_a_field_was_given_is_written(x):
    made = Buffered(x[0])
    made.weights[0] = x[1]
    return made.a * np.sum(made.weights * x)
