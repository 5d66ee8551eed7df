"""Classes and iterators of Python's standard library."""

import itertools
from collections import Counter, defaultdict, deque

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])


@program(args=(X,))
def window(x):
    last = deque([0.0, 0.0])
    total = 0.0
    for v in x:
        last.append(v)
        last.popleft()
        total = total + last[0] * last[1]
    return total


@program(args=(X,))
def both_ends(x):
    queue = deque()
    for v in x:
        queue.append(v * v)
    queue.appendleft(x[2] * x[0])
    a = queue.pop()
    b = queue.popleft()
    return a * b * queue[0] * len(queue) + sum(queue)


@program(args=(X,))
def breadth_first(x):
    queue = deque([(x[0], 0)])
    total = 0.0
    while queue:
        v, depth = queue.popleft()
        total = total + v * v
        if depth < 2:
            queue.append((v * x[1], depth + 1))
            queue.append((v * x[2], depth + 2))
    return total


@program(args=(X,))
def sums_by_key(x):
    sums = defaultdict(float)
    for name, v in (("a", x[0]), ("b", x[1]), ("a", x[2])):
        sums[name] += v * v
    for k in range(3):
        sums[k] += x[k]
    return sums["a"] * sums["b"] * sums[2] + sums["c"] + len(sums)


@program(args=(X,))
def lists_by_key(x):
    rows = defaultdict(list)
    for name, v in (("a", x[0]), ("b", x[1]), ("a", x[2])):
        rows[name].append(v * v)
    return rows["a"][0] * rows["a"][1] * rows["b"][0]


@program(args=(X,))
def counter(x):
    weights = Counter()
    weights["a"] += x[0]
    weights["a"] += x[1] * x[0]
    if "b" in weights:
        return x[0]
    return weights["a"] ** 2 + weights["b"]


@program(args=(X,), recorded=True)
def joined_and_chosen(x):
    total = 0.0
    for a in itertools.chain(x, x * 2):
        total = total + a * a
    for a in itertools.chain.from_iterable([[x[0], x[1]], [x[2]]]):
        total = total + a**3
    for a, b, c in itertools.combinations(x, 3):
        total = total + a * b * c * c
    for a, b in itertools.permutations(x, 2):
        total = total + a * b * b
    return total


@program(args=(X,), recorded=True)
def filled_and_applied(x):
    total = 0.0
    for a, b in itertools.zip_longest([x[0], x[1], x[2]], [x[1]], fillvalue=x[0]):
        total = total + a * b
    for a in itertools.takewhile(lambda v: v < 1.0, x):
        total = total + a * a
    total = total + sum(itertools.starmap(lambda a, b: a * b, [(x[0], x[1]), (x[1], x[2])]))
    for a, b in zip(x, itertools.repeat(x[0], 3)):
        total = total + a * b
    return total


@program(args=(X,))
def keys_made_of_numbers(x):
    p = {f"p{k}": x[k] * x for k in range(3)}
    q = {(k, k + 1): x[k] * x[0] for k in range(3)}
    return np.sum(p["p0"] * p["p1"]) + p["p2"][0] * q[1, 2]
