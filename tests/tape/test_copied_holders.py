"""Objects and containers that hold a written array, and that a library copies or takes apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from srcgrad import tape
from tests.finite_differences import gradient
from tests.in_memory import execute

TEXT = """\
import collections, copy, dataclasses, types
import numpy as np

class Plain:
    def __init__(self, w):
        self.w, self.me = w, self

class Slots:
    __slots__ = ("w",)
    def __init__(self, w):
        self.w = w

class Rows(list):
    def __init__(self, w):
        super().__init__([w])
        self.w = w

@dataclasses.dataclass
class Data:
    w: object

Named = collections.namedtuple("Named", "w")
u = np.zeros(3)
KEPT = {make}

def f(x):
    u = np.array([0.5, 0.9, -0.3])
    q = {make}
    u[2] = x[1]
    z = {copied}
    KEPT.w = x * 2
    return np.sum({read} ** 2) + np.sum(q.w * x)
"""
HOLDERS = ("Plain(u)", "Slots(u)", "Rows(u)", "Data(u)", "types.SimpleNamespace(w=u)")
COPIES = (
    ("copy.deepcopy(q)", "z.w"), ("copy.deepcopy([q])", "z[0].w"), ("copy.copy(q)", "z.w"),
    ("copy.deepcopy({'a': (q,)})", "z['a'][0].w"), ("copy.deepcopy(Plain(q))", "z.me.w.w"),
    ("copy.deepcopy(collections.deque([q]))", "z[0].w"), ("copy.deepcopy(Named(q))", "z.w.w"),
)  # fmt: skip
OF_DATA = (("dataclasses.asdict(q)", "z['w']"), ("dataclasses.astuple(q)", "z[0]"))
CASES = [*itertools.product(HOLDERS, COPIES), *(("Data(u)", copied) for copied in OF_DATA)]


@pytest.mark.parametrize(("make", "copied"), CASES)
def test_a_copy_depends_on_what_was_written(make: str, copied: tuple[str, str]) -> None:
    """Gradients and tangents go through the copy, and nothing recorded is left in an object."""
    text = TEXT
    for name, part in (("make", make), ("copied", copied[0]), ("read", copied[1])):
        text = text.replace("{" + name + "}", part)
    names = execute(text, f"<copied {make} {copied[0]}>")
    x, along = np.array([0.4, -0.2, 0.7]), np.array([0.3, 0.5, -0.9])
    wanted = gradient(names["f"], (x,), 0)
    assert np.allclose(tape.grad(names["f"])(x), wanted, 1e-6, 1e-7)
    assert type(names["KEPT"].w) is np.ndarray
    assert np.isclose(tape.jvp(names["f"], (x,), (along,))[1], wanted @ along, 1e-6, 1e-7)
    assert type(names["KEPT"].w) is np.ndarray
