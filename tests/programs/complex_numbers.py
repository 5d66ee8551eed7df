"""Complex numbers on the way, in arguments and in results: spectra, waves, circuits, states."""

import numpy as np

from tests.programs.table import program


def complex_normal(rng, *shape):
    """Complex normal random numbers."""
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)

# Real arguments


@program(args=lambda rng: (rng.normal(size=9), complex_normal(rng, 5)), wrt=(0, 1))
def fourier_filter(x, response):
    """A filter that is applied in the frequency domain."""
    filtered = np.fft.irfft(np.fft.rfft(x) * response, n=len(x))
    return np.mean((filtered - x) ** 2)


@program(args=lambda rng: (rng.normal(size=(3, 4, 6)),))
def transforms_of_a_volume(x):
    z = np.fft.rfftn(x, s=(4, 5), axes=(0, 2), norm="ortho")
    y = np.fft.irfftn(np.fft.fftshift(z, axes=0) ** 2, axes=(0, 2))
    return np.sum(y**2)


# Complex arguments

@program(args=(0.4 - 1.1j,))
def complex_scalar(z):
    return (z**3 / (1 + z)).real + abs(z)

@program(args=lambda rng: (complex_normal(rng, 3), rng.normal(size=(2, 3))), wrt=(0, 1))
def broadcast_complex_row(z, x):
    return np.sum(np.abs(z * x + 1j) ** 2) + np.sum((z - x).real)
