"""Which parts of a list's elements are active is one answer for all its versions."""

import itertools
import types

import numpy as np
import pytest

from srcgrad import grad, hvp, jvp, vjp
from tests.finite_differences import gradient
from tests.in_memory import execute

X = np.array([0.7, 1.2, 0.4])

HELPERS = """
import numpy as np

def total(rows):
    s = 0.0
    for p, q in rows:
        s = s + p * q ** 2
    return s

def append_to(rows, p, q):
    rows.append((p, q))

def made(p, q):
    rows = []
    for k in range(2):
        rows.append((p, q))
    return rows
"""

STARTS = {
    "loop": "rows = []\n    for v in x:\n        rows.append(({p}, {q}))",
    "nothing": "rows = []\n    for v in x[3:]:\n        rows.append(({p}, {q}))",
    "comprehension": "rows = [({p}, {q}) for v in x]",
    "call": "rows = made({p}, {q})",
    "display": "rows = [({p}, {q})]",
}
READS = {
    "array": "s = np.sum(np.array(rows) ** 3)",
    "loop": "s = sum(p ** 2 * q for p, q in rows)",
    "call": "s = total(rows)",
    "reversed": "back = rows[::-1]\n    back.append((2.0, x[1]))\n    s = total(back)",
    "held": """held = [rows]
    held.append([(x[0], 1.0)])
    s = sum(p * q for row in held for p, q in row)""",
}
WRITES = {
    "append": "rows.append(({p}, {q}))",
    "branch": """if x[0] > 0.5:
        rows.append(({p}, {q}))
    else:
        rows.append((2.0, 0.5))""",
    "call": "append_to(rows, {p}, {q})",
    "store": "rows.append((1.0, 1.0))\n    rows[-1] = ({p}, {q})",
}
MASKS = tuple(itertools.product((False, True), repeat=2))


def function(text, name):
    """Return the function ``f`` of a program that is held in memory."""
    module = types.ModuleType("elements")
    execute(text, name, module.__dict__)
    return module.f


def program(start, first, read, write, later):
    """Return a function that fills a list, reads it, puts more into it, and reads it again.

    ``first`` and ``later`` say which parts of what is put there are active.
    """
    p, q = ("x[0] * x[1]" if first[0] else "1.5"), ("x[2]" if first[1] else "0.5")
    u, v = ("x[1]" if later[0] else "2.0"), ("x[2] * x[0]" if later[1] else "3.0")
    body = [
        STARTS[start].format(p=p, q=q),
        READS[read],
        WRITES[write].format(p=u, q=v),
        "return s * x[1] + s ** 2 + total(rows) + np.sum(np.array(rows)[:, 1])",
    ]
    text = HELPERS + "\ndef f(x):\n    s = x[0]\n    " + "\n    ".join(body) + "\n"
    return function(text, f"{start}, {read}, {write}, {first}, {later}")


def require_derivatives(f):
    """Compare all modes, and the second order, with differences."""
    expected, step = gradient(f, [X], 0), np.array([1.0, -2.0, 0.5])
    allowed = {"recorded": "allow"}
    np.testing.assert_allclose(grad(f, **allowed)(X), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(vjp(f, X, **allowed)[1](1.0), expected, rtol=1e-5, atol=1e-7)
    dot = jvp(f, (X,), (step,), **allowed)[1]
    np.testing.assert_allclose(dot, expected @ step, rtol=1e-5, atol=1e-7)
    ends = [grad(f, **allowed)(X + sign * 1e-5 * step) for sign in (1, -1)]
    second = (ends[0] - ends[1]) / 2e-5
    np.testing.assert_allclose(hvp(f, **allowed)(X, step), second, rtol=1e-4, atol=1e-4)


@pytest.mark.one_of(20)
@pytest.mark.parametrize("later", MASKS)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("first", MASKS)
@pytest.mark.parametrize("start", STARTS)
def test_parts_that_become_active(start, first, read, write, later):
    require_derivatives(program(start, first, read, write, later))


def test_nested_tuples_and_lists_as_arrays():
    def f(x):
        rows, boxes = [], []
        for k in range(3):
            rows.append(((x[0] * k, x[1]), (2.0, x[2] * x[0])))
            boxes.append([[x[0] * k, 1.0], [x[1], 2.0]])
        return np.sum(np.array(rows) ** 2) + np.sum(np.array(boxes) ** 3)

    require_derivatives(f)
