"""Imports in a function's body: their names stand for modules, as those of the program do.

Only those count that are carried out at each call, before and beside everything else; one
in a branch or a ``try`` may be there because the module may be missing.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

import libcst as cst

from srcgrad.formulas import load_used
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import Known
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING

_TEXT = cst.Module([]).code_for_node


def is_at_the_top(tree: cst.FunctionDef, node: Any) -> bool:
    """Tell whether an import stands in the body of a function itself, and names its module."""
    if isinstance(node, cst.ImportFrom):
        if node.relative or isinstance(node.names, cst.ImportStar):
            return False
    return any(small is node for small in _statements(tree))


def imported_modules(tree: cst.FunctionDef) -> set[str]:
    """Return the names of modules that a function imports in its body."""
    imports = [small for small in _statements(tree) if isinstance(small, cst.Import)]
    return {_bound_by(alias) for node in imports for alias in node.names}


def _statements(tree: cst.FunctionDef) -> list[Any]:
    lines = [line for line in tree.body.body if isinstance(line, cst.SimpleStatementLine)]
    return [small for line in lines for small in line.body]


def _bound_by(alias: cst.ImportAlias) -> str:
    """The name that a part of an import binds."""
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return alias.asname.name.value
    return _TEXT(alias.name).partition(".")[0]


def lower_import(b: Builder, node: cst.Import | cst.ImportFrom) -> None:
    """Bind the names of an import to what they stand for."""
    assert not isinstance(node.names, cst.ImportStar)
    within = node.module if isinstance(node, cst.ImportFrom) else None
    for alias in node.names:
        path, name = _TEXT(alias.name), _bound_by(alias)
        found: Any = MISSING
        with contextlib.suppress(ImportError):
            found = importlib.import_module(path if within is None else _TEXT(within))
            if within is not None:
                found = facts.attribute(found, path)
            elif alias.asname is None:
                found = importlib.import_module(name)
        if found is MISSING:
            raise b.refuse(node, f"the import of {path!r}, which cannot be found,", "install it")
        load_used()  # the import may be the first one of its library
        b.bind(name, Known(found, name))
