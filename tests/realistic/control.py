"""Control engineering: frequency responses."""


import numpy as np

from tests.realistic.table import program

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
