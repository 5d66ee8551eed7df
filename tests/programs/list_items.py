"""Lists whose elements are read and replaced by their number, stacked, joined and added up."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def replaced_by_number(x, y):
    parts = [x * y, np.sin(x), y]
    parts[1] = parts[0] * parts[1]
    parts[2] = parts[2] + np.exp(x)
    return np.sum(parts[1] * parts[2])


@program(args=lambda rng: (rng.normal(size=(4, 2)), 0.3), wrt=(0, 1))
def replaced_in_a_loop(x, a):
    rows = []
    for row in x:
        rows.append(row * a)
    for k in range(1, len(rows)):
        rows[k] = rows[k] + np.tanh(rows[k - 1])
    return np.sum(np.stack(rows) ** 2)


@program(args=lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=4)), wrt=(0, 1))
def joined_pieces(x, y):
    pieces = [y]
    for k in range(3):
        pieces.append(x[k, : k + 1] * y[k])
    whole = np.concatenate(pieces)
    return np.sum(whole**3)


@program(args=lambda rng: (rng.normal(size=(3, 4)),))
def sum_of_arrays_in_a_list(x):
    terms = []
    for row in x:
        terms.append(np.cos(row) * row)
    total = sum(terms)
    return total @ total


@program(args=lambda rng: (rng.normal(size=3),))
def from_the_last_to_the_first(x):
    items = []
    for k in range(3):
        items.append(x[k] * (k + 2.0))
    total = 1.0
    for item in reversed(items):
        total = total * item + np.sin(total)
    return total


@program(args=(0.3,))
def list_of_one_reversed_in_a_loop(p):
    total = 1.0
    for k in range(3):
        for item in reversed([np.sin(p) for _ in range(1)]):
            total *= item + k
    return total


@program(args=lambda rng: (rng.normal(size=4),))
def numbered_backwards(x):
    items = [v**2 for v in x]
    total = x[0]
    for k, item in enumerate(reversed(items)):
        total = total + k * item * total
    for item in items[::-1]:
        total = total * item
    return total


@program(args=(np.array([0.3, 0.7, 0.4]),))
def last_of_what_begins_empty(x):
    out = []
    for k in range(3):
        out.append(x[k] + (out[-1] ** 2 if out else 1.0))
    return out[-1] * out[0]


@program(args=(np.array([0.3, 0.7, 0.4]),))
def emptied_again(x):
    out = []
    total = 0.0
    for k in range(3):
        for j in range(2):
            first = out[0] if len(out) > 1 else 0.5
            out.append(x[j] * first)
        total = total + out[-1]
        if k == 1:
            out = []
    return total


@program(args=lambda rng: (rng.normal(size=3), 3))
def made_at_its_length_and_multiplied(x, n):
    shares = [0.0] * n
    total = 0.0
    for k in range(n):
        shares[k] = np.exp(x[k])
        total += shares[k]
    for k in range(n):
        shares[k] *= 1.0 / total
        shares[k] = shares[k] ** 2
    return shares[0] - 2 * shares[2]
