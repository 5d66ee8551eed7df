"""Lengths that were equal where code was generated, and are not at a later call."""

import importlib
import sys

import numpy as np
import pytest

from srcgrad import grad, source, tape

Z = np.array([1.0, 2.0, 4.0])


def chosen_in_an_expression(a, b, z):
    t = a if np.sum(z) > 0 else b
    return np.sum(t * z)


def chosen_by_a_branch(a, b, z):
    if np.sum(z) > 0:
        t = a * 2.0
    else:
        t = b * 3.0
    return np.sum(t * z)


def carried_by_a_loop(a, b, z):
    t = a
    for k in range(2):
        t = b * 2.0
    return np.sum(t * z)


@pytest.mark.parametrize(
    ("f", "factor"),
    [(chosen_in_an_expression, 1.0), (chosen_by_a_branch, 3.0), (carried_by_a_loop, 2.0)],
)
def test_arrays_that_met_with_one_length_may_have_two(f, factor):
    """One that is stretched at a later call has its cotangent summed."""
    made = grad(f, wrt=(0, 1))
    made(np.ones(3), np.ones(3), Z)
    a_bar, b_bar = made(np.ones(3), np.ones(1), -Z)
    np.testing.assert_allclose(a_bar, np.zeros(3))
    np.testing.assert_allclose(b_bar, [-7.0 * factor])


def met_in_an_arm(x, y, together):
    u = np.zeros(len(y))
    u[0] = x[0]
    if together:
        u = u + x
    return np.sum(u**2) + np.sum(np.append(x, y) ** 2)


def met_in_a_loop(x, y, together):
    s = 0.0
    for _ in range(together):
        s = s + x @ y
    return s + np.mean(x**2) + np.sum(y)


@pytest.mark.parametrize("f", [met_in_an_arm, met_in_a_loop])
@pytest.mark.parametrize("calls", [[(3, 5, 0)], [(3, 3, 1), (3, 5, 0), (5, 3, 0)]])
def test_what_is_not_carried_out_tells_nothing_of_lengths(f, calls):
    """Arrays that would have to be of one length in an arm, or a loop, may be of two without."""
    made = grad(f, wrt=(0, 1))
    for m, n, together in calls:
        x, y = np.linspace(0.3, 0.9, m), np.linspace(0.8, 0.5, n)
        for bar, by_tape in zip(
            made(x, y, together), tape.grad(f, wrt=(0, 1))(x, y, together), strict=True
        ):
            np.testing.assert_allclose(bar, by_tape)


def cut_alike(x, y, size):
    total = 0.0
    for i in range(0, len(x), size):
        total += np.sum((x[i : i + size] * y[i : i + size] + 1.0) ** 2)
    return total


def cut_at_other_places(x, y, size):
    before, total = x[0:size], 0.0
    for i in range(len(x) - size + 1):
        total += np.sum((before * y[i : i + size] + 1.0) ** 2)
        before = x[i : i + size]
    return total


SAME = [(4, 4, 2), (5, 5, 2), (4, 4, 1), (3, 3, 2)]


@pytest.mark.parametrize(
    ("f", "calls"),
    [(cut_alike, [*SAME, (5, 3, 2), (1, 4, 1), (5, 5, 3)]), (cut_at_other_places, SAME)],
)
def test_parts_between_the_same_numbers_are_as_long_where_the_axes_are(f, calls):
    """A part at the end may be shorter, and one of a shorter array may be stretched."""
    made = grad(f, wrt=(0, 1), recorded="refuse")
    for m, n, size in calls:
        x, y = np.linspace(0.3, 0.9, m), np.linspace(0.8, 0.5, n)
        by_tape = tape.grad(f, wrt=(0, 1))(x, y, size)
        for bar, expected in zip(made(x, y, size), by_tape, strict=True):
            np.testing.assert_allclose(bar, expected)


def test_no_part_is_summed_where_all_are_as_long():
    """Pieces of rows and of targets, as they are taken one after the other."""
    slope = grad(cut_alike, recorded="refuse")
    slope(np.ones(5), np.ones(5), 2)
    assert "unbroadcast" not in source(slope)


def over_rows(w, rows):
    total = 0.0
    for X, y in rows:
        total += np.sum((X @ w - y) ** 2)
    return total


def over_dicts(w, rows):
    return sum(np.sum((row["X"] @ w - row["y"]) ** 2) for row in rows)


def rows_of(lengths, kind):
    made = [
        (np.cos(np.arange(3.0 * m)).reshape(m, 3), np.linspace(0.1, 0.9, n)) for m, n in lengths
    ]
    return [dict(zip("Xy", row, strict=True)) if kind is dict else kind(row) for row in made]


ROWS = [[(4, 4), (5, 5)], [(4, 4), (5, 1)], [(3, 3), (3, 3)], [(1, 4), (1, 5)], [(1, 1), (4, 4)]]


@pytest.mark.parametrize(("f", "kind"), [(over_rows, tuple), (over_rows, list), (over_dicts, dict)])
def test_parts_of_each_row_of_data_that_are_as_long(f, kind):
    """A batch and its targets, each of another length than the next ones."""
    made, w = grad(f, recorded="refuse"), np.array([0.4, -0.2, 0.9])
    for lengths in [*ROWS, *ROWS[::-1]]:
        rows = rows_of(lengths, kind)
        np.testing.assert_allclose(made(w, rows), tape.grad(f)(w, rows), rtol=1e-12)
    assert "unbroadcast" not in source(made)


JOINED = [
    "np.concatenate([np.cos(k * x) for k in range(4)]) @ w",
    "np.concatenate([np.outer(x, x) for _ in range(4)], axis=1) @ w",
    "np.vstack([np.sin(k * x) for k in range(4)]) @ w[:2]",
    "np.stack([x**k for k in range(4)], axis=1) @ w[:4]",
    "np.column_stack([x**k for k in range(4)]) @ w[:4]",
    "np.hstack([np.outer(x, x) for _ in range(4)]) @ w",
    "np.dstack([np.outer(x, x) for _ in range(8)]) @ w",
]


@pytest.mark.parametrize("expression", JOINED)
def test_what_is_joined_of_lists_of_data_has_a_rank(expression, tmp_path, monkeypatch):
    """So no rank is asked for in the backward part."""
    path = tmp_path / "joined_data.py"
    path.write_text(
        f"import numpy as np\n\n\ndef f(w, x):\n    return np.sum(np.tanh({expression}))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "joined_data", raising=False)
    f = importlib.import_module("joined_data").f
    made, w, x = grad(f, recorded="refuse"), np.linspace(0.1, 0.8, 8), np.array([0.3, 0.7])
    np.testing.assert_allclose(made(w, x), tape.grad(f)(w, x), rtol=1e-12)
    assert "matmul_backward" not in source(made)
