"""Econometrics: time series, selection."""

from dataclasses import asdict, dataclass, fields

import numpy as np
from scipy.special import log_ndtr

from tests.realistic.table import program

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
