"""Objects that tell when they end do so in recorded functions as in the program."""

import random

import pytest

from srcgrad import grad, jvp, tape, vjp
from srcgrad.errors import ArgumentError
from tests.tape.endings import program, texts

TEXTS = texts()
MODES = {
    "grad": lambda f: grad(f, recorded="allow")(2.0),
    "vjp": lambda f: vjp(f, 2.0, recorded="allow")[1](1.0),
    "jvp": lambda f: jvp(f, (2.0,), (1.0,), recorded="allow"),
    "tape": lambda f: tape.grad(f)(2.0),
}


@pytest.mark.one_of(12)
@pytest.mark.parametrize("name", TEXTS)
def test_objects_end_where_they_end_in_the_program(name):
    """What their ends log stands at the same place among other lines."""
    f, log = program(name, TEXTS[name])
    try:
        f(2.0)
    except TypeError:  # an object of this kind cannot be used so
        return
    expected = list(log)
    for mode in random.Random(name).sample(sorted(MODES), 2):
        log.clear()
        MODES[mode](f)
        assert log == expected, mode


GIVEN = """def lets_go(d):
    y = d.value()
    d = None
    LOG.append("let go")
    return y
def f(x):
    return lets_go(D("a", x)) * x
"""


def test_a_function_that_lets_go_of_what_it_was_given():
    """The call of a recorded function holds it, which is told."""
    f, log = program("given", GIVEN)
    f(2.0)
    assert log == ["end of a", "let go"]
    with pytest.raises(ArgumentError, match=r"when D\.__del__ is called is not known"):
        tape.grad(f)(2.0)
    f, _ = program("other", GIVEN.replace("    d = None\n", ""))
    assert tape.grad(f)(2.0) == 8.0
