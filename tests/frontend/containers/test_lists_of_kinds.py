"""Lists of values of every kind, made in a loop, and every way to read and change them."""

import itertools

import numpy as np
import pytest

from srcgrad import jvp, value_and_grad, vjp
from tests.in_memory import execute

HEAD = """\
import numpy as np
from collections import namedtuple
P = namedtuple("P", "p q")
class Holder:
    def __init__(self, v):
        self.v = v
def made(w):
    def h(v):
        return v * w + w
    return h
def f(x):
"""
# a kind of element: how one is made of x and i, and a number that is made of one, e, and r
KINDS = {
    "closure": ("made(x[i])", "{e}(r)"),
    "single": ("(x[i],)", "{e}[0] * r"),
    "pair": ("(x[i], 2.0 * x[i - 1])", "({e}[0] * r + {e}[1])"),
    "nested": ("((x[i], i), x * i)", "({e}[0][0] * r + {e}[0][1] + {e}[1][0])"),
    "dict": ("{'p': x[i], 'q': x[i] ** 2}", "({e}['p'] * r + {e}['q'])"),
    "mixed": ("{'p': x * i, 'q': [i]}", "(np.sum({e}['p']) * r + {e}['q'][0])"),
    "list": ("[x[i], x[0]]", "({e}[0] * r + {e}[1])"),
    "array": ("x * x[i]", "np.sum({e}) * r"),
    "object": ("Holder(x[i])", "{e}.v * r"),
    "record": ("P(x[i], 1.0)", "({e}.p * r + {e}.q)"),
    "number": ("x[i] * 2.0", "{e} * r"),
    "default": ("(lambda v, w=x[i]: v * w)", "{e}(r)"),
}
MAKING = (
    "ls = []\nfor i in range(3): ls.append({m})",
    "ls = [{m} for i in range(3)]",
    "ls = []\nfor i in range(3):\n    ls += [{m}]",
)
READING = {
    "reversed": "for e in reversed(ls): r = {e} + 1",
    "backwards": "for e in ls[::-1]: r = {e} + 1",
    "enumerate": "for k, e in enumerate(ls): r = {e} + k",
    "zip": "for e, g in zip(ls, ls[1:]): r = {e} + {g}",
    "index": "e = ls[-1]\nr = {e}\ne = ls[1]\nr = {e} + r",
    "while": "k = 0\nwhile k < len(ls):\n    e = ls[k]\n    r = {e} + 1\n    k += 1",
    "pop": "while ls:\n    e = ls.pop()\n    r = {e} + 1",
    "pop first": "while len(ls) > 1:\n    e = ls.pop(0)\n    r = {e} + 1",
    "reverse": "ls.reverse()\nfor e in ls: r = {e} + 1",
    "slice": "for e in ls[1:]: r = {e} + 1",
    "star": "a, *b = ls\nfor e in [a, *b, a]: r = {e} + 1",
    "sum": "r = sum({e} for e in ls) + sum([{e} for e in ls[:2]])",
    "insert": "ls.extend(ls[:1])\nls.insert(0, ls[2])\nfor e in ls: r = {e} + 1",
    "swap": "ls[0], ls[2] = ls[2], ls[0]\nfor e in ls: r = {e} + 1",
    "replace": "ls[1] = ls[0]\ndel ls[0]\nfor e in ls + ls: r = {e} + 1",
    "key": "ls.sort(key=lambda e: -({e}))\nfor e in ls: r = {e} + 1",
    "least": "e = min(ls, key=lambda e: {e})\nr = {e}\ne = max(ls, key=lambda e: {e})\nr = {e}",
    "break": "for e in ls:\n    r = {e} + 1\n    if r > 2: break\nelse: r = r * 2",
    "turn": "for _ in range(4):\n    ls = ls[1:] + ls[:1]\n    e = ls[0]\n    r = {e} + 0.5",
    "pairs": "for e in ls:\n    for g in ls: r = {e} * 0.1 + {g}",
    "last": "e = None\nfor e in ls: pass\nr = {e}",
    "best": "e = ls[0]\nfor g in ls:\n    if {g} > 1: e = g\nr = {e}",
}
CASES = list(itertools.product(KINDS, READING))


def written(kind, reading, making):
    """Return the text of a program."""
    element, use = KINDS[kind]
    body = READING[reading]
    for name in "eg":
        body = body.replace("{" + name + "}", use.replace("{e}", name))
    lines = [*making.replace("{m}", element).split("\n"), "r = 1.0", *body.split("\n"), "return r"]
    return HEAD + "".join(f"    {line}\n" for line in lines)


@pytest.mark.one_of(18)
@pytest.mark.parametrize(("kind", "reading"), CASES)
def test_derivatives(kind, reading):
    """The gradient and a tangent, against differences."""
    code = written(kind, reading, MAKING[CASES.index((kind, reading)) % 3])
    file = f"<list of {kind}, {reading}>"
    space = execute(code, file, {"__name__": "listed"})
    f, x, direction = space["f"], np.array([0.7, -1.3, 2.1]), np.array([0.3, -0.5, 0.2])
    h = 1e-6 * np.eye(3)
    expected = np.array([(f(x + step) - f(x - step)) / 2e-6 for step in h])
    value, found = value_and_grad(f, recorded="allow")(x)
    np.testing.assert_allclose(value, f(x))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    _, dot = jvp(f, (x,), (direction,), recorded="allow")
    np.testing.assert_allclose(dot, expected @ direction, rtol=1e-5, atol=1e-6)


def replaced_by_arrays(x):
    """Numbers in a list whose places get arrays."""
    d = [x[0], x[1]]
    total = 0.0
    for i in range(3):
        total = total + np.sum(d[i % 2] * x)
        d[i % 2] = x * 3.0
    return total + np.sum(d[0] * x)


def test_elements_that_are_replaced_by_such_of_another_shape():
    """Their cotangents have no shape of their own: the function is recorded."""
    x, h = np.array([1.3, 0.7]), 1e-6
    f = replaced_by_arrays
    expected = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(2)]
    value, backward = vjp(f, x, recorded="allow")
    np.testing.assert_allclose(value, f(x))
    np.testing.assert_allclose(backward(1.0), expected, rtol=1e-6)
