"""Which context managers let every exception out of their body.

One that keeps an exception to itself goes on behind its body, which ended half way. What is not
known to let all of them out may keep some.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import sys
import types
from typing import Any

from srcgrad.library.libraries import ARRAYS, home
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING
from srcgrad.program.syntax_trees import functions_at, nodes_of

_OF_CONTEXTLIB = frozenset(
    ("chdir", "closing", "nullcontext", "redirect_stderr", "redirect_stdout")
)
_TESTING = ("unittest", "doctest", "contextlib")  # whose managers may keep exceptions
_GOING_ON = (ast.Return, ast.Break, ast.Continue)


def lets_out(manager: Any) -> bool:
    """Tell whether a context manager lets every exception out of its body."""
    return of_class(facts.class_of(manager))


def made_lets_out(maker: Any) -> bool:
    """Tell whether what a call of something gives lets every exception out of its body."""
    if isinstance(maker, type):
        return of_class(maker)
    if isinstance(maker, functools.partial):
        return made_lets_out(facts.parts_of_partial(maker)[0])
    if isinstance(maker, types.MethodType):
        return made_lets_out(maker.__func__)
    if not isinstance(maker, types.FunctionType):
        return isinstance(maker, types.BuiltinFunctionType) and _is_of_python(home(maker))
    made = facts.static(maker, "__wrapped__")
    if facts.code(maker).co_filename == contextlib.__file__ and made is not MISSING:
        return isinstance(made, types.FunctionType) and _hands_out(made)  # of @contextmanager
    module = maker.__module__ or ""
    return _is_of_python(home(maker)) or module.startswith("numpy.random")


def of_class(cls: type) -> bool:
    """Tell whether the objects of a class let every exception out of a body."""
    leave = facts.in_class(cls, "__exit__")
    if leave is MISSING:
        return False
    owner = next(each for each in facts.mro(cls) if "__exit__" in facts.held_by_class(each))
    if owner.__module__ == "contextlib":
        return owner.__name__ in _OF_CONTEXTLIB
    if home(owner) in ARRAYS or _is_of_python(home(owner)):
        return True
    return isinstance(leave, types.FunctionType) and _gives_nothing(leave)


def _is_of_python(package: str) -> bool:
    """Whether a package is one of Python's own without managers that keep exceptions."""
    own = package in sys.stdlib_module_names or package == "builtins"
    return own and package not in _TESTING


def _text_of(function: types.FunctionType) -> Any:
    """Return the syntax tree of a function, None where it is not certain."""
    code = facts.code(function)
    nodes = functions_at(code, function.__globals__)
    return nodes[0] if len(nodes) == 1 else None


def _gives_nothing(leave: types.FunctionType) -> bool:
    """Tell whether an ``__exit__`` gives None or False on every path."""
    tree = _text_of(leave)
    if tree is None:
        return False
    if isinstance(tree, ast.Lambda):
        return _is_nothing(tree.body)
    parts = nodes_of(tree)
    if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.AsyncFunctionDef) for part in parts):
        return False
    returns = [part for part in parts if isinstance(part, ast.Return)]
    decorated = tree.name != leave.__name__
    return not decorated and all(r.value is None or _is_nothing(r.value) for r in returns)


def _is_nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _hands_out(made: types.FunctionType) -> bool:
    """Tell whether a generator lets out what is raised where it stands."""
    tree = _text_of(made)
    if tree is None or isinstance(tree, ast.Lambda):
        return False
    return not any(_may_keep(part) for part in nodes_of(tree))


def _may_keep(part: ast.AST) -> bool:
    """Tell whether a statement of a generator may keep what is raised in it."""
    if isinstance(part, ast.YieldFrom):
        return True  # whatever that does
    if isinstance(part, ast.With):
        return any(isinstance(inner, ast.Yield) for inner in nodes_of(part))
    if isinstance(part, ast.Try | ast.TryStar):
        ends = [inner for statement in part.finalbody for inner in nodes_of(statement)]
        return any(isinstance(inner, _GOING_ON) for inner in ends)
    if isinstance(part, ast.ExceptHandler):
        raises = isinstance(part.body[-1], ast.Raise)
        return not raises or any(isinstance(inner, _GOING_ON) for inner in nodes_of(part))
    return False
