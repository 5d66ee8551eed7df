"""What a loop hands to its next iteration is followed until nothing changes."""

import numpy as np
import pytest

from srcgrad import grad
from tests.in_memory import execute


def rotation(count, distance):
    """Return a function in which arrays take turns, one is written, and another one read."""
    names = [f"a{k}" for k in range(count)]
    lines = ["def f(x):", "    s = 0.0"]
    lines += [f"    {name} = np.full(3, {k + 1.0})" for k, name in enumerate(names)]
    lines += [f"    for k in range({count + 2}):", "        y = a0 * x"]
    lines += [f"        {names[distance]}[0] = k + 0.5", f"        s = s + np.sum(y * {names[-1]})"]
    lines += [f"        {', '.join(names)} = {', '.join([*names[1:], names[0]])}"]
    lines += ["    return s"]
    text, name = "\n".join(lines) + "\n", f"rotation of {count}, {distance}"
    space = execute(text, name, {"np": np})
    return space["f"]


@pytest.mark.one_of(4)
@pytest.mark.parametrize(
    ("count", "distance"), [(n, d) for n in (2, 3, 5, 9, 12) for d in range(0, n, 2)]
)
def test_arrays_that_take_turns(count, distance):
    """As text, or recorded."""
    f, x, h = rotation(count, distance), np.array([0.5, 1.0, 2.0]), 1e-6
    expected = [(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in np.eye(3)]
    np.testing.assert_allclose(grad(f, recorded="allow")(x), expected, rtol=1e-6)


def test_a_list_that_takes_turns():
    """Its last element is its first one at the next iteration."""

    def f(x):
        rows = [x * 1.0, x * 2.0, x * 3.0]
        s = 0.0
        for _ in range(4):
            rows.append(rows.pop(0))
            s = s + np.sum(rows[0] * rows[1])
        return s

    x, h = np.array([0.5, 1.0]), 1e-6
    expected = [(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in np.eye(2)]
    np.testing.assert_allclose(grad(f, recorded="allow")(x), expected, rtol=1e-6)


def test_an_attempt_leaves_nothing_behind():
    """An element that is looked at does not freeze the lists that it is read from."""

    def f(x):
        rows = [[x[0]], [x[1]]]
        s = tuple(rows[k][0] * 2 for k in range(2))
        rows[0][0] = x[2]
        return s[0] * s[1] + rows[0][0]

    np.testing.assert_allclose(grad(f)(np.array([2.0, 3.0, 5.0])), [12.0, 8.0, 1.0])
