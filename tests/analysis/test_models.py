"""Values that one mask picks have one shape, as long as it is the same mask."""

import itertools

import numpy as np
import pytest

from srcgrad import grad, source
from tests.finite_differences import gradient


def chosen(x, y):
    """Entries that are changed where one number is larger than another."""
    z = x * y
    z[x > y] -= 0.5 * (x[x > y] - y[x > y]) ** 2
    inside = ~(x > y) & (y < 2.0)
    return np.sum(z**2) + np.sum(np.sin(x[inside]) * z[inside])


def test_no_axis_is_summed_of_what_one_mask_picks():
    """A comparison that is written twice picks the same entries."""
    x, y = np.array([0.5, 1.5, 2.5, 0.2]), np.array([1.0, 1.2, 0.3, 0.4])
    slope = grad(chosen, recorded="refuse")
    np.testing.assert_allclose(slope(x, y), gradient(chosen, (x, y), 0), rtol=1e-7)
    assert "unbroadcast" not in source(slope)


MADE = ["m = y > 0.0", "m = np.array([True, False, True, True])", "m = flags", "m = FLAGS.copy()"]
CHANGES = [
    "pass",
    "m[1] = not m[1]",
    "m[:2] = False",
    "m ^= y < 0.0",
    "np.logical_not(m, out=m)",
    "flip(m)",
    "v = m[:2]\n    v[0] = False",
    "np.put(m, [0, 1], False)",
    "y[1] = 5.0",
    "for k in range(2):\n        m[k] = not m[k]",
    "m = ~m",
    "m.fill(True)",
    "[m][0][2] = False",
]
READS = [
    ("a = x[m]", "b = x[m]", "np.sum(a * 2.0) * np.sum(b**2) + np.mean(b) * np.mean(np.exp(a))"),
    ("a = x[m] ** 2", "b = 2.0 * x[m]", "np.sum(a) * np.mean(b) + (np.sum(a) * b).sum()"),
    ("a = x[y > 0.0]", "b = x[y > 0.0]", "np.mean(a) * np.sum(b * np.mean(b))"),
    ("a = np.sum(x[m])", "x2 = x * a\n    x2[m] *= x[m]\n    b = x2", "np.sum(b**2)"),
]
PRELUDE = """
import numpy as np

FLAGS = np.array([False, True, True, False])


def flip(m):
    m[:] = ~m


"""
PROGRAMS = [
    f"def f(x, y, flags):\n    {made}\n    {first}\n    {change}\n    {second}\n    return {end}\n"
    for made, change, (first, second, end) in itertools.product(MADE, CHANGES, READS)
]


@pytest.mark.one_of(10)
@pytest.mark.parametrize("text", PROGRAMS)
def test_a_mask_that_changed_picks_other_entries(text, tmp_path):
    """A mask that is written between two reads is another one."""
    path = tmp_path / "program.py"
    path.write_text(PRELUDE + text)
    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    f = namespace["f"]
    x = np.array([0.5, 1.5, 2.5, 0.2])

    def run(x):
        return f(x, np.array([0.3, -0.2, 0.7, -0.9]), np.array([True, True, False, True]))

    def slope(x):
        y, flags = np.array([0.3, -0.2, 0.7, -0.9]), np.array([True, True, False, True])
        return grad(f, recorded="allow")(x, y, flags)

    np.testing.assert_allclose(slope(x), gradient(run, (x,), 0), rtol=1e-6, atol=1e-9)
