"""Constants of small, unsigned and boolean types: derivatives never compute with them alone.

What NumPy computes with such numbers may wrap around, and they have no minus sign.
"""

import numpy as np
import pytest

from srcgrad import grad, jvp, tape
from tests import finite_differences as fd

W = np.array([0.3, 1.2, 0.9])
PROGRAMS = [
    lambda w, c: np.sum(c * np.cos(w)),
    lambda w, c: np.sum(c * w**2),
    lambda w, c: np.sum((w * c) ** 2),
    lambda w, c: np.sum((c - w) ** 2),
    lambda w, c: np.sum(c / w),
    lambda w, c: np.sum(w**3 / (c + 1.0)),
    lambda w, c: -(c @ w) * 2 + np.sum(w - c * w),
    lambda w, c: c[1] * np.cos(w[0]) * w[1] ** 2,
    lambda w, c: np.sum(np.exp(-(c * 1.0) * w / 100)),
    lambda w, c: np.sum(w * c) + np.sum(c * w) + np.sum(c * w),
    lambda w, c: np.sum(np.arctan2(c, w)),
    lambda w, c: np.sum(np.interp(w, np.arange(3), c)),
    lambda w, c: np.sum(np.hypot(w, c) + np.logaddexp(w, c)),
    lambda w, c: np.sum(w ** (c // 50 + c % 2)) + np.sum((c + 1.0) ** w),
    lambda w, c: np.sum(w * (-c)) + np.sum(np.sin(w) * (2 * c)),
    lambda w, c: np.sum(np.tanh(w) * (c - c.mean())) + np.sum(w * ((c > 2) * w)),
]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint32", "int64", "bool"])
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
@pytest.mark.one_of(2)
def test_constants_of_small_types(number, dtype):
    """The derivatives are those of differences, in both modes and on the tape."""
    program = PROGRAMS[number]
    c = np.array([1, 100, 3] if dtype == "int8" else [1, 200, 3]).astype(dtype)
    if dtype == "bool" and number == 14:
        pytest.skip("a truth value has no minus sign")
    expected = fd.gradient(program, (W, c), 0)
    np.testing.assert_allclose(grad(program)(W, c), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(tape.grad(program)(W, c), expected, rtol=1e-5, atol=1e-7)
    along = np.array([0.4, -0.3, 0.8])
    slope = jvp(program, (W, c), (along, None))[1]
    np.testing.assert_allclose(slope, expected @ along, rtol=1e-5, atol=1e-6)
