"""What a function was given is not what the program makes of it afterwards.

Every function with a formula is called once for each argument that moves, with arrays and
lists for the others; then these are written over. The derivative is that of the call.
"""

from __future__ import annotations

import copy
from importlib import import_module

import numpy as np
import pytest

from srcgrad import formulas, tape
from srcgrad.errors import SrcgradError
from tests.finite_differences import gradient, random_like
from tests.formulas.checking import Case, is_float
from tests.formulas.test_load import TESTS

formulas.load_all()


def cases():
    """One call of each function, with what it has as arrays and lists in its tables."""
    found = {}
    for name in TESTS:
        for c in import_module(name).CASES:
            if isinstance(c, Case):
                kinds = tuple(sorted(c.options))
                found.setdefault((c.target, len(c.args), kinds), c)
    return list(found.values())


def changeable(value):
    """The same value, with lists in the place of tuples of numbers."""
    if isinstance(value, tuple) and value and all(type(part) is int for part in value):
        return list(value)
    return copy.deepcopy(value)


def spoil(value):
    """Write over all that can be written over."""
    if isinstance(value, np.ndarray):
        value[...] = ~value if value.dtype.kind == "b" else 0
    elif isinstance(value, list | tuple):
        for part in value:
            spoil(part)
        if isinstance(value, list):
            value.clear()


def called(x, c, k, args, options, spoils):
    """Call the function of a case, and write over its other arguments."""
    made = c.target(*args[:k], x, *args[k + 1 :], **options)
    if spoils:
        spoil([part for j, part in enumerate(args) if j != k])
        spoil(list(options.values()))
    return made


def cotangent(c, k, spoils, lists):
    """The cotangent of an argument, for one cotangent of the result."""
    own = changeable if lists else copy.deepcopy
    args, options = [own(part) for part in c.args], {n: own(v) for n, v in c.options.items()}
    value, backward = tape.vjp(called, c.args[k], c, k, args, options, spoils)
    return backward(random_like(value, np.random.default_rng(3)))


@pytest.mark.one_of(18)
@pytest.mark.parametrize("c", cases(), ids=str)
def test_constants_are_held_as_they_were(c):
    """Nothing that is written afterwards goes into the derivative."""
    for k, x in enumerate(c.args):
        if not isinstance(x, np.ndarray | float) or not is_float(x):
            continue
        for lists in (False, True):
            try:
                wanted = cotangent(c, k, False, lists)
            except (SrcgradError, TypeError, ValueError):
                continue  # it does not take a list there, or no argument that moves
            np.testing.assert_array_equal(cotangent(c, k, True, lists), wanted)


X = np.array([0.5, -0.3, 0.8, 1.2])


def list_as_index_of_a_write(x):
    """A list of places gets one more."""
    at, y = [0, 2], x * x
    y[at] = y[1:3] * 3.0
    y[at] -= x[2:]
    at.append(1)
    return np.sum(y[at] ** 2)


def empty_list_as_index(x):
    """No place at all is read and written."""
    y = x * 1.0
    y[[]] = 5.0
    y[[]] += x[[]]
    return np.sum(y[[]]) + np.sum(y**2)


INDICES = [list_as_index_of_a_write, empty_list_as_index]


@pytest.mark.parametrize("fn", INDICES, ids=lambda fn: fn.__name__)
def test_indices_are_held_as_they_were(fn):
    """An array or a list that was an index may be written afterwards."""
    np.testing.assert_allclose(tape.grad(fn)(X.copy()), gradient(fn, (X,), 0), rtol=1e-6)
