"""The texts of derivatives: joint functions, split pairs, and whatever these call."""

from __future__ import annotations

from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.precision import changes_precision, makes_double
from srcgrad.analysis.shapes.results import type_of
from srcgrad.emit.finals import leaves_of
from srcgrad.emit.forward_mode import carry, carry_pair, simplified
from srcgrad.emit.module import FormulaForward, Halves, PairForward
from srcgrad.emit.primal.exposed import exposed_names
from srcgrad.emit.primal.forward import item_text, join_lines
from srcgrad.emit.primal.freed import otherwise
from srcgrad.emit.primal.prune import Effects, prune
from srcgrad.emit.primal.returned import (
    assignments_left,
    root_of,
    skeleton,
    tuple_text,
    words,
)
from srcgrad.emit.primal.spare_copies import without_spare_copies
from srcgrad.emit.wholes import slots_of, with_wholes
from srcgrad.emit.words.assembly import assemble, require_in_reach, signature_text, value_text
from srcgrad.emit.words.places import origin_of_results, places
from srcgrad.emit.words.text import LINE
from srcgrad.expansion.pair import FormulaPair
from srcgrad.frontend.calls.pairs import Pair
from srcgrad.frontend.containers.lists import leaves
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.exits import returns_of
from srcgrad.ir.forms import Skeleton
from srcgrad.ir.nodes import Block, Const, Equation, Function, Op, Perturbation, Value, Var
from srcgrad.ir.types import Parts
from srcgrad.load.texts import FunctionText
from srcgrad.load.wrapping import wrap
from srcgrad.runtime import cast_like, require_scalar
from srcgrad.transform.calls import moving
from srcgrad.transform.directions.sweep import along_directions, shapes_of
from srcgrad.transform.directions.units import along_units
from srcgrad.transform.forward import forward
from srcgrad.transform.forward_parts import Forwarded, PairTangent
from srcgrad.transform.parts import (
    FormulaBackward,
    PairAgain,
    PairBackward,
    PairGradient,
    Reversed,
    forward_name,
    gradient_name,
)
from srcgrad.transform.reverse import reverse
from srcgrad.transform.seeds import makes_arrays, ones_like
from srcgrad.transform.split import forget_uncalled
from srcgrad.transform.zeros import cotangent_type, zero
from srcgrad.transformation.context import Context, name_of_derivative


class Derivatives:
    """Collects the functions of one generated module.

    Attributes:
        functions: their texts, the ones that are called first.
        lists: whether a cotangent is given as a list of any length, which is no structure for
            those who differentiate the text again.
        on_final: what is told of each gradient when it is final; None where nobody is.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.lists = False
        self.functions: list[FunctionText] = []
        self.done: set[Any] = set()
        self.on_final: Any = None

    def joint(
        self,
        function: Function,
        wrt: list[Value],
        kind: str,
        doc: str,
        *,
        many: bool,
        has_aux: bool,
        exact: bool,
        extras: tuple[str, ...] = (),
        name: str = "",
    ) -> FunctionText:
        """Write ``grad`` or ``value_and_grad``: forward and backward in one function."""
        context = self.context
        if not name:
            name = context.unused(f"{function.source.name}_{kind}", (function, kind))
            context.names[name] = function
        outputs = leaves(function.result)
        pattern = tuple(k == 0 for k in range(len(outputs)))
        unsure = exact and type_of(outputs[0]).ndim is None
        valued = kind == "value_and_grad" or has_aux or unsure
        halves, slots = self.from_one(function, wrt, pattern, valued)
        if context.lengths.only_arrays and makes_arrays(halves.blocks[0][0]):
            halves, slots = self.from_one(function, wrt, pattern, valued, ones_like(outputs[0]))
        slots = self.with_wholes(halves, 0, _named(slots, wrt, function))
        writer, e = halves.backward(0, {}, False)
        lines = writer.write(4)
        made = iter([value_text(e, r) for r in writer.results])
        gradients = [slot.text(made, e.namer) for slot in slots]
        back = ", ".join(gradients)
        if many and len(gradients) == 1:
            back = f"({back},)"
        with_value = kind == "value_and_grad"
        body, value = self.forward_part(halves, [*lines, back], valued, with_value and not has_aux)
        body, texts = without_spare_copies(body, [*lines, back], halves.plan)
        lines, back = texts[:-1], texts[-1]
        if unsure:
            e.externals["require_scalar"] = require_scalar
            first = f"{value}[0]" if has_aux else value
            body.append(cst.parse_statement(f"require_scalar({first})"))
        if with_value:
            back = f"{value}, ({back})" if len(gradients) > 1 else f"{value}, {back}"
        elif has_aux:
            back = f"({back}), {value}[1]" if len(gradients) > 1 else f"{back}, {value}[1]"
        head = signature_text(function.source, name, list(extras))
        text = assemble(function.source, head, doc, body, lines, [f"return {back}"])
        return self.finish(name, text, halves, writer)

    def from_one(
        self,
        function: Function,
        wrt: list[Value],
        pattern: tuple[bool, ...],
        valued: bool,
        ones: Equation | None = None,
    ) -> tuple[Halves, list[Any]]:
        """Reverse a function from the cotangent 1 of its first output.

        Returns:
            The two parts, and the structure of the gradients.
        """
        seed = Const(1.0) if ones is None else ones.targets[0]
        part = reverse(self.context, function, pattern, (seed,))
        if ones is not None:
            part.block, part.seeds = (ones, *part.block), ()
        if not self.functions:  # those of others that are written already may be called later
            forget_uncalled(self.context, function, part.block, self.done)
        results, slots = self.results(part, wrt, function)
        finals = None
        if self.on_final is not None:
            known = {id(value): name for name, value in function.params}
            rows = [leaves_of(v, known.get(id(v), "argument")) for v in wrt]
            finals = [leaf for row in rows for leaf in row], self.on_final
        parts = [(part, results)]
        halves = Halves(
            self.context, function, parts, own=True, split=False, finals=finals, valued=valued
        )
        return halves, slots

    def results(self, part: Reversed, wrt: list[Value], function: Function):
        """The cotangents of the wanted arguments, zeros written out, and their structure."""
        b = Builder(function.source, self.context)
        b.block = list(part.block)
        context = self.context
        needed = bool(context.casts) and (
            context.precisions > 1
            or (context.precisions and context.complex)  # its numbers are of double precision
            or changes_precision(function, context.facts, context.precisions == 1)
            or (context.precisions and makes_double(part.block))
        )
        casts = context.casts if needed else frozenset()
        results: list[Value] = []
        slots = []
        labels: list[str] = []
        for value in wrt:
            slots.append(skeleton(value))
            for leaf in leaves(value):
                if not isinstance(leaf, Var) or not leaf.type.active:
                    continue
                bar = part.cotangents.get(leaf)
                if bar is None:
                    bar = zero(b, leaf, None)
                if isinstance(bar, Const) and leaf.type.dtype == "c":
                    bar = Const(complex(bar.value))
                if isinstance(leaf, Perturbation):  # no text stands for it
                    results.append(bar)
                    labels.append(leaf.name)
                    continue
                spread = leaf.type.kind == "array" and leaf.type.shape == ()
                if isinstance(bar, Const) and spread:
                    bar = b.emit(Op(np.full_like), (leaf, bar), None, type_=leaf.type)
                number = leaf.type.kind == "scalar" and context.precisions > 0
                own = (number or isinstance(bar, Const)) and leaf.type.kind in context.casts
                if (own or leaf.type.kind in casts) and not is_cast(part.block, bar, leaf):
                    bar = b.emit(Op(cast_like), (bar, leaf), None, type_=leaf.type)
                if spread:
                    bar = b.emit(
                        Op(np.reshape), (bar,), None, (("shape", Const(())),), type_=leaf.type
                    )
                results.append(bar)
                labels.append(leaf.name)
        part.block, part.labels = tuple(b.block), tuple(labels)
        return results, slots

    def with_wholes(
        self, halves: Halves, k: int, slots: list[tuple[Skeleton, str]]
    ) -> list[Skeleton]:
        """Hand on cotangents of structures as they are; return the structure of the results."""
        block, results, part = halves.blocks[k]
        made = with_wholes(block, results, slots, self.context.last and self.on_final is None)
        halves.blocks[k] = made.block, made.results, part
        self.lists |= made.lists
        return made.slots

    def forward_part(
        self, halves: Halves, backward: list[str], with_value: bool, by_name: bool = True
    ) -> tuple[list[Any], str]:
        """Write the forward part; return its statements and the text of the value."""
        writer = halves.forward_writer(False)
        layout = halves.function.layout
        returns = returns_of(halves.function.source.lowered_tree)
        value = ""
        if with_value and by_name and len(returns) == 1 and isinstance(returns[0].value, cst.Name):
            value = returns[0].value.value
            if value in halves.plan.rebound():
                value = ""
            if value in {p.name.value for p in halves.function.source.tree.params.params}:
                value = ""
        if value:
            body = writer.body(lambda node, _: [])
        elif with_value:
            halves.names.taken |= words(backward)  # it is read behind the backward part
            value = halves.names.fresh("value")
            body = writer.body(lambda node, _: [f"{value} = {join_lines(node)}"])
        else:
            body = writer.body(
                lambda node, _: assignments_left(node, layout.writing | layout.impure)
            )
        live = exposed_names(backward[:-1], backward[-1]) | ({value} if value else set())
        held = halves.plan.otherwise
        body = prune(body, live - {n for n in held if not held[n]}, Effects(layout))
        return otherwise(body, held), value

    def split_forward(self, name: str, halves: Halves, extras: list[str], doc: str) -> None:
        """Write the forward function of a pair: ``(value, residuals)``."""
        function = halves.function
        writer = halves.forward_writer(True)
        kept = list(dict.fromkeys(text for text, _ in halves.plan.kept))
        residuals = tuple_text(kept)
        returns = returns_of(function.source.lowered_tree)
        if len(returns) == 1:
            body = writer.body(
                lambda node, _: [
                    "\n".join(wrap(f"return {item_text(node)}, {residuals}", LINE - 4))
                ]
            )
            live: set[str] = set()
        else:
            value = halves.names.fresh("value")
            body = writer.body(lambda node, _: [f"{value} = {join_lines(node)}"])
            body.append(cst.parse_statement(f"return {value}, {residuals}"))
            live = set()
        body = prune(body, live | set(words(kept)), Effects(function.layout))
        require_in_reach(function, body)
        head = signature_text(function.source, name, extras)
        text = assemble(function.source, head, doc, body, [], [])
        made = FunctionText(name, text, function.source)
        made.externals.update(halves.externals_of_forward)
        self.add(made)

    def split_backward(
        self,
        name: str,
        halves: Halves,
        k: int,
        seeds: Any,
        slots: list[tuple[Skeleton, str]],
        doc: str,
    ) -> FunctionText:
        """Write a backward function of a pair: ``(residuals, value_bar) -> cotangents``."""
        made = self.with_wholes(halves, k, slots)
        taken = halves.names
        fixed = {v: taken.fresh(v.name) for v in seeds}
        for label in fixed.values():
            taken.taken.discard(label)
        writer, e = halves.backward(k, fixed, True)
        lines = writer.write(4)
        texts = iter([value_text(e, r) for r in writer.results])
        back = ", ".join(slot.text(texts, e.namer) for slot in made)
        if len(made) == 1 and made[0].form is tuple:
            back = back[1:-1]
        kept = list(dict.fromkeys(label for _, label in halves.plan.kept))
        used = words([*lines, back])
        unpack = []
        if kept:
            labels = [label if root_of(label) in used else "_" for label in kept]
            labels = [label if label.isidentifier() else "_" for label in labels]
            target = ", ".join(labels) + ("," if len(labels) == 1 else "")
            unpack = [f"    {target} = residuals"] if set(labels) != {"_"} else []
        head = f"def {name}({', '.join(['residuals', *fixed.values()])}):"
        text = assemble(
            halves.function.source, head, doc, [], [*unpack, *lines], [f"return {back}"]
        )
        return self.finish(name, text, halves, writer)

    def finish(self, name: str, text: str, halves: Halves, writer: Any) -> FunctionText:
        source = halves.function.source
        made = FunctionText(name, text, source)
        last = origin_of_results(writer.results, writer.e.inlined)
        rows = text.splitlines()
        end = max(k for k, row in enumerate(rows) if row.startswith("    return "))
        origins = [*writer.page.origins, *[last] * (len(rows) - end)]
        made.places.update(places(source, text, origins))
        made.externals.update(writer.e.externals)
        made.externals.update(getattr(halves, "externals_of_forward", {}))
        self.functions.append(made)
        for each in writer.fuser.made if writer.fuser is not None else ():
            self.functions.append(FunctionText(each.name, each.text, source, each.externals))
        self.follow(made)
        return made

    def follow(self, made: FunctionText) -> None:
        """Write the functions that a generated function calls."""
        for thing in list(made.externals.values()):
            if isinstance(thing, FormulaBackward):
                self.formula_function(thing.pair, thing.pair.backward, thing.pair.backward_name)
            elif isinstance(thing, FormulaForward):
                self.formula_function(thing.pair, thing.pair.forward, thing.pair.forward_name)
            elif isinstance(thing, PairForward | PairBackward | PairAgain):
                self.pair(thing.pair)
            elif isinstance(thing, PairGradient):
                self.gradient(thing.pair)
            elif isinstance(thing, PairTangent) and thing.callee not in self.done:
                self.done.add(thing.callee)
                self.add(carry_pair(self.context, thing.callee)[0])

    def jvp(
        self, function: Function, wrt: list[Value], doc: str, extras: tuple[str, ...] = ()
    ) -> tuple[str, list[str]]:
        """Write the function behind ``jvp``; return its name and those of its tangents."""
        forwarded = self.forwarded(function, wrt)
        return self.carried(function, forwarded, "jvp", doc, extras)

    def tangent(self, function: Function, wrt: list[Value], doc: str) -> tuple[str, list[str]]:
        """Write the function that gives a tangent and no value."""
        forwarded = self.forwarded(function, wrt)
        return self.carried(function, forwarded, "tangent", doc)

    def tangents(
        self, function: Function, wrt: list[Value], doc: str, units: bool
    ) -> tuple[str, list[str], tuple[Any, Any]]:
        """Write the function that gives tangents along many directions.

        Args:
            function: the lowered function.
            wrt: what moves.
            doc: its docstring.
            units: whether the directions are all units, in the order of the entries.

        Returns:
            Its name, those of its tangents, and what shapes there are; see ``shapes_of``.
        """
        forwarded = self.forwarded(function, wrt)
        if units:
            forwarded = along_units(self.context, function, forwarded)
            forwarded = simplified(self.context, function, forwarded)
        else:
            forwarded = along_directions(self.context, forwarded)
        shapes = shapes_of(forwarded, self.context.lengths)
        return *self.carried(function, forwarded, "tangents", doc), shapes

    def forwarded(self, function: Function, wrt: list[Value]) -> Forwarded:
        """The tangents of a function, simplified."""
        found = [leaf for value in wrt for leaf in leaves(value)]
        active = [leaf for leaf in found if isinstance(leaf, Var) and leaf.type.active]
        return simplified(
            self.context, function, forward(self.context, function, active, zeros=True)
        )

    def carried(
        self,
        function: Function,
        forwarded: Forwarded,
        kind: str,
        doc: str,
        extras: tuple[str, ...] = (),
    ) -> tuple[str, list[str]]:
        """Write a function that carries tangents along; return its name and theirs."""
        context = self.context
        name = context.unused(name_of_derivative(function.source.name, kind), (function, kind))
        context.names[name] = function
        made, dots = carry(
            *(context, function, forwarded, name, doc),
            extras=list(extras), entry=True, valued=kind == "jvp",
        )  # fmt: skip
        self.add(made)
        return name, dots

    def add(self, made: FunctionText) -> None:
        """Add a function, and what it calls."""
        self.functions.append(made)
        self.follow(made)

    def formula_function(self, pair: FormulaPair, tree: cst.FunctionDef, name: str) -> None:
        if (pair, name) in self.done:
            return
        self.done.add((pair, name))
        text = cst.Module([tree]).code
        self.functions.append(FunctionText(name, text, pair.source))

    def pair(self, pair: Pair) -> None:
        """Write both functions of a split call."""
        if pair in self.done:
            return
        self.done.add(pair)
        function = pair.function
        assert function is not None
        parts, made = [], list(pair.patterns.values())
        for backward in made:
            part = backward.reversed
            results: list[Value] = []
            labels: list[str] = []
            b = Builder(function.source, self.context)
            b.block = list(part.block)
            for position, path in backward.cotangents(pair):
                leaf = leaves(function.params[position][1])[path]
                bar = part.cotangents.get(leaf)
                results.append(bar if bar is not None else zero(b, leaf, None))
                labels.append(leaf.name)
            part.block, part.labels = tuple(b.block), tuple(labels)
            parts.append((part, results))
        halves = Halves(self.context, function, parts, own=False, split=True)
        source = function.source
        place = f"{source.short_filename}:{source.line_of(source.tree) or '?'}"
        extras = [name for name, _, _ in pair.extras]
        self.split_forward(
            forward_name(self.context, pair),
            halves,
            extras,
            f"{pair.name} ({place}), with what its backward function needs.",
        )
        for k, backward in enumerate(made):
            self.split_backward(
                backward.name,
                halves,
                k,
                backward.seeds,
                slots_of(backward, pair),
                f"Backward function of {pair.name} ({place}).",
            )

    def gradient(self, pair: Pair) -> None:
        """Write the function that gives the value of a called function and its gradient."""
        key = (pair, PairGradient)
        if key in self.done:
            return
        self.done.add(key)
        function = pair.function
        assert function is not None
        self.joint(
            function,
            list(moving(function)),
            "value_and_grad",
            f"Value and gradient of {pair.name}.",
            many=False,
            has_aux=False,
            exact=False,
            name=gradient_name(self.context, pair),
        )

    def vjp(
        self,
        function: Function,
        wrt: list[Value],
        doc: tuple[str, str],
        extras: tuple[str, ...] = (),
    ) -> tuple[str, str, list[Any]]:
        """Write the pair behind ``vjp``; return the names, and what is known of the results.

        That is the structure of the gradients and of the value, which parts of the value
        count, and as what, and whether anything is kept that can be overwritten.
        """
        context = self.context
        name = function.source.name
        outputs = leaves(function.result)
        pattern = tuple(isinstance(v, Var) and v.type.active for v in outputs)
        seeds = []
        for leaf, live in zip(outputs, pattern, strict=True):
            if live:
                label = leaf.name if leaf.named and len(outputs) > 1 else "value"  # type: ignore
                seeds.append(Var(f"{label}_bar", cotangent_type(leaf), True))
        halves_of = ("forward", "backward")
        forward, backward = (context.unused(f"{name}_{h}", (function, h)) for h in halves_of)
        context.names[forward] = context.names[backward] = function
        part = reverse(context, function, pattern, tuple(seeds))
        forget_uncalled(context, function, part.block, self.done)
        results, slots = self.results(part, wrt, function)
        halves = Halves(context, function, [(part, results)], own=True, split=True)
        self.split_forward(forward, halves, list(extras), doc[0])
        rows = _named(slots, wrt, function)
        self.split_backward(backward, halves, 0, seeds, rows, doc[1])
        lasting = all(v.type.is_immutable for v in halves.plan.where)
        taken = tuple(live and _taken_as(v) for v, live in zip(outputs, pattern, strict=True))
        return forward, backward, [slots, skeleton(function.result), taken, not lasting]


def _named(
    slots: list[Skeleton], wrt: list[Value], function: Function
) -> list[tuple[Skeleton, str]]:
    """The structures of cotangents, each with what it is the cotangent of."""
    known = {id(value): name for name, value in function.params}
    return [(slot, known.get(id(v), "")) for slot, v in zip(slots, wrt, strict=True)]


def _taken_as(value: Value) -> Any:
    """What backward code takes as the cotangent of a part of a result: a list, or an array.

    Returns:
        True for an array; for a list "list", or which parts of its elements have cotangents.
    """
    if not isinstance(value, Var) or value.type.kind != "list":
        return True
    element = value.type.element
    plain = isinstance(element, tuple) and not isinstance(element, Parts)
    return _parts_taken(element) if plain else "list"


def _parts_taken(part: Any) -> Any:
    if isinstance(part, tuple):
        return tuple(map(_parts_taken, part))
    return "list" if part.kind == "list" else part.active


def is_cast(block: Block, bar: Value, leaf: Var) -> bool:
    """Whether a cotangent has been given the element type of its argument already."""
    return any(
        isinstance(eq, Equation) and eq.op.fn is cast_like and bar in eq.targets and leaf in eq.args
        for eq in block
    )
