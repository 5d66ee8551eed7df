"""Several names of one object, of which a loop or a branch gives one another object."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from srcgrad import grad, jvp
from srcgrad.errors import InternalError, SrcgradError
from tests.finite_differences import gradient
from tests.in_memory import execute
from tests.rotation import has_its_turn

TEXT = """\
import numpy as np

class Box:
    def __init__(self, w):
        self.w = w
    def step(self, y):
        self.w = 0.5 * self.w + y
        return self

def f(x):
    p = Box(x * 2.0)
    q = {other}
    {head}
        {statements}
    return np.sum({held}.w * x) + np.sum(p.w)
"""
OTHERS = (("p", "q"), ("[p, p]", "q[1]"), ("{'a': p}", "q['a']"), ("(Box(x), p)", "q[-1]"))
HEADS = ("for k in range(2):", "for v in (x, x):", "if x[0] > 0:", "k = 0\n    while k < 2:")
CHANGES = ("p = Box(x)", "p = Box(p.w + x)", "p = Box(x).step(x)", "p.w = x * p.w")
WRITES = ("HELD.w = HELD.w + x", "HELD.step(x)", "x = x + HELD.w")
CASES = list(itertools.product(OTHERS, HEADS, CHANGES, WRITES, (True, False)))


@pytest.mark.parametrize("number", [k for k in range(len(CASES)) if has_its_turn(str(k), 24)])
def test_each_name_stands_for_its_own(number: int) -> None:
    """Gradients and tangents are those of the program."""
    (other, held), head, change, write, first = CASES[number]
    lines = [change, write.replace("HELD", held)]
    lines = [*(lines if first else lines[::-1]), *(["k += 1"] if "while" in head else [])]
    text = TEXT.replace("{other}", other).replace("{head}", head).replace("{held}", held)
    text = text.replace("{statements}", "\n        ".join(lines))
    f = execute(text, f"<names that part {number}>")["f"]
    x, along = np.array([0.2, -0.3, 0.5]), np.array([0.3, 0.5, -0.9])
    wanted = gradient(f, (x,), 0)
    ways = (
        (lambda: grad(f, recorded="refuse")(x), wanted),
        (lambda: jvp(f, (x,), (along,), recorded="refuse")[1], wanted @ along),
    )
    for take, expected in ways:
        try:
            found = take()
        except InternalError:
            raise
        except SrcgradError:
            continue
        assert np.allclose(found, expected, 1e-5, 1e-6)
