"""A dict that the function makes and changes."""

import numpy as np

from srcgrad import grad


def momentum(w, rate):
    state = {"w": w, "v": np.zeros_like(w)}
    for _ in range(3):
        state["v"] = 0.9 * state["v"] - rate * np.cos(state["w"])
        state["w"] = state["w"] + state["v"]
    return np.sum(state["w"] ** 2)


def arguments():
    return np.array([0.5, -1.5, 2.0]), 0.1


derivative = grad(momentum, wrt=("w", "rate"))


# ------------------------------------------------------------------------------------------

def momentum_grad(w, rate):
    """Gradient of momentum (dict_of_parameters.py:8) with respect to (w, rate)."""
    state = {"w": w, "v": np.zeros_like(w)}
    saved = []
    for _ in range(3):
        cos_w = np.cos(state["w"])
        saved.append((state["w"], cos_w))
        state["v"] = 0.9 * state["v"] - rate * cos_w
        state["w"] = state["w"] + state["v"]

    # dict_of_parameters.py:13  return np.sum(state["w"] ** 2)
    w_bar = 2 * state["w"]
    # dict_of_parameters.py:10  for _ in range(3):
    v_bar = np.zeros(state["v"].shape)
    rate_bar = 0.0
    for w_, cos_w in saved[::-1]:
        # dict_of_parameters.py:12  state["w"] = state["w"] + state["v"]
        v_bar = v_bar + w_bar
        # dict_of_parameters.py:11  state["v"] = 0.9 * state["v"] - rate * np.cos(state["w"])
        rate_bar -= np.dot(v_bar, cos_w)
        w_bar += rate * v_bar * np.sin(w_)
        v_bar = 0.9 * v_bar
    return w_bar, rate_bar
