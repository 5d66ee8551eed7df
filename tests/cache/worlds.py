"""Programs of a user, each as it is in one process and changed in the next.

A second process is played by loading the text of a program anew, under the same name and from
the same file: all of its functions, classes and tables are other objects then.
"""

from __future__ import annotations

import linecache
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

NAME, PARTS = "program_in_the_cache", "parts_of_the_program_in_the_cache"

TEXTS = {
    PARTS: """
import numpy as np

SCALE = 2.0
SHIFT = np.array([0.5, -0.25, 1.0])
MODE = "wide"
FLAG = True
LABELS = ("a", "b")
TABLE = {"a": np.sin, "b": np.cos}
NUMBERS = {"g": 9.81, "h": 0.5}
ROWS = [1.0, 2.0]
OTHERS = ROWS


def double(x):
    return 2.0 * x


def triple(x):
    return 3.0 * x


step = double


def helper(x, power=2, *, offset=0.5):
    # what it adds
    return np.tanh(x) ** power * SCALE + offset


class Base:
    rate = 0.25

    def slope(self, x):
        return x * self.rate

    @staticmethod
    def bend(x):
        return np.sin(x)


class Model(Base):
    width = 3.0

    def __init__(self, k):
        self.k = k

    def value(self, x):
        return self.k * self.slope(x) + self.width * Model.bend(x)


def outer(a):
    def inner(x):
        return a * np.sin(x) + double(x)
    return inner


closed = outer(0.75)
""",
    NAME: """
import math
from operator import mul

import numpy as np
import parts_of_the_program_in_the_cache as parts
from parts_of_the_program_in_the_cache import (
    FLAG,
    LABELS,
    MODE,
    NUMBERS,
    OTHERS,
    ROWS,
    SCALE,
    SHIFT,
    TABLE,
    Base,
    Model,
    closed,
    double,
    helper,
    outer,
    step,
    triple,
)


def plain(x, w):
    return np.sum(w * helper(x) + SHIFT * x)


def branches(x, w):
    y = np.exp(-x) if MODE == "wide" else np.exp(x)
    if FLAG:
        y = y * w
    return np.sum(step(y))


def tables(x, w):
    total = 0.0
    for name in LABELS:
        total = total + np.sum(TABLE[name](x) * w)
    return total * NUMBERS["g"] + ROWS[0] * np.sum(x) + OTHERS[1] * np.sum(w)


def classes(x, w):
    m = Model(1.25)
    return np.sum(m.value(x) * w) + Base.rate * np.sum(x)


def local(x, w):
    def f(y):
        return 1.5 * np.sin(y) + double(y)

    return np.sum(f(x) * mul(w, w)) + math.pi * np.sum(x)


def loops(x, w, steps=3):
    y = x
    for k in range(steps):
        y = y - 0.1 * triple(y) * w
    return np.sum(y ** 2)


def through_closure(x, w):
    return np.sum(closed(x) * w)


def maker(a):
    def made(x, w):
        return np.sum(a * double(x) * w)

    return made


closure = maker(0.75)


def by_module(x, w):
    return np.sum(parts.helper(x) * w * parts.SCALE) + np.sum(parts.step(x))
""",
}

FUNCTIONS = (
    "plain", "branches", "tables", "classes", "local", "loops", "through_closure", "by_module",
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """What is another thing in the second process.

    Attributes:
        name: what it is.
        old: the text that is replaced; nothing where none is.
        new: what stands in its place.
        act: what is done to the module after it was loaded.
    """

    name: str
    old: str = ""
    new: str = ""
    act: Callable[[Any], Any] | None = None


def _texts() -> Iterator[tuple[str, str]]:
    yield "SCALE = 2.0", "SCALE = 3.0"
    yield "SCALE = 2.0", "SCALE = np.array([1.0, 2.0, 3.0])"
    yield "SCALE = 2.0", "SCALE = np.array([2.0])"
    yield "SCALE = 2.0", "SCALE = np.float32(2.0)"
    yield "SCALE = 2.0", "SCALE = 2"
    yield "SHIFT = np.array([0.5, -0.25, 1.0])", "SHIFT = 0.5"
    yield "SHIFT = np.array([0.5, -0.25, 1.0])", "SHIFT = np.array([[0.5, -0.25, 1.0]] * 2)"
    yield "SHIFT = np.array([0.5, -0.25, 1.0])", "SHIFT = np.array([0.5])"
    yield 'MODE = "wide"', 'MODE = "thin"'
    yield "FLAG = True", "FLAG = False"
    yield "FLAG = True", "FLAG = 0"
    yield 'LABELS = ("a", "b")', 'LABELS = ("b", "b")'
    yield 'LABELS = ("a", "b")', 'LABELS = ["a", "b", "a"]'
    yield 'np.sin, "b": np.cos', 'np.cos, "b": np.cos'
    yield '"a": np.sin', '"a": np.cosh'
    yield '"g": 9.81', '"g": 1.5'
    yield '"g": 9.81', '"g": np.ones(3)'
    yield "ROWS = [1.0, 2.0]", "ROWS = [3.0, 4.0, 5.0]"
    yield "OTHERS = ROWS", "OTHERS = [7.0, 8.0]"
    yield "return 2.0 * x", "return 2.5 * x"
    yield "return 3.0 * x", "return 3.5 * x * x"
    yield "step = double", "step = triple"
    yield "step = double", "step = np.square"
    yield "power=2, *", "power=3, *"
    yield "offset=0.5", "offset=np.ones(3)"
    yield "# what it adds", "# what it adds, and more"
    yield "np.tanh(x) **", "np.arctan(x) **"
    yield "    rate = 0.25", "    rate = 0.75"
    yield "    rate = 0.25", "    rate = np.array([1.0, 2.0, 3.0])"
    yield "return x * self.rate", "return x * x * self.rate"
    yield "        return np.sin(x)\n\n\nclass", "        return np.cos(x)\n\n\nclass"
    yield "    width = 3.0", "    width = 3.0\n    rate = 2.0"
    yield "class Model(Base)", "class Model(Base, dict)"
    yield "self.k * self.slope(x) +", "2 * self.slope(x) +"
    yield "self.k = k\n", "self.k = 2 * k\n"
    yield "self.k = k\n", "self.k = np.ones(3) * k\n"
    yield "a * np.sin(x)", "a * np.cos(x)"
    yield "1.5 * np.sin(y)", "1.5 * np.cos(y)"
    yield "outer(0.75)", "outer(np.array([1.0, 2.0, 3.0]))"
    yield "outer(0.75)", "outer(0.125)"
    yield "steps=3", "steps=4"
    yield "from operator import mul", "from operator import add as mul"
    yield "maker(0.75)", "maker(1)"
    yield "maker(0.75)", "maker(np.array([1.0, 2.0, 3.0]))"
    yield "import numpy as np\n", "import numpy as np\n\n\n"


def _acts() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    def put(place: Callable[[Any], Any], name: str, value: Callable[[Any], Any]) -> Any:
        return lambda m: setattr(place(m), name, value(m))

    here: Callable[[Any], Any] = lambda m: m  # noqa: E731
    yield "another callee", put(here, "double", lambda m: m.triple)
    yield "a callee of NumPy's", put(here, "helper", lambda m: np.arctan)
    yield "code of a callee", put(lambda m: m.double, "__code__", lambda m: m.triple.__code__)
    yield "default of a callee", put(lambda m: m.helper, "__defaults__", lambda m: (4,))
    kept = {"offset": 2.5}
    yield "keyword default", put(lambda m: m.helper, "__kwdefaults__", lambda m: kept)
    yield "own default", put(lambda m: m.triple, "__defaults__", lambda m: (5,))
    yield "a method", put(lambda m: m.Base, "slope", lambda m: lambda self, x: x * x)
    yield "a method below", put(lambda m: m.Model, "slope", lambda m: lambda self, x: x**3)
    yield "a property", put(lambda m: m.Base, "rate", lambda m: property(lambda self: 4.0))
    yield "a static method", put(lambda m: m.Base, "bend", lambda m: staticmethod(np.cos))
    yield "an entry", lambda m: m.TABLE.update(a=np.exp)
    yield "an entry more", lambda m: m.TABLE.update(c=np.exp)
    yield "another order", lambda m: m.ROWS.reverse()
    yield "a list less", lambda m: m.ROWS.pop(0) or m.ROWS.append(3.0)
    yield (
        "the class",
        put(here, "Model", lambda m: type("Model", (m.Base,), {"value": m.Base.slope})),
    )
    yield "the bases", put(lambda m: m.Model, "__bases__", lambda m: (type("B", (m.Base,), {}),))
    yield "a cell", lambda m: setattr(m.closed.__closure__[0], "cell_contents", 5.0)
    yield "a cell, another kind", lambda m: setattr(m.closed.__closure__[0], "cell_contents", 2)
    yield "two lists are one", lambda m: setattr(m, "OTHERS", [*m.ROWS])
    yield "a name in the place of NumPy", put(here, "np", lambda m: _other_numpy())


def _other_numpy() -> types.ModuleType:
    made = types.ModuleType("numpy")
    vars(made).update(vars(np))
    made.sin, made.exp, made.tanh = np.cos, np.sinh, np.arctan  # type: ignore[attr-defined]
    return made


CHANGES = [
    *(Change(f"{old.strip()} -> {new.strip()}", old, new) for old, new in _texts()),
    *(Change(name, act=act) for name, act in _acts()),
]


def loaded(folder: Path, change: Change | None = None) -> Any:
    """Load the program as a new process would, changed or as it is."""
    change = Change("nothing") if change is None else change
    assert not change.old or any(change.old in text for text in TEXTS.values()), change.old
    texts = {name: text.replace(change.old or "\0", change.new) for name, text in TEXTS.items()}
    parts = _loaded(folder / f"{PARTS}.py", PARTS, texts[PARTS])
    if change.act is not None:
        change.act(parts)
    return _loaded(folder / f"{NAME}.py", NAME, texts[NAME])


def _loaded(path: Path, name: str, text: str) -> Any:
    path.write_text(text)
    linecache.cache.pop(str(path), None)
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(text, str(path), "exec"), vars(module))
    return module
