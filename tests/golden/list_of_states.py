"""A list that grows: the path of a pendulum."""

import numpy as np

from srcgrad import grad


def path_length(angle, velocity, damping):
    angles = []
    for _ in range(6):
        velocity = velocity - 0.1 * (np.sin(angle) + damping * velocity)
        angle = angle + 0.1 * velocity
        angles.append(angle)
    path = np.stack(angles)
    return np.sum((path[1:] - path[:-1]) ** 2)


def arguments():
    return 0.5, 1.0, 0.2


derivative = grad(path_length, wrt=("angle", "velocity", "damping"))
