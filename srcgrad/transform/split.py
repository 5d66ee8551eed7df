"""The backward functions of split calls, generated once per pattern of live results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from srcgrad.analysis.shapes.models import note_same
from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.leaves import is_target, leaves
from srcgrad.ir.nodes import PAIR, Block, Function, Var, equations
from srcgrad.ir.types import bar_type_of
from srcgrad.transform.parts import PairBackward
from srcgrad.transform.recursion import reverse
from srcgrad.transformation.context import Context


@dataclass(eq=False)
class SplitBackward:
    """The backward function of a pair, for one pattern of live results."""

    name: str  # its name in the generated module
    pattern: tuple[bool, ...]  # which leaves of the result have a cotangent
    seeds: tuple[Var, ...] = ()  # the parameters that receive these cotangents
    reversed: Any = None  # its body; None while it is being generated
    assumed: bool = False  # whether a recursive call relied on all cotangents being there
    shared: Any = None  # for each result, the seeds whose memory it may share

    def cotangents(self, pair: Any) -> list[tuple[int, int]]:
        """Which leaves of the arguments get a cotangent, as (argument, leaf)."""
        out = []
        function = pair.function
        for k, (_, value) in enumerate(function.params):
            for j, leaf in enumerate(leaves(value)):
                if not isinstance(leaf, Var) or not leaf.type.active:
                    continue
                if self.reversed is None:
                    self.assumed = True
                    out.append((k, j))
                elif self.assumed or leaf in self.reversed.cotangents:
                    out.append((k, j))
        return out


def backward_of(context: Context, pair: Any, pattern: tuple[bool, ...]) -> SplitBackward:
    """Return the backward function of a pair for a pattern, generating it if need be."""
    found = pair.patterns.get(pattern)
    if found is not None:
        return found
    name = context.name(pair.label(context, "backward"), (pair, pattern))
    made = SplitBackward(name, pattern)
    pair.patterns[pattern] = made
    seeds = []
    outputs = leaves(pair.function.result)
    pattern = _for_all_leaves(outputs, pattern)
    single = len(outputs) == 1
    for leaf, live in zip(outputs, pattern, strict=True):
        if live:
            label = leaf.name if isinstance(leaf, Var) and leaf.named else "value"
            if single and not (isinstance(leaf, Var) and leaf.named):
                label = "value"
            type_ = type_of(leaf)
            seeds.append(Var(f"{label}_bar", bar_type_of(type_), True))
            note_same(context.lengths, seeds[-1], leaf)
    made.seeds = tuple(seeds)
    made.reversed = reverse(context, pair.function, pattern, made.seeds)
    return made


def forget_uncalled(context: Context, function: Function, block: Block, done: Any) -> None:
    """Forget the backward functions that were generated on the way, and that nothing calls.

    What is left is numbered anew, in the order in which it is called.
    """
    called: dict[tuple[Any, tuple[bool, ...]], SplitBackward] = {}
    seen: set[Any] = set()
    blocks = [block, function.body]
    for part in blocks:
        for eq in equations(part):
            fn = eq.op.fn
            if isinstance(fn, PairBackward) and (fn.pair, fn.pattern) not in called:
                backward = fn.pair.patterns[fn.pattern]
                called[fn.pair, fn.pattern] = backward
                blocks.append(backward.reversed.block)
            inner = eq.payload.pair if fn is PAIR else getattr(fn, "pair", None)
            own = getattr(inner, "function", None)
            if isinstance(own, Function) and inner not in seen:
                seen.add(inner)
                blocks.append(own.body)
    for pair in {*context.pairs.values(), *seen} - set(done):
        for pattern, backward in list(pair.patterns.items()):
            context.names.pop(backward.name, None)
            if (pair, pattern) not in called:
                del pair.patterns[pattern]
    for (pair, pattern), backward in called.items():
        if pair not in done:
            backward.name = context.name(pair.label(context, "backward"), (pair, pattern))


def _for_all_leaves(outputs: tuple[Any, ...], pattern: tuple[bool, ...]) -> tuple[bool, ...]:
    """Extend a pattern to the leaves that are no variables of the caller."""
    given = iter(pattern)
    return tuple(next(given) if is_target(leaf) else False for leaf in outputs)
