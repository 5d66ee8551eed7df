"""Robotics: kinematics, dynamics, localisation, planning."""

from dataclasses import dataclass, field
from typing import NamedTuple, Optional

import numpy as np
from numpy import cos, sin

from tests.realistic.table import program

# --- Denavit-Hartenberg chains with joint objects and a property for the tool -------------

class DH(NamedTuple):
    a: float
    alpha: float
    d: float
    theta: float = 0.0

def dh_matrix(link, q):
    ct, st = cos(link.theta + q), sin(link.theta + q)
    ca, sa = cos(link.alpha), sin(link.alpha)
    return np.array(
        [
            [ct, -st * ca, st * sa, link.a * ct],
            [st, ct * ca, -ct * sa, link.a * st],
            [0.0, sa, ca, link.d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )

class Arm:
    def __init__(self, links, limits=None):
        self.links = tuple(links)
        self.limits = limits or [(-np.pi, np.pi)] * len(self.links)
        self._q = np.zeros(len(self.links))

    @property
    def q(self):
        return self._q

    @q.setter
    def q(self, value):
        value = np.asarray(value)
        if value.shape != (len(self.links),):
            raise ValueError(f"expected {len(self.links)} joints, got {value.shape}")
        self._q = value

    def frames(self):
        T = np.eye(4)
        yield T
        for link, q in zip(self.links, self.q):
            T = T @ dh_matrix(link, q)
            yield T

    @property
    def tool(self):
        *_, last = self.frames()
        return last

    def jacobian(self):
        frames = list(self.frames())
        p = frames[-1][:3, 3]
        J = np.zeros((6, len(self.links)))
        for i, T in enumerate(frames[:-1]):
            z = T[:3, 2]
            J[:3, i] = np.cross(z, p - T[:3, 3])
            J[3:, i] = z
        return J

def limit_penalty(q, limits):
    cost = 0.0
    for qi, (low, high) in zip(q, limits):
        mid, half = (low + high) / 2, (high - low) / 2
        cost += ((qi - mid) / half) ** 6
    return cost

@program(
    lambda rng: (
        np.array([0.3, -0.7, 0.9, 0.4]),
        [DH(0.0, np.pi / 2, 0.4), DH(0.5, 0.0, 0.0), DH(0.4, 0.0, 0.05), DH(0.1, -0.3, 0.0, 0.2)],
        np.array([0.5, 0.3, 0.6]),
    ),
    wrt=(0, 1, 2),
)
def inverse_kinematics_cost(q, links, target):
    arm = Arm(links)
    arm.q = q
    reach = arm.tool[:3, 3] - target
    J = arm.jacobian()[:3]
    manipulability = np.sqrt(np.linalg.det(J @ J.T))
    return reach @ reach - 0.05 * np.log(manipulability) + 0.01 * limit_penalty(q, arm.limits)

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

# --- a robot that hears one beacon: an extended Kalman filter and its likelihood ------------------

@dataclass
class FilterSettings:
    process: float
    range_noise: float
    dt: float = 0.1
    gate: Optional[float] = None

class RangeFilter:
    def __init__(self, settings, start):
        self.settings = settings
        self.x, self.P = np.array(start, dtype=float), np.eye(len(start))
        self.rejected = 0

    def predict(self, turn_rate):
        px, py, heading, speed = self.x
        dt = self.settings.dt
        self.x = np.array(
            [px + speed * cos(heading) * dt, py + speed * sin(heading) * dt, heading + turn_rate * dt, speed]
        )
        F = np.eye(4)
        F[0, 2], F[0, 3] = -speed * sin(heading) * dt, cos(heading) * dt
        F[1, 2], F[1, 3] = speed * cos(heading) * dt, sin(heading) * dt
        self.P = F @ self.P @ F.T + self.settings.process * np.eye(4)

    def update(self, measured):
        expected = np.hypot(self.x[0], self.x[1])
        H = np.zeros((1, 4))
        H[0, :2] = self.x[:2] / expected
        S = (H @ self.P @ H.T)[0, 0] + self.settings.range_noise
        innovation = measured - expected
        if self.settings.gate is not None and innovation**2 / S > self.settings.gate:
            self.rejected += 1
            return None
        K = self.P @ H.T / S
        self.x = self.x + (K * innovation).ravel()
        left = np.eye(4) - K @ H
        self.P = left @ self.P @ left.T + self.settings.range_noise * K @ K.T
        return -0.5 * (np.log(2 * np.pi * S) + innovation**2 / S)

@program(lambda rng: (np.array([-4.0, -1.2]), np.linspace(1.5, 2.0, 8)))
def beacon_log_likelihood(log_noise, ranges):
    process, range_noise = np.exp(log_noise)
    tracker = RangeFilter(FilterSettings(process, range_noise, gate=50.0), [1.0, 0.5, 0.3, 0.8])
    total = 0.0
    for k, measured in enumerate(ranges):
        tracker.predict(0.1 * np.sin(k))
        score = tracker.update(measured)
        if score is not None:
            total += score
    assert tracker.rejected <= len(ranges) // 2, "the filter has lost the robot"
    return -total + 0.01 * np.trace(tracker.P)
