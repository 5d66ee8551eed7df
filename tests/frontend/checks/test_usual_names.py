"""A name of Python's that stands for something else is taken for what it stands for."""

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import UnsupportedSyntaxError
from tests import finite_differences as fd
from tests.in_memory import execute

X = np.array([0.3, 0.7, 1.1])
# names that text is understood by or written with, another meaning of each, and a use
MEANINGS = [
    ("sum", "lambda v: v[0] * 5.0", "sum([v * 2.0 for v in x])"),
    ("sum", "lambda v: v[0] * 5.0", "sum(list(x))"),
    ("max", "lambda v: v[-1] * 3.0", "max([v * 2.0 for v in x])"),
    ("min", "lambda v: v[-1] * 3.0", "min([v for v in x])"),
    ("any", "lambda v: True", "(x[0] ** 2 if any([v > 9.0 for v in x]) else x[1])"),
    ("all", "lambda v: False", "(x[0] ** 2 if all([v > 0.0 for v in x]) else x[1])"),
    ("list", "lambda v: [v[1], v[0]]", "list([v * 2.0 for v in x])[0] ** 2"),
    ("tuple", "lambda v: [v[1], v[0]]", "tuple([v * 2.0 for v in x])[0] ** 2"),
    ("dict", "lambda v: {'a': v[1][1]}", "dict([(k, v) for k, v in zip('abc', x)])['a'] ** 2"),
    ("sorted", "lambda v: [v[1], v[0]]", "sorted([v * 2.0 for v in x])[0] ** 2"),
    ("zip", "lambda a, b: [(a[1], b[0])]", "np.array([p * q for p, q in zip(x, 2.0 * x)])[0]"),
    ("map", "lambda f, v: [f(v[1])]", "np.array([v * 3.0 for v in map(np.sin, x)])[0]"),
    ("range", "lambda n: [2, 0]", "np.array([x[i] ** 2 for i in range(3)])[0]"),
    ("enumerate", "lambda v: [(5, v[1])]", "np.array([i * v for i, v in enumerate(x)])[0]"),
    ("reversed", "lambda v: v", "np.array([v * 2.0 for v in reversed(x)])[0]"),
    ("len", "lambda v: v[0] * v[1]", "len(x) * x[0]"),
]
LOOPED = (
    "def f(x):\n    {name} = 2.0\n    t = 0.0\n    for v in x:\n        t = t + np.sin(v * t + v)\n"
)


def function_of(text):
    """Return the function f of a text, in a module of its own."""
    filename = f"<usual names {abs(hash(text))}>"
    space = execute(text, filename, {"np": np, "__name__": "usual_names"})
    return space["f"]


def check(f):
    """Compare the gradient with differences."""
    np.testing.assert_allclose(
        grad(f, recorded="allow")(X), fd.gradient(f, (X,), 0), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize(("name", "meaning", "use"), MEANINGS)
@pytest.mark.parametrize("place", ["global", "local", "later"])
def test_other_meanings(name, meaning, use, place):
    """The derivative is that of the function that the name stands for, at each call."""
    body = f"    return {use} * x[2]"
    inside = f"    {name} = {meaning}\n" if place == "local" else ""
    f = function_of(f"def f(x):\n{inside}{body}\n")
    if place == "later":
        slope = grad(f, recorded="allow")
        slope(X)
        f.__globals__[name] = function_of(f"f = {meaning}\n")
        np.testing.assert_allclose(slope(X), fd.gradient(f, (X,), 0), rtol=1e-6, atol=1e-8)
        return
    if place == "global":
        f.__globals__[name] = function_of(f"f = {meaning}\n")
    check(f)


@pytest.mark.parametrize("name", ["len", "range", "zip", "list", "float", "slice", "enumerate"])
def test_names_that_text_is_written_with(name):
    """A local variable under such a name is not in the way of generated code."""
    check(function_of(LOOPED.format(name=name) + f"    return t * {name}\n"))


def test_accumulators():
    """A number called ``sum`` or ``max`` changes nothing: there is generated code."""
    f = function_of(
        "def f(x):\n    sum = 0.0\n    for v in x:\n        sum += v ** 2\n    return sum\n"
    )
    np.testing.assert_allclose(grad(f, recorded="refuse")(X), 2 * X)


def test_refusal():
    """The refusal names the name."""
    f = function_of("def f(x):\n    sum = np.prod\n    return sum(x)\n")
    with pytest.raises(UnsupportedSyntaxError, match="sum is not Python's function of that name"):
        grad(f, recorded="refuse")(X)
