"""A list that grows, is changed under another name, and loses an element."""

import numpy as np

from srcgrad import grad


def energy(x, y):
    terms = [np.sum(x * y)]
    same = terms
    terms += [np.sum(np.sin(x)), np.sum(y**2)]
    same[0] = same[0] ** 2
    last = terms.pop()
    return terms[0] * last + terms[1]


def arguments():
    rng = np.random.default_rng(1)
    return rng.normal(size=3), rng.normal(size=3)


derivative = grad(energy, wrt=("x", "y"))


# ------------------------------------------------------------------------------------------

def energy_grad(x, y):
    """Gradient of energy (list_changes.py:8) with respect to (x, y)."""
    terms = [np.sum(x * y)]
    terms_0 = terms[0]
    same = terms
    terms += [np.sum(np.sin(x)), np.sum(y**2)]
    same[0] = same[0] ** 2
    last = terms.pop()

    # list_changes.py:12  same[0] = same[0] ** 2
    total_bar = 2 * last * terms_0
    # list_changes.py:11  terms += [np.sum(np.sin(x)), np.sum(y**2)]
    y_bar = 2 * terms_0 ** 2 * y
    x_bar = np.cos(x)
    # list_changes.py:9  terms = [np.sum(x * y)]
    x_bar += total_bar * y
    y_bar += total_bar * x
    return x_bar, y_bar
