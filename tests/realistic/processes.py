"""Processes: polymers, a plasma."""


import numpy as np

from tests.realistic.table import program

# --- self-consistent chain propagators (split-operator, FFT) ----------------------------------


class Propagator:
    def __init__(self, n, box, ds):
        k = 2 * np.pi * np.fft.rfftfreq(n, d=box / n)
        self.kernel = np.exp(-k ** 2 * ds)
        self.ds = ds

    def step(self, q, w):
        half = np.exp(-0.5 * self.ds * w)
        return half * np.fft.irfft(self.kernel * np.fft.rfft(half * q), n=len(q))

    def run(self, w, steps):
        q = np.ones_like(w)
        history = [q]
        for _ in range(steps):
            q = self.step(q, w)
            history.append(q)
        return history

@program(lambda rng: (rng.normal(0, 0.5, 8), 0.4, 6), wrt=(0,), changes=(lambda a: (np.random.default_rng(1).normal(0, 0.5, 10), 0.5, 4), lambda a: (a[0], 0.3, 5)))
def free_energy(w, f, steps):
    prop = Propagator(len(w), 4.0, 1.0 / steps)
    wa, wb = w, -w[::-1]
    n_a = int(round(f * steps))
    forward = prop.run(wa, n_a)
    for _ in range(steps - n_a):
        forward.append(prop.step(forward[-1], wb))
    Q = forward[-1].mean()
    phi = sum(a * b for a, b in zip(forward, reversed(forward))) / (steps + 1) / Q
    return -np.log(Q) + np.mean((phi - 1) ** 2)

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
