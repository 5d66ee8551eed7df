"""Complex numbers: the convention, what kind of number comes back, and what is refused."""

import numpy as np
import pytest
from scipy import special

from srcgrad import (
    check,
    differentiate,
    formula,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    vjp,
)
from srcgrad.errors import (
    ArgumentError,
    MutationError,
    ResultError,
    SrcgradError,
    UnsupportedSyntaxError,
)
from tests import finite_differences as fd

X = np.array([0.3, -1.2, 0.8])
Z = np.array([0.3 + 0.4j, -1.2 - 0.7j, 0.8 - 2.0j])


# The convention


@pytest.mark.parametrize(
    ("f", "gradient"),
    [
        (lambda z: np.sum((z**3).real), 3 * Z**2),
        (lambda z: np.sum((z**3).imag), -1j * 3 * Z**2),
        (lambda z: np.sum(np.abs(z)), np.conj(Z) / np.abs(Z)),
        (lambda z: np.sum(np.abs(z) ** 2), 2 * np.conj(Z)),
        (lambda z: np.sum(np.angle(z)), -1j / Z),
        (lambda z: np.sum(np.conj(z).imag), np.full(3, 1j)),
        (lambda z: np.sum(np.real_if_close(z).real), np.ones(3) + 0j),
        (lambda z: np.vdot(z, z).real, 2 * np.conj(Z)),
        (lambda z: np.linalg.norm(z), np.conj(Z) / np.linalg.norm(Z)),
        (lambda z: np.var(z), 2 / 3 * np.conj(Z - np.mean(Z))),
    ],
)
def test_gradient(f, gradient):
    """It is df/dx - i df/dy, of the kind of the argument."""
    made = grad(f)(Z)
    assert made.dtype == Z.dtype
    np.testing.assert_allclose(made, gradient, rtol=1e-14)
    np.testing.assert_allclose(made, fd.gradient(f, (Z,), 0), rtol=1e-8)
    check(f, Z)


def test_holomorphic_functions_have_complex_derivatives():
    """The product of a cotangent and the derivative, without conjugation."""
    value, backward = vjp(lambda z: np.exp(1j * z) / z, Z)
    slope = np.exp(1j * Z) * (1j * Z - 1) / Z**2
    np.testing.assert_allclose(backward(2j * Z), 2j * Z * slope)
    np.testing.assert_allclose(jvp(lambda z: np.exp(1j * z) / z, (Z,), (Z,))[1], slope * Z)
    assert backward(value).dtype == Z.dtype


def test_a_number():
    """A Python number, of which the gradient is one."""
    assert grad(lambda z: abs(z) ** 2)(3 + 4j) == 6 - 8j
    assert grad(lambda z: complex(z, 2.0).imag)(1.0) == 0.0
    assert grad(lambda x, y: (complex(x, y) ** 2).real, (0, 1))(3.0, 2.0) == (6.0, -4.0)


def test_slopes_at_zero():
    """The absolute value and the norm have the slope 0 there, as for real numbers."""
    zero = np.zeros(2, complex)
    for f in (np.abs, lambda z: np.abs(z) ** 2):
        np.testing.assert_array_equal(grad(lambda z, f=f: np.sum(f(z)))(zero), zero)
    np.testing.assert_array_equal(grad(np.linalg.norm)(zero), zero)


# Kinds of numbers


def mixed(x, z):
    """A function of real and complex numbers."""
    w = x * z + np.fft.fft(x)
    return np.sum(np.abs(w) ** 2) + np.sum(x)


@pytest.mark.parametrize("single", [False, True])
def test_gradients_are_of_the_kind_of_their_arguments(single):
    """Real ones for real arguments, in the same precision."""
    x, z = (X.astype(np.float32), Z.astype(np.complex64)) if single else (X, Z)
    for engine in (lambda: grad(mixed, (0, 1))(x, z), lambda: vjp(mixed, x, z, wrt=(0, 1))[1](1.0)):
        x_bar, z_bar = engine()
        assert (x_bar.dtype, z_bar.dtype) == (x.dtype, z.dtype)
    check(mixed, X, Z, wrt=(0, 1))


def test_zeros_are_of_the_kind_of_their_arguments():
    """Where the result does not depend on an argument."""
    for z in (Z, 1j):
        gradient = grad(lambda z, x: np.sum(x**2) + np.sum(np.abs(z) > 1))(z, X)
        assert np.iscomplexobj(gradient)
        assert not np.any(gradient)


def test_gradients_share_no_memory():
    """The real part of a cotangent is a view, which is not handed out."""
    _, backward = vjp(lambda x: x + 0j, X)
    z_bar = Z.copy()
    gradient = backward(z_bar)
    assert not np.shares_memory(gradient, z_bar)
    np.testing.assert_array_equal(gradient, Z.real)


def real_or_complex(x, coefficients):
    """A function of a list whose numbers may be complex."""
    total = 0.0
    for k in range(len(coefficients)):
        total = total + np.sum(np.abs(x * coefficients[k] + 1) ** 2)
    return total


def test_the_kind_of_numbers_in_a_list_is_looked_at():
    """Code for real ones is not used for complex ones."""
    gradient = grad(real_or_complex)
    for coefficients in ([1.0, 2.0], [1.0, 2j], [1j, 2.0]):
        expected = fd.gradient(real_or_complex, (X, coefficients), 0)
        np.testing.assert_allclose(gradient(X, coefficients), expected, rtol=1e-8)
    assert gradient(X, [1.0, 2j]).dtype == X.dtype


def response(frequency):
    """The response of a low-pass filter."""
    return 1 / (1 + 1j * frequency)


def test_a_helper_whose_result_is_complex():
    """It is not differentiated, and its text is read for the kind of its result."""

    def filtered(x, frequency):
        return np.sum(np.abs(np.fft.fft(x) * response(frequency)) ** 2)

    check(filtered, X, np.arange(3.0))


def without_text(degree):
    """Complex numbers, which the text does not tell."""
    return np.poly1d([1.0, 0.0, 4.0]).r


def test_what_may_be_complex():
    """Unknown numbers are taken to be real alone, and the result is looked at."""
    with pytest.raises(ResultError, match="is complex, and was taken to be real"):
        grad(lambda x: np.sum((x * without_text(2)[0]).real ** 2))(X)
    with pytest.raises(ResultError, match="is complex, and was taken to be real"):
        vjp(lambda x: (x * without_text(2)[0]).real ** 2, X)[1](X)
    with pytest.raises(ResultError, match="is complex, and was taken to be real"):
        jvp(lambda x: np.abs(x * without_text(2)[0]), (X,), (X,))


def test_what_may_be_complex_beside_complex_numbers():
    """There it counts as complex."""

    def f(x):
        y = x * without_text(2)[0]
        return np.sum((y * 1j).real ** 2) + np.sum(np.abs(y))

    np.testing.assert_allclose(grad(f)(X), fd.gradient(f, (X,), 0), rtol=1e-8)
    assert grad(f)(X).dtype == X.dtype


def test_dtypes_that_are_read_from_arrays():
    """An array in the dtype of a complex one is complex."""

    def f(x, z):
        w = np.zeros(3, dtype=z.dtype)
        w[:] = x * 1j
        return np.sum(np.abs(w + x.astype(z.dtype)) ** 2)

    check(f, X, Z)


# Other derivatives


def test_jacobians_of_complex_results():
    """With respect to real arguments they are complex, in both modes."""
    columns = np.fft.fft(np.eye(3), axis=0)
    for make in (jacfwd, jacrev, jacobian):
        np.testing.assert_allclose(make(lambda x: np.fft.fft(x))(X), columns, atol=1e-12)
    matrix = hessian(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2))(X)
    np.testing.assert_allclose(matrix, 6 * np.eye(3), atol=1e-12)


def test_hvp_of_a_complex_argument():
    """The change of the gradient along a complex direction."""
    f = lambda z: np.sum((z**3).real)  # noqa: E731
    np.testing.assert_allclose(hvp(f)(Z, 1j * Z), 6 * Z * 1j * Z)


def test_derivatives_inside():
    """A gradient in a function that is differentiated."""

    def outer(x):
        slope = grad(lambda z: np.sum((z**3).imag))(x + 1j)
        return np.sum(np.abs(slope) ** 2)

    check(outer, X)


def test_a_formula_for_complex_numbers():
    """What a user writes is asked whether its operand is complex, as srcgrad's own are."""

    def energy(z):
        return np.sum(np.abs(z) ** 2)

    @formula(energy)
    def energy_formula(z):
        value = energy(z)

        def backward(value_bar):
            return 2 * value_bar * (np.conj(z) if np.iscomplexobj(z) else z)

        return value, backward

    for x in (X, Z):
        np.testing.assert_allclose(grad(lambda x: energy(x))(x), 2 * np.conj(x))
    np.testing.assert_allclose(grad(lambda x: energy(x * (1 + 1j)))(X), 4 * X)


def test_views_of_parts():
    """Of a complex array a part is read, and not written."""
    check(lambda z: np.sum(z.real * z.imag[::-1]), Z)

    def written(z):
        w = z * 2
        part = w.imag
        part[0] = 0.0
        return np.sum(np.abs(w))

    with pytest.raises((UnsupportedSyntaxError, MutationError), match="imaginary part"):
        grad(written)(Z)


def test_cotangents_of_numbers_that_are_made_complex():
    """They are real, also where they are known when code is generated."""
    for f in (lambda x: np.imag(np.complex128(x[0]) * 1j), lambda x: np.complex128(x[0]).real):
        np.testing.assert_array_equal(grad(f, recorded="refuse")(X), [1.0, 0.0, 0.0])


def test_the_conjugate_of_a_real_array_is_the_array():
    """Its method gives no copy; the function does."""

    def by_method(x):
        y = x * 1.0
        w = y.conj()
        w[0] = 5.0 * x[1]
        return np.sum(y**2)

    def by_function(x):
        y = x * 1.0
        w = np.conj(y)
        w[0] = 5.0 * x[1]
        return np.sum(y**2 + w)

    check(by_method, X)
    check(by_function, X)


# Without example arguments


def spectral(x, window):
    """The energy of a windowed signal."""
    return np.sum(np.abs(np.fft.rfft(x * window)) ** 2)


def test_code_that_is_made_before_a_call(tmp_path):
    """It is for real arguments of any rank."""
    file = tmp_path / "spectral_grad.py"
    differentiate(spectral).save(str(file))
    space = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    gradient = space["spectral_grad"](X, X)
    assert gradient.dtype == X.dtype
    np.testing.assert_allclose(gradient, fd.gradient(spectral, (X, X), 0), rtol=1e-8)


# What is refused


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (lambda: grad(lambda z: z * z)(1j), ResultError, "returns a complex number"),
        (lambda: grad(np.exp)(1j), ResultError, "use vjp"),
        (lambda: vjp(np.abs, Z)[1](Z), ArgumentError, "the cotangent is complex"),
        (lambda: jvp(np.abs, (X,), (Z,)), ArgumentError, "tangent 0 is complex"),
        (lambda: grad(lambda z: np.max(z).real)(Z), UnsupportedSyntaxError, "have no order"),
        (lambda: vjp(np.sort, Z), UnsupportedSyntaxError, "numpy.sort of complex numbers"),
        (lambda: vjp(lambda z: np.i0(z) * z, Z), UnsupportedSyntaxError, "that for real numbers"),
        (
            lambda: vjp(lambda z: special.jve(1.5, z), Z),
            UnsupportedSyntaxError,
            "formulas for SciPy",
        ),
        (lambda: jacrev(lambda z: z * 2)(Z), ArgumentError, "with respect to real arguments"),
        (lambda: jacfwd(lambda z: z * 2)(Z), ArgumentError, "with respect to real arguments"),
        (lambda: hessian(lambda z: np.sum(np.abs(z)))(Z), ArgumentError, "real arguments"),
    ],
)
def test_refused(run, error, words):
    """By an error that says why, and never by a number."""
    with pytest.raises(error, match=words):
        run()


def test_refused_jacobians_inside():
    """Those with respect to complex arguments are refused inside of a function, too."""
    with pytest.raises(SrcgradError, match="complex"):
        grad(lambda x: np.sum(np.abs(jacfwd(lambda z: z * 2)(x + 1j))))(X)
