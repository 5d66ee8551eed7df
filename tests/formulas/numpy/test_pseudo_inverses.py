"""Pseudo-inverses and least squares that leave out singular values."""

import numpy as np
import pytest
from scipy import linalg

from srcgrad import check, grad, tape

RNG = np.random.default_rng(0)
B = RNG.normal(size=5)
WHOLE = RNG.normal(size=(5, 3))
NEARLY = WHOLE.copy()
NEARLY[:, 2] = NEARLY[:, 0] + 0.05 * NEARLY[:, 2]
CUTS = [
    lambda a: np.sum(np.linalg.lstsq(a, B, rcond=0.1)[0] ** 2),
    lambda a: np.sum(np.linalg.pinv(a, rcond=0.1) @ B),
    lambda a: np.sum(np.linalg.pinv(a, rtol=0.1) @ B),
    lambda a: np.sum(linalg.lstsq(a, B, cond=0.1)[0] ** 2),
    lambda a: np.sum(linalg.pinv(a, rtol=0.1) @ B),
    lambda a: np.sum(linalg.pinv(a, atol=0.1) @ B),
]


@pytest.mark.parametrize("f", CUTS)
@pytest.mark.one_of(2)
def test_what_is_left_out(f):
    """Where it is 0, or nothing, the derivative is that at constant rank; otherwise an error."""
    check(f, WHOLE, order=2)
    for derivative in (grad(f), tape.grad(f)):
        with pytest.raises(ValueError, match="leaves out singular values"):
            derivative(NEARLY)


def test_of_rank_two():
    """Singular values that are 0 are left out as they are."""
    a = WHOLE[:, :2] @ RNG.normal(size=(2, 3))
    for f in CUTS:
        assert np.all(np.isfinite(grad(f)(a)))


def test_results_of_scipy():
    """All that SciPy's function gives, of vectors and of columns."""
    for b in (B, np.stack([B, B**2], axis=1)):

        def f(a, b):
            x, sums, _, singular = linalg.lstsq(a, b)
            return np.sum(x**2) + np.sum(sums) + singular @ np.array([1.0, 2.0, 3.0])

        check(f, WHOLE, b, wrt=(0, 1), order=2)
