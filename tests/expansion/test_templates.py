"""Formulas are read once for each kind of operands, and the text does not depend on it."""

import numpy as np
import pytest

from srcgrad import grad, source
from srcgrad.expansion import expand, templates


def same_twice(x, y):
    a = np.sin(x) * y
    b = np.sin(a) * y
    return np.sum(b)


def other_names(left, right):
    wide = np.sin(left) * right
    return np.sum(np.sin(wide) * right)


def stretched(x, row):
    return np.sum(np.sin(x) * row + np.sin(row) * x)


def bounds(x):
    return np.sum(np.clip(x, 0.0, 1.0)) + np.sum(np.clip(x, 0.0, 2.0))


def text_of(fn, *args):
    made = grad(fn)
    made(*args)
    return source(made)


@pytest.fixture
def read(monkeypatch):
    """The formulas that are read, one for each time."""
    monkeypatch.setattr(templates, "_known", {})
    found = []
    code_of = expand.formula_source
    monkeypatch.setattr(
        expand, "formula_source", lambda formula: found.append(formula) or code_of(formula)
    )
    return found


def test_formulas_are_read_once_for_a_kind_of_operands(read):
    """Within a function, and in another one with other names."""
    x = np.ones(3)
    text_of(same_twice, x, x)
    count = len(read)
    assert count < 2 * len(set(read))
    text_of(other_names, x, x)
    assert len(read) == count


def test_other_kinds_are_other_formulas(read):
    """A matrix is no vector, and a bound of 1 none of 2."""
    text_of(same_twice, np.ones(3), np.ones(3))
    before = len(read)
    text_of(same_twice, np.ones((2, 3)), np.ones((2, 3)))
    assert len(read) > before
    del read[:]
    text_of(bounds, np.ones(3))
    assert len([formula for formula in read if formula.__name__ == "clip"]) == 2


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (same_twice, (np.ones(3), np.ones(3))),
        (stretched, (np.ones((4, 3)), np.ones(3))),
        (stretched, (np.ones((4, 3)), np.ones((4, 1)))),
        (stretched, (np.ones(3), np.ones((4, 3)))),
        (stretched, (2.0, np.ones(3))),
    ],
)
def test_the_text_is_that_of_formulas_that_were_read(fn, args, monkeypatch):
    """Lengths that meet are tested at each call, whoever asked about them first."""
    warm = [text_of(fn, *args) for _ in range(2)][1]
    monkeypatch.setattr(templates, "_known", {})
    assert text_of(fn, *args) == warm


def test_a_length_that_was_relied_on_is_so_for_each_function():
    """An array of one row is told from others by functions that came later, too."""
    for fn in (stretched, lambda x, row: np.sum(np.sin(x) * row + np.sin(row) * x)):
        made = grad(fn, wrt=(0, 1))
        made(np.ones((4, 3)), np.ones((4, 3)))
        x_bar, row_bar = made(np.ones((4, 3)), np.ones((1, 3)))
        assert row_bar.shape == (1, 3)
        assert x_bar.shape == (4, 3)
