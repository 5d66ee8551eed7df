"""A circuit: a list of the names of its gates, which a dict of functions holds."""

import numpy as np

from srcgrad import grad


def rotation(t):
    return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])


def scaling(t):
    return np.diag(np.array([t, 1.0]))


GATES = {"rotation": rotation, "scaling": scaling}
CIRCUIT = [("rotation", 0), ("scaling", 1), ("rotation", 2)]


def energy(angles):
    state = np.array([1.0, 0.5])
    for gate, k in CIRCUIT:
        state = GATES[gate](angles[k]) @ state
    return np.sum(state**4)


def arguments():
    return (np.array([0.3, 0.7, 0.4]),)


derivative = grad(energy)


# ------------------------------------------------------------------------------------------

def energy_grad(angles):
    """Gradient of energy (tables.py:20) with respect to angles."""
    state = np.array([1.0, 0.5])
    state_0 = state
    gate, k = CIRCUIT[0]
    rotation_value2, rotation_residuals = rotation_forward(angles[k])
    state = rotation_value2 @ state
    state_0_2 = state
    gate, k = CIRCUIT[1]
    scaling_value = GATES[gate](angles[k])
    state = scaling_value @ state
    state_0_3 = state
    gate, k = CIRCUIT[2]
    rotation_value, rotation_residuals2 = rotation_forward(angles[k])
    state = rotation_value @ state

    # tables.py:24  return np.sum(state**4)
    state_bar = 4 * state ** 3
    # tables.py:23  state = GATES[gate](angles[k]) @ state
    state_bar2 = rotation_value.T @ state_bar
    angles_bar = np.zeros(angles.shape)
    angles_bar[2] = rotation_backward(rotation_residuals2, np.outer(state_bar, state_0_3))
    state_bar = scaling_value.T @ state_bar2
    angles_bar[1] = np.diag(np.outer(state_bar2, state_0_2))[0]
    angles_bar[0] = rotation_backward(rotation_residuals, np.outer(state_bar, state_0))
    return angles_bar


def rotation_forward(t):
    """rotation (tables.py:8), with what its backward function needs."""
    return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]), (t,)


def rotation_backward(residuals, value_bar):
    """Backward function of rotation (tables.py:8)."""
    t, = residuals
    # tables.py:9  return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
    array_bar = value_bar[0]
    array_bar2 = value_bar[1]
    sin_t = np.sin(t)
    cos_t = np.cos(t)
    t_bar = array_bar2[0] * cos_t - array_bar2[1] * sin_t - array_bar[1] * cos_t
    t_bar -= array_bar[0] * sin_t
    return t_bar
