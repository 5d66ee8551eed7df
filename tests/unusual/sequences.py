"""Lists and tuples beside arrays and NumPy's numbers, of which NumPy makes arrays."""

from random import Random

SEQUENCES = [
    "[x[0], a]", "(x[0], 2.0)", "[1.0, 3.0]", "(1.0, 3.0)", "[x[:2] * a]",
    "[[x[0], a], [1.0, x[1]]]", "list(x[:2])", "x[:2].tolist()", "[v * v for v in x[:2]]",
    "[h, h * 2.0]", "[h[0], 2.0]", "two(x)", "GLOBAL",
]  # fmt: skip
OTHERS = [
    "c", "x[:2]", "h", "np.float64(1.5)", "x[1]", "h[0]", "np.int64(2)", "np.ones((2, 2)) * a",
    "as_array(x)", "[x[1], 1.0]", "(x[1], 1.0)", "np.array(2.0)", "np.arange(1, 3)", "ARRAY", "2",
]  # fmt: skip
OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "**": "pow",
    "//": "floordiv",
    "%": "mod",
    "@": "matmul",
}
WAYS = [
    "l = l OP other",
    "l = other OP l",
    "l OP= other",
    "other OP= l\nl = other",
    "l = other[:] OP l",
    "d = {'l': l}\nd['l'] OP= other\nl = d['l']",
    "o = Holder()\no.l = l\no.l OP= other\nl = o.l",
    "r = [l]\nr[0] OP= other\nl = r[0]",
    "l = operator.NAME(l, other)",
    "l = operator.iNAME(l, other)",
    "l = divmod(l, other)[1]",
    "for _ in range(2):\n    l = l OP other",
    "for _ in range(2):\n    l OP= other",
    "if a > 1.0:\n    l OP= other",
    "l = functools.reduce(lambda p, q: p OP q, [l, other])",
    "l = (lambda p, q: p OP q)(l, other)",
    "l = [*l] OP other",
    "t = np.ones(np.shape(l))\nt OP= l\nl = t",
    "t = np.ones(np.shape(l)) * a\nt[:1] OP= l[:1]\nl = t",
]
FRAME = """
GLOBAL = [1.5, 2.5]
ARRAY = np.array([0.5, 1.5])

class Holder: pass

def two(x): return [x[0], 3.0]

def as_array(x): return np.array([x[1], 2.0])

def args1(): return np.array([0.31, 0.72, 0.53]), 1.3

def args2(): return np.array([0.71, 0.23, 0.93, 0.84]), 0.7

def f(x, a):
    c = np.array([1.0, 2.0])
    h = np.ones(2)
    view = h[:]
    view[0] = x[0] * a
"""


def drawn(draw: Random) -> str:
    """Return a program; some raise what Python or NumPy raises."""
    sign, name = draw.choice(list(OPERATORS.items()))
    way = draw.choice(WAYS).replace("OP", sign).replace("NAME", name)
    lines = [
        f"l = {draw.choice(SEQUENCES)}",
        f"other = {draw.choice(OTHERS)}",
        "k = l",
        *way.split("\n"),
        "return np.sum(np.sin(l)) + np.sum(np.cos(k)) * 2.0 + np.sum(other) * x[0]",
    ]
    return FRAME + "".join(f"    {line}\n" for line in lines)
