"""Robotics: attitude, localisation."""

from dataclasses import dataclass, field
from typing import Optional

import numpy as np
from numpy import cos, sin

from tests.realistic.table import program

# --- quaternions with operators, an attitude filter ----------------------------------------

class Quaternion:
    __slots__ = ("w", "x", "y", "z")

    def __init__(self, w=1.0, x=0.0, y=0.0, z=0.0):
        self.w, self.x, self.y, self.z = w, x, y, z

    @classmethod
    def from_rotvec(cls, v):
        angle = np.sqrt(v @ v + 1e-16)
        s = np.sin(angle / 2) / angle
        return cls(np.cos(angle / 2), *(s * v))

    def __mul__(self, o):
        if isinstance(o, (int, float)):
            return Quaternion(self.w * o, self.x * o, self.y * o, self.z * o)
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    def __add__(self, o):
        return Quaternion(*(a + b for a, b in zip(self, o)))

    def __iter__(self):
        return iter((self.w, self.x, self.y, self.z))

    def __abs__(self):
        return np.sqrt(sum(c * c for c in self))

    def conjugate(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def normalised(self):
        n = abs(self)
        return Quaternion(*(c / n for c in self))

    def rotate(self, v):
        r = self * Quaternion(0.0, *v) * self.conjugate()
        return np.array([r.x, r.y, r.z])

@program(
    lambda rng: (np.array([0.02, -0.01, 0.03]), 0.15, rng.normal(0, 0.5, (10, 3)), rng.normal(0, 0.1, (10, 3)) + [0, 0, 9.81]),
    wrt=(0, 1, 2),
)
def attitude_filter(bias, gain, gyro, accel, dt=0.05):
    """A Mahony-like complementary filter; how far gravity ends from the vertical."""
    q = Quaternion()
    drift = []
    for omega, a in zip(gyro, accel):
        a = a / np.linalg.norm(a)
        vertical = q.conjugate().rotate([0.0, 0.0, 1.0])
        correction = np.cross(a, vertical)
        q = (q * Quaternion.from_rotvec((omega - bias + gain * correction) * dt)).normalised()
        drift.append(correction @ correction)
    up = q.rotate(np.array([0.0, 0.0, 1.0]))
    return 1 - up[2] + np.mean(drift) + 0.1 * (q + q.conjugate()).w

# --- EKF localisation with landmarks in a dict, angle wrapping --------------------------------

@dataclass
class EKF:
    mu: np.ndarray
    sigma: np.ndarray
    R: np.ndarray = field(default_factory=lambda: np.diag([0.05, 0.02]) ** 2)
    gate: Optional[float] = 9.0
    rejected: int = 0

    @staticmethod
    def wrap(angle):
        return (angle + np.pi) % (2 * np.pi) - np.pi

    def predict(self, v, w, dt, noise):
        x, y, th = self.mu
        self.mu = np.array([x + v * dt * cos(th), y + v * dt * sin(th), self.wrap(th + w * dt)])
        F = np.eye(3)
        F[0, 2] = -v * dt * sin(th)
        F[1, 2] = v * dt * cos(th)
        V = np.array([[dt * cos(th), 0.0], [dt * sin(th), 0.0], [0.0, dt]])
        self.sigma = F @ self.sigma @ F.T + V @ np.diag(noise**2) @ V.T

    def update(self, z, landmark):
        dx, dy = landmark[0] - self.mu[0], landmark[1] - self.mu[1]
        q = dx**2 + dy**2
        r = np.sqrt(q)
        expected = np.array([r, self.wrap(np.arctan2(dy, dx) - self.mu[2])])
        H = np.array([[-dx / r, -dy / r, 0.0], [dy / q, -dx / q, -1.0]])
        innovation = z - expected
        innovation[1] = self.wrap(innovation[1])
        S = H @ self.sigma @ H.T + self.R
        d2 = innovation @ np.linalg.solve(S, innovation)
        if self.gate is not None and d2 > self.gate:
            self.rejected += 1
            return 0.0
        K = np.linalg.solve(S, H @ self.sigma).T
        self.mu = self.mu + K @ innovation
        self.sigma = (np.eye(3) - K @ H) @ self.sigma
        return -0.5 * (d2 + np.log(np.linalg.det(S)))

LANDMARKS = {"door": (2.0, 1.0), "pillar": (1.0, -1.5), "desk": (3.0, 0.5)}

@program(lambda rng: (np.array([0.1, 0.05]), np.array([0.0, 0.0, 0.1]), rng.normal(0, 0.01, (6, 2))), wrt=(0, 1))
def localisation_log_likelihood(noise, start, jitter):
    ekf = EKF(mu=start.copy(), sigma=1e-2 * np.eye(3))
    names = sorted(LANDMARKS)
    truth = np.array([0.02, -0.01, 0.12])
    ll = 0.0
    for k in range(6):
        v, w, dt = 0.5, 0.1 * (-1) ** k, 0.4
        ekf.predict(v, w, dt, noise)
        truth = truth + dt * np.array([v * cos(truth[2]), v * sin(truth[2]), w])
        lm = LANDMARKS[names[k % 3]]
        d = np.array(lm) - truth[:2]
        z = np.array([np.hypot(*d), np.arctan2(d[1], d[0]) - truth[2]]) + jitter[k]
        ll += ekf.update(z, lm)
    return ll + 0.1 * float(ekf.rejected) - np.trace(ekf.sigma)
