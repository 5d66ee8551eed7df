"""Helpers that write into the array that they are given, each in another way, and give a number."""

import copy
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

WRITERS: dict[str, Callable[[Any], Any]] = {}
SHARED = np.ones(3)


def writer(function):
    """Put a helper into the table."""
    WRITERS[function.__name__] = function
    return function


class Box:
    def __init__(self, v):
        self.v = v

    @property
    def bump(self):
        self.v[0] = self.v[0] * 0.5
        return self.v[1]

    def __enter__(self):
        self.v[1] = 0.3
        return self

    def __exit__(self, *a):
        self.v[2] = self.v[2] * 2
        return False

    def __len__(self):
        self.v[0] = 0.1
        return 2

    def __lt__(self, o):
        self.v[1] = self.v[1] * 3
        return True

    def __iadd__(self, o):
        self.v += o
        return self

    def __call__(self, k):
        self.v[0] = k
        return np.sum(self.v)

    def __setitem__(self, k, v):
        self.v[k] = v

    def __str__(self):
        self.v[0] = 7.0
        return "b"

    def __eq__(self, o):
        self.v[2] = 0.0
        return True

    def __hash__(self):
        return 1

    def __contains__(self, o):
        self.v[1] = 0.2
        return True

    def __bool__(self):
        self.v[1] = 0.25
        return True

    def __getattr__(self, n):
        if n == "magic":
            self.v[0] = 0.9
            return 2.0
        raise AttributeError(n)


class Desc:
    def __get__(self, o, t=None):
        o.v[0] = o.v[0] + 1
        return 3.0

    def __set__(self, o, val):
        o.v[1] = val


class WithDesc:
    d = Desc()

    def __init__(self, v):
        self.v = v


@writer
def by_copyto(y):
    np.copyto(y, y * 2)
    return y[0]


@writer
def by_sort(y):
    y[::-1].sort()
    return y[0]


@writer
def by_fill(y):
    y[:1].fill(0.5)
    return y[0]


@writer
def by_at(y):
    np.add.at(y, [0, 0], 0.1)
    return y[0]


@writer
def by_view(y):
    z = y.reshape(3, 1)
    z.T[0, 0] = 0.25
    return y[0]


@writer
def by_setitem(y):
    operator.setitem(y, 0, 0.25)
    return y[1]


@writer
def by_dunder(y):
    y.__setitem__(0, 0.25)
    return y[1]


@writer
def by_put(y):
    np.put(y, [0], [0.2])
    return y[1]


@writer
def by_imul(y):
    y *= 2.0
    return y[1]


@writer
def by_out(y):
    np.multiply(y, 3.0, out=y)
    return y[1]


@writer
def by_outpos(y):
    np.multiply(y, 3.0, y)
    return y[1]


@writer
def by_default(y, h=[]):
    h.append(y)
    h[-1][0] = 0.1
    return y[1]


@writer
def by_gen(y):
    def g():
        for k in range(2):
            y[k] = y[k] * 0.5
            yield y[k]

    return sum(g())


@writer
def by_map(y):
    return sum(map(lambda v: Box(v)(0.2), [y]))


@writer
def by_prop(y):
    return Box(y).bump


@writer
def by_with(y):
    with Box(y):
        pass
    return y[0]


@writer
def by_len(y):
    return len(Box(y)) * y[1]


@writer
def by_lt(y):
    return y[0] if Box(y) < 3 else y[2]


@writer
def by_eq(y):
    return y[0] if Box(y) == 3 else y[2]


@writer
def by_in(y):
    return y[0] if 3 in Box(y) else y[2]


@writer
def by_bool(y):
    return y[0] if Box(y) else y[2]


@writer
def by_iadd(y):
    b = Box(y)
    b += 1.0
    return y[0]


@writer
def by_call(y):
    return Box(y)(0.4)


@writer
def by_boxset(y):
    b = Box(y)
    b[0] = 0.7
    return y[1]


@writer
def by_str(y):
    str(Box(y))
    return y[1]


@writer
def by_fmt(y):
    f"{Box(y)}"
    return y[1]


@writer
def by_magic(y):
    return Box(y).magic * y[1]


@writer
def by_desc(y):
    return WithDesc(y).d * y[1]


@writer
def by_descset(y):
    WithDesc(y).d = 0.6
    return y[0]


@writer
def by_hash(y):
    return len({Box(y): 1}) * y[1]


@writer
def by_inner(y):
    def go():
        y[0] = 0.1

    go()
    return y[1]


@writer
def by_lambda(y):
    (lambda z: z.fill(0.35))(y)
    return y[1]


@writer
def by_partial(y):
    functools.partial(np.copyto, y)(np.zeros(3) + 0.2)
    return y[1]


@writer
def by_reduce(y):
    return functools.reduce(lambda a, v: a + Box(v)(0.3), [y, y], 0.0)


@writer
def by_global(y):
    SHARED[:] = y
    SHARED[0] = 0.5
    return SHARED[0] + y[1]


@writer
def by_tuple(y):
    a, b = (y, 1.0)
    a[0] = b
    return y[1]


@writer
def by_star(y):
    a, *r = [y, y]
    r[0][0] = 0.6
    return y[1]


@writer
def by_zip(y):
    for a, b in zip([y], [0.3]):
        a[0] = b
    return y[1]


@writer
def by_enum(y):
    for i, a in enumerate([y]):
        a[i] = 0.4
    return y[1]


@writer
def by_items(y):
    for k, a in {"q": y}.items():
        a[0] = 0.4
    return y[1]


@writer
def by_walrus(y):
    (z := y)[0] = 0.4
    return y[1]


@writer
def by_cond(y):
    z = y if y[0] > -9 else y * 2
    z[0] = 0.4
    return y[1]


@writer
def by_try(y):
    try:
        y[0] = 0.4
        raise ValueError
    except ValueError:
        y[1] = 0.2
    return y[2]


@writer
def by_deep(y):
    d = {"a": {"b": [y]}}
    d["a"]["b"][0][0] = 0.4
    return y[1]


@writer
def by_pop(y):
    l = [1, y]
    l.pop()[0] = 0.4
    return y[1]


@writer
def by_getattr(y):
    getattr(y, "fill")(0.4)
    return y[1]


@writer
def by_vars(y):
    b = Box(y)
    vars(b)["v"][0] = 0.4
    return y[1]


@writer
def by_chain(y):
    a = b = y
    b[0] = 0.4
    return a[1]


@writer
def by_real(y):
    y.real[0] = 0.4
    return y[1]


@writer
def by_flat(y):
    y.flat[0] = 0.4
    return y[1]


@writer
def by_nd(y):
    for k in np.ndindex(2):
        y[k] = 0.4
    return y[2]


@writer
def by_nditer(y):
    for v in np.nditer(y, op_flags=["readwrite"]):
        v[...] = v * 2
    return y[2]


@writer
def by_shuffle(y):
    np.random.default_rng(0).shuffle(y)
    return y[2]


@writer
def by_swap(y):
    y[0], y[1] = y[1], y[0]
    return y[2]


@writer
def by_deepcopy(y):
    z = copy.copy([y])
    z[0][0] = 0.4
    return y[1]


@writer
def by_dflt(y):
    d = {}
    d.setdefault("k", y)[0] = 0.4
    return y[1]


@writer
def by_rec(y, n=2):
    if n == 0:
        y[0] = 0.4
        return y[1]
    return by_rec(y, n - 1)
