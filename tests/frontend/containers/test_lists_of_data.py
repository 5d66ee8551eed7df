"""Lists of data among the arguments: known by what they hold, until that changes."""

import bisect  # noqa: F401 -- this and others are for programs in texts
import contextlib
import functools  # noqa: F401
import operator  # noqa: F401
from dataclasses import dataclass, field

import numpy as np
import pytest

from srcgrad import check, grad, jvp, source, vjp
from srcgrad.analysis.shapes.contents import data_contents
from srcgrad.ir.types import INTEGER, OPAQUE, REAL
from tests.finite_differences import gradient
from tests.in_memory import execute

X = np.array([0.5, 1.0, 2.0])


@pytest.mark.parametrize(
    ("data", "element"),
    [
        ([1.0, 2.5], REAL),
        ((1, 2, 3), INTEGER),
        ([1, 2.5], REAL),
        (["a", "b"], OPAQUE),
        ([1.0, "a"], None),
        ([np.ones((2, 3)), np.ones((1, 4))], "array of 2 axes"),
        ([np.ones(2), np.ones((2, 2))], "number or array"),
        ([], None),
        ([np.float32(1.0)], None),
        ([1j], None),
        (np.ones(3), None),
        ([None, 1.0] * 9, None),
    ],
)
def test_what_a_list_holds(data, element):
    """The kind of all elements, where it is one."""
    held = data_contents(data)
    if element is None:
        assert held is None
    elif isinstance(element, str):
        assert held.element.is_number
        assert held.element.ndim == (2 if "2" in element else None)
    else:
        assert held.element == element


def test_what_rows_hold():
    """Rows of one length have the kind of each element by its place."""
    rows = data_contents([("a", 1.0, np.ones(2)), ("b", 2, np.ones(3))]).element.element
    assert rows.parts[:2] == (OPAQUE, REAL)
    assert rows.parts[2].ndim == 1
    assert data_contents([(1.0,), (1.0, 2.0)]).element.element.element == REAL
    assert data_contents([1.0, 2.0]) == data_contents([3.0] * 100)


def layers(ws, bs, x):
    h = x
    for w, b in zip(ws, bs, strict=True):
        h = np.tanh(h @ w + b)
    return np.sum(h)


@dataclass
class Economy:
    labour: tuple = (1.0, 1.1, 0.8)
    series: list = field(default_factory=lambda: [float(k) for k in range(100)])
    calls: int = 0


def wages(x, economy):
    total = 0.0
    for j in range(3):
        total += x**2 * economy.labour[j]
    return total


@pytest.mark.parametrize(
    ("function", "args"),
    [(wages, (0.7, Economy()))],
)
def test_numbers_in_lists_have_no_axes(function, args):
    """The text of what is computed with them is that of numbers."""
    derivative = grad(function, recorded="refuse")
    derivative(*args)
    assert "unbroadcast" not in source(derivative)
    assert "require_scalar" not in source(derivative)
    check(function, *args, order=2)


def test_arrays_in_lists_have_a_rank():
    """Weights that are differentiated and biases that are not: products are of matrices."""
    rng = np.random.default_rng(0)
    args = (
        [rng.normal(size=s) for s in [(3, 4), (4, 2)]],
        [np.ones(4), np.ones(2)],
        np.ones((5, 3)),
    )
    derivative = grad(layers, recorded="refuse")
    derivative(*args)
    assert "matmul_backward" not in source(derivative)
    check(layers, *args, order=2)


def test_other_contents_at_the_next_call():
    """Each call has code for what its lists hold."""
    derivative = grad(lambda x, rows: np.sum(x * rows[0]) + np.sum(x * rows[-1]))
    assert derivative(1.0, [1.0, 2.0]) == 3.0
    assert derivative(1.0, [1.0, X]) == 4.5
    assert derivative(1.0, [X, X, X]) == 7.0
    assert np.array_equal(derivative(X, [np.array([2.0]), 1.0]), [3.0] * 3)
    assert derivative(1.0, (1.0, 2.0)) == 3.0


STORE = []


def put(rows, v):
    rows[0] = v


def again(rows, v, n):
    if n:
        again(rows, v, n - 1)
    else:
        rows.insert(0, v)


def same(rows):
    return rows


@contextlib.contextmanager
def lent(rows):
    yield rows


class Box:
    def __init__(self, rows):
        self.rows = rows

    def push(self, v):
        self.rows.insert(0, v)

    def __call__(self, rows, v):
        rows[0] = v


CHANGES = """
data.append(v); data.reverse()
data += [v]; data.reverse()
data[0] = v
data[:] = [v, v]
data[0], data[-1] = v, data[0]
del data[0]; data.insert(0, v)
list.insert(data, 0, v)
operator.setitem(data, 0, v)
data.__setitem__(0, v)
g = data.insert; g(0, v)
getattr(data, 'insert')(0, v)
[data.insert(0, u) for u in [v]]
list(map(functools.partial(data.insert, 0), [v]))
bisect.insort(data, v, key=lambda u: -np.size(u))
put(data, v)
put(rows=same(data), v=v)
again(data, v, 2)
Box(data).push(v)
Box([])(data, v)
b = Box(data); b.rows[0] = v
t = {'a': data}; t['a'][0] = v
t = (data, 1); t[0].insert(0, v)
t = data if np.sum(x) > -9 else []; t[0] = v
h = lambda u: data.insert(0, u); h(v)
functools.partial(put, data)(v)
STORE.append(data); STORE[-1][0] = v; STORE.clear()
with lent(data) as t: t[0] = v
for t in (data,): t[0] = v
for k, _ in enumerate(list(data)): data[k] = v
while len(data) < 4: data.insert(0, v)
operator.methodcaller('insert', 0, v)(data)
functools.reduce(lambda a, u: (a.insert(0, u), a)[1], [v], data)
data[0] += v
data[0] = data[0] + v
""".strip().splitlines()
READS = [
    "np.sum(x * data[0])",
    "sum(np.sum(x * u * u) for u in data)",
    "np.sum(np.sum(x * data[0]) * x * data[-1])",
]
FORMS = [
    "    {change}\n    return {read}",
    "    s = {read}\n    {change}\n    return s * {read}",
    "    s = {read}\n    for _ in range(2):\n        {many}\n        s = s * {read}\n    return s",
]
VALUES = [lambda: np.arange(1.0, 4.0), lambda: np.array([2.0]), lambda: 2.5]
LISTS = [lambda: [1.5, 0.5], lambda: [X + 1, X], lambda: [np.array([2.0]), 1.0]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("change", [pytest.param(c, marks=pytest.mark.one_of(6)) for c in CHANGES])
def test_lists_that_change(change, tmp_path, monkeypatch):
    """What is put into a list is seen by what is read of it afterwards, whoever puts it there."""
    rng = np.random.default_rng(len(change))
    for number in range(3):
        read = READS[rng.integers(len(READS))]
        first, *others = change.split("; ")
        many = "\n        ".join([first, *others])
        form = FORMS[number].format(change="\n    ".join([first, *others]), many=many, read=read)
        text = f"def f(x, v, data):\n{form}\n"
        name = f"<lists {change} {number}>"
        space = execute(text, name, dict(globals()))
        f = space["f"]
        value, made = VALUES[rng.integers(len(VALUES))], LISTS[rng.integers(len(LISTS))]
        wanted = gradient(lambda x: f(x, value(), made()), (X,), 0)
        found = grad(f, recorded="allow")(X, value(), made())
        assert np.shape(found) == np.shape(X)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
        _, dot = jvp(f, (X, value(), made()), (np.ones(3), None, None), recorded="allow")
        np.testing.assert_allclose(dot, np.sum(wanted), rtol=1e-5)
        _, backward = vjp(f, X, value(), made(), recorded="allow")
        np.testing.assert_allclose(backward(1.0), wanted, rtol=1e-5, atol=1e-6)


TABLE = [(0, 1, 2.0), (1, 2, 3.0)]
SPECS = {"a": {"w": 1.0, "n": 2}, "b": {"w": 2.5, "n": 1}, "c": {"w": 0.5, "n": 3}}
GROWING = []


def from_outside(x):
    total = 0.0
    for i, j, v in TABLE:
        total += (x[i] - x[j] * v) ** 2
    for (name, spec), q in zip(SPECS.items(), x):
        total += q ** spec["n"] * spec["w"] * len(name)
    for k in range(2):
        total += x[k] * TABLE[k][2]
    return total


def neighbours(n):
    found = []
    for i in range(n):
        for j in range(i):
            found.append((i, j))
    return found


def made_inside(x):
    total = 0.0
    for i, j in neighbours(len(x)):
        total += np.sum((x[i] - x[j] ** 2) ** 2)
    free = [k for k in range(len(x)) if k != 1]
    return total + np.sum(x[free] ** 3)


@pytest.mark.parametrize(("function", "x"), [(from_outside, X), (made_inside, X[:, None] * X)])
def test_lists_from_outside_and_made_inside(function, x):
    """They are known by what they hold as those among the arguments are."""
    derivative = grad(function, recorded="refuse")
    derivative(x)
    assert "unbroadcast" not in source(derivative)
    check(function, x, order=2)


def test_another_table_at_the_next_call(monkeypatch):
    """What names from outside stand for then, and what these hold, is looked at again."""
    own = [*TABLE]
    monkeypatch.setattr(f"{__name__}.TABLE", own)
    derivative = grad(lambda x: sum(np.sum(x * v) for _, _, v in TABLE) + x)
    assert derivative(1.0) == 6.0
    own[0] = (0, 1, X)
    assert derivative(1.0) == 7.5
    monkeypatch.setattr(f"{__name__}.TABLE", [(0, 0, X), (0, 0, X), (0, 0, 1.0)])
    assert derivative(1.0) == 9.0


def grows(x):
    total = 0.0
    for _ in range(2):
        total = total + sum(np.sum(x * v) for v in GROWING)
        list(map(GROWING.append, [2.5]))
    return total * total


def refilled(x):
    rows = [2.0 * k for k in range(2)]
    total = np.sum(x * rows[1])
    rows[1] = X
    return total * np.sum(x * rows[1])


def kept_elsewhere(x):
    seen, total = [], 0.0
    for _ in range(3):
        if seen:
            seen[0].insert(0, (X, X))
        rows = neighbours(3) if not seen else rows  # noqa: F821
        seen.append(rows)
        total = total + np.sum(x * rows[0][0]) * np.sum(x)
    return total


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", [grows, refilled, kept_elsewhere])
def test_lists_that_change_and_are_no_arguments(function):
    """Bound methods that are handed on, items, and lists that another list holds."""

    def value(x):
        GROWING[:] = [1.5, 2.5]
        return function(x)

    wanted = gradient(value, (X,), 0)
    for _ in range(2):
        GROWING[:] = [1.5, 2.5]
        found = grad(function, recorded="allow")(X)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "data",
    [
        [1.0, 2.0],
        [(1.0, 2), (3.0, 4)] * 20,
        [{"t": 1.0, "v": np.ones(2)}],
        [np.ones(2), np.ones(3)],
        [1.0, 2, "text"],
    ],
    ids=["numbers", "rows", "dicts", "arrays", "mixed"],
)
def test_the_next_call_takes_the_same_code(data):
    """What a list holds is looked at by the guard, and code is generated once."""
    derivative = grad(lambda x, rows: x * x * len(rows) * (2.0 if rows[0] is None else 3.0))
    for _ in range(3):
        derivative(2.0, list(data))
    assert len(derivative.__srcgrad__.specialisations) == 1
