"""Random sequences of calls, with changes of what the program reads between them.

The same derivative is called again after attributes, methods, defaults, classes, globals,
cells, modules, shapes, dtypes or lengths have changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.effects import indented
from tests.fuzz.expressions import Expressions
from tests.fuzz.isolated import Isolated

# a kind of state: what the module says, expressions that read it ({E}: an array, {k}: a number
# that differs), and ways to change it
KINDS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("FACTOR{k} = 1.5\n",
     ("FACTOR{k} * {E}", "np.sin({E} + FACTOR{k})", "({E} if FACTOR{k} > 2 else {E} * {E})",
      "(FACTOR{k} or 0.1) * {E}"),
     ("global FACTOR{k}\nFACTOR{k} = 2.5", "global FACTOR{k}\nFACTOR{k} = 3",
      "global FACTOR{k}\nFACTOR{k} = np.array(0.7)", "global FACTOR{k}\nFACTOR{k} = None",
      "globals()['FACTOR{k}'] = 0.2")),
    ("MODE{k} = 'sin'\n",
     ("(np.sin({E}) if MODE{k} == 'sin' else {E} * 0.5)", "getattr(np, MODE{k})({E})",
      "{{'sin': 1.0, 'cos': 2.0}}[MODE{k}] * {E}"),
     ("global MODE{k}\nMODE{k} = 'cos'",)),
    ("TABLE{k} = {{'w': 0.5, 'v': np.ones(1), 'on': True}}\n",
     ("TABLE{k}['w'] * {E}", "TABLE{k}['v'] * {E}", "({E} * 2 if TABLE{k}['on'] else {E} ** 2)",
      "sum(np.sum(v) for v in TABLE{k}.values()) * {E}", "len(TABLE{k}) * {E}",
      "TABLE{k}.get('more', 0.3) * {E}"),
     ("TABLE{k}['w'] = 2.0", "TABLE{k}['v'][0] = 3.0", "TABLE{k}['on'] = False",
      "TABLE{k}['more'] = 1.1", "TABLE{k}['v'] = 0.25", "TABLE{k}['w'] = 7")),
    ("ROWS{k} = [0.5, 1.5]\n",
     ("ROWS{k}[-1] * {E}", "sum(ROWS{k}) * {E}", "len(ROWS{k}) * {E}",
      "sum([r * {E} for r in ROWS{k}])", "np.array(ROWS{k}).sum() * {E}"),
     ("ROWS{k}.append(0.7)", "ROWS{k}[-1] = 2.0", "ROWS{k}.reverse()", "ROWS{k}[:] = [3]",
      "global ROWS{k}\nROWS{k} = (0.1, 0.2, 0.3)")),
    ("def act{k}(p, scale=0.5, *, shift=0.1):\n    return np.tanh(p) * scale + shift\n",
     ("act{k}({E})", "act{k}({E}, shift=0.2)", "act{k}({E}, 0.3)"),
     ("act{k}.__defaults__ = (1.5,)", "act{k}.__kwdefaults__ = {{'shift': 0.9}}",
      "act{k}.__code__ = (lambda p, scale=0.5, *, shift=0.1: p * p * scale + shift).__code__",
      "global act{k}\nact{k} = lambda p, scale=1.0, shift=0.3: np.sin(p) * scale + shift",
      "global act{k}\nact{k} = functools.partial(act{k}, scale=0.8)",
      "global act{k}\nact{k} = lambda p, *a, **b: p * 0.4")),
    ("def lists{k}(p, held=[0.5]):\n    return p * held[0] + len(held)\n",
     ("lists{k}({E})",),
     ("lists{k}.__defaults__[0][0] = 0.9", "lists{k}.__defaults__[0].append(1.0)",
      "lists{k}.__defaults__ = ([2.0],)")),
    ("def maker{k}():\n    rate, bank = 0.5, [1.0]\n    on = True\n\n    def read(p):\n"
     "        return p * rate + bank[-1] if on else p * p\n\n"
     "    def turn(new, switch):\n        nonlocal rate, on\n        rate, on = new, switch\n"
     "        bank.append(new)\n\n    return read, turn\n\n\nread{k}, turn{k} = maker{k}()\n",
     ("read{k}({E})",),
     ("turn{k}(0.9, True)", "turn{k}(0.5, False)", "turn{k}(2, True)",
      "global read{k}\nread{k} = maker{k}()[0]",
      "read{k}.__closure__[1].cell_contents = False")),
    ("class Layer{k}:\n    on = True\n    gain = 0.5\n    best = None\n\n"
     "    def __init__(self, w):\n        self.w = w\n\n"
     "    def run(self, p):\n        if self.on:\n            p = self.act(p) * self.w\n"
     "        if self.best is not None:\n            p = p + self.best\n"
     "        return p * self.gain\n\n"
     "    def act(self, p):\n        return np.tanh(p)\n\n"
     "    @property\n    def half(self):\n        return self.w * 0.5\n\n"
     "    @staticmethod\n    def still(p):\n        return p * 0.7\n\n"
     "    @classmethod\n    def common(cls, p):\n        return p * cls.gain\n\n"
     "    def __call__(self, p):\n        return self.run(p) + self.half\n\n"
     "    def __mul__(self, p):\n        return self.w * p\n\n\n"
     "class Other{k}(Layer{k}):\n    def act(self, p):\n        return np.sin(p) * 1.3\n\n\n"
     "layer{k} = Layer{k}(0.8)\n",
     ("layer{k}.run({E})", "layer{k}({E})", "layer{k}.half * {E}", "layer{k}.still({E})",
      "layer{k} * {E}", "layer{k}.common({E})", "Layer{k}.still({E})", "layer{k}.w * {E}",
      "Layer{k}(0.3).run({E})", "Other{k}(0.3).run({E})", "Layer{k}.gain * {E}",
      "({E} * 2 if isinstance(layer{k}, Other{k}) else {E})",
      "getattr(layer{k}, 'extra', 0.2) * {E}", "({E} if hasattr(layer{k}, 'extra') else {E} ** 2)"),
     ("layer{k}.on = False", "Layer{k}.on = False", "Layer{k}.gain = 2.0", "layer{k}.gain = 0.1",
      "layer{k}.best = 0.4", "Layer{k}.best = 0.6", "layer{k}.w = np.array([0.4])",
      "layer{k}.w = 2", "Layer{k}.act = lambda self, p: p * p", "layer{k}.act = lambda p: p * 0.3",
      "layer{k}.__class__ = Other{k}", "layer{k}.run = lambda p: np.cos(p)",
      "Layer{k}.half = property(lambda self: self.w * 3.0)",
      "Layer{k}.still = staticmethod(lambda p: p * p)",
      "Layer{k}.__call__ = lambda self, p: p * 1.7", "Layer{k}.__mul__ = lambda self, p: p - 1",
      "Other{k}.run = lambda self, p: p * 0.6", "layer{k}.extra = 1.2", "Layer{k}.extra = 0.9",
      "global layer{k}\nlayer{k} = Other{k}(1.1)", "del Other{k}.act",
      "Layer{k}.common = classmethod(lambda cls, p: p + cls.gain)",
      "Layer{k}.__getattr__ = lambda self, name: 0.35",
      "Layer{k}.run.__defaults__ = None\nlayer{k}.__dict__['gain'] = 0.15")),
    ("@dataclass\nclass Config{k}:\n    steps: int = 2\n    rate: float = 0.1\n"
     "    kind: str = 'a'\n    sizes: tuple = (1, 2)\n\n\nconfig{k} = Config{k}()\n",
     ("advance(config{k}, {E})", "config{k}.rate * {E}",
      "({E} if config{k}.kind == 'a' else np.sin({E}))", "sum(config{k}.sizes) * {E}",
      "Config{k}().rate * {E}"),
     ("config{k}.steps = 3", "config{k}.rate = 1.4", "config{k}.kind = 'b'",
      "config{k}.sizes = (3,)", "Config{k}.rate = 0.9",
      "global config{k}\nconfig{k} = Config{k}(1, 2.0)", "config{k}.rate = np.float32(0.5)",
      "Config{k}.__init__.__defaults__ = (1, 0.7, 'b', (2,))")),
    ("class Way{k}(enum.Enum):\n    UP = 1\n    DOWN = 2\n\n    def of(self, p):\n"
     "        return p * 2 if self is Way{k}.UP else p * 3\n\n\nway{k} = Way{k}.UP\n",
     ("way{k}.of({E})", "({E} if way{k} is Way{k}.UP else np.sin({E}))", "way{k}.value * {E}",
      "{{Way{k}.UP: 1.0, Way{k}.DOWN: 0.4}}[way{k}] * {E}"),
     ("global way{k}\nway{k} = Way{k}.DOWN",)),
    ("space{k} = types.SimpleNamespace(act=np.sin, w=0.5, inner=types.SimpleNamespace(n=2))\n",
     ("space{k}.act({E})", "space{k}.w * {E}", "space{k}.inner.n * {E}"),
     ("space{k}.act = np.cos", "space{k}.w = 2.0", "space{k}.inner.n = 3",
      "space{k}.inner = types.SimpleNamespace(n=0.5)", "space{k}.act = lambda p: p * 0.5")),
    ("module{k} = types.ModuleType('module{k}')\nmodule{k}.act = np.sin\nmodule{k}.rate = 0.5\n",
     ("module{k}.act({E})", "module{k}.rate * {E}"),
     ("module{k}.act = np.cos", "module{k}.rate = 1.5", "module{k}.act = lambda p: p * 0.3")),
    ("HOOKS{k} = [np.sin, lambda p: p * 0.5]\n",
     ("HOOKS{k}[0]({E})", "sum([h({E}) for h in HOOKS{k}])", "through(HOOKS{k}, {E})"),
     ("HOOKS{k}[0] = np.cos", "HOOKS{k}.append(lambda p: p * p)", "HOOKS{k}.pop()",
      "HOOKS{k}[1] = lambda p: p * 0.9")),
    ("ARRAY{k} = np.array([0.5, 0.7])\n",
     ("ARRAY{k}[0] * {E}", "ARRAY{k}.sum() * {E}", "ARRAY{k}.size * {E}",
      "({E} if ARRAY{k}[0] > 0.6 else {E} ** 2)", "ARRAY{k}.shape[0] * {E}",
      "(ARRAY{k} @ ARRAY{k}) * {E}"),
     ("ARRAY{k}[0] = 0.9", "ARRAY{k}[:] *= 2", "global ARRAY{k}\nARRAY{k} = np.ones(3)",
      "global ARRAY{k}\nARRAY{k} = np.array([1, 2])", "global ARRAY{k}\nARRAY{k} = np.ones((2, 2)) * 0.3",
      "ARRAY{k}.shape = (1, 2)\nARRAY{k}.shape = (2,)")),
    ("COUNT{k} = 0\n\n\ndef count{k}(p):\n    global COUNT{k}\n    COUNT{k} += 1\n"
     "    return p * COUNT{k}\n",
     ("count{k}({E})",), ("global COUNT{k}\nCOUNT{k} = 5",)),
    ("def cached{k}(p, n, kept={{}}):\n    if n not in kept:\n        kept[n] = n * 0.5\n"
     "    return p * kept[n]\n",
     ("cached{k}({E}, 2)", "cached{k}({E}, 3)"), ("cached{k}.__defaults__[0][2] = 0.9",)),
    ("@functools.lru_cache\ndef weight{k}(n):\n    return n * 0.5 * SCALE{k}[0]\n\n\n"
     "SCALE{k} = [1.0]\n",
     ("weight{k}(2) * {E}",), ("weight{k}.cache_clear()",)),
    ("class Item{k}:\n    limit = property(lambda self: 0.5)\n\n    def __len__(self):\n"
     "        return 2\n\n    def __bool__(self):\n        return True\n\n"
     "    def __getitem__(self, k):\n        return 0.5 + k\n\n    def __eq__(self, other):\n"
     "        return True\n\n\nitem{k} = Item{k}()\n",
     ("len(item{k}) * {E}", "({E} if item{k} else {E} * 2)", "item{k}[1] * {E}",
      "item{k}.limit * {E}", "({E} if item{k} == 1 else {E} * 3)"),
     ("Item{k}.__len__ = lambda self: 3", "Item{k}.__bool__ = lambda self: False",
      "Item{k}.__getitem__ = lambda self, k: 0.1", "Item{k}.limit = 0.8",
      "Item{k}.__eq__ = lambda self, other: False")),
)  # fmt: skip
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
PLAIN = ("{E} + {E}", "{E} * {E}", "np.sin({E})", "({E})", "x")


class State(Expressions):
    """Writes a function that reads state of several kinds."""

    def __init__(self, draw: Any) -> None:
        super().__init__(draw)
        self.fuel = 12
        self.chosen = [self.pick(KINDS) for _ in range(1 + self.number(3))]

    def filled(self, template: str, number: int) -> str:
        """Return a template with expressions, each drawn anew, and a number."""
        text = template.replace("{k}", str(number))
        while "{E}" in text:
            text = text.replace("{E}", self.array(), 1)
        return text.replace("{{", "{").replace("}}", "}")

    def array(self) -> str:
        """Return an expression for an array of any shape."""
        self.fuel -= 1
        if self.fuel <= 0:
            return self.pick(("x", "a", "b"))
        if self.chance(2):
            return self.pick(("x", "a", "b"))
        if self.chance(3):
            return "(" + self.filled(self.pick(PLAIN), 0) + ")"
        number = self.number(len(self.chosen))
        return "(" + self.filled(self.pick(self.chosen[number][1]), number) + ")"

    def read(self, number: int) -> list[str]:
        """Return the lines of a statement that reads state."""
        self.fuel = max(self.fuel, 3)
        name = self.pick("ab")
        text = f"{name} = {self.filled(self.pick(self.chosen[number][1]), number)}"
        form = self.number(6)
        if form == 4:
            return [f"for i in range({1 + self.number(3)}):", *indented([text])]
        if form == 5:
            return [f"if np.sum({self.array()}) > 0.3:", *indented([text])]
        return [text]

    def changes(self, count: int) -> list[str]:
        """Return the functions that are called between calls."""
        lines = []
        for call in range(1, count):
            body = []
            for _ in range(1 + self.chance(3)):
                number = self.number(len(self.chosen))
                text = self.filled(self.pick(self.chosen[number][2]), number)
                body += text.split("\n")
            body = ["pass"] if self.chance(8) else body
            heads = [line for line in dict.fromkeys(body) if line.startswith("global ")]
            body = [line for line in body if not line.startswith("global ")]
            lines += [f"def change{call}():", *indented([*heads, *body]), "", ""]
        return lines


@st.composite
def state(draw: Any) -> Isolated:
    """A strategy for sequences of calls."""
    writer = State(draw)
    heads = [text.replace("{k}", str(k)) for k, (text, _, _) in enumerate(writer.chosen)]
    heads = [text.replace("{{", "{").replace("}}", "}") for text in heads]
    body = ["a = x * 0.5", "b = x"]
    for k in range(len(writer.chosen)):
        body += writer.read(k)
    body += writer.read(writer.number(len(writer.chosen)))
    body += [f"return np.sum(a * b) + np.sum({writer.array()})"]
    count = 3 + writer.number(3)
    changes = writer.changes(count)
    text = COMMON + "\n\n".join(heads) + "\n\ndef f(x):\n" + "\n".join(indented(body)) + "\n\n\n"
    rng = np.random.default_rng(writer.number(50))
    shapes: list[Any] = [(3,)] * count
    if writer.chance(3):
        shapes = [writer.pick(((3,), (2,), (2, 3), ())) for _ in range(count)]
    calls = [np.round(rng.uniform(-0.9, 0.9, shape), 3) for shape in shapes]
    calls = [call if np.ndim(call) else float(call) for call in calls]
    if writer.chance(6):
        calls[1] = np.float32(calls[1]) if np.ndim(calls[1]) == 0 else calls[1].astype(np.float32)
    others = tuple((call,) for call in calls[1:])
    return Isolated(text + "\n".join(changes) + "\n", (calls[0],), (0,), ((),), others)
