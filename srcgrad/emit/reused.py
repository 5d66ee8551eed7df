"""Arrays that are needed no more, which text for speed writes its next result into.

``xy_bar = diff_bar * scale`` makes an array, and where nothing reads ``diff_bar`` behind it, its
memory would do: ``diff_bar *= scale``, ``xy_bar = diff_bar``. The pass comes last, when it is
decided which values have names and in which order they are computed, and only says which
operations may do so; the numbers are the same. An array is written into

- that one operation of generated code, or of the forward part around it, has made as memory of
  its own: no view, no argument, no constant, nothing that a list, an object or a called function
  was given;
- that nothing reads any more, under no name, in no later iteration and no second call: what
  ``vjp`` keeps between its two functions is never written;
- whose shape and element type are those of the result, as the guard has made sure.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from srcgrad.analysis.kept.plans import Plan
from srcgrad.analysis.memory.fresh import is_fresh
from srcgrad.analysis.memory.separation import Memory
from srcgrad.analysis.memory.writes import harmful_writes
from srcgrad.ir.blocks import with_equations
from srcgrad.ir.nodes import (
    OPAQUE,
    Block,
    Equation,
    Function,
    Op,
    Value,
    Var,
    equations,
    uses,
    variables,
)
from srcgrad.transformation.context import Context

_WORD = re.compile(r"[^\W\d]\w*")
_COMMUTING = (operator.add, operator.mul)
_ARITHMETIC = (*_COMMUTING, operator.sub, operator.truediv)
Written = Callable[[Iterable[Var]], list[Var]]


class Forward:
    """What a backward part may write into of the forward part that stands before it.

    Args:
        function: the lowered function, which changes nothing outside of it.
        plan: where its values are found.
        hidden: what calls hand on beside what they give, with the calls.
    """

    def __init__(self, function: Function, plan: Plan, hidden: dict[Var, Equation]) -> None:
        kept = [Equation((v,), Op(OPAQUE), (*eq.args, *eq.targets)) for v, eq in hidden.items()]
        self.block: Block = (*function.body, *kept)
        self.returned = set(variables(function.result))
        texts = [text for text, _ in plan.kept] + list(plan.where.values())
        texts = [text for text in texts if not text.isidentifier()]
        texts += [text for saved in plan.saved.values() for text, _ in saved.entries]
        read = {word for text in texts for word in _WORD.findall(text)}
        self.made = {
            v
            for eq in function.body
            if isinstance(eq, Equation) and is_fresh(eq)
            for v in eq.targets
            if plan.where.get(v, "").isidentifier() and plan.where[v] not in read
        }


def written_again(
    context: Context,  # the transformation
    block: Block,  # the statements, in their order
    results: list[Value],  # what the block gives
    inlined: Iterable[Var],  # the variables that are written where they are read
    written: Written,  # tells which variables are read where some are written
    # the forward part before the block; None where that is a function of its own, or has effects
    forward: Forward | None,
) -> tuple[Block, set[Equation]]:
    """Choose the operations that write their result into their first operand.

    Returns:
        The block, with operands of sums and products in another order, and those operations.
    """
    if not context.for_speed or not context.uniform or context.lengths.only_arrays:
        return block, set()
    own = {t for eq in equations(block) if is_fresh(eq) for t in eq.targets}
    own |= forward.made if forward is not None else set()
    own.difference_update(inlined)
    turned: dict[Equation, Equation] = {}
    for eq in equations(block):
        if eq.op.fn not in _ARITHMETIC or eq.targets[0] in inlined:
            continue
        if _fits(context, eq, own):
            turned[eq] = eq
            continue
        other = replace(eq, args=eq.args[::-1])
        if eq.op.fn in _COMMUTING and _fits(context, other, own):
            turned[eq] = other
    if not turned:
        return block, set()
    chosen = set(turned.values())
    around = forward.block if forward is not None else ()
    live = {w for r in results for w in written(variables(r))}
    live |= forward.returned if forward is not None else set()
    trial = with_equations(block, lambda eq: [turned.get(eq, eq)])
    harmful = harmful_writes(
        trial,
        live,
        lambda eq: written(uses(eq)),
        lambda eq: eq in chosen,
        lambda value: written(variables(value)),
        memory=Memory((*around, *trial)),
    )
    turned = {eq: new for eq, new in turned.items() if new not in harmful}
    return with_equations(block, lambda eq: [turned.get(eq, eq)]), set(turned.values())


def _fits(context: Context, eq: Equation, own: set[Var]) -> bool:
    """Whether a result certainly has the shape and the element type of its first operand."""
    array, result = eq.args[0], eq.targets[0]
    if not isinstance(array, Var) or array not in own:
        return False
    types = array.type, result.type
    if any(t.kind != "array" or not t.ndim or t.dtype != "f" for t in types):
        return False
    return context.lengths.alike(array, result)
