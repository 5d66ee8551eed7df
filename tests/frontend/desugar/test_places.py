"""Writes through a name for one of two places: before and after."""

import libcst as cst
import pytest

from srcgrad.frontend.desugar.arms import mentions, with_places_in_arms
from srcgrad.frontend.text.source import Source

CHOSEN = """\
t = a if x > c else b
t[0] += x
f(t, y=t[1])
"""
ARMS = """\
if x > c:
    a[0] += x
    f(a, y=a[1])
else:
    b[0] += x
    f(b, y=b[1])
"""
BRANCH = """\
if x > c:
    t = a
else:
    t = b
t[0] += x
z = t.t
"""
BRANCH_AFTER = """\
if x > c:
    a[0] += x
    z = a.t
else:
    b[0] += x
    z = b.t
"""
KEPT = [
    "t = a if p else b\ny = t[0]\n",  # nothing is written
    "t = a if p else b\nt += 1\n",  # which may be a number
    "t = a if p else b\nt[0] = x\na = a + 1\ny = t\n",
    "t = a if p else b\nt[0] = x\nh = lambda: t\n",
    "y = t\nt = a if p else b\nt[0] = x\n",
    "t = a if p else a\nt[0] = x\n",
    "t = a if p else b[1]\nt[0] = x\n",
]


def rewritten(text):
    tree = cst.parse_module(f"def f():\n    {text.rstrip().replace(chr(10), chr(10) + '    ')}\n")
    function = tree.body[0]
    made = with_places_in_arms(Source.__new__(Source), list(function.body.body), mentions(function))
    return cst.Module(made).code


@pytest.fixture(autouse=True)
def no_lines(monkeypatch):
    """Which line a statement comes from is not asked here."""
    for name in ("derive", "derive_all"):
        monkeypatch.setattr(Source, name, lambda *args: None)


@pytest.mark.parametrize(("before", "after"), [(CHOSEN, ARMS), (BRANCH, BRANCH_AFTER)])
def test_the_writes_stand_in_both_arms(before, after):
    assert rewritten(before) == after


@pytest.mark.parametrize("text", KEPT)
def test_what_stays(text):
    assert rewritten(text) == text
