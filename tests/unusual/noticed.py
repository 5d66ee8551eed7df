"""Calls that print, draw, or add to what nobody reads: in Python's order, once each."""

from random import Random
from textwrap import indent

HEAD = """
LOG, SEEN, C = [], [], np.ones(3)
print = SEEN.append
class O:
    made = 0
    def __init__(self): self.log = []
    def m(self, v):
        self.log.append(len(v))
        O.made += 1
        return np.sum(v)
    @property
    def p(self):
        LOG.append("p")
        return 0.5
    @staticmethod
    def st(v):
        print("st")
        return v[-1]
o = O()
def a1(v):
    LOG.append("a1")
    return v[0]
def a2(v):
    LOG.append("a2")
    return np.exp(v).sum()
def b1(v):
    print("b1")
    return np.tanh(v).sum() + STATE.get("b", 0.3)
def b2(v, w=0.0):
    print("b2")
    return v * 0.3 + w
def c1(v): return v[0] * random.random()
def c2(v):
    for q in v:
        LOG.append(7)
        yield q * 0.5
def i1():
    LOG.append("i")
    return 1
STATE = {}
"""
VALUES = [
    *("a1({0})", "a2({0})", "b1({0})", "c1({0})", "sum(c2({0}))", "max(c2({0}))", "o.m({0})"),
    *("O.st({0})", "o.p", "b2({0})[0]", "np.sum(b2({0}, a2({1})))", "y[i1()]", "a", "y[0]"),
    *("(lambda q: a1(q))({0})", "max(a1({0}), b1({1}))", "[a1({0}), b1({1})][0]"),
]
AROUND = [
    *("({0} + {1})", "({0} * {1})", "abs({0})", "np.sin({0})", "({0} - 0.1 * {1} ** 2)"),
    *("np.maximum({0}, {1})", "({0} if {1} > 0.4 else {2})", "np.array([{0}, {1}]).sum()"),
]
STATEMENTS = [
    *("s = {0}", "s += {0}", "y[0] = {0}", "y[i1()] += {0}", "s, t = {0}, {1}", "y = y * {0}"),
    *("if {0} > {1}:\n    s = s + 0.1", "d = {{'a': {0}, 'b': {1}}}\ns = s + d['a']", "{0}"),
    *("for q in (s, {0}, {1}):\n    s = s * 0.5 + q", "for _ in range(2):\n    s = s * 0.5 + {0}"),
    *("s = [{0}, {1}][1]", "assert {0} > -99", "t = f'{{{0}}}'", "o.w = {0}", "s = {0} and {1}"),
]


def _value(draw: Random, depth: int) -> str:
    if depth and draw.random() < 0.4:
        return draw.choice(AROUND).format(*(_value(draw, depth - 1) for _ in range(3)))
    arrays = ["C", "x", "y", "y * a", "y[1:]", "x[::-1]", "b2(y)", "b2(C)"]
    return draw.choice(VALUES).format(*(draw.choice(arrays) for _ in range(2)))


def drawn(draw: Random) -> str:
    """Return the text of a program.

    Args:
        draw: what its parts are drawn from.
    """
    lines = ["y = x * a", "s = t = 0.3 * a"]
    for _ in range(draw.randint(1, 2)):
        lines.append(draw.choice(STATEMENTS).format(*(_value(draw, 2) for _ in range(2))))
    end = draw.choice(["np.sum(y) * s", "y * s", f"{_value(draw, 1)} + s", "[s, y]"])
    body = indent("\n".join([*lines, f"return {end}"]), "    ")
    return f"""{HEAD}
def f(x, a):
{body}
def args1(): return np.array([0.31, 0.72, 0.53]), 1.3
def args2(): return np.array([0.71, 0.22, 0.95]), 0.7
"""
