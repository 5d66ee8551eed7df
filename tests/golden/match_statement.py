"""A choice by a word, written as if and elif."""

import numpy as np

from srcgrad import grad


def penalised(w, kind, rate):
    match kind:
        case "lasso":
            # slope 0 at 0
            penalty = np.sum(np.abs(w))
        case "ridge" | "tikhonov":
            penalty = np.sum(w**2) / 2
        case _:
            penalty = 0.0
    return np.sum((w - 1.0) ** 2) + rate * penalty


def arguments():
    return np.array([0.5, -1.5, 2.0]), "ridge", 0.3


derivative = grad(penalised)


# ------------------------------------------------------------------------------------------

def penalised_grad(w, kind, rate):
    """Gradient of penalised (match_statement.py:8) with respect to w."""
    # match_statement.py:14  penalty = np.sum(w**2) / 2
    w_bar = 2 * (w - 1) + rate * w
    return w_bar
