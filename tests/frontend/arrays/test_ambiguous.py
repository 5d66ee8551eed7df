"""Numbers and arrays without dimensions, which ``x += v`` treats differently, under several names.

Each value is made in one way, changed by a function that it is given to or in its own, and read
under its first name before and after. The derivative is that of the tape, or refused as text.
"""

import itertools
import zlib

import numpy as np
import pytest
from scipy import special

from srcgrad import grad, jvp, tape
from tests.in_memory import execute

X = np.array([0.7, 1.3, 0.4])
MADE = [
    "x[0].copy()", "np.copy(x[0])", "np.cross(x, x[::-1])[0] * 1", "np.where(x[0] > 0, x[0], 0.0)",
    "np.squeeze(x[:1])", "np.squeeze(a)", "np.transpose(a)", "np.asarray(x[0])",
    "np.asarray(x[0]) * 1", "np.zeros(()) + x[0]", "np.full((), x[0])", "np.polyval(x, 0.5)",
    "np.interp(x[0], [0.0, 0.5, 1.0], [3.0, 3.5, 4.5])", "np.tensordot(x, x, 1)",
    "np.einsum('i,i->', x, x)", "np.reshape(x[:1] * 2, ())", "np.matmul(x, x)", "x[:1].sum(axis=0)",
    "x[:1] * 1", "special.erf(x[0])", "np.nan_to_num(x[0])",
]  # fmt: skip
CHANGED = [
    "s += x[1]\n    return s * 2",
    "s *= x[1]\n    return s + 1",
    "s += x[1]\n    s -= x[2] * 2\n    return s",
]
READ = [
    "t = changed(s, x)\n    return np.sum(s * t + s**2)",
    "return np.sum(changed(s, x) ** 2)",
    "p = 0.0\n    for _ in range(2):\n        p = p + np.sum(changed(s, x) * s)\n    return p",
    "u = s\n    changed(s, x)\n    return np.sum(u**2 * s)",
    "u = s\n    u += x[1]\n    return np.sum(u**2 * s)",
    "s = changed(s, x)\n    return np.sum(s**3)",
]


@pytest.mark.parametrize(
    ("made", "changed", "read"),
    [
        pytest.param(*case, marks=pytest.mark.one_of(24))
        for case in itertools.product(MADE, CHANGED, READ)
    ],
)
def test_what_may_be_a_number(made, changed, read):
    """Both modes give what the tape gives."""
    body = f"def changed(s, x):\n    {changed}\n\ndef f(x, a):\n    s = {made}\n    {read}\n"
    name = f"ambiguous_{zlib.crc32(body.encode())}.py"
    space = execute(body, name, {"np": np, "special": special})
    f = space["f"]
    expected = tape.grad(f, wrt=(0, 1))(X.copy(), 0.9)
    found = grad(f, wrt=(0, 1), recorded="allow")(X.copy(), 0.9)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
    steps = np.array([0.3, -0.8, 0.5]), 0.7
    slope = jvp(f, (X.copy(), 0.9), steps, recorded="allow")[1]
    np.testing.assert_allclose(slope, expected[0] @ steps[0] + expected[1] * 0.7, rtol=1e-10)
