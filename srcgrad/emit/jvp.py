"""From a lowered function to the text of the function that carries tangents along.

The user's text stays. A tangent statement stands after its forward line where all
that it reads can still be found there, and before it otherwise.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportOptionalMemberAccess=false

from __future__ import annotations

import builtins
from typing import Any

import libcst as cst

from srcgrad.analysis.kept.plans import Names, Plan, unsure
from srcgrad.emit.module import PairForward, forward_call
from srcgrad.emit.primal.forward import ForwardWriter, code, item_text
from srcgrad.emit.primal.holders import Holders
from srcgrad.emit.primal.loop_heads import head
from srcgrad.emit.primal.prune import Effects, prune
from srcgrad.emit.primal.regions import Ends
from srcgrad.emit.primal.returned import tuple_text
from srcgrad.emit.primal.unused import without_unused
from srcgrad.emit.tangents import TangentExpressions, TangentWriter
from srcgrad.emit.words.assembly import value_text
from srcgrad.emit.words.order import require_order
from srcgrad.emit.words.seeds import seed_names, takes_keywords
from srcgrad.frontend.text.names import local_names, names_in
from srcgrad.frontend.text.trees import kinds_in
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.layout import Frame, Place, path_text
from srcgrad.ir.leaves import is_target
from srcgrad.ir.nodes import (
    RECORDED,
    RETURNED,
    Block,
    Compound,
    Equation,
    Function,
    If,
    Items,
    Loop,
    Struct,
    Value,
    Var,
    acts,
    equations,
)
from srcgrad.transform.forward_parts import CarriedCall, PairTangent, RecordedTangent
from srcgrad.transformation.context import Context


class JvpWriter:
    """Puts the tangents of one function into its text."""

    def __init__(
        self,
        context: Context,  # the transformation
        function: Function,  # the lowered function
        block: Block,  # its tangents, simplified
        seeds: list[Var],  # the tangents of its parameters
        # whether a user calls it: then tangents of dicts and objects are such themselves, and
        # tuples between generated functions
        entry: bool,
        valued: bool,  # whether the value is given back beside its tangent
    ) -> None:
        self.function = function
        self.entry = entry
        self.valued = valued
        self.layout = function.layout
        source = function.source
        taken = names_in(source.lowered_tree)
        self.names = Names(taken | set(context.names) | set(dir(builtins)))
        self.seeds = seed_names(source.lowered_tree, seeds)
        self.names.taken -= set(self.seeds.values())
        self.holders = Holders(function)
        self.ends = Ends(function.layout)
        e = TangentExpressions(source, context, local_names(source.lowered_tree))
        e.holders, e.place = self.holders, (function.layout.function, 0)
        self.writer = TangentWriter(block, [], e, self.names, self.seeds, Plan(), False)
        self.names.taken |= set(e.names.values())
        self.text = ForwardWriter(source, Plan(), [], self.names, function.layout, False, e.namer)
        self.returns: dict[int, Equation] = {}
        self.calls: dict[str, PairTangent | PairForward] = {}
        self.edits = self.text.edits
        self.call_always(context)
        self.writer.unsure, self.writer.unset = unsure(self.writer.block), []
        self.region(self.writer.block, function.layout.function)

    @property
    def externals(self) -> dict[str, Any]:
        """What the text refers to besides the function's globals."""
        checks = {line.partition("(")[0]: callee for _, line, callee in self.layout.checks}
        return self.writer.e.externals | self.calls | checks

    def body(self) -> list[Any]:
        """The statements of the function."""

        def returned(value: Any, statement: Any) -> list[str]:
            value_text = f"{item_text(value)}, " if self.valued else ""
            return [f"return {value_text}{self.back(statement)}"]

        body = self.text.body(returned)
        unset = dict.fromkeys(n for n in self.writer.unset if n not in self.seeds.values())
        body = [*(cst.parse_statement(f"{name} = 0.0") for name in unset), *body]
        if not self.valued:
            body = prune(body, set(), Effects(self.layout))
        return without_unused(body)

    def call_always(self, context: Context) -> None:
        """Place the calls that the text does not stand for, and that carry no tangent."""
        done = [eq.op.fn for eq in equations(self.writer.block)]
        carrying = {fn.call for fn in done if isinstance(fn, CarriedCall)}
        for eq in equations(self.function.body):
            if eq in carrying:
                continue
            if eq.op.fn is RECORDED:  # whose results are tested for what is known of them
                if any(self.layout.definitions[t].conditional for t in eq.targets):
                    raise Specialise(What.STATEMENTS)
                self.text.place_call(eq, self.writer.e.namer(eq.payload.recorder), "", ["_"], {})
            elif getattr(eq.payload, "always", False):
                name, added = forward_call(context, eq.payload)
                self.names.taken.add(name)
                self.text.place_call(eq, name, added, ["_"], {})
                self.calls[name] = PairForward(eq.payload.pair)

    # regions

    def region(self, block: Block, frame: Frame) -> list[Equation]:
        """Position the tangents of a region; return those that belong to its end."""
        direct = {id(s): p for s, p in frame.statements}
        groups: dict[int, list[Any]] = {}
        at_end: list[Equation] = []
        top: list[Equation] = []
        statements: dict[int, Any] = {}
        for item in block:
            statement = item.origin.statement if item.origin is not None else None
            if isinstance(item, Equation) and self.inlined(item):
                continue
            if id(statement) in direct:
                groups.setdefault(id(statement), []).append(item)
                statements[id(statement)] = statement
            elif statement is frame.node and isinstance(item, Equation):
                first = frame.kind == "loop" and not groups and self.is_first(item, frame)
                (top if first else at_end).append(item)
            else:
                raise Specialise(What.STATEMENTS)
        if top:
            self.top(top, frame)
        for key, items in groups.items():
            place = (frame, direct[key])
            if isinstance(statements[key], cst.SimpleStatementLine):
                if not all(isinstance(item, Equation) for item in items):
                    raise Specialise(What.STATEMENTS)
                self.simple(statements[key], items, place)
            else:
                self.compound(statements[key], items, place)
        return at_end

    def inlined(self, eq: Equation) -> bool:
        return len(eq.targets) == 1 and eq.targets[0] in self.writer.e.inlined

    def is_first(self, eq: Equation, frame: Frame) -> bool:
        """Whether all that an equation reads is there when an iteration begins."""
        read = [self.layout.definitions.get(v) for v in self.writer.reads(eq)]
        return all(d is None or d.position < frame.statements[0][1] for d in read)

    def depth(self, frame: Frame) -> int:
        return len(frame.ancestors())

    def top(self, equations: list[Equation], frame: Frame) -> None:
        """Tangents of what a loop assigns at the start of an iteration."""
        first, position = frame.statements[0]
        lines = self.edits.top.setdefault(id(first), [])
        for eq in equations:
            self.demand(self.writer.reads(eq), (frame, position))
            lines += self.writer.texts(eq, (frame, position), self.depth(frame))

    def compound(self, statement: Any, items: list[Any], place: Place) -> None:
        """Position what belongs to a branch or a loop."""
        frame, _ = place
        inner = [k for k, item in enumerate(items) if not isinstance(item, Equation)]
        end = inner[-1] + 1 if inner else len(items)
        equations = [item for item in items[:end] if isinstance(item, Equation)]
        if equations:
            self.before(statement, equations, place)
        for item in items[:end]:
            if isinstance(item, If):
                self.branch(item)
            elif isinstance(item, Loop):
                lines = self.edits.before.setdefault(id(statement), [])
                depth = self.depth(frame)
                pairs = [(c.param, c.init) for c in item.carried]
                lines += self.writer.moves(pairs, place, depth)
                self.loop(item, frame)
                lines = self.edits.after.setdefault(id(statement), [])
                pairs = [(c.out, c.param) for c in item.carried]
                lines += self.writer.moves(pairs, place, depth)
        self.behind(statement, items[end:], place)

    def branch(self, node: If) -> None:
        for arm, side in ((0, "then"), (1, "orelse")):
            frame = node.frames[arm]
            if frame is None or not isinstance(frame.node, cst.If | cst.Try):
                raise Specialise(What.STATEMENTS)
            block = getattr(node, side)
            equations = self.behind_body(block) if frame.whole else self.region(block, frame)
            moves = [(m.out, getattr(m, side)) for m in node.merges]
            self.finish(frame, equations, moves)

    def behind_body(self, block: Block) -> list[Equation]:
        """Return the tangents of the body of a ``try`` statement, which stand behind it."""
        equations = [item for item in block if isinstance(item, Equation)]
        if len(equations) < len(block) or any(
            isinstance(eq.op.fn, CarriedCall) for eq in equations
        ):
            raise Specialise(What.STATEMENTS)
        return [eq for eq in equations if not self.inlined(eq)]

    def loop(self, node: Loop, outer: Frame) -> None:
        frame = node.frame
        block = head(self, node, node.body)
        equations = self.region(block, frame)
        self.finish(frame, equations, [(c.param, c.next) for c in node.carried])

    def finish(self, frame: Frame, equations: list[Equation], moves: list[Any]) -> None:
        """Put what runs last in a region at all its ends."""
        place = self.layout.end(frame)
        depth = self.depth(frame)
        lines: list[str] = []
        for eq in equations:
            self.demand(self.writer.reads(eq), place)
            lines += self.writer.texts(eq, place, depth)
        lines += self.writer.moves(moves, place, depth)
        if not lines:
            return
        if not frame.statements and isinstance(frame.node, cst.Try):  # several handlers
            raise Specialise(What.STATEMENTS)
        for kind, statement in self.ends.of(frame):
            if kind == "else":
                self.edits.orelse.setdefault(id(statement), []).extend(lines)
            else:
                table = self.edits.before if kind == "before" else self.edits.after
                table.setdefault(id(statement), []).extend(lines)

    # statements

    def simple(self, statement: Any, equations: list[Equation], place: Place) -> None:
        """Position the tangents that belong to one simple statement."""
        if equations[-1].op.fn is RETURNED:
            self.returns[id(statement.body[0])] = equations[-1]
        calls = [eq for eq in equations if isinstance(eq.op.fn, CarriedCall)]
        small = statement.body[0]
        own = None  # a call that is the whole right side
        if isinstance(small, cst.Assign) and len(small.targets) == 1:
            own = next((c for c in calls if small.value is c.op.fn.call.origin.node), None)
        for call in calls:
            if call is not own and isinstance(call.op.fn, PairTangent):  # what is recorded, is pure
                require_order(self.layout, statement, call.op.fn.call)
        ends = self.ends_of([call for call in calls if call is not own])
        self.holders.given |= ends  # until the statement has been written
        self.place_simple(statement, equations, place, own)
        for var in ends:
            del self.holders.given[var]

    def ends_of(self, calls: list[Equation]) -> dict[Var, str]:
        """How the parts of objects are read that calls, made before their statement, write."""
        found: dict[Var, str] = {}
        for eq in calls:
            call = eq.op.fn.call
            for target in call.targets:
                bindings = self.layout.bindings.get(target)
                if self.layout.definitions[target].node is not call.origin.node and bindings:
                    found[target] = bindings[0].name + path_text(bindings[0].path)
        return found

    def place_simple(self, statement: Any, equations: list[Equation], place: Place, own: Any):
        """Put the tangents of a simple statement before or behind it."""
        frame, position = place
        small = statement.body[0]
        after = self.layout.after(frame, position)
        split = equations.index(own) if own is not None else 0
        later = equations[split + 1 :] if own is not None else equations
        calls = any(isinstance(eq.op.fn, CarriedCall) for eq in equations)
        lasting = not isinstance(small, cst.Return) and (own is not None or not calls)
        lost = [v for v in self.all_reads(later) if not self.holders.kept(v, after, frame)]
        ready = own is None and all(self.holders.ready(v, place) for v in self.all_reads(equations))
        if not lasting or (lost and ready):
            if not ready or self.changes_order(equations):
                raise Specialise(What.STATEMENTS)
            self.before(statement, equations, place)
            return
        if own is not None:
            self.before(statement, equations[:split], place, own)
        lines = self.edits.before.setdefault(id(statement), [])
        lines += [self.save(var, place, after) for var in lost]
        self.behind(statement, later, place)

    def changes_order(self, equations: list[Equation]) -> bool:
        """Whether tangents would be sent before what they belong to, in a derivative's text.

        Both go the same way there, and the other rank takes them in the order of its own text.
        """
        if not any(acts(eq.op) and eq.targets for eq in equations):
            return False
        return self.function.source.is_generated

    def behind(self, statement: Any, equations: list[Equation], place: Place) -> None:
        """Place tangents behind a statement."""
        after = self.layout.after(*place)
        self.demand(self.all_reads(equations), after)
        lines = self.edits.after.setdefault(id(statement), [])
        for eq in equations:
            lines += self.writer.texts(eq, after, self.depth(place[0]))

    def all_reads(self, equations: list[Equation]) -> list[Var]:
        return list(dict.fromkeys(v for eq in equations for v in self.writer.reads(eq)))

    def save(self, var: Var, place: Place, after: Place) -> str:
        """A line that keeps what a statement is going to overwrite."""
        text = self.holders.access(var, place)
        if text is None:
            raise Specialise(What.STATEMENTS)
        name = self.names.fresh(f"{var.name}_0")
        if self.holders.changed(var, after):
            text = f"{text}.copy()" if var.type.kind == "array" else f"{text} * 1"
            self.holders.saved.add(var)
        self.holders.given[var] = name
        return f"{name} = {text}"

    def demand(self, wanted: list[Var], place: Place) -> None:
        """Give names to the expressions whose values cannot be read at a place otherwise."""
        for var in sorted(wanted, key=self.order):
            if not self.holders.reachable(var, place):
                self.hoist(var, place)

    def order(self, var: Var) -> int:
        """When a value is computed."""
        definition = self.layout.definitions.get(var)
        return definition.order if definition is not None else 0

    def hoist(self, var: Var, place: Place) -> None:
        """Give an expression a name, in a line before its statement."""
        if not self.holders.hoistable(var, place[0]):
            raise Specialise(What.STATEMENTS)
        definition = self.layout.definitions[var]
        if cst.NamedExpr in kinds_in(definition.statement):  # which may give a name that it reads
            raise Specialise(What.STATEMENTS)
        path = path_text(definition.path)
        known = self.edits.replace.get(id(definition.node))
        if isinstance(known, cst.Name):
            self.holders.given[var] = known.value + path
            return
        wanted = self.layout.roles.get(var, var.name)
        name = self.names.fresh(f"new_{var.name}" if var.named else wanted)
        text = code(self.text.rewrite(definition.node))
        lines = self.edits.before.setdefault(id(definition.statement), [])
        lines.append(f"{name} = {text}")
        self.edits.replace[id(definition.node)] = cst.Name(name)
        self.holders.given[var] = name + path

    def before(
        self,
        statement: Any,
        equations: list[Equation],
        place: Place,
        last: Equation | None = None,
    ) -> None:
        """Place tangents before a statement; ``last`` is a call that is the statement itself."""
        lines = self.edits.before.setdefault(id(statement), [])
        pending = list(equations)
        wanted = self.all_reads(pending)
        for eq in [*(e for e in equations if isinstance(e.op.fn, CarriedCall)), last]:
            limit = self.text.order_of(eq.op.fn.call) if eq is not None else 10**9
            self.demand([v for v in wanted if self.order(v) < limit], place)
            while pending and pending[0] is not eq:
                lines += self.writer.texts(pending.pop(0), place, self.depth(place[0]))
            if eq is not None:
                pending[:1] = []
                self.call(eq, place)

    def call(self, eq: Equation, place: Place) -> None:
        """Let a call be one that carries tangents along."""
        fn: CarriedCall = eq.op.fn
        e = self.writer.e
        e.place = place
        self.demand(list(self.writer.reads(eq)), place)
        dots = [value_text(e, a) for a in eq.args]
        if isinstance(fn, RecordedTangent):
            self.recorded(fn, eq, dots)
            return
        assert isinstance(fn, PairTangent)
        site = fn.call.payload
        node = fn.call.origin.node
        added = [f"{k}={v}" for k, v in site.added]
        by_name = added or takes_keywords(site.pair.function.source.tree)
        by_name = by_name or any(a.keyword or a.star for a in getattr(node, "args", ()))
        seeds = list(fn.callee.forwarded.seeds.values())
        labels = list(seed_names(site.pair.function.source.tree, seeds).values())
        given = [f"{k}={v}" for k, v in zip(labels, dots, strict=True)] if by_name else dots
        live = iter(fn.call.targets)
        owners = dict(zip(fn.moving, eq.targets, strict=True))
        names = {t: e.names[owners[t]] for t in owners if self.writer.counts.get(owners[t])}

        def shape(part: Value) -> str:
            if isinstance(part, Compound):
                return tuple_text([shape(p) for p in part.items])
            return names.get(next(live), "_") if is_target(part) else "_"

        hidden = [shape(site.pair.function.result)]
        self.text.place_call(fn.call, fn.callee.name, ", ".join([*added, *given]), hidden, {})
        self.note_hoisted(fn.call)
        self.calls[fn.callee.name] = fn

    def recorded(self, fn: RecordedTangent, eq: Equation, dots: list[str]) -> None:
        """Let a recorded call be one that carries tangents along."""
        e, targets = self.writer.e, fn.call.targets
        owners = dict(zip(fn.moving, eq.targets, strict=True))
        read = {t: own for t, own in owners.items() if self.writer.counts.get(own)}
        names = [e.names[read[t]] if t in read else "_" for t in targets]
        gives = fn.call.payload.gives
        hidden = names[0] if gives is None or type(gives) is int else tuple_text(names)
        given = dots[0] if len(dots) == 1 else tuple_text(dots)
        self.text.place_call(fn.call, e.namer(fn.recorder), f"tangents={given}", [hidden], {})
        self.note_hoisted(fn.call)

    def note_hoisted(self, call: Equation) -> None:
        """Note the name of what a call gives that stands before its statement."""
        node = call.origin.node
        for target in call.targets:
            definition = self.layout.definitions[target]
            if id(node) in self.text.hoisted and definition.node is node:
                label = self.text.hoisted[id(node)] + path_text(definition.path)
                self.holders.given[target] = label
                if definition.path:
                    self.holders.parts.add(target)

    # returns

    def back(self, statement: Any) -> str:
        """The text of the tangents that a return statement gives back."""
        eq = self.returns.get(id(statement))
        if eq is None:  # known not to be reached
            return "None"
        made = iter(eq.args)

        def shape(part: Value) -> str:
            if isinstance(part, Items):
                parts = [shape(p) for p in part.items]
                whole = self.entry and part.is_list
                return f"[{', '.join(parts)}]" if whole else tuple_text(parts)
            if isinstance(part, Struct) and not self.entry:
                return tuple_text([shape(p) for p in part.items])
            if isinstance(part, Struct):
                return part.form.text([shape(p) for p in part.items], self.writer.e.namer)
            return value_text(self.writer.e, next(made))

        return shape(eq.payload)
