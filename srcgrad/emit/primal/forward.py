"""Writing the forward part: the user's own text, with the lines that the backward part needs."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false

from __future__ import annotations

import copy
import functools
import textwrap
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import libcst as cst

from srcgrad.analysis.kept.plans import Names, Plan, Saved, holder_of, placeholders
from srcgrad.frontend.arrays.formula_calls import as_formula_arguments
from srcgrad.frontend.calls.pairs import CallSite
from srcgrad.frontend.calls.recorded_calls import RecordedCall
from srcgrad.frontend.text.exits import block as indented
from srcgrad.frontend.text.exits import is_docstring, map_suites
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import held_together, text_of
from srcgrad.frontend.text.trees import assigned, changed, nodes_in, rewritten, small_of
from srcgrad.ir.forms import key_text
from srcgrad.ir.nodes import RECORDED, Equation
from srcgrad.ir.structures import form_of
from srcgrad.ir.types import GENERATOR
from srcgrad.registry import find_formula
from srcgrad.runtime.generators import same_draws
from srcgrad.runtime.snapshots import Snapshots

COMMENT = 80  # the width of what stands behind the mark of a comment


class Edits:
    """What is to be changed in a function's text."""

    def __init__(self) -> None:
        # lines to put before a statement, by the statement's id
        self.before: dict[int, list[str]] = {}
        self.after: dict[int, list[str]] = {}  # lines to put after it
        # lines to put at the top of a suite, by the id of the loop or ``if``
        self.top: dict[int, list[str]] = {}
        # expressions to put in the place of others, by id
        self.replace: dict[int, cst.BaseExpression] = {}
        # assignments whose right side becomes a call that also gives hidden outputs: by statement
        # id, (new right side, extra targets)
        self.targets: dict[int, tuple[cst.BaseExpression, str]] = {}
        # lines of the ``else`` of a branch, or of a ``try`` statement
        self.orelse: dict[int, list[str]] = {}
        # of a loop, what it goes over besides: (target, iterable); of an empty one it takes the
        # count
        self.heads: dict[int, tuple[str, str]] = {}


def code(node: cst.CSTNode) -> str:
    """Return the text of an expression on one line where it was on one."""
    if getattr(node, "lpar", ()):
        bare = node.with_changes(lpar=(), rpar=())
        if "\n" not in text_of(bare):
            node = bare
    return join_lines(node)


class ForwardWriter:
    """Writes the forward part of one function."""

    def __init__(
        self,
        source: Source,  # the function
        plan: Plan,  # what must be kept
        # calls that are made through a forward function: the equation, the forward function's
        # name, the text added to its arguments, and the names of the hidden outputs
        calls: list[tuple[Equation, str, str, list[str]]],
        names: Names,  # the names that are taken
        layout: Any,  # the layout of the function
        split: bool,  # whether what is kept is handed to another function
        namer: Callable[[Any], str],  # gives functions a name that the text has none for
    ) -> None:
        self.function_layout = layout
        self.split = split
        self.namer = namer
        self.source = source
        self.plan = plan
        self.names = names
        self.edits = Edits()
        self.hoisted: dict[int, str] = {}
        self.comments: dict[int, list[str]] = {}
        self.prepare(calls)

    def prepare(self, calls) -> None:
        plan, edits = self.plan, self.edits
        for key, thing in self.function_layout.spelled.items():
            edits.replace[key] = cst.parse_expression(self.namer(thing))
        steps: list[tuple[int, Any]] = []
        for definition, name in plan.hoists:
            steps.append((definition.order, ("name", definition, name)))
        for eq, forward, added, hidden in calls:
            steps.append((self.order_of(eq), ("call", eq, forward, added, hidden)))
        named = {id(d.node): name for d, name in plan.hoists}
        kept = {var.name for var in plan.where}
        # before all that is given a name there, which may draw
        for statement, name, read in self.function_layout.draws:
            if name not in kept:
                continue
            line = f"{name} = {self.namer(same_draws)}({read})"
            edits.before.setdefault(id(statement), []).append(line)
        for _, step in sorted(steps, key=lambda s: (s[0], s[1][0] != "call")):
            if step[0] == "call":
                self.place_call(*step[1:], named)
            else:
                _, definition, name = step
                if id(definition.node) in self.hoisted:
                    if name in plan.copied:
                        lines = edits.before.setdefault(id(definition.statement), [])
                        lines += [f"{copy} = {text}" for text, copy in plan.copied[name].items()]
                    continue
                text = code(self.rewrite(definition.node))
                lines = edits.before.setdefault(id(definition.statement), [])
                if name in plan.views:
                    lines.append(f"{name} = {copied(text) if plan.views[name] else text}")
                    continue
                lines.append(f"{name} = {text}")
                lines += [f"{copy} = {text}" for text, copy in plan.copied.get(name, {}).items()]
                edits.replace[id(definition.node)] = cst.Name(name)
        for statement, line, _ in self.function_layout.checks:
            edits.before.setdefault(id(statement), []).append(line)
        for frame, index, after, line in plan.copies:
            self.insert(frame, index, after, line)
        for saved in plan.saved.values():
            if saved.frame.steps is not None:
                self.keep_states(saved)
                continue
            parts = [text for text, _ in saved.entries]
            item = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
            self.insert(saved.frame, saved.place, saved.after, f"{saved.name}.append({item})")
            self.open_list(saved.frame, f"{saved.name} = []")
        for frame, name in plan.counted.items():
            self.insert(frame, -1, True, f"{name} += 1")
            self.open_list(frame, f"{name} = 0")
        for statement, line in placeholders(plan.conditional):
            edits.before.setdefault(id(statement), []).insert(0, line)

    def keep_states(self, saved: Saved) -> None:
        """Keep some of the states that the steps of a loop begin with."""
        steps = saved.frame.steps
        assert steps is not None
        plan = self.plan
        homes = (v for v, frame in plan.homes.items() if frame is saved.frame)
        drawn = {plan.where[v] for v in homes if v.type.element is GENERATOR}
        kept = {text for text, name in saved.entries if name in drawn} if self.split else set()
        copying = self.namer(same_draws) if kept else ""
        states = (f"{copying}({name})" if name in kept else name for name in steps.passed)
        self.insert(saved.frame, -1, True, f"{saved.name}.keep({', '.join(states)})")
        made = self.namer(Snapshots)
        self.open_list(saved.frame, f"{saved.name} = {made}({steps.saving})")

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
        holder = holder_of(frame)
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
        comments = []
        if eq.op.fn is RECORDED:
            forward = forward or self.namer(eq.payload.recorder)
            args = [cst.Arg(call.func), *call.args]
            if eq.payload.with_receiver:
                plain = cst.Attribute(call.func, cst.Name("__func__"))
                args[:1] = [cst.Arg(plain), cst.Arg(_receiver(call.func, self.source))]
            added = ", ".join(
                [
                    recording_options(eq.payload.wrt, eq.payload.gives, self.namer),
                    *([added] if added else []),
                ]
            )
            comments = textwrap.wrap(f"recorded: {eq.payload.reason}", COMMENT)
        elif isinstance(call, cst.Call):
            args = list(call.args)
            if isinstance(eq.payload, CallSite):
                args = eq.payload.passed(args)
            if eq.op.style == "bound":
                args.insert(0, cst.Arg(cst.Attribute(call.func, cst.Name("__self__"))))
            elif eq.op.style == "method":
                args.insert(0, cst.Arg(_receiver(call.func, self.source)))
            elif eq.op.style in ("pullback", "callable"):
                args.insert(0, cst.Arg(call.func))
        elif isinstance(call, cst.Attribute) and eq.op.style in ("method", "cached"):
            args = [cst.Arg(call.value)]  # a property
        elif eq.op.style in ("operator", "reflected"):
            args = _operands(call)[:: -1 if eq.op.style == "reflected" else 1]
        else:
            raise AssertionError("a forward function stands for a call")
        if not isinstance(eq.payload, CallSite | RecordedCall) and isinstance(eq.op.fn, Hashable):
            args = _as_parameters(eq.op.fn, args)
        count = len(args)
        if added:
            extra = cst.parse_expression(f"f({added})")
            args += list(extra.args)
        place = code(call) if eq.op.style == "cached" else ""
        call = cst.Call(cst.Name(forward), [_without_parentheses(arg) for arg in args])
        if eq.op.fn is RECORDED and len(code(call)) > COMMENT - 20:  # beside what it gives
            call = _in_lines(call, count)
        outputs = ", ".join(hidden)
        small = small_of(statement)
        if assigned(small)[1] is node and not place and id(node) not in named:
            self.edits.targets[id(statement)] = (call, outputs)
            self.comments[id(statement)] = comments
            return
        name = named.get(id(node))
        if isinstance(small, cst.Expr) and small.value is node:
            name = "_"
        if name is None:
            label = eq.targets[0].name if len(eq.targets) == 1 else eq.op.name or "value"
            name = self.names.fresh(label)
        text = f"{name}, {outputs} = {_call_text(call)}"
        text = "".join(f"# {line}\n" for line in comments) + text
        lines = self.edits.before.setdefault(id(statement), [])
        lines += [text, f"{place} = {name}"] if place else [text]
        self.edits.replace[id(node)] = cst.Name(name)
        self.hoisted[id(node)] = name

    def rewrite(self, node: Any, itself: bool = True) -> Any:
        """Return an expression or statement with the replacements made inside."""
        replace = self.edits.replace
        if not itself:
            replace = {k: v for k, v in replace.items() if k != id(node)}
        if replace.keys().isdisjoint(map(id, nodes_in(node) if replace else ())):
            return node
        marked = self.function_layout.impure, self.function_layout.writing

        def rule(part: Any, made: Any) -> Any:
            if made is None:
                return replace.get(id(part))
            for marks in marked:
                if id(part) in marks:
                    marks.add(id(made))
            return None

        return rewritten(node, rule)

    def body(self, returned: Any) -> list[cst.BaseStatement]:
        """Return the statements of the forward part.

        Args:
            returned: called with the expression of each ``return``, and with the statement;
                gives the lines to put in its place.
        """
        self.returned = returned
        statements = list(self.source.tree.body.body)
        if statements and is_docstring(statements[0]):
            key = id(statements[0])
            moved = [*self.edits.top.get(key, []), *self.edits.before.get(key, [])]
            moved += self.edits.after.get(key, [])
            return [*map(self.added, moved), *self.suite(statements[1:])]
        return self.suite(statements)

    def suite(self, statements: Iterable[Any]) -> list[Any]:
        out: list[Any] = []
        edits = self.edits
        for statement in self.source.current(statements):
            key = id(statement)
            out += map(self.added, edits.top.get(key, []))
            before, written = self.before(key), self.statement(statement)
            simple = before and written and isinstance(statement, cst.SimpleStatementLine)
            if simple and written[0].leading_lines:
                found = list(written[0].leading_lines)  # they belong to what comes first now
                own = len(found) - len(self.comments.get(key, ()))
                written[0] = written[0].with_changes(leading_lines=found[own:])
                lines = [*found[:own], *before[0].leading_lines]
                before[0] = before[0].with_changes(leading_lines=lines)
            out += before + written
            out += map(self.added, edits.after.get(key, []))
        return out

    def added(self, text: str) -> Any:
        """Return a line that is added as a statement; each place has a node of its own."""
        made = copy.copy(_parsed(text))
        self.source.note_row(made, text)
        return made

    def before(self, key: int) -> list[Any]:
        """Lines before a statement; lists are made after the values that precede them."""
        return [*map(self.added, self.edits.before.get(key, []))]

    def statement(self, statement: Any) -> list[Any]:
        if type(statement) is cst.SimpleStatementLine:
            return self.line(statement)
        key = id(statement)
        if isinstance(statement, cst.If):
            return [self.branch(statement)]
        if isinstance(statement, cst.For):
            body = self.suite(statement.body.body)
            made = changed(statement, iter=self.rewrite(statement.iter), body=indented(body))
            return [_with_head(made, *self.edits.heads[key]) if key in self.edits.heads else made]
        if isinstance(statement, cst.While):
            body = self.suite(statement.body.body)
            return [changed(statement, test=self.rewrite(statement.test), body=indented(body))]
        if isinstance(statement, cst.With | cst.Try):
            made = map_suites(statement, self.suite)
            return [_with_else(made, map(self.added, self.edits.orelse.get(key, [])))]
        return [self.rewrite(statement)]

    def line(self, statement: cst.SimpleStatementLine) -> list[Any]:
        key, small = id(statement), statement.body[0]
        if isinstance(small, cst.Expr) and self.hoisted.get(id(small.value)) == "_":
            return []
        if isinstance(small, cst.Return):
            value = self.rewrite(small.value) if small.value is not None else cst.Name("None")
            lines = self.returned(value, small)
            return [_comments(self.added(text), statement, k) for k, text in enumerate(lines)]
        if key in self.edits.targets:
            call, outputs = self.edits.targets[key]
            target = small.targets[0].target
            text = text_of(target)
            if isinstance(target, cst.Tuple) and not target.lpar:
                text = f"({text})"
            new = cst.parse_statement(f"{text}, {outputs} = {_call_text(call)}")
            comments = [cst.EmptyLine(comment=cst.Comment(f"# {c}")) for c in self.comments[key]]
            return [
                new.with_changes(
                    leading_lines=[*statement.leading_lines, *comments],
                    trailing_whitespace=statement.trailing_whitespace,
                )
            ]
        return [self.rewrite(statement)]

    def branch(self, node: cst.If) -> cst.If:
        body = indented(self.suite(node.body.body))
        orelse: Any = node.orelse
        if id(orelse) in self.source.splices:
            orelse = cst.Else(indented(self.suite([orelse])))
        elif isinstance(orelse, cst.If):
            before = [
                *self.before(id(orelse)),
                *map(self.added, self.edits.top.get(id(orelse), [])),
            ]
            after = [*map(self.added, self.edits.after.get(id(orelse), []))]
            inner = self.branch(orelse)
            if before or after:
                plain = inner.with_changes(leading_lines=())
                orelse = cst.Else(indented([*before, plain, *after]))
            else:
                orelse = inner
        elif orelse is not None:
            orelse = orelse.with_changes(body=indented(self.suite(orelse.body.body)))
        made = changed(node, test=self.rewrite(node.test), body=body, orelse=orelse)
        return _with_else(made, map(self.added, self.edits.orelse.get(id(node), [])))


def _with_head(loop: cst.For, target: str, iterable: str) -> cst.For:
    """Let a loop go over one more thing; an empty one is a count."""
    old = loop.target
    if isinstance(old, cst.Tuple) and not old.lpar:
        old = old.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    text, over = text_of(old), item_text(loop.iter)
    if iterable:
        head = f"for {text}, {target} in zip({over}, {iterable}):\n    pass"
    else:
        head = f"for {target}, {text} in enumerate({over}):\n    pass"
    new = cst.parse_statement(head)
    assert isinstance(new, cst.For)
    return loop.with_changes(target=new.target, iter=new.iter)


def _with_else(made: Any, lines: Iterable[Any]) -> Any:
    """Add lines to what is done where an ``if`` is not taken, or nothing is caught."""
    added = [*lines]
    if not added:
        return made
    orelse = [] if made.orelse is None else list(made.orelse.body.body)
    return made.with_changes(orelse=cst.Else(indented([*orelse, *added])))


def item_text(node: Any) -> str:
    """The text of an expression as one item of a tuple."""
    text = text_of(node)
    bare = isinstance(node, cst.Tuple | cst.Lambda | cst.IfExp | cst.NamedExpr)
    return f"({text})" if bare and not node.lpar else text


def _call_text(call: cst.Call) -> str:
    """The text of a call, in lines where it was put into lines."""
    if isinstance(call.whitespace_before_args, cst.ParenthesizedWhitespace):
        return text_of(call)
    return code(call)


def _in_lines(call: cst.Call, count: int) -> Any:
    """A call with its first arguments in one line, and each other one in a line of its own."""
    parts = [
        (f"{arg.keyword.value}=" if arg.keyword is not None else "") + join_lines(arg.value)
        for arg in call.args
    ]
    lines = [", ".join(parts[:count]), *parts[count:]]
    body = "".join(f"    {line},\n" for line in lines)
    return cst.parse_expression(f"{code(call.func)}(\n{body})")


def recording_options(wrt: Any, gives: Any, namer: Any) -> str:
    """Return what a call of ``recorded`` is given besides the arguments of the call."""
    given = [
        f"[{', '.join(map(key_text, place))}]" if isinstance(place, list) else key_text(place)
        for place in wrt
    ]
    text = f"wrt={given[0]}" if len(given) == 1 else f"wrt=({', '.join(given)})"
    return text if gives is None else f"{text}, gives={_template(gives, namer)}"


def _template(gives: Any, namer: Any) -> str:
    """The text of what a recorded call gives."""
    form = form_of(gives)
    if form is not None:
        return form.text([_template(part, namer) for part in form.parts(gives)], namer)
    if isinstance(gives, tuple | list):
        parts = [_template(part, namer) for part in gives]
        comma = "," if isinstance(gives, tuple) and len(parts) == 1 else ""
        return ("[{}]" if isinstance(gives, list) else "({})").format(", ".join(parts) + comma)
    return namer(gives) if isinstance(gives, type) else repr(gives)


def _operands(node: Any) -> list[cst.Arg]:
    """What the method behind an operator or an index is given."""
    if isinstance(node, cst.BinaryOperation):
        parts = [node.left, node.right]
    elif isinstance(node, cst.UnaryOperation):
        parts = [node.expression]
    else:
        index = code(node)[len(code(node.value)) + 1 : -1]
        parts = [node.value, cst.parse_expression(f"({index})" if "," in index else index)]
    return [cst.Arg(part) for part in parts]


def _without_parentheses(arg: cst.Arg) -> cst.Arg:
    """An argument that was an operand or a receiver, which may have needed parentheses."""
    if not isinstance(arg.value, cst.BinaryOperation | cst.UnaryOperation) or not arg.value.lpar:
        return arg
    return arg.with_changes(value=arg.value.with_changes(lpar=(), rpar=()))


def _receiver(func: Any, source: Source) -> Any:
    """The expression of the object whose method is called."""
    if not isinstance(func, cst.Attribute):
        return func
    owner = func.value
    if isinstance(owner, cst.Call) and isinstance(owner.func, cst.Name):
        if owner.func.value == "super":
            return owner.args[1].value if owner.args else source.own
    return owner


def _comments(line: Any, statement: Any, k: int) -> Any:
    if k == 0:
        return line.with_changes(
            leading_lines=statement.leading_lines,
            trailing_whitespace=statement.trailing_whitespace,
        )
    return line


# Many functions are given the same lines, and each derivative of one function is.
@functools.lru_cache(maxsize=2048)
def _parsed(text: str) -> Any:
    return cst.parse_statement(text)


def join_lines(node: Any) -> str:
    """Return the text of an expression that stands inside brackets of its own."""
    return text_of(held_together(node))


def copied(text: str) -> str:
    """The text of a copy of an array."""
    atoms = cst.Name | cst.Attribute | cst.Subscript | cst.Call
    return f"{text}.copy()" if isinstance(cst.parse_expression(text), atoms) else f"({text}).copy()"


def _as_parameters(fn: Any, args: list[cst.Arg]) -> list[cst.Arg]:
    """The arguments of a call of a function, for its formula, whose options have to be named."""
    if any(a.star for a in args) or find_formula(fn) is None:
        return args
    given = ["" if a.keyword is None else a.keyword.value for a in args]
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    made = []
    for arg, name in zip(args, as_formula_arguments(fn, given), strict=True):
        if name:
            made.append(arg.with_changes(keyword=cst.Name(name), equal=equal))
        elif name is not None:
            made.append(arg)
    return made
