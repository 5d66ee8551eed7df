"""Loops over the parts of one matrix: the logarithm of a determinant, by LU in place."""

import numpy as np

from srcgrad import grad


def log_determinant(a):
    lu = a.copy()
    n = lu.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            lu[i, k] /= lu[k, k]
            lu[i, k + 1:] -= lu[i, k] * lu[k, k + 1:]
    return np.sum(np.log(np.abs(np.diag(lu))))


def arguments():
    return (np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.3, 0.7, 2.0]]),)


derivative = grad(log_determinant)


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import place_diagonal


def log_determinant_grad(a):
    """Gradient of log_determinant (lu_in_place.py:8) with respect to a."""
    lu = a.copy()
    n = lu.shape[0]
    saved2 = []
    for k in range(n):
        saved = []
        for i in range(k + 1, n):
            den = lu[k, k]
            ratio = lu[i, k] / den
            lu[i, k] = ratio
            lu_item = lu[i, k]
            lu_item2 = lu[k, k + 1:]
            lu_item2_0 = lu_item2.copy()
            saved.append((i, den, ratio, lu_item, lu_item2_0))
            lu[i, k + 1:] = lu[i, k + 1:] - (lu_item * lu_item2)
        saved2.append((k, saved))
    diagonal = np.diag(lu)
    absolute = np.abs(diagonal)

    # lu_in_place.py:15  return np.sum(np.log(np.abs(np.diag(lu))))
    lu_bar = place_diagonal(np.sign(diagonal) / absolute, lu)
    for k, saved in saved2[::-1]:
        for i, den, ratio, lu_item, lu_item2_0 in saved[::-1]:
            # lu_in_place.py:14  lu[i, k + 1:] -= lu[i, k] * lu[k, k + 1:]
            diff_bar = lu_bar[i, k + 1:].copy()
            lu_bar[i, k + 1:] = 0.0
            lu_bar[k, k + 1:] -= lu_item * diff_bar
            lu_bar[i, k] -= np.dot(diff_bar, lu_item2_0)
            lu_bar[i, k + 1:] += diff_bar
            # lu_in_place.py:13  lu[i, k] /= lu[k, k]
            ratio_bar = lu_bar[i, k]
            lu_bar[i, k] = 0.0
            num_bar = ratio_bar / den
            lu_bar[k, k] -= num_bar * ratio
            lu_bar[i, k] += num_bar
    return lu_bar
