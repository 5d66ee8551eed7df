"""Reactions: mechanisms in text with reversible steps, equilibria, titration."""

import re
from collections import OrderedDict
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from scipy.optimize import fsolve

from tests.realistic.table import program

R = 8.314462618

# --- a mechanism in text, integrated by a step that adapts itself ------------------------------------

MECH = """
# reactions              A        Ea
A + B <=> C            ; 3.0    ; 2000 ; 0.4
2 C -> D               ; 1.5    ; 1500
D -> A + A             ; 0.2    ; 3000
"""

def parse_side(text):
    side = OrderedDict()
    for term in text.split("+"):
        n, name = re.match(r"\s*(\d*)\s*(\w+)", term).groups()
        side[name] = side.get(name, 0) + int(n or 1)
    return side

def parse(text):
    reactions, species = [], []
    for line in text.strip().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        eq, *nums = [p.strip() for p in line.split(";")]
        left, arrow, right = re.split(r"(<=>|->)", eq)
        rx = SimpleNamespace(lhs=parse_side(left), rhs=parse_side(right), reversible=arrow == "<=>", A=float(nums[0]), Ea=float(nums[1]), K=float(nums[2]) if len(nums) > 2 else None)
        for s in [*rx.lhs, *rx.rhs]:
            if s not in species:
                species.append(s)
        reactions.append(rx)
    return reactions, species

class Integrator:
    def __init__(self, f, tol=1e-7, h=0.05):
        self.f, self.tol, self.h = f, tol, h
        self.accepted = self.rejected = 0

    def run(self, y, t_end):
        t, h = 0.0, self.h
        while t < t_end - 1e-12:
            h = min(h, t_end - t)
            k1 = self.f(y)
            k2 = self.f(y + h / 2 * k1)
            k3 = self.f(y + 3 * h / 4 * k2)
            new = y + h / 9 * (2 * k1 + 3 * k2 + 4 * k3)
            k4 = self.f(new)
            err = h * np.abs(-5 / 72 * k1 + k2 / 12 + k3 / 9 - k4 / 8).max()
            if err > 1e-2:
                self.rejected += 1
                h *= 0.5
                continue
            y, t = new, t + h
            self.accepted += 1
        return y

@program(lambda rng: ({"A": 1.0, "B": 0.8}, 320.0, MECH), wrt=(0, 1),
         changes=(lambda a: ({"B": 0.5, "A": 1.2, "C": 0.1}, 310.0, a[2]), lambda a: (a[0], a[1], "A + B -> C ; 2.0 ; 1000")))
def yield_of_D(initial, T, text):
    reactions, species = parse(text)
    index = {s: k for k, s in enumerate(species)}
    y = np.zeros(len(species))
    for s, c in initial.items():
        y[index[s]] = c

    def rates(c):
        dc = np.zeros_like(c)
        for rx in reactions:
            k = rx.A * np.exp(-rx.Ea / R * (1 / T - 1 / 300.0))
            r = k
            for s, n in rx.lhs.items():
                r = r * c[index[s]] ** n
            if rx.reversible:
                back = k / rx.K
                for s, n in rx.rhs.items():
                    back = back * c[index[s]] ** n
                r = r - back
            for s, n in rx.lhs.items():
                dc[index[s]] -= n * r
            for s, n in rx.rhs.items():
                dc[index[s]] += n * r
        return dc

    end = Integrator(rates).run(y, 1.0)
    return end[index["D"]] if "D" in index else end[index["C"]]

# --- chemical equilibrium by element balances: fsolve in logarithms ----------------------------------


@dataclass
class Gas:
    elements: dict
    g0: float

SPECIES = {
    "CH4": Gas({"C": 1, "H": 4}, -0.5), "H2O": Gas({"H": 2, "O": 1}, -2.0), "CO": Gas({"C": 1, "O": 1}, -1.5),
    "H2": Gas({"H": 2}, 0.0), "CO2": Gas({"C": 1, "O": 2}, -3.2),
}

def formula_matrix(names, elements):
    A = np.zeros((len(elements), len(names)))
    for j, n in enumerate(names):
        for el, count in SPECIES[n].elements.items():
            A[elements.index(el), j] = count
    return A

@program(lambda rng: (np.array([1.0, 2.5]), 1.7, 0.9), wrt=(0, 1, 2), rtol=1e-5)
def hydrogen_share(feed, pressure, tau):
    names = sorted(SPECIES)
    elements = sorted({e for g in SPECIES.values() for e in g.elements})
    A = formula_matrix(names, elements)
    n0 = np.zeros(len(names))
    n0[names.index("CH4")], n0[names.index("H2O")] = feed
    b = A @ n0
    g = np.array([SPECIES[n].g0 for n in names]) / tau

    def residual(z):
        lam, lnN = z[:-1], z[-1]
        ln_n = A.T @ lam - g - np.log(pressure) + lnN
        n = np.exp(ln_n)
        return np.append(A @ n - b, n.sum() - np.exp(lnN))

    z, info, flag, msg = fsolve(residual, np.array([-1.0, -0.5, -1.0, 1.5]), full_output=True, xtol=1e-13)
    if flag != 1:
        raise ArithmeticError(msg)
    n = np.exp(A.T @ z[:-1] - g - np.log(pressure) + z[-1])
    return n[names.index("H2")] / n.sum()

# --- titration: charge balance by bisection and Newton, a buffer of acids as objects ------------------


class Acid:
    def __init__(self, conc, *pka, charge=0):
        self.conc, self.pka, self.charge = conc, sorted(pka), charge

    def alpha(self, h):
        terms = [h ** len(self.pka)]
        for k, p in enumerate(self.pka):
            terms.append(terms[-1] / h * 10.0**-p)
        total = sum(terms)
        return [t / total for t in terms]

    def mean_charge(self, h):
        return sum((self.charge - k) * a for k, a in enumerate(self.alpha(h)))

def balance(ph, acids, strong):
    h = 10.0**-ph
    return h - 1e-14 / h + strong + sum(a.conc * a.mean_charge(h) for a in acids)

def solve_ph(acids, strong, lo=0.0, hi=14.0):
    for _ in range(20):
        mid = (lo + hi) / 2
        if balance(mid, acids, strong) > 0:
            lo = mid
        else:
            hi = mid
    ph = (lo + hi) / 2
    for _ in range(4):
        e = 1e-5
        slope = (balance(ph + e, acids, strong) - balance(ph - e, acids, strong)) / (2 * e)
        ph = ph - balance(ph, acids, strong) / slope
    return ph

@program(lambda rng: (np.array([0.1, 0.05]), np.array([2.15, 7.2, 12.35]), [0.02, 0.08, 0.12]), wrt=(0, 1), rtol=1e-5, order2=False)
def titration_curve(conc, pka, base):
    acids = [Acid(conc[0], *pka), Acid(conc[1], 4.76)]
    curve = [solve_ph(acids, b) for b in base]
    return np.array(curve)
