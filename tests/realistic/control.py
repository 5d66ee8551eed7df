"""Control engineering: loops, filters and regulators."""

import logging
from dataclasses import dataclass, field

import numpy as np

from tests.realistic.table import program

logger = logging.getLogger(__name__)

# --- a PID loop around a first-order plant with dead time -------------------------------

class Plant:
    """First order lag with dead time, discretised with zero-order hold."""

    def __init__(self, gain, tau, dead_steps, dt):
        if tau <= 0:
            raise ValueError("time constant must be positive")
        self.gain = gain
        self.tau = tau
        self.dt = dt
        self._delay = [0.0] * dead_steps
        self.y = 0.0

    def step(self, u):
        self._delay.append(u)
        delayed = self._delay.pop(0)
        a = np.exp(-self.dt / self.tau)
        self.y = a * self.y + self.gain * (1 - a) * delayed
        return self.y

class PID:
    def __init__(self, kp, ki, kd, dt, limits=(-np.inf, np.inf)):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.dt = dt
        self.limits = limits
        self.reset()

    def reset(self):
        self._integral = 0.0
        self._last_error = None

    def __call__(self, error):
        derivative = 0.0
        if self._last_error is not None:
            derivative = (error - self._last_error) / self.dt
        self._last_error = error
        unsat = self.kp * error + self.ki * self._integral + self.kd * derivative
        low, high = self.limits
        out = min(max(unsat, low), high)
        if out == unsat:
            # only integrate when not saturated (anti-windup)
            self._integral += error * self.dt
        return out

@program(lambda rng: (np.array([1.4, 0.6, 0.25]), 1.0, 40), wrt=0)
def step_response_cost(gains, setpoint, n_steps):
    """ITAE-like cost of a unit step with saturation in the actuator."""
    dt = 0.1
    plant = Plant(gain=2.0, tau=1.5, dead_steps=3, dt=dt)
    pid = PID(*gains, dt=dt, limits=(-0.2, 1.8))
    y = 0.0
    cost = 0.0
    effort = []
    for k in range(n_steps):
        u = pid(setpoint - y)
        y = plant.step(u)
        cost += k * dt * (setpoint - y) ** 2 * dt
        effort.append(u)
    logger.debug("final output %.3f", y)
    rate = np.diff(np.array(effort))
    return cost + 1e-2 * float(n_steps) * np.mean(rate**2)

# --- a Kalman filter with a configuration in a dataclass ---------------------------------

@dataclass
class KalmanConfig:
    dt: float = 0.5
    process_noise: float = 0.3
    measurement_noise: float = 0.8
    initial_cov: np.ndarray = field(default_factory=lambda: np.diag([10.0, 4.0]))

    def matrices(self):
        dt = self.dt
        F = np.array([[1.0, dt], [0.0, 1.0]])
        G = np.array([[0.5 * dt**2], [dt]])
        Q = G @ G.T * self.process_noise**2
        H = np.array([[1.0, 0.0]])
        R = np.array([[self.measurement_noise**2]])
        return F, Q, H, R

class KalmanFilter:
    def __init__(self, config):
        self.F, self.Q, self.H, self.R = config.matrices()
        self.x = np.zeros((2, 1))
        self.P = config.initial_cov.copy()
        self.loglik = 0.0
        self.innovations = []

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        v = np.atleast_2d(z) - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ v
        self.P = (np.eye(2) - K @ self.H) @ self.P
        _, logdet = np.linalg.slogdet(2 * np.pi * S)
        self.loglik -= 0.5 * (logdet + (v.T @ np.linalg.solve(S, v)).item())
        self.innovations.append(v)
        return self

    def run(self, zs):
        for z in zs:
            self.predict()
            if np.isnan(z):
                continue  # missing measurement
            self.update(z)
        return self

@program(
    lambda rng: (
        KalmanConfig(),
        np.where(np.arange(12) == 5, np.nan, np.cumsum(rng.normal(0.5, 0.7, 12))),
    )
)
def kalman_negative_log_likelihood(config, zs):
    if not isinstance(config, KalmanConfig):
        raise TypeError("config must be a KalmanConfig")
    kf = KalmanFilter(config).run(zs)
    whiteness = np.concatenate(kf.innovations).ravel()
    return -kf.loglik + 1e-3 * np.sum(whiteness[1:] * whiteness[:-1])

# --- frequency response of a lead compensator: complex numbers ----------------------------

class TransferFunction:
    """A rational function of s that supports multiplication and feedback."""

    def __init__(self, num, den):
        self.num = np.atleast_1d(num)
        self.den = np.atleast_1d(den)

    def __mul__(self, other):
        if not isinstance(other, TransferFunction):
            return TransferFunction(self.num * other, self.den)
        return TransferFunction(
            np.convolve(self.num, other.num), np.convolve(self.den, other.den)
        )

    __rmul__ = __mul__

    def __call__(self, s):
        return np.polyval(self.num, s) / np.polyval(self.den, s)

    @property
    def dc_gain(self):
        return self.num[-1] / self.den[-1]

def lead(zero, pole, gain=1.0):
    return TransferFunction(gain * np.array([1.0 / zero, 1.0]), np.array([1.0 / pole, 1.0]))

@program(lambda rng: (1.1, 9.0, 3.5), wrt=(0, 1, 2))
def phase_margin_penalty(zero, pole, gain):
    """How far the loop's phase around crossover is from 60 degrees, and its bandwidth."""
    plant = TransferFunction([1.0], [0.5, 1.0, 0.0])
    loop = lead(zero, pole, gain) * plant * 1.5
    omega = np.logspace(-1, 1.5, 40)
    response = loop(1j * omega)
    magnitude = np.abs(response)
    closeness = np.exp(-4.0 * np.log(magnitude) ** 2)
    closeness = closeness / np.sum(closeness)
    margin = np.pi + np.angle(response)
    closed = np.abs(response / (1 + response))
    ripple = np.max(20 * np.log10(closed))
    return (np.sum(closeness * margin) - np.pi / 3) ** 2 + 0.01 * ripple + 0.0 * lead(
        zero, pole
    ).dc_gain
