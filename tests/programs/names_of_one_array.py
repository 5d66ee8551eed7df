"""Arrays without derivative that are written under another name than they are read.

Whether two names hold the same array is often not known when code is generated.
"""

import functools
import operator

import numpy as np

from tests.programs.table import program

vector = program(args=lambda rng: (rng.normal(size=3),))
recorded = program(args=lambda rng: (rng.normal(size=3),), recorded=True)

def pick(a, b, k):
    return a if k else b

def set_one(r):
    r[1] = 7.0

def raised(r):
    r[1] += 7.0
    return 2.0

class Box:
    w = np.ones(3)

    def __init__(self):
        self.w = np.ones(3)

    def get(self):
        return self.w

    def poke(self, a):
        a[1] += 2.0
        return 3.0

BOX = Box()


@recorded
def chosen_by_a_branch(x, flag=1.0):
    a = np.ones(3)
    b = np.full(3, 2.0)
    y = a * x + b * x
    if flag > 0:
        c = a
    else:
        c = b
    c *= 3.0
    return np.sum(y * a * b * x)

@recorded
def row_and_list(x, k=0):
    rows = [np.ones(3), np.full(3, 2.0)]
    r = rows[k]
    y = r * x
    rows[0] *= 2.0
    z = r * x * x
    r *= 3.0
    return np.sum(y * z * rows[0] * x)

@vector
def called_twice(x):
    rows = [np.ones(3), np.full(3, 2.0)]

    def scale(rs):
        for r in rs:
            r *= 3.0

    scale(rows)
    y = rows[0] * x
    scale(rows)
    return np.sum(y * rows[0] * x)

@recorded
def chosen_in_a_loop(x, k=1):
    a = np.ones(3)
    b = np.full(3, 2.0)
    y = a * x * b
    c = b
    for i in range(3):
        if i == k:
            c = a
        c[i] = 4.0 + i
        y = y + c * x
    return np.sum(y * a * x * b)

@vector
def views_in_a_dict(x):
    a = np.ones((2, 3))
    d = {"u": a[0], "v": a[1]}
    y = d["u"] * x
    for key in d:
        d[key] *= 2.0
    return np.sum(y * a[0] * x)

@vector
def functions_that_may_not_copy(x):
    a = np.ones(4)
    f = np.asarray(a)
    g = np.atleast_2d(a)
    h = np.ascontiguousarray(a)
    y = a[:3] * x
    g[0, 1] = 3.0
    z = f[:3] * x * y
    h[2] = 8.0
    return np.sum(y * z * a[:3])

@vector
def largest_of_a_list(x):
    rows = [np.ones(3) for _ in range(3)]
    y = rows[2] * x
    big = max(rows, key=lambda r: r.sum())
    big *= 4.0
    for r in rows:
        y = y * r
    return np.sum(y * x * rows[0])


@vector
def halves_that_take_turns(x, n=4):
    w = np.zeros(n + 3)
    old = w[:3]
    new = w[3:6]
    old[:] = 1.0
    for k in range(n):
        new[:] = 2 * old + 1
        x = x * new
        old, new = new, old
    return np.sum(x * w[:3] * w[3:6])

@vector
def stack(x):
    stack = [np.ones(3)]
    total = 0.0
    while stack:
        top = stack.pop()
        total = total + np.sum(top * x)
        if top[0] < 4:
            top *= 2.0
            stack.append(top)
            total = total + np.sum(top * x * x)
    return total

@vector
def rows_in_a_list(x):
    grid = np.zeros((3, 3))
    cells = [grid[i] for i in range(3)]
    y = x
    for i, c in enumerate(cells):
        c += i + 1.0
        y = y * grid[i] + cells[0]
        cells[0][:] = c
    return np.sum(y * grid[0] * x)

@vector
def cache_of_a_function(x):
    cache = {}

    def get(k):
        if k not in cache:
            cache[k] = np.ones(3)
        return cache[k]

    y = x
    for k in [0, 1, 0, 1]:
        c = get(k)
        y = y * c
        c += 1.0
    return np.sum(y * get(0) * x)

@vector
def transposed(x):
    m = np.arange(9.0).reshape(3, 3)
    t = m.T
    y = m[0] * x
    t[0] *= 2.0
    z = m @ x
    np.fill_diagonal(t, 5.0)
    return np.sum(y * m[0] * x) + np.sum(z * (m @ x))

@vector
def last_of_a_list(x):
    h = [np.ones(3)]
    for k in range(3):
        h.append(h[-1])
        h[-1] += 1.0
        x = x * h[0]
    return np.sum(x * h[1])


@vector
def within_try(x):
    a = np.ones(3)
    y = x * a
    try:
        b = np.asarray(a)
        b[0] = 8.0
    finally:
        y = y * a
    return np.sum(y * a)

@vector
def tested(x):
    a = np.ones(3)
    y = a * x
    if raised(a) > 0:
        y = y * a
    return np.sum(y * a * x)

@vector
def summed(x):
    rows = [np.ones(3), np.ones(3)]
    y = rows[0] * x
    v = sum(raised(r) for r in rows)
    return np.sum(y * rows[0] * x * v)

@vector
def mapped(x):
    rows = [np.ones(3), np.ones(3)]
    y = rows[0] * x
    v = list(map(raised, rows))
    return np.sum(y * rows[0] * x * v[1])

@vector
def asserted(x):
    a = np.ones(3)
    y = a * x
    assert raised(a) > 0
    return np.sum(y * a * x)

@vector
def poked_outside(x):
    a = np.ones(3)
    y = a * x
    k = BOX.poke(a)
    return np.sum(y * a * x * k)

@vector
def reduced(x):
    a = np.ones(3)
    y = a * x
    k = functools.reduce(lambda acc, r: raised(r), [a, a], 0.0)
    return np.sum(y * a * x * k)


@vector
def formatted(x):
    a = np.ones(3)
    y = a * x
    s = f"{raised(a)}"
    return np.sum(y * a * x) * len(s)

@vector
def in_an_arm(x):
    a = np.ones(3)
    y = a * x
    k = raised(a) if x[0] > 0 else 1.0
    return np.sum(y * a * x) * k

@vector
def in_a_lambda(x):
    a = np.ones(3)
    y = a * x
    f = lambda: raised(a)
    k = f()
    return np.sum(y * a * x) * k

@vector
def in_a_partial(x):
    a = np.ones(3)
    y = a * x
    f = functools.partial(raised, a)
    k = f()
    z = y * a
    k = f()
    return np.sum(z * a * x) * k

@vector
def in_a_try(x):
    a = np.ones(3)
    y = a * x
    try:
        set_one(a)
    except ValueError:
        pass
    return np.sum(y * a * x)

@vector
def by_operators(x):
    a = np.ones(3)
    y = a * x
    k = [operator.setitem(a, 0, 5.0), 1.0][1]
    z = y * a
    operator.iadd(a, 3.0)
    return np.sum(z * a * x * k)


@vector
def by_a_loop(x):
    a = np.ones(3)
    y = a * x
    for a[1] in range(3):
        y = y * a
    return np.sum(y * a)

@recorded
def store_of_a_function(x):
    store = []

    def new():
        store.append(np.ones(3))
        return store[-1]

    a = new()
    b = new()
    y = a * x * b
    store[0][1] = 3.0
    for s in store:
        s *= 2.0
    return np.sum(y * a * b)

@program(args=lambda rng: (rng.normal(size=3), 0))
def element_of_a_dict_in_an_arm(x, k):
    b = np.full(3, 0.5)
    parts = {"u": b}
    y = x
    b[1:] = 0.5
    if k == 0:
        parts["u"] += 1
    else:
        y = b
    return np.sum(y + b)

@vector
def names_that_take_turns(x):
    a, b, c = x.copy(), 3, 0.5
    rows = [a]
    for _, a in enumerate([c, a]):
        rows[0][:] = 0.1
        a, b = b, a
        rows = rows
    return np.sum(b) + np.sum(x)

@vector
def target_among_the_elements(x):
    y = x.copy()
    b = np.full(3, 0.5)
    for b in (y, b):
        b.sort()
    return np.sum(b * x)

@vector
def elements_of_a_row_that_the_loop_writes(x):
    y = x.copy()
    s = 0.0
    for v in (y[0], y[1]):
        y[1] = 5.0 * v
        s = s + v * v
    return s + y[1]

@program(args=lambda rng: (rng.normal(size=3), 0), label="rebound")
def view_of_what_an_arm_writes(x, k):
    b = np.full(3, 0.5)
    a = b[::-1]
    if k == 0:
        b = 0.5
    else:
        b[1:] = x[1:]
    return np.sum(a * x) + np.sum(b)

@program(args=(np.array([0.3, 0.7, 1.1]),))
def writes_into_what_a_call_gives(x):
    y = x * 1.0
    total = np.sum(y**2)
    rows = [1, y]
    rows.pop()[0] = 0.4
    held = {"k": y}
    held.pop("k")[1] *= 0.5
    return total * np.sum(y * y)
