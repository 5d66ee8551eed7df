"""Calls of local functions that rebind names of the function around them.

A call becomes an assignment of what the function returns (`nonlocals.py`), which stands
before its statement. That must make no difference to what else the statement reads.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from srcgrad.frontend.expressions.unrolling import assignment
from srcgrad.frontend.text.names import local_names, names_in, names_written_into
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.trees import children, replaced
from srcgrad.program import facts

_LATER = (cst.Lambda, cst.ListComp, cst.GeneratorExp, cst.SetComp, cst.DictComp)
_PERHAPS = (cst.IfExp, cst.BooleanOperation, cst.NamedExpr, *_LATER)
_ALONE = "put the call into a statement of its own"


class Refused(Exception):
    """A use of ``nonlocal`` that cannot be written otherwise.

    Args:
        node: the offending node.
        what: what is not supported.
        fix: the way out.
    """

    def __init__(self, node: Any, what: str, fix: str) -> None:
        super().__init__()
        self.node, self.what, self.fix = node, what, fix


@dataclass(eq=False)
class Rebinding:
    """A local function and the names that calling it rebinds.

    Attributes:
        node: its definition, what is inside of it written anew.
        declared: what it declares as ``nonlocal``, itself or in functions inside of it.
        names: what calling it rebinds, in order.
    """

    node: cst.FunctionDef
    declared: set[str]
    names: set[str] = field(default_factory=set)

    @property
    def gives(self) -> bool:
        """Whether it returns a value of its own."""
        found = (n.value for n in scope(self.node.body) if isinstance(n, cst.Return))
        return any(v is not None and getattr(v, "value", "") != "None" for v in found)

    @property
    def order(self) -> list[str]:
        """The names in the order in which they are handed over."""
        return sorted(self.names)


def scope(node: Any) -> list[Any]:
    """The nodes of a scope, without those inside of functions in it."""
    found, stack = [], [node]
    while stack:
        item = stack.pop()
        found.append(item)
        if not isinstance(item, cst.FunctionDef | cst.Lambda) or item is node:
            stack += reversed(children(item))
    return found


class Calls:
    """Writes the calls of functions that rebind names, in one scope.

    Args:
        source: the function that is read.
        fresh: gives names that nothing else has.
        rebinding: these functions, by their names.
    """

    def __init__(
        self, source: Source, fresh: Callable[[str], str], rebinding: dict[str, Rebinding]
    ) -> None:
        self.source, self.fresh, self.rebinding = source, fresh, rebinding

    def require_calls(self, node: Any, skipped: set[int]) -> None:
        """Refuse other uses of these functions than calls."""
        if id(node) in skipped:
            return
        if isinstance(node, cst.FunctionDef | cst.Lambda) and names_in(node) & set(self.rebinding):
            raise Refused(node, "calling a function with nonlocal from here", "call it outside")
        if isinstance(node, cst.Name) and node.value in self.rebinding:
            raise Refused(node, "handing on a function with nonlocal", "return the value instead")
        parts = children(node)
        if self.is_one(node):
            if any(a.star for a in node.args):
                raise Refused(node, "a star in a call of a function with nonlocal", "write it out")
            parts = [a.value for a in node.args]
        elif isinstance(node, cst.Attribute | cst.Arg):
            parts = [node.value]
        for part in parts:
            self.require_calls(part, skipped)

    def is_one(self, node: Any) -> bool:
        """Whether a node is a call of such a function."""
        called = isinstance(node, cst.Call) and isinstance(node.func, cst.Name)
        return called and node.func.value in self.rebinding

    def found(self, node: Any) -> list[cst.Call]:
        """The calls in an expression, in the order in which they are evaluated."""
        inner = [call for child in children(node) for call in self.found(child)]
        return [*inner, node] if self.is_one(node) else inner

    def suite(self, statements: Any, new: dict[int, Any]) -> list[Any]:
        """The statements of a suite written anew; some definitions are given."""
        out: list[Any] = []
        for statement in statements:
            if id(statement) in new:
                out.append(new[id(statement)])
                continue
            if isinstance(statement, cst.FunctionDef) or not (self.found(statement) or new):
                out.append(statement)
                continue
            made = self.statement(statement, new)
            for part in made:
                if part is not statement:
                    self.source.derive_all(statement, part)
            if made and made[0] is not statement and hasattr(statement, "leading_lines"):
                rest = [p.with_changes(leading_lines=()) for p in made[1:]]
                for old, part in zip(made[1:], rest, strict=True):
                    self.source.derive(old, part)
                first = made[0].with_changes(leading_lines=statement.leading_lines)
                self.source.derive(made[0], first)
                made = [first, *rest]
            out += made
        return out

    def statement(self, statement: Any, new: dict[int, Any]) -> list[Any]:
        if isinstance(statement, cst.SimpleStatementLine):
            if not self.found(statement):
                return [statement]
            lines = []
            for small in statement.body:
                lines += self.small(small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))
            return lines
        before: list[Any] = []
        if isinstance(statement, cst.If):
            before, test = self.lifted(statement.test)
            if self.found(getattr(statement.orelse, "test", cst.Pass())):
                raise Refused(statement.orelse, "such a call in elif", "write else and if")
            return [*before, self.branches(statement.with_changes(test=test), new)]
        if isinstance(statement, cst.For):
            before, head = self.lifted(statement.iter)
            statement = statement.with_changes(iter=head)
        elif isinstance(statement, cst.While) and self.found(statement.test):
            raise Refused(statement.test, "such a call in the test of a loop", _ALONE)
        elif not isinstance(statement, cst.For | cst.While):
            if self.found(statement) or any(id(n) in new for n in scope(statement)):
                raise Refused(statement, "a function with nonlocal in this statement", _ALONE)
            return [statement]
        changes: dict[str, Any] = {"body": self.block(statement.body, new)}
        if statement.orelse is not None:
            body = self.block(statement.orelse.body, new)
            changes["orelse"] = statement.orelse.with_changes(body=body)
        return [*before, statement.with_changes(**changes)]

    def branches(self, statement: cst.If, new: dict[int, Any]) -> cst.If:
        orelse = statement.orelse
        if isinstance(orelse, cst.If):
            orelse = self.branches(orelse, new)
        elif orelse is not None:
            orelse = orelse.with_changes(body=self.block(orelse.body, new))
        return statement.with_changes(body=self.block(statement.body, new), orelse=orelse)

    def block(self, body: Any, new: dict[int, Any]) -> Any:
        if isinstance(body, cst.SimpleStatementSuite):
            body = cst.IndentedBlock([cst.SimpleStatementLine(body.body)])
        return body.with_changes(body=self.suite(body.body, new))

    def small(self, small: Any) -> list[Any]:
        """The lines that a simple statement becomes."""
        value = getattr(small, "value", None)
        if isinstance(small, cst.Expr) and self.is_one(value) and self.is_leaf(value):
            item = self.rebinding[value.func.value]
            targets = [cst.Name(self.fresh("_"))] if item.gives else []
            return [self.assigned(value, targets)]
        if isinstance(small, cst.Assign) and self.is_one(value) and self.is_leaf(value):
            item, target = self.rebinding[value.func.value], small.targets[0].target
            free = not (names_in(target) & item.names) and isinstance(target, cst.Name)
            if item.gives and len(small.targets) == 1 and free:
                return [self.assigned(value, [target])]
        if isinstance(small, cst.AugAssign) and names_in(small.target) & self.names(small.value):
            raise Refused(small, "augmenting a name that the same line rebinds", _ALONE)
        if not isinstance(
            small, cst.Assign | cst.AugAssign | cst.AnnAssign | cst.Return | cst.Expr
        ):
            raise Refused(small, "a call of a function with nonlocal here", _ALONE)
        targets = getattr(small, "targets", [getattr(small, "target", None)])
        if any(t is not None and self.found(t) for t in targets):
            raise Refused(small, "a call of a function with nonlocal here", _ALONE)
        place = small.target if isinstance(small, cst.AugAssign) else None
        before, made = self.lifted(value, place)
        return [*before, cst.SimpleStatementLine([small.with_changes(value=made)])]

    def names(self, node: Any) -> set[str]:
        """What the calls in an expression rebind."""
        found = (self.rebinding[call.func.value].names for call in self.found(node))  # type: ignore
        return set().union(*found)

    def is_leaf(self, call: cst.Call) -> bool:
        """Whether no argument of a call contains such a call."""
        return len(self.found(call)) == 1

    def lifted(self, value: Any, place: Any = None) -> tuple[list[Any], Any]:
        """Lines with the calls in an expression, and the expression with their results."""
        calls = self.found(value)
        if not calls:
            return [], value
        self.require_in_order(value, place, calls)
        lines, new = [], {}
        for call in calls:
            item = self.rebinding[call.func.value]  # type: ignore[attr-defined]
            name = cst.Name(self.fresh(f"{item.node.name.value}_value"))
            inner = replaced(call, new) if not self.is_leaf(call) else call
            lines.append(self.assigned(inner, [name] if item.gives else []))
            new[id(call)] = name if item.gives else cst.Name("None")
        return lines, replaced(value, new)

    def require_in_order(self, value: Any, place: Any, calls: list[cst.Call]) -> None:
        """Refuse an expression that could tell that the calls in it run before the rest."""
        leaves = {id(call) for call in calls if self.is_leaf(call)}
        names = self.names(value)
        writes = any(
            names_written_into(item.node) - item.names - local_names(item.node)
            for item in self.rebinding.values()
        )
        before = self.evaluated(value, leaves)
        last = max(k for k, node in enumerate(before) if self.is_one(node))
        for node in [*([] if place is None else self.evaluated(place, leaves)), *before[:last]]:
            if isinstance(node, _PERHAPS) and self.found(node):
                raise Refused(node, "a call of a function with nonlocal in this place", _ALONE)
            other = isinstance(node, cst.Call) and not self.is_one(node) and not self.harmless(node)
            reads = isinstance(node, cst.Subscript | cst.Attribute) and writes
            if other or reads or (isinstance(node, cst.Name) and node.value in names):
                raise Refused(
                    node, "reading this before a call of a function with nonlocal", _ALONE
                )

    def evaluated(self, node: Any, leaves: set[int]) -> list[Any]:
        """The nodes of an expression in the order of evaluation.

        Calls that contain no other ones take what they are given along.
        """
        if id(node) in leaves:
            return [node]
        if self.is_one(node):
            inner = [part for a in node.args for part in self.evaluated(a.value, leaves)]
            return [*inner, node]
        parts = [a.value for a in node.args] if isinstance(node, cst.Call) else children(node)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            parts = [node.func.value, *parts]
        elif isinstance(node, cst.Attribute):
            parts = [node.value]
        return [node, *(part for p in parts for part in self.evaluated(p, leaves))]

    def harmless(self, call: cst.Call) -> bool:
        """Whether a call is one of a module's or of Python's own functions."""
        root: Any = call.func
        while isinstance(root, cst.Attribute):
            root = root.value
        if not isinstance(root, cst.Name) or root.value in local_names(self.source.tree):
            return False
        held = facts.read_name(self.source.globals, root.value)
        return inspect.ismodule(held) or held is vars(builtins).get(root.value, self)

    def assigned(self, call: cst.Call, targets: list[Any]) -> cst.SimpleStatementLine:
        """``value, total = add(x, total)``."""
        item = self.rebinding[call.func.value]  # type: ignore[attr-defined]
        plain = is_plain(item.node.params)
        given = [
            cst.Arg(
                cst.Name(n),
                keyword=None if plain else cst.Name(n),
                equal=cst.MaybeSentinel.DEFAULT if plain else _EQUAL,
            )
            for n in item.order
        ]
        if plain and any(a.keyword is not None for a in call.args):
            given = [a.with_changes(keyword=a.value, equal=_EQUAL) for a in given]
        args = [*call.args, *given]
        space = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        args = [a.with_changes(comma=space) for a in args[:-1]] + [
            args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        ]
        names = [*targets, *(cst.Name(n) for n in item.order)]
        return assignment(as_tuple(names), call.with_changes(args=args))


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def as_tuple(parts: list[Any]) -> Any:
    """Parts as a tuple without brackets; one part as itself."""
    if len(parts) == 1:
        return parts[0]
    return cst.Tuple([cst.Element(p) for p in parts], lpar=(), rpar=())


def is_plain(params: cst.Parameters) -> bool:
    """Whether parameters can be added behind those of a function."""
    star = params.star_arg not in (cst.MaybeSentinel.DEFAULT, None)
    defaults = any(p.default is not None for p in params.params)
    return not (star or defaults or params.kwonly_params or params.star_kwarg)
