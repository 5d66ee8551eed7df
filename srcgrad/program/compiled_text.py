"""Whether a text is that of a function: its file is compiled again, and compared.

Files are edited while a program runs, and texts that were executed have no names of their own.
"""

from __future__ import annotations

import ast
import copy
import itertools
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

from srcgrad.errors import SourceNotFoundError
from srcgrad.library.libraries import module_of
from srcgrad.program import facts
from srcgrad.program.syntax_trees import FUTURE, codes_at, functions_at, imports_of
from srcgrad.program.texts import lines_of, ways_out

_known: dict[int, tuple[types.CodeType, list[str], bool]] = {}


def require_text(function: types.FunctionType) -> list[str]:
    """Return the lines of the file that has the text of a function.

    Raises:
        SourceNotFoundError: when there is none, or it holds another text.
    """
    code = facts.code(function)
    lines = lines_of(code.co_filename, function.__globals__)
    if not lines or code.co_firstlineno > len(lines):
        raise no_text(function, f"the file {code.co_filename!r} cannot be read")
    if not facts.is_fixed(module_of(function)) and not is_text_of(lines, function):
        place = f"line {code.co_firstlineno} of {code.co_filename!r}"
        why = f"{place} holds other text than it was made from"
        raise no_text(function, why + _REREAD * (not code.co_filename.startswith("<")))
    return lines


_REREAD = "; was the file edited since it was imported?"


def no_text(function: Any, why: str) -> SourceNotFoundError:
    """Return the error for a function without text."""
    name = getattr(function, "__qualname__", None) or repr(function)
    return SourceNotFoundError(
        f"the source of {name} cannot be read: {why}",
        why="srcgrad differentiates source text; it needs the text of every function "
        "that active values go through.",
        fixes=ways_out(getattr(getattr(function, "__code__", None), "co_filename", "")),
    )


def is_text_of(lines: list[str], function: types.FunctionType) -> bool:
    """Tell whether a function was made from what stands at its place in a file."""
    code = function.__code__
    known = _known.get(id(code))
    if known is None or known[1] is not lines:
        known = _known[id(code)] = code, lines, _fits(code, function)
    return known[2]


def _fits(code: types.CodeType, function: types.FunctionType) -> bool:
    if any(isinstance(part, types.FunctionType) for part in code.co_consts):
        return True  # it is being recorded; its text was compared before
    if any(is_same(made, code) for made in codes_at(code, function.__globals__)):
        return True
    cls = class_of(code.co_qualname)  # generated code has names that stand around it
    for node in functions_at(code, function.__globals__):
        node = copy.deepcopy(node)
        if cls is not None:
            node = Mangler(cls).generic_visit(node)
        if is_same(compiled(node, code), code):
            return True
    return False


def class_of(qualname: str) -> str | None:
    """Return the class in whose body a function stands, in a method maybe, or None."""
    parts = qualname.split(".")
    around = [a for a, b in itertools.pairwise(parts) if "<locals>" not in (a, b)]
    return around[-1] if around else None


class Mangler(ast.NodeTransformer):
    """Writes out the names that begin with two underscores inside of a class.

    ``name``: the name of the class.
    """

    def __init__(self, name: str) -> None:
        self.prefix = f"_{name.lstrip('_')}"

    def written_out(self, name: str) -> str:
        """Return a name as Python calls it."""
        private = name.startswith("__") and not name.endswith("__")
        return self.prefix + name if private else name

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Write out the name of an attribute."""
        self.generic_visit(node)
        node.attr = self.written_out(node.attr)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Write out a name."""
        node.id = self.written_out(node.id)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Leave the names inside of another class to that class."""
        return node


def compiled(node: Any, like: types.CodeType) -> types.CodeType | None:
    """Return the code of a function that stands inside of one with its free names.

    Python compiles calls of what is imported beside a function in another way; in notebooks,
    each statement of a cell is compiled by itself.
    """
    made = _compiled_behind(imports_of(like.co_filename), node, like)
    if is_same(made, like):
        return made
    alone = _compiled_behind([], node, like)
    return alone if is_same(alone, like) else made


def _compiled_behind(
    imports: list[ast.stmt], node: Any, like: types.CodeType
) -> types.CodeType | None:
    if not isinstance(node, ast.Lambda):
        node.decorator_list = []
        node.returns = None
        if sys.version_info >= (3, 12):
            node.type_params = []
    for part in (*node.args.args, *node.args.posonlyargs, *node.args.kwonlyargs):
        part.annotation = None
    for part in (node.args.vararg, node.args.kwarg):
        if part is not None:
            part.annotation = None
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [d and ast.Constant(None) for d in node.args.kw_defaults]
    body: list[ast.stmt] = [ast.Expr(node)] if isinstance(node, ast.Lambda) else [node]
    if like.co_name not in like.co_freevars and not isinstance(node, ast.Lambda):
        body.insert(0, ast.Global([node.name]))
    free = [ast.arg(name) for name in like.co_freevars]
    empty = ast.arguments([], free, None, [], [], None, [])
    outer = ast.FunctionDef("around", empty, body, [], None, lineno=1, col_offset=0)
    if sys.version_info >= (3, 12):
        outer.type_params = []
    module = ast.fix_missing_locations(ast.Module([*imports, outer], []))
    flags = like.co_flags & FUTURE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constants stand for functions that are called
        made = compile(module, like.co_filename, "exec", flags=flags, dont_inherit=True)
    codes = [part for part in made.co_consts if isinstance(part, types.CodeType)]
    inner = next(part for part in codes if part.co_name == "around")
    found = [part for part in inner.co_consts if isinstance(part, types.CodeType)]
    return next((part for part in found if part.co_name == like.co_name), None)


def is_same(made: types.CodeType | None, code: types.CodeType) -> bool:
    """Tell whether code that was compiled anew does what a function does."""
    if made is None or made.co_freevars != code.co_freevars:
        return False
    if any(name.startswith("@py_assert") for name in code.co_varnames):
        return True  # a test, in which assertions were rewritten
    if code.co_name == "<lambda>" and [*made.co_positions()] != [*code.co_positions()]:
        return False
    return _shape(made) == _shape(code)


def _shape(code: types.CodeType) -> tuple[Any, ...]:
    consts = constants(code, _shape)
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, consts


def constants(code: types.CodeType, inner: Callable[[types.CodeType], Any]) -> tuple[Any, ...]:
    """Return what tells the constants of a piece of code from others.

    The text of a set lists its members in an order that depends on how it was built: read from
    a file of compiled code, it is often another one than in a set that was compiled just now.

    ``inner``: what tells the code of an inner function from others.
    """

    def told(value: Any) -> Any:
        if isinstance(value, types.CodeType):
            return inner(value)
        if isinstance(value, tuple):
            return tuple(map(told, value))
        if isinstance(value, frozenset):
            return "frozenset", sorted(repr(told(member)) for member in value)
        return type(value).__name__, repr(value)

    return tuple(map(told, code.co_consts))
