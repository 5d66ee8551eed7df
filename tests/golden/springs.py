"""Objects with numbers and places in a list: what a loop does with each stays a loop."""

from dataclasses import dataclass

import numpy as np

from srcgrad import grad


@dataclass
class Spring:
    stiffness: float
    rest: float
    i: int
    j: int

    def force(self, distance):
        return self.stiffness * (distance - self.rest)


def energy(springs, x):
    total = 0.0
    for s in springs:
        d = x[s.i] - x[s.j]
        distance = np.sqrt(d @ d)
        total += 0.5 * s.force(distance) * (distance - s.rest)
    return total


def arguments():
    springs = [Spring(1.0, 0.5, 0, 1), Spring(2.0, 0.7, 1, 2), Spring(1.5, 0.2, 0, 2)]
    return springs, np.array([[0.0, 0.1], [1.0, 0.3], [0.4, 1.2]])


derivative = grad(energy, wrt=("springs", "x"))


# ------------------------------------------------------------------------------------------

def energy_grad(springs, x):
    """Gradient of energy (springs.py:21) with respect to (springs, x)."""
    saved = []
    for s in springs:
        d = x[s.i] - x[s.j]
        distance = np.sqrt(d @ d)
        force_value, force_residuals = force_forward(s, distance)
        distance_bar = 0.5 * force_value
        diff = distance - s.rest
        saved.append((s.i, s.j, d, distance, force_residuals, distance_bar, diff))

    # springs.py:23  for s in springs:
    x_bar = np.zeros(x.shape)
    springs_bar = []
    for i, j, d, distance, force_residuals, distance_bar, diff in saved[::-1]:
        # springs.py:26  total += 0.5 * s.force(distance) * (distance - s.rest)
        stiffness_bar, rest_term, distance_term = force_backward(force_residuals, 0.5 * diff)
        distance_bar_ = distance_bar + distance_term
        # springs.py:25  distance = np.sqrt(d @ d)
        d_bar = 2 * (distance_bar_ / (2 * distance)) * d
        # springs.py:24  d = x[s.i] - x[s.j]
        x_bar[j] -= d_bar
        x_bar[i] += d_bar
        springs_bar.append(
            Spring(stiffness=stiffness_bar, rest=rest_term - distance_bar, i=None, j=None)
        )
    return springs_bar[::-1], x_bar


def force_forward(self, distance):
    """force (springs.py:17), with what its backward function needs."""
    diff = distance - self.rest
    return self.stiffness * diff, (self.stiffness, diff)


def force_backward(residuals, value_bar):
    """Backward function of force (springs.py:17)."""
    stiffness, diff = residuals
    # springs.py:18  return self.stiffness * (distance - self.rest)
    stiffness_bar = value_bar * diff
    distance_bar = value_bar * stiffness
    rest_bar = -distance_bar
    return stiffness_bar, rest_bar, distance_bar
