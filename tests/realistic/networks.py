"""Networks: queues."""

from enum import Enum, auto

import numpy as np

from tests.realistic.table import program

# --- queueing network by fixed point, while with tolerance ------------------------------------


class Policy(Enum):
    FIFO = auto()
    PRIORITY = auto()

def erlang_c(c, a):
    s = 1.0
    term = 1.0
    for k in range(1, c):
        term = term * a / k
        s = s + term
    last = term * a / c * c / (c - a)
    return last / (s + last)

class Network:
    def __init__(self, routing, service, servers, policy=Policy.FIFO):
        self.P, self.mu, self.c, self.policy = routing, service, servers, policy

    def traffic(self, gamma, tol=1e-13):
        lam = gamma.copy()
        while True:
            new = gamma + lam @ self.P
            if np.max(np.abs(new - lam)) < tol:
                return new
            lam = new

    def wait(self, gamma):
        lam = self.traffic(gamma)
        out = {}
        for i, (l, m, c) in enumerate(zip(lam, self.mu, self.c)):
            rho = l / (c * m)
            if rho >= 1:
                raise ValueError(f"station {i} is unstable")
            w = erlang_c(c, l / m) / (c * m - l)
            if self.policy is Policy.PRIORITY and i == 0:
                w *= 0.5
            out[f"station{i}"] = w + 1 / m
        return lam, out

@program(lambda rng: (np.array([1.0, 0.5, 0.2]), np.array([2.0, 1.5, 2.5]), [1, 2, 1], Policy.FIFO), wrt=(0, 1), rtol=1e-6,
         changes=(lambda a: (a[0], a[1], a[2], Policy.PRIORITY), lambda a: (np.array([0.5, 0.5, 0.5]), a[1], [2, 1, 1], Policy.PRIORITY)))
def sojourn(gamma, mu, servers, policy):
    P = np.array([[0.0, 0.4, 0.2], [0.1, 0.0, 0.3], [0.0, 0.2, 0.0]])
    lam, waits = Network(P, mu, servers, policy=policy).wait(gamma)
    total = sum(l * w for l, w in zip(lam, waits.values()))
    return total / gamma.sum()
