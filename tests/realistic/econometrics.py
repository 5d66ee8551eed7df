"""Econometrics: time series, panels, discrete choice, moments."""

from dataclasses import asdict, dataclass, fields
from itertools import product

import numpy as np
from scipy import linalg
from scipy.special import log_ndtr

from tests.realistic.table import program

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
