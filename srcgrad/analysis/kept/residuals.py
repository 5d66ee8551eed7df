"""Which primal values the backward part needs, and under which names it finds them.

A value is found, in this order: under the user's name, where that still holds
it; computed again, where that costs next to nothing; under a name that a new
line of the forward part gives to it. A value that is computed anew in every
iteration of a loop goes into one tuple per iteration, which the loop's list
collects.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import Any

import libcst as cst

from srcgrad.analysis.kept.plans import (
    Names,
    Plan,
    Saved,
    access_text,
    holder_of,
    index_at,
    placeholder_of,
    widened_placeholder,
)
from srcgrad.analysis.kept.recomputing import Recomputing
from srcgrad.errors import MutationError, UnsupportedSyntaxError
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.layout import Binding, Definition, Frame, path_text
from srcgrad.ir.nodes import (
    LIST_POP,
    LIST_TAKE,
    OPAQUE,
    PAIR,
    READ,
    RECORDED,
    Equation,
    Function,
    Loop,
    Var,
    variables,
)


def plan(
    function: Function,  # the forward part
    needed: list[Var],  # the forward variables that the backward part reads
    hidden: dict[Var, Any],  # of those, the hidden outputs, with the equation whose call gives them
    loops: list[Loop],  # the forward loops that the backward part goes back through
    names: Names,  # hands out names for the function
    split: bool,  # whether the backward part is a function of its own
    reads: dict[Var, int],  # how often the backward part reads each variable
    # of the needed variables, those whose shape is read even where they have not been assigned,
    # for a cotangent that is zero there
    shaped: set[Var],
    outlines: set[Var],  # the arrays of which nothing but shape and element type is read
    # values that are written into arrays as they are, with how they are read there
    stored: dict[Var, Equation],
) -> Plan:
    """Decide how each needed variable is kept."""
    planner = _Planner(function, hidden, loops, names, split, reads, shaped, outlines, stored)
    return planner.run(needed)


class _Planner(Recomputing):
    def run(self, needed: list[Var]) -> Plan:
        wanted = list(dict.fromkeys(needed))
        for var in [v for v in wanted if v in self.globals]:
            self.plan.where[var] = self.layout.bindings[var][0].name
        rest = [v for v in wanted if v not in self.globals and v not in self.indices]
        self.choose_again(rest)
        rest = [v for v in rest if v not in self.plan.again]
        by_frame: dict[Frame, list[Var]] = {}
        for var in rest:
            by_frame.setdefault(self.frame_of(var).storage, []).append(var)
        order = [f for f in reversed(self.layout.frames) if f.storage is f]
        used_below: dict[Frame, list[tuple[str, int]]] = {}
        for frame in order:
            if frame.kind == "function":
                self.keep_function(by_frame.get(frame, []))
            elif frame in by_frame or any(
                s.frame.parent is not None and holder_of(s.frame) is frame
                for s in self.plan.saved.values()
            ):
                self.keep_region(frame, by_frame.get(frame, []), used_below)
        return self.plan

    # names

    def keep_function(self, wanted: list[Var]) -> None:
        extra = [v for v in self.plan.where if v not in self.globals and v not in wanted]
        wanted = sorted(wanted, key=self.order)
        for var in [*wanted, *[v for v in extra if self.frame_of(v).storage.kind == "function"]]:
            unsure = self.frame_of(var).kind == "arm" or var in self.unsure
            held = unsure and (self.split or var in self.shaped)
            name = self.function_name(var, held)
            label = name
            if self.split and not name.isidentifier():
                known = dict(self.plan.kept).get(name)
                label = known or self.names.fresh(var.name)
            self.plan.where[var] = label
            self.plan.kept.append((name, label))
            source, assigned = self.read_from.get(name, ("", False))
            if unsure and source:
                self.placehold(var, source)
            if held and not assigned:
                self.placehold(var, name)
        if self.split:
            known = {label for _, label in self.plan.kept}
            self.plan.kept += [(n, n) for n in sorted(self.at_end - known - self.free_names)]
            self.placehold_results()
        for saved in self.plan.saved.values():
            if holder_of(saved.frame).kind == "function":
                self.plan.kept.append((saved.name, saved.name))
        for name in self.plan.counted.values():
            self.plan.kept.append((name, name))

    def placehold_results(self) -> None:
        """Let placeholders that are returned have parts, for the function that takes these."""
        for var in variables(self.function.result):
            for binding in self.bindings(var) if var in self.unsure else ():
                if binding.path and not _is_keyed(binding):
                    self.placehold(var, access_text(binding))

    def placehold(self, var: Var, access: str) -> None:
        """Let a name that may not be assigned have some value when it is packed."""
        name, _, path = access.partition("[")
        if not name.isidentifier() or '"' in path or "'" in path:
            # a part of an object: a placeholder would be written into that
            definition = self.layout.definitions.get(var)
            statement = definition and (definition.node or definition.statement)
            raise UnsupportedSyntaxError(
                f"{access!r}, which is needed where it may be unassigned, is not supported",
                spots=[self.function.source.spot(statement)] if statement else [],
                fixes=["make the object on every path"],
            )
        if name in self.free_names:  # what stands outside of the function is there already
            return
        writes = [w for w in self.layout.writes if w.name == name]
        first = min(writes, key=lambda w: w.position, default=None)
        above = first is not None and first.frame is self.layout.function
        if above and not (path and var in self.unsure):
            return
        if name in {n for n, _ in self.function.params}:
            return
        # what stands above for a value that has parts is a placeholder itself, without any
        position = self.position_of(var) if first is None or above else first.position
        index = max(index_at(self.layout.function, position), 0)
        zero = placeholder_of(var.type)
        statement, wide = self.plan.conditional.get(name, (None, zero))
        wide = widened_placeholder(wide, [int(k) for k in re.findall(r"\d+", path)], zero)
        statement = statement or self.layout.function.statements[index][0]
        self.plan.conditional[name] = (statement, wide)

    def position_of(self, var: Var) -> int:
        if var in self.hidden:
            var = self.hidden[var].targets[0]
        return self.layout.definitions[var].position

    def has_no_placeholder(self, binding: Binding, var: Var) -> bool:
        """Whether a value is a part of an object, or of what is None elsewhere."""
        eq = self.equations.get(var)
        some = eq is not None and eq.op.fn is READ and bool(binding.path)
        return some or _is_keyed(binding)

    def function_name(self, var: Var, held: bool) -> str:
        """The text that has a value at the end; its name may need a placeholder."""
        for binding in self.bindings(var):
            if held and self.has_no_placeholder(binding, var):
                continue
            if self.holds(binding, var):
                return access_text(binding)
        definition = self.layout.definitions.get(var)
        return self.give_name(var, definition)

    def give_name(self, var: Var, definition: Definition | None) -> str:
        """Add a line to the forward part that gives a value a name."""
        bindings = self.bindings(var)
        inner = self.unsure.get(var)
        if isinstance(inner, Var) and any(self.has_no_placeholder(b, inner) for b in bindings):
            # it is read in the arm that makes the dict or the object, or where it is not None
            return self.give_name(inner, self.layout.definitions.get(inner))
        if var in self.hidden:
            if self.layout.definitions[self.hidden[var].targets[0]].conditional:
                raise Specialise(What.STATEMENTS)
            return self.names.fresh(var.name)
        if bindings:
            binding = bindings[0]
            copy = self.copied(access_text(binding), var, binding)
            place = self.before_return(var, *self.place_of(binding))
            here = (row[3] for row in self.plan.copies if row[1] == place[1] and row[:3] == place)
            made = (line.split(" = ", 1) for line in here)
            name = next((left for left, right in made if right == copy), "")
            if not name:
                kept = var.name if _is_keyed(binding) else binding.name
                name = self.names.fresh(f"{kept}_0" if kept != "_" else "unnamed")
                self.plan.copies.append((*place, f"{name} = {copy}"))
            outermost = place[0] is self.layout.function
            if outermost or var in self.unsure:
                self.read_from[name] = (access_text(binding), outermost)
            return name
        if definition is None or definition.node is None or definition.conditional:
            node = definition and (definition.node or definition.statement)
            raise Specialise(What.STATEMENTS, self.function.source, node)
        nodes = {id(other.node): name for other, name in self.plan.hoists}
        name = nodes.get(id(definition.node), "")
        if not name:
            part = "".join(f"_{k}" for k in definition.path)  # of what has the name, as a whole
            label = var.name.removesuffix(part) or var.name
            name = self.names.fresh(self.layout.roles.get(var, label))
            self.plan.hoists.append((definition, name))
        if var in self.layout.aliased and not definition.path:
            self.plan.views[name] = self.spoiled(var)
            return name
        text = name + path_text(definition.path)
        keyed = definition.frame.kind != "function" and _is_keyed(definition)
        if not self.spoiled(var):
            return self.behind(name, text, var.name) if keyed else text
        if definition.path:
            raise self.shared(var, "this part of what a call gives")
        copy = copy_text(name, var)
        return self.behind(name, copy, name)

    def behind(self, name: str, text: str, wanted: str) -> str:
        """Name what is read of an expression that has got a name, in a line behind that."""
        made = self.plan.copied.setdefault(name, {})
        if text not in made:
            made[text] = self.names.fresh(f"{wanted}_0")
        return made[text]

    def copied(self, text: str, var: Var, binding: Binding) -> str:
        if var.type.kind not in ("array", "numeric", "list") or var.type.is_immutable:
            return text
        if var in self.outlines:
            return text
        if self.clobbered(var):
            placeholder = var in self.unsure and self.split
            return f"{text} + 0" if placeholder else copy_text(text, var)
        for write in self.layout.writes:
            if write.in_place and write.name == binding.name:
                return copy_text(text, var)
        return text

    def before_return(
        self, var: Var, frame: Frame, index: int, after: bool
    ) -> tuple[Frame, int, bool]:
        """Where a copy is made of what is there after a statement; nothing is after a return."""
        statement = frame.statements[index][0] if index >= 0 else None
        small = statement.body[-1] if isinstance(statement, cst.SimpleStatementLine) else None
        if not isinstance(small, cst.Return):
            return frame, index, after
        eq = self.equations.get(var)
        if eq is None or eq.op.fn not in (LIST_POP, LIST_TAKE) or len(eq.targets) != 2:
            raise self.shared(var, "a list that is changed where a function returns")
        taken = eq.targets[1]
        self.give_name(taken, self.layout.definitions.get(taken))
        return frame, index, False

    def shared(self, var: Var, what: str) -> MutationError:
        """The error for a value that is needed later, and changed before that."""
        definition = self.layout.definitions.get(var)
        spots = []
        if definition is not None and definition.statement is not None:
            spots = [self.function.source.spot(definition.node or definition.statement)]
        return MutationError(
            f"{what} is needed for the derivative, and its memory is written afterwards",
            spots=spots,
            fixes=["make a copy of it: .copy()"],
        )

    def place_of(self, binding: Binding) -> tuple[Frame, int, bool]:
        """The place of a binding: its frame, a statement there, and whether it is behind that."""
        return binding.frame, *self.place_of_in(binding, binding.frame)

    # regions that are executed repeatedly

    def keep_region(self, frame: Frame, wanted: list[Var], used_below) -> None:
        saved = Saved("", frame)
        inner = [s for s in self.plan.saved.values() if holder_of(s.frame) is frame]
        place, after = -1, True
        for s in inner:
            index = index_at(frame, s.frame.start)
            place, after = max((place, after), (index, True))
        times: dict[Var, tuple[int, bool]] = {}
        for var in wanted:
            times[var] = self.time_of(var, frame)
            place, after = max((place, after), times[var])
        if frame.whole is not None:
            place, after = max((place, after), (index_at(frame, frame.whole), True))
        inside = takewhile(lambda f: f.kind == "arm", frame.ancestors())
        if any(f.whole is not None for f in islice(inside, 1, None)):
            raise self.left_early(frame, place)
        saved.place, saved.after = place, after
        if after and frame.exits is not None and place >= index_at(frame, frame.exits):
            raise self.left_early(frame, place)
        until = behind = self.position(frame, place, after)
        if any(times[v] == (place, False) and self.calls(v) for v in wanted):
            behind = self.position(frame, place, True)
        below: list[tuple[str, int]] = []
        for s in inner:
            below += used_below.get(s.frame, [])
            below += [(name, s.frame.start) for _, name in s.entries]
        for other in self.plan.saved.values():
            if other.frame is not frame and frame.encloses(other.frame):
                below += [(name, other.frame.start) for _, name in other.entries]
        for var in sorted(wanted, key=self.order):
            names = {n for _, n in saved.entries}
            text, name, access = self.entry(var, saved, (until, behind), below, names)
            saved.entries.append((text, name))
            if var in self.unsure:
                self.placehold(var, access)
            self.plan.where[var] = name
            self.plan.homes[var] = frame
        for s in inner:
            saved.entries.append((s.name, s.name))
        saved.name = self.names.fresh("saved")
        used_below[frame] = below
        self.plan.saved[frame] = saved

    def left_early(self, frame: Frame, place: int) -> UnsupportedSyntaxError:
        """The error for a value that is needed, and not there when a region is left."""
        return UnsupportedSyntaxError(
            "a value that differs between the ways out of a loop is not supported",
            spots=[self.function.source.spot(frame.statements[place][0])],
            fixes=["assign it before the exit"],
        )

    def order(self, var: Var) -> int:
        if var in self.hidden:
            var = self.hidden[var].targets[0]
        definition = self.layout.definitions.get(var)
        return definition.order if definition is not None else 10**9

    def time_of(self, var: Var, frame: Frame) -> tuple[int, bool]:
        """When a value of a region is there: the index of a statement, before or after it."""
        if var in self.hidden:
            definition = self.layout.definitions[self.hidden[var].targets[0]]
            index = index_at(frame, definition.position)
            simple = isinstance(definition.statement, cst.SimpleStatementLine)
            return index, simple
        definition = self.layout.definitions[var]
        bindings = self.usable(var, frame)
        if bindings:
            return self.place_of_in(bindings[0], frame)
        return index_at(frame, definition.position), definition.node is None

    def usable(self, var: Var, frame: Frame) -> list[Binding]:
        return [b for b in self.bindings(var) if b.frame.storage is frame]

    def place_of_in(self, binding: Binding, frame: Frame) -> tuple[int, bool]:
        index = index_at(frame, binding.position)
        before = binding.position != int(binding.position)  # see `rereading.py`
        return (index + 1, False) if before else (index, True)

    def position(self, frame: Frame, place: int, after: bool) -> float:
        if place < 0:
            return frame.statements[0][1] if frame.statements else frame.start + 1
        if not after:
            return frame.statements[place][1]
        if place + 1 < len(frame.statements):
            return frame.statements[place + 1][1]
        return self.layout.end(frame)[1]

    def calls(self, var: Var) -> bool:
        """Whether a value is what a function of the user's gives, which may write."""
        eq = self.equations.get(var)
        return eq is not None and eq.op.fn in (PAIR, RECORDED, OPAQUE)

    def entry(self, var, saved: Saved, places, below, taken) -> tuple[str, str, str]:
        """What is kept of a value, under which name, and the text that it is read from."""
        until, behind = places
        for binding in self.usable(var, saved.frame):
            if self.place_of_in(binding, saved.frame) > (saved.place, saved.after):
                continue  # the name is assigned behind the place where the tuple is kept
            if not self.holds(binding, var, until):
                continue
            if _is_keyed(binding) and not self.holds(binding, var, behind):
                continue  # a call of the statement that has a name stands before it
            text = access_text(binding)
            name = binding.name if not binding.path else self.names.fresh(var.name)
            clash = any(n == name and start > binding.position for n, start in below)
            if clash or name in taken or name in self.free_names:
                name = self.names.fresh(f"{binding.name}_0")
            return self.copied(text, var, binding), name, text
        text = self.give_name(var, self.layout.definitions.get(var))
        return text, text if text.isidentifier() else self.names.fresh(var.name), text


def _is_keyed(binding: Binding | Definition) -> bool:
    """Whether a value is found under a key or an attribute; no placeholder has these."""
    return any(isinstance(step, str) for step in binding.path)


def copy_text(text: str, var: Var) -> str:
    """Return the text of a copy of what a variable holds: a number, an array or a list."""
    if var.type.kind == "list":  # which may be a tuple that a loop goes through
        return f"{text}[:]"
    return f"{text} * 1" if var.type.kind == "numeric" else f"{text}.copy()"
