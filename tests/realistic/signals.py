"""Signal processing: filters, spectra, beamforming, sound synthesis."""

import cmath
import contextlib
import warnings
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Callable

import numpy as np
from scipy import fft, signal

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


# --- biquads in cascade with state, run sample by sample ---------------------------------------


class Biquad:
    """Transposed direct form II; the coefficients follow the audio cookbook."""

    def __init__(self, kind, f0, q, gain_db=0.0, fs=8000.0):
        w0 = 2 * np.pi * f0 / fs
        alpha = np.sin(w0) / (2 * q)
        A = 10 ** (gain_db / 40)
        c = np.cos(w0)
        if kind == "peak":
            b, a = [1 + alpha * A, -2 * c, 1 - alpha * A], [1 + alpha / A, -2 * c, 1 - alpha / A]
        elif kind == "lowpass":
            b, a = [(1 - c) / 2, 1 - c, (1 - c) / 2], [1 + alpha, -2 * c, 1 - alpha]
        elif kind == "highpass":
            b, a = [(1 + c) / 2, -(1 + c), (1 + c) / 2], [1 + alpha, -2 * c, 1 - alpha]
        else:
            raise ValueError(kind)
        self.b = [bi / a[0] for bi in b]
        self.a = [ai / a[0] for ai in a]
        self.reset()

    def reset(self):
        self.s1 = self.s2 = 0.0

    def tick(self, x):
        y = self.b[0] * x + self.s1
        self.s1 = self.b[1] * x - self.a[1] * y + self.s2
        self.s2 = self.b[2] * x - self.a[2] * y
        return y

    def process(self, block):
        out = np.empty_like(block)
        for i, x in enumerate(block):
            out[i] = self.tick(x)
        return out


class Chain(list):
    def process(self, block):
        for stage in self:
            block = stage.process(block)
        return block


@program(lambda rng: ({"f": np.array([300.0, 1200.0, 2500.0]), "q": np.array([0.8, 1.5, 0.7]), "gain": 4.0}, rng.normal(size=40)))
def equaliser_match(p, noise):
    chain = Chain()
    chain.append(Biquad("highpass", p["f"][0], p["q"][0]))
    chain.append(Biquad("peak", p["f"][1], p["q"][1], p["gain"]))
    chain.append(Biquad("lowpass", p["f"][2], p["q"][2]))
    y = chain.process(noise)
    half = len(y) // 2
    loud = np.sqrt(np.mean(y[:half] ** 2)), np.sqrt(np.mean(y[half:] ** 2))
    chain[1].reset()
    return np.log(loud[0] / loud[1]) ** 2 + np.sum(np.abs(np.fft.rfft(y))[3:9]) / 50


# --- FM synthesis with envelopes, notes as dataclasses, wavetable feedback ----------------------


@dataclass
class ADSR:
    attack: float
    decay: float
    sustain: float
    release: float

    def __call__(self, t, gate):
        rise = t / self.attack
        fall = 1 - (1 - self.sustain) * (t - self.attack) / self.decay
        level = np.where(t < self.attack, rise, np.where(t < self.attack + self.decay, fall, self.sustain))
        return np.where(t < gate, level, self.sustain * np.exp(-(t - gate) / self.release))


class Voice:
    fs = 4000

    def __init__(self, ratio, index, env):
        self.ratio, self.index, self.env = ratio, index, env

    def render(self, freq, duration):
        t = np.arange(int(self.fs * duration)) / self.fs
        e = self.env(t, 0.6 * duration)
        modulator = self.index * e * np.sin(2 * np.pi * self.ratio * freq * t)
        return e * np.sin(2 * np.pi * freq * t + modulator)


class Echo:
    def __init__(self, delay, feedback):
        self.line = deque([0.0] * delay, maxlen=delay)
        self.feedback = feedback

    def __call__(self, x):
        y = np.zeros(len(x))
        for n in range(len(x)):
            y[n] = x[n] + self.feedback * self.line[0]
            self.line.append(y[n])
        return y


@program(lambda rng: (1.98, 1.3, ADSR(0.0041, 0.0062, 0.6, 0.005), 0.35), wrt=(0, 1, 2, 3), rtol=1e-5)
def brightness(ratio, index, env, feedback):
    voice = Voice(ratio, index, env)
    notes = [(220.0, 0.02), (330.0, 0.02)]
    dry = np.concatenate([voice.render(f, d) for f, d in notes])
    wet = Echo(17, feedback)(dry)
    S = np.abs(np.fft.rfft(wet * np.hanning(len(wet)))) ** 2
    f = np.fft.rfftfreq(len(wet), 1 / voice.fs)
    centroid = np.sum(f * S) / np.sum(S)
    return centroid / 1000.0


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


# --- beamforming with complex weights; a subspace and a condition as a context manager -----------


@contextlib.contextmanager
def loaded(R, level):
    """The covariance with a loaded diagonal."""
    yield R + level * np.trace(R).real / len(R) * np.eye(len(R))


def steering(angle, n, spacing=0.5):
    phase = 2 * np.pi * spacing * np.sin(angle)
    return np.array([cmath.exp(1j * k * phase) for k in range(n)]) if isinstance(angle, float) else np.exp(
        1j * np.arange(n) * phase
    )


@program(lambda rng: (np.array([0.3, -0.5]), 0.05, rng.normal(size=(6, 12)) + 1j * rng.normal(size=(6, 12))), wrt=(0, 1))
def capon_power(angles, level, noise):
    n = noise.shape[0]
    X = noise.copy()
    for k, angle in enumerate((0.32, -0.4)):
        X = X + 2.0 * np.outer(steering(angle, n), np.exp(1j * np.arange(12) * (k + 0.7)))
    R = X @ X.conj().T / X.shape[1]
    powers = []
    with loaded(R, level) as Rl:
        inverse = np.linalg.inv(Rl)
        for angle in angles:
            a = np.exp(1j * np.arange(n) * np.pi * np.sin(angle))
            powers.append(1 / np.real(np.conj(a) @ inverse @ a))
    return np.log(np.array(powers)).sum()


# --- adaptive filters in a class hierarchy; a bound method --------------------------------------


class Adaptive:
    def __init__(self, taps):
        self.w = np.zeros(taps)
        self.errors = []

    def gain(self, u, e):
        raise NotImplementedError

    def run(self, x, d):
        n = len(self.w)
        padded = np.concatenate([np.zeros(n - 1), x])
        for k in range(len(x)):
            u = padded[k : k + n][::-1]
            e = d[k] - self.w @ u
            self.w = self.w + self.gain(u, e)
            self.errors.append(e)
        return np.array(self.errors)


class NLMS(Adaptive):
    def __init__(self, taps, mu, eps=1e-2):
        super().__init__(taps)
        self.mu, self.eps = mu, eps

    def gain(self, u, e):
        return self.mu * e * u / (self.eps + u @ u)


class RLS(Adaptive):
    def __init__(self, taps, lam):
        super().__init__(taps)
        self.lam = lam
        self.P = 10.0 * np.eye(taps)

    def gain(self, u, e):
        Pu = self.P @ u
        k = Pu / (self.lam + u @ Pu)
        self.P = (self.P - np.outer(k, Pu)) / self.lam
        return k * e


@program(lambda rng: (0.4, 0.97, rng.normal(size=24)), wrt=(0, 1, 2))
def echo_cancellation(mu, lam, far_end):
    room = np.array([0.5, -0.3, 0.2])
    echo = signal.lfilter(room, [1.0], far_end)
    scores = {}
    for adaptive in (NLMS(4, mu), RLS(4, lam)):
        errors = adaptive.run(far_end, echo)
        scores[type(adaptive).__name__] = np.mean(errors[12:] ** 2) + 1e-3
    return np.log(scores["NLMS"]) - 0.5 * np.log(scores["RLS"])
