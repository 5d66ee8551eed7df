"""A table that is filled row by row: the likelihood of a hidden Markov model."""

import numpy as np

from srcgrad import grad


def log_likelihood(start, moves, emits, seen):
    table = np.zeros((seen.shape[0], start.shape[0]))
    total = 0.0
    for t, symbol in enumerate(seen):
        if t == 0:
            table[t] = start * emits[:, symbol]
        else:
            table[t] = (table[t - 1] @ moves) * emits[:, symbol]
        size = np.sum(table[t])
        table[t] /= size  # rows that sum to 1
        total += np.log(size)
    return total


def arguments():
    start = np.array([0.6, 0.4])
    moves = np.array([[0.7, 0.3], [0.4, 0.6]])
    emits = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
    return start, moves, emits, np.array([0, 1, 2, 1])


derivative = grad(log_likelihood, wrt=("start", "moves", "emits"))


# ------------------------------------------------------------------------------------------

def log_likelihood_grad(start, moves, emits, seen):
    """Gradient of log_likelihood (hidden_markov.py:8) with respect to (start, moves, emits)."""
    table = np.zeros((seen.shape[0], start.shape[0]))
    saved = []
    saved2 = []
    for t, symbol in enumerate(seen):
        if t == 0:
            table[t] = start * emits[:, symbol]
        else:
            table_item = table[t - 1]
            table_item_0 = table_item.copy()
            prod = table_item @ moves
            saved.append((table_item_0, prod))
            table[t] = prod * emits[:, symbol]
        size = np.sum(table[t])
        ratio = table[t] / size
        saved2.append((t, symbol, size, ratio))
        table[t] = ratio  # rows that sum to 1

    # hidden_markov.py:11  for t, symbol in enumerate(seen):
    table_bar = np.zeros(table.shape)
    start_bar = np.zeros(start.shape)
    emits_bar = np.zeros(emits.shape)
    moves_bar = np.zeros(moves.shape)
    for t, symbol, size, ratio in saved2[::-1]:
        # hidden_markov.py:18  total += np.log(size)
        size_bar = 1 / size
        # hidden_markov.py:17  table[t] /= size
        num_bar = table_bar[t] / size
        size_bar -= np.dot(num_bar, ratio)
        # hidden_markov.py:16  size = np.sum(table[t])
        table_bar[t] = num_bar + size_bar
        if t == 0:
            # hidden_markov.py:13  table[t] = start * emits[:, symbol]
            prod_bar = table_bar[t].copy()
            table_bar[t] = 0.0
            start_bar += prod_bar * emits[:, symbol]
            emits_bar[:, symbol] += prod_bar * start
        else:
            table_item_0, prod = saved.pop()
            # hidden_markov.py:15  table[t] = (table[t - 1] @ moves) * emits[:, symbol]
            prod_bar = table_bar[t].copy()
            table_bar[t] = 0.0
            prod_bar2 = prod_bar * emits[:, symbol]
            emits_bar[:, symbol] += prod_bar * prod
            moves_bar += np.outer(table_item_0, prod_bar2)
            table_bar[t - 1] += moves @ prod_bar2
    return start_bar, moves_bar, emits_bar
