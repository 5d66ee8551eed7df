"""Machines: predictive control."""

import abc
import math

import numpy as np

from tests.realistic.table import program

# --- control that looks ahead: a Riccati recursion, constraints by projection, a disturbance ------------------


class Plant(abc.ABC):
    @abc.abstractmethod
    def matrices(self): ...

class Cart(Plant):
    def __init__(self, mass, friction, dt=0.2):
        self.mass, self.friction, self.dt = mass, friction, dt

    def matrices(self):
        A = np.eye(2)
        A[0, 1] = self.dt
        A[1, 1] -= self.dt * self.friction / self.mass
        return A, np.array([[0.0], [self.dt / self.mass]])

def gains(A, B, Q, R, horizon):
    P, out = Q, []
    for _ in range(horizon):
        S = R + B.T @ P @ B
        K = np.linalg.solve(S, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
        out.insert(0, K)
    return out

@program(lambda rng: (1.3, 0.2, np.array([1.0, 0.3]), 0.5), wrt=(0, 1, 2, 3))
def regulation_cost(mass, friction, weights, effort):
    A, B = Cart(mass, friction).matrices()
    plan = gains(A, B, np.diag(weights), effort * np.eye(1), 6)
    x = np.array([1.0, 0.0])
    cost = 0.0
    for k, K in enumerate(plan):
        u = np.clip(-K @ x, -1.5, 1.5)
        x = A @ x + B @ u + np.array([0.0, 0.05 * math.sin(k)])
        cost += x @ np.diag(weights) @ x + effort * float(u[0]) ** 2 if False else x @ np.diag(weights) @ x + effort * u[0] ** 2
    return cost
