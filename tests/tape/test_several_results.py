"""Functions with several results, some of them of whole numbers, which have no cotangents."""

import itertools

import numpy as np
import pytest

from srcgrad import tape
from tests import finite_differences as fd

X = np.array([0.5, 1.3, 0.8])
OTHERS = {
    "whole numbers": np.array([1, 2, 3]),
    "truth values": np.array([True, False, True]),
    "a list": [1, 2, 3],
    "a whole number": 2,
    "numbers": np.array([0.2, 0.4, 0.9]),
    "a number": 0.7,
}
FUNCTIONS = [np.broadcast_arrays, np.meshgrid]


@pytest.mark.parametrize("fn", FUNCTIONS)
@pytest.mark.parametrize("other", OTHERS)
def test_one_result_or_all(fn, other):
    """Cotangents come back from each of the results, and from all of them."""
    known = OTHERS[other]
    for order, used in itertools.product((False, True), ((0,), (1,), (0, 1))):

        def total(x, order=order, used=used):
            made = fn(known, x) if order else fn(x, known)
            return sum(np.sum(made[k] * made[k] * x[0]) for k in used)

        expected = fd.gradient(total, (X,), 0)
        assert tape.grad(total)(X) == pytest.approx(expected, rel=1e-6)
        assert tape.jvp(total, (X,), (X,))[1] == pytest.approx(expected @ X, rel=1e-6)


def test_results_that_nothing_reads():
    """Vectors of equal eigenvalues have no slope; that nothing reads them is told apart."""

    def f(a):
        return np.sum(np.linalg.eigh(a)[0] ** 2)

    a = np.diag([1.0, 1.0, 3.0])
    np.testing.assert_array_equal(tape.grad(f)(a), 2 * a)
