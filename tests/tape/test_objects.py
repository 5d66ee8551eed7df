"""Objects, containers and what is written to them."""

import enum
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from srcgrad import tape
from tests import finite_differences as fd


class Model:
    """An object that remembers."""

    def __init__(self, w):
        self.w = w
        self.history = []
        self.cache = {}

    def loss(self, x):
        """Compute a loss, and store what it is made of."""
        self.history.append(float(np.sum(self.w * x)))
        self.cache["twice"] = self.w * 2
        self.last = self.w * x
        return np.sum((self.w * x) ** 2)


def test_nothing_stays_boxed():
    """What a method stores is plain afterwards, whether the object is differentiated or not."""
    x = np.array([3.0, 4.0])
    for gradient in (
        lambda model: tape.grad(model.loss)(x),
        lambda model: tape.grad(lambda m: m.loss(x))(model).w,
    ):
        model = Model(np.array([1.0, 2.0]))
        gradient(model)
        assert model.history == [11.0]
        assert type(model.history[0]) is float
        assert type(model.cache["twice"]) is np.ndarray
        np.testing.assert_array_equal(model.last, [3.0, 8.0])


class Mode(enum.Enum):
    """A way to go."""

    UP = 1
    DOWN = 2


@dataclass
class Settings:
    """Numbers, and what is none."""

    w: np.ndarray
    b: float
    mode: Mode = Mode.UP
    parts: dict = field(default_factory=dict)


def test_a_dataclass():
    """Its gradient has its structure; members of enums stay what they are."""
    settings = Settings(np.array([1.0, 2.0]), 3.0, parts={"a": [1.0, np.ones(2)], "k": 3})

    def f(s, x):
        sign = 1.0 if s.mode is Mode.UP else -1.0
        return sign * np.sum(s.w * x) * s.b * s.parts["a"][0] + np.sum(s.parts["a"][1] * x)

    found = tape.grad(f)(settings, np.array([3.0, 4.0]))
    np.testing.assert_array_equal(found.w, [9.0, 12.0])
    assert found.b == 11.0
    assert found.mode is None
    assert found.parts["a"][0] == 33.0
    np.testing.assert_array_equal(found.parts["a"][1], [3.0, 4.0])


def test_writes_reach_the_caller():
    """New keys, longer lists, written arrays: as after a plain call."""

    def f(d, x):
        d["new"] = d["w"] * 2
        d["l"].append(d["l"][0])
        d["w"][0] = 7.0
        d["w"] = d["w"] * x
        return np.sum(d["w"]) * d["l"][2]

    def make():
        return {"w": np.ones(2), "l": [1.0, 2.0]}

    ours, plain, x = make(), make(), np.array([3.0, 4.0])
    held = ours["w"]
    found = tape.grad(f)(ours, x)
    f(plain, x)
    np.testing.assert_array_equal(found["w"], [0.0, 4.0])
    assert found["l"] == [25.0, 0.0]
    assert [*ours] == [*plain]
    assert ours["l"] == plain["l"]
    np.testing.assert_array_equal(ours["w"], plain["w"])
    np.testing.assert_array_equal(ours["new"], plain["new"])
    assert held[0] == 7.0


class Slots:
    """An object without a dict."""

    __slots__ = ("n", "w")

    def __init__(self, w):
        self.w = w
        self.n = None


class Node:
    """A part of a ring."""

    def __init__(self, w):
        self.w = w
        self.next = self


def test_slots_and_rings():
    """Objects with slots, objects that hold each other, lists that hold themselves."""

    def f(s, x):
        s.n = np.sum(s.w * x)
        return s.n**2

    slots = Slots(np.ones(2))
    np.testing.assert_array_equal(tape.grad(f)(slots, np.array([3.0, 4.0])).w, [42.0, 56.0])
    assert slots.n == 7.0
    a, b = Node(2.0), Node(3.0)
    a.next, b.next = b, a
    gradient = tape.grad(lambda a: a.next.w * a.next.next.w * a.w)(a)
    assert gradient.w == 12.0
    assert gradient.next.w == 4.0
    assert gradient.next.next is gradient
    ring = [1.5]
    ring.append(ring)
    assert tape.grad(lambda r: r[1][0] * r[0])(ring)[0] == 3.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble, np.complex64])
def test_gradients_have_the_type_of_their_argument(dtype):
    """Arrays and numbers of every precision."""
    x = np.array([1.0, 2.0]).astype(dtype)
    assert tape.grad(lambda x: np.sum(np.abs(x) ** 2))(x).dtype == x.dtype
    assert type(tape.grad(lambda x: np.abs(x) ** 2)(x[0])) is type(x[0])
    assert type(tape.grad(lambda x: abs(x) ** 2)(1.5)) is float


class _Base:
    def g(self, v):
        return math.sin(v)


class _Other:
    def g(self, v):
        return math.exp(v)


class _Changing(_Base):
    @property
    def p(self):
        return math.sqrt(self.q)


def changed_meanwhile(x):
    """Methods, properties and bases of a class that change between two calls of them."""
    a = _Changing()
    a.q = x[2]
    y = a.g(x[0]) + a.p
    _Changing.g = lambda self, v: math.cos(v) * math.exp(v)
    y = y + a.g(x[1])
    del _Changing.g
    y = y + 2.0 * a.g(x[1])
    _Base.g, own = (lambda self, v: math.tan(v)), _Base.g
    y = y + a.g(x[0])
    _Base.g = own
    _Changing.p, root = property(lambda self: math.log(self.q)), _Changing.p
    y = y * a.p
    _Changing.p = root
    _Changing.__bases__ = (_Other,)
    y = y + a.g(x[2])
    _Changing.__bases__ = (_Base,)
    return y * a.p


def test_classes_that_change_while_they_are_recorded():
    """What a class holds by then is recorded, also where its methods were seen before."""
    x = np.array([0.3, 0.5, 2.0])
    expected = fd.gradient(changed_meanwhile, (x,), 0)
    for _ in range(2):
        assert tape.grad(changed_meanwhile)(x) == pytest.approx(expected, rel=1e-6)
