"""Names that begin as a number, and hold an array once an array was added to them."""

import itertools

import numpy as np
import pytest

from srcgrad import differentiate, jvp
from tests import finite_differences as fd
from tests.in_memory import execute

# how an iteration holds what the name stands for, and what is read in the end
HELD = {
    "another name": ("last = it", "last"),
    "a name at times": ("last = it if k < 1 else last", "last"),
    "a list": ("kept.append(it)", "sum(v * (j + 1) for j, v in enumerate(kept))"),
    "an entry of a dict": ("table['k'] = it", "table['k'] * x"),
    "a tuple": ("pair = (it, k)", "pair[0] * x"),
    "nothing": ("last = it * 1.0", "last"),
}
STARTS = ("1.0", "2", "x[0]", "np.float64(1.5)")
PROGRAM = """
import numpy as np

def program(x):
    it = {start}
    last, kept, table, pair = it, [it], {{'k': it}}, (it, 0)
    {head}
        k = k + 1
        it {operator} x
        {held}
    {behind}
    return np.sum({read}) + np.sum(it)
"""
HEADS = {"for": "for k in range(3):", "while": "k = 0\n    while k < 3:"}


def _program(start, operator, held, head, behind):
    text = PROGRAM.format(
        start=start,
        operator=operator,
        held=HELD[held][0],
        read=HELD[held][1],
        head=HEADS[head],
        behind=f"it {operator} x" if behind else "pass",
    )
    file = f"<augmented {start} {operator} {held} {head} {behind}>"
    names = execute(text, file)
    return names["program"]


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("operator", ["+=", "*=", "-="])
@pytest.mark.one_of(4)
def test_other_names_see_what_is_written_into_the_array(held, operator):
    """The first time a new array is made; from then on it is written in place."""
    x, x_dot = np.array([0.7, 1.3]), np.array([0.4, -0.3])
    kinds = list(itertools.product(HEADS, (False, True)))
    for n, start in enumerate(STARTS):
        f = _program(start, operator, held, *kinds[n])
        expected = fd.gradient(f, (x,), 0)
        derivative = differentiate(f, recorded="allow")
        assert derivative.grad(x) == pytest.approx(expected, rel=1e-6, abs=1e-8), (start, kinds[n])
        _, dot = jvp(f, (x,), (x_dot,), recorded="allow")
        assert dot == pytest.approx(expected @ x_dot, rel=1e-6, abs=1e-8), (start, kinds[n])


def test_sums_that_begin_with_a_number_have_text():
    """Where nothing else holds the array, nobody can see that it is written."""

    def total(x):
        found = 0.0
        for k in range(3):
            found += x * k
        return np.sum(found**2)

    x = np.array([0.7, 1.3])
    gradient = differentiate(total, recorded="refuse").grad(x)
    assert gradient == pytest.approx(fd.gradient(total, (x,), 0), rel=1e-6)


def grown(power, x):
    """A number is left as it is, an array is written."""
    power *= x
    return power


def powers(x):
    """The helper gives a new array once, and writes into it from then on."""
    power, kept = 1.0, []
    for _ in range(3):
        power = grown(power, x)
        kept.append(power)
    return np.sum(sum(v * (j + 1) for j, v in enumerate(kept)))


def test_a_helper_that_may_write_what_it_is_given():
    """The caller's other names see what it writes."""
    x, x_dot = np.array([0.7, 1.3]), np.array([0.4, -0.3])
    expected = fd.gradient(powers, (x,), 0)
    assert differentiate(powers, recorded="allow").grad(x) == pytest.approx(expected, rel=1e-6)
    _, dot = jvp(powers, (x,), (x_dot,), recorded="allow")
    assert dot == pytest.approx(expected @ x_dot, rel=1e-6)
