"""Geophysics: resistivity."""

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import j0

from tests.realistic.table import program

# --- dc resistivity by a digital linear filter-like quadrature, spline of depth -----------------

@program(lambda rng: (np.log(np.array([50.0, 20.0, 120.0, 400.0])), np.array([2.0, 20.0, 90.0])), wrt=(0, 1), rtol=1e-5)
def schlumberger_curve(log_rho_knots, spacings):
    spline = CubicSpline(np.array([0.0, 1.0, 2.0, 3.0]), log_rho_knots, bc_type="natural")
    edges = np.linspace(0, 3, 7)
    rho = np.exp(spline(0.5 * (edges[1:] + edges[:-1])))
    h = np.diff(10 ** (edges * 0.6))
    out = []
    lam, w = np.polynomial.legendre.leggauss(40)
    for a in spacings:
        k = 0.5 * (lam + 1) * 8 / a
        T = rho[-1] * np.ones_like(k)
        for j in range(len(h) - 1, -1, -1):
            th = np.tanh(k * h[j])
            T = (T + rho[j] * th) / (1 + T * th / rho[j])
        kernel = (T - rho[0]) * j0(k * a) * k
        out.append(rho[0] + a**2 * np.sum(w * kernel) * 4 / a)
    return np.stack(out)
