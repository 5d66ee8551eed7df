"""The formulas of SciPy's discrete Fourier, cosine and sine transforms."""

import numpy as np
import pytest
from scipy import fft
from srcgrad.formulas import load

from srcgrad import check, grad
from srcgrad.runtime.scipy import cosines, spectra
from tests.formulas.checking import case, formula_test, normal
from tests.rotation import highest

load("scipy.fft")


def waves(*shape):
    """Complex normal random numbers."""
    return normal(*shape) + 1j * normal(*shape[::-1]).T


ONE_AXIS = [((5,), {}), ((6,), {"n": 8}), ((4, 5), {"n": 3, "axis": 0, "norm": "ortho"})]
SEVERAL = [((4, 5), {}), ((3, 2, 4), {"axes": (2, 0), "norm": "forward"}), ((4, 3), {"s": (6, 2)})]
REAL = ("dct", "idct", "dst", "idst")
NORMS = (None, "ortho", "forward")
BY_OTHERS = "hfft ihfft rfft2 irfft2 hfft2 ihfft2 rfftn irfftn hfftn ihfftn dctn idctn dstn idstn"

CASES = [
    *(case(f, waves(*s), **o) for f in (fft.fft, fft.irfft) for s, o in ONE_AXIS),
    case(fft.ifft, waves(5)),
    *(case(f, n, 0.3) for f in (fft.fftfreq, fft.rfftfreq) for n in (5, 6)),
    *(case(fft.rfft, normal(*s), **o) for s, o in ONE_AXIS),
    *(
        case(f, waves(*s), **o)
        for f, (s, o) in zip((fft.fft2, fft.ifft2, fft.fftn, fft.ifftn), SEVERAL * 2, strict=False)
    ),
    *(
        case(getattr(fft, name), normal(3, 4), type=kind, norm=NORMS[(kind + k) % 3], axis=k % 2)
        for k, name in enumerate(REAL)
        for kind in ((1, 2, 3, 4) if k == 0 else (2, k))
    ),
    case(fft.dct, normal(4), n=3),
    case(fft.idst, normal(4), n=6),
    *(case(getattr(cosines, f"{name}_transpose"), normal(4, 3), axis=0) for name in REAL),
    *(case(f, normal(3, 5), axes=(1,)) for f in (fft.fftshift, fft.ifftshift)),
]

test_formula = formula_test(CASES)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name", BY_OTHERS.split())
def test_written_by_others(name, norm):
    """Transforms that others stand for give SciPy's numbers and have right slopes."""
    f, own = getattr(fft, name), getattr(spectra, name)
    size = {"n": 6} if name in ("hfft", "ihfft") else {"s": (4, 6)}
    given = waves(3, 4) if name[:2] in ("hf", "ir") else normal(3, 4)
    for options in ({}, size):
        made = own(given, norm=norm, **options)
        np.testing.assert_allclose(made, f(given, norm=norm, **options), atol=1e-12)

    def power(x):
        return np.sum(np.abs(f(x, norm=norm)) ** 2 * (1 + x[0, 0]))

    check(power, normal(3, 4), order=highest())


@pytest.mark.parametrize("norm", [None, "backward", "forward", "ortho"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", REAL)
def test_transposes(name, kind, norm):
    """A transpose is that of the matrix of the transform."""
    x = normal(5, 2)
    matrix = getattr(fft, name)(np.eye(5), type=kind, axis=0, norm=norm)
    made = getattr(cosines, f"{name}_transpose")(x, kind, 0, norm)
    np.testing.assert_allclose(made, matrix.T @ x, atol=1e-12)


def test_frequencies_are_constants():
    """What does not depend on the samples has no derivative."""

    def power(x):
        return np.sum(np.abs(fft.rfft(x)) ** 2 * fft.rfftfreq(len(x)))

    x = normal(6)
    assert grad(power)(x).shape == (6,)


def chosen(norm):
    """A norm that is known at run time only."""
    return "ortho" if norm == "ortho" else "backward"


def test_kind_does_not_depend_on_options():
    """A spectrum is complex, whatever is known of its norm."""

    def power(x, norm=None):
        return np.sum(np.abs(np.conj(fft.rfft(x, None, -1, chosen(norm)))) ** 2)

    def signal(x, norm=None):
        return np.sum(np.abs(fft.irfft(x, None, -1, chosen(norm))) ** 3)

    check(power, normal(6), order=highest())
    check(signal, normal(6), order=highest())
