"""Writing the forward part: the user's own text, with the lines that the backward part needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import libcst as cst

from srcgrad.analysis.residuals import Names, Plan, _holder
from srcgrad.frontend.normalise import block as indented
from srcgrad.frontend.normalise import names_in
from srcgrad.frontend.source import Source
from srcgrad.frontend.walking import children
from srcgrad.ir.nodes import Equation

_MODULE = cst.Module([])


class Edits:
    """What is to be changed in a function's text.

    Attributes:
        before: lines to put before a statement, by the statement's id.
        after: lines to put after it.
        top: lines to put at the top of a suite, by the id of the loop or ``if``.
        replace: expressions to put in the place of others, by id.
        targets: assignments whose right side becomes a call that also gives
            hidden outputs: by statement id, (new right side, extra targets).
    """

    def __init__(self) -> None:
        self.before: dict[int, list[str]] = {}
        self.after: dict[int, list[str]] = {}
        self.top: dict[int, list[str]] = {}
        self.replace: dict[int, cst.BaseExpression] = {}
        self.targets: dict[int, tuple[cst.BaseExpression, str]] = {}


class _Replace(cst.CSTTransformer):
    def __init__(self, replace: dict[int, cst.BaseExpression]) -> None:
        super().__init__()
        self.replace = replace

    def on_visit(self, node: cst.CSTNode) -> bool:
        return id(node) not in self.replace

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        return self.replace.get(id(original_node), updated_node)


def code(node: cst.CSTNode) -> str:
    """Return the text of an expression on one line where it was on one."""
    if getattr(node, "lpar", ()):
        bare = node.with_changes(lpar=(), rpar=())
        if "\n" not in _MODULE.code_for_node(bare):
            node = bare
    return join_lines(node)


class ForwardWriter:
    """Writes the forward part of one function.

    Args:
        source: the function.
        plan: what must be kept.
        calls: calls that are made through a forward function: the equation, the
            forward function's name, the text added to its arguments, and the
            names of the hidden outputs.
        names: the names that are taken.
        layout: the layout of the function.
        split: whether what is kept is handed to another function.
    """

    def __init__(
        self,
        source: Source,
        plan: Plan,
        calls: list[tuple[Equation, str, str, list[str]]],
        names: Names,
        layout: Any,
        split: bool,
    ) -> None:
        self.function_layout = layout
        self.split = split
        self.source = source
        self.plan = plan
        self.names = names
        self.edits = Edits()
        self.hoisted: dict[int, str] = {}
        self.prepare(calls)

    def prepare(self, calls) -> None:
        plan, edits = self.plan, self.edits
        steps: list[tuple[int, Any]] = []
        for definition, name in plan.hoists:
            steps.append((definition.order, ("name", definition, name)))
        for eq, forward, added, hidden in calls:
            steps.append((self.order_of(eq), ("call", eq, forward, added, hidden)))
        named = {id(d.node): name for d, name in plan.hoists}
        for _, step in sorted(steps, key=lambda s: s[0]):
            if step[0] == "call":
                self.place_call(*step[1:], named)
            else:
                _, definition, name = step
                if id(definition.node) in self.hoisted:
                    continue
                text = code(self.rewrite(definition.node))
                edits.before.setdefault(id(definition.statement), []).append(f"{name} = {text}")
                edits.replace[id(definition.node)] = cst.Name(name)
        for frame, index, after, line in plan.copies:
            self.insert(frame, index, after, line)
        for saved in plan.saved.values():
            parts = [text for text, _ in saved.entries]
            item = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
            self.insert(saved.frame, saved.place, saved.after, f"{saved.name}.append({item})")
            self.open_list(saved.frame, f"{saved.name} = []")
        for frame, name in plan.counted.items():
            self.insert(frame, -1, True, f"{name} += 1")
            self.open_list(frame, f"{name} = 0")
        for name, statement in plan.conditional.items() if self.split else ():
            edits.before.setdefault(id(statement), []).append(f"{name} = 0.0")

    def order_of(self, eq: Equation) -> int:
        layout = self.function_layout
        return min(layout.definitions[t].order for t in eq.targets)

    def holding(self, frame: Any) -> Any:
        """The statement of the enclosing region in which a region stands."""
        parent = frame.parent
        inside = [s for s, position in parent.statements if position <= frame.start]
        return inside[-1]

    def open_list(self, frame: Any, line: str) -> None:
        """Make a list (or a counter) before the loop whose iterations fill it."""
        loop = next(f for f in frame.ancestors() if f.kind == "loop")
        holder = _holder(frame)
        while loop.parent is not holder:
            loop = loop.parent
        statement = self.holding(loop)
        lines = self.edits.before.setdefault(id(statement), [])
        lines.append(line)

    def insert(self, frame: Any, index: int, after: bool, line: str) -> None:
        if index >= 0:
            statement = frame.statements[index][0]
            table = self.edits.after if after else self.edits.before
            table.setdefault(id(statement), []).append(line)
        elif frame.statements:
            lines = self.edits.top.setdefault(id(frame.statements[0][0]), [])
            lines.append(line)
        else:
            self.edits.top.setdefault(id(frame.node), []).append(line)

    def place_call(self, eq, forward: str, added: str, hidden: list[str], named) -> None:
        """Call a forward function, which also gives hidden outputs."""
        node = eq.origin.node
        statement = eq.origin.statement
        call = self.rewrite(node, itself=False)
        if isinstance(call, cst.Call):
            args = list(call.args)
            if isinstance(call.func, cst.Attribute) and eq.op.style == "method":
                args.insert(0, cst.Arg(call.func.value))
        else:
            raise AssertionError("a forward function stands for a call")
        if added:
            extra = cst.parse_expression(f"f({added})")
            args += list(extra.args)  # type: ignore[attr-defined]
        call = cst.Call(cst.Name(forward), args)
        outputs = ", ".join(hidden)
        small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        if isinstance(small, cst.Assign) and small.value is node and len(small.targets) == 1:
            self.edits.targets[id(statement)] = (call, outputs)
            return
        name = named.get(id(node))
        if name is None:
            label = eq.targets[0].name if len(eq.targets) == 1 else eq.op.name or "value"
            name = self.names.fresh(label)
        text = f"{name}, {outputs} = {code(call)}"
        self.edits.before.setdefault(id(statement), []).append(text)
        self.edits.replace[id(node)] = cst.Name(name)
        self.hoisted[id(node)] = name

    def rewrite(self, node: Any, itself: bool = True) -> Any:
        """Return an expression or statement with the replacements made inside."""
        replace = self.edits.replace
        if not itself:
            replace = {k: v for k, v in replace.items() if k != id(node)}
        if not replace or not _contains(node, replace):
            return node
        return node.visit(_Replace(replace))

    def body(self, returned: Any) -> list[cst.BaseStatement]:
        """Return the statements of the forward part.

        Args:
            returned: called with the expression of each ``return``; gives the
                lines to put in its place.
        """
        self.returned = returned
        statements = list(self.source.tree.body.body)
        if statements and _is_docstring(statements[0]):
            key = id(statements[0])
            moved = [*self.edits.top.get(key, []), *self.edits.before.get(key, [])]
            moved += self.edits.after.get(key, [])
            return [*map(_line, moved), *self.suite(statements[1:])]
        return self.suite(statements)

    def suite(self, statements: Iterable[Any]) -> list[Any]:
        out: list[Any] = []
        edits = self.edits
        for statement in statements:
            key = id(statement)
            out += [_line(text) for text in edits.top.get(key, [])]
            out += self.before(key)
            out += self.statement(statement)
            out += [_line(text) for text in edits.after.get(key, [])]
        return out

    def before(self, key: int) -> list[Any]:
        """Lines before a statement; lists are made after the values that precede them."""
        return [_line(text) for text in self.edits.before.get(key, [])]

    def statement(self, statement: Any) -> list[Any]:
        key = id(statement)
        if isinstance(statement, cst.If):
            return [self.branch(statement)]
        if isinstance(statement, cst.For):
            body = [_line(t) for t in self.edits.top.get(key, []) if False]
            body += self.suite(statement.body.body)
            return [statement.with_changes(iter=self.rewrite(statement.iter), body=indented(body))]
        if isinstance(statement, cst.While):
            body = self.suite(statement.body.body)
            return [statement.with_changes(test=self.rewrite(statement.test), body=indented(body))]
        if isinstance(statement, cst.With):
            return [statement.with_changes(body=indented(self.suite(statement.body.body)))]
        if isinstance(statement, cst.FunctionDef):
            return [statement]
        small = statement.body[0]
        if isinstance(small, cst.Return):
            value = self.rewrite(small.value) if small.value is not None else cst.Name("None")
            return [
                _comments(_line(text), statement, k) for k, text in enumerate(self.returned(value))
            ]
        if key in self.edits.targets:
            call, outputs = self.edits.targets[key]
            target = small.targets[0].target
            text = _MODULE.code_for_node(target)
            if isinstance(target, cst.Tuple) and not target.lpar:
                text = f"({text})"
            new = cst.parse_statement(f"{text}, {outputs} = {code(call)}")
            return [
                new.with_changes(
                    leading_lines=statement.leading_lines,
                    trailing_whitespace=statement.trailing_whitespace,
                )
            ]
        return [self.rewrite(statement)]

    def branch(self, node: cst.If) -> cst.If:
        body = indented(self.suite(node.body.body))
        orelse: Any = node.orelse
        if isinstance(orelse, cst.If):
            before = self.before(id(orelse)) + [
                _line(t) for t in self.edits.top.get(id(orelse), [])
            ]
            after = [_line(t) for t in self.edits.after.get(id(orelse), [])]
            inner = self.branch(orelse)
            if before or after:
                plain = inner.with_changes(leading_lines=())
                orelse = cst.Else(indented([*before, plain, *after]))
            else:
                orelse = inner
        elif orelse is not None:
            orelse = orelse.with_changes(body=indented(self.suite(orelse.body.body)))
        return node.with_changes(test=self.rewrite(node.test), body=body, orelse=orelse)


def _comments(line: Any, statement: Any, k: int) -> Any:
    if k == 0:
        return line.with_changes(
            leading_lines=statement.leading_lines,
            trailing_whitespace=statement.trailing_whitespace,
        )
    return line


def _contains(node: cst.CSTNode, replace: dict[int, Any]) -> bool:
    if id(node) in replace:
        return True
    return any(_contains(child, replace) for child in children(node))


def _is_docstring(statement: Any) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


def _line(text: str) -> Any:
    return cst.parse_statement(text)


def join_lines(node: Any) -> str:
    """Return the text of an expression that stands inside brackets of its own."""
    text = _MODULE.code_for_node(node)
    return f"({text})" if "\n" in text and not getattr(node, "lpar", ()) else text


def prune(statements: list[Any], live: set[str], impure: set[int]) -> list[Any]:
    """Remove statements that only compute what nobody reads.

    Args:
        statements: the statements of a function's forward part.
        live: the names that are read after them.
        impure: ids of expressions that must stay because they have effects.
    """
    return _prune(statements, set(live), impure)[0]


def _prune(statements: list[Any], live: set[str], impure: set[int]) -> tuple[list[Any], set[str]]:
    kept: list[Any] = []
    for statement in reversed(statements):
        if isinstance(statement, cst.If):
            then, a = _prune(list(statement.body.body), set(live), impure)
            orelse = statement.orelse
            other, c = [], set(live)
            if isinstance(orelse, cst.If):
                other, c = _prune([orelse], set(live), impure)
            elif orelse is not None:
                other, c = _prune(list(orelse.body.body), set(live), impure)
            if not then and not other and not _effects(statement.test, impure):
                continue
            new: Any = None
            if other:
                elif_ = (
                    len(other) == 1 and isinstance(other[0], cst.If) and isinstance(orelse, cst.If)
                )
                new = (
                    other[0]
                    if elif_
                    else (
                        cst.Else(indented(other))
                        if isinstance(orelse, cst.If)
                        else orelse.with_changes(body=indented(other))
                    )
                )
            live = a | c | names_in(statement.test)
            kept.append(statement.with_changes(body=indented(then), orelse=new))
        elif isinstance(statement, cst.For | cst.While):
            everything = live | names_in(statement)
            body, _ = _prune(list(statement.body.body), everything, impure)
            if not _needed(statement, live, impure):
                continue
            body = _prune_loop(statement, live, impure)
            kept.append(statement.with_changes(body=indented(body)))
            live = live | names_in(kept[-1])
        elif isinstance(statement, cst.With):
            body, live = _prune(list(statement.body.body), live, impure)
            if body:
                kept.append(statement.with_changes(body=indented(body)))
                live |= {n for item in statement.items for n in names_in(item)}
        elif _needed(statement, live, impure):
            assigned = _plain_targets(statement)
            live = (live - assigned) | names_in(statement)
            if isinstance(statement, cst.SimpleStatementLine) and isinstance(
                statement.body[0], cst.Assign
            ):
                live = live - assigned | names_in(statement.body[0].value)
            kept.append(statement)
    return list(reversed(kept)), live


def _prune_loop(loop: Any, live: set[str], impure: set[int]) -> list[Any]:
    body = list(loop.body.body)
    head = names_in(loop.iter) if isinstance(loop, cst.For) else names_in(loop.test)
    wanted = live | head
    for _ in range(8):
        kept, inside = _prune(body, set(wanted), impure)
        if inside <= wanted:
            return kept
        wanted |= inside
    return body


def _plain_targets(statement: Any) -> set[str]:
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Assign):
        found: set[str] = set()
        for target in small.targets:
            found |= names_in(target.target) if _only_names(target.target) else set()
        return found
    return set()


def _only_names(target: Any) -> bool:
    if isinstance(target, cst.Name):
        return True
    if isinstance(target, cst.Tuple | cst.List):
        return all(_only_names(e.value) for e in target.elements)
    return False


def _needed(statement: Any, live: set[str], impure: set[int]) -> bool:
    from srcgrad.frontend.closures import assigned_names

    if isinstance(statement, cst.FunctionDef):
        return statement.name.value in live
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Pass):
        return False
    if isinstance(small, cst.Del):
        return True
    if isinstance(small, cst.Assign | cst.AnnAssign | cst.AugAssign):
        value = small.value
        if value is not None and _effects(value, impure):
            return True
        return bool(assigned_names(statement) & live)
    if isinstance(statement, cst.For | cst.While):
        if assigned_names(statement) & live:
            return True
        return any(_needed(s, live, impure) for s in _inner(statement) if not _is_jump(s))
    if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
        func = small.value.func
        if isinstance(func, cst.Attribute) and func.attr.value == "append":
            return bool(names_in(func.value) & live)
        return True
    return True


def _is_jump(statement: Any) -> bool:
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(small, cst.Break | cst.Continue | cst.Pass)


def _inner(loop: Any) -> list[Any]:
    found: list[Any] = []
    stack = list(loop.body.body)
    while stack:
        item = stack.pop()
        if isinstance(item, cst.If):
            stack += list(item.body.body)
            orelse = item.orelse
            if isinstance(orelse, cst.If):
                stack.append(orelse)
            elif orelse is not None:
                stack += list(orelse.body.body)
        elif isinstance(item, cst.With):
            stack += list(item.body.body)
        else:
            found.append(item)
    return found


def _effects(node: cst.CSTNode, impure: set[int]) -> bool:
    if id(node) in impure or isinstance(node, cst.NamedExpr):
        return True
    return any(_effects(child, impure) for child in children(node))
