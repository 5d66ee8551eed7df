"""Processes: a plasma."""


import numpy as np

from tests.realistic.table import program

# --- 1D transport, implicit step with sparse, profiles by name --------------------------------


def profile(kind, rho, p):
    kinds = {"parabolic": lambda: p["core"] * (1 - rho ** 2) ** p["peaking"] + p["edge"], "gauss": lambda: p["core"] * np.exp(-(rho / 0.5) ** 2) + p["edge"], "flat": lambda: np.full_like(rho, p["core"])}
    return kinds[kind]()

def diffuse(T, chi, rho, dt, edge):
    n = len(T)
    h = rho[1] - rho[0]
    mid = 0.5 * (chi[1:] + chi[:-1])
    main = np.ones(n)
    main[1:-1] += dt / h ** 2 * (mid[1:] + mid[:-1])
    upper = np.zeros(n - 1)
    lower = np.zeros(n - 1)
    upper[1:] = -dt / h ** 2 * mid[1:]
    lower[:-1] = -dt / h ** 2 * mid[:-1]
    upper[0] = -1.0
    rhs = T.copy()
    rhs[0], rhs[-1] = 0.0, edge
    A = np.diag(main) + np.diag(upper, 1) + np.diag(lower, -1)
    return np.linalg.solve(A, rhs)

@program(lambda rng: ({"core": 5.0, "edge": 0.3, "peaking": 1.5}, np.array([1.0, 0.4]), "parabolic", 7), wrt=(0, 1),
         changes=(lambda a: (a[0], a[1], "gauss", 9), lambda a: a[0].update(core=4.0)))
def stored_energy(p, chi_pars, kind, n):
    rho = np.linspace(0, 0.999, n)
    T = profile(kind, rho, p)
    for step in range(4):
        grad_T = np.gradient(T, rho)
        crit = -grad_T / T
        chi = chi_pars[0] + chi_pars[1] * np.where(crit > 1.0, crit - 1.0, 0.0)
        T = diffuse(T, chi, rho, 0.002, p["edge"])
    return np.trapezoid(3 * T * rho, rho)
