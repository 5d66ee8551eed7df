"""`try` statements whose arms say which of them was carried out: before and after."""

import libcst as cst
import pytest

from srcgrad.frontend.desugar.attempts import flag_of, may_raise, torn_names, with_flag

ONE = """\
try:
    y = f(x)
except ValueError:
    y = 0.0
"""
ONE_AFTER = """\
try:
    y = f(x)
    failed = False
except ValueError:
    y = 0.0
    failed = True
"""
FINALLY = """\
try:
    y = f(x)
except KeyError:
    raise
except TypeError:
    y = 1.0
finally:
    done()
"""
FINALLY_AFTER = """\
try:
    try:
        y = f(x)
        failed = False
    except KeyError:
        raise
    except TypeError:
        y = 1.0
        failed = True
finally:
    done()
"""


@pytest.mark.parametrize(("before", "after"), [(ONE, ONE_AFTER), (FINALLY, FINALLY_AFTER)])
def test_flags(before, after):
    """Each arm behind which the function goes on says which it is."""
    made = with_flag(cst.parse_statement(before), "failed")
    assert cst.Module(made).code == after


def test_several_handlers():
    """One name does not tell which of several handlers the function goes on behind."""
    before = ONE + "except TypeError:\n    y = 1.0\n"
    assert with_flag(cst.parse_statement(before), "failed") is None


def test_a_flag_that_is_there():
    """A name that tells the arms apart already is the flag."""
    assert flag_of(cst.parse_statement(ONE_AFTER)) == ("failed", False)
    assert flag_of(cst.parse_statement(ONE)) is None


@pytest.mark.parametrize(
    ("body", "count", "torn"),
    [
        ("y = f(x)", 1, set()),
        ("y = f(x)\ndone = True", 1, set()),
        ("a = f(x)\ny = g(a)\nkept.append((a, y))", 2, {"a"}),
        ("y = f(x)\ny = g(y)", 2, {"y"}),
        ("y, (a, b) = f(x)", 1, {"y", "a", "b"}),
        ("for v in x:\n    y = v", 1, {"v", "y"}),
        ("kept.append(f(x))", 1, set()),
        ("done = True", 0, set()),
    ],
)
def test_how_far_a_body_may_come(body, count, torn):
    """What is bound before the last statement that may raise may be bound where it does."""
    statements = list(cst.parse_module(body).body)
    assert (may_raise(statements), torn_names(statements)) == (count, torn)
