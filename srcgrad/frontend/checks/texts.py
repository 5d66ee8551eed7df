"""Refusing functions by their text alone.

Refused are numbers that are made from text which the function made itself: text hides what it was
made from. On the tape it is known which text was made from what is differentiated. So are functions
that may end behind a ``return`` with a value, and those in which a name of Python's, such as
``sum``, stands for something else: text is understood by some of these names, and written with
others.
"""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any

import libcst as cst

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.checks.function_text import mentions_of
from srcgrad.frontend.checks.purity import root_name
from srcgrad.frontend.text.definite_assignment import may_end
from srcgrad.frontend.text.exits import returns_a_value
from srcgrad.frontend.text.source import Source
from srcgrad.library.libraries import WITH_FORMULAS, home
from srcgrad.program import facts, namespaces
from srcgrad.program.syntax_trees import functions_at, nodes_of, spot_of

_MADE = """
str repr format ascii array2string array_str array_repr dumps pack tobytes format_float_positional
format_float_scientific StringIO BytesIO getvalue substitute savetxt hex
"""
_MAKING = frozenset(_MADE.split())
_BEGINNING = _MAKING | {"astype", "map"}
_READ = """
float int complex Decimal Fraction literal_eval loads fromstring frombuffer loadtxt genfromtxt
float64 float32 float16 longdouble array asarray unpack unpack_from fromhex astype load
"""
_READING = frozenset(_READ.split())
_READING_FILES = ("load", "loadtxt", "genfromtxt")  # to which a string is the name of a file


def require_no_numbers_of_text(function: types.FunctionType, nodes: list[ast.AST]) -> None:
    """Refuse a function that makes text, and then a number of it."""
    if len(nodes) != 1:
        return
    parts = nodes_of(nodes[0])
    if not any(map(_makes_text, parts)):
        return
    modules = {n for n, v in function.__globals__.items() if isinstance(v, types.ModuleType)}
    names = _names_of_text(parts) - modules
    for part in parts:
        if not isinstance(part, ast.Call):
            continue
        given = [*part.args, *(k.value for k in part.keywords)]
        if isinstance(part.func, ast.Attribute):
            given.append(part.func.value)
        if _name(part.func) in _READING_FILES:
            given = [value for value in given if not isinstance(value, ast.JoinedStr)]
        if not any(_is_text(value, names) for value in given):
            continue
        if _name(part.func) in _READING or _reads(part.func, function):
            raise UnsupportedSyntaxError(
                "a number may be made from text that was made from a number",
                spots=[spot_of(function, part, 1)],
                why="Its derivative would be lost.",
                fixes=["keep the number, and make text of it for printing only"],
            )


def _name(node: Any) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _reads(node: Any, function: types.FunctionType) -> bool:
    """Tell whether a function of the same module makes a number of something."""
    found = function.__globals__.get(_name(node))
    if not isinstance(found, types.FunctionType):
        return False
    nodes = functions_at(found.__code__, found.__globals__)
    parts = [part for tree in nodes for part in nodes_of(tree)]
    return any(isinstance(p, ast.Call) and _name(p.func) in _READING for p in parts)


_GIVING = (ast.Assign, ast.AugAssign, ast.NamedExpr, ast.For, ast.comprehension, ast.Call)


def _names_of_text(parts: list[Any]) -> set[str]:
    """The names that may stand for text, or for what holds some."""
    names: set[Any] = set()
    before, parts = -1, [part for part in parts if type(part) in _GIVING]
    while len(names) != before:
        before = len(names)
        for part in parts:
            if isinstance(part, ast.Assign) and _is_text(part.value, names):
                names |= {root_name(target) for target in part.targets}
            elif isinstance(part, ast.AugAssign | ast.NamedExpr) and _is_text(part.value, names):
                names.add(root_name(part.target))
            elif isinstance(part, ast.For | ast.comprehension) and _is_text(part.iter, names):
                names |= {n.id for n in nodes_of(part.target) if isinstance(n, ast.Name)}
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                if any(_is_text(value, names) for value in part.args):
                    names.add(root_name(part.func))
    return names - {None}


def _makes_text(node: Any) -> bool:
    """Tell whether an expression may give text that is made of what is none."""
    kind = type(node)
    if kind is ast.Call:
        return _name(node.func) in _BEGINNING
    return kind is ast.JoinedStr or (kind is ast.BinOp and type(node.op) is ast.Mod)


def _is_text(node: Any, names: set[str]) -> bool:
    """Tell whether an expression may give text that was made from something."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            return isinstance(node.left.value, str | bytes)
        return _is_text(node.left, names) or _is_text(node.right, names)
    if isinstance(node, ast.Call):
        words = [a for a in node.args if isinstance(a, ast.Name) and a.id == "str"]
        if _name(node.func) == "astype":
            return bool(words)
        if _name(node.func) in _MAKING:
            return True
        if _name(node.func) == "map" and words:
            return True
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return inner is not None and _is_text(inner, names)
    if isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        return _is_text(node.value, names)
    if isinstance(node, ast.IfExp):
        return _is_text(node.body, names) or _is_text(node.orelse, names)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(_is_text(part, names) for part in node.elts)
    if isinstance(node, ast.Dict):
        return any(_is_text(part, names) for part in node.values)
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return _is_text(node.elt, names)
    return False


def ends_without_value(tree: cst.FunctionDef, nodes: list[ast.AST]) -> bool:
    """Whether a function returns a value on some paths, and reaches its end on others."""
    if len(nodes) != 1 or isinstance(nodes[0], ast.Lambda):
        return False
    return returns_a_value(tree) and may_end(nodes[0].body)  # type: ignore[attr-defined]


_WRITTEN = frozenset({"enumerate", "float", "len", "list", "range", "slice", "sorted", "zip"})
_UNDERSTOOD = frozenset({"all", "any", "dict", "map", "max", "min", "reversed", "sum", "tuple"})


def require_usual_names(source: Source) -> None:
    """Refuse a function in which a name has another meaning than text that is written with it.

    What NumPy has under a name does the same for what is understood by it.
    """
    code = source.function.__code__
    nodes = functions_at(code, source.globals)
    found = [mentions_of(tree) for tree in nodes]
    bound = {name for each in found for name in each.bound | each.parameters}
    called = {path[0] for each in found for path in each.calls if len(path) == 1}
    for name in sorted(_WRITTEN | (_UNDERSTOOD & called)):
        if name not in bound:
            namespace = source.cells.get(name, source.globals)
            read = facts.read_name if name in called else namespaces.read_name
            value = read(namespace, name)
            own = value is getattr(builtins, name)
            if own or (name in _UNDERSTOOD and home(value) in WITH_FORMULAS):
                continue
        raise UnsupportedSyntaxError(
            f"{name} is not Python's function of that name in {source.name}",
            spots=[source.spot(source.tree)],
            fixes=["give it another name"],
        )
