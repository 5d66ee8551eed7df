"""Keeping values in the ways that the user has asked for: see ``analysis.kept.otherwise``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.kept.budgets import (
    Choice,
    Estimate,
    Sizes,
    estimate,
    is_view,
    shown,
    too_large,
)
from srcgrad.analysis.kept.otherwise import (
    Again,
    Repeating,
    Wishes,
    computed_again,
    is_compared,
    put_before,
    read_back,
    refusal,
    written_out,
)
from srcgrad.analysis.kept.plans import unsure
from srcgrad.emit.spent import is_large
from srcgrad.emit.words.expressions import Expressions
from srcgrad.frontend.text.names import local_names
from srcgrad.ir.nodes import Var, equations, uses, variables
from srcgrad.runtime.on_disk import on_disk

COMMENT = 84  # characters in a line of a comment
_WORD = re.compile(r"[^\W\d]\w*")
_UNSURE = "is read where it may not have been computed"


class Keeping:
    """What is kept of one function, and how.

    Args:
        halves: its forward part and its backward parts, with the plan of what is kept.
        wishes: what the user wants.
    """

    def __init__(self, halves: Any, wishes: Wishes) -> None:
        self.halves, self.wishes = halves, wishes
        self.function = halves.function
        self.layout = halves.function.layout
        self.repeating = Repeating(halves.function)
        self.again: set[Var] = set()  # what is computed again

    def run(self) -> None:
        """Change the backward parts, and the plan."""
        given = {leaf for _, v in self.function.params for leaf in variables(v)}
        while True:
            plan = self.halves.plan
            for var in plan.where:
                if var not in given and var.type.dtype not in ("i", "b"):
                    names = self.wishes.names(self.function, var, plan)
                    self.wishes.kept |= dict.fromkeys(names[:1])
            chosen = self.possible(self.wanted("recompute") - self.again)
            if not chosen:
                break
            self.show(chosen)
            for var in self.last_first(chosen):
                self.again.add(var)
                self.compute_again(var)
            self.halves.plan_again()
        told = self.fit()
        self.keep_in_other_forms()
        plan = self.halves.plan
        plan.told = told
        plan.certain = self.certain()
        read = plan.read()
        plan.remade |= {v.name for v in self.again if v.named} - read
        if self.wishes.deletes and not self.halves.split:
            named = self.again if self.wishes.budget is None else self.layout.bindings
            bound = [b for v in named for b in self.layout.bindings.get(v, [])]
            names = {b.name for b in bound if not b.path and b.frame is self.layout.function}
            names &= local_names(self.function.source.lowered_tree)
            names -= {name for name, _ in self.function.params} | read
            plan.otherwise |= dict.fromkeys(sorted(names), "")

    def fit(self) -> list[str]:
        """Compute as much again as a budget asks for; return what is said of that."""
        wishes, halves, function = self.wishes, self.halves, self.function
        if wishes.budget is None or not (wishes.of_call and wishes.is_entry(function)):
            return []
        sizes = Sizes(function, halves.context.lengths, 4 if halves.context.precisions == 1 else 8)
        blocks, again = halves.blocks, set(self.again)
        needed = self.estimated(sizes).kept
        possible = {v for v in needed if needed[v] and not self.why_not_again(v)}
        cheap = set(halves.plan.again)  # which is a part of the expressions that read it
        forward = sum(sizes.cost(eq) for eq in equations(function.body)) or 1.0
        found: list[tuple[float, int, set[Var]]] = []
        for chosen in Choice(self.repeating, sizes, needed, possible).candidates():
            halves.blocks = list(blocks)
            chosen = chosen - cheap
            self.choose(chosen)
            found.append((self.costs(sizes) / forward, self.estimated(sizes).peak, chosen))
            if found[0][1] <= wishes.budget:
                break  # nothing need be computed again
        fitting = [row for row in found if row[1] <= wishes.budget]
        if not fitting:
            raise too_large(function.source.name, wishes.budget, min(row[1] for row in found))
        share, peak, chosen = min(fitting, key=lambda row: row[:2])
        halves.blocks = list(blocks)
        self.choose(chosen)
        chosen = {p.of for p in self.repeated() if p.note}
        self.again = again | chosen
        kept = self.estimated(sizes).kept
        halves.plan_again()
        return self.told(sizes, peak, kept, chosen, share)

    def choose(self, chosen: set[Var]) -> None:
        """Let the backward parts compute some values again."""
        self.show(chosen)
        for var in self.last_first(chosen):
            self.compute_again(var)

    def estimated(self, sizes: Sizes) -> Estimate:
        """What the forward part and the backward parts come to as they are now."""
        halves = self.halves
        found = [
            estimate(self.function, sizes, block, results, halves.plan.again, halves.hidden)
            for block, results, _ in halves.blocks
        ]
        return max(found, key=lambda one: one.peak)

    def costs(self, sizes: Sizes) -> float:
        """How long it takes to compute again what the backward parts do."""
        made = self.repeating.made
        return sum(sizes.cost(made[p.of]) for p in self.repeated() if p.of in made)

    def repeated(self) -> list[Again]:
        """What the backward parts compute again."""
        rows = (eq.payload for block, *_ in self.halves.blocks for eq in equations(block))
        return [payload for payload in rows if isinstance(payload, Again)]

    def told(
        self, sizes: Sizes, peak: int, kept: dict[Var, int], chosen: set[Var], share: float
    ) -> list[str]:
        """What is said of the choice."""
        assert self.wishes.budget is not None
        limit = shown(self.wishes.budget)
        lines = [f"memory_budget {limit}: about {shown(peak)} at a time"]

        def listed(word: str, found: dict[Var, int]) -> None:
            texts = self.halves.plan.where
            rows = [f"{texts.get(v, v.name)} {shown(n)}" for v, n in found.items() if n]
            if rows:
                lines.extend(textwrap.wrap(f"{word}: {', '.join(rows)}", COMMENT))

        order = self.last_first(set(kept))[::-1]
        listed("kept", {v: kept[v] for v in order})
        made = [v for v in self.last_first(chosen)[::-1] if not is_view(self.repeating.made[v])]
        listed("computed again", {v: sizes.held(v) for v in made})
        if chosen:
            lines.append(f"about {share:.0%} of the forward part is computed again")
        return lines

    def certain(self) -> set[str]:
        """The names that hold arrays at the end of the forward part, whatever way it took."""
        hidden, known = self.halves.hidden, self.layout.definitions
        maybe = unsure(self.function.body)
        found = set()
        for var, name in self.halves.plan.where.items():
            place = known.get(hidden[var].targets[0] if var in hidden else var)
            if place is None or place.conditional or place.frame is not self.layout.function:
                continue
            if var not in maybe and name.isidentifier() and (var in hidden or is_large(var)):
                found.add(name)
        return found - {name for name, _ in self.function.params} - self.layout.captured

    def wanted(self, *ways: str) -> set[Var]:
        """What is kept now and is to be kept in one of some ways."""
        plan = self.halves.plan
        return {v for v in plan.where if self.wishes.of(self.function, v, plan) in ways}

    def last_first(self, found: set[Var]) -> list[Var]:
        """Some values, those that are computed last first."""
        hidden = self.halves.hidden  # what calls give beside their results
        known = self.layout.definitions
        order = {v: known[hidden[v].targets[0] if v in hidden else v].order for v in found}
        return sorted(found, key=lambda v: -order[v])

    def name_of(self, var: Var) -> str:
        """The name by which the user is told of a value."""
        return self.wishes.names(self.function, var, self.halves.plan)[0]

    def possible(self, wanted: set[Var]) -> set[Var]:
        """Those of some values that can be computed again, where a name stands for several."""
        why = {v: self.why_not_again(v) for v in wanted}
        made = {v for v in wanted if not why[v]}
        known = {self.name_of(v).rpartition(".")[2] for v in made}
        known |= {b.name for v in self.again for b in self.layout.bindings.get(v, [])}
        for var in sorted(wanted - made, key=self.name_of):
            name = self.name_of(var)
            if name.rpartition(".")[2] not in known:
                raise refusal(self.function, name, "recompute", why[var], var)
        return made

    def why_not_again(self, var: Var) -> str:
        """Tell what keeps a value from being computed again; nothing if it can be."""
        if var in self.halves.hidden:
            return "is computed inside of a derivative's formula"
        return self.repeating.why_not(var) or self.compute_again(var, trial=True)

    def compute_again(self, var: Var, trial: bool = False) -> str:
        """Let the backward parts compute a value again; tell why they cannot."""
        blocks = list(self.halves.blocks)
        for k, (block, results, part) in enumerate(blocks):
            if var not in count_uses(block, results):
                continue
            steps = self.repeating.steps(var, self.halves.plan.where)
            made = computed_again(self.repeating, block, results, steps)
            if made is None:
                return _UNSURE
            blocks[k] = (*made, part)
        if not trial:
            self.halves.blocks = blocks
        return ""

    def show(self, chosen: set[Var]) -> set[Var]:
        """Write out what is computed of some values where it is read.

        Returns:
            Those of the values for which that cannot be done.
        """
        cheap, found = self.halves.plan.again, set(chosen)
        while True:
            more = {v for v, eq in cheap.items() if v not in found and found & set(uses(eq))}
            if not more:
                break
            found |= more
        failed: set[Var] = set()
        for var in self.last_first(found - chosen):
            eq = replace(cheap[var], targets=(Var(var.name, var.type),), payload=Again("", var))
            home = self.layout.definitions[var].frame
            for k, (block, results, part) in enumerate(self.halves.blocks):
                block = written_out(block, var, eq)
                self.halves.blocks[k] = block, results, part
                if var in count_uses(block, results):
                    made = put_before(self.layout.function, home, block, results, var, [eq])
                    if made is None:
                        failed |= chosen.intersection(uses(eq))
                    else:
                        self.halves.blocks[k] = (*made, part)
        return failed

    def keep_in_other_forms(self) -> None:
        """Keep values in single precision, or in files."""
        halves, plan = self.halves, self.halves.plan
        wanted = self.last_first(self.wanted("float32", "memmap"))
        ways = {v: self.wishes.of(self.function, v, plan) or "" for v in wanted}
        why = {v: self.why_as_it_is(v, way) for v, way in ways.items()}
        some = {self.name_of(v) for v, reason in why.items() if not reason}
        for var, reason in why.items():
            if reason and self.wishes.of_call and self.name_of(var) not in some:
                raise refusal(self.function, self.name_of(var), ways[var], reason, var)
        ways = {v: way for v, way in ways.items() if not why[v]}  # the rest is not known yet
        if not ways:
            return
        rounded = {v for v, way in ways.items() if way == "float32"}
        names = {v: plan.where[v] for v in rounded}
        failed = self.show(rounded)
        for var in self.last_first(rounded):
            eq = self.repeating.made.get(var)
            back = read_back(var, names[var], eq.origin if eq is not None else None)
            home = self.layout.definitions[var].frame
            for k, (block, results, part) in enumerate(halves.blocks):
                if var not in count_uses(block, results):
                    continue
                made = put_before(self.layout.function, home, block, results, var, [back])
                if made is None or var in failed:
                    raise refusal(self.function, self.name_of(var), "float32", _UNSURE, var)
                halves.blocks[k] = (*made, part)
        halves.plan_again()
        source = self.function.source
        e = Expressions(source, halves.context, local_names(source.lowered_tree))
        for var, way in ways.items():
            if halves.plan.where.get(var, "").isidentifier():
                self.rename_kept(var, written_otherwise(e, var, way))
        halves.externals_of_keeping = e.externals
        for var, name in names.items():
            others = [text for v, text in halves.plan.where.items() if v is not var]
            others += [saved.name for saved in halves.plan.saved.values()]
            if name not in _WORD.findall(" ".join(others)):
                halves.plan.remade.add(name)

    def why_as_it_is(self, var: Var, way: str) -> str:
        """Tell why a value is kept as it is; nothing where it need not be."""
        halves, plan = self.halves, self.halves.plan
        name, frame = plan.where[var], plan.homes.get(var)
        if var in halves.hidden:
            return "is computed inside of a derivative's formula"
        if any(var is leaf for _, v in self.function.params for leaf in variables(v)):
            return "is an argument, which the caller holds"
        if var.type.kind != "array" or var.type.dtype not in ("f", "c") or var.type.ndim == 0:
            return "is not known to be an array of real or complex numbers"
        if halves.context.lengths.only_arrays or halves.context.of_cupy:
            return "is not an array of NumPy's"
        if way == "float32" and not self.wishes.double:
            return "is not known to be of double precision"
        if way == "float32" and any(is_compared(var, block) for block, *_ in halves.blocks):
            return "is compared, so that another branch could be taken for what is rounded"
        home = self.layout.definitions[var].frame
        if var in unsure(self.function.body) or (frame is None and home.kind == "arm"):
            return "is not always assigned"
        if frame is not None and frame.steps is not None:
            return "is a state of a checkpointed loop; on_disk= keeps these in files"
        if self.repeating.is_written(var, name):
            return "shares memory with what is written into"
        others = [plan.where[v] for v in plan.where if plan.homes.get(v) is frame and v is not var]
        if not name.isidentifier() or name in _WORD.findall(" ".join(others)):
            return "shares its name with another value that is kept"
        return ""

    def rename_kept(self, var: Var, change: Callable[[str], str]) -> None:
        """Let a value be kept in another form, under the name that it has."""
        plan = self.halves.plan
        name = plan.where[var]
        if var in plan.homes:
            saved = plan.saved[plan.homes[var]]
            saved.entries = [(change(t) if n == name else t, n) for t, n in saved.entries]
        elif self.halves.split:
            plan.kept = [(change(t) if n == name else t, n) for t, n in plan.kept]
        else:
            plan.otherwise[name] = change(name)


def written_otherwise(e: Expressions, var: Var, way: str | None) -> Callable[[str], str]:
    """Return what makes, of the text of a value, that of the form in which it is kept."""
    if way == "memmap":
        call = e.namer(on_disk)
        return lambda text: f"{call}({text})"
    kind = e.namer(np.complex64 if var.type.dtype == "c" else np.float32)
    return lambda text: f"{text if ' ' not in text else f'({text})'}.astype({kind})"
