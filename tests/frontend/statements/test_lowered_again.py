"""Statements that are lowered several times: the text has those of the last time.

What a loop or a branch leaves of lists is known only after a first look, so that a loop which
was written out then may be one, and the other way round.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from srcgrad import grad, jvp
from srcgrad.errors import InternalError, SrcgradError
from tests.finite_differences import gradient
from tests.in_memory import execute
from tests.rotation import has_its_turn

INNER = ("for j in range(2):\n    g = o", "for g in (o, h):\n    b = 0.5 * b + x")
BEFORE = ("g = o[1]", "g = [b]", "o = [h, [b]]")
LEAVE = ("break", "continue", "return np.sum(x)")
BODY = """\
b = np.sin(x)
h = x
o = [h, [x]]
for k in range(2):
    if x[1] > 0.2:
        if x[0] > 0.1:
            {}
        {}
{}
    b = 0.5 * x
{}
return np.sum(b * x)
"""
CASES = [
    BODY.format(leave, before, *((inner, "") if first else ("", inner)))
    for inner, before, leave, first in itertools.product(
        [f"    {text.replace(chr(10), chr(10) + '    ')}" for text in INNER],
        BEFORE, LEAVE, (True, False),
    )
]  # fmt: skip


def indented(text: str) -> str:
    """Return lines one level deeper."""
    return "".join(f"    {line}\n" for line in text.splitlines() if line)


@pytest.mark.parametrize("number", [k for k in range(len(CASES)) if has_its_turn(str(k), 4)])
def test_what_is_lowered_last_is_the_text(number: int) -> None:
    """Gradients and tangents are those of the program; see ``tests.ir.passes`` for the text."""
    text = "def f(x):\n" + indented(CASES[number])
    f = execute(text, f"<lowered again {number}>", {"np": np})["f"]
    x, along = np.array([-0.02, 0.73, 0.81]), np.array([0.3, -0.5, 0.9])
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
