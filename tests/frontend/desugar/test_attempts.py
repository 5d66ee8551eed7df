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
SEVERAL = """\
try:
    y = f(x)
except ValueError:
    y = 0.0
except KeyError:
    raise
except TypeError:
    y = 1.0
else:
    y = y + 1
finally:
    done()
"""
SEVERAL_AFTER = """\
try:
    try:
        y = f(x)
        failed = 0
    except ValueError:
        failed = 1
    except KeyError:
        raise
    except TypeError:
        failed = 2
    if failed == 1:
        y = 0.0
    elif failed == 2:
        y = 1.0
    else:
        y = y + 1
finally:
    done()
"""


@pytest.mark.parametrize(("before", "after"), [(ONE, ONE_AFTER), (SEVERAL, SEVERAL_AFTER)])
def test_flags(before, after):
    """Each arm behind which the function goes on says which it is."""
    made = with_flag(cst.parse_statement(before), "failed")
    assert cst.Module(made).code == after


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
