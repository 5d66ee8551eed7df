"""A gradient has the byte order of its argument, as it has its precision."""

import numpy as np
import pytest

from srcgrad import grad, tape, value_and_grad, vjp

PROGRAMS = [
    lambda x: np.sum(np.exp(x) * np.arange(3)),
    lambda x: np.std(x),
    lambda x: np.sum(np.interp(x, np.arange(4.0), np.arange(4.0) ** 2)),
    lambda x: max(x),
    lambda x: np.sum(abs(x) * np.round(x)),
    lambda x: x[0] * x[1] ** 2,
]


@pytest.mark.parametrize("dtype", [">f8", ">f4"])
@pytest.mark.parametrize("k", range(len(PROGRAMS)))
@pytest.mark.one_of(2)
def test_byte_order(k, dtype):
    """The numbers are those of the usual order, in all ways to a gradient."""
    f, usual = PROGRAMS[k], np.array([0.7, 1.4, 2.3], dtype=dtype[1:])
    x, wanted = usual.astype(dtype), grad(f)(usual)
    found = [grad(f)(x), value_and_grad(f)(x)[1], vjp(f, x)[1](1.0), tape.grad(f)(x)]
    for gradient in found:
        assert gradient.dtype == x.dtype
        np.testing.assert_allclose(gradient, wanted, rtol=1e-6)
