"""A statement that is written in other words is the one that says so, wherever it stands."""

import itertools

import numpy as np
import pytest

from srcgrad import grad, jvp, value_and_grad
from tests.finite_differences import gradient
from tests.in_memory import execute

STATEMENTS = (
    "a[:1], b[-1:] = b[:1] * 2.0, a[:1]",
    "a[:2], a[1:] = a[:2] * 2.0, a[:-1]",
    "a.shape = (-1, 1)",
    "a = a + np.block([b, b])[:3]",
    "rows.reverse()",
)
AROUND = (
    "for k in range(n):",
    "if n > 1:",
    "with np.errstate(all='ignore'):",
    "while np.sum(a) < 9.0:",
)


def _program(statement, outer, inner):
    lines = [
        "def f(x, n):",
        "    a = x.copy()",
        "    b = np.sin(x)",
        "    rows = [a, b]",
        f"    {outer}",
        f"        {inner}" if inner else "        b = b + 0.5",
        *(["            b = b + 0.25"] if inner else []),
        f"{' ' * (12 if inner else 8)}{statement}",
        f"{' ' * (12 if inner else 8)}a = np.ravel(a) * 1.1 + 1.0",
        "        b = b * a",
        "    return np.sum(a * a) + 2.0 * np.sum(b) + np.sum(rows[0] ** 3)",
    ]
    text, name = "\n".join(lines) + "\n", f"<other words {statement} {outer} {inner}>"
    space = execute(text, name, {"np": np})
    return space["f"]


CASES = [
    (statement, outer, inner)
    for statement, outer, inner in itertools.product(STATEMENTS, AROUND, ("", *AROUND))
    if inner != AROUND[-1]  # which may never end
]


@pytest.mark.one_of(6)
@pytest.mark.parametrize(("statement", "outer", "inner"), CASES)
def test_the_statements_around_stay(statement, outer, inner):
    """What stands before and behind it in loops, branches and with statements is not lost."""
    f = _program(statement, outer, inner)
    x = np.array([0.7, 0.2, 0.4])
    value, slope = value_and_grad(f, recorded="allow")(x.copy(), 2)
    assert np.isclose(value, f(x.copy(), 2))
    expected = gradient(f, (x, 2), 0)
    assert np.allclose(slope, expected, rtol=1e-6)
    assert np.isclose(jvp(f, (x.copy(), 2), (x, None), recorded="allow")[1], expected @ x)


def test_two_views_change_places_in_a_loop():
    """The loop is there in generated code."""

    def f(x, n):
        a, b = x.copy(), np.sin(x)
        for _ in range(n):
            a[:1], b[-1:] = b[:1] * 2.0, a[:1]
            a = a * 1.1
        return np.sum(a * a) + 2.0 * np.sum(b)

    x = np.array([0.7, -1.2, 0.4])
    assert np.allclose(grad(f, recorded="refuse")(x, 2), gradient(f, (x, 2), 0))
