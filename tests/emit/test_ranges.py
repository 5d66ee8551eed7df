"""Ranges in the opposite order, as one writes them."""

import numpy as np
import pytest

from srcgrad.emit.words.headers import _one_more


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("n", "n + 1"),
        ("n - 1", "n"),
        ("c.shape[0] - 1", "c.shape[0]"),
        ("f(x) - 3", "f(x) - 2"),
        ("n - m", "n - m + 1"),
        ("n - 0", "n - 0 + 1"),
        ("(a + b) - 1", "(a + b) - 1 + 1"),
        ("-1", "0"),
        ("5", "6"),
    ],
)
def test_one_more(end, expected):
    """What is one more than an end is a number more, or one less that is taken off."""
    assert _one_more(end) == expected
    names = {"n": 7, "m": 2, "c": np.ones(3), "a": 1, "b": 2, "x": 4, "f": abs}
    assert eval(expected, dict(names)) == eval(end, dict(names)) + 1
