"""Entries of dicts from outside: which kinds of numbers they hold goes into the code."""

import numpy as np
import pytest

from srcgrad import grad, source
from tests import finite_differences as fd

CONSTANTS = {"rate": 2.0, "power": 3, "weights": np.array([1.0, 2.0, 3.0]), "calls": 0}
X = np.array([0.5, 1.5, 2.0])


@pytest.fixture(autouse=True)
def as_before():
    """Let each test begin with the same entries."""
    before = dict(CONSTANTS)
    yield
    CONSTANTS.clear()
    CONSTANTS.update(before)


def scaled(x):
    """Read a number and an array."""
    return np.sum(CONSTANTS["rate"] * x ** CONSTANTS["power"] * CONSTANTS["weights"])


def noted():
    """Put another kind of number there, without a word."""
    CONSTANTS["rate"] = np.array([1.0, 2.0, 5.0])


def changed_by_call(x):
    """Call something that changes an entry between two reads of it."""
    y = x * CONSTANTS["rate"]
    noted()
    value = np.sum(y * CONSTANTS["rate"])
    CONSTANTS["rate"] = 2.0
    return value


def changed_in_loop(x):
    """Change an entry behind its last read in a loop."""
    total = 0.0
    for _ in range(2):
        total = total + np.sum(x * CONSTANTS["rate"]) * (1 + total)
        noted()
    CONSTANTS["rate"] = 2.0
    return total


def counted(x):
    """Count calls in one entry, and read another."""
    CONSTANTS["calls"] = CONSTANTS["calls"] + 1
    return np.sum(x**2 * CONSTANTS["rate"]) * CONSTANTS["calls"]


def test_text_knows_the_kinds():
    """There are no sums over axes along which nothing is broadcast."""
    slope = grad(lambda x: np.sum(CONSTANTS["rate"] * x), recorded="refuse")
    slope(X)
    assert "unbroadcast" not in source(slope)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rate", 3.5),
        ("rate", 4),
        ("rate", np.array([1.0, 2.0, 0.5])),
        ("rate", np.array([[1.0], [2.0]])),
        ("rate", np.array([2.0])),
        ("power", 2),
        ("power", 1.5),
        ("weights", 0.5),
        ("weights", np.array([[1.0, 2.0, 3.0]])),
    ],
)
def test_another_entry_at_the_next_call(name, value):
    """What is there at the call is what counts."""
    slope = grad(scaled, recorded="allow")
    slope(X)
    CONSTANTS[name] = value
    np.testing.assert_allclose(slope(X), fd.gradient(scaled, (X,), 0), rtol=1e-6)


def test_another_dict_under_the_name(monkeypatch):
    """The dict that is read is the one that has the name."""
    slope = grad(scaled, recorded="allow")
    slope(X)
    monkeypatch.setitem(globals(), "CONSTANTS", CONSTANTS | {"rate": np.array([1.0, 7.0, 2.0])})
    np.testing.assert_allclose(slope(X), fd.gradient(scaled, (X,), 0), rtol=1e-6)


def test_an_entry_that_is_gone():
    """The error is Python's."""
    slope = grad(scaled, recorded="allow")
    slope(X)
    del CONSTANTS["rate"]
    with pytest.raises(KeyError):
        slope(X)


@pytest.mark.parametrize("f", [changed_by_call, changed_in_loop])
def test_entries_that_the_program_changes(f):
    """They have the kind that they have when they are read."""
    slope = grad(f, recorded="allow")
    for x in (X, 2 * X):
        np.testing.assert_allclose(slope(x), fd.gradient(f, (x,), 0), rtol=1e-6)


def test_a_count_beside_what_is_read():
    """Each call counts once."""
    slope = grad(counted, recorded="allow")
    for k in range(1, 4):
        np.testing.assert_allclose(slope(X), 2 * X * 2.0 * k)
        assert CONSTANTS["calls"] == k
