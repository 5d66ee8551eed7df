"""Objects of which a loop chooses the closest one."""

from dataclasses import dataclass

import numpy as np

from srcgrad import grad


@dataclass
class Match:
    distance: float
    weight: float


def matched(points, targets):
    total = 0.0
    for t in targets:
        least = np.inf
        for p in points:
            found = Match((p - t) ** 2, np.exp(-p))
            if found.distance < least:
                least = found.distance
                best = found
        total += best.weight * np.sqrt(best.distance)
    return total


def arguments():
    return np.array([0.5, 1.5, -0.5]), np.array([0.2, 1.9])


derivative = grad(matched)


# ------------------------------------------------------------------------------------------

def matched_grad(points, targets):
    """Gradient of matched (closest.py:16) with respect to points."""
    saved2 = []
    for t in targets:
        least = np.inf
        saved = []
        for p in points:
            found = Match((p - t) ** 2, np.exp(-p))
            cond = found.distance < least
            saved.append((found.weight, cond))
            if cond:
                least = found.distance
                best = found
        weight = best.weight
        root = np.sqrt(best.distance)
        saved2.append((weight, root, saved))

    # closest.py:18  for t in targets:
    points_bar = np.zeros(points.shape)
    distance_bar = 0.0
    weight_bar = 0.0
    i = len(saved2)
    for weight, root, saved in saved2[::-1]:
        i -= 1
        # closest.py:25  total += best.weight * np.sqrt(best.distance)
        distance_bar += weight / (2 * root)
        weight_bar += root
        i2 = len(saved)
        for exp, cond in saved[::-1]:
            i2 -= 1
            if cond:
                least_bar = distance_bar
                exp_bar = weight_bar
                distance_bar = 0.0
                weight_bar = 0.0
            else:
                least_bar = 0.0
                exp_bar = 0.0
            # closest.py:21  found = Match((p - t) ** 2, np.exp(-p))
            p_bar = 2 * least_bar * (points[i2] - targets[i]) - exp_bar * exp
            # closest.py:20  for p in points:
            points_bar[i2] += p_bar
    return points_bar
