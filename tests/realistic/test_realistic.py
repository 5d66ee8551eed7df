"""Realistic programs in every mode, by text or recorded, against central differences."""

import numpy as np
import pytest

from tests.realistic import examine, state, trees
from tests.realistic.table import Program, programs

# What is not right yet, and why; it is looked at all the same, and may become right at any time.
NOT_YET: dict[str, str] = {}
# Those that solve differential equations to many digits, time and again: only with --all.
SLOW = {
    "earth.pick_misfit",
    "ecology.cycle_index",
    "measurement.r_factor",
    "pharmacology.time_above_threshold",
}


def each(cases):
    """Run a test once for each of these programs, under its name."""
    marked = []
    for case in cases:
        marks = [pytest.mark.one_of(10**9 if case.name in SLOW else 24)]
        if case.name in NOT_YET:
            marks.append(pytest.mark.xfail(reason=NOT_YET[case.name], strict=False))
        marked.append(pytest.param(case, id=case.name, marks=marks))
    return pytest.mark.parametrize("case", marked)


@each(programs())
@pytest.mark.one_of(6)
def test_program(case):
    """Value, derivatives of first and second order, and what is written are those of Python."""
    found = examine.examine(case)
    assert set(found.values()) <= {"text", "recorded"}


def test_names_in_the_list_of_exceptions():
    """What is not right yet is a program of the table."""
    assert {*NOT_YET, *SLOW} <= {case.name for case in programs()}


def squares(x, log):
    """Return a sum of squares, and write down how often."""
    log.append(len(log))
    return np.sum(x**2)


def made(fn):
    """Return a table entry for a function of an array and a list."""
    make = lambda rng: (fn, (np.array([1.0, 2.0]), []))
    return Program("squares", __name__, make, 0, order2=True, again=True, rtol=1e-6)


class Way(examine.Ways):
    """A way to differentiate ``squares`` that is right, or wrong as told."""

    def __init__(self, factor=2.0, writes=1, offset=0.0):
        self.factor, self.writes, self.offset, self.mode = factor, writes, offset, "refuse"
        self.value_and_grad = lambda f, wrt: lambda x, log: self.vjp(f, x, log, wrt=wrt, bar=1.0)
        self.grad = lambda f, wrt: lambda x, log: self.vjp(f, x, log, wrt=wrt, bar=1.0)[1]

    def vjp(self, f, x, log, wrt, bar=None):
        log.extend(range(self.writes))
        value = np.sum(x**2) + self.offset
        backward = lambda bar: self.factor * bar * x
        return (value, backward) if bar is None else (value, backward(bar))


@pytest.mark.parametrize(
    ("way", "mode", "says"),
    [
        (Way(), "grad", "right"),
        (Way(), "vjp", "right"),
        (Way(factor=2.001), "grad", "wrong: gradient"),
        (Way(factor=2.001), "vjp", "wrong: gradient"),
        (Way(offset=1e-6), "value_and_grad", "wrong: value"),
        (Way(writes=2), "grad", "wrong: state"),
        (Way(writes=0), "vjp", "wrong: state"),
    ],
)
def test_what_is_wrong_is_seen(monkeypatch, way, mode, says):
    """A gradient, a value or a state that is not that of the function is told."""
    case = made(squares)
    monkeypatch.setitem(examine.WAYS, "own", lambda: way)
    assert examine.outcome(case, mode, "own", examine.Estimates(case)).startswith(says)


SCALE = {"a": 1.0}


def scaled(x):
    """Return a sum of squares that depends on the module."""
    return SCALE["a"] * np.sum(x**2)


def test_a_change_that_is_not_seen(monkeypatch):
    """A gradient that keeps what it first read is wrong after the change; all is put back."""
    make = lambda rng: (scaled, (np.array([1.0, 2.0]),))
    changes = (lambda args: SCALE.update(a=3.0), lambda args: (np.array([1.0]),))
    case = Program("scaled", __name__, make, 0, False, False, 1e-6, changes)

    class Stale(Way):
        def __init__(self, read):
            self.grad = lambda f, wrt: lambda x: 2 * read() * x
            self.jvp = lambda f, args, dots: (f(*args), 2 * SCALE["a"] * args[0] @ dots[0])
            self.mode = "refuse"

    known = examine.Estimates(case)
    monkeypatch.setitem(examine.WAYS, "own", lambda: Stale(lambda: SCALE["a"]))
    assert examine.outcome(case, "changed", "own", known) == "right"
    monkeypatch.setitem(examine.WAYS, "own", lambda: Stale(lambda: 1.0))
    said = examine.outcome(case, "changed", "own", known)
    assert said.startswith("wrong: gradient after change 1")
    assert SCALE == {"a": 1.0}


def test_what_cannot_be_compared_is_said():
    """Differences of a function that jumps are no yardstick."""
    case = made(lambda x, log: np.sum(np.where(x > 1.0, 5.0, x)))
    known = examine.Estimates(case)
    assert examine.outcome(case, "grad", "tape", known).startswith("unclear")


def test_differences_between_states():
    """Two states are compared part by part, by type and by number."""
    assert state.difference({"a": [1.0, 2]}, {"a": [1.0, 2]}) == ""
    assert "a" in state.difference({"a": [1.0, 2]}, {"a": [1.5, 2]})
    assert "list and tuple" in state.difference([1], (1,))
    assert "parts" in state.difference([1], [1, 2])
    assert state.difference(np.zeros(2), np.zeros(3))


def test_trees_are_moved_with_their_types():
    """Numbers of a tree move along their steps, and what is no number stays."""
    tree = {"a": (1.0, "text", np.array([1.0, 2.0])), "n": 3}
    steps = trees.directions(tree, np.random.default_rng(0))
    there = trees.moved(tree, steps, 0.5)
    assert there["n"] == 3
    assert there["a"][1] == "text"
    assert there["a"][0] == 1.0 + 0.5 * steps["a", 0]
    assert isinstance(there["a"], tuple)
    assert trees.as_tangent(tree, steps)["n"] is None
