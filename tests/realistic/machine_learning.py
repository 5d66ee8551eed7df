"""Machine learning: recommenders, Gaussian processes, Bayesian models, trees, clustering."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
from scipy import stats
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import expit, ndtr

from tests.realistic.table import program

# --- kernels with operators, a GP regressor in the style of scikit-learn ---------------------

class Kernel(ABC):
    def __add__(self, other):
        return Combination(add, self, other)

    def __mul__(self, other):
        return Combination(mul, self, other if isinstance(other, Kernel) else Constant(other))

    __rmul__ = __mul__

    @abstractmethod
    def __call__(self, X, Y=None): ...

    def diag(self, X):
        return np.diag(self(X))

class Constant(Kernel):
    def __init__(self, value):
        self.value = value

    def __call__(self, X, Y=None):
        return np.full((len(X), len(X if Y is None else Y)), self.value)

class RBF(Kernel):
    def __init__(self, length):
        self.length = length

    def __call__(self, X, Y=None):
        Y = X if Y is None else Y
        d2 = np.sum((X[:, None, :] - Y[None, :, :]) ** 2 / self.length**2, axis=-1)
        return np.exp(-0.5 * d2)

class Periodic(Kernel):
    def __init__(self, period, length):
        self.period, self.length = period, length

    def __call__(self, X, Y=None):
        Y = X if Y is None else Y
        d = np.abs(X[:, None, 0] - Y[None, :, 0])
        return np.exp(-2 * (np.sin(np.pi * d / self.period) / self.length) ** 2)

class White(Kernel):
    def __init__(self, noise):
        self.noise = noise

    def __call__(self, X, Y=None):
        return self.noise * np.eye(len(X)) if Y is None else np.zeros((len(X), len(Y)))

class Combination(Kernel):
    def __init__(self, op, *kernels):
        self.op, self.kernels = op, kernels

    def __call__(self, X, Y=None):
        return reduce(self.op, (k(X, Y) for k in self.kernels))

class GaussianProcess:
    def __init__(self, kernel, jitter=1e-8):
        self.kernel, self.jitter = kernel, jitter

    def fit(self, X, y):
        self.X_, self.y_ = X, y
        K = self.kernel(X)
        K[np.diag_indices_from(K)] += self.jitter
        self.L_ = cholesky(K, lower=True)
        self.alpha_ = cho_solve((self.L_, True), y)
        return self

    @property
    def log_marginal_likelihood(self):
        n = len(self.y_)
        return -0.5 * self.y_ @ self.alpha_ - np.sum(np.log(np.diag(self.L_))) - 0.5 * n * np.log(2 * np.pi)

    def predict(self, X, return_std=False):
        Ks = self.kernel(X, self.X_)
        mean = Ks @ self.alpha_
        if not return_std:
            return mean
        v = solve_triangular(self.L_, Ks.T, lower=True)
        return mean, np.sqrt(self.kernel.diag(X) - np.sum(v**2, axis=0))

@program(lambda rng: (np.log([1.2, 0.8, 1.5, 1.0, 0.1]), rng.uniform(0, 5, (10, 1)), rng.normal(size=10)), wrt=(0, 2))
def gp_objective(theta, X, y):
    amplitude, length, period, plength, noise = np.exp(theta)
    kernel = amplitude * RBF(length) + Periodic(period, plength) * RBF(3.0) + White(noise)
    gp = GaussianProcess(kernel).fit(X, y)
    mean, std = gp.predict(np.array([[1.0], [2.5]]), return_std=True)
    ei = std * stats.norm.pdf(mean / std) + mean * ndtr(mean / std)
    return -gp.log_marginal_likelihood + 0.1 * np.max(ei)

# --- matrix factorisation with biases; sparse ratings in a dict; SGD epochs ---------------------


# --- a hierarchical model's log density with transforms, priors in a table ------------------------

class Prior:
    def __init__(self, logpdf, transform=None, log_jac=None):
        self.logpdf = logpdf
        self.transform = transform or (lambda z: z)
        self.log_jac = log_jac or (lambda z: 0.0)

def positive(logpdf):
    return Prior(logpdf, np.exp, lambda z: np.sum(z))

def unit(logpdf):
    return Prior(logpdf, expit, lambda z: np.sum(-np.logaddexp(0, z) - np.logaddexp(0, -z)))

MODEL = {
    "mu": Prior(lambda v: stats.norm.logpdf(v, 0, 5)),
    "tau": positive(lambda v: stats.halfcauchy.logpdf(v, scale=5)),
    "rho": unit(lambda v: stats.beta.logpdf(v, 2, 2)),
    "theta": Prior(lambda v: np.sum(stats.norm.logpdf(v))),
}
SHAPES = {"mu": (), "tau": (), "rho": (), "theta": (8,)}
SCHOOLS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
SIGMA = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])

def unpack(z):
    start = 0
    for name, shape in SHAPES.items():
        size = int(np.prod(shape))
        yield name, z[start : start + size].reshape(shape)
        start += size
    if start != len(z):
        raise ValueError("wrong number of parameters")

@program(lambda rng: (0.3 * rng.normal(size=11),))
def eight_schools_logp(z):
    values, logp = {}, 0.0
    for name, part in unpack(z):
        prior = MODEL[name]
        values[name] = prior.transform(part)
        logp = logp + prior.logpdf(values[name]) + prior.log_jac(part)
    effects = values["mu"] + values["tau"] * values["theta"]
    mix = values["rho"] * stats.norm.pdf(SCHOOLS, effects, SIGMA) + (1 - values["rho"]) * stats.t.pdf(
        SCHOOLS, 3, effects, SIGMA
    )
    return logp + np.sum(np.log(mix))

# --- soft trees: recursion over nodes of a class, memo of routing ------------------------------

@dataclass
class Node:
    w: Any = None
    b: float = 0.0
    left: "Node" = None
    right: "Node" = None
    value: float = 0.0
    visits: int = field(default=0, compare=False)

    @property
    def is_leaf(self):
        return self.left is None

    def predict(self, x):
        self.visits += 1
        if self.is_leaf:
            return self.value
        g = expit(self.w @ x + self.b)
        return g * self.left.predict(x) + (1 - g) * self.right.predict(x)

    def __iter__(self):
        yield self
        if not self.is_leaf:
            yield from self.left
            yield from self.right

def _tree(rng, depth):
    if depth == 0:
        return Node(value=float(rng.normal()))
    return Node(rng.normal(size=2), float(rng.normal()), _tree(rng, depth - 1), _tree(rng, depth - 1))

@program(lambda rng: (_tree(rng, 2), rng.normal(size=(6, 2)), rng.normal(size=6)))
def soft_tree_loss(tree, X, y):
    pred = np.array([tree.predict(x) for x in X])
    penalty = sum(node.w @ node.w for node in tree if not node.is_leaf)
    leaves = [node.value for node in tree if node.is_leaf]
    return np.mean((pred - y) ** 2) + 0.01 * penalty + 0.01 * np.var(leaves)
