"""Constants that stand in a dict outside of the function."""

import numpy as np

from srcgrad import grad

WATER = {"density": 1000.0, "g": 9.81, "powers": np.array([1.0, 1.5, 2.0])}


def discharge(level, width):
    over = np.maximum(level - 0.1, 0.0)
    return WATER["density"] * np.sum(width * over ** WATER["powers"]) * np.sqrt(2 * WATER["g"])


def arguments():
    return np.array([0.5, 0.3, 0.9]), np.array([1.0, 2.0, 1.5])


derivative = grad(discharge, wrt=("level", "width"))


# ------------------------------------------------------------------------------------------

def discharge_grad(level, width):
    """Gradient of discharge (constants.py:10) with respect to (level, width)."""
    over = np.maximum(level - 0.1, 0.0)
    value = WATER["density"]
    value2 = WATER["powers"]
    power = over ** value2
    root = np.sqrt(2 * WATER["g"])

    # constants.py:12  return WATER["density"] * np.sum(width * over ** WATER["powers"]) * n ...
    total_bar = root * value
    width_bar = total_bar * power
    over_bar = (
        total_bar
        * width
        * value2
        * (over + ((over == 0) & (value2 == 0))) ** (value2 - 1)
    )
    # constants.py:11  over = np.maximum(level - 0.1, 0.0)
    level_bar = over_bar * ((level - 0.1 > 0.0) + 0.5 * (level - 0.1 == 0.0))
    return level_bar, width_bar
