"""Residuals that are put into one of two lists, by a function that is given one's method."""

import numpy as np

from srcgrad import grad


def outliers(residuals, note):
    for r in residuals:
        if abs(r) > 1.0:
            note(abs(r) - 0.5)
    return len(residuals)


def loss(x, y):
    far, low, high = [], [], []
    for r in y - x:
        (low if r < 0 else high).append(r**2)
    count = outliers(y - x, far.append)
    return (2 * sum(low) + sum(high) + sum(far)) / count


def arguments():
    return np.array([0.3, -0.4, 1.2, 2.0]), np.array([0.1, 0.4, 2.5, 1.1])


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import spread_over


def loss_grad(x, y):
    """Gradient of loss (sorted_out.py:15) with respect to x."""
    far, low, high = [], [], []
    diff = y - x
    saved = []
    for r in diff:
        saved.append(r)
        if r < 0:
            low.append(r**2)
        else:
            high.append(r**2)
    count, outliers_residuals = outliers_forward(y - x, far.append)

    # sorted_out.py:20  return (2 * sum(low) + sum(high) + sum(far)) / count
    num_bar = 1.0 / count
    note_bar = spread_over(num_bar, far)
    high_bar = spread_over(num_bar, high)
    low_bar = spread_over(2.0 / count, low)
    # sorted_out.py:19  count = outliers(y - x, far.append)
    diff_bar, _ = outliers_backward(outliers_residuals, note_bar)
    # sorted_out.py:17  for r in y - x:
    diff_bar2 = np.zeros(diff.shape)
    i = len(saved)
    for r in saved[::-1]:
        i -= 1
        if r < 0:
            # sorted_out.py:18  (low if r < 0 else high).append(r**2)
            power_bar = low_bar.pop()
            r_bar = 2 * power_bar * r
        else:
            # sorted_out.py:18  (low if r < 0 else high).append(r**2)
            power_bar = high_bar.pop()
            r_bar = 2 * power_bar * r
        # sorted_out.py:17  for r in y - x:
        diff_bar2[i] += r_bar
    # sorted_out.py:17  for r in y - x:
    x_bar = -diff_bar2 - diff_bar
    return x_bar


def outliers_forward(residuals, note):
    """outliers (sorted_out.py:8), with what its backward function needs."""
    saved = []
    for r in residuals:
        cond = abs(r) > 1.0
        saved.append((r, cond))
        if cond:
            note(abs(r) - 0.5)
    return len(residuals), (residuals, saved)


def outliers_backward(residuals, note_bar):
    """Backward function of outliers (sorted_out.py:8)."""
    residuals, saved = residuals
    # sorted_out.py:9  for r in residuals:
    residuals_bar = np.zeros(residuals.shape)
    i = len(saved)
    for r, cond in saved[::-1]:
        i -= 1
        if cond:
            # sorted_out.py:11  note(abs(r) - 0.5)
            diff_bar = note_bar.pop()
            r_bar = diff_bar * np.sign(r)
        else:
            r_bar = 0.0
        # sorted_out.py:9  for r in residuals:
        residuals_bar[i] += r_bar
    return residuals_bar, note_bar
