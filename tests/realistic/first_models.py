"""First models of newcomers from many fields: data in lists of tuples, tables, layers of objects."""

import logging
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from tests.realistic.table import program

logger = logging.getLogger(__name__)

# --- economics: overlapping generations, steady state by damped iteration --------


@dataclass(frozen=True)
class Economy:
    alpha: float = 0.33
    delta: float = 0.08
    generations: int = 5
    growth: float = 0.01
    labour: tuple = (1.0, 1.1, 1.2, 0.8, 0.0)
    tol: float = 1e-11
    max_iter: int = 400


class OLG:
    def __init__(self, econ, beta, sigma):
        self.econ = econ
        self.beta = beta
        self.sigma = sigma
        self.history = []
        self._check()

    def _check(self):
        if len(self.econ.labour) != self.econ.generations:
            raise ValueError("labour profile does not fit")
        if not 0 < self.beta < 1.2:
            raise ValueError(f"beta = {self.beta}")

    def prices(self, k):
        e = self.econ
        labour = sum(e.labour)
        r = e.alpha * (k / labour) ** (e.alpha - 1) - e.delta
        w = (1 - e.alpha) * (k / labour) ** e.alpha
        return r, w

    def household(self, r, w):
        e = self.econ
        n = e.generations
        disc = (1 + r) ** -np.arange(n)
        wealth = np.sum(w * np.array(e.labour) * disc)
        gc = (self.beta * (1 + r)) ** (1 / self.sigma)
        c0 = wealth / np.sum(disc * gc ** np.arange(n))
        assets = [0.0]
        for j in range(n - 1):
            c = c0 * gc**j
            assets.append(assets[-1] * (1 + r) + w * e.labour[j] - c)
        return assets

    def solve(self, k=2.0):
        e = self.econ
        for it in range(e.max_iter):
            r, w = self.prices(k)
            assets = self.household(r, w)
            k_new = sum(assets[1:]) / (1 + e.growth)
            gap = abs(k_new - k)
            self.history.append(float(gap))
            if gap < e.tol:
                logger.info("converged after %d", it)
                break
            k = 0.7 * k + 0.3 * k_new
        return k


@program(lambda rng: (np.array([0.97, 1.5]), Economy()), order2=False)
def olg_welfare(theta, econ):
    beta, sigma = theta
    model = OLG(econ, beta, sigma)
    k = model.solve()
    r, w = model.prices(k)
    return np.log(w) + 0.3 * np.log1p(r)


# --- robotics: planar arm, DH chain, trajectory optimisation with limits ------------


class Joint:
    def __init__(self, length, lo=-np.pi, hi=np.pi):
        self.length = length
        self.lo = lo
        self.hi = hi

    def transform(self, q):
        c, s = np.cos(q), np.sin(q)
        return np.array([[c, -s, self.length * c], [s, c, self.length * s], [0.0, 0.0, 1.0]])

    def violation(self, q):
        return np.maximum(0.0, q - self.hi) ** 2 + np.maximum(0.0, self.lo - q) ** 2


class Arm:
    def __init__(self, joints):
        self.joints = joints

    def __len__(self):
        return len(self.joints)

    def forward(self, q, return_all=False):
        T = np.eye(3)
        points = [T[:2, 2]]
        for joint, angle in zip(self.joints, q):
            T = T @ joint.transform(angle)
            points.append(T[:2, 2])
        return np.stack(points) if return_all else T[:2, 2]

    def penalty(self, q):
        return sum(j.violation(a) for j, a in zip(self.joints, q))


OBSTACLES = [((0.5, 0.9), 0.3), ((1.4, 0.2), 0.2)]


def clearance(points):
    cost = 0.0
    for centre, radius in OBSTACLES:
        d = np.linalg.norm(points - np.array(centre), axis=1)
        cost += np.sum(np.where(d < 2 * radius, (2 * radius - d) ** 2, 0.0))
    return cost


@program(
    lambda rng: (
        rng.normal(size=(3, 3)),
        np.array([1.2, 1.0]),
        Arm([Joint(1.0), Joint(0.7, -2, 2), Joint(0.4, 0, 1.0)]),
    ),
    wrt=(0, 1),
)
def trajectory_cost(Q, target, arm):
    steps, n = Q.shape
    assert n == len(arm)
    cost = 0.0
    prev = None
    for k in range(steps):
        q = Q[k]
        pts = arm.forward(q, return_all=True)
        cost += 2.0 * clearance(pts) + arm.penalty(q)
        if prev is not None:
            cost += 0.1 * np.sum((q - prev) ** 2)
        prev = q
    tip = arm.forward(Q[-1])
    return cost + 10 * np.sum((tip - target) ** 2)


# --- optics: transfer matrices of a stack, target spectrum -----------------------------


def layer_matrix(n, d, lam):
    delta = 2 * np.pi * n * d / lam
    return np.array(
        [[np.cos(delta), 1j * np.sin(delta) / n], [1j * n * np.sin(delta), np.cos(delta)]]
    )


def reflectance(stack, lam, n_in=1.0, n_sub=1.52):
    M = np.eye(2, dtype=complex)
    for n, d in stack:
        M = M @ layer_matrix(n, d, lam)
    B = M[0, 0] + M[0, 1] * n_sub
    C = M[1, 0] + M[1, 1] * n_sub
    r = (n_in * B - C) / (n_in * B + C)
    return abs(r) ** 2


INDEX = {"H": 2.3, "L": 1.45}


@program(lambda rng: (np.array([60.0, 95.0, 61.0, 90.0, 70.0]), "HLHLH", np.linspace(450, 650, 7)))
def coating_merit(d, design, wavelengths):
    stack = [(INDEX[m], di) for m, di in zip(design, d)]
    R = np.array([reflectance(stack, lam) for lam in wavelengths])
    target = np.where((wavelengths > 500) & (wavelengths < 600), 0.9, 0.1)
    return np.sqrt(np.mean((R - target) ** 2))


# --- power grid: dc flow, sparse susceptance, merit order with soft limits -------------------


class Line(NamedTuple):
    a: int
    b: int
    x: float
    cap: float


LINES = [Line(0, 1, 0.1, 1.0), Line(1, 2, 0.2, 0.8), Line(0, 2, 0.25, 0.5), Line(2, 3, 0.1, 1.5)]


def susceptance(lines, n, scale):
    B = np.zeros((n, n))
    for k, line in enumerate(lines):
        b = scale[k] / line.x
        B[line.a, line.a] += b
        B[line.b, line.b] += b
        B[line.a, line.b] -= b
        B[line.b, line.a] -= b
    return B


@program(
    lambda rng: (
        np.array([0.9, 0.4]),
        np.ones(4),
        {"load": np.array([0.0, 0.5, 0.6, 0.3]), "buses": (0, 2), "cost": [(1.0, 0.2), (1.5, 0.1)]},
    ),
    wrt=(0, 1),
)
def dispatch_cost(p, scale, grid):
    n = len(grid["load"])
    inj = -grid["load"]
    for bus, pk in zip(grid["buses"], p):
        inj[bus] += pk
    inj = inj - inj.sum() / n
    B = susceptance(LINES, n, scale)
    theta = np.zeros(n)
    theta[1:] = np.linalg.solve(B[1:, 1:], inj[1:])
    cost = sum(c1 * pk + 0.5 * c2 * pk**2 for (c1, c2), pk in zip(grid["cost"], p))
    flows = []
    for k, l in enumerate(LINES):
        f = scale[k] * (theta[l.a] - theta[l.b]) / l.x
        over = max(abs(f) - l.cap, 0.0)
        cost += 100 * over**2
        flows.append(f)
    return cost + 1e-3 * sum(f * f for f in flows)


# --- Bayesian statistics: hierarchical model, log posterior by dict of priors -----------------

PRIORS = {
    "mu": ("normal", 0.0, 5.0),
    "log_tau": ("normal", 0.0, 1.0),
    "log_sigma": ("student", 3.0, 1.0),
}


def log_prior(name, value):
    kind, a, b = PRIORS[name]
    if kind == "normal":
        return -0.5 * ((value - a) / b) ** 2 - math.log(b) - 0.5 * math.log(2 * math.pi)
    elif kind == "student":
        return stats.t.logpdf(value, df=a, scale=b)
    raise ValueError(kind)


def unpack(theta, J):
    return {"mu": theta[0], "log_tau": theta[1], "log_sigma": theta[2], "eta": theta[3 : 3 + J]}


@program(
    lambda rng: (
        rng.normal(size=6) * 0.3,
        [np.array([1.0, 1.5]), np.array([0.2, -0.1, 0.4]), np.array([2.0])],
    )
)
def log_posterior(theta, groups):
    p = unpack(theta, len(groups))
    lp = sum(log_prior(k, p[k]) for k in PRIORS)
    lp += np.sum(stats.norm.logpdf(p["eta"]))
    alpha = p["mu"] + np.exp(p["log_tau"]) * p["eta"]
    for j, y in enumerate(groups):
        lp += np.sum(stats.norm.logpdf(y, loc=alpha[j], scale=np.exp(p["log_sigma"])))
    return lp


# --- structural mechanics: frame with assembled stiffness, constraint, KS aggregation -----------


@dataclass
class Beam:
    i: int
    j: int
    E: float = 210.0


NODES = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 2.0], [2.0, 0.0]])
BEAMS = [Beam(0, 1), Beam(1, 2), Beam(2, 3)]
FIXED = [0, 1, 2, 9, 10, 11]


def beam_stiffness(E, A, I, L):
    k = np.zeros((6, 6))
    ea, ei = E * A / L, E * I / L**3
    k[0, 0] = k[3, 3] = ea
    k[0, 3] = k[3, 0] = -ea
    bend = ei * np.array(
        [
            [12, 6 * L, -12, 6 * L],
            [6 * L, 4 * L**2, -6 * L, 2 * L**2],
            [-12, -6 * L, 12, -6 * L],
            [6 * L, 2 * L**2, -6 * L, 4 * L**2],
        ]
    )
    idx = [1, 2, 4, 5]
    k[np.ix_(idx, idx)] += bend
    return k


def rotation(c, s):
    r = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])
    T = np.zeros((6, 6))
    T[:3, :3] = r
    T[3:, 3:] = r
    return T


@program(lambda rng: (np.array([0.2, 0.3, 0.25]), {"P": 10.0, "limit": 0.5, "rho": 20.0}), order2=False)
def frame_objective(h, load):
    K = np.zeros((12, 12))
    volume = 0.0
    for beam, hb in zip(BEAMS, h):
        d = NODES[beam.j] - NODES[beam.i]
        L = np.sqrt(d @ d)
        c, s = d / L
        A, I = 0.1 * hb, 0.1 * hb**3 / 12
        T = rotation(c, s)
        ke = T.T @ beam_stiffness(beam.E, A, I, L) @ T
        dofs = np.r_[3 * beam.i : 3 * beam.i + 3, 3 * beam.j : 3 * beam.j + 3]
        K[np.ix_(dofs, dofs)] += ke
        volume += A * L
    free = [k for k in range(12) if k not in FIXED]
    f = np.zeros(12)
    f[3] = load["P"]
    u = np.zeros(12)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], f[free])
    disp = np.abs(u[[3, 6]])
    ks = special.logsumexp(load["rho"] * disp) / load["rho"]
    return volume + 10 * np.maximum(0, ks - load["limit"]) ** 2 + 0.01 * f @ u


# --- psychometrics: graded response model, EM quadrature ----------------------------------------------


class GradedItem:
    def __init__(self, a, cuts):
        self.a = a
        self.cuts = cuts

    def probs(self, theta):
        star = [np.ones_like(theta)]
        for c in self.cuts:
            star.append(special.expit(self.a * (theta - c)))
        star.append(np.zeros_like(theta))
        return [star[k] - star[k + 1] for k in range(len(star) - 1)]


@program(
    lambda rng: (
        np.array([1.0, 1.5, 0.8]),
        np.array([[-1.0, 0.5], [-0.3, 0.9], [0.0, 1.2]]),
        [(0, 1, 2), (2, 2, 1), (1, 0, 0), (2, 1, 2)],
    ),
    wrt=(0, 1),
)
def grm_loglik(a, cuts, responses):
    nodes, weights = np.polynomial.hermite_e.hermegauss(7)
    weights = weights / np.sqrt(2 * np.pi)
    items = [GradedItem(ai, ci) for ai, ci in zip(a, cuts)]
    tables = [item.probs(nodes) for item in items]
    ll = 0.0
    for row in responses:
        like = np.ones_like(nodes)
        for table, y in zip(tables, row):
            like = like * table[y]
        ll += np.log(np.sum(weights * like))
    return ll


# --- operations research: newsvendor network, multi echelon smoothing, knapsack relaxation ----------


def smooth_max(x, t=0.1):
    return t * np.logaddexp(0, x / t)


PRODUCTS = {
    "a": {"price": 10.0, "cost": 4.0, "salvage": 1.0, "w": 2.0},
    "b": {"price": 8.0, "cost": 3.0, "salvage": 0.5, "w": 1.0},
    "c": {"price": 15.0, "cost": 9.0, "salvage": 2.0, "w": 4.0},
}


@program(
    lambda rng: (
        np.array([20.0, 35.0, 10.0]),
        {"a": rng.poisson(22, 6), "b": rng.poisson(30, 6), "c": rng.poisson(9, 6)},
        110.0,
    )
)
def expected_profit(q, demand, capacity):
    profit = 0.0
    used = 0.0
    for (name, spec), qty in zip(PRODUCTS.items(), q):
        scen = demand[name].astype(float)
        sold = qty - smooth_max(qty - scen)
        left = qty - sold
        per = spec["price"] * sold + spec["salvage"] * left - spec["cost"] * qty
        profit += per.mean()
        worst = np.sort(per)[:2]
        profit += 0.1 * worst.mean()
        used += spec["w"] * qty
    return profit - 5.0 * smooth_max(used - capacity)
