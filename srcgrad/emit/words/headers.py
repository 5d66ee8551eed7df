"""The head of a backward loop: what it walks over, and what it unpacks."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from typing import Any

from srcgrad.analysis.kept.plans import Plan
from srcgrad.emit.words.text import LINE, to_text
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.ir.blocks import statements
from srcgrad.ir.layout import Frame, Layout, Steps
from srcgrad.ir.nodes import (
    Block,
    Const,
    Equation,
    If,
    Items,
    Loop,
    Statement,
    Value,
    Var,
    uses,
    variables,
)
from srcgrad.load.wrapping import wrap
from srcgrad.runtime.snapshots import backwards
from srcgrad.transform.parts import PairAgain

_COPY = re.compile(r"(\.copy\(\)| \* 1| \+ 0)$")


def leaves_early(layout: Layout, frame: Frame) -> bool:
    """Whether a loop's body may be left by break or continue."""
    for other in layout.frames:
        if other.exits is None:
            continue
        inner = next((f for f in other.ancestors() if f.kind == "loop"), None)
        if inner is frame:
            return True
    return False


def header_values(loop: Loop, layout: Layout) -> list[Var] | None:
    """The forward variables that the head of a backward loop reads; None if it must count."""
    header = loop.header
    if header.kind == "while" or leaves_early(layout, loop.frame):
        return None
    for value in header.values:
        if isinstance(value, Var) and value.type.kind == "opaque":
            return None
        if not isinstance(value, Var | Const | Items):
            return None
    if header.kind != "range" and not all(isinstance(v, Var) for v in header.values):
        return None
    return [v for value in header.values for v in variables(value)]


def reads_index(body: Block, index: Var, again: dict[Var, Equation]) -> bool:
    """Whether the statements of a loop read its index."""

    def reads(var: Var) -> bool:
        if var is index:
            return True
        eq = again.get(var)
        return eq is not None and any(reads(v) for v in uses(eq))

    return any(reads(v) for statement in statements(body) for v in _read_first(statement))


def _read_first(statement: Statement) -> Iterable[Var]:
    """The variables that an equation, a test or the head of a backward loop reads."""
    if isinstance(statement, Equation):
        return uses(statement)
    if isinstance(statement, If):
        return variables(statement.test)
    forward = statement.header
    values = forward.header.values if isinstance(forward, Loop) else ()
    return [v for value in values for v in variables(value)]


def backward_header(writer: Any, node: Loop) -> tuple[list[str], str, list[str]]:
    """Return lines before a backward loop, its head, and the first lines of its body."""
    forward: Loop = node.header
    plan = writer.plan
    saved = plan.saved.get(forward.frame)
    copies = []
    if writer.split:  # the lists must be whole when the backward function is called again
        for frame, other in plan.saved.items():
            if frame.kind == "arm" and nearest_loop(frame) is forward.frame:
                copies.append(f"{other.name} = {other.name}.copy()")
    before, head, first = _header(writer, node, saved)
    return [*copies, *before], head, first


def header_reads(node: Loop, plan: Plan) -> list[Var]:
    """The forward variables that the head of a backward loop reads as it is written."""
    forward: Loop = node.header
    kept = forward.frame in plan.saved or forward.frame in plan.counted
    if kept and forward.frame not in plan.ranged:
        return []
    return [v for value in forward.header.values for v in variables(value)]


def nearest_loop(frame: Frame) -> Frame:
    """The innermost loop around a region."""
    return next(f for f in frame.ancestors() if f.kind == "loop")


def _header(writer: Any, node: Loop, saved: Any) -> tuple[list[str], str, list[str]]:
    forward: Loop = node.header
    plan, e = writer.plan, writer.e
    index = e.where.get(forward.index, "i")
    wanted = reads_index(node.body, forward.index, e.again)
    renamed = writer.renamed.get(forward.frame, {})
    if forward.frame in plan.ranged:
        name = plan.ranged[forward.frame]
        return [], f"for {renamed.get(name, name)} in {_backwards(e, forward)}:", []
    if saved is not None and forward.frame.steps is not None:
        return _states(writer, node, saved, renamed)
    if saved is not None:
        targets = ", ".join(renamed.get(name, name) for _, name in saved.entries)
        head = f"for {targets} in {saved.name}[::-1]:"
        if wanted:
            return [f"{index} = len({saved.name})"], head, [f"{index} -= 1"]
        return [], head, []
    if forward.frame in plan.counted:
        counter = plan.counted[forward.frame]
        if wanted:
            return [], f"for {index} in range({counter} - 1, -1, -1):", []
        return [], f"for _ in range({counter}):", []
    count = _count(e, forward)
    if not wanted:
        return [], f"for _ in range({count}):", []
    try:
        last = str(int(count) - 1)
    except ValueError:
        last = f"{count} - 1"
    return [], f"for {index} in range({last}, -1, -1):", []


def _states(
    writer: Any, node: Loop, saved: Any, renamed: dict[str, str]
) -> tuple[list[str], str, list[str]]:
    """The head of a loop that goes back through few states, and finds the others."""
    steps: Steps = saved.frame.steps
    made = (s for s in statements(node.body) if isinstance(s, Equation))
    again = next((eq for eq in made if isinstance(eq.op.fn, PairAgain)), None)
    # copies are made of those states that are kept, by what keeps them
    named: dict[str, Any] = {
        _COPY.sub("", text): renamed.get(name, name) for text, name in saved.entries
    }
    if again is None or not {*named} <= {*steps.passed}:
        raise UnsupportedSyntaxError(
            "a checkpointed loop whose steps hand on something else than arrays and numbers is "
            "not supported",
            spots=[node.origin.source.spot(saved.frame.node)] if node.origin else [],
            fixes=["let its variables be arrays and numbers"],
        )
    call = writer.e.called_again(again, 0)
    text = to_text(ast.Expr(call), -sys.maxsize)[0]
    if steps.gives == 1:
        text = f"({text},)"
    elif steps.gives > len(steps.state):
        text += f"[:{len(steps.state)}]"
    given = [named.get(name, name) for name in steps.passed]
    targets = [named.get(name, "_") for name in steps.passed]
    advance = f"lambda {', '.join(given)}:"
    start = f"for {', '.join(targets)} in {writer.e.namer(backwards)}("
    head = f"{start}{saved.name}, {advance} {text}):"
    if len(head) <= LINE - 8:
        return [], head, []
    if len(advance) + len(text) <= LINE - 16:
        lines = [f"{advance} {text},"]
    else:
        lines = [f"{advance} (", *(f"    {line}" for line in wrap(text, LINE - 20)), "),"]
    return [start, *(f"    {line}" for line in [f"{saved.name},", *lines])], "):", []


def _text(e: Any, value: Value) -> str:
    return to_text(ast.Expr(e.value(value)))[0]


def _backwards(e: Any, forward: Loop) -> str:
    """The text of a range in the opposite order."""
    start, stop, step = forward.header.values
    if step == Const(-1):
        last, first = (_moved(_text(e, v), 1) for v in (stop, start))
        return f"range({first})" if last == "0" else f"range({last}, {first})"
    if step != Const(1):
        texts = ", ".join(_text(e, v) for v in (start, stop, step))
        return f"range({texts})[::-1]"
    last, first = (_moved(_text(e, v), -1) for v in (stop, start))
    return f"range({last}, {first}, -1)"


def _moved(text: str, by: int) -> str:
    """The text of a whole number that is larger than another one by 1, or by -1."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        left, last = text[: node.left.end_col_offset], getattr(node.right, "value", None)
        sign = "+" if isinstance(node.op, ast.Add) else "-"
        if text == f"{left} {sign} {last}" and type(last) is int:  # there are no brackets
            by += last if sign == "+" else -last
            node, text = node.left, left
    try:
        return str(int(text) + by)
    except ValueError:
        if not by:
            return text
        end = f"{'+' if by > 0 else '-'} {abs(by)}"
        whole = ast.parse(f"{text} {end}", mode="eval").body
        alone = isinstance(whole, ast.BinOp) and ast.dump(whole.left) == ast.dump(node)
        return f"{text} {end}" if alone else f"({text}) {end}"


def _count(e: Any, forward: Loop) -> str:
    """The text of the number of iterations."""
    header = forward.header
    if header.kind == "range":
        start, stop, step = header.values
        if start == Const(0) and step == Const(1):
            text = _text(e, stop)
            return (
                text if text.isidentifier() or text.isdigit() or text[-1] in ")]" else f"({text})"
            )
        parts = [_text(e, start), _text(e, stop)]
        if step != Const(1):
            parts.append(_text(e, step))
        return f"len(range({', '.join(parts)}))"
    lengths = [f"len({_text(e, v)})" for v in dict.fromkeys(header.values)]
    return lengths[0] if len(lengths) == 1 else f"min({', '.join(lengths)})"
