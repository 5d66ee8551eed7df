"""Lists that are changed in place: every name that holds them sees it."""

import numpy as np

from tests.programs.table import program

X = (np.array([0.5, -1.2, 0.8]),)


@program(args=X)
def extended_by_a_list_of_its_own_length(x):
    squares = []
    for k in range(3):
        squares.append(x[k] ** 2)
    terms = [x[0]]
    terms += squares
    total = 0.0
    for term in terms:
        total += term * term
    return total


@program(args=X)
def copied_before(x):
    terms = [x[0], x[1]]
    others = terms.copy()
    others[0] = x[2]
    return terms[0] * others[0]

@program(args=X)
def repeated(x):
    terms = [x[0], x[1]] * 2
    terms *= 2
    return terms[0] * terms[7] * len(terms)


@program(args=X)
def weights_put_in_order(x):
    weights = [3.0, 2.0, 5.0]
    weights.sort()
    weights.remove(3.0)
    return weights[0] * x[0] ** 2 + weights[1] * x[1]


@program(args=(np.array([0.3, 0.7, 0.4]),))
def reversed_in_place(x):
    rows = [v * v for v in x]
    for k in range(3):
        rows.append(rows[0] * x[k])
        rows.reverse()
    return rows[0] * 2 + rows[1] * rows[2]


@program(args=(np.array([0.7, 0.2, -0.4]),))
def arrays_in_a_list_that_nested_loops_augment(x):
    a = [x * 1.0, x * 2.0]
    for i in range(2):
        for j in range(2):
            if i != j:
                a[i] += a[j] * 0.1 * x[0]
    return np.sum(a[0] * a[1])

@program(args=(np.array([0.3, 0.7, 0.4]),))
def replaced_in_turn(x):
    c = [x[0], x[1], x[2]]
    for i in range(3):
        c = c[:i] + [np.tanh(sum(c[:i] + c[i + 1 :]) + c[i] ** 2)] + c[i + 1 :]
    return sum(v**2 for v in c)


@program(args=(np.array([0.3, 0.7]), 4))
def last_two_of_a_list(x, n):
    held = [x[0], x[1]]
    for _ in range(n):
        held = held[-2:] + [np.sin(held[-1]) * held[-2]]
    return held[-1] * held[0]

@program(args=lambda rng: ([rng.normal(size=n) for n in (2, 3, 2)], 1))
def one_of_several_replaced(blocks, k):
    new = np.tanh(blocks[k]) * 2
    blocks = blocks[:k] + [new] + blocks[k + 1 :]
    return sum(np.sum(x**2) for x in blocks)


@program(args=(np.array([0.3, 0.7, 1.1]),), order2=False)  # which is recorded in forward mode
def grown_by_sums(x):
    squares, cubes = [], []
    for v in x:
        squares = squares + [v * v]
        if v > 0.5:
            cubes = [*cubes, v**3]
    while len(cubes) < 4:
        cubes = [x[0]] + cubes
    return squares[0] * cubes[-1] + sum(squares) * sum(cubes)


@program(args=(np.array([0.3, 0.7, 1.1]),))
def put_into_one_of_two(x):
    low, high = [], []
    parts = {"odd": [], "even": []}
    for k, v in enumerate(x):
        (low if v < 0.5 else high).append(v * v)
        parts["odd" if k % 2 else "even"].append(v)
    return sum(low) * sum(high) + sum(parts["odd"]) * sum(parts["even"])


def visited(x, note):
    for v in x:
        note(v * v)
    return np.sum(x)


@program(args=(np.array([0.3, 0.7, 1.1]),))
def methods_handed_on(x):
    seen, more = [], []
    add, drop = more.append, more.pop
    for v in x:
        add(v * x[1])
        if len(more) > 3:
            drop()
    return visited(x, seen.append) * sum(seen) + more[-1] * sum(more)
