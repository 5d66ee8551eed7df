"""Complex numbers on the way, in arguments and in results: spectra, waves, circuits, states."""

import numpy as np

from tests.programs.table import program


def complex_normal(rng, *shape):
    """Complex normal random numbers."""
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


# Real arguments


@program(args=lambda rng: (rng.normal(size=8),))
def power_spectrum(x):
    """The energy of a signal, weighted by frequency."""
    spectrum = np.fft.rfft(x)
    power = np.abs(spectrum) ** 2
    return np.sum(power * np.arange(len(power)))


@program(args=lambda rng: (rng.normal(size=6), rng.normal(size=6)), wrt=(0, 1))
def spectral_distance(x, y):
    """How far the spectra of two signals are apart."""
    difference = np.fft.fft(x) - np.fft.fft(y)
    return np.sum(np.abs(difference)) / x.size


@program(args=lambda rng: (rng.normal(size=9), complex_normal(rng, 5)), wrt=(0, 1))
def fourier_filter(x, response):
    """A filter that is applied in the frequency domain."""
    filtered = np.fft.irfft(np.fft.rfft(x) * response, n=len(x))
    return np.mean((filtered - x) ** 2)


@program(args=lambda rng: (rng.normal(size=(4, 5)), 0.8), wrt=(0, 1))
def blurred_image(image, width):
    """A Gaussian blur by the Fourier transform along both axes."""
    f = np.fft.fftfreq(image.shape[0])[:, None]
    g = np.fft.fftfreq(image.shape[1])
    kernel = np.exp(-(f**2 + g**2) * width)
    blurred = np.fft.ifft2(np.fft.fft2(image) * kernel).real
    return np.sum(blurred**2)


@program(args=lambda rng: (rng.normal(size=7), rng.normal(size=4)), wrt=(0, 1), vector=True)
def convolution_by_spectra(x, y):
    n = 10
    return np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(y, n), n)


@program(args=(0.3, 2.0, np.linspace(0.0, 2.0, 7)), wrt=(0, 1))
def damped_oscillation(damping, frequency, t):
    """The real part of an exponential with a complex exponent."""
    motion = np.exp((-damping + 1j * frequency) * t).real
    return np.sum(motion**2)


@program(args=(1.2, 0.7), wrt=(0, 1))
def phase_of_a_divider(frequency, time_constant):
    """The phase by which a low-pass filter delays."""
    return np.angle(1 / (1 + 1j * frequency * time_constant))


@program(args=(0.4, 0.9), wrt=(0, 1))
def from_polar(angle, size):
    z = size * (np.cos(angle) + 1j * np.sin(angle))
    return z.real * z.imag + abs(z - 1)


@program(args=lambda rng: (rng.normal(size=(2, 2)), 0.6), wrt=(0, 1))
def two_level_evolution(a, t):
    """The probability of a transition, with the exponential as a series."""
    hamiltonian = a + a.T
    term = np.eye(2) + 0j
    evolution = np.eye(2) + 0j
    for k in range(1, 12):
        term = term @ hamiltonian * (-1j * t / k)
        evolution = evolution + term
    return np.abs(evolution[1, 0]) ** 2


@program(args=(0.31, 0.12), wrt=(0, 1))
def escaping_iteration(a, b):
    """z = z * z + c, until z is large or five steps are done."""
    c = a + 1j * b
    z = 0j
    for _ in range(5):
        z = z * z + c
        if abs(z) > 2.0:
            break
    return z.real**2 + z.imag**2


@program(args=lambda rng: (rng.normal(size=4),), label="forward")
def branch_on_the_size(x):
    total = np.sum(x) + 1j * np.sum(x**2)
    if abs(total) > 2.0:
        total = total / abs(total)
    else:
        total = 1j * total
    return total.real - 0.5 * total.imag


@program(args=lambda rng: (rng.normal(size=5),))
def entries_written_one_by_one(x):
    z = np.zeros(5, dtype=complex)
    for k in range(5):
        z[k] = x[k] * np.exp(0.5j * k)
        if k > 0:
            z[k] += 1j * z[k - 1]
    return np.sum(np.abs(z) ** 2)


@program(args=lambda rng: (rng.normal(size=4),))
def real_array_takes_real_parts(x):
    parts = np.zeros(4)
    for k in range(4):
        parts[k] = (x[k] * (1 + 2j) ** k).real
    return np.sum(parts**3)


@program(args=lambda rng: (rng.normal(size=5),))
def collected_waves(x):
    waves = []
    for k in range(3):
        waves.append(x * np.exp(1j * k))
    total = sum(waves)
    return np.sum(np.abs(np.stack(waves) - total) ** 2)


@program(args=lambda rng: (rng.normal(size=(2, 6)),))
def hermitian_spectrum(x):
    z = np.fft.ihfft(x, axis=1)
    return np.sum(np.fft.hfft(z**2, n=6, axis=1) ** 2)


@program(args=lambda rng: (rng.normal(size=(3, 4, 6)),))
def transforms_of_a_volume(x):
    z = np.fft.rfftn(x, s=(4, 5), axes=(0, 2), norm="ortho")
    y = np.fft.irfftn(np.fft.fftshift(z, axes=0) ** 2, axes=(0, 2))
    return np.sum(y**2)


@program(args=lambda rng: (rng.normal(size=4), complex_normal(rng, 4)))
def constants_are_complex(x, w):
    return np.real(np.vdot(w, x * w**2)) + np.linalg.norm(x * w)


# Complex arguments


@program(args=(0.4 - 1.1j,))
def complex_scalar(z):
    return (z**3 / (1 + z)).real + abs(z)


@program(args=lambda rng: (complex_normal(rng, 3, 3), complex_normal(rng, 3)), wrt=(0, 1))
def expectation_value(a, psi):
    """The Rayleigh quotient of the Hermitian part of a matrix."""
    hermitian = (a + np.conj(a).T) / 2
    return np.vdot(psi, hermitian @ psi).real / np.vdot(psi, psi).real


@program(args=lambda rng: (complex_normal(rng, 3, 3), complex_normal(rng, 3)), wrt=(0, 1))
def response_of_a_network(admittance, currents):
    voltages = np.linalg.solve(admittance + 4 * np.eye(len(currents)), currents)
    return np.sum(np.abs(voltages * np.conj(currents)))


@program(args=lambda rng: (complex_normal(rng, 4), rng.normal(size=4)), wrt=(0, 1))
def complex_and_real_arguments(z, x):
    w = z * x + np.sqrt(z)
    return np.sum(w.real * x - w.imag**2)


@program(args=lambda rng: (complex_normal(rng, 6),), vector=True)
def results_of_both_kinds(z):
    return np.fft.fft(z), np.abs(z), np.conj(z[::2]) * 2.0


@program(args=lambda rng: (complex_normal(rng, 3), 0.3), wrt=(0, 1))
def complex_parts_of_a_dict(gain, offset):
    parameters = {"gain": gain, "offset": offset}
    z = parameters["gain"] * (1 - 1j) + parameters["offset"]
    return np.sum(np.abs(z) ** 2)


@program(args=lambda rng: (complex_normal(rng, 5),))
def complex_array_written_in_place(z):
    w = z.copy()
    w[1:] *= 1j
    w[0] = w[1] * np.conj(w[2])
    return np.sum(w.real * w.imag)


@program(args=lambda rng: (complex_normal(rng, 3), rng.normal(size=(2, 3))), wrt=(0, 1))
def broadcast_complex_row(z, x):
    return np.sum(np.abs(z * x + 1j) ** 2) + np.sum((z - x).real)
