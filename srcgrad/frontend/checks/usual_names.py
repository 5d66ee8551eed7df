"""Refusing functions in which a name of Python's, such as ``sum``, stands for something else.

Text is understood by some of these names, and written with others.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.text.source import Source
from srcgrad.library.libraries import WITH_FORMULAS, home
from srcgrad.program import facts, namespaces
from srcgrad.program.syntax_trees import functions_at, nodes_of

_WRITTEN = frozenset({"enumerate", "float", "len", "list", "range", "slice", "sorted", "zip"})
_UNDERSTOOD = frozenset({"all", "any", "dict", "map", "max", "min", "reversed", "sum", "tuple"})
_BINDING = (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)


def require_usual_names(source: Source) -> None:
    """Refuse a function in which a name has another meaning than text that is written with it.

    What NumPy has under a name does the same for what is understood by it.
    """
    code = source.function.__code__
    nodes = functions_at(code, source.globals)
    parts = [part for tree in nodes for part in nodes_of(tree)]
    bound = {name for part in parts for name in _bound(part)}
    called = {p.func.id for p in parts if isinstance(p, ast.Call) and isinstance(p.func, ast.Name)}
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


def _bound(part: Any) -> list[str]:
    """Return the names that a part of a syntax tree binds by itself."""
    if isinstance(part, ast.Name):
        return [] if isinstance(part.ctx, ast.Load) else [part.id]
    if isinstance(part, ast.arg):
        return [part.arg]
    if isinstance(part, ast.alias):
        return [part.asname or part.name.partition(".")[0]]
    return [part.name] if isinstance(part, _BINDING) and part.name else []
