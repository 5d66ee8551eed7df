"""`match`, on what is not differentiated and on structures of what is."""

import dataclasses

import numpy as np

from tests.programs.table import program

X = np.array([0.5, -1.2, 0.8])


@program(args=(X, 3), label="guard")
def with_guards(x, n):
    match n:
        case -1:
            return np.sum(x**2)
        case k if k > 2:
            x = x * k
        case other:
            x = x / (other + 1)
    return np.sum(x**3)


@dataclasses.dataclass
class Rectangle:
    """A shape with two sides."""

    a: float
    b: float

@dataclasses.dataclass
class Circle:
    """A shape with a radius."""

    r: float

class Ellipse:
    """A shape that says what its patterns are about."""

    __match_args__ = ("u", "v")

    def __init__(self, u, v):
        self.u, self.v = u, v

def area(shape):
    match shape:
        case Rectangle(a, b) if a > b:
            return a * b
        case Rectangle(a=a, b=b) | Ellipse(a, b):
            return a + b * b
        case Circle(r=r):
            return r * r * 3
        case _:
            return 0.0

@program(args=(X,), recorded=True)
def classes(x):
    first = area(Rectangle(x[0], x[1])) * area(Rectangle(x[1], x[0]))
    return first * area(Ellipse(x[0], x[2])) + area(Circle(x[2]))


def volume(shape):
    match shape:
        case Rectangle(a, b) if a > b:
            return a * b
        case Rectangle(b=shape, a=height):
            return height * shape**3
        case Circle(r=0.25) | None:
            return 2.0
        case Circle(r=r):
            return r * r * 3
        case float():
            return shape * 2
        case _:
            return 0.0

@program(args=(X,))
def fields(x):
    first = volume(Rectangle(x[0], x[1])) * volume(Rectangle(x[1], x[0])) + volume(None)
    return first + volume(Circle(x[2])) + volume(x[0] * x[1]) + volume("none") * x[0]

@program(args=(X,), recorded=True)
def bound_by_a_case_that_is_not_taken(x):
    y = 1.0
    match x[0] * 3:
        case y if y > 5:
            z = 2.0
        case _:
            z = 3.0
    return x[1] * y * z

@program(args=(X,))
def bound_in_turn(x):
    match x[0] * 3:
        case y if y > 5:
            z = 2.0
        case y if y < 2:
            z = y * x[1]
        case other:
            z = 3.0 * other
    return x[1] * z
