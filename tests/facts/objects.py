"""Objects of other kinds."""

from __future__ import annotations

import dataclasses
import functools
import types
from typing import NamedTuple

import numpy as np

from tests.facts.cases import X, changing, cubed, plain_cube
from tests.facts.models import model_class

STATE = {}


@changing
def _class_attribute_through_the_class():
    _, cls = model_class()
    return (
        (lambda x: np.sum(x * x) * (2.0 if cls.training else 3.0)),
        (X,),
        [lambda: setattr(cls, "training", False)],
    )


@changing
def _object_that_is_made_inside():
    class Point:
        power = 2

        def __init__(self, v):
            self.v = v

        def norm(self):
            return np.sum(self.v**self.power)

    def new_init(self, v):
        self.v = v * 3.0

    return (
        (lambda x: Point(x).norm()),
        (X,),
        [
            lambda: setattr(Point, "power", 3),
            lambda: setattr(Point, "__init__", new_init),
            lambda: setattr(Point, "norm", lambda self: np.sum(np.exp(self.v))),
        ],
    )


@changing
def _dataclass_that_is_made_inside():
    @dataclasses.dataclass
    class Pair:
        a: float
        b: float

        def mix(self):
            return np.sum(self.a * self.b)

    def new_init(self, a, b):
        self.a, self.b = b, 2.0 * a * b

    return (
        (lambda x: Pair(x, x * x).mix()),
        (X,),
        [
            lambda: setattr(Pair, "mix", lambda self: np.sum(self.a - self.b)),
            lambda: setattr(Pair, "__init__", new_init),
        ],
    )


@changing
def _dataclass_with_later_post_init():
    @dataclasses.dataclass
    class Pair:
        a: float
        b: float

    def post(self):
        self.a = self.a * 5.0

    def fresh_init(self, a, b):
        self.a, self.b = a * 5.0, b

    return (
        (lambda x: np.sum(Pair(x, x * x).a)),
        (X,),
        [
            lambda: setattr(Pair, "__post_init__", post),
            lambda: setattr(Pair, "__init__", fresh_init),
        ],
    )


@changing
def _slots():
    class Slim:
        __slots__ = ("mode", "w")

        def __init__(self):
            self.w, self.mode = 2.0, "sin"

        def run(self, x):
            return np.sum(np.sin(x) if self.mode == "sin" else np.cos(x)) * self.w

    s = Slim()
    return (
        (lambda x: s.run(x)),
        (X,),
        [lambda: setattr(s, "mode", "cos"), lambda: setattr(s, "w", 5.0)],
    )


@changing
def _super_call():
    class A:
        def run(self, x):
            return np.sum(x * x)

    class B(A):
        def run(self, x):
            return super().run(x) * 2.0

    b = B()
    return (
        (lambda x: b.run(x)),
        (X,),
        [lambda: setattr(A, "run", lambda self, x: np.sum(np.exp(x)))],
    )


@changing
def _super_call_of_argument():
    class A:
        def run(self, x):
            return np.sum(x * x)

    class B(A):
        def run(self, x):
            return super().run(x) * 2.0

    return (
        (lambda x, b: b.run(x)),
        (X, B()),
        [lambda: setattr(A, "run", lambda self, x: np.sum(np.exp(x)))],
    )


@changing
def _nested_objects():
    class Inner:
        mode = "sin"

    class Outer:
        def __init__(self):
            self.inner = Inner()

    o = Outer()
    return (
        (lambda x: np.sum(np.sin(x) if o.inner.mode == "sin" else np.cos(x))),
        (X,),
        [
            lambda: setattr(Inner, "mode", "cos"),
            lambda: setattr(o.inner, "mode", "sin"),
            lambda: setattr(o, "inner", types.SimpleNamespace(mode="tan")),
        ],
    )


@changing
def _attribute_by_getattr_of_the_class():
    class Loose:
        def __getattr__(self, name):
            if name == "mode":
                return STATE["mode"]
            raise AttributeError(name)

    STATE["mode"] = "sin"
    o = Loose()
    return (
        (lambda x: np.sum(np.sin(x) if o.mode == "sin" else np.cos(x))),
        (X,),
        [
            lambda: STATE.update(mode="cos"),
            lambda: STATE.update(mode="sin"),
            lambda: setattr(o, "mode", "cos"),
        ],
    )


@changing
def _property_of_text():
    class Configured:
        @property
        def mode(self):
            return STATE["mode"]

    STATE["mode"] = "sin"
    o = Configured()
    return (
        (lambda x: np.sum(np.sin(x) if o.mode == "sin" else np.cos(x))),
        (X,),
        [lambda: STATE.update(mode="cos"), lambda: STATE.update(mode="sin")],
    )


def _dataclass_model():
    @dataclasses.dataclass
    class Plain:
        w: float = 3.0
        mode: str = "sin"

        factor = 2.0

        def run(self, x):
            return np.sum(np.sin(x) if self.mode == "sin" else np.cos(x)) * self.w * self.factor

    return Plain


DATACLASS_CHANGES = [
    lambda cls, m: setattr(m, "w", 4.0),
    lambda cls, m: setattr(m, "mode", "cos"),
    lambda cls, m: setattr(cls, "factor", 3.0),
    lambda cls, m: setattr(m, "factor", 5.0),
    lambda cls, m: setattr(m, "run", plain_cube),
    lambda cls, m: delattr(m, "run"),
    lambda cls, m: setattr(cls, "run", cubed),
]


@changing
def _dataclass_as_argument():
    cls = _dataclass_model()
    m = cls()
    changes = [functools.partial(change, cls, m) for change in DATACLASS_CHANGES]
    return (lambda x, m: m.run(x)), (X, m), changes


@changing
def _dataclass_from_outside():
    cls = _dataclass_model()
    m = cls()
    changes = [functools.partial(change, cls, m) for change in DATACLASS_CHANGES]
    return (lambda x: m.run(x)), (X,), changes


class _Scaled(NamedTuple):
    w: float

    def run(self, x):
        return np.sum(x * x) * self.w


@changing
def _named_tuple_with_a_dict():
    class Child(_Scaled):
        pass

    t = Child(2.0)
    return (
        (lambda x, t: t.run(x)),
        (X, t),
        [lambda: setattr(Child, "run", cubed), lambda: setattr(t, "run", plain_cube)],
    )


@changing
def _slots_below_a_base_with_a_dict():
    class Base:
        scale = 2.0

        def run(self, x):
            return np.sum(x * x) * self.scale * self.w

    class Slim(Base):
        __slots__ = ("w",)

    s = Slim()
    s.w = 3.0
    return (
        (lambda x, s: s.run(x)),
        (X, s),
        [
            lambda: setattr(s, "w", 4.0),
            lambda: setattr(s, "scale", 5.0),
            lambda: setattr(s, "run", plain_cube),
        ],
    )
