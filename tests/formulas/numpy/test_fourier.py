"""The formulas of NumPy's discrete Fourier transforms."""

import numpy as np
import pytest
from srcgrad.formulas import load

from tests.formulas.checking import case, check_case, normal

load("numpy")

CASES = [
    case(fn, normal(*shape), **options)
    for fn in (np.fft.fftshift, np.fft.ifftshift)
    for shape, options in (
        ((5,), {}),
        ((3, 4), {}),
        ((3, 4), {"axes": 1}),
        ((3, 5), {"axes": (0,)}),
    )
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)
