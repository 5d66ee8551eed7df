"""Random programs with objects that tell when they end.

An object is made in some way, held in some way, and let go in some way; between any two of
these, a line is logged. What the program computes depends on what the object holds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tests.in_memory import execute

HEAD = """
import contextlib, copy, functools, weakref
import numpy as np
LOG = []
class D:
    def __init__(self, name, w):
        self.name, self.w = name, w
    def __del__(self):
        LOG.append("end of " + self.name)
    def value(self):
        return self.w * 2.0
    @property
    def double(self):
        return self.w * 2.0
    def __add__(self, other):
        return D(self.name + "+", self.w + other.w)
    def __call__(self, x):
        return self.w * x
    def __getitem__(self, k):
        return self.w * k
    def __iter__(self):
        yield self.w * 2.0
    def __enter__(self):
        return self
    def __exit__(self, *error):
        LOG.append("left")
class S:
    __slots__ = ("w", "__weakref__")
    def __init__(self, name, w):
        self.w = w
    def __del__(self):
        LOG.append("end of a slotted one")
    def value(self):
        return self.w * 2.0
class Box:
    pass
def factory(x):
    d = D("made", x)
    LOG.append("in the factory")
    return d
def use(d):
    return d.value()
"""

MAKING = {
    "constructor": 'D("a", x)',
    "factory": "factory(x)",
    "operator": '(D("a", x) + D("b", x * 2.0))',
    "copy": 'copy.copy(D("a", x))',
    "constant": 'D("a", 3.0)',
    "array": 'D("a", np.array([x, 2.0 * x])[0])',
    "slots": 'S("a", x)',
    "chosen": '(D("a", x) if x > 0 else D("b", x))',
    "partial": 'functools.partial(D, "a")(x)',
    "first": '[D("a", x), D("b", x)][0]',
    "mapped": 'list(map(lambda v: D("a", v), [x]))[0]',
}

# how it is held and let go: the lines, in which the first gives y its value
HOLDING = {
    "name, del": ["d = {m}", "y = d.value()", "del d"],
    "name, another": ["d = {m}", "y = d.value()", "d = None"],
    "name, a second one": ["d = {m}", "y = d.value()", "d = {m}", "y = y + d.value()", "d = 1"],
    "no name": ["y = {m}.value()"],
    "argument": ["y = use({m})"],
    "keyword": ["y = use(d={m})"],
    "spread": ["y = use(*[{m}])"],
    "only made": ["{m}", "y = x * 3.0"],
    "list, pop": ["l = [{m}]", "y = l[0].value()", "l.pop()"],
    "list, clear": ["l = []", "l.append({m})", "y = l[0].value()", "l.clear()"],
    "list, set": ["l = [{m}]", "y = l[0].value()", "l[0] = None"],
    "list, slice": ["l = [{m}, 1]", "y = l[0].value()", "l[:] = []"],
    "dict, del": ["l = dict(a={m})", "y = l['a'].value()", "del l['a']"],
    "dict, set": ["l = dict()", "l['a'] = {m}", "y = l['a'].value()", "l['a'] = 2"],
    "attribute": ["o = Box()", "o.d = {m}", "y = o.d.value()", "o.d = None"],
    "attribute, del": ["o = Box()", "o.d = {m}", "y = o.d.value()", "del o.d"],
    "object": ["o = Box()", "o.d = {m}", "y = o.d.value()", "del o"],
    "tuple": ["a, b = {m}, x", "y = a.value() * b", "a = None"],
    "several targets": ["o = Box()", "o.a, o.b = {m}, x", "y = o.a.value() * o.b", "o.a = 0"],
    "chained": ["o = Box()", "a = o.b = {m}", "y = a.value()", "o.b = None", "a = None"],
    "starred": ["a, *b = [{m}, x]", "y = a.value() * b[0]", "a = None"],
    "loop": ["y = 0.0", "for d in [{m}, {m}]:", "    y = y + d.value()", "del d"],
    "loop of targets": ["o, y = Box(), 0.0", "for o.d in [{m}]:", "    y = y + x", "o.d = None"],
    "comprehension": ["y = sum([d.value() for d in [{m}, {m}]])"],
    "generator": ["y = sum(d.value() for d in [{m}, {m}])"],
    "lambda": ["d = {m}", "g = lambda: d.value()", "y = g()", "del g", "del d"],
    "closure": ["def g(d):", "    def h():", "        return d.value()", "    return h()",
                "y = g({m})"],
    "closure first": ["def g():", "    def h():", "        return d.value()", "    d = {m}",
                      "    return h()", "y = g()"],
    "left function": ["def g():", "    d = {m}", "    LOG.append('inside')", "    return d.value()",
                      "y = g()"],
    "left generator": ["def g():", "    d = {m}", "    yield d.value()", "    LOG.append('after')",
                       "y = 0.0", "for v in g():", "    y = y + v"],
    "closed generator": ["def g():", "    d = {m}", "    yield d.value()", "    yield x",
                         "i = g()", "y = next(i)", "i.close()"],
    "raised": ["def g():", "    d = {m}", "    raise ValueError", "try:", "    g()",
               "except ValueError:", "    LOG.append('caught')", "y = x * x"],
    "finally": ["def g():", "    d = {m}", "    try:", "        return d.value()", "    finally:",
                "        LOG.append('finally')", "y = g()"],
    "method": ["m = {m}.value", "y = m()", "del m"],
    "partial": ["g = functools.partial(use, {m})", "y = g()", "del g"],
    "default": ["def g(d={m}):", "    return d.value()", "y = g()", "del g"],
    "condition": ["if {m}.value() > 0:", "    LOG.append('inside')", "y = x * x"],
    "while": ["d = {m}", "while d is not None:", "    y = d.value()", "    d = None"],
    "walrus": ["y = (d := {m}).value()", "d = None"],
    "weak": ["d = {m}", "r = weakref.ref(d)", "y = d.value()", "del d",
             "LOG.append(str(r() is None))"],
    "finalize": ["d = {m}", "weakref.finalize(d, LOG.append, 'final')", "y = d.value()", "del d"],
    "match": ["match {m}:", "    case D(w=v):", "        y = v * 2.0", "    case other:",
              "        y = x"],
    "matched name": ["d = {m}", "match d.value():", "    case v:", "        y = v", "del d"],
    "with": ["with contextlib.closing(Box()) if False else contextlib.nullcontext({m}) as d:",
             "    y = d.value()", "del d"],
    "global": ["global G", "G = {m}", "y = G.value()", "del G"],
    "nonlocal": ["d = None", "def g():", "    nonlocal d", "    d = {m}", "    return d.value()",
                 "y = g()", "d = None"],
    "sorted": ["l = sorted([{m}, {m}], key=lambda d: d.w)", "y = l[0].value()", "del l"],
    "reduced": ["y = functools.reduce(lambda a, d: a + d.value(), [{m}, {m}], 0.0)"],
    "zipped": ["y = 0.0", "for d, k in zip([{m}], [2.0]):", "    y = y + d.value() * k", "del d"],
    "iterator": ["i = iter([{m}, {m}])", "y = next(i).value()", "y = y + next(i).value()", "del i"],
    "setattr": ["o = Box()", "setattr(o, 'd', {m})", "y = getattr(o, 'd').value()",
                "delattr(o, 'd')"],
    "vars": ["o = Box()", "vars(o)['d'] = {m}", "y = o.d.value()", "vars(o).clear()"],
    "set": ["s = set([{m}])", "y = list(s)[0].value()", "s.clear()"],
    "with numbers": ["l = [{m}, x * 2.0]", "y = l[0].value() * l[1]", "l[0] = None"],
    "beside numbers": ["l = []", "l.append(x)", "l.append({m})", "y = l[1].value() * l[0]",
                       "l.pop()"],
    "object that holds": ["o = Box()", "o.x = x", "o.l = [{m}]", "y = o.l[0].value() * o.x",
                          "del o"],
}  # fmt: skip


def texts() -> dict[str, str]:
    """Every way to make, hold and let go, as a program of one number."""
    found = {}
    for (made, text), (held, lines) in itertools.product(MAKING.items(), HOLDING.items()):
        rows = []
        for line in lines:
            inner = line.startswith("    ")
            rows.append(f"    {line.replace('{m}', text)}")
            opens = line.rstrip().endswith(":") or inner
            last = lines.index(line) + 1
            follows = last < len(lines) and lines[last].startswith(("    ", "except", "finally"))
            if not opens or (inner and not follows and not lines[0].startswith("def")):
                if not follows and not line.startswith(("global", "def", "for", "if", "while")):
                    rows.append(f"    LOG.append('{last}')")
        body = "\n".join(rows)
        found[f"{made}: {held}"] = f"def f(x):\n{body}\n    LOG.append('end')\n    return y * x\n"
    return found


def program(name: str, text: str) -> tuple[Callable[..., Any], list[str]]:
    """The function of a program, and its log."""
    whole, file = HEAD + text, f"<ending {name}>"
    space = execute(whole, file, {"__name__": "endings"})
    return space["f"], space["LOG"]
