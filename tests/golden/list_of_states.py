"""A list that grows: the angles of a pendulum, as an array."""

import numpy as np

from srcgrad import grad


def square_angle(angle, velocity, damping):
    angles = []
    for _ in range(6):
        velocity = velocity - 0.1 * (np.sin(angle) + damping * velocity)
        angle = angle + 0.1 * velocity
        angles.append(angle)
    path = np.stack(angles)
    return path @ path


def arguments():
    return 0.5, 1.0, 0.2


derivative = grad(square_angle, wrt=("angle", "velocity", "damping"))


# ------------------------------------------------------------------------------------------

def square_angle_grad(angle, velocity, damping):
    """Gradient of square_angle (list_of_states.py:8) with respect to (angle, velocity,
    damping).
    """
    angles = []
    saved = []
    for _ in range(6):
        saved.append((angle, velocity))
        velocity = velocity - 0.1 * (np.sin(angle) + damping * velocity)
        angle = angle + 0.1 * velocity
        angles.append(angle)
    path = np.stack(angles)

    # list_of_states.py:15  return path @ path
    path_bar = 2 * path
    # list_of_states.py:14  path = np.stack(angles)
    angles_bar = list(path_bar)
    angle_bar = 0.0
    velocity_bar = 0.0
    damping_bar = 0.0
    for angle, velocity in saved[::-1]:
        # list_of_states.py:13  angles.append(angle)
        angle_term = angles_bar.pop()
        angle_bar += angle_term
        # list_of_states.py:12  angle = angle + 0.1 * velocity
        velocity_bar += 0.1 * angle_bar
        # list_of_states.py:11  velocity = velocity - 0.1 * (np.sin(angle) + damping * velocity)
        sum_bar = -0.1 * velocity_bar
        damping_bar += sum_bar * velocity
        velocity_bar += sum_bar * damping
        angle_bar += sum_bar * np.cos(angle)
    return angle_bar, velocity_bar, damping_bar
