"""Lists, dicts and objects that code changes in ways that cannot be read, or hardly."""

import itertools

import numpy as np
import pytest

from srcgrad import jvp, value_and_grad
from srcgrad.errors import SrcgradError
from tests.in_memory import execute

pytestmark = pytest.mark.filterwarnings("ignore")

CHANGE = """
def change(t, k, v):
    if isinstance(t, (list, dict)):
        t[k] = v
    else:
        setattr(t, k, v)
"""
WRITERS = {"text": CHANGE, "no text": f"exec({CHANGE!r})\n"}
SUPPORT = """
import functools
from dataclasses import dataclass
import numpy as np
class Box:
    def __init__(self, k):
        self.k = k
@dataclass
class Data:
    k: float
KEPT = []
def keep(t):
    KEPT.append(t)
def change_kept():
    for t in KEPT:
        change(t, KEY, 5.0)
"""
# how it is made, how a part is read, the key or attribute of the part
CONTAINERS = {
    "list": ("[2.0, 3.0]", "{t}[0]", 0),
    "dict": ("{'k': 2.0, 'j': 3.0}", "{t}['k']", "k"),
    "object": ("Box(2.0)", "{t}.k", "k"),
    "dataclass": ("Data(2.0)", "{t}.k", "k"),
    "active list": ("[x[0], x[1]]", "{t}[0]", 0),
    "active dict": ("{'k': x[0]}", "{t}['k']", "k"),
    "active object": ("Box(x[0])", "{t}.k", "k"),
}
# the statements, and what the container is called behind them
PLACES = {
    "itself": ("t = {made}", "t"),
    "list": ("h = [{made}]", "h[0]"),
    "dict": ("h = {{'i': {made}}}", "h['i']"),
    "tuple": ("h = ({made}, 1.0)", "h[0]"),
    "object": ("h = Box({made})", "h.k"),
    "two names": ("s = {made}\nt = s", "t"),
    "one of two": ("s = {made}\nif x[0] > 0:\n    t = s\nelse:\n    t = {made}", "t"),
}
CHANGES = {
    "statement": "change({t}, {key!r}, 5.0)",
    "value": "z = change({t}, {key!r}, 5.0)",
    "for": "for _ in [change({t}, {key!r}, 5.0)]:\n    pass",
    "if": "if change({t}, {key!r}, 5.0) is None:\n    pass",
    "comprehension": "[change({t}, {key!r}, 5.0) for _ in range(2)]",
    "lambda": "(lambda: change({t}, {key!r}, 5.0))()",
    "partial": "functools.partial(change, {t}, {key!r})(5.0)",
    "map": "list(map(lambda v: change({t}, {key!r}, v), [5.0]))",
    "local": "def local(v):\n    change({t}, {key!r}, v)\nlocal(5.0)",
    "kept": "KEPT.clear()\nkeep({t})\nchange_kept()",
    "with": "with np.errstate(all='ignore'):\n    change({t}, {key!r}, 5.0)",
    "try": "try:\n    change({t}, {key!r}, 5.0)\nfinally:\n    pass",
    "loop": "for k in range(2):\n    change({t}, {key!r}, 5.0 + k)",
    "between": "w = {part}\nchange({t}, {key!r}, 5.0)\nx = x * w",
    "argument": "q = max(1.0, (change({t}, {key!r}, 5.0), 2.0)[1])\nx = x * q",
}
READS = {
    "product": "return np.sum(x * {part} * {part})",
    "helper": "return helper(x, {t})",
    "condition": "if {part} > 4.0:\n    return np.sum(x * x)\nreturn np.sum(x)",
    "loop": "s = 0.0\nfor i in range(2):\n    s = s + x[i] * {part}\nreturn s",
}
CASES = list(itertools.product(WRITERS, CONTAINERS, PLACES, CHANGES, READS))


def made(writer, container, place, change, read):
    """Return the function of one case."""
    display, part, key = CONTAINERS[container]
    hold, name = PLACES[place]
    words = {"t": name, "key": key, "part": part.format(t=name)}
    lines = [hold.format(made=display), CHANGES[change].format(**words)]
    body = "\n".join([*lines, READS[read].format(**words)]).replace("\n", "\n    ")
    helper = f"def helper(x, t):\n    return np.sum(x * {part.format(t='t')} ** 2)\n"
    text = f"{SUPPORT}{WRITERS[writer]}KEY = {key!r}\n{helper}def f(x):\n    {body}\n"
    filename = f"<changed {writer} {container} {place} {change} {read}>"
    space = execute(text, filename, {"__name__": "changed"})
    return space["f"]


@pytest.mark.one_of(160)
@pytest.mark.parametrize("case", [pytest.param(c, id="-".join(c)) for c in CASES])
def test_what_code_changed_is_read_anew(case):
    """Gradients and tangents are those of differences, or an error where nothing can be read."""
    f, x, x_dot, step = made(*case), np.array([1.3, 0.7]), np.array([1.0, -2.0]), 1e-6
    value = f(x.copy())
    steps = step * np.eye(2)
    expected = np.array([(f(x + e) - f(x - e)) / (2 * step) for e in steps])
    try:
        found, gradient = value_and_grad(f, recorded="allow")(x.copy())
        again, dot = jvp(f, (x.copy(),), (x_dot,), recorded="allow")
    except SrcgradError:
        assert case[0] == "no text"
        return
    np.testing.assert_allclose([found, again], value)
    np.testing.assert_allclose(gradient, expected, atol=1e-6)
    np.testing.assert_allclose(dot, expected @ x_dot, atol=1e-6)
