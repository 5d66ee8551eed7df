"""Generator functions of which not all is taken at once, or with which something else runs."""

import itertools

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import UnsupportedSyntaxError
from tests import finite_differences as fd

X = np.array([0.3, 0.7, 1.1])


def _squares(x):
    for v in x:
        yield v * v


def _without_end(x):
    v = x[0]
    while True:
        v = v * x[1]
        yield v


class Growing:
    def __init__(self):
        self.n = 1.0

    def scaled(self, x):
        for v in x:
            yield v * self.n

    def run(self, x):
        t = 0.0
        for v in self.scaled(x):
            self.n = self.n + 1.0
            t = t + v
        return t


def _left_early(x):
    for v in _squares(x):
        if v > 0.3:
            return v * x[2]
    return 0.0


def _taken_one_by_one(x):
    rows = _squares(x)
    return next(rows) * sum(rows)


def _without_an_end(x):
    return sum(itertools.islice(_without_end(x), 3))


def _left_at_a_count(x):
    t = 0.0
    for k, v in enumerate(_without_end(x)):
        t = t + v
        if k > 2:
            break
    return t


def _changed_while_it_runs(x):
    return Growing().run(x)


@pytest.mark.parametrize(
    "f",
    [
        _left_early,
        _taken_one_by_one,
        _without_an_end,
        _left_at_a_count,
        _changed_while_it_runs,
    ],
)
def test_what_runs_in_between_is_recorded(f):
    """No text stands for a generator that is not taken as a whole; its gradient is right."""
    with pytest.raises(UnsupportedSyntaxError):
        grad(f, recorded="refuse")(X)
    made = grad(f, recorded="allow")(X.copy())
    assert np.allclose(made, fd.gradient(lambda x: f(x.copy()), (X,), 0), rtol=1e-5)
