"""The tables for users who come from other libraries: our side of each row runs."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
import scipy
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import CubicSpline
from scipy.linalg import expm
from scipy.optimize import brentq, least_squares, minimize, root

import srcgrad
from tests.docs.snippets import blocks

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "from"
X = np.array([0.5, 0.7, 1.1])


def f(x, a):
    """Return a number, as the tables' f does."""
    return np.sum(np.sin(a * x) * x)


def g(x):
    """Return a vector, as the tables' g does."""
    return np.stack([x[0] * x[1] - 0.3, np.sin(x[1]) - 0.2, x[2] ** 2 - 0.5])


def with_aux(x, a):
    """Return a number and something beside it."""
    return f(x, a), x.shape


def of_parameters(p):
    """Return a number for parameters in a dict."""
    return np.sum(np.tanh(p["w"] + p["b"]))


def rhs(t, y):
    """Return the slope of a state."""
    return -y * y[0]


def h(s):
    """Return a number for a number."""
    return s * s - 0.5


def names():
    """Return what the cells of the tables may use."""
    solvers = (quad, solve_ivp, CubicSpline, expm, brentq, least_squares, minimize, root)
    return {
        **{name: getattr(srcgrad, name) for name in srcgrad.__all__},
        **{thing.__name__: thing for thing in (f, g, with_aux, of_parameters, rhs, h, *solvers)},
        **{"np": np, "x": X.copy(), "v": np.ones(3), "t": np.arange(3.0), "tree": {"w": X}},
        **{"A": np.diag(X) + 0.1, "rng": np.random.default_rng(0)},
        "scipy": scipy,
        "special": scipy.special,
    }


def cells(path):
    """Yield the pieces of code on our side of the table of a page."""
    table = path.read_text().partition("## Their calls and ours")[2].partition("\n## ")[0]
    for row in re.findall(r"^\| .* \|$", table, re.MULTILINE)[1:]:
        ours = row.strip("| ").rpartition(" | ")[2]
        yield from re.findall(r"(?<!\[)`([^`]+)`", ours)


CELLS = [(path.stem, code) for path in sorted(FOLDER.glob("*.md")) for code in cells(path)]
WORDS = {"for", "while", "if", "match", "f", "wrt"}


@pytest.mark.filterwarnings("ignore:`rcond`")
@pytest.mark.parametrize(("page", "code"), CELLS)
def test_our_side_of_a_row_runs(page, code, tmp_path, monkeypatch):
    """As a statement, or as the name of something that there is."""
    if code in WORDS:
        return
    monkeypatch.chdir(tmp_path)
    file = tmp_path / f"{page}.py"
    file.write_text(code)
    space = names()
    if code.startswith("with "):
        code = f"{code} pass"
        ast.parse(code)
        assert code.split()[1].partition("(")[0] in space
    elif isinstance(ast.parse(code).body[0], ast.Expr):
        made = eval(compile(code, str(file), "eval"), space)
        if re.match(r"(grad|value_and_grad|hessian|checkpoint)\(\w+(, .*)?\)$", code):
            made(space["x"], 2.0)
    else:
        exec(compile(code, str(file), "exec"), space)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_a_page_has_both_sides(path):
    """A program of theirs and of ours, a table, and what is different."""
    text = path.read_text()
    assert len(blocks(text)) >= 3
    assert "## What bites" in text
    assert len(list(cells(path))) > 15


def test_the_calls_of_autograd_are_there():
    """What stands on autograd's side of its page has these names there."""
    autograd = pytest.importorskip("autograd")
    from autograd.extend import defjvp, defvjp, primitive
    from autograd.misc.flatten import flatten
    from autograd.test_util import check_grads

    others = {f.__name__ for f in (defjvp, defvjp, primitive, flatten, check_grads)}
    text = (FOLDER / "autograd.md").read_text().partition("## Their calls and ours")[2]
    theirs = [row.split(" | ")[0] for row in re.findall(r"^\| `.*$", text, re.MULTILINE)]
    called = {n for cell in theirs for n in re.findall(r"[`@ ]([a-z_]+)\b(?=[(`,])", cell)}
    known = called - {"vjp", "np"}
    assert {n for n in known if not hasattr(autograd, n)} <= others
    assert {"grad", "make_vjp", "hessian_vector_product"} <= known
