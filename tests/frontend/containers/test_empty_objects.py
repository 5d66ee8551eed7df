"""Objects that are made inside of a function, of classes that have no ``__init__`` of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import InitVar, dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

from srcgrad import grad, hvp, jvp, vjp
from tests.finite_differences import gradient

T = TypeVar("T")
X = np.array([0.5, 1.5, 2.0, 0.7])


class Scaled:
    factor = 2.0

    def total(self, x):
        return self.factor * np.sum(np.sin(x))


class Layer(ABC):
    @abstractmethod
    def apply(self, x): ...

    def twice(self, x):
        return self.apply(self.apply(x))


class Softened(Layer, Generic[T]):
    def apply(self, x):
        return np.tanh(x) * x


class Parameters:
    pass


@dataclass
class Standardised:
    values: Any
    power: InitVar[float] = 2.0
    made: Any = field(init=False, default=None)

    def __post_init__(self, power):
        self.made = (self.values - np.mean(self.values)) ** power


def of_a_class_attribute(x):
    return Scaled().total(x)


def of_an_abstract_class(x):
    return np.sum(Softened().twice(x))


def given_attributes(x):
    p = Parameters()
    p.a, p.rest = x[0], x[1:]
    p.a = p.a * 2.0
    return p.a * np.sum(p.rest**2)


def hides_the_class(x):
    made = Scaled()
    made.factor = x[0]
    return made.total(x) * Scaled().total(x)


def in_a_list(x):
    layers = [Softened(), Softened()]
    return np.sum(layers[1].apply(layers[0].apply(x)))


def told_apart(x):
    one, two = Parameters(), Parameters()
    one.a = x[0]
    return one.a**2 if one is not two else one.a


def set_up_later(x):
    return np.sum(Standardised(x, 3.0).made) + np.sum(Standardised(x[1:]).made)


PROGRAMS = [
    *(of_a_class_attribute, of_an_abstract_class, given_attributes, hides_the_class),
    *(in_a_list, told_apart, set_up_later),
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.one_of(3)
def test_derivatives(f):
    """They have text, and agree with differences in all modes."""
    expected = gradient(f, (X,), 0)
    v = np.array([0.3, -0.7, 0.2, 1.1])
    np.testing.assert_allclose(grad(f, recorded="refuse")(X), expected, rtol=1e-6)
    np.testing.assert_allclose(vjp(f, X, recorded="refuse")[1](2.0), 2 * expected, rtol=1e-6)
    slope = jvp(f, (X,), (v,), recorded="refuse")[1]
    np.testing.assert_allclose(slope, expected @ v, rtol=1e-6)
    bend = gradient(lambda x: grad(f)(x) @ v, (X,), 0)
    np.testing.assert_allclose(hvp(f)(X, v), bend, rtol=1e-6, atol=1e-8)


class Counted:
    count = None

    def add(self, value):
        self.count = value if self.count is None else self.count + value


def of_a_default_that_is_hidden(x):
    made = Counted()
    for value in x:
        made.add(value**2)
    return made.count * (1.0 if Counted().count is None else x[0])


def test_a_class_attribute_that_methods_hide():
    """It is that of the object where it has one, that of the class elsewhere."""
    slope = grad(of_a_default_that_is_hidden, recorded="allow")
    for _ in range(2):
        np.testing.assert_allclose(slope(X), 2 * X)


def test_class_attributes_change_between_calls(monkeypatch):
    """They are read when the code runs, and a constructor that is added is called."""
    slope = grad(of_a_class_attribute)
    np.testing.assert_allclose(slope(X), 2.0 * np.cos(X))
    monkeypatch.setattr(Scaled, "factor", 5.0)
    np.testing.assert_allclose(slope(X), 5.0 * np.cos(X))

    def begin(self):
        self.factor = 7.0

    monkeypatch.setattr(Scaled, "__init__", begin)
    np.testing.assert_allclose(slope(X), 7.0 * np.cos(X))
