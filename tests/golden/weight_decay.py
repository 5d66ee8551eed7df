"""Parameters that are told apart by how their names begin."""

import numpy as np

from srcgrad import grad


def penalty(parameters):
    total = 0.0
    for name, value in parameters.items():
        if name.startswith("bias"):
            continue
        rate = 0.1 if name.endswith("out") else 0.01
        total += rate * np.sum(value ** 2)
    return total


def arguments():
    return ({"bias_in": np.array([0.2, 0.1]), "weight_out": np.array([0.3, -0.5])},)


derivative = grad(penalty)


# ------------------------------------------------------------------------------------------

def penalty_grad(parameters):
    """Gradient of penalty (weight_decay.py:8) with respect to parameters."""
    name, value = "weight_out", parameters["weight_out"]

    # weight_decay.py:14  total += rate * np.sum(value ** 2)
    weight_out_bar = 0.2 * value
    bias_in_bar = np.zeros(parameters["bias_in"].shape)
    return {"bias_in": bias_in_bar, "weight_out": weight_out_bar}
