"""``z = sum(...)`` as a loop that adds up; what ``z`` stood for may be read meanwhile."""

import numpy as np
import pytest

from srcgrad import grad, jvp, source
from tests.finite_differences import gradient
from tests.in_memory import execute

PROGRAMS = """
z = x[0] * 2
h = lambda v: v * z
z = sum(h(v) for v in x)
return z * x[1]
---
z = x * 2
def h(v):
    return v * z
z = sum(h(v) for v in x)
return np.sum(z * x)
---
z = x[0]
try:
    z = sum(checked(v) for v in x)
except ValueError:
    pass
return z * x[1]
---
z = x * 2
try:
    z = sum(checked(v) * x for v in x)
except ValueError:
    pass
return np.sum(z * x)
---
y = x * 1.0
z = sum((v * x for v in x[:0]), y)
z += x
return np.sum(z * x) + np.sum(y)
---
t = x * 1.0
z = 0.0
for v in (t, t * 2):
    z = z + v
z[0] = 5.0
return np.sum(z * x) + np.sum(t)
---
z = 0.0
kept = []
for v in (x, x * 2, x * x):
    z += v
    kept.append(z)
return np.sum(kept[0] * x)
""".strip().split("\n---\n")
HEAD = """
import numpy as np

def checked(v):
    if v > 1.0:
        raise ValueError
    return v * v

def f(x):
"""


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_what_the_name_stood_for(number):
    """Both modes, where all is added up and where it fails on the way."""
    body = "".join(f"    {line}\n" for line in PROGRAMS[number].splitlines())
    f = execute(HEAD + body, f"<sum {number}>", {})["f"]
    derivative = grad(f, recorded="allow")
    for x in (np.array([0.7, 1.1, 0.9]), np.array([0.3, 0.75, 0.2])):
        expected = gradient(f, (x,), 0)
        np.testing.assert_allclose(derivative(x), expected, rtol=1e-6)
        found = jvp(f, (x,), (x,), recorded="allow")[1]
        np.testing.assert_allclose(found, np.dot(expected, x), rtol=1e-6)


def test_a_new_name_is_that_of_the_sum():
    """And the comment stays."""
    text = "def f(x):\n    s = sum(v * v for v in x)  # of squares\n    return s * s\n"
    derivative = grad(execute(text, "<named sum>", {})["f"])
    derivative(np.array([0.5, 1.5]))
    assert "    s = 0  # of squares\n" in source(derivative)
