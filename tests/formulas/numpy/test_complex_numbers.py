"""The formulas of complex numbers: parts, angles, and numbers of complex types."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import check, grad, tape
from srcgrad.runtime.scipy.special import unit, unit_conjugate
from srcgrad.testing import check_formula
from tests.formulas.checking import Case, case, normal
from tests.rotation import highest

load("numpy")

Z = normal(3) + 1j * normal(3)[::-1]

CASES = [
    *(case(fn, Z) for fn in (np.angle, np.real, np.imag, np.conjugate, np.real_if_close)),
    case(np.angle, Z, deg=True),
    *(case(fn, 0.7 - 0.4j) for fn in (np.angle, np.real, np.imag, np.conjugate)),
    *(case(fn, normal(3)) for fn in (np.real, np.imag, np.conjugate, np.real_if_close)),
    *(case(fn, Z) for fn in (np.complex128, np.clongdouble, unit, unit_conjugate)),
    *(case(np.interp, x, np.array([0.0, 0.5, 1.0]), Z) for x in (0.3, np.array([0.1, 0.7, -0.2]))),
    case(np.complex128, 1.5),
    case(complex, 0.3, 0.8),
    case(complex, 0.3),
]


@pytest.mark.parametrize("c", CASES, ids=str)
@pytest.mark.one_of(2)
def test_formula(c: Case):
    """The formula agrees with differences along the real and the imaginary axis."""
    check_formula(c.target, *c.args, **c.options)


def test_sign():
    """``np.sign`` of complex numbers turns with them; that of 0 is 0, and has the slope 0."""

    def f(z):
        return np.sum(np.abs(np.sign(z) - 0.3j) ** 2)

    check(f, Z, order=highest())
    np.testing.assert_allclose(tape.grad(f)(Z), grad(f)(Z))
    assert grad(f)(np.zeros(2, complex)).tolist() == [0, 0]
