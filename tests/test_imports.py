"""The import graph of srcgrad: it has no cycle, and stands at the top of the modules."""

import ast
import importlib.util
import pathlib

import pytest

from srcgrad.declared import Declared
from srcgrad.frontend.calls.language import DEFINING
from srcgrad.frontend.state import recursion
from srcgrad.late import _MODULES, late

ROOT = pathlib.Path(__file__).parent.parent
FILES = [*(ROOT / "srcgrad").rglob("*.py"), *(ROOT / "formulas").rglob("*.py")]
BELOW_FORMULAS = {
    *("effects", "errors", "formulas", "ir", "library", "mpi", "registry", "runtime"),
}


def imports_in_functions(tree):
    """Yield the imports that stand inside functions."""
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from (n for n in ast.walk(outer) if isinstance(n, ast.Import | ast.ImportFrom))


def test_no_import_of_srcgrad_stands_in_a_function():
    """What is imported late is in the table of late.py."""
    found = []
    for file in FILES:
        for node in imports_in_functions(ast.parse(file.read_text())):
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [a.name for a in node.names]
            )
            if any(name.split(".")[0] == "srcgrad" for name in names):
                found.append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert not found


def test_each_late_function_is_there():
    """The table names modules and functions that exist; one needs MPI."""
    for name in _MODULES:
        if ".mpi." not in _MODULES[name] or importlib.util.find_spec("mpi4py"):
            assert callable(late(name))


def test_each_declared_function_of_lowering_is_defined():
    """By the modules that the front end imports."""
    names = {name for name, value in vars(recursion).items() if isinstance(value, Declared)}
    assert names
    assert DEFINING
    assert not [name for name in names if not getattr(recursion, name).is_defined]


def test_a_declared_function_is_defined_once():
    """A second definition is an error, as is a call before the first."""
    double: Declared[[int], int] = Declared("double")
    with pytest.raises(AssertionError, match="declared, not defined"):
        double(2)
    double.define(lambda x: 2 * x)
    assert double(2) == 4
    with pytest.raises(AssertionError, match="defined twice"):
        double.define(lambda x: x)


def test_formulas_import_from_lower_layers_only():
    """They know nothing of the passes that read them."""
    found = set()
    for file in (ROOT / "formulas").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("srcgrad."):
                found.add(node.module.split(".")[1])
    assert found <= BELOW_FORMULAS, found - BELOW_FORMULAS
