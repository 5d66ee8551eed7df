"""Trees without layout say what the text says, for every formula that is read so."""

import ast
import inspect
import textwrap
import types

import libcst as cst
import pytest
import srcgrad.formulas

from srcgrad import registry
from srcgrad.frontend.text import bare
from srcgrad.frontend.text.source import read_bare

srcgrad.formulas.load_all()
FORMULAS = list(
    dict.fromkeys(f for f in registry._formulas.values() if isinstance(f, types.FunctionType))
)


class Plain(ast.NodeTransformer):
    """Removes decorators and annotations, which no formula needs when it is lowered."""

    def visit_FunctionDef(self, node):
        """Leave the decorators and the annotation of the result out."""
        self.generic_visit(node)
        node.decorator_list, node.returns = [], None
        return node

    def visit_arg(self, node):
        """Leave the annotation out."""
        node.annotation = None
        return node


def dump(text):
    """Return the structure of the definition in a text."""
    return ast.dump(Plain().visit(ast.parse(textwrap.dedent(text)).body[0]))


def rebuilt(text):
    """Return the text of a bare tree."""
    return cst.Module([bare.definition(ast.parse(text).body[0])]).code


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_a_formula_keeps_its_meaning(formula):
    """Written out, the tree is the formula's own code, with more parentheses."""
    tree = read_bare(formula).tree
    assert dump(cst.Module([tree]).code) == dump(inspect.getsource(formula))


def test_most_formulas_are_rebuilt():
    """If many had to be parsed, nothing would be gained."""
    parsed = 0
    for formula in FORMULAS:
        node = ast.parse(textwrap.dedent(inspect.getsource(formula))).body[0]
        try:
            bare.definition(node)
        except bare.NotCovered:
            parsed += 1
    assert parsed <= len(FORMULAS) // 20


@pytest.mark.parametrize(
    "expression",
    [
        "(a + b) * c - -d ** (e - 1)",
        "not (a and b or c) and d",
        "a < b <= c is not None",
        "a if (b if c else d) else e",
        "f(*a, b, key=(lambda x, *, y=1: x + y))(c).d[e]",
        "a[..., None, 1:2, ::-1], a[:, 0][b:], (c,), (), [d, *e]",
        "1, 2.5, 1e-300, 'it is \"so\"', True, None, ...",
    ],
)
def test_an_expression_keeps_its_meaning(expression):
    """Operators of all ranks, chains, calls, subscripts and constants."""
    text = f"def f(a, b=1, *c, d, e=None):\n    return {expression}\n"
    assert dump(rebuilt(text)) == dump(text)


@pytest.mark.parametrize("body", ["yield a", "a: int = 1", "return f(**a)", "return a[b,]"])
def test_the_rest_is_left_to_the_parser(body):
    """What is not covered is said so, not left out."""
    with pytest.raises(bare.NotCovered):
        rebuilt(f"def f(a, b):\n    {body}\n")
