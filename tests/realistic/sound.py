"""Sound: image sources in a room, synthesis by modulation, loudness in bands."""

import functools
import operator
from dataclasses import astuple, dataclass
from functools import reduce

import numpy as np
from scipy import (
    signal,
)

from tests.realistic.table import program

# --- FM synthesis, envelope, spectral loss ----------------------------------------------------


@dataclass
class ADSR:
    attack: float
    decay: float
    sustain: float
    release: float

    def at(self, t, dur):
        a, d, s, r = astuple(self)
        up = t / a
        down = 1 - (1 - s) * (t - a) / d
        off = s * (1 - (t - dur) / r)
        env = np.where(t < a, up, np.where(t < a + d, down, s))
        return np.where(t > dur, np.maximum(off, 0.0), env)

class Operator:
    def __init__(self, ratio, index, env, modulators=()):
        self.ratio, self.index, self.env, self.modulators = ratio, index, env, list(modulators)

    def render(self, f0, t, dur):
        phase = 2 * np.pi * f0 * self.ratio * t
        for m in self.modulators:
            phase = phase + m.render(f0, t, dur)
        return self.index * self.env.at(t, dur) * np.sin(phase)

    def __add__(self, other):
        return Voice([self, other])

class Voice:
    def __init__(self, ops):
        self.ops = ops

    def render(self, f0, t, dur):
        return reduce(operator.add, (o.render(f0, t, dur) for o in self.ops))

@program(lambda rng: (np.array([1.0, 2.0, 0.8]), np.array([0.0113, 0.0234, 0.6, 0.0473]), 64), wrt=(0, 1), order2=False,
         changes=(lambda a: (a[0] * 1.1, a[1], 96), lambda a: (a[0], a[1] * 1.03, 32)))
def timbre_distance(amps, env, n):
    sr = 1000
    t = np.arange(n) / sr
    adsr = ADSR(*env)
    mod = Operator(2.0, amps[1], adsr)
    voice = Operator(1.0, amps[0], adsr, [mod]) + Operator(3.0, amps[2], adsr)
    y = voice.render(110.0, t, dur=0.05)
    win = signal.windows.hann(n, sym=False)
    spec = np.abs(np.fft.rfft(y * win))
    target = 1.0 / (1.0 + np.arange(len(spec)))
    return np.sum((np.log1p(spec) - np.log1p(target)) ** 2)

# --- gammatone filterbank and loudness; sosfilt / lfilter -------------------------------------


@functools.lru_cache
def erb_centres(lo, hi, n):
    f = np.linspace(21.4 * np.log10(1 + 0.00437 * lo), 21.4 * np.log10(1 + 0.00437 * hi), n)
    return (10 ** (f / 21.4) - 1) / 0.00437

class Filterbank:
    def __init__(self, fs, n=3, lo=100.0, hi=400.0):
        self.fs = fs
        self.filters = [signal.butter(2, [0.8 * c / (fs / 2), 1.2 * c / (fs / 2)], btype="band") for c in erb_centres(lo, hi, n)]

    def __iter__(self):
        yield from self.filters

    def apply(self, x):
        return np.stack([signal.lfilter(b, a, x) for b, a in self])

@program(lambda rng: (rng.normal(size=32), 1.3), wrt=(0, 1), changes=(lambda a: (np.random.default_rng(9).normal(size=20), 0.7), lambda a: (a[0], 2.0)))
def loudness(x, level):
    bank = Filterbank(1000.0)
    bands = bank.apply(level * x)
    power = np.mean(bands ** 2, axis=1)
    spec = np.maximum(power, 1e-12) ** 0.3
    masked = spec.copy()
    for k in range(1, len(spec)):
        masked[k] = max(spec[k], 0.5 * masked[k - 1])
    return masked.sum() + 0.1 * np.log(power).mean()
