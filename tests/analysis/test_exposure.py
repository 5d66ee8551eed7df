"""Called functions keep copies of what their caller writes into, however it is reached."""

import numpy as np
import pytest

from srcgrad import grad, vjp
from srcgrad.errors import SrcgradError
from tests.finite_differences import directional

X = np.array([0.7, 1.4])
OUTSIDE = []


def _put(target, value):
    target[:] = value


def _squares(x, rows):
    total = 0.0
    for v in rows:
        total = total + np.sum(x * v * v)
    return total


def _of_outside(x):
    return _squares(x, OUTSIDE) + sum(np.sum(x * v * v) for v in OUTSIDE)


def in_list_given(x, rows):
    s = _squares(x, rows)
    rows[0] += np.array([2.0])
    return s * _squares(x, rows)


def in_list_on_a_way(x, rows):
    s = _squares(x, rows)
    if x[0] > -5:
        _put(rows[0], 7.0)
    return s * _squares(x, rows)


def in_list_outside(x, rows):
    s = _of_outside(x)
    OUTSIDE[0][0] = rows[0][0]
    return s * _of_outside(x)


def in_list_outside_below(x, rows):
    s = [_of_outside(x) for _ in range(2)][-1]
    for k in range(2):
        _put(OUTSIDE[k], rows[k])
        s = s * _of_outside(x)
    return s


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["allow", "refuse"])
@pytest.mark.parametrize(
    "function", [in_list_given, in_list_on_a_way, in_list_outside, in_list_outside_below]
)
def test_arrays_in_lists_that_a_called_function_read(function, mode):
    """What is kept for the way back through a call is what the call read, not what came after."""

    def anew():
        OUTSIDE[:] = [np.array([1.0, 2.0]), np.array([3.0, 0.5])]
        return [np.array([0.3, 0.2]), np.array([0.7, 1.1])]

    wanted = [directional(lambda x: function(x, anew()), (X,), {0: d})[0] for d in np.eye(2)]
    try:
        found = grad(function, recorded=mode)(X, anew())
        _, backward = vjp(function, X, anew(), recorded=mode)
    except SrcgradError:
        assert mode == "refuse"
        return
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    np.testing.assert_allclose(backward(1.0), wanted, rtol=1e-6)
