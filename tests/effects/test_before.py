"""What has an effect comes before what stands behind it in an expression, in every shape of one."""

import itertools

import numpy as np
import pytest

from srcgrad import grad, jvp
from tests import finite_differences as fd

X = np.array([0.3, 1.2, -0.7, 0.9])
ACTING = {
    "pop": "h.pop()",
    "append": "(h.append(x[0]) or x[1])",
    "written": "bump(y)",
    "walrus": "(w := x[1] * w)",
    "method": "b.take(x[2])",
    "next": "next(it)",
    "key": "d.pop('a')",
}
READING = {
    "choice of items": "(h[-1] if len(h) > 1 else x[2])",
    "choice of entries": "(y[0] if x[0] > 0 else y[1])",
    "choice of names": "(w if w > 0 else x[0] * w)",
    "choice of attributes": "(b.v if b.v > 0 else b.v * 2)",
    "choice by key": "(d['a'] if 'a' in d else d['b'])",
    "and": "(len(h) > 1 and h[-1] or x[2])",
    "comprehension": "sum([v * v for v in h])",
    "comprehension of entries": "np.sum(np.array([y[i] * w for i in range(3)]))",
    "generator": "sum(v * y[0] for v in h)",
    "largest": "max(y[0], y[1], w)",
    "dict": "sum({k: y[k] * b.v for k in range(2)}.values())",
    "lambda": "(lambda t: t * y[0] * w)(x[1])",
    "next": "(next(it) if w > -9 else 0.0)",
    "called": "scale(y, w)[0]",
    "where": "np.sum(np.where(y > 0, y, w))",
    "reads": "y[0] * b.v * w * h[-1]",
    "values": "w * sum(d.values())",
    "arithmetic": "(1 - w ** 2) * w",
    "array": "np.sum(y * (y - w))",
}
SHAPES = [
    "s = {A} + {B}",
    "s = s * {A} - {B}",
    "s = np.add({A}, {B})",
    "p, q = {A}, {B}\n        s = p * q + s",
    "l = [{A}, {B}]\n        s = l[0] * l[1] + s",
    "s += {A} * 2 + {B} * s",
    "z[k] = {A} * {B}\n        s = s + z[0] * z[1]",
]
HEAD = """
import numpy as np

def bump(y):
    y[0] = y[0] * 2 + 1
    return y[1]

def scale(y, k=1.0):
    return y * k

class Box:
    def __init__(self, v): self.v = v
    def take(self, k): self.v = self.v * k; return self.v + 1

"""
MADE = {  # what each name stands for, what happens to it in each step, and its part of the result
    "h": ("h = [v * v for v in x if v > -0.5]", "h.append(x[3])", "len(h)"),
    "y": ("y = x * 1.0", "y[2] = s", "np.sum(y)"),
    "w": ("w = x[0]", "w = w * 1.5", "w"),
    "b": ("b = Box(x[3])", "b.v = b.v + 1", "b.v"),
    "d": ("d = {'a': x[0] * x[1], 'b': x[2]}", "d['a'] = x[3]", "d['b']"),
    "it": ("it = iter(x)", "s = s * 2", "next(it, 1.0)"),
    "z": ("z = np.zeros(2)", "s = s * 2", "z[0]"),
}
CASES = list(itertools.product(ACTING, READING))


def text_of(number, acting, reading, turned):
    """Return a program with one of the shapes around both, in a loop."""
    pair = (READING[reading], ACTING[acting]) if turned else (ACTING[acting], READING[reading])
    body = SHAPES[number % len(SHAPES)].format(A=pair[0], B=pair[1])
    compiled = compile(body.replace("\n        ", "\n"), "", "exec")
    inner = [c for c in compiled.co_consts if hasattr(c, "co_names")]
    used = {n for c in (compiled, *inner) for n in (*c.co_names, *c.co_freevars)}
    made = [row for name, row in MADE.items() if name in used]
    head = HEAD if used & {"bump", "scale", "b"} else "import numpy as np\n\n"
    lines = ["def f(x):", "    s = 1.0", *(f"    {start}" for start, _, _ in made)]
    lines += ["    for k in range(2):", *(f"        {step}" for _, step, _ in made)]
    lines += [f"        {body}", "    return s + " + " * ".join(["2", *(end for *_, end in made)])]
    return head + "\n".join(lines) + "\n"


@pytest.mark.one_of(32)
@pytest.mark.parametrize("turned", [False, True], ids=["before", "behind"])
@pytest.mark.parametrize(
    ("number", "acting", "reading"),
    [(k, *case) for k, case in enumerate(CASES)],
    ids=[f"{acting} and {reading}" for acting, reading in CASES],
)
def test_order(number, acting, reading, turned, tmp_path):
    """Gradients and tangents are those of the order that Python has."""
    path = tmp_path / "program.py"
    path.write_text(text_of(number, acting, reading, turned))
    space = {"__name__": "program"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    f = space["f"]
    expected = fd.gradient(f, (X,), 0)
    np.testing.assert_allclose(grad(f, recorded="allow")(X), expected, rtol=1e-6, atol=1e-7)
    dots = [jvp(f, (X,), (row,), recorded="allow")[1] for row in np.eye(4)]
    np.testing.assert_allclose(dots, expected, rtol=1e-6, atol=1e-7)
