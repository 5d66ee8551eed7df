"""Kinds of state that a program reads, and ways to change it."""

from __future__ import annotations

# a kind of state: what the module says, expressions that read it ({E}: an array, {k}: a number
# that differs), and ways to change it
KINDS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        """\
FACTOR{k} = 1.5
""",
        (
            "FACTOR{k} * {E}",
            "np.sin({E} + FACTOR{k})",
            "({E} if FACTOR{k} > 2 else {E} * {E})",
            "(FACTOR{k} or 0.1) * {E}",
        ),
        (
            "global FACTOR{k}\nFACTOR{k} = 2.5",
            "global FACTOR{k}\nFACTOR{k} = 3",
            "global FACTOR{k}\nFACTOR{k} = np.array(0.7)",
            "global FACTOR{k}\nFACTOR{k} = None",
            "globals()['FACTOR{k}'] = 0.2",
        ),
    ),
    (
        """\
MODE{k} = 'sin'
""",
        (
            "(np.sin({E}) if MODE{k} == 'sin' else {E} * 0.5)",
            "getattr(np, MODE{k})({E})",
            "{{'sin': 1.0, 'cos': 2.0}}[MODE{k}] * {E}",
        ),
        ("global MODE{k}\nMODE{k} = 'cos'",),
    ),
    (
        """\
TABLE{k} = {{'w': 0.5, 'v': np.ones(1), 'on': True}}
""",
        (
            "TABLE{k}['w'] * {E}",
            "TABLE{k}['v'] * {E}",
            "({E} * 2 if TABLE{k}['on'] else {E} ** 2)",
            "sum(np.sum(v) for v in TABLE{k}.values()) * {E}",
            "len(TABLE{k}) * {E}",
            "TABLE{k}.get('more', 0.3) * {E}",
        ),
        (
            "TABLE{k}['w'] = 2.0",
            "TABLE{k}['v'][0] = 3.0",
            "TABLE{k}['on'] = False",
            "TABLE{k}['more'] = 1.1",
            "TABLE{k}['v'] = 0.25",
            "TABLE{k}['w'] = 7",
        ),
    ),
    (
        """\
ROWS{k} = [0.5, 1.5]
""",
        (
            "ROWS{k}[-1] * {E}",
            "sum(ROWS{k}) * {E}",
            "len(ROWS{k}) * {E}",
            "sum([r * {E} for r in ROWS{k}])",
            "np.array(ROWS{k}).sum() * {E}",
        ),
        (
            "ROWS{k}.append(0.7)",
            "ROWS{k}[-1] = 2.0",
            "ROWS{k}.reverse()",
            "ROWS{k}[:] = [3]",
            "global ROWS{k}\nROWS{k} = (0.1, 0.2, 0.3)",
        ),
    ),
    (
        """\
def act{k}(p, scale=0.5, *, shift=0.1):
    return np.tanh(p) * scale + shift
""",
        ("act{k}({E})", "act{k}({E}, shift=0.2)", "act{k}({E}, 0.3)"),
        (
            "act{k}.__defaults__ = (1.5,)",
            "act{k}.__kwdefaults__ = {{'shift': 0.9}}",
            "act{k}.__code__ = (lambda p, scale=0.5, *, shift=0.1: p * p * scale + shift).__code__",
            "global act{k}\nact{k} = lambda p, scale=1.0, shift=0.3: np.sin(p) * scale + shift",
            "global act{k}\nact{k} = functools.partial(act{k}, scale=0.8)",
            "global act{k}\nact{k} = lambda p, *a, **b: p * 0.4",
        ),
    ),
    (
        """\
def lists{k}(p, held=[0.5]):
    return p * held[0] + len(held)
""",
        ("lists{k}({E})",),
        (
            "lists{k}.__defaults__[0][0] = 0.9",
            "lists{k}.__defaults__[0].append(1.0)",
            "lists{k}.__defaults__ = ([2.0],)",
        ),
    ),
    (
        """\
def maker{k}():
    rate, bank = 0.5, [1.0]
    on = True

    def read(p):
        return p * rate + bank[-1] if on else p * p

    def turn(new, switch):
        nonlocal rate, on
        rate, on = new, switch
        bank.append(new)

    return read, turn


read{k}, turn{k} = maker{k}()
""",
        ("read{k}({E})",),
        (
            "turn{k}(0.9, True)",
            "turn{k}(0.5, False)",
            "turn{k}(2, True)",
            "global read{k}\nread{k} = maker{k}()[0]",
            "read{k}.__closure__[1].cell_contents = False",
        ),
    ),
    (
        """\
class Layer{k}:
    on = True
    gain = 0.5
    best = None

    def __init__(self, w):
        self.w = w

    def run(self, p):
        if self.on:
            p = self.act(p) * self.w
        if self.best is not None:
            p = p + self.best
        return p * self.gain

    def act(self, p):
        return np.tanh(p)

    @property
    def half(self):
        return self.w * 0.5

    @staticmethod
    def still(p):
        return p * 0.7

    @classmethod
    def common(cls, p):
        return p * cls.gain

    def __call__(self, p):
        return self.run(p) + self.half

    def __mul__(self, p):
        return self.w * p


class Other{k}(Layer{k}):
    def act(self, p):
        return np.sin(p) * 1.3


layer{k} = Layer{k}(0.8)
""",
        (
            "layer{k}.run({E})",
            "layer{k}({E})",
            "layer{k}.half * {E}",
            "layer{k}.still({E})",
            "layer{k} * {E}",
            "layer{k}.common({E})",
            "Layer{k}.still({E})",
            "layer{k}.w * {E}",
            "Layer{k}(0.3).run({E})",
            "Other{k}(0.3).run({E})",
            "Layer{k}.gain * {E}",
            "({E} * 2 if isinstance(layer{k}, Other{k}) else {E})",
            "getattr(layer{k}, 'extra', 0.2) * {E}",
            "({E} if hasattr(layer{k}, 'extra') else {E} ** 2)",
        ),
        (
            "layer{k}.on = False",
            "Layer{k}.on = False",
            "Layer{k}.gain = 2.0",
            "layer{k}.gain = 0.1",
            "layer{k}.best = 0.4",
            "Layer{k}.best = 0.6",
            "layer{k}.w = np.array([0.4])",
            "layer{k}.w = 2",
            "Layer{k}.act = lambda self, p: p * p",
            "layer{k}.act = lambda p: p * 0.3",
            "layer{k}.__class__ = Other{k}",
            "layer{k}.run = lambda p: np.cos(p)",
            "Layer{k}.half = property(lambda self: self.w * 3.0)",
            "Layer{k}.still = staticmethod(lambda p: p * p)",
            "Layer{k}.__call__ = lambda self, p: p * 1.7",
            "Layer{k}.__mul__ = lambda self, p: p - 1",
            "Other{k}.run = lambda self, p: p * 0.6",
            "layer{k}.extra = 1.2",
            "Layer{k}.extra = 0.9",
            "global layer{k}\nlayer{k} = Other{k}(1.1)",
            "del Other{k}.act",
            "Layer{k}.common = classmethod(lambda cls, p: p + cls.gain)",
            "Layer{k}.__getattr__ = lambda self, name: 0.35",
            "Layer{k}.run.__defaults__ = None\nlayer{k}.__dict__['gain'] = 0.15",
        ),
    ),
    (
        """\
@dataclass
class Config{k}:
    steps: int = 2
    rate: float = 0.1
    kind: str = 'a'
    sizes: tuple = (1, 2)


config{k} = Config{k}()
""",
        (
            "advance(config{k}, {E})",
            "config{k}.rate * {E}",
            "({E} if config{k}.kind == 'a' else np.sin({E}))",
            "sum(config{k}.sizes) * {E}",
            "Config{k}().rate * {E}",
        ),
        (
            "config{k}.steps = 3",
            "config{k}.rate = 1.4",
            "config{k}.kind = 'b'",
            "config{k}.sizes = (3,)",
            "Config{k}.rate = 0.9",
            "global config{k}\nconfig{k} = Config{k}(1, 2.0)",
            "config{k}.rate = np.float32(0.5)",
            "Config{k}.__init__.__defaults__ = (1, 0.7, 'b', (2,))",
        ),
    ),
    (
        """\
class Way{k}(enum.Enum):
    UP = 1
    DOWN = 2

    def of(self, p):
        return p * 2 if self is Way{k}.UP else p * 3


way{k} = Way{k}.UP
""",
        (
            "way{k}.of({E})",
            "({E} if way{k} is Way{k}.UP else np.sin({E}))",
            "way{k}.value * {E}",
            "{{Way{k}.UP: 1.0, Way{k}.DOWN: 0.4}}[way{k}] * {E}",
        ),
        ("global way{k}\nway{k} = Way{k}.DOWN",),
    ),
    (
        """\
space{k} = types.SimpleNamespace(act=np.sin, w=0.5, inner=types.SimpleNamespace(n=2))
""",
        ("space{k}.act({E})", "space{k}.w * {E}", "space{k}.inner.n * {E}"),
        (
            "space{k}.act = np.cos",
            "space{k}.w = 2.0",
            "space{k}.inner.n = 3",
            "space{k}.inner = types.SimpleNamespace(n=0.5)",
            "space{k}.act = lambda p: p * 0.5",
        ),
    ),
    (
        """\
module{k} = types.ModuleType('module{k}')
module{k}.act = np.sin
module{k}.rate = 0.5
""",
        ("module{k}.act({E})", "module{k}.rate * {E}"),
        ("module{k}.act = np.cos", "module{k}.rate = 1.5", "module{k}.act = lambda p: p * 0.3"),
    ),
    (
        """\
HOOKS{k} = [np.sin, lambda p: p * 0.5]
""",
        ("HOOKS{k}[0]({E})", "sum([h({E}) for h in HOOKS{k}])", "through(HOOKS{k}, {E})"),
        (
            "HOOKS{k}[0] = np.cos",
            "HOOKS{k}.append(lambda p: p * p)",
            "HOOKS{k}.pop()",
            "HOOKS{k}[1] = lambda p: p * 0.9",
        ),
    ),
    (
        """\
ARRAY{k} = np.array([0.5, 0.7])
""",
        (
            "ARRAY{k}[0] * {E}",
            "ARRAY{k}.sum() * {E}",
            "ARRAY{k}.size * {E}",
            "({E} if ARRAY{k}[0] > 0.6 else {E} ** 2)",
            "ARRAY{k}.shape[0] * {E}",
            "(ARRAY{k} @ ARRAY{k}) * {E}",
        ),
        (
            "ARRAY{k}[0] = 0.9",
            "ARRAY{k}[:] *= 2",
            "global ARRAY{k}\nARRAY{k} = np.ones(3)",
            "global ARRAY{k}\nARRAY{k} = np.array([1, 2])",
            "global ARRAY{k}\nARRAY{k} = np.ones((2, 2)) * 0.3",
            "ARRAY{k}.shape = (1, 2)\nARRAY{k}.shape = (2,)",
        ),
    ),
    (
        """\
COUNT{k} = 0


def count{k}(p):
    global COUNT{k}
    COUNT{k} += 1
    return p * COUNT{k}
""",
        ("count{k}({E})",),
        ("global COUNT{k}\nCOUNT{k} = 5",),
    ),
    (
        """\
def cached{k}(p, n, kept={{}}):
    if n not in kept:
        kept[n] = n * 0.5
    return p * kept[n]
""",
        ("cached{k}({E}, 2)", "cached{k}({E}, 3)"),
        ("cached{k}.__defaults__[0][2] = 0.9",),
    ),
    (
        """\
@functools.lru_cache
def weight{k}(n):
    return n * 0.5 * SCALE{k}[0]


SCALE{k} = [1.0]
""",
        ("weight{k}(2) * {E}",),
        ("weight{k}.cache_clear()",),
    ),
    (
        """\
class Item{k}:
    limit = property(lambda self: 0.5)

    def __len__(self):
        return 2

    def __bool__(self):
        return True

    def __getitem__(self, k):
        return 0.5 + k

    def __eq__(self, other):
        return True


item{k} = Item{k}()
""",
        (
            "len(item{k}) * {E}",
            "({E} if item{k} else {E} * 2)",
            "item{k}[1] * {E}",
            "item{k}.limit * {E}",
            "({E} if item{k} == 1 else {E} * 3)",
        ),
        (
            "Item{k}.__len__ = lambda self: 3",
            "Item{k}.__bool__ = lambda self: False",
            "Item{k}.__getitem__ = lambda self, k: 0.1",
            "Item{k}.limit = 0.8",
            "Item{k}.__eq__ = lambda self, other: False",
        ),
    ),
)
COMMON = """import enum
import functools
import types
from dataclasses import dataclass

import numpy as np


def advance(config, p):
    for _ in range(config.steps):
        p = p + config.rate * np.sin(p)
    return p


def through(hooks, p):
    for hook in hooks:
        p = hook(p)
    return p


"""
