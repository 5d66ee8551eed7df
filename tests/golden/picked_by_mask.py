import numpy as np

from srcgrad import grad


def penalty(x, lower, upper):
    """Squares of what is outside of bounds, and half of what is close to one."""
    cost = np.zeros_like(x)
    low, high = x < lower, x > upper
    cost[low] += (lower - x[low]) ** 2
    cost[high] += (x[high] - upper) ** 3
    cost[~low & ~high] -= 0.5 * np.exp(-x[~low & ~high])
    return np.mean(cost)


derivative = grad(penalty)


def arguments():
    return np.array([-0.5, 0.2, 0.9, 1.7, -2.0]), 0.0, 1.0


# ------------------------------------------------------------------------------------------

def penalty_grad(x, lower, upper):
    """Gradient of penalty (picked_by_mask.py:6) with respect to x."""
    cost = np.zeros_like(x)
    low, high = x < lower, x > upper
    diff = lower - x[low]
    cost[low] += diff ** 2
    diff2 = x[high] - upper
    cost[high] += diff2 ** 3
    and_ = ~low & ~high
    exp = np.exp(-x[~low & ~high])
    cost[and_] -= 0.5 * exp

    # picked_by_mask.py:13  return np.mean(cost)
    cost_bar = np.full_like(cost, 1.0 / max(cost.size, 1))
    # picked_by_mask.py:12  cost[~low & ~high] -= 0.5 * np.exp(-x[~low & ~high])
    x_bar = np.zeros(x.shape)
    x_bar[and_] = 0.5 * cost_bar[and_] * exp
    # picked_by_mask.py:11  cost[high] += (x[high] - upper) ** 3
    x_bar[high] += 3 * cost_bar[high] * diff2 ** 2
    # picked_by_mask.py:10  cost[low] += (lower - x[low]) ** 2
    x_bar[low] -= 2 * cost_bar[low] * diff
    return x_bar
