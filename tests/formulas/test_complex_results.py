"""What functions give that are complex for real numbers is seen, wherever they are defined."""

import importlib.util

import numpy as np
import pytest

from srcgrad import grad, hessian, jvp
from tests import finite_differences as fd

TEXT = '''
import numpy as np
from srcgrad import formula


def turned(x):
    return x * 1j


@formula(turned)
def turned_(x):
    """z = i x."""
    return x * 1j, lambda z_bar: z_bar * 1j


def spectrum(x):
    return np.fft.fft(x)


@formula(spectrum)
def spectrum_(x):
    """z = the discrete Fourier transform of x, which is symmetric."""
    return np.fft.fft(x), lambda z_bar: np.fft.fft(z_bar)
'''
PROGRAMS = [
    lambda m, x: np.sum(np.real(m.turned(x) ** 2 * (1 + 2j))),
    lambda m, x: np.sum(np.abs(m.spectrum(x * x))),
    lambda m, x: np.imag(m.turned(x)[0]) * x[1],
    lambda m, x: np.sum(np.imag(m.turned(m.turned(x) * m.spectrum(x)))),
]


@pytest.mark.parametrize("name", ["functions", "srcgrad.functions", "srcgrad.formulas.functions"])
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.one_of(2)
def test_of_real_numbers(name, program, tmp_path):
    """Formulas of a user, of a part of srcgrad, and of its own table."""
    (tmp_path / "functions.py").write_text(TEXT)
    spec = importlib.util.spec_from_file_location(name, tmp_path / "functions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def f(x):
        return program(module, x)

    x = np.array([0.3, 1.2, -0.7])
    slope = fd.gradient(f, (x,), 0)
    np.testing.assert_allclose(grad(f)(x), slope, rtol=1e-6)
    dots = [jvp(f, (x,), (row,))[1] for row in np.eye(3)]
    np.testing.assert_allclose(dots, slope, rtol=1e-6)
    second = [fd.gradient(lambda x, k=k: grad(f)(x)[k], (x,), 0) for k in range(3)]
    np.testing.assert_allclose(hessian(f)(x), second, rtol=1e-5, atol=1e-8)
