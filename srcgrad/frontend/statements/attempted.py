"""``try`` statements, and context managers that end them: code that may stop half way.

How far such code got is not known to a backward part. A ``try`` statement that computes
nothing that is differentiated stays as it is, and of the names that it assigns nothing is
known but what they hold when it runs. Of one that does, it must be sure that its body was
carried out as a whole or not at all (`probing.py`).
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from typing import Any

import libcst as cst

from srcgrad.frontend.containers.forgetting import forget
from srcgrad.frontend.state import kept_text
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.recursion import lower_block
from srcgrad.frontend.state.rewriting import Rewriting
from srcgrad.frontend.statements.probing import as_branch, is_probe
from srcgrad.frontend.text.names import bound_names, names_in, names_written_into
from srcgrad.frontend.text.trees import children
from srcgrad.ir.nodes import Items, Known, Struct, Var, is_active
from srcgrad.ir.types import INTEGER, Type
from srcgrad.library.libraries import ARRAYS, home
from srcgrad.program import facts

UNKNOWN = Type("numeric", None, "?")
_SCOPES = (cst.FunctionDef, cst.Lambda)


def leaves(node: Any) -> bool:
    """Whether the code of a statement returns, or goes on with a loop around it."""
    return any(_leaves(child, False) for child in children(node))


def _leaves(node: Any, in_loop: bool) -> bool:
    if isinstance(node, _SCOPES):
        return False
    if isinstance(node, cst.Return):
        return True
    if isinstance(node, cst.Break | cst.Continue):
        return not in_loop
    in_loop = in_loop or isinstance(node, cst.For | cst.While)
    return any(_leaves(child, in_loop) for child in children(node))


def lower_try(b: Builder, node: cst.Try) -> None:
    """Lower a ``try`` statement.

    Raises:
        Rewriting: when it is about what is differentiated, and can be written as a branch.
    """
    fix = (
        "let the body be one assignment, test for the exceptional case with if, or put the "
        "statement into a function with a formula"
    )
    read = [b.env[name] for name in sorted(names_in(node)) if name in b.env]
    active = any(is_active(capture(b, value)) for value in read)
    if not node.handlers and node.finalbody is not None:
        lower_block(b, node.body.body)
        lower_block(b, node.finalbody.body.body)
        return
    if active and is_probe(node):
        b.layout.impure.add(id(node))
        for name in sorted(bound_names(node)):
            b.bind(name, b.opaque(None, [v for v in read if isinstance(v, Var)], INTEGER))
        return
    if active:
        made = as_branch(b, node)
        if made is not None:
            raise Rewriting(lambda statement: made)
        raise b.refuse(
            node,
            "a try statement over values that are differentiated",
            fix,
            "How far its body came is not known to the backward part.",
        )
    written = names_written_into(node) - bound_names(node, augmented=False)
    held = [b.env[name] for name in sorted(written) if name in b.env]
    if any(isinstance(value, Var) and value.type.kind in ("array", "numeric") for value in held):
        raise b.refuse(node, "a try statement that writes into arrays", fix)
    forget(b, *(value for value in read if isinstance(value, Items | Struct)))
    b.layout.impure.add(id(node))
    kept_text.note(b, node, read)
    kept_text.note_kept(b, read)
    inputs = [value for value in read if isinstance(value, Var)]
    for name in sorted(bound_names(node)):
        b.bind(name, b.opaque(None, inputs, UNKNOWN))


def may_swallow(manager: Any) -> bool:
    """Whether a context manager, or what makes it, may end its body silently."""
    if manager is contextlib.suppress:
        return True
    made = facts.static(manager, "__wrapped__")  # of @contextmanager
    if inspect.isgeneratorfunction(made):
        return _has(made, _catches)
    cls = manager if isinstance(manager, type) else facts.class_of(manager)
    leave = facts.in_class(cls, "__exit__")
    if not inspect.isfunction(leave) or home(leave) in ("contextlib", *ARRAYS):
        return False
    return _has(leave, _gives_more_than_false)


def _has(function: Any, what: Any) -> bool:
    """Whether a function's text has such a node in it; if there is no text, it may."""
    facts.code(function)
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return True
    return any(map(what, ast.walk(ast.parse(text))))


def _catches(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    last = node.body[-1]
    return not isinstance(last, ast.Raise)


def _gives_more_than_false(node: ast.AST) -> bool:
    if not isinstance(node, ast.Return) or node.value is None:
        return False
    return not (isinstance(node.value, ast.Constant) and not node.value.value)


def require_whole(b: Builder, node: Any, value: Any, callee: Any) -> None:
    """Refuse a context manager that may end its body half way and go on."""
    for thing in (value, callee):
        if isinstance(thing, Known) and may_swallow(thing.object):
            raise b.refuse(
                node,
                "a context manager that may swallow exceptions",
                "test for the exceptional case with if",
                "How far the body came is not known to the backward part.",
            )
