"""Programs with helpers that try, solve and fall back, and what they read changes."""

import numpy as np
from scipy import signal

from tests.realistic.table import program

RNG = np.random.default_rng(3)


@program(lambda rng: (RNG.normal(size=12), 3), changes=(lambda args: (args[0], 4),))
def spectrum(x, seg):
    win = signal.get_window("hann", len(x) // seg) if len(x) // seg > 3 else np.ones(len(x) // seg)
    parts = [s * win for s in np.split(x, seg)]
    P = np.mean([np.abs(np.fft.rfft(p)) ** 2 for p in parts], axis=0)
    f = np.fft.rfftfreq(len(parts[0]))
    return np.sum(f * P) / np.sum(P) + np.log(P[1:]).sum() * 0.1
