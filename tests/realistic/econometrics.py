"""Econometrics: selection."""

from dataclasses import asdict, dataclass, fields

import numpy as np
from scipy.special import log_ndtr

from tests.realistic.table import program

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
