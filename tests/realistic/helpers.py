"""Programs with helpers that try, solve and fall back, and what they read changes."""

import numpy as np
from scipy import signal

from tests.realistic.table import program

RNG = np.random.default_rng(3)

def either(p, k):
    try:
        if k > THR:
            return {"a": p["a"] * k, "b": p["b"]}
        return {"a": p["a"] - k, "b": p["b"] * p["a"]}
    except KeyError:
        return p

THR = 2

@program(
    lambda rng: ({"a": 1.5, "b": 0.3}, 5),
    changes=(
        lambda args: globals().update(THR=-1),
        lambda args: (args[0], 0),
    ),
)
def evolve(p, n):
    s = {"a": p["a"], "b": p["b"]}
    for k in range(n):
        s = either(s, k)
    return s["a"] * s["b"] + s["a"]

@program(lambda rng: (RNG.normal(size=12), 3), changes=(lambda args: (args[0], 4),))
def spectrum(x, seg):
    win = signal.get_window("hann", len(x) // seg) if len(x) // seg > 3 else np.ones(len(x) // seg)
    parts = [s * win for s in np.split(x, seg)]
    P = np.mean([np.abs(np.fft.rfft(p)) ** 2 for p in parts], axis=0)
    f = np.fft.rfftfreq(len(parts[0]))
    return np.sum(f * P) / np.sum(P) + np.log(P[1:]).sum() * 0.1

@program(
    lambda rng: (np.array([0.3, 0.2, -0.1]), np.array([[0, 1, 0.5], [1, 0, 0.2], [0.5, 0.2, 0.0]])),
    changes=(lambda args: args[1:][0].__imul__(0.5),),
)
def mean_field(h, J):
    m = np.tanh(h)
    new = np.empty_like(m)
    for it in range(60):
        np.dot(0.3 * J, m, out=new)
        new += h
        np.tanh(new, out=new)
        if np.max(np.abs(new - m)) < 1e-15:
            break
        np.copyto(m, new)
    return -h @ m - 0.15 * m @ J @ m + it * 0
