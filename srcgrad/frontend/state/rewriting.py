"""Statements that are written in other words while they are lowered.

A comprehension over active values, say, is a loop to the passes behind. Whether
it has to be rewritten is known when it is lowered, because only then it is known
what its names stand for: the rule that finds out raises `Rewriting`, the
lowering of the statement is undone, and what the exception makes of the
statement is lowered in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import libcst as cst

from srcgrad.errors import SrcgradError
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.names import bound_names, names_in, unused_name
from srcgrad.frontend.text.templates import assignment, expression, is_path
from srcgrad.frontend.text.trees import below, children, kinds_in, nodes_in, per_node, replaced
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import Equation, Value, Var
from srcgrad.ir.unassigned import UNDEFINED

_CANDIDATES = {
    *(cst.ListComp, cst.GeneratorExp, cst.DictComp),
    *(cst.For, cst.StarredElement, cst.Try),
}
_DISPLAYS = (cst.Tuple, cst.List)
_NAMES = """
max min sorted sort map filter reduce partial next pairwise zip reverse extend replace
tolist sum list tuple
"""
_CALLS = frozenset(_NAMES.split())
_CALLED_METHODS = _CALLS - {"max", "min"}
_JOINERS = frozenset({"block", "r_", "c_"})
_WHOLE = frozenset({"sum", "max", "min", "list", "tuple", "dict"})
_HEADS = frozenset({"zip", "enumerate"})


class Rewriting(Exception):
    """A statement must be written in other words.

    ``make``: called with the statement; gives the statements in its place.

    Attributes:
        missed: whether that statement did not look as if it might have to be written so.
    """

    def __init__(self, make: Callable[[Any], list[Any]]) -> None:
        super().__init__()
        self.make = make
        self.missed = False


class NotUniform(Exception):
    """The elements of what a loop goes through differ in more than their values.

    Args:
        names: the names that a loop must bind to be the one that is meant; by default,
            it is the innermost one.
        error: what to raise where that loop cannot be written out.
    """

    def __init__(self, names: frozenset[str] = frozenset(), error: Exception | None = None) -> None:
        super().__init__()
        self.names, self.error = names, error


def loop_written_out(b: Builder, names: frozenset[str], error: Exception) -> Exception:
    """What to raise where a loop around may be written out, and otherwise something is an error."""
    if b.loops:
        return NotUniform(names, error)
    if isinstance(error, SrcgradError):
        error.by_iterations = True
    return error


def choice_written_out(b: Builder, choice: Equation, error: Exception) -> Exception:
    """The same where it must be known which element of a list it is that an equation reads.

    The loop binds the name of the index, or one for what is read.
    """
    index = choice.args[-1]
    chosen = (*choice.targets, index) if isinstance(index, Var) else choice.targets
    return loop_written_out(b, frozenset(n for n, v in b.env.items() if v in chosen), error)


@per_node
def may_be_rewritten(node: Any) -> bool:
    """Whether a statement contains something that may have to be rewritten."""
    if type(node) is cst.FunctionDef:
        return False
    local = cst.FunctionDef in kinds_in(node)
    return any(map(_is_candidate, below(node, {cst.FunctionDef}) if local else nodes_in(node)))


def _is_candidate(node: Any) -> bool:
    kind = type(node)
    if kind in _CANDIDATES or (kind is cst.Subscript and type(node.value) in _DISPLAYS):
        return True
    if kind is cst.Call:
        if type(node.func) is cst.Call or getattr(node.func, "value", "") in _CALLS:
            return True
        if any(a.star or type(a.value) is cst.List for a in node.args):
            return True
        if any(a.keyword is not None and a.keyword.value == "where" for a in node.args):
            return True
        return type(node.func) is cst.Attribute and node.func.attr.value in _CALLED_METHODS
    return (
        (kind is cst.AugAssign and type(node.target) is cst.Name)
        or (kind is cst.AssignTarget and type(node.target) is cst.Attribute)
        or (kind is cst.Attribute and node.attr.value in _JOINERS)
    )


def put_in_place(b: Builder, statement: Any, new: list[Any]) -> None:
    """Let statements stand in the place of one."""
    for made in new:
        b.source.derive_all(statement, made)
    b.source.splice(statement, new)
    module = cst.Module(new)
    b.locals |= bound_names(module)
    b.context.reserved |= names_in(module)


def in_place_of(node: Any, made: Any, before: list[Any] | None = None) -> Rewriting:
    """Return what puts an expression in the place of another one, and lines before the statement.

    The comments of the statement stay in front.
    """

    def make(statement: Any) -> list[Any]:
        return behind(statement, before or [], replaced(statement, {id(node): made}))

    return Rewriting(make)


def behind(statement: Any, before: list[Any], new: Any) -> list[Any]:
    """Return the lines that stand in the place of a statement, which other lines go before."""
    if not before:
        return [new]
    first = before[0].with_changes(leading_lines=getattr(statement, "leading_lines", ()))
    if hasattr(new, "leading_lines"):
        new = new.with_changes(leading_lines=())
    return [first, *before[1:], new]


def instead(*lines: Any) -> Rewriting:
    """Return what puts lines in the place of a statement, whose comments stay at the first."""

    def make(statement: Any) -> list[Any]:
        first = lines[0].with_changes(leading_lines=statement.leading_lines)
        if isinstance(first, cst.SimpleStatementLine) and isinstance(statement, type(first)):
            first = first.with_changes(trailing_whitespace=statement.trailing_whitespace)
        return [first, *lines[1:]]

    return Rewriting(make)


def way_of(b: Builder, node: Any, what: str, fix: str) -> list[Any]:
    """Return the nodes from the statement down to an expression that is written in other words.

    Refused is one that is evaluated several times; what is not always evaluated becomes a
    statement first.
    """
    way = None if node is None else way_to(b.statement, node)
    if way is None or isinstance(b.statement, cst.While):
        raise b.refuse(node, what, fix)
    if any(isinstance(outer, cst.IfExp | cst.BooleanOperation) for outer in way):
        raise Specialise(What.STATEMENTS, b.source, node)
    return way


def held(b: Builder, node: Any, listed: bool = False) -> tuple[list[Any], Any]:
    """Return an expression that can be read several times, and the lines that make it one.

    ``listed``: whether a list is to be made of it, so that it can be indexed.
    """
    if is_path(node):
        return [], node
    name = fresh_name(b, "items")
    if listed and not isinstance(node, cst.List | cst.Tuple | cst.ListComp):
        node = expression("list(a)", a=node)
    return [assignment(name, node)], cst.Name(name)


def fresh_name(b: Builder, wanted: str, others: Iterable[str] = ()) -> str:
    """A name that neither the function nor what it reads from outside uses, and no other has."""
    return unused_name(wanted, {*b.source.taken(), *b.source.globals, *others})


def way_to(statement: Any, node: Any) -> list[Any] | None:
    """The nodes from a statement down to one of its expressions, both included."""
    if statement is node:
        return [node]
    for child in _own(statement):
        way = way_to(child, node)
        if way is not None:
            return [statement, *way]
    return None


def is_consumed(way: list[Any]) -> bool:
    """Whether a call is the argument of a function that goes through all of it."""
    if not isinstance(way[-2], cst.Arg):
        return False
    func = way[-3].func
    return isinstance(func, cst.Name) and func.value in _WHOLE


def is_gone_through(way: list[Any]) -> bool:
    """Whether a call stands where an iterator is gone through at once."""
    parent = way[-2]
    if isinstance(parent, cst.For | cst.CompFor | cst.StarredElement):
        return True
    if isinstance(parent, cst.Assign):
        targets = [t.target for t in parent.targets]
        return len(targets) == 1 and isinstance(targets[0], cst.Tuple | cst.List)
    if is_consumed(way):
        return True
    called = isinstance(parent, cst.Arg) and isinstance(way[-3].func, cst.Name)
    return called and way[-3].func.value in _HEADS and is_gone_through(way[:-2])


def _own(node: Any) -> list[Any]:
    """The nodes below a node, without the bodies of compound statements."""
    if isinstance(node, cst.If | cst.While):
        return [node.test]
    if isinstance(node, cst.For):
        return [node.target, node.iter]
    if isinstance(node, cst.With):
        return list(node.items)
    return children(node)


_HOLDING = {dict, list, set}


def snapshot(b: Builder) -> Any:
    """Return what `restore` needs to undo the lowering that follows."""
    region = b.frame, [f.exits for f in b.frame.ancestors()], len(b.frame.statements)
    return _held(b), _held(b.layout), region


def restore(b: Builder, state: Any) -> None:
    """Bring a builder back to the state of a snapshot."""
    builder, layout, region = state
    frame, exits, count = region
    for own, held in ((b, builder), (b.layout, layout)):
        for name, (value, copy) in held.items():
            if isinstance(value, list):
                value[:] = copy  # others hold the same list
            setattr(own, name, value if isinstance(value, list) else _copied(copy))
    b.frame = frame
    for part, exit_ in zip(frame.ancestors(), exits, strict=True):
        part.exits = exit_
    del frame.statements[count:]


def reaches(b: Builder, lower: Callable[[], Any]) -> bool:
    """Lower code inside of a loop; return False where no iteration so far would have reached it.

    It reads an element of a list that is empty so far, or a name that nothing was given. An
    iteration that does lets the loop be lowered again; where none does, the loop is refused.
    """
    if not (b.loops and b.leaves_out and any(map(_is_empty, b.env.values()))):
        lower()
        return True
    state = snapshot(b)
    try:
        lower()
    except SrcgradError as error:
        if error.later is None:
            raise
        restore(b, state)
        b.later.append(error)
        b.read_again.add(error.later)
        return False
    return True


def _is_empty(value: Value) -> bool:
    if value is UNDEFINED:
        return True
    return isinstance(value, Var) and value.type.kind == "list" and value.type.element is None


def _held(owner: Any) -> dict[str, tuple[Any, Any]]:
    """The attributes of an object, and copies of the containers among them."""
    return {
        name: (value, _copied(value) if type(value) in _HOLDING else value)
        for name, value in vars(owner).items()
    }


def _copied(value: Any) -> Any:
    """A copy of a container, and of those that a dict holds."""
    if type(value) is dict and not _HOLDING.isdisjoint(map(type, value.values())):
        return {key: _copied(part) for key, part in value.items()}
    return value.copy() if type(value) in _HOLDING else value
