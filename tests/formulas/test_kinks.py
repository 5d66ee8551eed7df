"""Each row of the table of subgradients in the docs, for every name, in all modes."""

import linecache
import math
import operator
import re
from pathlib import Path

import numpy as np
import pytest

from srcgrad import grad, jvp, tape

PAGE = Path(__file__).parents[2] / "docs" / "kinks.md"


def rows():
    """The calls of the table, each with the place and the slope there."""
    found = []
    for line in PAGE.read_text().splitlines():
        if line.startswith("| `"):
            place, calls, slope = (re.findall("`([^`]+)`", cell) for cell in line.split(" | "))
            found += [(call, place[0].removeprefix("x = "), slope[0]) for call in calls]
    return found


ROWS = rows()
SPACE = {"np": np, "math": math, "operator": operator}


def program(call):
    """A function with a call as its result."""
    file = f"<kink {call}>"
    lines = ["def f(x):\n", f"    return {call}\n"]
    linecache.cache[file] = (len("".join(lines)), None, lines, file)
    space = dict(SPACE)
    exec(compile("".join(lines), file, "exec"), space)
    return space["f"]


def test_the_table_is_read():
    """The rows are found."""
    assert len(ROWS) > 100


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize(("call", "place", "slope"), ROWS)
@pytest.mark.one_of(2)
def test_slope(call, place, slope, monkeypatch):
    """Reverse mode, forward mode and the tape have the slope of the table."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")  # infinite slopes of numbers of Python's
    f, x = program(call), eval(place, SPACE)
    expected = eval(slope, SPACE)
    for derivative in (grad, tape.grad):
        np.testing.assert_array_equal(derivative(f)(x), expected)
    if np.ndim(x) == 0:
        np.testing.assert_array_equal(jvp(f, (x,), (1.0,))[1], expected)
    else:
        found = [jvp(f, (x,), (unit,))[1] for unit in np.eye(len(x))]
        np.testing.assert_array_equal(found, expected)
