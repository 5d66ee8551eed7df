"""An iterator with a name: its first element is taken, and a loop goes through the rest."""

import numpy as np

from srcgrad import grad


def length(points):
    rest = iter(points)
    before = next(rest)
    total = 0.0
    for point in rest:
        total += np.sqrt(np.sum((point - before) ** 2))
        before = point
    return total


def arguments():
    return (np.array([[0.0, 1.0], [0.5, 1.5], [2.0, -1.0]]),)


derivative = grad(length)


# ------------------------------------------------------------------------------------------

def length_grad(points):
    """Gradient of length (neighbours.py:8) with respect to points."""
    rest = points
    before = rest[0]
    saved = []
    for point in rest[1:]:
        diff = point - before
        root = np.sqrt(np.sum(diff ** 2))
        saved.append((diff, root))
        before = point

    # neighbours.py:12  for point in rest:
    before_bar = np.zeros(before.shape)
    points_item_bar = np.zeros(points[1:].shape)
    i = len(saved)
    for diff, root in saved[::-1]:
        i -= 1
        # neighbours.py:13  total += np.sqrt(np.sum((point - before) ** 2))
        diff_bar = diff / root
        point_bar = before_bar + diff_bar
        before_bar = -diff_bar
        # neighbours.py:12  for point in rest:
        points_item_bar[i] += point_bar
    # neighbours.py:12  for point in rest:
    points_bar = np.zeros(points.shape)
    points_bar[1:] = points_item_bar
    # neighbours.py:10  before = next(rest)
    points_bar[0] = before_bar
    return points_bar
