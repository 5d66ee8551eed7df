"""Econometrics: time series, panels, discrete choice, moments."""

import warnings
from collections import OrderedDict
from dataclasses import asdict, dataclass, fields
from itertools import product

import numpy as np
from scipy import linalg, optimize
from scipy.special import expit, gammaln, log_ndtr, logsumexp

from tests.realistic.table import calls, program

# --- GARCH with several densities, parameters by name -----------------------------------------


class GARCH:
    """GJR-GARCH(1,1) likelihood; parameters are transformed from the real line."""

    names = ("mu", "omega", "alpha", "gamma", "beta", "nu")

    def __init__(self, y, dist="t", mean="constant"):
        self.y = np.asarray(y)
        self.density = getattr(self, f"_logpdf_{dist}")
        self.mean = mean
        self.sigma2 = None

    def _logpdf_normal(self, e, s2, nu):
        return -0.5 * (np.log(2 * np.pi * s2) + e**2 / s2)

    def _logpdf_t(self, e, s2, nu):
        c = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(np.pi * (nu - 2))
        return c - 0.5 * np.log(s2) - (nu + 1) / 2 * np.log1p(e**2 / (s2 * (nu - 2)))

    def unpack(self, theta):
        p = OrderedDict(zip(self.names, theta))
        p["omega"] = np.exp(p["omega"])
        p["alpha"] = expit(p["alpha"])
        p["gamma"] = expit(p["gamma"])
        p["beta"] = (1 - p["alpha"] - 0.5 * p["gamma"]) * expit(p["beta"])
        p["nu"] = 2.1 + np.exp(p["nu"])
        return p

    def filter(self, e, p):
        s2 = np.empty(len(e))
        s2[0] = np.mean(e**2)
        for t in range(1, len(e)):
            leverage = p["gamma"] if e[t - 1] < 0 else 0.0
            s2[t] = p["omega"] + (p["alpha"] + leverage) * e[t - 1] ** 2 + p["beta"] * s2[t - 1]
        self.sigma2 = s2
        return s2

    def negloglik(self, theta):
        p = self.unpack(theta)
        e = self.y - (p["mu"] if self.mean == "constant" else 0.0)
        return -np.sum(self.density(e, self.filter(e, p), p["nu"]))


calls(
    "garch_t",
    lambda rng: (GARCH(rng.standard_t(5, 30)).negloglik, (np.array([0.1, -2.0, -2.0, -2.5, 1.0, 1.0]),)),
)


# --- nested logit with availability and a dict of nests --------------------------------------


def nested_logit_probabilities(V, available, nests, lambdas):
    """Choice probabilities, alternatives along the last axis."""
    P = np.zeros(V.shape)
    inclusive = {}
    for name, members in nests.items():
        lam = lambdas[name]
        scaled = np.where(available[:, members], V[:, members] / lam, -1e3)
        inclusive[name] = logsumexp(scaled, axis=1)
    upper = np.stack([lambdas[name] * inclusive[name] for name in nests], axis=1)
    total = logsumexp(upper, axis=1)
    for j, (name, members) in enumerate(nests.items()):
        lam = lambdas[name]
        for m in members:
            within = np.exp(V[:, m] / lam - inclusive[name]) * available[:, m]
            P[:, m] = within * np.exp(upper[:, j] - total)
    return P


@program(
    lambda rng: (
        {"asc": np.array([0.5, -0.2, 0.1]), "time": -0.8, "cost": -0.3, "lambda": {"car": 0.7, "transit": 0.5}},
        rng.gamma(2.0, 1.0, (8, 4)),
        rng.gamma(2.0, 1.0, (8, 4)),
        np.array([0, 1, 2, 3, 0, 1, 0, 2]),
    )
)
def nested_logit(params, times, costs, chosen):
    nests = {"car": [0, 1], "transit": [2, 3]}
    asc = np.concatenate([params["asc"], [0.0]])
    V = asc + params["time"] * times + params["cost"] * costs
    available = np.ones(V.shape, dtype=bool)
    available[5, 3] = available[2, 0] = False
    P = nested_logit_probabilities(V, available, nests, params["lambda"])
    rows = np.arange(len(chosen))
    if np.any(P[rows, chosen] <= 0):
        warnings.warn("a chosen alternative has no probability")
    loglik = np.sum(np.log(P[rows, chosen]))
    # value of time as a side constraint
    vot = params["time"] / params["cost"]
    return -loglik + 0.01 * (vot - 2.0) ** 2


# --- generalised method of moments with a Newey-West weight ----------------------------------


@dataclass
class GMMResult:
    objective: float
    moments: np.ndarray
    weight: np.ndarray

    def j_statistic(self, n):
        return n * self.objective


def newey_west(g, lags):
    n = len(g)
    g = g - g.mean(axis=0)
    S = g.T @ g / n
    for lag in range(1, lags + 1):
        w = 1 - lag / (lags + 1)
        gamma = g[lag:].T @ g[:-lag] / n
        S = S + w * (gamma + gamma.T)
    return S


class AssetPricing:
    """Hansen and Singleton's Euler equation."""

    def __init__(self, growth, returns, instruments):
        self.c, self.R, self.Z = growth, returns, instruments

    def moments(self, beta, gamma):
        m = beta * self.c ** (-gamma)
        u = m[:, None] * self.R - 1.0
        cols = [u[:, i] * self.Z[:, j] for i, j in product(range(u.shape[1]), range(self.Z.shape[1]))]
        return np.column_stack(cols)

    def estimate(self, theta, lags=2):
        g = self.moments(*theta)
        W = linalg.inv(newey_west(g, lags) + 1e-4 * np.eye(g.shape[1]))
        gbar = g.mean(axis=0)
        return GMMResult(gbar @ W @ gbar, gbar, W)


@program(lambda rng: (np.array([0.96, 1.8]), rng), order2=True, rtol=1e-5)
def gmm_objective(theta, rng):
    growth = 1.02 + 0.03 * rng.standard_normal(40)
    returns = 1.05 + 0.1 * rng.standard_normal((40, 2))
    Z = np.column_stack([np.ones(40), np.roll(growth, 1)])
    result = AssetPricing(growth, returns, Z).estimate(theta)
    j = result.j_statistic(40)
    return j + 1e-3 * np.linalg.norm(result.weight, "fro")


# --- a VAR in companion form with impulse responses -------------------------------------------


class VAR:
    def __init__(self, coefs, sigma):
        self.coefs = np.asarray(coefs)
        self.p, self.k, _ = self.coefs.shape
        self.sigma = sigma

    @property
    def companion(self):
        top = np.hstack(list(self.coefs))
        bottom = np.eye(self.k * (self.p - 1), self.k * self.p)
        return np.vstack([top, bottom])

    @property
    def is_stable(self):
        return bool(np.all(np.abs(np.linalg.eigvals(self.companion)) < 1))

    def irf(self, horizon, orth=True):
        A, J = self.companion, np.eye(self.k, self.k * self.p)
        impact = np.linalg.cholesky(self.sigma) if orth else np.eye(self.k)
        power = np.eye(len(A))
        responses = []
        for _ in range(horizon + 1):
            responses.append(J @ power @ J.T @ impact)
            power = power @ A
        return np.array(responses)

    def fevd(self, horizon):
        theta = self.irf(horizon) ** 2
        shares = np.cumsum(theta, axis=0)
        return shares / shares.sum(axis=2, keepdims=True)


@program(
    lambda rng: (0.3 * rng.normal(size=(2, 2, 2)), np.array([[1.0, 0.3], [0.3, 0.8]])),
    wrt=(0, 1),
)
def var_decomposition(coefs, sigma):
    model = VAR(coefs, 0.5 * (sigma + sigma.T))
    if not model.is_stable:
        raise ValueError("explosive process")
    share = model.fevd(6)[-1]
    return {"own": np.trace(share), "cross": share[0, 1], "long_run": model.irf(6, orth=False).sum(axis=0)}


# --- Heckman selection: two equations, robust clipping ------------------------------------------


@dataclass
class HeckmanParams:
    beta: np.ndarray
    gamma: np.ndarray
    log_sigma: float
    atanh_rho: float

    @classmethod
    def from_vector(cls, v, k, m):
        return cls(v[:k], v[k : k + m], v[k + m], v[k + m + 1])


@program(
    lambda rng: (
        rng.normal(0, 0.3, 7),
        np.column_stack([np.ones(15), rng.normal(size=15)]),
        np.column_stack([np.ones(15), rng.normal(size=(15, 2))]),
        np.where(rng.uniform(size=15) < 0.4, np.nan, rng.normal(size=15)),
    )
)
def heckman(v, X, Z, y):
    p = HeckmanParams.from_vector(v, X.shape[1], Z.shape[1])
    assert set(asdict(p)) == {f.name for f in fields(HeckmanParams)}
    observed = ~np.isnan(y)
    sigma, rho = np.exp(p.log_sigma), np.tanh(p.atanh_rho)
    index = Z @ p.gamma
    ll = np.sum(log_ndtr(-index[~observed]))
    e = (y[observed] - X[observed] @ p.beta) / sigma
    inner = (index[observed] + rho * e) / np.sqrt(1 - rho**2)
    ll += np.sum(log_ndtr(inner) - 0.5 * e**2 - np.log(sigma) - 0.5 * np.log(2 * np.pi))
    return -ll


# --- instrumental quantile-like regression: smoothed check function and a linear program-free fit --


def smoothed_check(u, tau, h):
    return u * (tau - expit(-u / h)) + h * 0.0


@program(lambda rng: (rng.normal(size=(20, 2)), rng.normal(size=20), 0.3), wrt=(0, 1), order2=False, rtol=1e-4)
def quantile_slope(X, y, tau):
    """Slope of a smoothed quantile regression by Newton's method from least squares."""
    X1 = np.column_stack([np.ones(len(y)), X])
    b = np.linalg.lstsq(X1, y, rcond=None)[0]

    def score(b):
        u = y - X1 @ b
        w = tau - expit(-u / 0.5)
        return -X1.T @ (w + u / 0.5 * expit(-u / 0.5) * expit(u / 0.5))

    result = optimize.root(score, b, tol=1e-12)
    if not result.success:
        raise RuntimeError("no convergence")
    b = result.x
    return b[1:] @ b[1:] + np.mean(smoothed_check(y - X1 @ b, tau, 0.5))
