"""Called functions that are recorded alone, and take or give trees."""

import collections
import copy
import functools
import operator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from srcgrad import grad, hessian, hvp, jacfwd, jvp, source, tape, value_and_grad, vjp
from srcgrad.calling.pushforward import jvp_transform
from srcgrad.calling.recorded import Misfit
from srcgrad.tape.regions import recorded as record
from srcgrad.tape.regions import recorded_jvp

X = np.array([0.3, 0.5, 0.7])


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    """Recording is allowed here."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")


class Out(NamedTuple):
    mean: float
    rows: np.ndarray
    count: int


@dataclass
class State:
    position: np.ndarray
    speed: float
    names: list = field(default_factory=list)


@dataclass(frozen=True)
class Curve:
    scale: float
    offset: np.ndarray

    def at(self, x):
        """No code can be generated for this: a try statement is left."""
        try:
            return self.scale * np.sin(x) + self.offset
        finally:
            pass


def layer(p, x):
    """The same, of a dict."""
    try:
        return np.tanh(p["w"] * x + p["b"])
    finally:
        pass


def described(x, scale):
    """Give a named tuple."""
    try:
        y = scale * np.sin(x)
        return Out(np.mean(y), y * y, len(y))
    finally:
        pass


def with_a_named_tuple(x):
    """A result is a named tuple, with a whole number in it."""
    out = described(x, x[1])
    mean, rows, count = out
    return out.mean * np.sum(rows) + count * mean


def stepped(s, k):
    """Give dicts, truth values and None."""
    try:
        new = {"at": s["at"] + 0.1 * s["speed"], "speed": s["speed"] - 0.1 * k * s["at"]}
        return new, {"steps": 4, "ok": True, "why": None}
    finally:
        pass


def with_states(x):
    """Dicts go round in a loop."""
    s = {"at": x[0], "speed": x[1]}
    count = 0
    for _ in range(4):
        s, info = stepped(s, x[2])
        if info["ok"] and info["why"] is None:
            count += info["steps"]
    return s["at"] ** 2 + s["speed"] * count


def moved(state, force):
    """Give a dataclass."""
    try:
        speed = state.speed + np.sum(force * state.position)
        return State(state.position + 0.1 * speed, speed)
    finally:
        pass


def with_a_dataclass(x):
    """Dataclasses are made, given and taken."""
    s = State(x * 1.0, 0.5)
    s = moved(s, x)
    s = moved(s, -x)
    return np.sum(s.position**2) + s.speed


PROGRAMS = [with_a_named_tuple, with_states, with_a_dataclass]


def is_partly(derivative):
    """Whether there is text, with calls that are recorded."""
    return "import recorded" in source(derivative)


def text_of_jvp(f, wrt=(0,)):
    """The text behind ``jvp``, after a call."""
    return jvp_transform(f, wrt).specialisations[0].text


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_trees(f):
    """Programs whose recorded calls take and give trees are right, from the first call."""
    gradient = grad(f)
    expected = tape.grad(f)(X)
    for _ in range(2):
        np.testing.assert_allclose(gradient(X), expected)
        assert is_partly(gradient)
    value, slope = value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X))
    np.testing.assert_allclose(slope, expected)
    value, backward = vjp(f, X)
    np.testing.assert_allclose(backward(2.0), 2 * expected)
    for _ in range(2):
        value, dot = jvp(f, (X,), (X + 1,))
        np.testing.assert_allclose(value, f(X))
        np.testing.assert_allclose(dot, expected @ (X + 1))
    assert "recorded_jvp(" in text_of_jvp(f)
    np.testing.assert_allclose(jacfwd(f)(X), expected)
    np.testing.assert_allclose(grad(f)(X.astype(np.float32)), expected, rtol=1e-4)
    assert grad(f)(X.astype(np.float32)).dtype == np.float32
    h = 1e-5
    numeric = [(tape.grad(f)(X + h * e) - tape.grad(f)(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(hessian(f)(X), numeric, atol=1e-6)


def test_differentiated_objects():
    """A method is called as the function of its object, where that is differentiated."""

    def program(curve, x):
        return np.sum(curve.at(x) ** 2)

    gradient = grad(program)
    curve = Curve(1.5, X * 2)
    found, expected = gradient(curve, X), tape.grad(program)(curve, X)
    assert type(found) is Curve
    np.testing.assert_allclose(found.scale, expected.scale)
    np.testing.assert_allclose(found.offset, expected.offset)
    line = source(gradient).partition("= recorded(")[2]
    assert line.startswith(
        "\n        curve.at.__func__, curve, x,"
        '\n        wrt=([0, "scale"], [0, "offset"]),'
        "\n        gives=1,"
        "\n    )\n"
    )


def test_forward_mode():
    """Forward mode is text, too, with calls that are recorded with their tangents."""

    def program(x, y, n):
        z = layer({"w": x, "b": y[0]}, x) if n > 1 else x
        w = layer({"w": 2.0, "b": y[0]}, 1.0) * layer({"w": 3.0, "b": 1.0}, y)
        return np.sum(z**2 * w)

    given, dots = (X, X * 2, 2), (X + 1, X - 1, None)
    for n in (2, 1):
        given = (X, X * 2, n)
        value, dot = jvp(program, given, dots)
        expected = tape.jvp(program, given, dots)
        np.testing.assert_allclose((value, dot), expected)
        assert "recorded_jvp(\n            layer, {" in text_of_jvp(program, (0, 1))
        _, dot = jvp(program, given, (None, X, None))
        np.testing.assert_allclose(dot, tape.jvp(program, given, (None, X, None))[1])


def test_forward_mode_of_objects():
    """Tangents of objects, and of what a call gives in a tuple."""

    def both(curve, x):
        try:
            return curve.scale * x, np.sum(curve.offset * x), True
        finally:
            pass

    def program(curve, x):
        a, b, fine = both(curve, x)
        return np.sum(a) * b * curve.at(x) if fine else x

    args, dots = (Curve(1.5, X * 2), X), (Curve(0.5, X + 1), X)
    value, dot = jvp(program, args, dots)
    np.testing.assert_allclose(value, program(*args))
    np.testing.assert_allclose(dot, tape.jvp(program, args, dots)[1])
    text = text_of_jvp(program, (0, 1))
    assert "(a, b, fine), (a_dot, b_dot, _) = recorded_jvp(\n        both, curve, x,\n" in text
    assert "gives=(1, 0, bool),\n        tangents=(scale_dot, offset_dot, x_dot),\n" in text


def test_tangents_of_parts():
    """Tangents of parts of arguments; None stands for zero."""
    p = {"a": X, "b": (2.0, 3)}

    def run(p, k):
        return p["a"] * p["b"][0] * k, p["b"][1]

    value, (dot, none) = recorded_jvp(
        run, p, 4.0, wrt=([0, "a"], [0, "b", 0], 1), tangents=(None, 1.0, None), gives=(1, int)
    )
    np.testing.assert_allclose(value[0], 8 * X)
    np.testing.assert_allclose(dot, 4 * X)
    assert none is None
    _, dot = recorded_jvp(np.sin, X, wrt=0, tangents=1.0)  # one number for all entries
    np.testing.assert_allclose(dot, np.cos(X))


def test_source():
    """What a call gives stands in the text, as the tree that it is."""
    gradient = grad(with_a_named_tuple)
    gradient(X)
    assert "out, described_backward = recorded(\n        described, x, x[1],\n" in source(gradient)
    assert "gives=Out(mean=0, rows=1, count=int),\n    )\n" in source(gradient)
    assert "described_backward(mean_bar, rows_bar, None)" in source(gradient)


def test_results_of_several_kinds():
    """Where calls give trees of several kinds, the function around them is recorded."""

    def changing(x, k):
        try:
            return {"a": x * k} if k % 2 else {"a": x * k, "b": x}
        finally:
            pass

    def program(x):
        total = 0.0
        for k in range(4):
            found = changing(x, k)
            total = total + np.sum(found["a"] * found.get("b", 3.0))
        return total

    gradient = grad(program)
    np.testing.assert_allclose(gradient(X), tape.grad(program)(X))
    assert gradient.recorded


def test_results_that_change():
    """A call that gives another tree than before is right each time."""

    def changing(x, whole):
        try:
            return {"a": x * 2} if whole else {"a": np.sum(x), "b": x * 1.0}
        finally:
            pass

    def program(x, whole):
        found = changing(x, whole[0])
        return np.sum(found["a"] ** 2)

    gradient = grad(program)
    for _ in range(2):
        np.testing.assert_allclose(jvp(program, (X, [1]), (X, None))[1], 8 * X @ X)
        np.testing.assert_allclose(jvp(program, (X, [0]), (X, None))[1], 2 * np.sum(X) ** 2)
        np.testing.assert_allclose(gradient(X, [1]), 8 * X)
        np.testing.assert_allclose(gradient(X, [0]), np.full(3, 2 * np.sum(X)))


def kinked(x):
    """Give what it is given, an array or a number."""
    try:
        return np.abs(x)
    finally:
        pass


def test_arrays_of_several_kinds():
    """Where calls give arrays and numbers, text does not count on either."""

    def program(x, k):
        if k[0] > 0:
            return np.sum(kinked(x) * x)
        return kinked(x[0]) * np.sum(kinked(x))

    gradient = grad(program)
    for k in ([1], [0], [1], [0]):
        np.testing.assert_allclose(gradient(X, k), tape.grad(program)(X, k))
    assert "gives" not in source(gradient)
    gradient = grad(program)
    gradient(X, [1])
    assert "recorded(kinked, x, wrt=0, gives=1)" in source(gradient)


SHARED = {"a": 1.0, "b": np.ones(3)}


@pytest.mark.parametrize(
    "given",
    [
        lambda x, p: p,
        lambda x, p: {"a": p["a"]},
        lambda x, p: {"a": x * 2, "p": p["rows"]},
        lambda x, p: (x * 2, SHARED),
        lambda x, p: (x * 2, "text"),
        lambda x, p: {"n": 3},
        lambda x, p: [r := [x * 2], r],
        lambda x, p: {"a": (y := x * 2), "b": y[1:]},
        lambda x, p: {(1, x.size): x * 2, Out: 3.0},
    ],
)
def test_results_that_do_not_fit(given):
    """What shares memory or containers with an argument or with itself is a misfit."""
    with pytest.raises(Misfit):
        record(given, X, {"a": X * 1.0, "rows": [1.0]}, wrt=(0, [1, "a"]))


def test_parts_of_arguments():
    """Parts of arguments are told by keys and attributes."""

    def run(state, p):
        return state.speed * p["rows"][1] * state.position

    state, p = State(X, 2.0), {"rows": (1.0, 3.0)}
    value, backward = record(run, state, p, wrt=([0, "position"], [1, "rows", 1], [0, "speed"]))
    np.testing.assert_allclose(value, 6 * X)
    position, row, speed = backward(np.ones(3))
    np.testing.assert_allclose(position, np.full(3, 6.0))
    np.testing.assert_allclose((row, speed), (2 * np.sum(X), 3 * np.sum(X)))
    state.speed = 5.0  # the number at the call is what counts
    np.testing.assert_allclose(backward(np.ones(3))[1], 2 * np.sum(X))


class Noisy(NamedTuple):
    value: float

    @property
    def twice(self):
        LOG.append(1)
        return self.value * 2


@dataclass
class Counted:
    value: float

    def __setattr__(self, name, value):
        LOG.append(name)
        object.__setattr__(self, name, value)


@dataclass
class Listed:
    value: float
    place: list = field(default_factory=lambda: LOG)


LOG = []


@pytest.mark.parametrize(
    "make", [lambda x: Noisy(x).twice, lambda x: Counted(x).value, lambda x: Listed(x).value]
)
def test_records_with_effects(make):
    """Where making a record has an effect, the whole function is recorded: it happens once."""
    maker = make

    def tried(x):
        try:
            return maker(x) * x
        finally:
            pass

    def program(x):
        return np.sum(tried(x))

    LOG.clear()
    gradient = grad(program)
    gradient(X)
    assert len(LOG) <= 1
    assert gradient.recorded


class Rate:
    """What several parts share."""

    def __init__(self, k):
        self.k = k

    def of(self, t):
        return self.k * self.k * t


class Part:
    """Hold a rate, and a number of its own."""

    def __init__(self, rate, scale):
        self.rate, self.scale = rate, scale

    def of(self, t):
        return self.rate.of(t) * self.scale


def parts_with_one_rate(x):
    """Two ways lead to one object, in a statement that is recorded."""
    rate = Rate(x[0])
    parts = [Part(rate, x[1]), Part(rate, x[2]), rate]
    return functools.reduce(operator.add, (part.of(2.0) for part in parts))


def rates_in_tuples(x):
    """The same, beside an object of its own."""
    rate = Rate(x[0])
    parts = [(rate, 1), (rate, 2), (Rate(x[0] * x[1]), 3)]
    return functools.reduce(operator.mul, (part.of(2.0) * k + k for part, k in parts))


def changed_rate(x):
    """The object changes after it was given to the parts."""
    rate = Rate(x[0])
    parts = {"a": Part(rate, x[1]), "b": Part(rate, x[2])}
    rate.k = rate.k * x[1]
    return functools.reduce(operator.mul, (part.of(2.0) for part in parts.values()))


@pytest.mark.parametrize("f", [parts_with_one_rate, rates_in_tuples, changed_rate])
def test_objects_that_are_shared(f):
    """What two ways lead to counts once, in all modes."""
    h = 1e-6
    expected = np.array([(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)])
    gradient = grad(f)
    for _ in range(2):
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-6)
    assert "from srcgrad import tape" not in source(gradient)
    np.testing.assert_allclose(vjp(f, X)[1](2.0), 2 * expected, rtol=1e-6)
    for k, unit in enumerate(np.eye(3)):
        np.testing.assert_allclose(jvp(f, (X,), (unit,))[1], expected[k], rtol=1e-6)
    second = [(gradient(X + h * e) - gradient(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(hessian(f)(X), second, rtol=1e-5, atol=1e-6)


def test_shared_parts_on_a_tape():
    """An object at two places has one tangent, and a cotangent at each of them."""
    rate, slope = Rate(3.0), Rate(1.0)

    def product(rates):
        return rates[0].k * rates[1].k

    assert tape.jvp(product, ([rate, rate],), ([slope, slope],)) == (9.0, 6.0)
    assert tape.jvp(product, ([rate, Rate(3.0)],), ([slope, slope],)) == (9.0, 6.0)

    def twice(x):
        held = [x * x]
        return held, held, held[0]

    assert tape.jvp(twice, (3.0,), (1.0,))[1] == ([6.0], [6.0], 6.0)
    assert tape.vjp(twice, 3.0)[1](([1.0], [10.0], 100.0)) == 666.0


class Scaled(list):
    """A list that gives multiples of what it holds."""

    def __init__(self, scale, *parts):
        super().__init__(parts)
        self.scale = scale

    def __getitem__(self, k):
        return list.__getitem__(self, k) * self.scale


@pytest.mark.parametrize(
    "holder", [collections.deque((0.3, 0.5), maxlen=3), Scaled(2.0, 0.3, 0.5)], ids=repr
)
def test_containers_of_other_classes(holder):
    """What a deque and a list of another class hold, and its attributes, move in all modes."""

    def f(held, a):
        held.append(held[0] * held[-1] * a)
        return sum(held) * getattr(held, "scale", 2.0) * held[0]

    def moved(by):
        made = copy.copy(holder)
        own = collections.deque if isinstance(made, collections.deque) else list
        for k, step in enumerate((1.0, -2.0)):
            own.__setitem__(made, k, own.__getitem__(made, k) + by * step)
        if hasattr(made, "scale"):
            made.scale = made.scale + 0.5 * by
        return made

    h = 1e-4
    dot = copy.copy(holder)
    own = collections.deque if isinstance(dot, collections.deque) else list
    own.__setitem__(dot, 0, 1.0)
    own.__setitem__(dot, 1, -2.0)
    if hasattr(dot, "scale"):
        dot.scale = 0.5
    above, value, below = (f(moved(by), 1.3) for by in (h, 0.0, -h))
    assert tape.jvp(f, (moved(0.0), 1.3), (dot, None))[1] == pytest.approx((above - below) / 2 / h)
    curved = hvp(f)(moved(0.0), 1.3, dot)
    parts = [*own.__iter__(curved), *([curved.scale] if hasattr(dot, "scale") else [])]
    found = sum(a * b for a, b in zip(parts, (1.0, -2.0, 0.5), strict=False))
    assert found == pytest.approx((above - 2 * value + below) / h**2, rel=1e-5)
