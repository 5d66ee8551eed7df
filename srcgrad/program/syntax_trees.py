"""The syntax trees of functions, as their files have them."""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
import types
import warnings
from typing import Any, NamedTuple

from srcgrad.errors import Spot
from srcgrad.program.texts import lines_of

FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_Codes = dict[tuple[int, str], list[types.CodeType]]


# Fields that hold no nodes, or such as say nothing by themselves: Load, Store, operators.
_NO_NODES = {"arg", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "module"}
_NO_NODES |= {"op", "ops", "simple", "tag", "type_comment", "type_ignores"}
_LEAVES = {ast.Name, ast.Constant}
_FUNCTIONS = {ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda}


@functools.cache
def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    return tuple(name for name in kind._fields if name not in _NO_NODES)


def nodes_under(node: ast.AST) -> list[Any]:
    """Return the nodes directly below a node, but for contexts and operators."""
    found: list[Any] = []
    for name in _fields(type(node)):
        value = getattr(node, name, None)
        if type(value) is list:
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def nodes_of(node: ast.AST) -> list[Any]:
    """Return a node and those below it, in the order of ``ast.walk``, which takes longer.

    Contexts and operators are left out: half of all nodes, which say what the field says that
    holds them.
    """
    found: list[Any] = [node]
    for part in found:  # which grows meanwhile
        if type(part) not in _LEAVES:
            found += nodes_under(part)
    return found


class _File(NamedTuple):
    """A file: its lines, functions by their first lines, imports, and compiled code."""

    lines: list[str]
    tree: ast.Module
    functions: dict[int, list[ast.AST]]
    imports: list[ast.stmt]
    codes: dict[int, _Codes]


_files: dict[str, _File] = {}


def functions_at(code: types.CodeType, names: dict[str, Any]) -> list[ast.AST]:
    """Return the functions that begin at the line where a function begins."""
    nodes = _file_of(code, names).functions.get(code.co_firstlineno, [])
    found = [node for node in nodes if getattr(node, "name", "<lambda>") == code.co_name]
    return found if len(found) < 2 or code.co_name != "<lambda>" else _around(found, code)


def codes_at(code: types.CodeType, names: dict[str, Any]) -> list[types.CodeType]:
    """Return the codes of the functions of this name that begin at the line where one begins.

    They are compiled from the text of the file.
    """
    file = _file_of(code, names)
    flags = code.co_flags & FUTURE
    if flags not in file.codes:
        file.codes[flags] = _compiled(file.tree, code.co_filename, flags)
    return file.codes[flags].get((code.co_firstlineno, code.co_name), [])


def _compiled(tree: ast.Module, filename: str, flags: int) -> _Codes:
    """Return the codes of all functions of a module, by the line where they begin, and name."""
    found: _Codes = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # which notebooks have
            waiting = [compile(tree, filename, "exec", flags=flags, dont_inherit=True)]
    except (SyntaxError, ValueError):
        return found
    while waiting:
        code = waiting.pop()
        found.setdefault((code.co_firstlineno, code.co_name), []).append(code)
        waiting += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return found


def _file_of(code: types.CodeType, names: dict[str, Any]) -> _File:
    """Return what is known of the file in which a function stands, as it is now."""
    lines = lines_of(code.co_filename, names)
    known = _files.get(code.co_filename)
    if known is not None and known.lines == lines:
        return known
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        tree = ast.Module([], [])
    found: dict[int, list[ast.AST]] = {}
    for node in nodes_of(tree):
        if type(node) in _FUNCTIONS:
            marks = getattr(node, "decorator_list", ())
            found.setdefault(min([node.lineno, *(m.lineno for m in marks)]), []).append(node)
    made = _files[code.co_filename] = _File(lines, tree, found, _imports(tree), {})
    return made


def _imports(tree: ast.AST) -> list[ast.stmt]:
    """Return the imports of a module, which decide how calls of their attributes are compiled."""
    found: list[ast.stmt] = []
    waiting = nodes_under(tree)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            stars = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            stars = stars or any(part.name == "*" for part in node.names)
            found += [] if stars else [node]
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting += nodes_under(node)
    return found


def imports_of(filename: str) -> list[ast.stmt]:
    """Return the imports of a file of which a function was looked up."""
    known = _files.get(filename)
    return known.imports if known else []


def spot_of(function: types.FunctionType, node: Any, width: int | None = None) -> Spot:
    """Return the place of a part of a function's syntax tree, for an error message."""
    code = function.__code__
    line = linecache.getline(code.co_filename, node.lineno, function.__globals__).rstrip()
    if width is None:
        end = node.end_col_offset if node.end_lineno == node.lineno else len(line)
        width = max((end or 0) - node.col_offset, 1)
    name, column = function.__name__, node.col_offset
    return Spot(code.co_filename, name, node.lineno, line, column, width or 1)


def _around(nodes: list[Any], code: types.CodeType) -> list[Any]:
    """Return the smallest of several functions on one line that has all positions of some code."""
    places = [(line, column) for line, _, column, _ in code.co_positions() if column]
    inside = [
        node
        for node in nodes
        if _makes_lambdas(code) == any(isinstance(n, ast.Lambda) for n in nodes_of(node.body))
        and all((node.lineno, node.col_offset) <= p for p in places)
        and all(p <= (node.end_lineno, node.end_col_offset) for p in places)
    ]

    def size(node: Any) -> tuple[int, int]:
        return node.end_lineno - node.lineno, node.end_col_offset - node.col_offset

    return sorted(inside, key=size)[:1] or nodes


def _makes_lambdas(code: types.CodeType) -> bool:
    """Tell whether lambdas stand in the function that some code is of."""
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return any(part.co_name == "<lambda>" or _makes_lambdas(part) for part in inner)
