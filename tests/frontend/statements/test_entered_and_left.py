"""Context managers whose body computes nothing that is needed are entered and left, too."""

import numpy as np
import pytest

from srcgrad import grad, jvp, value_and_grad

X = np.array([0.5, 1.5])
LOG = []


class Counted:
    """A context manager that tells when it is entered and left."""

    def __enter__(self):
        LOG.append("in")

    def __exit__(self, *exception):
        LOG.append("out")


COUNTED = Counted()


def with_nothing(x):
    """The body is empty."""
    y = 2 * x
    with COUNTED:
        pass
    return np.sum(y**2)


def with_what_nobody_reads(x):
    """The body computes what nothing reads."""
    y = 2 * x
    with Counted():
        z = y * 3
    z = y
    return np.sum(z**2)


def in_a_loop(x):
    """Once in each round, and not in one that ends before."""
    y = x
    for k in range(3):
        y = y * x
        if k == 1:
            break
        with COUNTED:
            pass
    return np.sum(y)


@pytest.mark.parametrize("f", [with_nothing, with_what_nobody_reads, in_a_loop])
def test_entered_and_left(f):
    """Derivatives enter and leave it as often as the function does."""
    LOG.clear()
    f(X)
    expected = [*LOG]
    assert expected
    for run in (grad(f), value_and_grad(f), lambda x: jvp(f, (x,), (x,))):
        LOG.clear()
        run(X)
        assert expected == LOG
