"""State changed between two calls: each call gives the derivative of the program as it is."""

from __future__ import annotations

import functools
import importlib

import numpy as np
import pytest

from srcgrad import grad, jvp, value_and_grad, vjp
from srcgrad.calling.pullback import run_vjp
from srcgrad.calling.pushforward import run_jvp
from srcgrad.calling.transformed import Transform
from srcgrad.errors import SrcgradError
from tests.facts.cases import CASES

for _module in ("models", "objects", "operators", "enums", "outside", "functions", "partials"):
    importlib.import_module(f"tests.facts.{_module}")

DX = np.array([0.5, 1.0, -0.25])
MODES = ("grad", "value_and_grad", "vjp", "jvp")
# The kinds of state that are looked at in every mode; the others take turns.
EVERY_MODE = {
    *("class_flag-method-global", "method_replaced-method-argument", "code_two_levels_deep"),
    *("defaults_of_the_function_itself", "callable_object_differentiated"),
    *("partial_differentiated", "bound_method_differentiated"),
}
ROWS = [
    (name, mode)
    for k, name in enumerate(CASES)
    for mode in (MODES if name in EVERY_MODE else (MODES[k % 4],))
]
# What is refused, or recorded.
REFUSED = {
    *("class_method-argument", "enum_as_key_of_a_table", "named_tuple_with_a_dict"),
    *("attribute_by_getattr_of_the_class", "scale-global"),
    *("__iter__-argument", "__mul__-argument", "__rmul__-argument"),
    *("__iter__-global", "__mul__-global", "__rmul__-global"),
}


def _slope_by_differences(fn, args):
    dx = DX if np.ndim(args[0]) else 1.0
    step = 1e-6
    plus = fn(*_given(args[0] + step * dx, args))
    minus = fn(*_given(args[0] - step * dx, args))
    return (plus - minus) / (2 * step)


def _given(x, args):
    """The arguments, with arrays that nobody has written into."""
    return (x, *(a.copy() if isinstance(a, np.ndarray) else a for a in args[1:]))


def _derivative(fn, mode, fresh):
    """The function that gives the slope along the direction by one mode."""
    transform = Transform(fn, mode) if fresh else None
    made = {"grad": grad, "value_and_grad": value_and_grad}.get(mode, lambda f: None)(fn)

    def slope(*args):
        dx = DX if np.ndim(args[0]) else 1.0
        if mode == "grad":
            return np.sum(made(*args) * dx)
        if mode == "value_and_grad":
            return np.sum(made(*args)[1] * dx)
        if mode == "vjp":
            pair = vjp(fn, *args) if transform is None else run_vjp(transform, args)
            return np.sum(pair[1](1.0) * dx)
        tangents = (dx, *(None for _ in args[1:]))
        if transform is None:
            return jvp(fn, args, tangents)[1]
        return run_jvp(lambda _: transform, args, tangents)[1]

    return slope


def _outcome(call):
    try:
        return call()
    except SrcgradError as error:
        return error


@pytest.mark.one_of(12)
@pytest.mark.parametrize(("name", "mode"), ROWS)
def test_a_change_is_seen_by_the_next_call(name, mode):
    """A derivative that was called before gives what differences and a new one give."""
    fn, args, changes = CASES[name]()
    many = args if isinstance(args, list) else [args]
    old = _derivative(fn, mode, fresh=False)
    for k, change in enumerate([lambda: None, *changes]):
        change()
        for each in many:
            expected = _slope_by_differences(fn, each)
            given = functools.partial(_given, each[0], each)
            was = _outcome(lambda given=given: old(*given()))
            if k == len(changes) or isinstance(was, SrcgradError):
                fresh = _derivative(fn, mode, fresh=True)
                now = _outcome(lambda given=given, fresh=fresh: fresh(*given()))
                assert was == now if type(was) is not type(now) else True, (was, now)
            if isinstance(was, SrcgradError):
                assert type(was) is type(now)
                assert name in REFUSED, was
                continue
            assert was == pytest.approx(expected, rel=1e-5, abs=1e-7), f"after change {k}"
            if k == len(changes):
                assert was == now


def test_objects_that_are_equal_are_not_one():
    """What is remembered of one callable is not taken for another that it is equal to."""

    class Named:
        def __init__(self, w):
            self.w = w

        def __call__(self, x):
            return np.sum(x * x) * self.w

        def __eq__(self, other):
            return isinstance(other, Named)

        def __hash__(self):
            return 0

    x = np.array([1.0, 2.0])
    for w in (1.0, 5.0):
        model = Named(w)
        assert np.array_equal(vjp(model, x)[1](1.0), 2 * x * w)
        assert jvp(model, (x,), (x,))[1] == 2 * np.sum(x * x) * w


def test_numbers_are_read_by_the_code_that_there_is():
    """Another number, or another array of the same kind, does not make code be generated anew."""

    class Model:
        scale = 2.0
        weights = np.ones(3)

    model, outer = Model(), {"rate": 3.0}

    def fn(x):
        return np.sum(x * x * model.weights) * model.scale * outer["rate"]

    gradient = grad(fn)
    x = np.array([1.0, 2.0, 3.0])
    assert np.array_equal(gradient(x), 12 * x)
    Model.scale, Model.weights, outer["rate"] = 3.0, np.full(3, 5.0), 7.0
    assert np.array_equal(gradient(x), 210 * x)
    assert len(gradient.__srcgrad__.specialisations) == 1
