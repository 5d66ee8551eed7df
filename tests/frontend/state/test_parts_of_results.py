"""Results whose parts have one form on some paths, and another one on others."""

import numpy as np
import pytest

from srcgrad import differentiate, grad, jvp
from tests import finite_differences as fd
from tests.in_memory import execute

# what a part of a result may be
PARTS = {
    "a number": "z[0] * z[1]",
    "an array": "z * z",
    "a list of one": "[z[0] * z[0]]",
    "a list of two": "[z[1] * z[0], z[2]]",
    "a list that is filled": "filled(z)",
    "a list of some length": "[v * v for v in z if v > 0.4]",
    "a tuple": "(z[2] ** 2, z[0])",
    "a list in a list": "[[z[2] ** 2], z[0]]",
    "a dict": "{'a': z * z[0]}",
    "a dict of two": "{'a': z[1] ** 2, 'b': z}",
    "nothing": "None",
}
AROUND = {"a tuple": "z[0], {part}", "a list": "[z[1], {part}]", "a dict": "{{'k': {part}}}"}
PROGRAM = """
def filled(z):
    made = [0.0] * len(z)
    for i in range(len(z)):
        made[i] = z[i] ** 3
    return made

def result(z, bound):
    if z[0] < bound:
        return {first}
    return {second}

def called(z, bound):
    found = result(z, bound)
    return z[2], found
"""
Z = np.array([0.3, 0.7, 0.5])


def _function(name, first, second):
    text = PROGRAM.format(first=first, second=second)
    file = f"<parts {first} {second}>"
    names = execute(text, file, {"np": np})
    return names[name]


def _cotangent(value):
    """Ones in the structure of a value."""
    if isinstance(value, tuple | list):
        return type(value)(map(_cotangent, value))
    if isinstance(value, dict):
        return {key: _cotangent(part) for key, part in value.items()}
    return None if value is None else np.ones_like(value)


def _sum(value):
    return sum(float(np.sum(leaf)) for leaf in fd.leaves(value) if leaf is not None)


@pytest.mark.one_of(8)
@pytest.mark.parametrize("second", PARTS)
@pytest.mark.parametrize("first", PARTS)
def test_no_part_is_lost(first, second):
    """Cotangents reach all parts on either path, and tangents are given for all of them."""
    around = list(AROUND)[(len(first) + len(second)) % 3]  # each beside each other one
    texts = [AROUND[around].format(part=PARTS[part]) for part in (first, second)]
    z_dot = np.array([0.2, -0.4, 0.7])
    for name in ("result", "called"):
        f = _function(name, *texts)
        derivative = differentiate(f, recorded="allow")
        for bound in (1.0, 0.0):
            value, backward = derivative.vjp(Z, bound)
            found = backward(_cotangent(value))
            expected = fd.gradient(lambda z, f=f, b=bound: _sum(f(z, b)), (Z,), 0)
            assert found == pytest.approx(expected, abs=1e-7), (name, bound)
            _, dot = jvp(f, (Z, bound), (z_dot, None), recorded="allow")
            assert _sum(dot) == pytest.approx(expected @ z_dot, abs=1e-7), (name, bound)


GIVEN_OR_NOT = """
import numpy as np

def picked(x, bound):
    if bound > 5:
        return None
    return bound, {part}

def total(x):
    total = 0.0
    for bound in (0.4, 9.0, 0.8):
        found = picked(x, bound)
        if found is not None:
            total = total + np.sum(found[1] ** 2)
    return total
"""


@pytest.mark.parametrize(
    "part", ["x[x > bound]", "x * x", "x[0]", "np.outer(x, x)", "np.sin(x[1:])"]
)
def test_what_is_not_there_has_a_zero_cotangent(part):
    """Also where nothing tells how long it would be, so that the function is recorded."""
    total = execute(GIVEN_OR_NOT.format(part=part), "given_or_not.py")["total"]
    x = np.array([0.3, 0.7, 1.1])
    gradient = grad(total, recorded="allow")
    np.testing.assert_allclose(gradient(x), fd.gradient(total, (x,), 0), rtol=1e-6)
    assert all("fault" not in str(each.reason) for each in gradient.recorded)
