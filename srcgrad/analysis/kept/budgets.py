"""How much memory a derivative takes at a time, and what to compute again so that it takes less.

What is computed again is chosen by minimum cuts in the dataflow of the forward part. Each value
is an edge as wide as its memory is large, from where it is computed to where the backward part
reads it; computing it again is another edge, as wide as the time that takes, times a price. A cut
between what is there anyway and what the backward part reads keeps some values and computes the
others again, at the least sum (H. S. Stone, Multiprocessor scheduling with the aid of network
flow algorithms, IEEE Transactions on Software Engineering 3, 1977). A low price computes much
again. What would all be needed at once is cut in parts of like size, whose ends are kept.

How much memory a choice takes is found by going through the statements with it: the largest sum
of what is there at a time.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from srcgrad.analysis.flow.counting import count_uses, defined
from srcgrad.analysis.kept.otherwise import Repeating
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.effects import shared_by
from srcgrad.errors import ArgumentError
from srcgrad.ir.blocks import loops_of, targets_of
from srcgrad.ir.layout import Layout
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import (
    PAIR,
    RANGE_ITEM,
    WRITES,
    Block,
    Const,
    Equation,
    Function,
    If,
    Loop,
    Marker,
    Statement,
    Value,
    Var,
    equations,
    uses,
    variables,
)

_ITEM = {"f": 8, "c": 16, "i": 8, "b": 1, "?": 8}
_SLOW = {np.exp, np.log, np.tanh, np.sin, np.cos, np.sqrt, np.power, operator.pow, np.arctan2}
_PRICES = (math.inf, 100.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.01, 0.0)
_PARTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64)


class Sizes:
    """How large values are, and how long they take, in the call at hand."""

    def __init__(
        self,
        function: Function,  # the forward part
        lengths: Lengths,  # the lengths of the call
        item: int = 8,  # the bytes of a real number
        # the functions that call it, and of which calls are not counted again
        around: tuple[Function, ...] = (),
    ) -> None:
        self.lengths, self.around = lengths, (*around, function)
        self.item = dict(_ITEM, f=item, c=2 * item)
        self.times: dict[Var, int] = {}
        self.calls: dict[Var, int] = {}
        self._note(function.body, 1)

    def _note(self, block: Block, times: int) -> None:
        for statement in block:
            if isinstance(statement, Equation):
                self.times |= dict.fromkeys(statement.targets, times)
            elif isinstance(statement, If):
                self._note(statement.then, times)
                self._note(statement.orelse, times)
            else:
                inner = times * self.trips(statement)
                self.times |= {c.param: inner for c in statement.carried}
                self._note(statement.body, inner)

    def trips(self, loop: Loop) -> int:
        """How often a loop goes around; 1 where that is not known."""
        header = loop.header
        if getattr(header, "kind", "") == "range":
            start, stop, step = (self.number(v) for v in header.values)
            if start is not None and stop is not None and step:
                return max(0, -(-(stop - start) // step))
        for value in getattr(header, "values", ()):
            if isinstance(value, Var) and value.type.ndim:
                return self.lengths.example(value.type.shape[0]) or 1  # type: ignore[index]
        return 1

    def number(self, value: Value) -> int | None:
        """A whole number in the call at hand; None if it is not known."""
        if isinstance(value, Const):
            return value.value if type(value.value) is int else None
        known = self.lengths.values.get(value) if isinstance(value, Var) else None
        return None if known is None else self.lengths.example(known)

    def entries(self, var: Var) -> int:
        """How many numbers a value holds; 0 where that is not known."""
        shape = var.type.shape
        if var.type.kind not in ("array", "numeric") or not isinstance(shape, tuple):
            return 0
        found = [self.lengths.example(n) for n in shape]
        return math.prod(n or 0 for n in found)

    def size(self, var: Var) -> int:
        """The bytes of a value; 0 for a number, and where it is not known."""
        if not var.type.ndim:
            return 0
        return self.entries(var) * self.item.get(var.type.dtype, 8)

    def held(self, var: Var) -> int:
        """The bytes of a value in all iterations."""
        return self.size(var) * self.times.get(var, 1)

    def of_call(self, call: Equation) -> int:
        """The bytes of what a call of a function may keep: of all that it computes."""
        function = getattr(getattr(call.payload, "pair", None), "function", None)
        if call.op.fn is not PAIR or function is None or function in self.around:
            return 0
        key = call.targets[0]
        if key not in self.calls:
            inner = Sizes(function, self.lengths, self.item["f"], self.around)
            made = [eq for eq in equations(function.body) if not is_view(eq)]
            total = sum(inner.held(t) for eq in made for t in eq.targets)
            total += sum(inner.of_call(eq) for eq in made if eq.op.fn is PAIR)
            self.calls[key] = total * self.times.get(key, 1)
        return self.calls[key]

    def cost(self, eq: Equation) -> float:
        """How long an equation takes, about, in operations of numbers."""
        target = eq.targets[0]
        count = max([self.entries(target), *(self.entries(v) for v in uses(eq))])
        if eq.op.fn in (operator.matmul, np.matmul, np.dot):
            first = eq.args[0]
            inner = first.type.shape if isinstance(first, Var) else None
            last = self.lengths.example(inner[-1]) if isinstance(inner, tuple) and inner else None
            return 0.5 * (last or 1) * max(self.entries(target), 1) * self.times.get(target, 1)
        if is_view(eq):
            return 0.0
        if eq.op.fn is PAIR:
            return float(self.of_call(eq))
        weight = 8.0 if eq.op.fn in _SLOW else 1.0
        return weight * count * self.times.get(target, 1)


def is_view(eq: Equation) -> bool:
    """Whether what an equation gives shares memory with an operand."""
    if isinstance(eq.op.fn, Metadata) or eq.op.fn is RANGE_ITEM:
        return True
    if eq.op.fn is operator.getitem:
        return True
    if isinstance(eq.op.fn, Marker):
        return eq.op.fn in WRITES
    return bool(shared_by(eq.op.fn, eq.args, dict(eq.options)))


@dataclass(frozen=True)
class Estimate:
    """What a choice comes to."""

    peak: int  # the bytes that are there at a time, at most
    kept: dict[Var, int]  # what the backward part reads of the forward part, with its bytes


def estimate(
    function: Function,  # the forward part
    sizes: Sizes,  # how large values are
    block: Block,  # the backward part
    results: Iterable[Value],  # what it gives
    cheap: dict[Var, Equation],  # what it computes again for next to nothing, where it reads it
    hidden: dict[Var, Equation],  # what calls give beside their results, with the calls
) -> Estimate:
    """Go through a forward part and a backward part, and find the most that is there at a time."""
    steps = [*function.body, *block]
    last: dict[Var, int] = {}
    base: dict[Var, set[Var]] = {}
    bytes_of: dict[Var, int] = {}
    inside: list[int] = []
    given = {leaf for _, v in function.params for leaf in variables(v)}
    for k, step in enumerate(steps):
        for var in _reads(step, cheap):
            last[var] = k
        inside.append(0)
        if isinstance(step, Equation):
            for target in step.targets:
                bytes_of[target] = 0 if is_view(step) else sizes.size(target)
                base[target] = set(uses(step)) if is_view(step) else set()
                last.setdefault(target, k)
            continue
        for eq in equations((step,)):
            if not is_view(eq):
                inside[k] += sum(map(sizes.size, eq.targets))
        outs = step.merges if isinstance(step, If) else step.carried
        for out in outs:
            bytes_of[out.out], base[out.out] = sizes.size(out.out), set()
            last.setdefault(out.out, k)
    end = len(steps)
    for var in (v for r in results for v in variables(r)):
        last[var] = end
    ends = list(range(len(steps) + 1))  # of the statements that operations are written in
    for k in reversed(range(len(steps))):
        step = steps[k]
        if not isinstance(step, Equation):
            continue
        if not any(t.named for t in step.targets):
            ends[k] = max((ends[last[t]] for t in step.targets), default=k)
        for var in (v for v in uses(step) if v.named):
            last[var] = max(last[var], ends[k])
    for var in reversed(list(base)):  # what a view is read of lives as long as the view, too
        for other in base[var]:
            last[other] = max(last.get(other, 0), last.get(var, 0))
    mine = defined(block) | {loop.index for loop in loops_of((*function.body, *block))}
    read = {v for step in block for v in _reads(step, cheap)} - mine - given
    known = function.layout.definitions
    read = {v for v in read if v in known or v in hidden}  # and neither seeds nor globals
    calls = {v: sizes.of_call(hidden[v]) for v in read if v in hidden}
    kept = {v: calls.get(v) or sizes.held(v) for v in read if v not in cheap}
    for loop in loops_of(function.body):  # what one iteration gives is what the next is given
        for c in loop.carried:
            if c.param in kept and c.next in kept:
                kept[c.param] = sizes.size(c.param)
    listed = [0] * (end + 1)  # what loops keep of their iterations
    top = {t for step in function.body for t in targets_of(step)}
    for var, size in kept.items():
        if var in top:
            continue
        of = hidden[var].targets[0] if var in hidden else var
        first = next((k for k, s in enumerate(function.body) if of in defined((s,))), 0)
        for k in range(first, last.get(var, first) + 1):
            listed[k] += size
    change = [0] * (end + 2)
    start = {t: k for k, step in enumerate(steps) for t in targets_of(step)}
    for var, size in bytes_of.items():
        if size and var in start:
            change[start[var]] += size
            change[last[var] + 1] -= size
    peak = now = 0
    for k in range(end + 1):
        now += change[k]
        peak = max(peak, now + listed[k] + (inside[k] if k < end else 0))
    return Estimate(peak + peak // 50, kept)  # and small things that are not counted


def _reads(step: Statement, cheap: dict[Var, Equation]) -> set[Var]:
    """What a statement reads, through what is computed again where it is read."""
    found: set[Var] = set()
    waiting = [*count_uses((step,), [])]
    while waiting:
        var = waiting.pop()
        if var not in found:
            found.add(var)
            waiting += uses(cheap[var]) if var in cheap else ()
    return found


class Choice:
    """Chooses what to compute again."""

    def __init__(
        self, repeating: Repeating, sizes: Sizes, needed: Iterable[Var], possible: set[Var]
    ) -> None:
        self.repeating, self.sizes = repeating, sizes
        self.needed, self.possible = list(needed), possible
        self.given = {v for _, value in repeating.function.params for v in variables(value)}

    def candidates(self) -> Iterator[set[Var]]:
        """Choices of what is computed again, those that compute little first."""
        known: list[set[Var]] = []
        for price in _PRICES:
            chosen = self.cut(price)
            if chosen not in known:
                known.append(chosen)
                yield chosen
        most = max(known, key=len, default=set())
        layout = self.repeating.layout
        for parts in _PARTS:
            if parts >= len(most):
                return
            kept = self.ends(most, parts, layout)
            yield most - kept

    def cut(self, price: float) -> set[Var]:
        """What is computed again at a price of the time that it takes."""
        if price == math.inf:
            return set()
        try:
            from networkx import DiGraph, minimum_cut
        except ModuleNotFoundError as missing:
            missing.add_note("a memory_budget needs it: pip install 'srcgrad[memory]'")
            raise
        graph = DiGraph()
        graph.add_nodes_from(("there", "read"))
        seen: set[Var] = set()
        waiting = list(self.needed)
        for var in self.needed:
            graph.add_edge((var, "out"), "read")
        while waiting:
            var = waiting.pop()
            if var in seen or var in self.given:
                continue
            seen.add(var)
            graph.add_edge((var, "in"), (var, "out"), capacity=float(self.sizes.held(var)))
            eq = self.repeating.made.get(var)
            if eq is None or (var in self.needed and var not in self.possible):
                graph.add_edge("there", (var, "in"))
                continue
            if self.repeating.why_not(var):
                graph.add_edge("there", (var, "in"))
                continue
            graph.add_edge("there", (var, "in"), capacity=price * self.sizes.cost(eq) + 1e-6)
            for operand in uses(eq):
                if operand not in self.given:
                    graph.add_edge((operand, "out"), (var, "in"))
                    waiting.append(operand)
        if not seen:
            return set()
        _, (there, _) = minimum_cut(graph, "there", "read")
        out = {v for v in seen if (v, "in") not in there and v in self.repeating.made}
        return {v for v in out if not self.repeating.why_not(v)}

    def ends(self, chosen: set[Var], parts: int, layout: Layout) -> set[Var]:
        """What has to be kept so that values are computed again in parts, one after the other."""
        order = sorted(chosen, key=lambda v: layout.definitions[v].order)
        body = self.repeating.function.body
        total, kept, sum_ = sum(map(self.sizes.held, order)), set(), 0
        later: dict[Var, int] = {}
        for k, step in enumerate(body):
            later |= dict.fromkeys(count_uses((step,), []), k)
        place = {t: k for k, step in enumerate(body) for t in targets_of(step)}
        border = 1
        for var in order:
            sum_ += self.sizes.held(var)
            if border <= parts and sum_ * (parts + 1) >= total * border:
                border += 1
                here = place.get(var)
                if here is None:
                    continue
                over = {v for v in order if place.get(v, here + 1) <= here < later.get(v, -1)}
                kept |= over or {var}
        return kept


def too_large(name: str, budget: int, least: int) -> ArgumentError:
    """The error for a budget that no choice meets."""
    least += least // 200  # three digits are told
    return ArgumentError(
        f"memory_budget: the derivative of {name} does not fit {shown(budget)}",
        why=f"The least that can be had is about {shown(least)}.",
        fixes=[
            f"give it at least {shown(least)}",
            "let calls and loops run again: checkpoint(f), checkpointed(range(n))",
        ],
    )


def shown(size: float) -> str:
    """Return a number of bytes in words.

    Example:
        >>> shown(1_500_000), shown(800)
        ('1.5 MB', '800 B')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.0f} B"
