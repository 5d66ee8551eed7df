"""The formulas of NumPy's discrete Fourier transforms."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import check, grad, jvp, vjp
from srcgrad.errors import SrcgradError
from srcgrad.runtime.transposes import resized, twice_inside
from tests.formulas.checking import case, check_case, normal
from tests.rotation import highest

load("numpy")

FFT = np.fft


def waves(*shape):
    """Complex normal random numbers."""
    return normal(*shape) + 1j * normal(*shape[::-1]).T


ONE_AXIS = [
    ((5,), {}),
    ((6,), {}),
    ((5,), {"n": 8}),
    ((6,), {"n": 3}),
    ((4, 5), {"axis": 0}),
    ((4, 5), {"n": 7, "axis": 0, "norm": "ortho"}),
    ((2, 3, 4), {"axis": -2, "norm": "forward"}),
]
TWO_AXES = [
    ((4, 5), {}),
    ((2, 3, 4), {"norm": "ortho"}),
    ((4, 5), {"s": (3, 6), "axes": (-2, -1)}),
    ((3, 2, 4), {"axes": (2, 0), "norm": "forward"}),
]
ANY_AXES = [
    ((4,), {}),
    ((3, 4, 5), {}),
    ((3, 4, 5), {"axes": (1,)}),
    ((3, 4, 5), {"axes": (0, 2), "norm": "ortho"}),
    ((3, 4), {"s": (5, 3), "axes": (0, 1), "norm": "forward"}),
    ((4, 3), {"s": (6, 2), "axes": (1, 0)}),
]

CASES = [
    *(case(resized, normal(3, 4), shape) for shape in ((2, 6), (3, 4), (5, 2))),
    *(case(twice_inside, normal(n // 2 + 1), n) for n in (4, 5)),
    case(twice_inside, normal(3, 4), 5, axis=0),
    *(
        case(fn, normal(*shape), **options)
        for fn in (FFT.fftshift, FFT.ifftshift)
        for shape, options in (
            ((5,), {}),
            ((3, 4), {}),
            ((3, 4), {"axes": 1}),
            ((3, 5), {"axes": (0,)}),
        )
    ),
    *(
        case(fn, make(*shape), **options)
        for fns, table in (
            ((FFT.fft, FFT.ifft), ONE_AXIS),
            ((FFT.fft2, FFT.ifft2), TWO_AXES),
            ((FFT.fftn, FFT.ifftn), ANY_AXES),
        )
        for fn in fns
        for shape, options in table
        for make in (normal, waves)
    ),
    *(
        case(fn, make(*shape), **options)
        for fns, make, table in (
            ((FFT.rfft, FFT.ihfft), normal, ONE_AXIS),
            ((FFT.irfft, FFT.hfft), waves, ONE_AXIS),
            ((FFT.rfft2,), normal, TWO_AXES),
            ((FFT.irfft2,), waves, TWO_AXES),
            ((FFT.rfftn,), normal, ANY_AXES),
            ((FFT.irfftn,), waves, ANY_AXES),
        )
        for fn in fns
        for shape, options in table
    ),
    case(FFT.irfft, normal(4)),
    case(FFT.hfft, normal(4), n=5),
]


CASES += [case(fn, n, 0.3) for fn in (np.fft.fftfreq, np.fft.rfftfreq) for n in (5, 6)]


@pytest.mark.parametrize("c", CASES, ids=str)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.one_of(2)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


@pytest.mark.parametrize("fn", [FFT.fftn, FFT.rfftn])
def test_axes_and_lengths_that_are_refused(fn):
    """An axis that is transformed twice, at two lengths, has no formula."""
    x = normal(3, 4)
    gradient = grad(lambda x: np.sum(np.abs(fn(x, s=(5, 3), axes=(1, 1)))))
    with pytest.raises((SrcgradError, NotImplementedError), match="axis twice"):
        gradient(x)


def test_an_axis_transformed_twice():
    """Without lengths, it is the same matrix twice."""
    x = waves(3, 4)
    value, backward = vjp(lambda x: FFT.fftn(x, axes=(1, 1)), x)
    np.testing.assert_allclose(backward(value), FFT.fftn(value, axes=(1, 1)))


def test_frequencies_are_constants():
    """The frequencies of a spectrum depend on its length only."""
    x = normal(6)
    gradient = grad(lambda x: np.sum(x * np.fft.fftfreq(x.size, 0.5)))(x)
    np.testing.assert_allclose(gradient, np.fft.fftfreq(6, 0.5))


def test_a_transform_in_single_precision():
    """Its cotangents stay there."""
    x = normal(6).astype(np.float32)
    gradient = grad(lambda x: np.sum(np.abs(np.fft.rfft(x)) ** 2))(x)
    assert gradient.dtype == np.float32


def in_an_array(x):
    """A spectrum that is written into an array without a name."""
    z = np.fft.rfft(x, out=np.empty((2, 3), dtype=complex))
    return np.sum(np.abs(z) ** 2 * np.arange(6).reshape(2, 3))


def test_complex_results_in_arrays_that_are_given():
    """The tangent beside a complex array is complex."""
    x, v = normal(2, 4), normal(2, 4)
    tangent = jvp(in_an_array, (x,), (v,))[1]
    np.testing.assert_allclose(tangent, np.sum(grad(in_an_array)(x) * v))
    check(in_an_array, x, order=highest())


@pytest.mark.parametrize("fn", [np.fft.irfft, np.fft.hfft])
def test_real_spectra(fn):
    """The gradient of real numbers is real, also along an axis that is known late."""

    def loss(x, axis):
        return np.sum(fn(x, axis=axis) ** 2)

    assert grad(loss)(normal(3, 4), 0).dtype == np.float64
    check(loss, normal(3, 4), 1, order=highest())


@pytest.mark.parametrize("fn", [np.fft.irfft2, np.fft.irfftn])
def test_axes_in_variables(fn):
    """The gradient of real numbers is real, and an axis that is named twice is refused."""
    x = normal(3, 4)
    x_bar = grad(lambda x, a: np.sum(fn(x, axes=a) ** 2))(x, (1, 0))
    np.testing.assert_allclose(x_bar, grad(lambda x: np.sum(fn(x, axes=(1, 0)) ** 2))(x))
    assert x_bar.dtype == float
    with pytest.raises(SrcgradError, match="along an axis twice"):
        grad(lambda x: np.sum(np.abs(np.fft.rfftn(x, axes=(0, 0)))))(normal(3, 3))
