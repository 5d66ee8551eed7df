"""Derivatives of ``x[index] += v``, and ``-=``, for every kind of index."""

import itertools

import numpy as np
import pytest

from srcgrad import check

INDICES = [
    "1", "k", "1:3", "::2", "[0, 0, 2]", "R", "R[None]", "x > 0.5", "...", "()", "None, 1:",
    "np.flatnonzero(x > 0.5)", "(R,)",
]  # fmt: skip
VALUES = ["y[0]", "y[:1]", "2.0 * z[{index}] * y[1]", "1.0", "K[{index}]", "x[{index}] > 0.0"]
TEXT = """
import numpy as np

R = np.array([2, 1, 2])
K = np.array([1, 2, 3, 4], dtype=np.uint8)


def f(x, y, k):
    z = np.sin(x) * y[2]
    z[{index}] {sign}= {value}
    w = z * x
    z[{index}] {sign}= {value}
    return np.sum(z**2) + np.sum(w)
"""
CASES = [
    TEXT.format(index=index, sign=sign, value=value.format(index=index))
    for index, sign, value in itertools.product(INDICES, "+-", VALUES)
    if not (index in "1k" and value == "y[:1]")  # which NumPy refuses
]


@pytest.mark.one_of(12)
@pytest.mark.parametrize("text", CASES)
def test_what_is_added_has_the_cotangent_of_its_place(text, tmp_path):
    """All modes agree with differences, to second order; where places repeat, the last counts."""
    path = tmp_path / "program.py"
    path.write_text(text)
    namespace = {}
    exec(compile(text, str(path), "exec"), namespace)
    args = np.array([0.4, 0.7, -1.1, 0.9]), np.array([0.5, -0.3, 1.2]), 3
    check(namespace["f"], *args, wrt=(0, 1), order=2)
