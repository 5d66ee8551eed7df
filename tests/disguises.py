"""The statements of a program written in other ways that mean the same.

``x = e`` is the same as ``x = e if c else e``, as a loop of one trip around it, and as what a
function gives that returns ``e``. Statements are rewritten in such ways at random, and what
stands in brackets is broken into lines; what a program gives, and its derivatives, stay what
they are.
"""

from __future__ import annotations

import ast
import inspect
import io
import random
import textwrap
import tokenize
import types
from collections.abc import Callable
from typing import Any

from tests.in_memory import execute

SUPPORT = """
import numpy
CHOICE = 1
def same(value):
    return value
def either(value, other):
    return value if CHOICE > 0 else other
class Held:
    def __init__(self, value):
        self.value = value
    @property
    def again(self):
        return self.value
"""
# of an expression
VALUES = {
    "both arms": "({e}) if CHOICE > 0 else ({e})",
    "list": "[{e}][0]",
    "tuple": "({e}, 1.0)[0]",
    "dict": "{{'key': {e}}}['key']",
    "function": "same({e})",
    "one of two": "either({e}, 0.0)",
    "object": "Held({e}).value",
    "property": "Held({e}).again",
    "lambda": "(lambda: {e})()",
    "comprehension": "[{e} for _trip in range(1)][0]",
    "last of a list": "[0.0, {e}][-1]",
    "starred": "same(*[{e}])",
    "default": "(lambda value={e}: value)()",
    "generator": "next(iter([{e}]))",
}
# of a statement
STATEMENTS = {
    "both arms": "if CHOICE > 0:\n{s}\nelse:\n{s}",
    "one arm": "if CHOICE > 0:\n{s}",
    "loop": "for _trip in range(1):\n{s}",
    "while": "_trips = 1\nwhile _trips > 0:\n{s}\n    _trips -= 1",
    "with": "with numpy.errstate(all='ignore'):\n{s}",
    "try": "try:\n{s}\nfinally:\n    pass",
}
_WORDS = {"for", "in", "if", "else", "and", "or", "not"}
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)


def disguised(fn: types.FunctionType, seed: int, share: float = 0.4) -> Callable[..., Any] | None:
    """Return a function whose statements are written in other ways.

    Args:
        fn: a function without cells.
        seed: of the random choices.
        share: of the statements that are rewritten.

    Returns:
        The function; None where it has cells or cannot be read.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(fn))).body[0]
    if fn.__closure__ or not isinstance(tree, ast.FunctionDef):
        return None
    tree.decorator_list = []
    text = SUPPORT + in_lines(rewritten(tree, seed, share), seed)
    filename = f"<{fn.__module__}.{fn.__name__} disguised {seed}>"
    space = execute(text, filename, {**fn.__globals__, "__name__": f"disguised_{fn.__name__}"})
    made = space[fn.__name__]
    made.__defaults__, made.__kwdefaults__ = fn.__defaults__, fn.__kwdefaults__
    return made


def rewritten(tree: ast.FunctionDef, seed: int, share: float = 0.4) -> str:
    """Return the text of a function with some statements written in other ways."""
    return ast.unparse(_Disguising(random.Random(seed), share).visit(tree))


def in_lines(text: str, seed: int) -> str:
    """Return a text with a line for each operand in brackets, one time of two."""
    if seed % 2:
        return text
    lines, depth = text.splitlines(True), 0
    breaks = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        depth += (
            (token.string in "([{") - (token.string in ")]}") if token.type == tokenize.OP else 0
        )
        if depth and (token.type == tokenize.OP or token.string in _WORDS):
            breaks.append(token.end)
    for line, column in reversed(breaks):
        lines[line - 1] = lines[line - 1][:column] + "\n" + lines[line - 1][column:]
    return "".join(lines)


class _Disguising(ast.NodeTransformer):
    def __init__(self, choose: random.Random, share: float) -> None:
        self.choose, self.share = choose, share

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    def generic_visit(self, node: ast.AST) -> Any:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, [made for part in block for made in self.statement(part)])
        for handler in getattr(node, "handlers", ()):
            self.generic_visit(handler)
        return node

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        if not isinstance(node, (ast.Return, *_SIMPLE)):
            return [self.visit(node)]
        if self.choose.random() > self.share:
            return [node]
        value: Any = node.value
        text = isinstance(value, ast.Constant) and isinstance(value.value, str)
        if value is None or text or any(isinstance(p, ast.Yield) for p in ast.walk(node)):
            return [node]
        plain = not any(isinstance(p, ast.NamedExpr | ast.Starred) for p in ast.walk(value))
        names = not any(isinstance(p, _SCOPES) for p in ast.walk(value))
        if plain and names and not isinstance(node, ast.Expr) and self.choose.random() < 0.5:
            way = self.choose.choice(list(VALUES.values()))
            node.value = ast.parse(way.format(e=ast.unparse(value)), mode="eval").body
            return [node]
        ways = [w for n, w in STATEMENTS.items() if isinstance(node, _SIMPLE) or n == "both arms"]
        inner = textwrap.indent(ast.unparse(node), "    ")
        return ast.parse(self.choose.choice(ways).format(s=inner)).body
