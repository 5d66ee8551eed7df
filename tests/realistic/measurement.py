"""Measurement: structure factors."""

from dataclasses import dataclass
from typing import Tuple

import numpy as np

from tests.realistic.table import program

# --- structure factors with symmetry ops ------------------------------------------------------


@dataclass(frozen=True)
class Atom:
    element: str
    xyz: Tuple[float, float, float]
    B: float = 0.5
    occ: float = 1.0

FORM = {"C": ((2.31, 20.8439), (1.02, 10.2075), (1.5886, 0.5687)), "O": ((3.0485, 13.2771), (2.2868, 5.7011))}

SYMOPS = [lambda x: x, lambda x: -x, lambda x: np.array([-x[0], x[1] + 0.5, 0.5 - x[2]])]


class Cell:
    def __init__(self, a, b, c, beta_deg):
        ca = np.cos(np.deg2rad(beta_deg))
        sa = np.sin(np.deg2rad(beta_deg))
        self.M = np.array([[a, 0.0, c * ca], [0.0, b, 0.0], [0.0, 0.0, c * sa]])

    @property
    def reciprocal_metric(self):
        G = self.M.T @ self.M
        return np.linalg.inv(G)

    def s2(self, hkl):
        h = np.asarray(hkl, float)
        return 0.25 * h @ self.reciprocal_metric @ h

def structure_factor(cell, atoms, hkl):
    s2 = cell.s2(hkl)
    F = 0j
    for at in atoms:
        f = at.occ * sum(a * np.exp(-b * s2) for a, b in FORM[at.element]) * np.exp(-at.B * s2)
        for op in SYMOPS:
            F += f * np.exp(2j * np.pi * np.dot(hkl, op(np.asarray(at.xyz))))
    return F

@program(lambda rng: (np.array([5.1, 6.2, 7.3, 101.0]), rng.uniform(0, 1, size=(3, 3)), np.array([0.5, 0.7, 0.9]), [(1, 0, 0), (0, 1, 1), (2, 1, 0), (1, 1, 1)]), wrt=(0, 1, 2),
         changes=(lambda a: (a[0], a[1][:2].copy(), a[2][:2].copy(), a[3]), lambda a: (a[0] + 0.1, a[1], a[2], a[3][:2])))
def r_factor(cell_pars, xyz, B, reflections):
    cell = Cell(*cell_pars)
    atoms = [Atom("C" if i % 2 else "O", tuple(p), B[i]) for i, p in enumerate(xyz)]
    F = np.array([abs(structure_factor(cell, atoms, np.array(h))) for h in reflections])
    obs = np.linspace(3, 9, len(reflections))
    k = np.dot(F, obs) / np.dot(F, F)
    return np.sum((k * F - obs) ** 2) / np.sum(obs ** 2)
