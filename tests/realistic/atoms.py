"""Atoms and electrons: integrals of a molecule, bands of a crystal."""

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.linalg import eigh as geigh

from tests.realistic.table import program


class Gaussian(NamedTuple):
    alpha: float
    center: float
    coef: float

def boys0(t):
    if t < 1e-8:
        return 1.0 - t / 3.0
    return 0.5 * np.sqrt(np.pi / t) * special.erf(np.sqrt(t))

def overlap(a, b):
    p = a.alpha + b.alpha
    return a.coef * b.coef * (np.pi / p) ** 1.5 * np.exp(-a.alpha * b.alpha / p * (a.center - b.center) ** 2)

def kinetic(a, b):
    p = a.alpha + b.alpha
    mu = a.alpha * b.alpha / p
    r2 = (a.center - b.center) ** 2
    return mu * (3 - 2 * mu * r2) * overlap(a, b)

def nuclear(a, b, Z, C):
    p = a.alpha + b.alpha
    P = (a.alpha * a.center + b.alpha * b.center) / p
    return -2 * np.sqrt(p / np.pi) * Z * overlap(a, b) * boys0(p * (P - C) ** 2)

def repulsion(a, b, c, d):
    p, q = a.alpha + b.alpha, c.alpha + d.alpha
    P = (a.alpha * a.center + b.alpha * b.center) / p
    Q = (c.alpha * c.center + d.alpha * d.center) / q
    return 2 * np.sqrt(p * q / (np.pi * (p + q))) * overlap(a, b) * overlap(c, d) * boys0(p * q / (p + q) * (P - Q) ** 2)

def contracted(fn, *shells):
    return sum(fn(*prims) for prims in itertools.product(*shells))

STO2G = [(0.151623, 0.678914), (0.851819, 0.430129)]

def shell(center, zeta):
    return [Gaussian(a * zeta**2, center, d * (2 * a * zeta**2 / np.pi) ** 0.75) for a, d in STO2G]

@program(lambda rng: (1.4, 1.24), wrt=(0, 1), rtol=1e-5)
def h2_energy(R, zeta):
    centers = [0.0, R]
    basis = [shell(c, zeta) for c in centers]
    n = len(basis)
    S, H = np.zeros((n, n)), np.zeros((n, n))
    eri = np.zeros((n, n, n, n))
    for i in range(n):
        for j in range(i + 1):
            S[i, j] = S[j, i] = contracted(overlap, basis[i], basis[j])
            h = contracted(kinetic, basis[i], basis[j])
            for c in centers:
                h += contracted(lambda a, b: nuclear(a, b, 1.0, c), basis[i], basis[j])
            H[i, j] = H[j, i] = h
    for i, j, k, l in itertools.product(range(n), repeat=4):
        eri[i, j, k, l] = contracted(repulsion, basis[i], basis[j], basis[k], basis[l])
    D = np.zeros((n, n))
    energy_old = 0.0
    for cycle in range(20):
        J = np.einsum("ijkl,kl->ij", eri, D)
        K = np.einsum("ikjl,kl->ij", eri, D)
        F = H + J - 0.5 * K
        eps, C = geigh(F, S)
        occ = C[:, :1]
        D = 2 * occ @ occ.T
        energy = 0.5 * np.sum(D * (H + F)) + 1 / R
        if abs(energy - energy_old) < 1e-10:
            break
        energy_old = energy
    return energy

@dataclass
class Hopping:
    i: int
    j: int
    cell: tuple
    t: float

class TightBinding:
    def __init__(self, onsite, hoppings):
        self.onsite = onsite
        self.hoppings = hoppings

    def hk(self, k):
        n = len(self.onsite)
        H = np.diag(self.onsite).astype(complex)
        for h in self.hoppings:
            phase = np.exp(2j * np.pi * np.dot(k, h.cell))
            H[h.i, h.j] += h.t * phase
            H[h.j, h.i] += np.conj(h.t * phase)
        return H

    def bands(self, kpath):
        return np.array([np.linalg.eigvalsh(self.hk(k)) for k in kpath])

@program(lambda rng: (np.array([0.2, -0.3]), [-1.0, -0.4, 0.1]), wrt=(0, 1), changes=(lambda a: (a[0], [-0.8, -0.5, 0.0]),))
def band_gap(onsite, t):
    model = TightBinding(onsite, [Hopping(0, 1, (0, 0), t[0]), Hopping(0, 1, (1, 0), t[1]), Hopping(0, 0, (0, 1), t[2])])
    ks = [(kx, ky) for kx in np.linspace(0, 0.5, 3) for ky in (0.1, 0.3)]
    bands = model.bands(ks)
    mu = 0.1
    occupation = 1 / (1 + np.exp((bands - mu) / 0.2))
    return np.min(bands[:, 1]) - np.max(bands[:, 0]) + 0.1 * np.mean(occupation * bands)
