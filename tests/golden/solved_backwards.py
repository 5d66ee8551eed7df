"""Back substitution: the list of the unknowns that are found is empty at first."""

import numpy as np

from srcgrad import grad


def stiffness(u, b):
    found = []
    for i in range(len(b) - 1, -1, -1):
        rest = b[i]
        for k, x in enumerate(reversed(found)):
            rest = rest - u[i, i + 1 + k] * x
        found.append(rest / u[i, i])
    return np.sum(np.array(found) ** 2)


def arguments():
    return np.array([[2.0, 0.5, -1.0], [0.0, 1.5, 0.25], [0.0, 0.0, 3.0]]), np.array([1.0, 2.0, 3.0])


derivative = grad(stiffness, wrt=("u", "b"))


# ------------------------------------------------------------------------------------------

def stiffness_grad(u, b):
    """Gradient of stiffness (solved_backwards.py:8) with respect to (u, b)."""
    found = []
    saved2 = []
    for i in range(len(b) - 1, -1, -1):
        rest = b[i]
        saved = []
        for k, x in enumerate(reversed(found)):
            sum_ = i + 1 + k
            saved.append((x, sum_))
            rest = rest - u[i, sum_] * x
        ratio = rest / u[i, i]
        saved2.append((i, ratio, saved))
        found.append(ratio)
    array_found = np.array(found)

    # solved_backwards.py:15  return np.sum(np.array(found) ** 2)
    found_bar = list(2 * array_found)
    # solved_backwards.py:10  for i in range(len(b) - 1, -1, -1):
    u_bar = np.zeros(u.shape)
    b_bar = np.zeros(b.shape)
    for i, ratio, saved in saved2[::-1]:
        # solved_backwards.py:14  found.append(rest / u[i, i])
        ratio_bar = found_bar.pop()
        rest_bar = ratio_bar / u[i, i]
        u_bar[i, i] -= rest_bar * ratio
        i_ = len(saved)
        for x, sum_ in saved[::-1]:
            i_ -= 1
            # solved_backwards.py:13  rest = rest - u[i, i + 1 + k] * x
            u_bar[i, sum_] -= rest_bar * x
            # solved_backwards.py:12  for k, x in enumerate(reversed(found)):
            found_bar[-1 - i_] = found_bar[-1 - i_] - rest_bar * u[i, sum_]
        # solved_backwards.py:11  rest = b[i]
        b_bar[i] = rest_bar
    return u_bar, b_bar
