"""Saved modules refuse arguments that they were not generated for."""

import enum
import importlib.util

import numpy as np
import pytest

from srcgrad import grad, save, source, value_and_grad, vjp
from srcgrad.errors import SaveError

X = np.array([1.0, 2.0])


def early(x, kind="square"):
    if kind == "square":
        return np.sum(x**2)
    return np.sum(x**3)


def late(x, kind="square"):
    if kind == "square":
        y = x**2
    else:
        y = x**3
    return np.sum(y)


def flags(x, flag=True, n=2, name=None):
    if flag:
        y = x * n
    else:
        y = x**3
    if name is not None:
        y = y * 10
    return np.sum(y * x)


def scaled(a, x):
    return np.sum((a * x) ** 2)


def unused(x, note="nothing", act=None):
    return np.sum(np.sin(x) * x)


def layers(params, x):
    for layer in params:
        x = np.tanh(x @ layer["W"] + layer["b"])
    return np.sum(x)


def applied(x, f):
    return np.sum(f(x))


def masked(x, mask):
    return np.sum(x[mask] ** 2)


def annotated(x: float, y):
    return x * np.sum(y)


def cube(x):
    return x**3


def square(x):
    return x**2


class Spring:
    """What has a method."""

    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return 0.5 * self.k * np.sum(x**2)


class Damped:
    """What has a flag and a number in its class."""

    active = True
    rate = 2.0

    def __init__(self, k):
        self.k = k

    def energy(self, x):
        return self.k * np.sum(x**2) * (self.rate if self.active else 1.0)


class Shape(enum.Enum):
    """An option."""

    ROUND = 1
    FLAT = 2


def shaped(x, shape):
    return np.sum(x**2) if shape is Shape.ROUND else np.sum(x)


def named(x, shape):
    return np.sum(x**2) if shape.name == "ROUND" else np.sum(x)


def of_object(x, damped):
    return damped.energy(x)


class Stiff(Spring):
    """What has another one."""

    def energy(self, x):
        return self.k * np.sum(x**4)


@pytest.fixture
def saved(tmp_path):
    """Save a derivative and load the module."""

    def load(g, **options):
        file = tmp_path / "made.py"
        save(g, file, **options)
        spec = importlib.util.spec_from_file_location("made", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.text = file.read_text()
        return module

    return load


def test_what_an_object_has_from_its_class(saved, monkeypatch):
    """A flag of the class is tested, a number is read, and no method of its own is overlooked."""
    g = grad(of_object)
    g(X, Damped(3.0))
    derivative = saved(g).of_object_grad
    monkeypatch.setattr(Damped, "rate", 5.0)
    np.testing.assert_allclose(derivative(X, Damped(3.0)), 30.0 * X)
    for name, value in (("active", False), ("energy", np.sum)):
        other = Damped(3.0)
        setattr(other, name, value)
        with pytest.raises(ValueError, match="was generated for"):
            derivative(X, other)
    monkeypatch.setattr(Damped, "active", False)
    with pytest.raises(ValueError, match=r"damped\.active=True"):
        derivative(X, Damped(3.0))


def test_members_of_enums(saved):
    """A comparison with a member stays in the text; what is folded of one is tested."""
    g = grad(shaped)
    g(X, Shape.ROUND)
    derivative = saved(g).shaped_grad
    np.testing.assert_allclose(derivative(X, Shape.ROUND), 2 * X)
    np.testing.assert_allclose(derivative(X, Shape.FLAT), np.ones(2))
    g = grad(named)
    g(X, Shape.ROUND)
    derivative = saved(g).named_grad
    np.testing.assert_allclose(derivative(X, Shape.ROUND), 2 * X)
    with pytest.raises(ValueError, match=r"shape=Shape\.ROUND"):
        derivative(X, Shape.FLAT)


@pytest.mark.parametrize(
    ("f", "args", "message"),
    [
        (early, (X, "cube"), "early_grad was generated for kind='square'"),
        (late, (X, "cube"), "late_grad was generated for kind='square'"),
        (flags, (X, False), "flags_grad was generated for flag=True"),
        (flags, (X, True, 2, "a"), "flags_grad was generated for name=None"),
        (annotated, (X, X), "annotated_grad was generated for a scalar x"),
    ],
)
def test_options_of_the_text_before_any_call(saved, f, args, message):
    """A default that was folded is the only value that the module takes."""
    derivative = getattr(saved(f), f"{f.__name__}_grad")
    first = 2.0 if f is annotated else X
    rest = (X,) if f is annotated else ()
    np.testing.assert_allclose(derivative(first, *rest), grad(f)(first, *rest))
    with pytest.raises(ValueError, match=message):
        derivative(*args)


@pytest.mark.parametrize(
    ("f", "at", "other", "message"),
    [
        (late, (X, "cube"), (X,), "kind='cube'"),
        (flags, (X, False), (X,), "flag=False"),
        (scaled, (2.0, np.ones(3)), (np.ones(3), np.ones(3)), "a scalar a"),
        (scaled, (np.ones(3), np.ones(3)), (np.ones(1), np.ones(3)), "a with 1 axis, not of"),
        (scaled, (np.ones((3, 2)), np.ones(2)), (np.ones((3, 1)), np.ones(2)), "a with 2 axes"),
        (scaled, (np.ones((3, 1)), np.ones(2)), (np.ones((3, 2)), np.ones(2)), "axis 1 of le"),
        (applied, (X, np.tanh), (X, np.sin), "f=np.tanh"),
        (applied, (X, cube), (X, square), r"f=tests\.load\.test_validity\.cube"),
        (masked, (X, np.array([True, False])), (X, np.array([1, 1])), "mask of booleans"),
        (masked, (X, np.array([1, 1])), (X, np.array([True, False])), "mask of integers"),
        (
            layers,
            ([{"W": np.ones((2, 2)), "b": X}], np.ones((3, 2))),
            ([{"W": np.ones((2, 2)), "b": X}] * 2, np.ones((3, 2))),
            "params of length 1",
        ),
        (
            layers,
            ([{"W": np.ones((2, 2)), "b": X}], np.ones((3, 2))),
            ([{"b": X, "W": np.ones((2, 2))}], np.ones((3, 2))),
            "params.0. with the keys",
        ),
    ],
)
def test_what_a_call_was_specialised_for(saved, f, at, other, message):
    """After a call the module is for arguments like those of that call."""
    derivative = grad(f)
    expected = derivative(*at)
    made = getattr(saved(derivative), f"{f.__name__}_grad")
    got = made(*at)
    if isinstance(expected, list):
        np.testing.assert_allclose(got[0]["W"], expected[0]["W"])
    else:
        np.testing.assert_allclose(got, expected)
    with pytest.raises(ValueError, match=f"{f.__name__}_grad was generated for .*{message}"):
        made(*other)


def test_nothing_is_said_of_what_the_text_does_not_rely_on(saved):
    """An option that changes nothing, and ranks that change nothing."""
    text = saved(unused).text.partition("def unused_grad")[2]
    assert [line.strip() for line in text.split("\n") if "raise" in line] == [
        'raise ValueError("unused_grad was generated for real x")'
    ]
    derivative = grad(flags)
    derivative(X)
    text = saved(derivative).text
    assert "if flag is not True:" in text
    assert " n " not in text.partition("flag is not")[0].rpartition('"""')[2]


def test_the_code_that_runs_under_srcgrad_has_no_tests(saved):
    """It is chosen by the arguments."""
    derivative = grad(scaled)
    derivative(np.ones(3), np.ones(3))
    assert "raise" not in source(derivative)
    assert "raise" in saved(derivative).text


def test_objects_are_told_by_their_class(saved):
    """The method of one class was written out."""
    made = saved(grad(Spring(3.0).energy)).energy_grad
    np.testing.assert_allclose(made(Spring(2.0), X), 2 * X)
    with pytest.raises(ValueError, match="self of the class Spring"):
        made(Stiff(2.0), X)


def test_a_function_without_a_name_cannot_be_told(saved):
    """Two lambdas look the same."""
    derivative = grad(applied)
    derivative(X, lambda t: t * t)
    with pytest.raises(SaveError, match="'f' is a function without a name"):
        saved(derivative)


def test_other_derivatives(saved):
    """Values with gradients, halves of products, and derivatives of derivatives."""
    made = saved(value_and_grad(late)).late_value_and_grad
    with pytest.raises(ValueError, match="late_value_and_grad was generated for kind='square'"):
        made(X, "cube")
    made = saved(late, kind="vjp")
    with pytest.raises(ValueError, match="late_forward was generated for kind='square'"):
        made.late_forward(X, "cube")
    vjp(late, X, "cube")
    made = saved(late, kind="vjp")
    with pytest.raises(ValueError, match="late_forward was generated for kind='cube'"):
        made.late_forward(X, "square")

    def power(x, kind="square"):
        return x**2 if kind == "square" else x**3

    second = grad(grad(power))
    np.testing.assert_allclose(second(2.0, "cube"), 12.0)
    made = saved(second)
    name = next(n for n in vars(made) if n.endswith("grad_grad"))
    np.testing.assert_allclose(getattr(made, name)(2.0, "cube"), 12.0)
    with pytest.raises(ValueError, match="was generated for kind='cube'"):
        getattr(made, name)(2.0)


def test_complex_numbers(saved):
    """A gradient for complex numbers is not one for real numbers."""

    def size(z):
        return np.sum(np.abs(z * z))

    derivative = grad(size)
    z = np.array([1 + 2j, 2 - 1j])
    expected = derivative(z)
    made = saved(derivative).size_grad
    np.testing.assert_allclose(made(z), expected)
    with pytest.raises(ValueError, match="complex z"):
        made(z.real)


class Layer:
    """What has attributes of its class."""

    training = True
    rate = 2.0

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.sum(x * self.w) * (1.0 if self.training else 3.0) * self.rate


class Frozen(Layer):
    """What has another one."""

    training = False


def called(x, layer):
    return layer(x)


def at(x, i):
    return np.sum(x[i] ** 2)


def real_part(x, w):
    return np.real(np.sum(x * w * w))


def product(x):
    return x[0] * x[1]


def missing(x, t):
    return np.sum(x) * (2.0 if t is None else 3.0)


def told(x, t):
    return np.sum(x**2) * (2.0 if t == "a" else 3.0)


def some_layers():
    """Layers that differ in their class, in what they have themselves, or in numbers."""
    plain, stopped = Layer(2.0), Layer(2.0)
    stopped.training = False
    return plain, stopped, Frozen(2.0), Layer(X), Layer(3.0)


@pytest.mark.parametrize(
    ("f", "values"),
    [
        (called, some_layers()),
        (at, (1, slice(0, 2), -1, np.array([0, 0, 1]), X > 0.5, [0, 0], None)),
        (real_part, (X, 2.0, X + 1j, 2j, np.array([1, 2]), X > 0.5)),
        (missing, (None, 1.0, X, 2)),
        (told, ("a", "b", None, 1.0)),
    ],
)
def test_each_kind_of_argument_after_each_other(saved, f, values):
    """What was saved for one kind of argument is right for another one, or refuses it."""
    for first in values:
        g = grad(f)
        g(X, first)
        derivative = getattr(saved(g), f"{f.__name__}_grad")
        np.testing.assert_allclose(derivative(X, first), g(X, first))
        for second in values:
            try:
                made = derivative(X, second)
            except (ValueError, TypeError, IndexError):
                continue
            np.testing.assert_allclose(made, grad(f)(X, second))


def test_attributes_of_classes(saved):
    """A saved module refuses an object whose class has changed where the text relies on it."""
    g = grad(called)
    g(X, Layer(2.0))
    derivative = saved(g).called_grad
    Layer.training = False
    try:
        with pytest.raises(ValueError, match=r"layer\.training=True"):
            derivative(X, Layer(2.0))
    finally:
        Layer.training = True
    Layer.rate = 5.0  # the text reads it
    try:
        assert derivative(X, Layer(2.0)).tolist() == [10.0] * len(X)
    finally:
        Layer.rate = 2.0


def test_lists_are_no_tuples(saved):
    """A gradient has the structure of its argument, so that a saved one refuses another."""
    g = grad(product)
    g([2.0, 3.0])
    derivative = saved(g).product_grad
    assert derivative([2.0, 3.0]) == [3.0, 2.0]
    with pytest.raises(ValueError, match="a list x of length 2"):
        derivative((2.0, 3.0))
