"""Functions of functools and itertools, written as loops."""

import functools
import itertools

import numpy as np

from srcgrad import grad


def roughness(x, weights):
    # neighbours first, then all of it
    total = 0.0
    for left, right in itertools.pairwise([x[0], x[1], x[2]]):
        total += (left - right) ** 2
    return functools.reduce(lambda value, w: np.sin(w * value), weights, total)


def arguments():
    return np.array([0.5, -0.3, 0.8]), (0.5, 1.5, 2.0)


derivative = grad(roughness)


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import zeros_in


def roughness_grad(x, weights):
    """Gradient of roughness (folds.py:11) with respect to x."""
    # neighbours first, then all of it
    total = 0.0
    items = [x[0], x[1], x[2]]
    items_ = items
    items_2 = items[1:]
    saved2 = []
    for left, right in zip(items_, items_2):
        diff = left - right
        saved2.append(diff)
        total += diff ** 2
    result = total
    saved = []
    for item in weights:
        pre = item * result
        saved.append((item, pre))
        result = np.sin(pre)

    result_bar = 1.0
    for item, pre in saved[::-1]:
        # folds.py:16  return functools.reduce(lambda value, w: np.sin(w * value), weights,  ...
        result_bar = result_bar * np.cos(pre) * item
    # folds.py:14  for left, right in itertools.pairwise([x[0], x[1], x[2]]):
    items_bar2 = zeros_in(items_2)
    items_bar = zeros_in(items_)
    i = len(saved2)
    for diff in saved2[::-1]:
        i -= 1
        # folds.py:15  total += (left - right) ** 2
        left_bar = 2 * result_bar * diff
        # folds.py:14  for left, right in itertools.pairwise([x[0], x[1], x[2]]):
        items_bar2[i] = items_bar2[i] - left_bar
        items_bar[i] = items_bar[i] + left_bar
    x_item_bar = items_bar2.pop()
    x_item_bar2 = items_bar2.pop()
    item_bar = items_bar.pop()
    item_bar2 = items_bar.pop()
    x_item_bar3 = items_bar.pop()
    # folds.py:14  for left, right in itertools.pairwise([x[0], x[1], x[2]]):
    x_bar = np.zeros(x.shape)
    x_bar[2] = x_item_bar + item_bar
    x_bar[1] = x_item_bar2 + item_bar2
    x_bar[0] = x_item_bar3
    return x_bar
