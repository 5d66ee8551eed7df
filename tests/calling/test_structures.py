"""Trees as arguments: structure of gradients, guards, sharing, and what is refused."""

import dataclasses
import re
import weakref

import numpy as np
import pytest

from srcgrad import grad, jvp, register_tree, tape, value_and_grad, vjp
from srcgrad.errors import ArgumentError, MutationError, SrcgradError, UnsupportedSyntaxError
from tests import finite_differences as fd

X = np.array([0.3, -0.7, 1.1])


class Model:
    """An object with parameters and settings."""

    def __init__(self, w, b):
        self.w = w
        self.b = b
        self.order = 2
        self.f = np.tanh

    def energy(self, x):
        return np.sum(self.f(self.w * x) ** self.order) * self.b


class Line:
    """A class that is registered as a tree; its name is no parameter."""

    def __init__(self, slope, offset, name):
        self.slope, self.offset, self.name = slope, offset, name


register_tree(
    Line,
    lambda line: ((line.slope, line.offset), line.name),
    lambda name, parts: Line(*parts, name),
)


def test_parts_without_a_derivative_are_none():
    """Integers, strings, functions and None have no cotangent, and keep their places."""

    def f(p):
        return np.sum(p["x"] ** p["n"])

    slopes = grad(f)({"x": X, "n": 2, "name": "a", "f": np.sin, "none": None, "flag": True})
    assert list(slopes) == ["x", "n", "name", "f", "none", "flag"]
    np.testing.assert_allclose(slopes.pop("x"), 2 * X)
    assert set(slopes.values()) == {None}


def test_gradient_of_an_object():
    """It is an object of the class, made without its ``__init__``."""
    model = Model(X, 0.5)
    slope = grad(lambda m, x: m.energy(x))(model, X)
    assert type(slope) is Model
    assert slope.order is None
    assert slope.f is None
    expected = fd.gradient(lambda m: m.energy(X), (model,), 0)
    np.testing.assert_allclose(slope.w, expected[0], rtol=1e-7)
    np.testing.assert_allclose(slope.b, expected[1], rtol=1e-7)


def test_gradient_of_a_registered_class():
    """Parts go through the functions it was registered with, what is no part stays."""

    def f(line, x):
        return np.sum((line.slope * x + line.offset) ** 2)

    line = Line(2.0, X, "first")
    slope = grad(f)(line, X)
    assert isinstance(slope, Line)
    assert slope.name == "first"
    np.testing.assert_allclose(slope.slope, np.sum(2 * (2 * X + X) * X))
    np.testing.assert_allclose(slope.offset, 2 * (2 * X + X))
    second, backward = vjp(grad(f), line, X)
    assert isinstance(second, Line)
    np.testing.assert_allclose(backward(Line(1.0, None, "first")).slope, np.sum(2 * X * X))


def test_another_structure_gets_code_of_its_own():
    """Keys, classes, lengths and settings are part of the signature."""

    def f(p):
        total = 0.0
        for name, value in p.items():
            total = total + np.sum(value**2) * len(name)
        return total

    g = grad(f)
    np.testing.assert_allclose(g({"a": X})["a"], 2 * X)
    np.testing.assert_allclose(g({"bb": X})["bb"], 4 * X)
    both = g({"a": X, "bb": 1.5})
    np.testing.assert_allclose(both["bb"], 6.0)
    assert g({"bb": 1.5, "a": X}).keys() == {"bb": 0, "a": 0}.keys()

    def h(layers, x):
        for w in layers:
            x = w * x
        return np.sum(x)

    g = grad(h)
    for count in (1, 2, 3):
        slopes = g([X] * count, X)
        assert isinstance(slopes, list)
        assert len(slopes) == count
        np.testing.assert_allclose(slopes[0], X**count)


def test_a_changed_attribute_is_seen():
    """Settings of an object that is no array are tested at each call."""
    model = Model(X, 0.5)
    g = grad(lambda m, x: m.energy(x))
    before = g(model, X).w
    model.f, model.order = np.sin, 3
    expected = fd.gradient(lambda m: m.energy(X), (model,), 0)
    assert not np.allclose(before, expected[0])
    np.testing.assert_allclose(g(model, X).w, expected[0], rtol=1e-7)


class Part:
    """Something that points back to what it is a part of, which may be gone."""

    def __init__(self):
        self.rate = 2.0
        self.whole = weakref.proxy(Model(X, 0.5))


PLACES = [lambda p: p, lambda p: p.whole, lambda p: [p.whole], lambda p: {"a": (2.0, p)}]


@pytest.mark.parametrize("place", PLACES)
def test_weak_proxies_of_what_is_gone(place):
    """An argument that holds one is nothing to ask about, unless the program does."""
    given = place(Part())

    def f(x, given):
        return x * x * (given.rate if type(given) is Part else 2.0)

    for gradient in (grad(f, recorded="refuse"), tape.grad(f)):
        assert gradient(3.0, given) == 12.0
    assert jvp(f, (3.0, given), (1.0, None), recorded="refuse")[1] == 12.0
    assert grad(grad(f))(3.0, given) == 4.0


STEPS = [np.sin, np.cos]


def test_a_changed_global_list_is_seen():
    """A loop over a global list of functions is written out for the functions it holds."""

    def f(x):
        for step in STEPS:
            x = step(x)
        return x

    np.testing.assert_allclose(grad(f)(0.3), -np.sin(np.sin(0.3)) * np.cos(0.3))
    g = grad(f)
    g(0.3)
    STEPS.append(np.exp)
    try:
        expected = fd.gradient(f, (0.3,), 0)
        np.testing.assert_allclose(g(0.3), expected, rtol=1e-7)
    finally:
        STEPS.pop()


def test_shapes_that_broadcast():
    """A length of 1 inside a tree is part of the signature too."""

    def f(p):
        return np.sum((p["w"] + p["b"]) ** 2)

    g = grad(f)
    w = np.arange(6.0).reshape(2, 3)
    for b in (np.ones(3), np.ones((2, 1)), np.ones((1, 3)), np.ones((2, 3))):
        slopes = g({"w": w, "b": b})
        assert slopes["b"].shape == b.shape
        expected = fd.gradient(f, ({"w": w, "b": b},), 0)
        np.testing.assert_allclose(slopes["b"], expected[1], rtol=1e-7, atol=1e-7)


def aliased(p, x):
    """Three names of one dict, one of them inside another dict."""
    q = {"x": x}
    r = q
    nested = {"inner": q}
    r["x"] = r["x"] * p["w"]
    nested["inner"]["x"] = nested["inner"]["x"] + x
    return np.sum(q["x"] ** 2)


def aliased_in_a_loop(p, x):
    """The loop writes through one of two names."""
    q = {"x": x}
    r = q
    for _ in range(3):
        r["x"] = r["x"] * p["w"]
    return np.sum(q["x"] ** 2)


def aliased_in_a_branch(p, x):
    """One arm writes, and both names after it."""
    q = {"x": x}
    r = q
    if x[0] > 0:
        r["x"] = r["x"] * p["w"]
    r["x"] = r["x"] ** 2
    return np.sum(q["x"])


@pytest.mark.parametrize("f", [aliased, aliased_in_a_loop, aliased_in_a_branch])
def test_one_dict_under_two_names(f):
    """A write through one name is seen through the other."""
    p = {"w": X + 2}
    value, (slopes, x_bar) = value_and_grad(f, (0, 1))(p, X)
    assert value == f(p, X)
    np.testing.assert_allclose(slopes["w"], fd.gradient(f, (p, X), 0)[0], rtol=1e-6)
    np.testing.assert_allclose(x_bar, fd.gradient(f, (p, X), 1), rtol=1e-6)


def writes_an_argument(p):
    """The caller would see it."""
    p["x"] = p["x"] * 2
    return np.sum(p["x"])


def helper(p):
    """It writes into what it is given."""
    p["x"] = p["x"] * 2
    return np.sum(p["x"])


def writes_in_a_called_function(p):
    """The called function writes."""
    return helper({"x": p["x"]})


def wrapped(p):
    """The result holds the argument."""
    return {"inner": p}


def writes_what_a_call_may_have_kept(p):
    """The dict has gone into another one."""
    q = {"x": p["x"]}
    w = wrapped(q)
    q["x"] = q["x"] * 2
    return np.sum(w["inner"]["x"])


def writes_one_of_two_by_statement(p):
    """Which of two dicts a name holds depends on values."""
    q = {"x": p["x"]}
    s = q
    if p["x"][0] > 0:
        s = {"x": p["x"] * 2}
    q["x"] = p["x"] * 3
    return np.sum(s["x"])


WHY = "a dict is written that may be an argument or have another name"


@pytest.mark.parametrize(("f", "message"), [(writes_one_of_two_by_statement, WHY)])
def test_writes_that_are_refused(f, message):
    """Where another name may see a write, it is refused, whatever would come out."""
    with pytest.raises(MutationError, match=re.escape(message)):
        grad(f)({"x": X})


@pytest.mark.parametrize(
    "f", [writes_an_argument, writes_in_a_called_function, writes_what_a_call_may_have_kept]
)
def test_writes_that_are_followed(f):
    """What a called function does with the objects that it is given is known."""
    np.testing.assert_allclose(grad(f)({"x": X})["x"], np.full(X.shape, 2.0))


def unknown_key(p, k):
    """The key is a number."""
    return np.sum(p[k])


def missing_key(p):
    """There is no such key."""
    return np.sum(p["z"])


def set_of_values(p):
    """Sets have no order."""
    return sum({v * 2 for v in p["x"]})


@pytest.mark.parametrize(
    ("f", "args", "message"),
    [
        (unknown_key, (1,), "a key that is not known when code is generated"),
        (missing_key, (), "reading the key 'z' of a dict that has 'x'"),
        (set_of_values, (), "a set of active values"),
    ],
)
def test_what_is_refused(f, args, message):
    """Each with its own words."""
    with pytest.raises(UnsupportedSyntaxError, match=re.escape(f"{message} is not supported")):
        grad(f)({"x": X}, *args)


def test_nothing_to_differentiate():
    """A tree without floating-point numbers is refused by name."""
    with pytest.raises(
        ArgumentError, match="the argument 'p' holds no array or number that can be differentiated"
    ):
        grad(lambda p: 1.0)({"n": 3})


def test_complex_parts():
    """Their gradients are complex, and those of the real parts beside them real."""
    gradient = grad(lambda p: np.sum(np.abs(p["z"] * p["x"]) ** 2))({"z": 1j, "x": 2.0})
    assert gradient == {"z": -8j, "x": 4.0}


def test_a_tree_that_contains_itself():
    """It has no end."""
    p = {"x": X}
    p["p"] = p
    with pytest.raises(ArgumentError, match="the argument 'p' contains itself"):
        grad(lambda p: np.sum(p["x"]))(p)


def test_cotangents_of_another_structure_are_refused():
    """The cotangent must look like the result; None stands for zeros."""
    value, backward = vjp(lambda x: {"a": x * 2, "b": (x, x**2)}, X)
    np.testing.assert_allclose(backward({"a": X, "b": None}), 2 * X)
    np.testing.assert_allclose(backward({"a": None, "b": (X, None)}), X)
    assert list(value) == ["a", "b"]
    for wrong in ((X, X), {"a": X}, {"a": X, "b": X}):
        with pytest.raises(ArgumentError):
            backward(wrong)


def test_the_source_before_a_call():
    """Without arguments nothing is known of their keys."""
    from srcgrad import source

    with pytest.raises(SrcgradError, match="reading a key of a value"):
        source(grad(lambda p: np.sum(p["x"])))


def test_objects_that_hold_each_other():
    """The arguments are gone through once, however many ways lead to an object."""
    nodes = [Model(float(k), 0.0) for k in range(30)]
    for node in nodes:
        node.links = [other for other in nodes if other is not node]
    slope = grad(lambda x, some: sum(node.w for node in some) * x**2)
    assert slope(2.0, nodes) == slope(2.0, nodes) == 4 * sum(range(30))


@dataclasses.dataclass
class Checked:
    """A class with code of its own in its construction."""

    x: object

    def __post_init__(self):
        if self.x is None:
            raise ValueError("no x")


def test_construction_with_code_is_not_called():
    """The cotangent of such a value is made without running it."""
    slope = grad(lambda c: np.sum(c.x**2))(Checked(X))
    assert type(slope) is Checked
    np.testing.assert_allclose(slope.x, 2 * X)
