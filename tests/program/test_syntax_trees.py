"""Going through the syntax trees of programs."""

import ast
from pathlib import Path

import pytest

from srcgrad.program import syntax_trees

SAYING_NOTHING = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
CASES = """
match point:
    case [1, *rest] | {"a": -1, **others} if not rest:
        x: int = f"{rest!r:>{1}}"
    case Class(a, b=None) as found:
        del others[1:2, ...], found.x
async def f(a, /, b=1, *c, d, e=None, **g):
    async with a as b, c: await d
    async for k in e: yield k
    return [*a, *(lambda x, *y: x)(1)], {**g, a: b}, {k async for k in c if k and not a <= b < c}
try: import a.b as c
except* (A, B) as error: global q; raise C from error
"""


@pytest.mark.parametrize("text", [CASES, Path(syntax_trees.__file__).read_text()])
def test_nodes_are_those_of_ast_in_its_order(text):
    """But for contexts and operators, which stand in fields of others and say nothing more."""
    tree = ast.parse(text)
    expected = [node for node in ast.walk(tree) if not isinstance(node, SAYING_NOTHING)]
    assert syntax_trees.nodes_of(tree) == expected
    for node in expected:
        inner = [n for n in ast.iter_child_nodes(node) if not isinstance(n, SAYING_NOTHING)]
        assert syntax_trees.nodes_under(node) == inner
