"""What backward loops write into cotangents: no zeros that nothing reads, and first entries."""

import numpy as np
import pytest

from srcgrad import check, grad, source

X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9])


def backward_of(f):
    """The backward part of the gradient with respect to both arguments."""
    gradient = grad(f, wrt=(0, 1))
    gradient(X, 0.5)
    return source(gradient).partition("# ")[2]


def horner(x, a):
    """A polynomial by Horner's rule."""
    p = 0.0
    for k in range(5, -1, -1):
        p = p * a + x[k]
    return p * p


def filled(x, a):
    """An array that is filled entry by entry, and read at its end."""
    y = np.zeros(6)
    y[0] = x[0] ** 2
    for i in range(1, 6):
        y[i] = a * y[i - 1] * y[i - 1] + x[i]
    return y[5]


@pytest.mark.parametrize("f", [horner, filled])
def test_first_entries_are_written(f):
    """Each iteration writes an entry of its own into zeros."""
    check(f, X, 0.5, wrt=(0, 1))
    assert "x_bar[" in backward_of(f)
    assert "x_bar[i] +=" not in backward_of(f)
    assert "x_bar[k] +=" not in backward_of(f)


def test_zeros_that_nothing_reads_are_not_written():
    """Neither the loop nor what comes behind it reads an entry that it has handed back."""
    check(filled, X, 0.5, wrt=(0, 1))
    assert "] = 0.0" not in backward_of(filled)


def neighbours(x, a):
    """Entries that two iterations read."""
    return sum(a * x[i] * x[i + 1] for i in range(5))


def smoothed(x, a):
    """Entries that two iterations of a loop read."""
    s = 0.0
    for i in range(1, 5):
        s = s + a * x[i - 1] * x[i] ** 2 * x[i + 1]
    return s


def in_two_loops(x, a):
    """A second loop reads what the first one has read."""
    s = 0.0
    for i in range(6):
        s = s + x[i] ** 2
    for i in range(6):
        s = s * a + x[i] ** 3
    return s


def in_one_arm(x, a):
    """One arm reads an entry, the other one its neighbour."""
    s = 0.0
    for i in range(1, 6):
        if x[i] > 0:
            s = s + a * x[i] ** 2
        else:
            s = s * x[i - 1] + x[i]
    return s


def by_turns(x, a):
    """Indices that come again."""
    s = 0.0
    for i in range(6):
        s = s * a + x[i % 2] ** 2
    return s


def overwritten(x, a):
    """An array that held something before, and is read behind the loop as a whole."""
    y = x * a
    for i in range(2, 6):
        y[i] = y[i] * y[i - 2]
    return np.sum(y**2) + y[0]


def read_before(x, a):
    """An entry that was handed back is read in a later iteration backwards."""
    y = x * a
    for i in range(5):
        y[i + 1] = y[i + 1] * y[i]
    return np.sum(y * x)


def in_a_row(x, a):
    """Entries of a vector, three in each iteration."""
    y = np.zeros(18)
    for i in range(6):
        y[3 * i] = x[i]
        y[3 * i + 1] = a * x[i] ** 2
        y[3 * i + 2] = y[3 * i] * a
    return np.sum(y**2 * np.arange(18.0))


@pytest.mark.parametrize(
    "f",
    [neighbours, smoothed, in_two_loops, in_one_arm, by_turns, overwritten, read_before, in_a_row],
)
def test_what_is_written_more_than_once_is_added(f):
    """The derivative is right, whatever other iterations read and write."""
    check(f, X, 0.5, wrt=(0, 1))


def symmetric(x, a):
    """Two entries of one iteration hold the same number."""
    matrix = np.zeros((6, 6))
    for i in range(5):
        matrix[i, i + 1] = matrix[i + 1, i] = a * x[i]
    return np.sum(matrix**2 * np.arange(36.0).reshape(6, 6))


def banded(x, a):
    """Three entries of one iteration, two of them on some ways only."""
    matrix = np.zeros((6, 6))
    for i in range(6):
        matrix[i, i] = x[i] ** 2
        if i + 1 < 6:
            matrix[i, i + 1] = a * x[i]
            matrix[i + 1, i] = a * x[i + 1]
    return np.sum(matrix**2 * np.arange(36.0).reshape(6, 6))


@pytest.mark.parametrize("f", [symmetric, banded])
def test_several_zeros_of_an_iteration_are_left_out(f):
    """What reads an array behind several such writes reads it as it was before the first."""
    check(f, X, 0.5, wrt=(0, 1))
    assert "] = 0.0" not in backward_of(f)


def convolved(k, a):
    """Weights that two loops read, one in each iteration."""
    total = 0.0
    for i in range(2):
        for j in range(3):
            total = total + a * np.sin((i + 1) * k[i, j] + j)
    return total**2


def diagonals(k, a):
    """Weights that the sum of two counters means."""
    total = 0.0
    for i in range(2):
        for j in range(2):
            total = total + a * k[0, i + j] ** 2
    return total**2


def by_columns(k, a):
    """Weights that each iteration of the outer loop reads again."""
    total = 0.0
    for i in range(2):
        for j in range(3):
            total = total + a * (i + 1) * k[1, j] ** 2
    return total**2


def twice(k, a):
    """Weights that an iteration reads again in the next one, or beside the inner loop."""
    total = 0.0
    for i in range(2):
        for j in range(1, 3):
            total = total + a * k[i, j] * k[i, j - 1]
        total = total + k[i, 0] ** 2
    return total


def three(k, a):
    """Three loops; the innermost one goes as far as the one around it stands."""
    total = 0.0
    for i in range(2):
        for j in range(1, 3):
            for _ in range(j):
                total = total + a * k[i, j] ** 2
    return total**2


WEIGHTS = np.array([[0.3, -0.7, 1.1], [0.4, -0.2, 0.9]])


@pytest.mark.parametrize("f", [convolved, diagonals, by_columns, twice, three])
def test_first_entries_of_loops_inside_of_loops(f):
    """They are written where all loops tell them apart, and added elsewhere."""
    check(f, WEIGHTS, 0.5, wrt=(0, 1), order=2)
    gradient = grad(f)
    gradient(WEIGHTS, 0.5)
    text = source(gradient)
    assert ("k_bar[i, j] = " in text) is (f is convolved)
