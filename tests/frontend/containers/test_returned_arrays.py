"""What called functions give back, and lists hold, written where that cannot be followed."""

from typing import NamedTuple

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import MutationError
from tests import finite_differences as fd

POINTS = (np.array([0.3, 0.6]), np.array([0.7, 0.5]))


def _first_and_all(x):
    y = np.exp(x)
    return y[:1], y


def _results_that_share_memory(x, z):
    first, y = _first_and_all(x)
    first += z[0]
    return np.sum(y**2)


def _rows(x, z):
    out = []
    for k in range(3):
        out.append(np.exp(x * k) / z)
    return out


def _elements_of_a_list_that_is_read_later(x, z):
    t = _rows(x, z)
    for row in t:
        row *= x
    return np.sum(t[0] * t[1])


def _table(x, z):
    out = []
    for k in range(2):
        row = []
        for j in range(2):
            row.append(x[j] * z[k])
        out.append(row)
    return out


def _list_in_a_list(x, z):
    t = _table(x, z)
    row = t[0]
    row[1] = 2.0 * row[0]
    return t[0][1] * t[1][0]


def _list_in_a_list_made_here(x, z):
    out = []
    for k in range(2):
        row = []
        for j in range(2):
            row.append(x[j] * z[k])
        out.append(row)
    out[0][1] = 2.0 * out[0][0]
    return out[0][1] * out[1][0]


def _list_that_grows_in_a_list(x, z):
    t = _table(x, z)
    for row in t:
        row.append(x[0])
    return t[0][2] * t[1][0]


@pytest.mark.parametrize(
    "f",
    [
        _results_that_share_memory,
        _elements_of_a_list_that_is_read_later,
        _list_in_a_list,
        _list_in_a_list_made_here,
        _list_that_grows_in_a_list,
    ],
)
def test_another_name_would_see_the_write(f):
    """A write that another result, or the list around, shows is refused, never lost."""
    with pytest.raises(MutationError, match="in place that may have another name"):
        grad(f)(*POINTS)


def _same(x):
    return x


def _part(x):
    return x[:1]


def _sometimes(x):
    return np.exp(x) if x[0] > 1 else x


@pytest.mark.parametrize("made", [_same, _part, _sometimes])
def test_result_of_an_inactive_call_that_may_be_its_argument(made):
    """Only what certainly is an array of its own may be written."""

    def f(x, z):
        y = made(x)
        y += z[0]
        return np.sum(y * x[0])

    with pytest.raises(MutationError, match="another name"):
        grad(f, wrt="z")(*POINTS)


class State(NamedTuple):
    """A mean, and how far off it may be."""

    mean: np.ndarray
    scale: np.ndarray


def _states(rate, values):
    found = [State(np.zeros(2), np.ones(2))]
    for value in values:
        last = found[-1]
        found.append(State(last.mean + value * rate, last.scale * rate))
    return found[-1].mean[1] ** 2 + found[-1].scale[0]


def test_list_of_named_tuples_that_grows():
    """Zeros for its cotangent are made element by element, whatever class these have."""
    args = (0.3, np.array([0.4, 0.2]))
    for index, found in enumerate(grad(_states, (0, 1))(*args)):
        np.testing.assert_allclose(found, fd.gradient(_states, args, index), rtol=1e-6)
