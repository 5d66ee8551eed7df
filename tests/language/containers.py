"""Comprehensions, lists, tuples, dicts, iterators."""

import functools
import itertools
import operator

import numpy as np

from tests.language.rows import shows

X = np.array([0.3, 0.7, 1.1])

@shows("comprehensions of lists", args=(X, 3), wrt=(0,))
def list_comprehension(x, n):
    a = [t * t for t in x]
    b = [a[k] * x[j] for k in range(n) for j in range(n) if j != k]
    c = [t * k for k, t in enumerate((x[0], x[1]))]
    return np.sum(np.array(a)) + b[0] * b[1] + c[1]


NAMES = ["a", "b", "c"]

@shows("comprehensions of dicts", "dicts", args=(X,))
def keys_of_names(x):
    p = {name: v * v for name, v in zip(NAMES, x)}
    q = {f"p{k}": v for k, v in enumerate(x)}
    total = 0.0
    for name in sorted(p):
        total = total + p[name] * q["p1"]
    return total

@shows("generators", args=(X,))
def generators(x):
    largest = max(t * t for t in x)
    smallest = min(t for t in x)
    pair = tuple(t * 2 for t in (x[0], x[1]))
    held = dict((name, v * x[0]) for name, v in (("a", x[0]), ("b", x[1])))
    total = sum(t**2 for t in x) * largest + smallest * pair[1] + sum(list(t for t in x))
    return total * held["b"]

def squares_of(x):
    for t in x:
        yield t * t

@shows("generator functions", args=(X,))
def generator_functions(x):
    squares, others = list(squares_of(x)), tuple(squares_of(x))
    total = sum(squares_of(x)) * squares[0] + others[1]
    for t in squares_of(x):
        total = total + t * x[0]
    return total + np.sum(np.array([t * 2.0 for t in squares_of(x)]))


@shows("`zip(*pairs)`", args=(X,))
def zipped_and_unzipped(x):
    pairs = [(x[0], x[1] * x[0]), (x[1], x[2])]
    total = 0.0
    for a, b in zip(*pairs):
        total = total + a * b
    a, b = x[1:], x[:-1]
    held = dict(zip(NAMES, x))
    for v, w in list(zip(a, b)):
        total = total + v * w * held["a"]
    return total

@shows("lists", "lists that grow", args=(X,))
def lists_as_arrays(x):
    a = x[0]
    rows = [t * t for t in x]
    rows.extend(t * 2 for t in x)
    rows.reverse()
    return np.mean([a, *rows]) * np.std(rows)

@shows("stacks and queues", args=(X, 3))
def stack_and_queue(x, n):
    stack, queue = [(x[0], 1.0)], []
    for k in range(n):
        v, w = stack.pop()
        stack.append((v * x[1], w + v))
        stack.append((v * 0.5, w))
        queue.append(v * w)
        queue.insert(0, v + x[2])
    total = 0.0
    while len(queue) > 1:
        first = queue.pop(0)
        last = queue.pop()
        total = total * 0.5 + first * last
    return total

@shows("parts of lists that grow", args=(X,))
def parts_of_growing(x):
    t, pairs = [], []
    for v in x:
        t.append(v * np.cos(3 * v))
        pairs.append((v, v * v))
    a, b = pairs[0]
    pairs[1] = (a * b, b)
    total = t[-1] * max(t) * min(t) + pairs[1][0]
    for v in t[1:]:
        total = total * v
    return total + t[:-1][0]

class Log:
    """A list in an object."""

    def __init__(self):
        self.rows = []

    def push(self, v):
        self.rows.append(v)

    def scale(self, c):
        for k in range(len(self.rows)):
            self.rows[k] = self.rows[k] * c

def push(t, v):
    t.append(v)

@shows("functions that change lists", args=(X,))
def changed_by_functions(x):
    log, t = Log(), []
    for v in x:
        log.push(v * v)
        push(t, v)
    log.scale(x[0])
    last = t.pop()
    return log.rows[0] * log.rows[2] * sum(t) * last

@shows("`sorted`, `sort`, and `min` and `max` with a `key`", args=(X,))
def in_order(x):
    ordered = sorted(x * np.cos(3 * x), key=lambda v: -v)
    low, high = ordered[0], ordered[2]
    t = [x[2], x[0] * x[1], x[1]]
    t.sort(reverse=True)
    nearest = min(t, key=lambda v: abs(v - 0.5))
    a, b = max([(x[0], x[1]), (x[1], x[2])], key=lambda p: p[0] * p[1])
    return low * high**2 + t[0] * t[2] * nearest + a * b * b

@shows("tuples", args=(X,))
def tuples(x):
    t = (x[0], x[1] * x[2])
    u = t + (x[2],)
    v = u[1:] * 2
    a, b = (u, v)[0][:2]
    return a * b * v[-1] * len(u) + u[0]

@shows("lists", args=(X,))
def lists(x):
    t = [x[0], x[1]] + [x[2]]
    u = t[1:] + [x[0]] * 2
    return t[-1] * u[0] * len(u) + sum(u) * max(t) - min(t)

@shows("changing lists", args=(X,))
def changed(x):
    t = [x[0], x[1]]
    u = t
    t[0] = x[2] * x[1]
    t.append(x[0])
    t.extend([x[1], x[2]])
    t += [x[0] * x[1]]
    t.insert(1, x[2])
    last = t.pop()
    second = t.pop(1)
    t.reverse()
    v = t.copy()
    del t[0]
    total = u[0] * v[1] * last + second * len(u)
    t.clear()
    return total + len(u)

@shows("lists that grow", args=(X, 4), wrt=(0,))
def grown(x, n):
    out = []
    for k in range(n):
        if k % 2:
            out.append(x * k)
        else:
            out += [np.sin(x)]
    last = out.pop()
    out.append(last * out[0])
    total = 0.0
    for part in out:
        total = total + np.sum(part**2)
    return total + np.sum(np.stack(out)) * len(out)

@shows("`map`, `filter`, `reduce`", args=(X,))
def folded(x):
    squares = list(map(lambda t: t * t, x))
    total = 0.0
    for t in filter(lambda k: k > 0, (1, -1, 2)):
        total = total + t * squares[0]
    for t in map(np.sin, x):
        total = total * t
    return total + functools.reduce(operator.mul, squares)

@shows("`itertools`", args=(X,))
def iterated(x):
    total = 0.0
    for a, b in itertools.pairwise(x):
        total = total + a * b
    for j, k in itertools.permutations(range(3), 2):
        total = total + x[j] ** 2 * x[k]
    return total

@shows("`itertools`", args=(X,))
def chosen_from(x):
    total = sum((a - b) ** 2 for a, b in itertools.combinations(x, 2))
    for a, b, c in itertools.product(x, [1.0, 2.0], (x[0], x[1])):
        if c < a:
            continue
        total = total + a * b * c
    for pair in itertools.permutations(x * x, 2):
        x = x + total * 0.01
        total = total + pair[0] / pair[1]
    for a, b in itertools.combinations_with_replacement(x, 2):
        if a > b:
            break
        total = total * a
    pairs = list(itertools.combinations([x[0], x[1], 2.0], 2))
    return total + pairs[1][0] * pairs[2][1]

@shows("dicts", args=(X,))
def dicts(x):
    p = {"a": x[0], "b": x[1] * x[2]}
    q = {**p, "c": x[2]} | {"b": x[0]}
    q["d"] = q["a"] * p["b"]
    q["a"] += x[1]
    total = q.get("c") * q.get("z", 2.0)
    if "d" in q and "z" not in q:
        total = total + q["d"]
    for name, value in q.items():
        total = total + value * len(name)
    for name in q:
        total = total + q[name] ** 2
    for name in p.keys():
        total = total + p[name] ** 3
    return total + sum(p.values())

@shows("changing dicts", args=(X,))
def updated(x):
    p = dict(a=x[0], b=x[1])
    p.setdefault("c", x[2])
    p.update(a=x[1] * x[2], d=x[0])
    taken = p.pop("b")
    q = p.copy()
    del p["c"]
    q |= {"e": taken}
    return taken * p["a"] * p["d"] + q["c"] * len(p) + q["e"] ** 2
