"""Sums of two groups, one of which is chosen for each entry and written into under a third name."""

import numpy as np

from srcgrad import grad


def contrast(x, pivot):
    low, high = np.zeros(2), np.zeros(2)
    for v in x:
        group = low if v < pivot else high
        group[0] += v
        group[1] += v**2
    return low[1] * high[0] + low[0]


def arguments():
    return np.array([0.3, -0.4, 1.2]), 0.1


derivative = grad(contrast)


# ------------------------------------------------------------------------------------------

def contrast_grad(x, pivot):
    """Gradient of contrast (buckets.py:8) with respect to x."""
    low, high = np.zeros(2), np.zeros(2)
    saved = []
    for v in x:
        saved.append(v)
        if v < pivot:
            low[0] += v
            low[1] += v**2
        else:
            high[0] += v
            high[1] += v**2

    # buckets.py:14  return low[1] * high[0] + low[0]
    low_bar = np.zeros(low.shape)
    low_bar[0] = 1.0
    high_bar = np.zeros(high.shape)
    high_bar[0] = low[1]
    low_bar[1] = high[0]
    # buckets.py:10  for v in x:
    x_bar = np.zeros(x.shape)
    i = len(saved)
    for v in saved[::-1]:
        i -= 1
        if v < pivot:
            # buckets.py:13  group[1] += v**2
            v_bar = 2 * low_bar[1] * v
            # buckets.py:12  group[0] += v
            v_bar += low_bar[0]
        else:
            # buckets.py:13  group[1] += v**2
            v_bar = 2 * high_bar[1] * v
            # buckets.py:12  group[0] += v
            v_bar += high_bar[0]
        # buckets.py:10  for v in x:
        x_bar[i] += v_bar
    return x_bar
