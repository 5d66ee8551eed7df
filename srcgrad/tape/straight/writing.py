"""The lines of a straight-line program: each step of a tape as values, and then as cotangents."""

from __future__ import annotations

import ast
import copy
import functools
from typing import Any

import numpy as np

from srcgrad.load.source_map import Place
from srcgrad.runtime import may_repeat, unbroadcast
from srcgrad.tape.libraries.interceptions import Interception, InterceptionOfMemory, with_values
from srcgrad.tape.memory import Added, Item, Read, Start, Write, overlaps_itself
from srcgrad.tape.recording import Box, Call, Leaf, Tape, leaves, mapped, raw
from srcgrad.tape.steps.noting import Here, Noted
from srcgrad.tape.straight.called import (
    carried_back,
    carried_out,
    fitted,
    formula_of,
    intercepted,
    is_transfer,
    unread,
)
from srcgrad.tape.straight.inlining import NotStraight, Reading
from srcgrad.tape.straight.userlines import names_given, place_of
from srcgrad.tape.straight.views import looking_into, view_of
from srcgrad.tape.straight.words import Words, name_of

_BINARY = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "pow": ast.Pow,
    "matmul": ast.MatMult, "mod": ast.Mod, "floordiv": ast.FloorDiv,
}  # fmt: skip
_UNARY = {"neg": ast.USub, "pos": ast.UAdd}


class Writer:
    """Writes the lines of a program.

    Args:
        tape: what was recorded.
        steps: its steps, which were noted.
        given: the constant arrays among the arguments, with their names.

    Attributes:
        words: the names of the text.
        lines: the lines so far.
        places: for each of them the line of the user's that it belongs to, or None.
        names: the names of the nodes.
    """

    def __init__(self, tape: Tape, steps: Noted, given: dict[str, Any]) -> None:
        self.tape = tape
        self.steps = steps
        self.words = Words()
        self.given = [(self.words.call_it(part, name), part) for name, part in given.items()]
        self.lines: list[str] = []
        self.places: list[Place | None] = []
        self.names: dict[int, str] = {}
        self._values: dict[int, Any] = {}  # of the nodes: shapes and kinds of them count
        self._called: dict[Any, Any] = {}  # for steps whose formula is called, what it gave
        self._readings: dict[Any, Any] = {}  # and of the others, the formula
        self._transfers: dict[Any, tuple[str, list[int], list[Any]]] = {}
        self._memories: dict[Any, str] = {}
        self._bars: dict[int, str] = {}  # the cotangents of nodes
        self._owned: set[int] = set()
        self._seeds: list[tuple[int, Any]] = []  # cotangents of the result in the recorded call
        self._reached: list[Any] | None = None  # which entries of nodes are read
        self._shadows: dict[Any, str] = {}
        self._here: Any = None
        self._pending: Any = None
        self._place: Place | None = None

    # Lines

    def say(self, text: str) -> None:
        """Append a line."""
        self.lines.append(text)
        self.places.append(self._place)

    def comment(self, text: str) -> None:
        """Append a comment that belongs to no line of the user's, and an empty line above it."""
        self._place = self._here = None
        for line in ("", f"# {text}"):
            self.say(line)

    def let(self, target: ast.expr | str, value: ast.expr) -> None:
        """Append an assignment."""
        left = target if isinstance(target, str) else _text(target)
        self.say(f"{left} = {_text(value)}")

    def at(self, here: Here) -> None:
        """Begin what belongs to a line of the user's, with that line as a comment."""
        place = place_of(here)
        if place == self._here:
            return
        self._here = place
        self._place = None
        if place is not None:
            file = place.filename.replace("\\", "/").rsplit("/", 1)[-1]
            self.say(f"# {file}:{place.lineno}  {place.text}")
        self._place = place

    # Values

    def forward(self, labels: list[str]) -> None:
        """Append the values of all steps.

        Args:
            labels: names for the differentiated arguments.
        """
        steps = self.steps
        for name, (_, node, value) in zip(labels, self.tape.arguments, strict=True):
            self.names[node] = self.words.new(_identifier(name))
            self._values[node] = plain(value)
        handlers: dict[type, Any] = {
            Call: self._call,
            Item: self._item,
            Start: self._start,
            Read: self._read,
            Write: self._write,
            Added: self._added,
            Interception: self._intercepted,
        }
        rows = zip(steps, steps.places, names_given(steps.places), strict=True)
        for entry, here, name in rows:
            self.at(here)
            if type(entry) in handlers:
                handlers[type(entry)](entry, name)

    def _new(self, node: int, name: str, value: Any) -> str:
        """Return a name for a node."""
        base = name or f"v{len(self._values) - len(self.tape.arguments)}"
        made = base
        for k in range(1, 10**6):
            if not self.words.is_taken(made):
                break
            made = f"{base}_{k}"
        self.names[node] = self.words.new(made)
        self._values[node] = value
        return self.names[node]

    def _operand(self, nodes: Any, value: Any, shape_of: Any = None) -> ast.expr:
        """Return the expression of an operand: of a node, of a tree of them, or a constant."""
        if type(nodes) is int:
            return name_of(self.names[nodes])
        if nodes is None or not isinstance(value, tuple | list | dict):
            if isinstance(value, np.float64 | np.complex128) and self._is_double(shape_of):
                return self.words.constant(value.item())
            return self._constant(plain(value))
        if isinstance(value, dict):
            keys = [self.words.constant(key) for key in value]
            return ast.Dict(keys, [self._operand(nodes[k], value[k], shape_of) for k in value])  # type: ignore
        parts = [self._operand(n, v, shape_of) for n, v in zip(nodes, value, strict=True)]
        if hasattr(value, "_fields"):
            return ast.Call(name_of(self.words.reference(type(value))), parts, [])
        return (ast.List if isinstance(value, list) else ast.Tuple)(parts, ast.Load())

    def _constant(self, value: Any) -> ast.expr:
        """Return the expression of a constant, which may be a part of a constant argument."""
        if isinstance(value, np.ndarray) and self.words.known(value) is None:
            for name, whole in self.given:
                way = view_of(value, whole, self.words)
                if way is not None:
                    return way(name_of(name))
        return self.words.constant(value)

    def _is_double(self, value: Any) -> bool:
        """Whether a value has double precision, so that numbers of Python's do not change it."""
        return value is None or np.result_type(value) in (np.float64, np.complex128)

    def _transfer(self, entry: Call, name: str) -> None:
        """Append a message to other ranks, or from them, which is sent anew."""
        _, parts, transfer = entry.held
        nodes = dict(entry.inputs).get(1) or [None] * len(parts)
        sent = [self._operand(node, plain(p)) for node, p in zip(nodes, parts, strict=True)]
        called = name_of(self.words.reference(carried_out))
        label = self.words.new(f"message{len(self._transfers)}")
        self.words.given[label] = transfer
        call = ast.Call(called, [name_of(label), *sent], [])
        given = [leaf for path, leaf in _paths(entry.index) if path[0] == 1]
        values = transfer.deliver(())
        rows = enumerate(zip(given, values, strict=True))
        names = [self._new(leaf[0], name if k == 0 else "", value) for k, (leaf, value) in rows]
        if names:
            self.let(f"{', '.join(names)}{',' if len(names) == 1 else ''}", call)
        else:
            self.say(_text(call))
        self._transfers[entry] = label, [leaf[0] for leaf in given], nodes

    def _back_transfer(self, entry: Call) -> None:
        """Append what goes back, whether or not anything depends on it on this rank."""
        self.at(self._pending)
        label, given, nodes = self._transfers[entry]
        bars = [self.bar(node) for node in given]
        sent = [ast.Constant(0.0) if bar is None else bar for bar in bars]
        called = name_of(self.words.reference(carried_back))
        call = ast.Call(called, [name_of(label), *sent], [])
        if all(node is None for node in nodes):
            self.say(_text(call))
            return
        name = self.words.new("returned")
        self.let(name, call)
        for k, node in enumerate(nodes):
            if node is not None:
                self._add(node, ast.Subscript(name_of(name), ast.Constant(k), ast.Load()))

    def _call(self, entry: Call, name: str) -> None:
        if is_transfer(entry.plan.fn):
            self._transfer(entry, name)
            return
        plan, nodes = entry.plan, dict(entry.inputs)
        held = [mapped(plain, part) for part in entry.held]
        options = {label: mapped(plain, part) for label, part in entry.options.items()}
        needed = tuple(k for k, _ in entry.inputs)
        value, backward = plan.run(held, options, entry.inputs, False)[:2]
        double = None if isinstance(value, tuple | list) else value
        args = [self._operand(nodes.get(k), part, double) for k, part in enumerate(held)]
        keywords = [ast.keyword(label, self.words.constant(v)) for label, v in options.items()]
        if type(entry.index) is int and all(type(node) is int for node in nodes.values()):
            try:
                reading = Reading(plan, held, options, needed)
                texts = dict(zip(plan.names, args, strict=False))
                operand = functools.partial(_operand_of, texts, reading.parameters, self.words)
                reading.lines(operand, name_of("z"), name_of("z_bar"), Words())
            except NotStraight:
                pass
            else:
                self._readings[entry] = reading, operand
                target = self._new(entry.index, name, value)
                self.let(target, self._primal(plan.fn, args, keywords))
                return
        formula = ast.Call(
            name_of(self.words.reference(formula_of)),
            [self._function(plan.fn), *map(ast.Constant, needed)],
            [],
        )
        for k in needed:  # formulas of functions of arrays take numbers that have a shape
            if plan.shaped and type(nodes[k]) is int:
                own = self._values[nodes[k]]
                if type(own) in (float, complex):
                    kind = f"np.{type(held[k]).__name__}"
                    args[k] = ast.Call(name_of(kind), [args[k]], [])
        if type(entry.index) is int:
            target = self._new(entry.index, name, value)
            label = self.words.new(f"{target}_backward")
            self.let(f"{target}, {label}", ast.Call(formula, args, keywords))
        else:
            target = self.words.new(name or f"v{len(self._values) - len(self.tape.arguments)}")
            label = self.words.new(f"{target}_backward")
            self.let(f"{target}, {label}", ast.Call(formula, args, keywords))
            for path, leaf in _paths(entry.index):
                part = name_of(target)
                inner = value
                for step in path:
                    part = ast.Subscript(part, ast.Constant(step), ast.Load())
                    inner = inner[step]
                self.let(self._new(leaf[0], "", inner), part)
        self._called[entry] = target, label, value, backward

    def _function(self, fn: Any) -> ast.expr:
        return name_of(self.words.reference(fn))

    def _primal(self, fn: Any, args: list[ast.expr], keywords: list[ast.keyword]) -> ast.expr:
        """Return the expression of a call, with operators as Python writes them."""
        name = getattr(fn, "__name__", "")
        if getattr(fn, "__module__", "") == "_operator" and not keywords:
            if name in _BINARY and len(args) == 2:
                return ast.BinOp(args[0], _BINARY[name](), args[1])
            if name in _UNARY and len(args) == 1:
                return ast.UnaryOp(_UNARY[name](), args[0])
            if name == "abs":
                return ast.Call(name_of("abs"), args, [])
        return ast.Call(self._function(fn), args, keywords)

    def _item(self, entry: Item, name: str) -> None:
        value = self._values[entry.source][entry.key]
        source = name_of(self.names[entry.source])
        made = ast.Subscript(source, self.words.key(entry.key), ast.Load())
        self.let(self._new(entry.index, name, value), made)

    # Memory

    def _memory(self, entry: Any, shadow: bool = False) -> ast.expr:
        """Return the expression of the array that a step looks at, in memory or its shadow."""
        memory = entry.memory
        if memory not in self._memories:
            before = self.steps.memories[memory]
            self._memories[memory] = self.words.new(f"m{len(self._memories)}")
            made = self.words.constant(before)
            if not isinstance(made, ast.Call):
                made = ast.Call(ast.Attribute(made, "copy", ast.Load()), [], [])
                made.keywords.append(ast.keyword("order", ast.Constant("K")))
            self.let(self._memories[memory], made)
        return self._looked_at(entry, (self._shadows if shadow else self._memories)[memory])

    def _looked_at(self, entry: Any, name: str) -> ast.expr:
        """Return the expression of an array from the name of the memory that it looks into."""
        before = self.steps.memories[entry.memory]
        flat = entry.memory.owner.ravel(order="K")  # which may have another shape by now
        owner = np.ndarray(before.shape, before.dtype, flat, 0, before.strides)
        return looking_into(entry.array, owner, self.words)(name_of(name))

    def _part(self, entry: Any, shadow: bool = False) -> ast.expr:
        """Return the expression of the part of memory that a step concerns."""
        array = self._memory(entry, shadow)
        if entry.key is ... and isinstance(array, ast.Subscript):
            return array
        return ast.Subscript(array, self.words.key(entry.key), ast.Load())

    def _start(self, entry: Start, name: str) -> None:
        memory, node = entry.memory, name_of(self.names[entry.index])
        if memory not in self._memories and isinstance(self._looked_at(entry, "m"), ast.Name):
            self._memories[memory] = self.words.new(f"m{len(self._memories)}")
            made = ast.Call(ast.Attribute(node, "copy", ast.Load()), [], [])
            order = ast.keyword("order", ast.Constant("K"))
            made.keywords += [order] if entry.array.ndim > 1 else []
            self.let(self._memories[memory], made)
            return
        self.let(self._part(entry), name_of(self.names[entry.index]))

    def _read(self, entry: Read, name: str) -> None:
        part = entry.array[entry.key]
        value = np.zeros(np.shape(part), entry.array.dtype)[()]
        if entry.key is ...:
            value = np.zeros(np.shape(part), entry.array.dtype)
            made = ast.Call(ast.Attribute(self._memory(entry), "copy", ast.Load()), [], [])
        else:
            made = self._part(entry)
            if isinstance(part, np.ndarray):
                made = ast.Call(ast.Attribute(made, "copy", ast.Load()), [], [])
        self.let(self._new(entry.index, name, value), made)

    def _written(self, entry: Any) -> ast.expr:
        if entry.index is not None:
            return name_of(self.names[entry.index])
        return self.words.constant(self.steps.constants[entry])

    def _write(self, entry: Write, name: str) -> None:
        self.let(self._part(entry), self._written(entry))

    def _added(self, entry: Added, name: str) -> None:
        sign = "+" if entry.sign > 0 else "-"
        self.say(f"{_text(self._part(entry))} {sign}= {_text(self._written(entry))}")

    def _intercepted(self, entry: Interception, name: str) -> None:
        if entry.index != entry.source:
            made = self._new(entry.index, name, self._values[entry.source])
            self.let(made, name_of(self.names[entry.source]))

    # Cotangents

    def back(self, seeds: list[tuple[int, str]], numbers: list[Any]) -> None:
        """Append the cotangents of all steps, from the last to the first.

        Args:
            seeds: the nodes of the result, and the names of their cotangents.
            numbers: what these cotangents are in the recorded call.
        """
        nodes = (node for node, _ in seeds)
        self._seeds = list(zip(nodes, numbers, strict=True))
        for node, name in seeds:
            self._add(node, name_of(name))
        handlers: dict[type, Any] = {
            Call: self._back_call,
            Item: self._back_item,
            Start: self._back_start,
            Read: self._back_read,
            Write: self._back_write,
            Added: self._back_added,
            Interception: self._back_intercepted,
            InterceptionOfMemory: self._back_intercepted_memory,
        }
        for entry, here in reversed(list(zip(self.steps, self.steps.places, strict=True))):
            self._pending = here
            handlers[type(entry)](entry)

    def bar(self, node: int) -> ast.expr | None:
        """Return the cotangent of a node; None where there is none."""
        return name_of(self._bars[node]) if node in self._bars else None

    def _begin(self, node: int) -> ast.expr:
        """Return the name of the first cotangent of a node."""
        self._bars[node] = self.words.new(f"{self.names[node]}_bar")
        return name_of(self._bars[node])

    def _add(self, node: int, value: ast.expr) -> None:
        before = self.bar(node)
        if before is not None:
            value = ast.BinOp(before, ast.Add(), value)
            self._owned.add(node)
        self.let(before or self._begin(node), value)

    def _back_call(self, entry: Call) -> None:
        if is_transfer(entry.plan.fn):
            self._back_transfer(entry)
            return
        if type(entry.index) is int:
            bar = self.bar(entry.index)
        else:
            found = [leaf[0] in self._bars for leaf in leaves(entry.index)]
            bar = self._several(entry.index) if any(found) else None
        if bar is None:
            return
        self.at(self._pending)
        if entry in self._called:
            self._back_formula(entry, bar)
            return
        (reading, operand), name = self._readings[entry], self.names[entry.index]
        lines = reading.lines(operand, name_of(name), bar, self.words)
        labels: dict[str, ast.expr] = {}
        for label, value in lines.assigned:
            renamed = _renamed(value, labels)
            labels[label] = name_of(self.words.new(f"{name}_{label}"))
            self.let(labels[label], renamed)
        for k, node in entry.inputs:
            if k in lines.cotangents:
                value = _renamed(lines.cotangents[k], labels)
                self._contribute(entry, node, value, reading.likes[k], bar)

    def _unread(self, node: int) -> ast.expr | None:
        """Return in which entries nothing reads a value; None where something reads all of it."""
        if self._reached is None:
            self._reached = self.tape.reading(self._seeds)
        read = self._reached[node]
        shape = np.shape(self._values[node])
        where = np.ones(shape, bool) if read is None else np.equal(raw(read), 0)
        return self.words.constant(where if shape else bool(where)) if np.any(where) else None

    def _contribute(self, entry: Call, node: int, bar: ast.expr, like: Any, z_bar: Any) -> None:
        """Add a cotangent to that of a node, as the walk back does it.

        Args:
            entry: the step.
            node: the node.
            bar: the cotangent.
            like: what it is where that of the result is made of ones.
            z_bar: that of the result.
        """
        plan, value = entry.plan, self._values[node]
        if plan.entrywise and not np.all(np.isfinite(like)):
            where = self._unread(entry.index)
            if where is not None:
                bar = ast.Call(name_of(self.words.reference(unread)), [z_bar, bar, where], [])
        operand = name_of(self.names[node])
        if isinstance(like, list | tuple):
            bar = ast.Call(name_of("np.array"), [bar], [])
            like = np.array(like)
        if plan.elementwise and np.shape(like) != np.shape(value):
            bar = ast.Call(name_of(self.words.reference(unbroadcast)), [bar, operand], [])
        if np.iscomplexobj(like) != np.iscomplexobj(value):
            bar = ast.Call(name_of(self.words.reference(fitted)), [bar, operand], [])
        self._add(node, bar)

    def _several(self, index: Any) -> ast.expr:
        """Return the expression of the cotangents of several results."""
        if index is None:
            return ast.Constant(None)
        if type(index) is Leaf:
            node, shape, dtype = index
            bar = self.bar(node)
            if bar is not None:
                return bar
            zeros = [ast.Constant(shape), self.words.constant(np.dtype(dtype))]
            made = ast.Call(name_of("np.zeros"), zeros, [])
            return ast.Subscript(made, ast.Tuple([], ast.Load()), ast.Load())
        parts = [self._several(part) for part in index]
        if hasattr(index, "_fields"):
            return ast.Call(name_of(self.words.reference(type(index))), parts, [])
        return (ast.List if isinstance(index, list) else ast.Tuple)(parts, ast.Load())

    def _back_formula(self, entry: Call, bar: ast.expr) -> None:
        plan = entry.plan
        target, label, value, backward = self._called[entry]
        with np.errstate(all="ignore"):
            made = backward(mapped(_ones, value))
        made = (made,) if plan.single else made
        given = [(k, node) for k, node in entry.inputs if made[k] is not None]
        call = ast.Call(name_of(label), [bar], [])
        whole = None
        if len(given) > 1 or type(entry.inputs[0][1]) is not int:
            name = self.words.new(f"{target}_bars")
            self.let(name, call)
            whole = name_of(name)
        for k, node in given:
            part = call if whole is None else whole
            part = part if plan.single else ast.Subscript(part, ast.Constant(k), ast.Load())
            self._contribute_tree(entry, node, part, made[k], bar)

    def _contribute_tree(self, entry: Call, node: Any, bar: Any, like: Any, z_bar: Any) -> None:
        if like is None or node is None:
            return
        if type(node) is int:
            if np.shape(like) != np.shape(self._values[node]) and not entry.plan.elementwise:
                operand = name_of(self.names[node])
                called = name_of(self.words.reference(unbroadcast))
                bar = ast.Call(called, [bar, operand], [])
                like = unbroadcast(np.asarray(like), np.asarray(self._values[node]))
            self._contribute(entry, node, bar, like, z_bar)
            return
        for key in node if isinstance(node, dict) else range(len(node)):
            part = ast.Subscript(bar, ast.Constant(key), ast.Load())
            self._contribute_tree(entry, node[key], part, like[key], z_bar)

    def _back_item(self, entry: Item) -> None:
        bar = self.bar(entry.index)
        if bar is None:
            return
        self.at(self._pending)
        node, name = entry.source, self.bar(entry.source)
        if name is None:
            name = self._begin(node)
            shape = ast.Constant(entry.shape)
            kind = [] if entry.dtype == float else [self.words.constant(entry.dtype)]
            self.let(name, ast.Call(name_of("np.zeros"), [shape, *kind], []))
        elif not entry.shape or node not in self._owned:
            self.let(name, ast.Call(name_of("np.array"), [name], []))
        self._owned.add(node)
        bar = self._of_kind(bar, entry.index, entry.dtype)
        if may_repeat(entry.key):
            called = [name, self.words.constant(entry.key), bar]
            self.say(_text(ast.Call(name_of("np.add.at"), called, [])))
        else:
            part = ast.Subscript(name, self.words.key(entry.key), ast.Load())
            self.say(f"{_text(part)} += {_text(bar)}")

    def _of_kind(self, bar: ast.expr, node: int, dtype: Any) -> ast.expr:
        if dtype.kind == "f" and np.iscomplexobj(self._values[node]):
            return ast.Attribute(bar, "real", ast.Load())
        return bar

    def _shadow(self, entry: Any) -> None:
        """Let there be the cotangents of a memory."""
        memory = entry.memory
        if memory not in self._shadows:
            name = self._memories[memory]
            self._shadows[memory] = self.words.new(f"{name}_bar")
            self.let(self._shadows[memory], ast.Call(name_of("np.zeros_like"), [name_of(name)], []))

    def _back_read(self, entry: Read) -> None:
        bar = self.bar(entry.index)
        if bar is None:
            return
        self.at(self._pending)
        self._shadow(entry)
        bar = self._of_kind(bar, entry.index, entry.array.dtype)
        bar = ast.UnaryOp(ast.USub(), bar) if entry.turned else bar
        if overlaps_itself(entry.array) or may_repeat(entry.key):
            called = [self._memory(entry, shadow=True), self.words.constant(entry.key), bar]
            self.say(_text(ast.Call(name_of("np.add.at"), called, [])))
        else:
            self.say(f"{_text(self._part(entry, shadow=True))} += {_text(bar)}")

    def _taken(self, entry: Any) -> ast.expr:
        """Return a copy of the cotangents of the part of memory that a step concerns."""
        part = self._part(entry, shadow=True)
        made: ast.expr = ast.Call(ast.Attribute(part, "copy", ast.Load()), [], [])
        return ast.UnaryOp(ast.USub(), made) if entry.turned else made

    def _given_back(self, entry: Any, bar: ast.expr) -> None:
        """Add the cotangent of what was written."""
        operand = name_of(self.names[entry.index])
        if np.shape(entry.array[entry.key]) != entry.shape:
            called = name_of(self.words.reference(unbroadcast))
            bar = ast.Call(called, [bar, operand], [])
        if entry.real and entry.array.dtype.kind == "c":
            bar = ast.Attribute(bar, "real", ast.Load())
        self._add(entry.index, bar)

    def _back_write(self, entry: Write) -> None:
        if entry.memory not in self._shadows:
            return
        self.at(self._pending)
        if entry.index is not None:
            bar = self._taken(entry)
            if entry.last is not None:
                bar = ast.BinOp(bar, ast.Mult(), self.words.constant(np.asarray(entry.last)))
            self._given_back(entry, bar)
        self.let(self._part(entry, shadow=True), ast.Constant(0.0))

    def _back_added(self, entry: Added) -> None:
        if entry.memory in self._shadows and entry.index is not None:
            self.at(self._pending)
            bar = self._taken(entry)
            self._given_back(entry, bar if entry.sign > 0 else ast.UnaryOp(ast.USub(), bar))

    def _back_start(self, entry: Start) -> None:
        if entry.memory in self._shadows:
            self.at(self._pending)
            self._add(entry.index, self._taken(entry))

    def _back_intercepted(self, entry: Interception) -> None:
        bar = self.bar(entry.index)
        if bar is None:
            return
        self.at(self._pending)
        called = name_of(self.words.reference(intercepted))
        made = ast.Call(called, [self.words.constant(with_values(entry.fn, False)), bar], [])
        if entry.index == entry.source:
            self._owned.discard(entry.source)
            self.let(bar, made)
        else:
            self._add(entry.source, made)

    def _back_intercepted_memory(self, entry: InterceptionOfMemory) -> None:
        if entry.memory not in self._shadows:
            return
        self.at(self._pending)
        called = name_of(self.words.reference(intercepted))
        fn = self.words.constant(with_values(entry.fn, False))
        made: ast.expr = ast.Call(called, [fn, self._taken(entry)], [])
        made = ast.UnaryOp(ast.USub(), made) if entry.turned else made
        self.let(self._part(entry, shadow=True), made)


def plain(value: Any) -> Any:
    """Return what a box of any tape holds, as it was when it was recorded."""
    while type(value) is Box:
        value = value.value
    return value


def _text(node: ast.expr) -> str:
    return ast.unparse(ast.fix_missing_locations(node))


def _identifier(name: str) -> str:
    made = "".join(c if c.isalnum() else "_" for c in name)
    return made if made.isidentifier() else f"argument_{made}"


def _paths(index: Any) -> list[tuple[tuple[int, ...], Leaf]]:
    """The leaves of several results, with the positions that lead to them."""
    if index is None:
        return []
    if type(index) is Leaf:
        return [((), index)]
    return [((k, *path), leaf) for k, part in enumerate(index) for path, leaf in _paths(part)]


def _ones(value: Any) -> Any:
    if not isinstance(value, np.ndarray | np.generic | float | complex):
        return value
    made = np.ones_like(value)
    return made if isinstance(value, np.ndarray) else made[()]


def _renamed(value: ast.expr, labels: dict[str, ast.expr]) -> ast.expr:
    class Rename(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> Any:
            return labels.get(node.id, node)

    return Rename().visit(value) if labels else value


def _operand_of(
    texts: dict[str, ast.expr], parameters: dict[str, Any], words: Words, name: str
) -> ast.expr:
    """Return the expression of a parameter of a formula: of an operand, or an option."""
    found = texts.get(name)
    return copy.deepcopy(found) if found is not None else words.constant(parameters[name])


__all__ = ["Writer", "plain"]
