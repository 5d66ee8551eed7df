"""A list that begins empty: each element is made of the one before, where there is one."""

import numpy as np

from srcgrad import grad


def smoothed(x, a):
    levels = []
    for v in x:
        levels.append(a * v + (1 - a) * (levels[-1] if levels else v))
    return np.sum((np.array(levels) - x) ** 2)


def arguments():
    return np.array([0.5, 1.5, -0.5, 2.0]), 0.3


derivative = grad(smoothed, wrt=("x", "a"))


# ------------------------------------------------------------------------------------------

def smoothed_grad(x, a):
    """Gradient of smoothed (begins_empty.py:8) with respect to (x, a)."""
    levels = []
    saved = []
    for v in x:
        cond = len(levels) > 0
        value = levels[-1] if cond else v
        saved.append((v, cond, value))
        levels.append(a * v + (1 - a) * value)
    diff = np.array(levels) - x

    # begins_empty.py:12  return np.sum((np.array(levels) - x) ** 2)
    diff_bar = 2 * diff
    x_bar = -diff_bar
    levels_bar = list(diff_bar)
    a_bar = 0.0
    i = len(saved)
    for v, cond, value in saved[::-1]:
        i -= 1
        # begins_empty.py:11  levels.append(a * v + (1 - a) * (levels[-1] if levels else v))
        sum_bar = levels_bar.pop()
        diff_bar = sum_bar * value
        v_bar = sum_bar * (1 - a)
        if cond:
            # begins_empty.py:11  levels.append(a * v + (1 - a) * (levels[-1] if levels else v))
            levels_bar[-1] = levels_bar[-1] + v_bar
            v_bar = 0.0
        # begins_empty.py:11  levels.append(a * v + (1 - a) * (levels[-1] if levels else v))
        a_bar = a_bar - diff_bar + sum_bar * v
        v_bar += sum_bar * a
        # begins_empty.py:10  for v in x:
        x_bar[i] += v_bar
    return x_bar, a_bar
