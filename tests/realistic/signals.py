"""Signal processing: filters, spectra, beamforming, sound synthesis."""

import warnings
from functools import partial
from typing import Callable

import numpy as np
from scipy import fft

from tests.realistic.table import program

# --- window design and a filter bank from a dict of windows ---------------------------------

def raised_cosine(n, coefficients):
    k = np.arange(n)
    w = np.zeros(n)
    for m, a in enumerate(coefficients):
        w += (-1) ** m * a * np.cos(2 * np.pi * m * k / (n - 1))
    return w

def kaiser(n, beta):
    x = 2 * np.arange(n) / (n - 1) - 1
    return np.i0(beta * np.sqrt(np.maximum(1 - x**2, 1e-12))) / np.i0(beta)

WINDOWS: dict[str, Callable] = {
    "hann": partial(raised_cosine, coefficients=(0.5, 0.5)),
    "blackman": partial(raised_cosine, coefficients=(0.42, 0.5, 0.08)),
    "kaiser": kaiser,
}

class FIR:
    def __init__(self, cutoff, numtaps=21, window="hann", **options):
        if numtaps % 2 == 0:
            raise ValueError("numtaps must be odd")
        m = np.arange(numtaps) - (numtaps - 1) / 2
        h = cutoff * np.sinc(cutoff * m)
        h = h * WINDOWS[window](numtaps, **options)
        self.h = h / h.sum()

    def __call__(self, x, mode="same"):
        return np.convolve(x, self.h, mode=mode)

    def response(self, w):
        n = np.arange(len(self.h))
        return np.exp(-1j * np.outer(w, n)) @ self.h

@program(lambda rng: (np.array([0.2, 0.5]), 6.0, rng.normal(size=48)), wrt=(0, 1, 2))
def crossover_leakage(cutoffs, beta, x):
    """Split a signal into three bands; the energy balance and the stop band."""
    low = FIR(cutoffs[0], window="kaiser", beta=beta)
    mid = FIR(cutoffs[1], window="kaiser", beta=beta)
    bands = [low(x), mid(x) - low(x), x - mid(x)]
    energies = np.array([np.sum(b**2) for b in bands])
    balance = np.var(energies / energies.sum())
    stop = low.response(np.linspace(1.2, np.pi, 10))
    leak = np.sum(stop.real**2 + stop.imag**2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ripple = 20 * np.log10(np.abs(mid.response(np.array([0.3, 0.6]))) + 1e-12)
    return balance + 10 * leak + 1e-3 * np.sum(ripple**2)

# --- spectral loss with STFT frames, mel bands, scipy.fft ----------------------------------------

def hz_to_mel(f):
    return 2595.0 * np.log10(1 + f / 700.0)

def mel_to_hz(m):
    return 700.0 * (10 ** (m / 2595.0) - 1)

def mel_matrix(n_bands, n_fft, fs):
    edges = mel_to_hz(np.linspace(0, hz_to_mel(fs / 2), n_bands + 2))
    freqs = np.arange(n_fft // 2 + 1) * fs / n_fft
    M = np.zeros((n_bands, len(freqs)))
    for b in range(n_bands):
        lo, mid, hi = edges[b : b + 3]
        M[b] = np.clip(np.minimum((freqs - lo) / (mid - lo), (hi - freqs) / (hi - mid)), 0, None)
    return M

class MFCC:
    def __init__(self, n_fft=32, hop=16, n_bands=8, n_coef=5, fs=8000):
        self.n_fft, self.hop, self.n_coef = n_fft, hop, n_coef
        self.window = np.hamming(n_fft)
        self.mel = mel_matrix(n_bands, n_fft, fs)

    def frames(self, x):
        for start in range(0, len(x) - self.n_fft + 1, self.hop):
            yield x[start : start + self.n_fft] * self.window

    def __call__(self, x, preemphasis=0.97):
        x = np.append(x[0], x[1:] - preemphasis * x[:-1])
        features = []
        for frame in self.frames(x):
            power = np.abs(fft.rfft(frame)) ** 2 / self.n_fft
            energies = np.log(self.mel @ power + 1e-6)
            features.append(fft.dct(energies, type=2, norm="ortho")[: self.n_coef])
        return np.array(features)

@program(lambda rng: (np.sin(np.arange(96) / 3.0) + 0.1 * rng.normal(size=96), 0.9), wrt=(0, 1))
def cepstral_distance(x, preemphasis):
    extract = MFCC()
    reference = extract(np.sin(np.arange(96) / 2.7))
    c = extract(x, preemphasis)
    delta = np.gradient(c, axis=0)
    d = np.sqrt(np.sum((c - reference) ** 2, axis=1) + 1e-8)
    return d.mean() + 0.1 * np.abs(delta).mean()

# --- soft dynamic time warping, and a mean of series under it -------------------------------------

class SoftWarping:
    def __init__(self, gamma=1.0, window=None):
        if gamma <= 0:
            raise ValueError("gamma is a temperature")
        self.gamma, self.window = gamma, window

    def softmin(self, *values):
        z = np.array(values) / -self.gamma
        top = z.max()
        return -self.gamma * (np.log(np.sum(np.exp(z - top))) + top)

    def allowed(self, i, j):
        return self.window is None or abs(i - j) <= self.window

    def distance(self, a, b):
        cost = np.full((len(a) + 1, len(b) + 1), 1e6)
        cost[0, 0] = 0.0
        for i, ai in enumerate(a, start=1):
            for j, bj in enumerate(b, start=1):
                if not self.allowed(i, j):
                    continue
                before = cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1]
                cost[i, j] = (ai - bj) ** 2 + self.softmin(*before)
        return cost[-1, -1]

@program(
    lambda rng: (
        rng.normal(size=5),
        [rng.normal(size=n) for n in (4, 6, 5)],
        np.array([0.5, 0.3, 0.2]),
    )
)
def barycentre_loss(centre, series, weights):
    warping = SoftWarping(gamma=0.7, window=3)
    own = warping.distance(centre, centre)
    total = 0.0
    for w, one in zip(weights, series):
        divergence = warping.distance(centre, one)
        divergence -= 0.5 * (own + warping.distance(one, one))
        total += w * divergence / len(one)
    smooth = np.sum(np.diff(centre, n=2) ** 2)
    return total + 1e-2 * smooth
