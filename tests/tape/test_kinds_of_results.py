"""What a part that is recorded gives may be something else at the next call, in every mode."""

import itertools

import numpy as np
import pytest

from srcgrad import differentiate
from tests.in_memory import execute

HEAD = """
import numpy as np

def part(x):
    doubled = 2 * x.astype(object).astype(float)
    return {first} if x[0] > 0 else {second}

def f(x):
    {program}
"""
# what it gives by what it is given
KINDS = {
    "whole": "0",
    "number": "doubled[1] * x[2]",
    "row": "doubled * x",
    "pair": "(1, doubled[0])",
    "nothing": "None",
    "half": "(doubled[0] * x[1], None)",
}
PROGRAMS = {
    "given": "return np.sum(part(x))",
    "beside": "y = np.exp(x)\n    return np.sum(part(x)) + y[1]",
    "chosen": "p = part(x)\n    return x[1] if p is None else np.sum(x[0] * np.hstack(p))",
    "picked": "p = part(x)\n    return p[0] * x[1] if isinstance(p, tuple) else x[2] * x[0]",
    "unread": "p = part(x)\n    return x[1] * x[2]",
    "counted": "p = part(x)\n    return x[1] ** 2 if np.ndim(p) == 0 else np.sum(p)",
}
MODES = {
    "grad": lambda d, x, v: np.dot(d.grad(x), v),
    "value_and_grad": lambda d, x, v: np.dot(d.value_and_grad(x)[1], v),
    "vjp": lambda d, x, v: np.dot(d.vjp(x)[1](1.0), v),
    "jvp": lambda d, x, v: d.jvp((x,), (v,))[1] or 0.0,
}
PLACES = (np.array([0.7, 0.4, 1.1]), np.array([-0.9, -0.3, 0.8]), np.array([0.5, 0.2, -0.6]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_call_has_the_derivative_of_what_it_gives(program, mode):
    """Whichever kind comes first, and whichever next."""
    v = np.array([0.3, -0.2, 0.5])
    wrong = []
    for kinds in itertools.permutations(KINDS, 2):
        first, second = (KINDS[kind] for kind in kinds)
        text = HEAD.format(program=PROGRAMS[program], first=first, second=second)
        space = execute(text, f"<{program} {mode} {kinds}>", {})
        f = space["f"]
        derivative = differentiate(f, recorded="allow")
        for x in PLACES:
            try:
                number = (f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6
            except TypeError:
                continue
            found = MODES[mode](derivative, x, v)
            if np.shape(found) or not np.isclose(found, number, rtol=1e-5, atol=1e-7):
                wrong.append((kinds, x, number, found))
    assert not wrong
