"""Tomography: iterative reconstruction."""

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

