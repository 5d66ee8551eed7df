"""Tomography: projections, iterative reconstruction, priors, geometry."""
from dataclasses import dataclass

import numpy as np

from tests.realistic.table import program

# --- 1: SIRT with a system matrix filled by rays, box constraints, stop by discrepancy

class System:
    cache = {}

    def __init__(self, n, angles):
        self.n = n
        key = (n, tuple(angles))
        if key not in System.cache:
            System.cache[key] = self.build(angles)
        self.A = System.cache[key]

    def build(self, angles):
        xs = np.arange(self.n) - (self.n - 1) / 2
        X, Y = np.meshgrid(xs, xs, indexing="ij")
        rows = []
        for a in angles:
            s = X * np.cos(a) + Y * np.sin(a)
            for d in xs:
                rows.append(np.exp(-2 * (s - d) ** 2).ravel())
        return np.array(rows)

LOG = []

def sirt(system, b, x0, relax=0.8, rounds=5, tol=1e-3, callback=None):
    A = system.A
    R, C = 1 / A.sum(axis=1), 1 / A.sum(axis=0)
    x = x0
    for k in range(rounds):
        r = b - A @ x
        if r @ r < tol:
            break
        x += relax * C * (A.T @ (R * r))
        np.clip(x, 0.0, 2.0, out=x)
        if callback:
            callback(k, r @ r)
    return x

@program(
    lambda rng: (rng.uniform(1, 3, 9), np.array([0.0, 0.8, 1.9])),
    changes=(
        lambda args: System.cache.clear(),
        lambda args: setattr(sirt, "__defaults__", (0.3, 3, 1e-3, None)),
        lambda args: setattr(sirt, "__defaults__", (0.8, 3, 1e-3, lambda k, v: LOG.append(k))),
        lambda args: (args[0], np.array([0.1, 1.0, 2.0])),
    ),
)
def sirt_roughness(b, angles):
    system = System(3, angles)
    x = np.full(9, 0.5)
    y = x
    sirt(system, b, x)
    img = y.reshape(3, 3)
    return np.sum(np.diff(img, axis=0) ** 2) + np.sum(np.diff(img, axis=1) ** 2) + img[1, 1]

# --- 2: total variation by Chambolle's dual, div and grad with in-place edges

def gradient(u):
    g = np.zeros((2,) + u.shape)
    g[0, :-1] = u[1:] - u[:-1]
    g[1, :, :-1] = u[:, 1:] - u[:, :-1]
    return g

def divergence(p):
    d = p[0] + p[1]
    d[1:] -= p[0][:-1]
    d[:, 1:] -= p[1][:, :-1]
    return d

@dataclass
class TV:
    weight: float
    tau: float = 0.2

    def denoise(self, f, rounds):
        p = np.zeros((2,) + f.shape)
        for _ in range(rounds):
            g = gradient(divergence(p) - f / self.weight)
            norm = np.sqrt(np.sum(g**2, axis=0) + 1e-9)
            p += self.tau * g
            p /= 1 + self.tau * norm
        return f - self.weight * divergence(p)

@program(
    lambda rng: (rng.normal(size=(4, 4)), 0.3),
    wrt=(0, 1),
    changes=(lambda args: (args[0][1:], 0.8), lambda args: setattr(TV.__init__, "__defaults__", (0.1,))),
)
def tv_objective(f, weight):
    u = TV(weight).denoise(f, 4)
    return np.sum((u - f) ** 2) + np.sum(np.abs(np.fft.fft2(u))) * 0.05

# --- 3: emission tomography OSEM with subsets by itertools, attenuation and scatter in a dict

SUBSETS = {"n": 2, "order": [0, 1]}

def subset_rows(m, k):
    return np.arange(m)[k :: SUBSETS["n"]]

def osem(A, y, x, extras):
    for sweep in range(2):
        for k in SUBSETS["order"]:
            rows = subset_rows(len(y), k)
            a = A[rows]
            if "attenuation" in extras:
                a = a * np.exp(-extras["attenuation"][rows, None])
            expected = a @ x + extras.get("scatter", 0.0)
            ratio = y[rows] / expected
            x = x * (a.T @ ratio) / a.sum(axis=0)
    return x

@program(
    lambda rng: (rng.uniform(1, 4, 6), rng.uniform(0.1, 1.0, (6, 3)), {"scatter": 0.2, "attenuation": rng.uniform(0, 1, 6)}),
    wrt=(0, 1, 2),
    changes=(
        lambda args: SUBSETS.update(n=3, order=[2, 0, 1]),
        lambda args: args[2].pop("attenuation"),
        lambda args: args[2].update(scatter=0.5),
        lambda args: SUBSETS["order"].pop(),
    ),
)
def osem_contrast(y, A, extras):
    x = osem(A, y, np.ones(A.shape[1]), extras)
    hot, cold = np.max(x), np.min(x)
    return (hot - cold) / (hot + cold) + 0.1 * np.log(x).sum()

# --- 4: filtered back projection with a window from a registry and linear interpolation

WINDOWS = {}

def window(fn):
    WINDOWS[fn.__name__] = fn
    return fn

@window
def ramp(f, cut):
    return np.abs(f)

@window
def hann(f, cut):
    return np.abs(f) * 0.5 * (1 + np.cos(np.pi * f / cut)) * (np.abs(f) <= cut)

def filtered(sino, name, cut):
    f = np.fft.fftfreq(sino.shape[-1])
    return np.real(np.fft.ifft(np.fft.fft(sino, axis=-1) * WINDOWS[name](f, cut), axis=-1))

@program(
    lambda rng: (rng.uniform(0, 1, (3, 8)), np.array([0.0, 1.0, 2.0]), 0.4, "hann"),
    wrt=(0, 1, 2),
    changes=(
        lambda args: (args[0], args[1], 0.45, "ramp"),
        lambda args: WINDOWS.update(ramp=lambda f, cut: f**2 / cut),
        lambda args: (args[0][:2], args[1][:2], 0.4, "hann"),
    ),
)
def fbp_sharpness(sino, angles, cut, name):
    q = filtered(sino, name, cut)
    img = np.zeros((3, 3))
    grid = np.arange(8.0)
    for row, a in zip(q, angles):
        for (i, j), _ in np.ndenumerate(img):
            s = (i - 1) * np.cos(a) + (j - 1) * np.sin(a) + 3.7
            img[i, j] += np.interp(s, grid, row)
    img *= np.pi / len(angles)
    return np.sum(img**2) + np.std(img)
