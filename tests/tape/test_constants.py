"""What a function is given that is not differentiated, and what it gives back, is constant.

Each program is recorded; its derivative is compared with that of the one in which the constant
is given as a number or an array of its own.
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

from srcgrad import nondifferentiable, stop_gradient, tape
from srcgrad.errors import MutationError


@dataclasses.dataclass
class Weights:
    w: object
    calls: int = 0


@nondifferentiable
def total(p):
    return float(np.sum(p.w))


@nondifferentiable
def held(p):
    p.calls += 1
    return p.w


@nondifferentiable
def parts(p):
    return {"w": [p.w[1:]], "p": p}


@nondifferentiable
def doubled(p):
    p.w *= 2.0


@nondifferentiable
def called(fn, x):
    return fn(x)


SEEN: list = []


@nondifferentiable
def remember(p):
    SEEN.append(p)
    p.calls += 1


def of_object(x):
    p = Weights(2.0 * x)
    return np.sum(p.w * x) * total(p)


def of_attribute(x):
    p = Weights(2.0 * x)
    return np.sum(p.w * x * held(p)) * p.calls


def of_parts(x):
    p = Weights(2.0 * x)
    found = parts(p)
    return np.sum(found["w"][0] * x[1:]) + np.sum(found["p"].w * x)


def of_closure(x):
    y = 2.0 * x
    return np.sum(y * x) * called(lambda v: np.sum(v * y), x)


def of_partial(x):
    y = 2.0 * x
    return np.sum(y * x) * called(functools.partial(np.dot, y), x)


def of_written(x):
    p = Weights(2.0 * x)
    doubled(p)
    return np.sum(p.w * x)


def of_remembered(x):
    p = Weights(2.0 * x)
    remember(p)
    return np.sum(p.w * x) * p.calls


def of_tree(x):
    tree = {"a": Weights(2.0 * x), "b": [x, (x, 2.0)]}
    held = stop_gradient(tree)
    return np.sum(held["a"].w * x) + np.sum(held["b"][1][0] * x) * (held is tree)


def of_later_write(x):
    a = 2.0 * x
    b = stop_gradient(a)
    a[0] = x[1]
    return np.sum(b * x) + np.sum(a[0] * b)


def of_kept(x):
    a = 2.0 * x
    kept = [stop_gradient(a)]
    a *= x
    return np.sum(kept[0] * x) if kept[0][0] < 100 else np.sum(x)


X = np.array([1.0, 2.0, 3.0])
E = np.eye(3)[1]
WRITTEN = np.array([2.0, 4.0, 6.0])
PROGRAMS = {  # each with its derivative
    of_object: lambda x: 4 * x * np.sum(2 * x),
    of_attribute: lambda x: 8 * x**2,
    of_parts: lambda x: 2 * x + np.array([0.0, 1.0, 1.0]) * 2 * x,
    of_closure: lambda x: 4 * x * np.sum(2 * x * x),
    of_partial: lambda x: 4 * x * np.sum(2 * x * x),
    of_written: lambda x: 4 * x,
    of_remembered: lambda x: 4 * x,
    of_tree: lambda x: 3 * x,
    of_later_write: lambda x: (
        np.array([x[1], 2 * x[1], 2 * x[2]]) * 1.0
        + E * np.sum(np.array([x[1], 2 * x[1], 2 * x[2]]))
    ),
    of_kept: lambda x: 2 * x * x,
}


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f):
    for _ in range(2):
        value, slope = tape.value_and_grad(f)(X.copy())
        np.testing.assert_allclose(value, f(X.copy()))
        np.testing.assert_allclose(slope, PROGRAMS[f](X))
        _, along = tape.jvp(f, (X.copy(),), (E,))
        np.testing.assert_allclose(along, slope[1])


def test_objects_are_remembered_themselves():
    SEEN.clear()
    given = Weights(X.copy())

    def f(x):
        given.w = x
        remember(given)
        return np.sum(given.w * x)

    np.testing.assert_allclose(tape.grad(f)(X.copy()), 2 * X)
    assert SEEN[0] is given
    assert type(given.w) is np.ndarray


def write_array(x):
    a = 2.0 * x
    b = stop_gradient(a)
    b[0] = 5.0
    return np.sum(a * x)


def add_to_entry(x):
    held = [2.0 * x, x]
    same = stop_gradient(held)
    same[0][0] += 3.0
    return np.sum(held[0] * x)


def append(x):
    held = [2.0 * x, x]
    same = stop_gradient(held)
    same.append(x)
    return np.sum(held[0] * x) * len(held)


def set_entry(x):
    held = {"a": 2.0 * x}
    same = stop_gradient(held)
    held["a"] = x
    return np.sum(same["a"] * x)


@pytest.mark.parametrize(
    "f", [write_array, add_to_entry, append, set_entry], ids=lambda f: f.__name__
)
def test_writes_that_another_name_sees_are_refused(f):
    with pytest.raises(MutationError):
        tape.grad(f)(X.copy())
