"""Functions and classes with effects, and the expressions that use them."""

from __future__ import annotations

IMPORTS = """import functools
from collections import deque
from dataclasses import dataclass, field

import numpy as np

"""
# what programs call: a name, its text, and the expressions that use it; {A} is an array that may
# be written to, {E} any array, {S} any number, {K} a whole number, {R} a list of two arrays
PARTS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        """\
def bump(p):
    p += 0.3
    return p
""",
        ("bump({A})", "bump({A}) * {E}", "bump(np.array({E}))"),
        ("np.sum(bump({A}))",),
    ),
    (
        """\
def damp(p, q):
    p *= 0.8
    return p.sum() + q
""",
        (),
        ("damp({A}, {S})", "damp(q={S}, p={A})"),
    ),
    (
        """\
LOG = []


def keep(v):
    LOG.append(v)
    return v
""",
        ("keep({E})", "LOG[-1] if LOG else {E}"),
        ("len(LOG) * {S}", "keep({S})"),
    ),
    (
        """\
TOTAL = 0.0


def add(v):
    global TOTAL
    TOTAL = TOTAL + v
    return TOTAL
""",
        (),
        ("add({S})", "add({S}) * TOTAL"),
    ),
    (
        """\
OUTER = np.ones(3)


def drift(v):
    OUTER[:] = 0.5 * OUTER + v
    return OUTER
""",
        ("drift({E})", "drift({E}) + OUTER"),
        (),
    ),
    (
        """\
def swap(items, v):
    items.append(v)
    return items.pop(0)
""",
        ("swap({R}, {E})", "swap({R}, {E}) + {R}[0]"),
        (),
    ),
    (
        """\
def memo(k, v, kept={}):
    if k not in kept:
        kept[k] = v
    return kept[k]
""",
        ("memo({K}, {E})",),
        ("np.sum(memo({K}, {E}))",),
    ),
    (
        """\
def grow(v, seen=[]):
    seen.append(v)
    return len(seen) * v
""",
        ("grow({E})",),
        ("grow({S})",),
    ),
    (
        """\
def down(k, p):
    if k <= 0:
        return p
    p *= 0.9
    return np.sin(p) + down(k - 1, p)
""",
        ("down({K}, {A})",),
        (),
    ),
    (
        """\
def blend(*args, w=0.5, **rest):
    t = sum(args) * w
    for v in rest.values():
        t = t + v
    return t
""",
        ("blend({E}, {E}, w={S})", "blend(*[{E}, {A}], v={E})", "blend({E}, **{{'u': {E}}})"),
        (),
    ),
    (
        """\
class Body:
    made = 0

    def __init__(self, v):
        self.v = v
        self.n = 0
        Body.made += 1

    def step(self, e):
        self.v = 0.5 * self.v + e
        self.n += 1
        return self.v

    def push(self, e):
        self.v *= 0.7
        self.v += e
        return self.v

    @property
    def seen(self):
        self.n += 1
        return self.v * self.n

    def __add__(self, e):
        self.n += 1
        return self.v + self.n * e

    def __call__(self, e):
        self.v = np.tanh(self.v) + e
        return self

    def __getitem__(self, k):
        self.n += k
        return self.v[k]

    def __iter__(self):
        for e in self.v:
            self.n += 1
            yield e

    def __enter__(self):
        self.v = self.v * 0.5
        return self

    def __exit__(self, *args):
        self.v = self.v * 2.0
""",
        (
            "{O}.step({E})",
            "{O}.push({E})",
            "{O}.seen",
            "({O} + {E})",
            "{O}({E}).v",
            "{O}.v",
            "Body({E}).step({E})",
            "setattr({O}, 'v', {E}) or {O}.v",
        ),
        ("{O}[{K}]", "{O}.n * {S}", "sum({O})", "Body.made * {S}", "{O}.n"),
    ),
    (
        """\
@dataclass
class Pair:
    u: object
    w: float = 0.5
    log: list = field(default_factory=list)

    def mixed(self, e):
        self.w = self.w * 0.5 + 0.1
        self.log.append(e)
        return self.u * self.w + e
""",
        ("pair.mixed({E})", "pair.u", "Pair({E}).mixed({E})", "pair.mixed({E}) * len(pair.log)"),
        ("pair.w * {S}", "len(pair.log) * {S}"),
    ),
    (
        """\
def stream(p):
    while True:
        p += 0.1
        yield p * 2.0
""",
        ("next(it)", "next(it) * {E}"),
        ("np.sum(next(it))",),
    ),
    (
        """\
def checked(v):
    if np.sum(v) > 0.4:
        raise ValueError(v)
    return v * 0.5
""",
        (),
        (),
    ),
)
COMMON = """def first(p):
    return p[0]


def bump_(p):
    p += 0.2
    return p


def scale(p):
    return 0.5 * p


def mix(p, q):
    p *= 0.5
    return p + np.sin(q)

"""
