"""Control engineering: loops, filters and regulators."""

from dataclasses import dataclass, field

import numpy as np

from tests.realistic.table import program

# --- a PID loop around a first-order plant with dead time -------------------------------


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
