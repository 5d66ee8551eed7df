"""``try`` statements, and context managers that end them: code that may stop half way.

A ``try`` statement that computes nothing that is differentiated stays as it is, and of the
names that it assigns nothing is known but what they hold when it runs. One that does is a
branch, and its arms say under a name which of them was taken (`desugar/attempts.py`). How
far the body came before it raised is not known: so it may change nothing that was there
before, and what it assigns may only be read where it was carried out as a whole. A context
manager that keeps an exception to itself goes on behind its body, which ended half way; what is
not known to let all of them out may keep some.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

import ast
import contextlib
import functools
import sys
import types
from typing import Any

import libcst as cst

from srcgrad.frontend.containers.effects import forget
from srcgrad.frontend.desugar.attempts import (
    appended_to,
    flag_of,
    handlers_of,
    may_raise,
    torn_names,
    with_flag,
)
from srcgrad.frontend.expressions import known_lists
from srcgrad.frontend.expressions.lowering import lower
from srcgrad.frontend.expressions.regions import merge_arms, run_arm
from srcgrad.frontend.state import kept_text
from srcgrad.frontend.state.builder import OPAQUE_TYPE, Builder, require_not_caught
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.recursion import lower_block
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name
from srcgrad.frontend.text.exits import arms_of_try
from srcgrad.frontend.text.names import bound_names, names_in, names_written_into
from srcgrad.frontend.text.trees import children
from srcgrad.ir.layout import Frame
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_WRITES,
    OPAQUE,
    WRITES,
    Block,
    Compound,
    Equation,
    Items,
    Known,
    MemoryNote,
    Method,
    Op,
    Struct,
    Value,
    Var,
    equations,
    is_active,
    targets_of_block,
    variables,
)
from srcgrad.ir.types import BOOLEAN, Type
from srcgrad.ir.unassigned import LOST, UNDEFINED, is_open
from srcgrad.library.libraries import ARRAYS, home
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING
from srcgrad.program.syntax_trees import functions_at, nodes_of

UNKNOWN = Type("numeric", None, "?")
_SCOPES = (cst.FunctionDef, cst.Lambda)
_FIX = "test for the exceptional case with if, or put the statement into a function of its own"


def is_left(node: Any) -> bool:
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


def _catches_unassigned(b: Builder, node: cst.Try) -> bool:
    """Whether a handler may catch what reading a name that has no value raises."""
    types = [handler.type for handler in node.handlers]
    if None in types:
        return True
    kinds = [
        kind
        for type_ in types
        for kind in ([e.value for e in type_.elements] if isinstance(type_, cst.Tuple) else [type_])
    ]
    known = [lower(b, kind) for kind in kinds]
    return any(
        not isinstance(value, Known)
        or not isinstance(value.object, type)
        or issubclass(UnboundLocalError, value.object)
        for value in known
    )


def lower_try(b: Builder, node: cst.Try) -> None:
    """Lower a ``try`` statement."""
    if not b.source.is_generated and _catches_unassigned(b, node):
        b.context.catches_unassigned = True
        require_not_caught(b, node)
    read = [b.env[name] for name in sorted(names_in(node)) if name in b.env]
    assigned = bound_names(node)
    lost = [n for n in sorted(names_in(node)) if is_open(b.env.get(n)) and n not in assigned]
    for name in lost:  # it may hold what is differentiated, as an exception does
        b.lookup(name, node)
    if not node.handlers and node.finalbody is not None:
        lower_block(b, node.body.body)
        lower_block(b, node.finalbody.body.body)
        return
    b.layout.impure.add(id(node))
    if any(is_active(capture(b, value)) for value in read):
        active = [v for value in read for v in variables(capture(b, value)) if is_active(v)]
        _lower_active(b, node, active)
        return
    written = names_written_into(node) - bound_names(node, augmented=False)
    held = [b.env[name] for name in sorted(written) if name in b.env]
    if any(isinstance(value, Var) and value.type.kind in ("array", "numeric") for value in held):
        raise b.refuse(node, "a try statement that writes into arrays", _FIX)
    forget(b, *(value for value in read if isinstance(value, Items | Struct)))
    kept_text.note(b, node, read)
    kept_text.note_kept(b, read)
    inputs = [value for value in read if isinstance(value, Var)]
    for name in sorted(bound_names(node)):
        b.bind(name, b.opaque(None, inputs, UNKNOWN))


def _lower_active(b: Builder, node: cst.Try, active: list[Var]) -> None:
    """Lower a ``try`` statement around what is differentiated."""
    handlers = handlers_of(node)
    if not handlers and node.finalbody is None:
        lower_block(b, arms_of_try(node)[0])
        return
    flag = None if node.finalbody is not None else flag_of(node)
    if flag is None:
        made = with_flag(node, fresh_name(b, "failed"))
        if made is None:
            raise b.refuse(node, "a try statement with several handlers", "write one for all")
        raise Rewriting(lambda _: made)
    known_lists.let_vary(b, node)
    statement, position = b.statement, b.statement_position
    taken = b.opaque(None, [], BOOLEAN)
    number, before = b.layout.tick(), dict(b.env)
    frames = [
        b.layout.new_frame("arm", b.frame, branch=(number, k), suite=part.body, node=node)
        for k, part in enumerate((node, handlers[0]))
    ]
    whole = run_arm(b, lambda _: _lower_body(b, node, frames[0]), frames[0])
    caught = handlers[0].name
    own = bound_names(caught or cst.Pass())
    lost = torn_names(list(node.body.body)) | own
    torn = UNDEFINED if b.source.is_generated else LOST  # it reads them where nothing raised
    b.env |= dict.fromkeys(lost, torn)
    for name in sorted(lost):
        b.layout.write(name, frames[1])
    failed = run_arm(b, lambda _: _lower_handler(b, handlers[0], own, active), frames[1])
    b.statement, b.statement_position, b.env = statement, position, before
    arms = [(*whole, frames[0]), (*failed, frames[1])]
    merge_arms(b, None, taken, arms if flag[1] else arms[::-1])
    if not b.source.is_generated:
        for name in lost:
            if is_open(failed[2].get(name)):
                b.env[name] = LOST
    b.bind(flag[0], taken)


def _lower_handler(b: Builder, handler: Any, own: set[str], active: list[Var]) -> None:
    """Lower what is carried out where something raises; the exception may hold what is active."""
    for name in own if not b.source.is_generated else ():
        made = Var(name, OPAQUE_TYPE.with_active(True))
        b.define(made, None)
        b.block.append(Equation((made,), Op(OPAQUE), tuple(active), (), b.origin(None)))
        b.bind(name, made, write=False)
    lower_block(b, handler.body.body)
    for name in own if not b.source.is_generated else ():
        b.env[name] = LOST


def _lower_body(b: Builder, node: cst.Try, frame: Frame) -> None:
    """Lower what is carried out where nothing raises."""
    bound, body = bound_names(node), list(node.body.body)
    rebound = bound_names(node, augmented=False)
    held = [b.env[name] for name in sorted(rebound & b.env.keys())]
    hidden = []  # by these names a write is seen where the name of an object is bound again
    for value in held:
        if isinstance(value, Compound):
            hidden.append(b.hidden_name())
            b.env[hidden[-1]] = value
    before = dict(b.env)
    count = may_raise(body)
    lower_block(b, body[:count])
    frame.whole = frame.statements[-1][1] if frame.statements else frame.start
    changed = {n for n, value in b.env.items() if before.get(n, value) is not value} - bound
    for name in hidden:
        del b.env[name]
    writes = _writes(tuple(b.block))
    listed = before.get(appended_to(body[:count]))
    if listed is not None and len(writes) < 2 and all(eq.op.fn is LIST_APPEND for eq in writes):
        changed -= {name for name, value in before.items() if value is listed}
        writes = []
    if (
        changed or writes
    ) and not b.source.is_generated:  # that reads what it keeps when nothing raised
        raise b.refuse(
            node,
            "a try statement whose body writes into what was there before",
            _FIX,
            "How far its body came is not known to the backward part.",
        )
    lower_block(b, body[count:])
    if node.orelse is not None:
        lower_block(b, node.orelse.body.body)


def _writes(block: Block) -> list[Equation]:
    """The equations of a block that write into memory that was there before."""
    found: list[Equation] = []
    made = set(targets_of_block(block))
    for eq in equations(block):
        of_call = getattr(eq.payload, "versions", ()) or getattr(eq.payload, "always", False)
        in_place = eq.op.fn in (*WRITES, *LIST_WRITES) or eq.payload == MemoryNote.IN_PLACE
        if of_call or (in_place and eq.args[0] not in made):
            found.append(eq)
            made -= {*eq.targets}  # the same memory, after a write
    return found


def require_whole(b: Builder, node: Any, value: Value, callee: Value | None) -> None:
    """Refuse a context manager that may end its body half way and go on."""
    if not _lets_out(value, callee):
        raise b.refuse(
            node,
            "a context manager that may swallow exceptions",
            "test for the exceptional case with if",
            "How far the body came is not known to the backward part.",
        )


def _lets_out(value: Value, callee: Value | None) -> bool:
    """Whether a context manager is known to let exceptions out of its body."""
    if isinstance(value, Known):
        return of_class(facts.class_of(value.object))
    if isinstance(value, Struct):
        return of_class(value.form.cls)
    if isinstance(callee, Method) and isinstance(callee.receiver, Struct):
        found = facts.in_class(callee.receiver.form.cls, callee.name)
        return made_lets_out(getattr(found, "__func__", found))
    return isinstance(callee, Known) and made_lets_out(callee.object)


_OF_CONTEXTLIB = frozenset(
    ("chdir", "closing", "nullcontext", "redirect_stderr", "redirect_stdout")
)
_TESTING = ("unittest", "doctest", "contextlib")  # whose managers may keep exceptions
_GOING_ON = (ast.Return, ast.Break, ast.Continue)


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
