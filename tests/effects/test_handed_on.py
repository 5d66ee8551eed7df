"""Lists, dicts and objects that text hands on are written under one name, and read under another.

``t = hold(c)`` is text, of whose result no more is known than that ``c`` may be in it: what is
written into the one is there when the other is read, in the value as in the derivative.
"""

import itertools
import linecache

import numpy as np
import pytest

from srcgrad import grad, jvp, tape, value_and_grad
from srcgrad.errors import SrcgradError
from tests import finite_differences as fd
from tests.in_memory import execute

X = np.array([0.3, 1.2, -0.7])
# what gives something that holds an object, and the object in it
MAKERS = {
    "a dict": ("t = hold(c)", "t['p']"),
    "dicts": ("t = hold(hold(c))", "t['p']['p']"),
    "the object": ("t = hold(c)['p']", "t"),
    "its text": ("t = stop_gradient(c)", "t"),
    "copied": ("t = copy.copy([c])", "t[0]"),
    "filtered": ("t = list(filter(None, [c]))", "t[0]"),
    "sorted": ("t = sorted([c], key=id)", "t[0]"),
    "fromkeys": ("t = dict.fromkeys('ab', c)", "t['b']"),
    "mapping": ("t = collections.ChainMap({'k': c})", "t['k']"),
    "local": ("t = maker(c)", "t()"),
    "in a branch": ("t = [c]\n    if x[0] > 0:\n        t = hold(c)['p'], 1", "t[0]"),
}
# what an object begins with, what is read of it, and what is written
OBJECTS = {
    "numbers": (
        "[2.0, 3.0]",
        "{}[0]",
        ("{}[0] = 5.0", "{}.insert(0, 4.0)", "{}.reverse()", "{}[0] += 1.5", "del {}[0]"),
    ),
    "arrays": (
        "[np.ones(3), np.full(3, 2.0)]",
        "{}[0]",
        ("{}[0][1] = 5.0", "{}[0] = np.full(3, 3.0)", "{}.pop(0)", "{}[0] *= 2", "bump({}[0])"),
    ),
    "dict": (
        "{{'k': 2.0}}",
        "{}['k']",
        ("{}['k'] = 4.0", "{}['k'] *= 3", "{}.update(k=5.0)"),
    ),
    "lists": ("[[1.0, 2.0]]", "{}[0][-1]", ("{}[0].append(4.0)", "{}[0][1] = 7.0", "{}.clear()")),
    "object": ("Thing(2.0)", "{}.v", ("{}.v = 4.0", "{}.v += 1.0", "setattr({}, 'v', 3.0)")),
}
PROGRAMS = {
    "by one": "{MAKE}\n    {W_c}\n    return np.sum({R_t} * x)",
    "by the other": "{MAKE}\n    {W_t}\n    return np.sum({R_c} * x)",
    "kept": "{MAKE}\n    a = {R_t} * x\n    {W_c}\n    return np.sum(a * a * {R_c})",
    "kept, by the other": "{MAKE}\n    a = {R_c} * x\n    {W_t}\n    return np.sum(a * a * {R_t})",
    "loop": """{MAKE}
    a = x
    for k in range(2):
        a = a * {R_t}
        {W_c}
    return np.sum(a * x)""",
    "from before": """t, a = None, x
    for k in range(2):
        if t is not None:
            {W_c}
            a = a * {R_t}
        {MAKE}
    return np.sum(a * x)""",
}
HEAD = """
import collections, copy
import numpy as np
from srcgrad import stop_gradient

class Thing:
    def __init__(self, v):
        self.v = v

def hold(p):
    return {{'p': p}}

def maker(p):
    return lambda: p

def bump(p):
    p += 0.5

def f(x):
    c = {BEGIN}
    {BODY}
"""


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.one_of(4)
def test_a_write_is_seen_under_all_names(program, maker):
    """A derivative is that of the program, or an error."""
    make, held = MAKERS[maker]
    for kind, (begin, read, writes) in OBJECTS.items():
        for number, write in enumerate(writes):
            if "in a branch" in maker and "from" in program:
                continue
            body = PROGRAMS[program].format(
                MAKE=make, W_c=write.format("c"), W_t=write.format(held),
                R_c=read.format("c"), R_t=read.format(held),
            )  # fmt: skip
            file = f"<{maker}, {program}, {kind} {number}>"
            f = execute(HEAD.format(BEGIN=begin.format(), BODY=body), file)["f"]
            try:
                want = f(X), fd.gradient(f, (X,), 0)
            except (IndexError, TypeError, KeyError, AttributeError):
                continue
            for how, allowed in itertools.product(("grad", "jvp"), ("refuse", "allow")):
                try:
                    if how == "grad":
                        found = value_and_grad(f, recorded=allowed)(X)
                    else:
                        found = jvp(f, (X,), (np.ones(3),), recorded=allowed)
                except SrcgradError:
                    assert allowed == "refuse", file
                    continue
                slope = want[1] if how == "grad" else want[1].sum()
                np.testing.assert_allclose(found[0], want[0], err_msg=file)
                np.testing.assert_allclose(found[1], slope, atol=1e-5, err_msg=file)
            np.testing.assert_allclose(tape.grad(f)(X), want[1], atol=1e-5, err_msg=file)
            linecache.cache.pop(file, None)


def test_what_is_differentiated_is_not_put_into_what_was_handed_on():
    body = "t = hold(c)\n    c[0] = x * 0.9\n    return np.sum(t['p'][0] * x)"
    f = execute(HEAD.format(BEGIN="[np.ones(3)]", BODY=body), "<put>")["f"]
    with pytest.raises(SrcgradError, match="handed on"):
        grad(f, recorded="refuse")(X)
    np.testing.assert_allclose(grad(f, recorded="allow")(X), 1.8 * X)
