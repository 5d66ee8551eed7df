"""A sum of real parts of complex cotangents is not written into one of them."""

import numpy as np

from srcgrad import check, grad, source


def sizes(x):
    """Four contributions to the cotangent of a real array, each with a long text."""
    first = np.fft.fft(x * x) * np.exp(1j * x) + 0.25 * np.fft.ifft(np.sin(x) * x)
    second = np.fft.ifft(np.cos(x) * x) * np.exp(-1j * x) - 0.75 * np.fft.fft(np.cos(x) + x)
    third = np.fft.ihfft(x) * (1 + 0.5j)
    return np.sum(np.abs(first) ** 2) + np.sum(np.abs(second) ** 4) + np.sum(np.abs(third) ** 2)


def test_gradient_of_the_gradient():
    """What is emitted can be read again."""
    x = np.linspace(0.2, 0.9, 4)
    gradient = grad(sizes)
    gradient(x)
    assert ".real +=" not in source(gradient)
    check(sizes, x, order=2)
