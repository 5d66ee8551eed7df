"""``nonlocal``: local functions that rebind names of the function around them.

Such a function is written as one that is given these names and returns them, and its calls
as assignments of what it returns:

    def add(v):                      def add(v, total):
        nonlocal total          ->       total = total + v
        total = total + v                return total

    add(x)                           total = add(x, total)

That is the same as long as the function is called under its name, and nothing that an
expression evaluates before the call can tell that it runs earlier. Otherwise it is refused.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.statements.nonlocal_calls import (
    Calls,
    Rebinding,
    Refused,
    as_tuple,
    is_plain,
    scope,
)
from srcgrad.frontend.text.names import local_names, names_in
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.trees import kinds_in, per_node, replaced, rewritten


@per_node
def has_nonlocal(tree: Any) -> bool:
    """Whether there is a nonlocal statement in a function."""
    return cst.Nonlocal in kinds_in(tree)


def without_nonlocal(source: Source, tree: cst.FunctionDef) -> cst.FunctionDef:
    """Return a function whose local functions rebind nothing but their own names.

    Args:
        source: the function's source; it learns the lines of rewritten statements.
        tree: its definition.

    Raises:
        Refused: where that cannot be written.
    """
    if not has_nonlocal(tree):
        return tree
    made, left = _Rewriter(source, set(names_in(tree))).function(tree)
    if left:
        raise Refused(tree, "a nonlocal statement here", "return the value instead")
    source.derive(tree, made)
    return made


class _Rewriter:
    def __init__(self, source: Source, taken: set[str]) -> None:
        self.source, self.taken = source, taken

    def function(self, tree: cst.FunctionDef) -> tuple[cst.FunctionDef, set[str]]:
        """A function written anew, and the names of functions around it that it rebinds."""
        inside = [n for n in scope(tree.body) if isinstance(n, cst.FunctionDef)]
        found: dict[str, Rebinding] = {}
        new: dict[int, Any] = {}
        for node in inside:
            made, escaping = self.function(node)
            new[id(node)] = made
            smalls = [n for n in scope(made.body) if isinstance(n, cst.Nonlocal)]
            declared = {item.name.value for small in smalls for item in small.names}
            if made.name.value in found:
                raise Refused(node, "two local functions of one name beside nonlocal", "rename one")
            found[made.name.value] = Rebinding(made, declared | escaping, declared | escaping)
        self.spread(found)
        rebinding = {name: f for name, f in found.items() if f.names}
        if not rebinding:
            changed = any(new[id(n)] is not n for n in inside)
            return (replaced(tree, new) if changed else tree), set()
        for node in inside:
            item = found[node.name.value]
            new[id(node)] = self.handing(item, rebinding)
            self.source.derive(node, new[id(node)])
        own = Calls(self.source, self.fresh, rebinding)
        own.require_calls(tree.body, skipped={id(n) for n in inside})
        body = own.suite(tree.body.body, new)
        mine = local_names(tree) - _declared(tree)
        escaping = set().union(*(f.names for f in rebinding.values())) - mine
        made = tree.with_changes(body=tree.body.with_changes(body=body))
        return made, escaping

    def spread(self, found: dict[str, Rebinding]) -> None:
        """Let functions rebind what the functions rebind that they call."""
        while True:
            before = sum(len(f.names) for f in found.values())
            for item in found.values():
                used = names_in(item.node.body)
                for name, other in found.items():
                    if name in used:
                        item.names |= other.names
            if sum(len(f.names) for f in found.values()) == before:
                break
        for item in found.values():
            clash = item.names & (local_names(item.node) - item.declared)
            if clash:
                raise Refused(
                    item.node, f"a local name like the nonlocal {min(clash)!r}", "rename it"
                )
            if item.names and item.node.decorators:
                raise Refused(item.node, "a decorator of a function with nonlocal", "leave it out")

    def handing(self, item: Rebinding, rebinding: dict[str, Rebinding]) -> cst.FunctionDef:
        """A local function that is given names and returns them."""
        if not item.names:
            return item.node
        calls = Calls(self.source, self.fresh, rebinding)
        node = item.node
        calls.require_calls(node.body, skipped=set())
        body = calls.suite(_without_declarations(node.body).body, {})
        gives = item.gives

        def returned(old: Any, made: Any) -> Any:
            if made is None:
                return old if isinstance(old, cst.FunctionDef | cst.Lambda) else None
            if not isinstance(made, cst.Return):
                return None
            return self.result(item, made.value, gives)

        whole = cst.IndentedBlock(body)
        new = rewritten(whole, returned)
        if not _leaves(new.body[-1]):
            last = cst.SimpleStatementLine([self.result(item, None, gives)])
            new = new.with_changes(body=[*new.body, last])
        self.source.derive_all(node, new)
        params = node.params
        given = [cst.Param(cst.Name(n)) for n in item.order]
        if is_plain(params):
            params = params.with_changes(params=[*_commas(params.params), *given])
        else:
            star = params.star_arg
            if star is cst.MaybeSentinel.DEFAULT or star is None:
                star = cst.ParamStar()
            params = params.with_changes(
                star_arg=star, kwonly_params=[*_commas(params.kwonly_params), *given]
            )
        return node.with_changes(params=params, body=new)

    def result(self, item: Rebinding, value: Any, gives: bool) -> cst.Return:
        parts: list[Any] = [cst.Name(n) for n in item.order]
        if gives:
            value = cst.Name("None") if value is None else value
            if isinstance(value, cst.Tuple | cst.IfExp | cst.Lambda) and not value.lpar:
                value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            parts = [value, *parts]
        return cst.Return(as_tuple(parts))

    def fresh(self, wanted: str) -> str:
        name, count = wanted, 1
        while name in self.taken:
            count += 1
            name = f"{wanted}_{count}"
        self.taken.add(name)
        return name


def _commas(params: Any) -> list[Any]:
    return [p.with_changes(comma=cst.MaybeSentinel.DEFAULT) for p in params]


def _declared(tree: cst.FunctionDef) -> set[str]:
    smalls = [n for n in scope(tree.body) if isinstance(n, cst.Nonlocal)]
    return {item.name.value for small in smalls for item in small.names}


def _without_declarations(body: Any) -> Any:
    """A body without its nonlocal statements."""
    if isinstance(body, cst.SimpleStatementSuite):
        body = cst.IndentedBlock([cst.SimpleStatementLine(body.body)])
    kept = []
    for statement in body.body:
        if isinstance(statement, cst.SimpleStatementLine):
            smalls = [s for s in statement.body if not isinstance(s, cst.Nonlocal)]
            if not smalls:
                continue
            if len(smalls) < len(statement.body):
                statement = statement.with_changes(body=smalls)
        kept.append(statement)
    return body.with_changes(body=kept or [cst.SimpleStatementLine([cst.Pass()])])


def _leaves(statement: Any) -> bool:
    """Whether nothing is executed behind a statement."""
    small = statement.body[-1] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(small, cst.Return | cst.Raise)
