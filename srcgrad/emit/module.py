"""From a lowered function to the text of a module with its derivative."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAssignmentType=false, reportOperatorIssue=false

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from typing import Any

import libcst as cst

from srcgrad.analysis.flow.counting import count_uses, defined
from srcgrad.analysis.kept.plans import Names, Plan, Saved, holder_of, unsure
from srcgrad.analysis.kept.residuals import plan
from srcgrad.analysis.kept.sweeps import stored
from srcgrad.emit.backward import BackwardWriter
from srcgrad.emit.finals import with_finals
from srcgrad.emit.keeping import Keeping
from srcgrad.emit.primal.forward import ForwardWriter
from srcgrad.emit.primal.reads import (
    arithmetic,
    called_names,
    forward_uses,
    light,
    moduli,
    outlined_of,
    repeated,
    shaped_of,
)
from srcgrad.emit.primal.results import name_results, owned
from srcgrad.emit.reused import Forward
from srcgrad.emit.words.expressions import Expressions
from srcgrad.emit.words.fusing import Fuser
from srcgrad.emit.words.headers import header_values, reads_index
from srcgrad.emit.words.interceptions import names_of_interceptions
from srcgrad.expansion.expand import FormulaPair
from srcgrad.frontend.calls.pairs import CallSite, Pair
from srcgrad.frontend.text.names import identifiers, local_names
from srcgrad.ir.blocks import loops_of
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.layout import Frame
from srcgrad.ir.nodes import (
    PAIR,
    RANGE_ITEM,
    RECORDED,
    Block,
    Equation,
    Function,
    Loop,
    Value,
    Var,
    equations,
    variables,
)
from srcgrad.ir.verify import verify_backward
from srcgrad.library.cupy_names import can_fuse
from srcgrad.simplify.buffers import plain_writes
from srcgrad.simplify.inverses import systems
from srcgrad.simplify.passes import simplify
from srcgrad.simplify.rows import products_of_rows
from srcgrad.transform.calls import sloped
from srcgrad.transform.parts import PairGradient, Reversed, forward_name, gradient_name
from srcgrad.transformation.context import Context

_MODULE = cst.Module([])
_WORD = re.compile(r"[A-Za-z_]\w*")


class Halves:
    """A forward part and one or more backward parts that go with it."""

    def __init__(
        self,
        context: Context,  # the transformation
        function: Function,  # the lowered function
        # its backward parts, each with the values that it returns
        parts: list[tuple[Reversed, list[Value]]],
        # whether results must own their memory; otherwise they may be the cotangents that are
        # given
        own: bool,
        split: bool,  # whether the parts are functions of their own
        # what each result is the gradient of, with its expression, and the function that is told
        # when it is final; see ``emit.finals``
        finals: tuple[list[tuple[Var, str]], Any] | None = None,
        valued: bool = True,  # whether the value of the function is wanted as well, or may be
    ) -> None:
        self.split = split
        self.context = context
        self.function = function
        layout = function.layout
        maybe = unsure(function.body)
        named = [
            v
            for v, bindings in layout.bindings.items()
            if bindings and v in layout.definitions and v not in maybe
        ]
        self.blocks: list[tuple[Block, list[Value], Reversed]] = []
        for reversed_, results in parts:
            candidates = [v for v in named if layout.definitions[v].frame is layout.function]
            used = forward_uses(reversed_.block, results, defined(reversed_.block))
            candidates = [v for v in candidates if v in used] or candidates
            check = functools.partial(verify_backward, function=function, part=reversed_)
            check("zeros for arguments without influence", block=reversed_.block, results=results)
            again = light(function.body) | moduli(function.body)
            primal = arithmetic(function.body)
            double = context.uniform and not (context.precisions or context.lengths.only_arrays)
            block, results = simplify(
                reversed_.block,
                results,
                context.lengths,
                candidates,
                again,
                primal,
                context.uniform,
                check,
                double,
                double and context.for_speed,
                None if valued else systems(function.body),
                repeated(function),
                context.compared,
                seeds := {v for seed in reversed_.seeds for v in variables(seed)},
            )
            forward = {t: eq for eq in equations(function.body) for t in eq.targets}
            if double:
                changing = {v for v, d in layout.definitions.items() if d.frame.in_loop}
                block = products_of_rows(block, results, forward, changing, context.lengths)
                check("products of rows", block=block, results=results)
            block = plain_writes(block, results, forward)
            check("zeros that nothing reads, and first entries", block=block, results=results)
            block, results = owned(block, results, set() if own else seeds)
            check("copies of results", block=block, results=results)
            if finals is not None:
                block, results = with_finals(function, reversed_, block, results, finals)
            name_results(block, results, reversed_.labels)
            self.blocks.append((block, results, reversed_))
        called = {name for block, _, _ in self.blocks for name in called_names(block)}
        own = identifiers(function.source.lowered_tree) | names_of_interceptions(function.body)
        self.names = Names(own | set(context.names) | called)
        self.before, self.externals_of_keeping = self.names.copy(), {}
        self.plan_residuals()
        if context.wishes is not None:
            Keeping(self, context.wishes).run()

    def plan_residuals(self) -> None:
        needed: dict[Var, None] = {}
        hidden: dict[Var, Equation] = {}
        loops: list[Loop] = []
        seeds: set[Var] = set()
        for block, results, part in self.blocks:
            seeds |= {v for s in part.seeds for v in variables(s)}
            for var in forward_uses(block, results, defined(block) | seeds):
                needed[var] = None
            hidden |= {var: eq for eq, var in part.residuals.items()}
            for eq, (_, outputs) in part.hidden.items():
                for var in outputs:
                    hidden[var] = eq
            for loop in loops_of(block):
                if loop.header not in loops:
                    loops.append(loop.header)
        backward_loops = [loop for block, _, _ in self.blocks for loop in loops_of(block)]
        wanted = list(needed)
        reads: dict[Var, int] = {}
        for block, results, _ in self.blocks:
            for var, count in count_uses(block, results).items():
                reads[var] = reads.get(var, 0) + count
        shaped = {v for block, _, _ in self.blocks for v in shaped_of(block)}
        outlined = Counter(v for block, _, _ in self.blocks for v in outlined_of(block))
        outlines = {v for v, n in outlined.items() if n == reads[v] and v.type.kind == "array"}
        written = stored(self.function, self.context.lengths) if self.context.uniform else {}
        extra: list[Var] = []
        names, made, counted = self.names, Plan(), {}
        while True:  # each time more is kept, of what there is
            names = self.names.copy()
            made = plan(
                self.function,
                [*wanted, *extra],
                hidden,
                loops,
                names,
                self.split,
                reads,
                shaped,
                outlines,
                written,
            )
            more: list[Var] = []
            counted = {}
            gone: set[str] = set()  # lists that loops inside need no more
            for loop in backward_loops[::-1]:
                forward: Loop = loop.header
                if self.only_element(forward, made, gone):
                    values = header_values(forward, self.function.layout)
                    assert values is not None
                    more += [v for v in values if v not in wanted and v not in extra]
                    gone.add(made.saved[forward.frame].name)
                    only = self.only_element(forward, made)
                    if only:
                        made.ranged[forward.frame] = only
                        continue
                if forward.frame in made.saved:
                    continue
                values = header_values(forward, self.function.layout)
                if values is None:
                    if forward.frame not in counted:
                        counted[forward.frame] = names.fresh("trips")
                    continue
                more += [v for v in values if v not in wanted and v not in extra]
            if not more:
                break
            extra += more
        for frame in counted:  # their counts are kept along with the element
            made.ranged.pop(frame.parent.storage, None)
        for frame in list(made.ranged):
            self.without_list(frame, made)
        made.counted.update(counted)
        for frame, name in counted.items():
            self.keep_count(made, names, frame, name)
        known = {*wanted, *extra}
        for loop in backward_loops[::-1]:  # around those whose lists are gone now
            forward = loop.header
            only = "" if forward.frame in counted else self.only_element(forward, made)
            if only and known.issuperset(header_values(forward, self.function.layout) or ()):
                made.ranged[forward.frame] = only
                self.without_list(forward.frame, made)
        self.names = names
        self.plan: Plan = made
        self.hidden = hidden
        for loop in loops_of(self.function.body):
            made.where[loop.index] = loop.index.name if loop.index.named else "i"
            if not loop.index.named and any(
                b.header is loop and reads_index(b.body, loop.index, made.again)
                for b in backward_loops
            ):
                made.where[loop.index] = names.fresh("i")
            made.indices.append(made.where[loop.index])

    def plan_again(self) -> None:
        """Plan anew, for what the backward parts read by now."""
        self.names = self.before.copy()
        self.plan_residuals()

    def without_list(self, frame: Frame, made: Plan) -> None:
        """Keep nothing of the iterations of a loop over a range, which is gone through again."""
        gone = made.saved[frame]
        if any(other.entries == [(gone.name, gone.name)] for other in made.saved.values()):
            del made.ranged[frame]  # a list of such lists tells how often to go around
            return
        del made.saved[frame]
        for other in made.saved.values():
            other.entries = [e for e in other.entries if e[0] != gone.name]
        made.kept = [k for k in made.kept if k[0] != gone.name]

    def keep_count(self, made: Plan, names: Names, frame: Frame, name: str) -> None:
        """Keep how often a loop has gone around, or the list of that, with what is around it."""
        holder = holder_of(frame)
        if holder.kind == "function":
            made.kept.append((name, name))
            return
        before = [k for k, (_, p) in enumerate(holder.statements) if p <= frame.start]
        place = before[-1] if before else -1
        if holder in made.saved:
            self.delay(made, names, made.saved[holder], place)
            made.saved[holder].entries.append((name, name))
            return
        saved = made.saved[holder] = Saved(names.fresh("saved"), holder, [(name, name)], place)
        self.keep_count(made, names, holder, saved.name)

    def delay(self, made: Plan, names: Names, saved: Saved, place: int) -> None:
        """Let a tuple be kept no earlier than behind a statement of its region."""
        if (saved.place, saved.after) >= (place, True):
            return
        positions = [position for _, position in saved.frame.statements]
        first = saved.place + 1 if saved.after else saved.place
        start = positions[first]
        end = positions[place + 1] if place + 1 < len(positions) else float("inf")
        for k, (text, label) in enumerate(saved.entries):
            words = set(_WORD.findall(text))
            if any(
                w.name in words and start <= w.position < end and saved.frame.encloses(w.frame)
                for w in self.function.layout.writes
            ):
                kept = names.fresh(f"{label}_0")
                made.copies.append((saved.frame, saved.place, saved.after, f"{kept} = {text}"))
                saved.entries[k] = (kept, label)
        saved.place, saved.after = place, True

    def only_element(self, loop: Loop, made: Plan, gone: Set[str] = frozenset()) -> str:
        """The name of a range's element, if that is all that a loop keeps of an iteration.

        Args:
            loop: the loop.
            made: what is kept.
            gone: what else may be kept, the lists of loops inside.
        """
        saved = made.saved.get(loop.frame)
        entries = [] if saved is None else [e for e in saved.entries if e[0] not in gone]
        if loop.header.kind != "range" or len(entries) != 1:
            return ""
        if header_values(loop, self.function.layout) is None:
            return ""
        first = loop.body[0] if loop.body else None
        if not isinstance(first, Equation) or first.op.fn is not RANGE_ITEM:
            return ""
        name = entries[0][1]
        return name if made.where.get(first.targets[0]) == name else ""

    def forward_calls(self, read: set[Var]) -> list[tuple[Equation, str, str, list[str]]]:
        """The calls whose forward function must be called, with the names of its extra outputs."""
        out = []
        grouped: dict[Equation, list[Var]] = {}
        for var, eq in self.hidden.items():
            if var in read:
                grouped.setdefault(eq, []).append(var)
        order = self.function.layout.definitions
        for eq in sorted(grouped, key=lambda eq: order[eq.targets[0]].order):
            for _, _, part in self.blocks:
                if eq in part.hidden:
                    pair, outputs = part.hidden[eq]
                    names = [self.plan.where.get(v, "_") for v in outputs]
                    out.append((eq, pair.forward_name, "", names))
                    self.externals_of_forward[pair.forward_name] = FormulaForward(pair)
                    break
                if eq in part.residuals and eq.op.fn is RECORDED:
                    out.append((eq, "", "", [self.plan.where[part.residuals[eq]]]))
                    break
                if eq in part.residuals:
                    site = eq.payload
                    kept = [self.plan.where[part.residuals[eq]]]
                    if sloped(self.context, site):
                        name, added = gradient_name(self.context, site.pair), ""
                        self.externals_of_forward[name] = PairGradient(site.pair)
                    else:
                        name, added = forward_call(self.context, site)
                        self.externals_of_forward[name] = PairForward(site.pair)
                    out.append((eq, name, added, kept))
                    break
        done = {eq for eq, *_ in out}
        for eq in equations(self.function.body):
            apart = (eq.op.fn is PAIR and eq.payload.always) or eq.op.fn is RECORDED
            unsure = any(t in order and order[t].conditional for t in eq.targets)
            if apart and unsure and eq not in done:
                raise Specialise(What.STATEMENTS)  # it may not be called in a statement before
            if eq.op.fn is PAIR and eq.payload.always and eq not in done:
                name, added = forward_call(self.context, eq.payload)
                out.append((eq, name, added, ["_"]))
                self.externals_of_forward[name] = PairForward(eq.payload.pair)
            elif eq.op.fn is RECORDED and eq not in done:
                out.append((eq, "", "", ["_"]))
        return out

    externals_of_forward: dict[str, Any]
    externals_of_keeping: dict[str, Any]

    def forward_writer(self, split: bool) -> ForwardWriter:
        """Return the writer of the forward part."""
        self.externals_of_forward = {}
        read = {
            v
            for block, results, _ in (self.blocks if self.hidden else ())
            for v in forward_uses(block, results, defined(block))
        }
        calls = self.forward_calls(read)
        function = self.function
        for _, line, callee in function.layout.checks:
            self.externals_of_forward[line.partition("(")[0]] = callee
        e = Expressions(function.source, self.context, local_names(function.source.lowered_tree))
        writer = ForwardWriter(
            function.source, self.plan, calls, self.names, function.layout, split, e.namer
        )
        self.externals_of_forward |= e.externals | self.externals_of_keeping
        return writer

    def backward(
        self, k: int, fixed: dict[Var, str], split: bool
    ) -> tuple[BackwardWriter, Expressions]:
        """Return the writer of a backward part."""
        block, results, part = self.blocks[k]
        source = self.function.source
        expressions = Expressions(source, self.context, local_names(source.lowered_tree))
        expressions.where = dict(self.plan.where)
        expressions.again = dict(self.plan.again)
        expressions.absent = frozenset(self.plan.conditional)
        forward = None
        if not split and self.context.quiet:
            forward = Forward(self.function, self.plan, self.hidden)
        fuser = None
        if self.context.for_speed and self.context.of_cupy and can_fuse():
            fuser = Fuser(expressions, source.name)
        names = self.names.copy()
        names.taken -= self.plan.remade
        writer = BackwardWriter(
            block, results, expressions, names, fixed, self.plan, split, forward, fuser
        )
        verify_backward("copies before writes", self.function, part, writer.block, results)
        return writer, expressions


@dataclass(frozen=True, eq=False)
class FormulaForward:
    """Stands for the forward function of a formula that is called out of line."""

    pair: FormulaPair


@dataclass(frozen=True, eq=False)
class PairForward:
    """Stands for the forward function of a split call."""

    pair: Pair


def forward_call(context: Context, site: CallSite) -> tuple[str, str]:
    """Return the name of a call's forward function, and the text added to its arguments."""
    added = ", ".join(f"{k}={v}" for k, v in site.added)
    return forward_name(context, site.pair), added
