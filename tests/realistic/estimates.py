"""Estimates and samples: filters, hidden states, sparse processes, chains, portfolios."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import linalg, special, stats

from tests.realistic.table import program


class UKF:
    def __init__(self, f, h, Q, R, alpha=0.5, beta=2.0, kappa=0.0):
        self.f, self.h, self.Q, self.R = f, h, Q, R
        n = Q.shape[0]
        self.lam = alpha**2 * (n + kappa) - n
        self.wm = np.full(2 * n + 1, 0.5 / (n + self.lam))
        self.wc = self.wm.copy()
        self.wm[0] = self.lam / (n + self.lam)
        self.wc[0] = self.wm[0] + 1 - alpha**2 + beta
        self.n = n

    def sigma(self, m, P):
        L = np.linalg.cholesky((self.n + self.lam) * P)
        return np.vstack([m, m + L.T, m - L.T])

    def transform(self, pts, noise):
        mean = self.wm @ pts
        dev = pts - mean
        return mean, (self.wc[:, None] * dev).T @ dev + noise, dev

    def loglik(self, m, P, ys):
        total = 0.0
        for y in ys:
            X = np.array([self.f(x) for x in self.sigma(m, P)])
            m, P, _ = self.transform(X, self.Q)
            X = self.sigma(m, P)
            Y = np.array([self.h(x) for x in X])
            mu, S, dy = self.transform(Y, self.R)
            Cxy = (self.wc[:, None] * (X - m)).T @ dy
            K = np.linalg.solve(S, Cxy.T).T
            v = y - mu
            m = m + K @ v
            P = P - K @ S @ K.T
            sign, logdet = np.linalg.slogdet(S)
            total -= 0.5 * (v @ np.linalg.solve(S, v) + logdet)
        return total

@program(lambda rng: (np.array([9.8, 0.1]), rng.normal(size=(4, 1)) * 0.3), changes=(lambda a: (a[0] * 1.1, a[1][:2]),))
def pendulum_ukf(theta, ys):
    g, q = theta
    dt = 0.05
    f = lambda x: np.array([x[0] + dt * x[1], x[1] - g * np.sin(x[0]) * dt])
    h = lambda x: np.array([np.sin(x[0])])
    ukf = UKF(f, h, q * np.eye(2) * dt, 0.1 * np.eye(1))
    return ukf.loglik(np.array([1.0, 0.0]), 0.1 * np.eye(2), ys)

@program(lambda rng: ({"A": rng.normal(size=(3, 3)), "pi": rng.normal(size=3), "mu": np.array([-1.0, 0, 1]), "log_sigma": np.zeros(3)}, rng.normal(size=7)),
         changes=(lambda a: ({k: v * 1.2 for k, v in a[0].items()}, a[1][:4]),))
def expected_complete_loglik(params, x):
    A = special.softmax(params["A"], axis=1)
    pi = special.softmax(params["pi"])
    B = stats.norm.pdf(x[:, None], params["mu"], np.exp(params["log_sigma"]))
    T, K = B.shape
    alpha = np.zeros((T, K))
    beta = np.ones((T, K))
    scale = np.zeros(T)
    alpha[0] = pi * B[0]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, T):
        alpha[t] = (alpha[t - 1] @ A) * B[t]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    for t in range(T - 2, -1, -1):
        beta[t] = A @ (B[t + 1] * beta[t + 1]) / scale[t + 1]
    gamma = alpha * beta
    gamma /= gamma.sum(axis=1, keepdims=True)
    xi = np.zeros((K, K))
    for t in range(T - 1):
        x_t = alpha[t][:, None] * A * (B[t + 1] * beta[t + 1])[None, :] / scale[t + 1]
        xi += x_t
    return np.sum(gamma[0] * np.log(pi)) + np.sum(xi * np.log(A)) + np.sum(gamma * np.log(B))

@dataclass
class RBF:
    log_ls: np.ndarray
    log_var: float

    def __call__(self, A, B):
        ls = np.exp(self.log_ls)
        d = np.sum((A[:, None, :] / ls - B[None, :, :] / ls) ** 2, axis=-1)
        return np.exp(self.log_var) * np.exp(-0.5 * d)

    def diag(self, A):
        return np.full(A.shape[0], np.exp(self.log_var))

@program(lambda rng: (RBF(np.zeros(2), 0.1), rng.normal(size=(3, 2)), -1.0, rng.normal(size=(8, 2)), rng.normal(size=8)), wrt=(0, 1, 2),
         changes=(lambda a: (a[0], a[1][:2], -0.5, a[3][:5], a[4][:5]),))
def vfe_bound(kernel, Z, log_noise, X, y):
    s2 = np.exp(log_noise)
    Kuu = kernel(Z, Z) + 1e-6 * np.eye(len(Z))
    Kuf = kernel(Z, X)
    L = linalg.cholesky(Kuu, lower=True)
    A = linalg.solve_triangular(L, Kuf, lower=True) / np.sqrt(s2)
    B = np.eye(len(Z)) + A @ A.T
    LB = linalg.cholesky(B, lower=True)
    c = linalg.solve_triangular(LB, A @ y, lower=True) / np.sqrt(s2)
    n = len(y)
    bound = -0.5 * n * np.log(2 * np.pi * s2) - np.log(np.diag(LB)).sum()
    bound += -0.5 * (y @ y) / s2 + 0.5 * c @ c
    bound -= 0.5 * (kernel.diag(X).sum() / s2 - np.trace(A @ A.T))
    return bound

class HMC:
    def __init__(self, logp, grad, eps, L, seed=0):
        self.logp, self.grad = logp, grad
        self.eps, self.L = eps, L
        self.rng = np.random.default_rng(seed)
        self.accepted = 0

    def step(self, q):
        p = self.rng.standard_normal(q.shape)
        H0 = -self.logp(q) + 0.5 * p @ p
        qn, pn = q, p + 0.5 * self.eps * self.grad(q)
        for i in range(self.L):
            qn = qn + self.eps * pn
            if i < self.L - 1:
                pn = pn + self.eps * self.grad(qn)
        pn = pn + 0.5 * self.eps * self.grad(qn)
        H1 = -self.logp(qn) + 0.5 * pn @ pn
        if np.log(self.rng.random()) < H0 - H1:
            self.accepted += 1
            return qn
        return q

@program(lambda rng: (0.5, 0.11, np.array([0.3, 0.2])), wrt=(0, 1, 2))
def chain_mean_distance(b, eps, q0):
    def logp(q):
        return -0.5 * q[0] ** 2 - 0.5 * (q[1] - b * (q[0] ** 2 - 1)) ** 2

    def glogp(q):
        e = q[1] - b * (q[0] ** 2 - 1)
        return np.array([-q[0] + 2 * b * q[0] * e, -e])

    sampler = HMC(logp, glogp, eps, 3)
    chain = [q0]
    for _ in range(4):
        chain.append(sampler.step(chain[-1]))
    chain = np.asarray(chain[1:])
    return np.mean(np.linalg.norm(chain - chain.mean(axis=0), axis=1)) + 0.1 * sampler.accepted

@program(lambda rng: (rng.uniform(0.1, 1, 3), rng.normal(size=(3, 8))))
def risk_parity_gap(raw, returns):
    w = np.abs(raw) / np.abs(raw).sum()
    cov = np.cov(returns)
    vol = np.sqrt(w @ cov @ w)
    contrib = w * (cov @ w) / vol
    return sum((a - b) ** 2 for a, b in combinations(contrib, 2)) / vol**2
