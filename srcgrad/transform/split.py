"""The backward functions of split calls, generated once per pattern of live results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from srcgrad.analysis.shapes import type_of
from srcgrad.context import Context
from srcgrad.ir.nodes import Var
from srcgrad.ir.records import bar_type_of
from srcgrad.transform.results import is_target, leaves


@dataclass(eq=False)
class SplitBackward:
    """The backward function of a pair, for one pattern of live results.

    Attributes:
        name: its name in the generated module.
        pattern: which leaves of the result have a cotangent.
        seeds: the parameters that receive these cotangents.
        reversed: its body; None while it is being generated.
        assumed: whether a recursive call relied on all cotangents being there.
        shared: for each result, the seeds whose memory it may share.
    """

    name: str
    pattern: tuple[bool, ...]
    seeds: tuple[Var, ...] = ()
    reversed: Any = None
    assumed: bool = False
    shared: Any = None

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
    from srcgrad.transform.reverse import reverse

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
    made.seeds = tuple(seeds)
    made.reversed = reverse(context, pair.function, pattern, made.seeds)
    return made


def _for_all_leaves(outputs: tuple[Any, ...], pattern: tuple[bool, ...]) -> tuple[bool, ...]:
    """Extend a pattern to the leaves that are no variables of the caller."""
    given = iter(pattern)
    return tuple(next(given) if is_target(leaf) else False for leaf in outputs)
