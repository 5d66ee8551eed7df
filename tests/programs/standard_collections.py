"""Classes and iterators of Python's standard library."""

import itertools
from collections import defaultdict, deque

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])


@program(args=(X,), recorded=True)
def both_ends(x):
    queue = deque()
    for v in x:
        queue.append(v * v)
    queue.appendleft(x[2] * x[0])
    a = queue.pop()
    b = queue.popleft()
    return a * b * queue[0] * len(queue) + sum(queue)

@program(args=(X,), recorded=True)
def sums_by_key(x):
    sums = defaultdict(float)
    for name, v in (("a", x[0]), ("b", x[1]), ("a", x[2])):
        sums[name] += v * v
    for k in range(3):
        sums[k] += x[k]
    return sums["a"] * sums["b"] * sums[2] + sums["c"] + len(sums)


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
