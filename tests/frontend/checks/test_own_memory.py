"""Which writes change only what a function made itself."""

import ast

import numpy as np
import pytest

from srcgrad import formulas, grad
from srcgrad.frontend.checks.function_text import OwnMemory
from tests import finite_differences as fd

X = np.array([0.3, 0.7, 1.1])


def _memory(text, **options):
    formulas.load_used()  # what they do is known with them
    parts = list(ast.walk(ast.parse(text)))
    things = {"zeros": np.zeros, "array": np.array, "list": list, "exp": np.exp}
    things |= {"where": np.where, "float": float, "ravel": np.ravel, "cumsum": np.cumsum}
    return OwnMemory(parts, lambda node: things.get(getattr(node, "id", "")), **options)


def _target(text):
    return ast.parse(f"{text} = 0").body[0].targets[0]


@pytest.mark.parametrize(
    ("text", "names", "arrays"),
    [
        ("a = zeros(3)", {"a"}, {"a"}),
        ("a = zeros(3, dtype=object)", {"a"}, set()),
        ("a = [0.0] * n", {"a"}, {"a"}),
        ("a = [0.0 for _ in x]; a[0] += x", {"a"}, {"a"}),
        ("a = [0.0] * n; a[0] = x", {"a"}, set()),
        ("a = [0.0] * n; a.append(x)", {"a"}, set()),
        ("a = [0.0] * n\nfor a[0] in x: pass", {"a"}, set()),
        ("a = [x] * n", {"a"}, set()),
        ("a = array([x])", {"a"}, {"a"}),
        ("a = array([x], dtype=object)", {"a"}, set()),
        ("a = array([x], float)", {"a"}, {"a"}),
        ("a = ravel(x).astype(float)", {"a"}, {"a"}),
        ("a = x.astype(kind)", set(), set()),
        ("a = 2 * exp(x)", {"a"}, {"a"}),
        ("a, b = [x], given", {"a"}, set()),
        ("a = b = {}", {"a", "b"}, set()),
        ("a = zeros(3); a = given", set(), set()),
        ("for a in [x]: pass", set(), set()),
        ("a = zeros(3); a[0] = given", {"a"}, {"a"}),
        ("a = array(x, copy=False)", set(), set()),
        ("a = given.copy()", {"a"}, set()),
        ("a = x + y", {"a"}, set()),
        ("a = exp(x)", {"a"}, {"a"}),
        ("a, b = exp(x), given", {"a"}, {"a"}),
        ("a = exp(x, y)", set(), set()),
        ("a = exp(x, out=y)", set(), set()),
        ("a = exp(*x)", set(), set()),
        ("a = cumsum(x, 0)", {"a"}, set()),
        ("a = cumsum(x, 0, float, y)", set(), set()),
        ("a = where(x > 0, x, y)", {"a"}, set()),
        ("a = ravel(x)", set(), set()),
    ],
)
def test_names_of_what_is_made(text, names, arrays):
    """All that a name is bound to must be made by the function."""
    found = _memory(text)
    assert (found.names, found.arrays) == (names, arrays)


@pytest.mark.parametrize(
    "other",
    [
        *("for a in given: pass", "[0 for a in given]", "with given as a: pass", "a: int = given"),
        *("(a := given)", "import b.c as a", "def a(): pass", "class a: pass", "lambda a: 0"),
        *("try: pass\nexcept E as a: pass", "match given:\n    case [a, *b]: pass"),
    ],
)
def test_a_name_that_stands_for_something_else_too(other):
    """However it is bound."""
    assert _memory(f"a = zeros(3)\n{other}").names == set()


@pytest.mark.parametrize(
    ("target", "stored", "in_place"),
    [
        ("rows[0]", True, False),
        ("rows[0][1]", False, False),
        ("rows.x", True, False),
        ("rows.x.y", False, False),
        ("a[0]", True, True),
        ("given[0]", False, False),
    ],
)
def test_what_a_list_holds_may_be_somebody_elses(target, stored, in_place):
    """A write into an element of a list is no write into the list."""
    found = _memory("rows = [given]; a = zeros(3)")
    assert found.takes(_target(target)) is stored
    assert found.takes_in_place(_target(target)) is in_place


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("x = x.copy(); x[0] = 1", [True]),
        ("x[0] = 1; x = x.copy(); x[1] = 2", [False, True]),
        ("x = array([x.sort(), 1]); x[0] = 1", [False, True]),
        ("n = x.size; x = array(x); x[0] = 1; x = y", [False]),
        ("if n:\n    x = x.copy()\nx[0] = 1", [False]),
        ("f = lambda: x.sort()\nx = x.copy()\nx[0] = 1", [False, True]),
        ("for x in y: x[0] = 1\nx = x.copy()\nx[0] = 1", [False, True]),
        ("x = x.copy()\nfor x in y: x[0] = 1", [False]),
        ("x = x.copy()\ny = [x[0] for x in y]\nx[0] = 1", [False]),
    ],
)
def test_a_parameter_that_is_given_something_new(text, own):
    """Behind that it is no parameter any more; a write before it is one into the argument."""
    tree = ast.parse("def f(x, y, n):\n    " + text.replace("\n", "\n    ")).body[0]
    parts = [part for root in tree.body for part in ast.walk(root)]
    things = {"array": np.array}
    given = ["x", "y", "n"]
    found = OwnMemory(
        parts, lambda node: things.get(getattr(node, "id", "")), True, given, tree.body
    )
    writes = [p for p in parts if isinstance(getattr(p, "ctx", None), ast.Store)]
    writes = [p for p in writes if isinstance(p, ast.Subscript)]
    calls = [
        p.func for p in parts if isinstance(p, ast.Call) and getattr(p.func, "attr", "") == "sort"
    ]
    writes = sorted(writes + calls, key=lambda p: (p.lineno, p.col_offset))
    assert [found.takes(p) for p in writes] == own


def test_operators_of_the_program_may_give_what_was_there():
    """Where a class has operators, or ``copy``, their results are not taken to be new."""
    assert _memory("a = x + y; b = x.copy()", plain=False).names == set()


def _through_a_list(x):
    rows = [x]
    rows[0][0] = 0.5 * x[1]
    return np.sum(x)


def _through_a_dict(x):
    held = {"a": x}
    held["a"][0] = 0.5 * x[1]
    return np.sum(x)


def _in_place(x):
    rows = list([x])
    rows[0] *= 2.0
    return np.sum(x)


def _in_a_comprehension(x):
    rows = [v for v in [x]]
    rows[0][1] = 3.0
    return np.sum(x)


def _in_a_loop(x):
    row = np.zeros(3)
    for row in [x]:
        row[0] = 0.5 * x[1]
    return np.sum(x)


@pytest.mark.parametrize(
    "helper", [_through_a_list, _through_a_dict, _in_place, _in_a_comprehension, _in_a_loop]
)
def test_effects_through_what_a_list_holds(helper):
    """A helper that writes into its argument through a list of its own has an effect."""

    def program(x):
        y = x * 1.0
        parts = [np.sum(y * y), helper(y), np.prod(y)]
        return parts[0] * parts[1] * parts[2]

    made = grad(program, recorded="allow")(X.copy())
    assert np.allclose(made, fd.gradient(program, (X,), 0), rtol=1e-5)
