"""What a class holds is changed for all its objects, those that a function makes among them."""

from itertools import count, product

import numpy as np
import pytest

from srcgrad import grad, jvp, value_and_grad, vjp
from tests.in_memory import execute

pytestmark = pytest.mark.filterwarnings("ignore")

TEXT = """
import numpy as np
from dataclasses import dataclass


class Inner:
    rows = [1.0]
    n = 1.0


def put(q):
    q[0] = 6.0


def grow(q):
    q.append(6.0)


class Plain:
    l = [5.0]
    a = np.ones(2)
    r = [[1.0], [2.0]]
    o = Inner()

    def push(self, v):
        self.l.append(v)

    def bump(self):
        self.a[0] += 1.0

    def give(self):
        return self.a

    @property
    def p(self):
        return self.l


class Given(Plain):
    def __init__(self, q):
        self.q = q


@dataclass
class Fields(Plain):
    q: float = 1.0


def f(x, a):
    h = MAKE
    CHANGE
    shared = sum(Plain.l) + np.sum(Plain.a) + sum(sum(v) for v in Plain.r)
    shared += sum(Plain.o.rows) + Plain.o.n + sum(h.l) + h.a[0]
    return np.sum(x) * shared * a
"""
MAKES = ("Plain()", "Given(1.0)", "Given(2.0 * x)", "Fields()")
CHANGES = (
    "h.l += [1.0]", "h.a += 1.0", "h.l.append(1.0)", "h.push(4.0)", "h.bump()", "put(h.a)",
    "grow(h.l)", "for q in h.r: q.append(1.0)", "h.o.rows.append(2.0)", "h.o.n += 1.0",
    "h.r[0] += [1.0]", "np.add(h.a, 1.0, out=h.a)", "q = h.a; q[0] = 7.0", "q = h.l; q += [3.0]",
    "p, q = h.a, h.l; p[0] = 9.0; q.append(1.0)", "q = h.a if x[0] > 0 else np.ones(2); q[1] = 4.0",
    "q = h.give(); q[0] = 8.0", "q = [h.a, h.a]; q[1][0] = 5.0",
    "q = dict(u=h.l); q['u'].append(3.0)", "[v.append(1.0) for v in h.r]",
    "q = lambda: h.l.append(1.0); q()", "q = h.a.reshape(1, 2); q[0, 0] = 3.0",
    "p, *q = h.r; q[0].append(7.0)", "(q := h.l).append(2.0)", "h.l = list(h.l); h.l.append(1.0)",
    "h.a = h.a.copy(); h.a[0] = 5.0", "getattr(h, 'l').append(1.0)", "h.__class__.l.append(1.0)",
    "type(h).a[0] = 4.0", "h.p.append(1.0)",
)  # fmt: skip
X = np.array([0.3, 0.5])
numbers = count()


def program(make, change):
    """Return the function of a text, in a module of its own."""
    text = TEXT.replace("MAKE", make).replace("CHANGE", change)
    name = f"<held by a class {next(numbers)}>"
    space = execute(text, name, {"__name__": name})
    return space["f"]


def slopes(mode, f):
    """Return the slope in the first entry, of a first and of a second call."""
    if mode == "grad":
        gradient = grad(f, recorded="allow")
        return [gradient(X, 1.3)[0] for _ in range(2)]
    if mode == "value_and_grad":
        both = value_and_grad(f, recorded="allow")
        return [both(X, 1.3)[1][0] for _ in range(2)]
    if mode == "vjp":
        return [vjp(f, X, 1.3, recorded="allow")[1](1.0)[0] for _ in range(2)]
    dots = np.array([1.0, 0.0]), None
    return [jvp(f, (X, 1.3), dots, recorded="allow")[1] for _ in range(2)]


@pytest.mark.parametrize("mode", ["grad", "value_and_grad", "vjp", "jvp"])
@pytest.mark.parametrize(
    ("make", "change"),
    [pytest.param(*case, marks=pytest.mark.one_of(12)) for case in product(MAKES, CHANGES)],
)
def test_all_objects_see_it(make, change, mode):
    """The slope is what the sum is multiplied with, as the plain function has it call by call."""
    plain = program(make, change)
    expected = [plain(X, 1.3) / np.sum(X) for _ in range(2)]
    np.testing.assert_allclose(slopes(mode, program(make, change)), expected, rtol=1e-12)
