"""What each line did in one run: its value, its cotangent, its time, what is kept of it."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from srcgrad.calling.api import Differentiated
from srcgrad.calling.recorded import Recorded
from srcgrad.calling.transformed import Transform, arguments_of
from srcgrad.calling.watched import watched
from srcgrad.debugging.forward_lines import Line, line_of
from srcgrad.debugging.numbers import Numbers, is_numeric, latest, note_latest, numbers
from srcgrad.debugging.pictures import picture_of
from srcgrad.debugging.report import page_of, small_page_of
from srcgrad.debugging.tables import as_rich, duration, memory, plain_table
from srcgrad.frontend.text.names import names_in
from srcgrad.load.observers import Activation, Observer, Site, Step, Watch, run_watched
from srcgrad.load.readers import only_shape


@dataclass(eq=False)
class Statement:
    """A statement of generated code, and what it did."""

    function: str  # the generated function that it is in
    lineno: int  # the number of its line in the generated file
    text: str  # its text
    line: Line | None  # the line of the differentiated function that it belongs to; None for none
    backward: bool  # whether it is in a backward part
    count: int = 0  # how often it ran
    seconds: float = 0.0  # how long, all in all; of a call, with what was called
    # the figures of what it gave, by name, of the last time
    values: dict[str, Numbers] = field(default_factory=dict)
    # the norms of that, one for each time, by name
    norms: dict[str, list[float]] = field(default_factory=dict)


@dataclass(eq=False)
class TracedLine:
    """A line of the differentiated program, and what it did."""

    line: Line  # the line
    depth: int  # 0 in the function itself, 1 in functions that it calls, and so on
    count: int = 0  # how often its forward part ran
    # the figures of what it assigns, by name, of the last time; of what it returns, by the name
    # ``return``
    values: dict[str, Numbers] = field(default_factory=dict)
    # those of the complete cotangents of the same names, of the last time in the order of the
    # backward part
    cotangents: dict[str, Numbers] = field(default_factory=dict)
    # the norms of the values, one for each time, by name
    value_norms: dict[str, list[float]] = field(default_factory=dict)
    cotangent_norms: dict[str, list[float]] = field(default_factory=dict)  # those of the cotangents
    # the time of its forward statements; of a call, with what was called
    forward_seconds: float = 0.0
    backward_seconds: float = 0.0  # the time of its backward statements
    kept_bytes: int = 0  # the memory of what it made that the backward part reads


@dataclass(eq=False)
class SavedValue:
    """An array of the forward part that the backward part reads."""

    name: str  # its name
    line: Line | None  # the line that made it; None for an argument
    shape: tuple[int, ...]  # its shape
    dtype: str  # its element type
    count: int = 0  # how many there are, one for each iteration of a loop
    bytes: int = 0  # the memory of all of them; 0 for views of memory that is counted elsewhere
    # the generated lines that read it: number and text
    readers: dict[int, str] = field(default_factory=dict)
    # the lines of the differentiated program that these belong to
    read_by: dict[str, Line] = field(default_factory=dict)


class Tracer(Observer):
    """Writes down what runs; see ``Trace``."""

    def __init__(self) -> None:
        self.statements: dict[Any, Statement] = {}
        self.lines: dict[tuple[str, int], TracedLine] = {}
        self.arguments: dict[str, Numbers] = {}
        self.slopes: dict[str, Numbers] = {}
        self.saved: dict[Any, SavedValue] = {}
        self.made: dict[int, tuple[Any, str, Line | None]] = {}
        self.counted: set[int] = set()
        self.seconds = [0.0, 0.0]
        self.own = 0.0  # the time that watching takes
        self.last: float | None = None
        self.starts: list[tuple[float, float]] = []

    def enter(self, activation: Activation, arguments: dict[str, Any]) -> None:
        """Note the arguments."""
        start = perf_counter()
        for name, value in arguments.items():
            if is_numeric(value):
                if "residuals" in arguments:  # a backward function, which is given cotangents
                    activation.notes[name] = numbers(value)
                if activation.caller is None:
                    self.arguments[name] = numbers(value)
                    self._made(value, name, None)
        self.own += perf_counter() - start

    def begin(self, activation: Activation) -> None:
        """Note the cotangents that are complete here."""
        start = perf_counter()
        site = activation.site
        assert site is not None
        line = line_of(site)
        if line is not None:
            self._line(line, activation)
        if site.place is not None and line is not None:
            known = self.lines.get((line.filename, line.lineno))
            if activation.notes.get("") != line:  # the first statement of this line
                activation.notes[""] = line
                for name in known.values if known is not None else ():
                    bar = latest(activation.notes, f"{name}_bar")
                    if known is not None and bar is not None:
                        known.cotangents[name] = bar
                        known.cotangent_norms.setdefault(name, []).append(bar.norm)
        now = perf_counter()
        self.own += now - start
        self.starts.append((now, self.own))

    def end(self, activation: Activation, values: tuple[Any, ...]) -> None:
        """Note the values, and the time."""
        now = perf_counter()
        site = activation.site
        assert site is not None
        begun, own = self.starts.pop()
        taken = now - begun - (self.own - own)
        backward, top = _is_backward(activation), activation.caller is None
        self.seconds[backward] += taken if top else 0.0
        line = line_of(site)
        statement = self._statement(site, line, backward)
        statement.count += 1
        statement.seconds += taken
        traced = None if line is None else self._line(line, activation)
        if traced is not None and backward:
            traced.backward_seconds += taken
        elif traced is not None:
            traced.forward_seconds += taken
            traced.count = max(traced.count, statement.count)
        if backward:
            self._read(activation, line)
        self._values(activation, statement, traced, values)
        if site.is_return and top:
            given = {name: latest(activation.notes, f"{name}_bar") for name in self.arguments}
            self.slopes = {name: bar for name, bar in given.items() if bar is not None}
        self.own += perf_counter() - now

    def step(self, watch: Watch, step: Step) -> None:
        """Note a step of the tape; the time is that since the one before."""
        now = perf_counter()
        backward, place = step.bars is not None, step.place
        taken = now - self.last if self.last is not None else 0.0
        self.seconds[backward] += taken
        if place.lineno is not None and step.name:
            line = Line(place.function, place.filename, place.lineno, place.text)
            key = (place.filename, place.lineno)
            traced = self.lines.setdefault(key, TracedLine(line, 0))
            value = step.bar if backward else step.value
            if backward:
                traced.backward_seconds += taken
            else:
                traced.count += 1
                traced.forward_seconds += taken
            if is_numeric(value):
                table = traced.cotangents if backward else traced.values
                norms = traced.cotangent_norms if backward else traced.value_norms
                table[step.name] = numbers(value)
                norms.setdefault(step.name, []).append(table[step.name].norm)
        self.last = perf_counter()

    def _statement(self, site: Site, line: Line | None, backward: bool) -> Statement:
        if site not in self.statements:
            known = Statement(site.function.name, site.lineno, site.text, line, backward)
            self.statements[site] = known
        return self.statements[site]

    def _line(self, line: Line, activation: Activation) -> TracedLine:
        depth, caller = 0, activation.caller
        while caller is not None:
            depth, caller = depth + 1, caller.caller
        return self.lines.setdefault((line.filename, line.lineno), TracedLine(line, depth))

    def _values(
        self,
        activation: Activation,
        statement: Statement,
        traced: TracedLine | None,
        values: tuple[Any, ...],
    ) -> None:
        site = activation.site
        assert site is not None
        names = site.targets
        if site.is_return:
            names, values = ("return",), _returned(site, values[0])
        for name, value in zip(names, values, strict=False):
            if not is_numeric(value):
                continue
            found = numbers(value)
            statement.values[name] = found
            statement.norms.setdefault(name, []).append(found.norm)
            if statement.backward:
                note_latest(activation.notes, name, found)
            elif traced is not None:
                self._made(value, name, traced.line)
                if traced.line.text.startswith("return"):
                    if name not in ("return", "value"):
                        continue
                    name = "return"
                elif name not in names_in(site.function.text.source.tree):
                    continue
                traced.values[name] = found
                traced.value_norms.setdefault(name, []).append(found.norm)

    def _made(self, value: Any, name: str, line: Line | None) -> None:
        """Remember which line has made an array."""
        if isinstance(value, np.ndarray):
            owner = _owner(value)
            known = self.made.get(id(owner))
            if known is None or known[0]() is not owner:
                self.made[id(owner)] = (weakref.ref(owner), name, line)
                self.counted.discard(id(owner))

    def _read(self, activation: Activation, line: Line | None) -> None:
        """Note which arrays of the forward part a backward statement reads."""
        site = activation.site
        assert site is not None
        for number, value in activation.parts.items():
            if not isinstance(value, np.ndarray) or site.parts[number] in _shapes(site):
                continue
            owner = _owner(value)
            reference, name, made_by = self.made.get(id(owner), (None, "", None))
            if reference is None or reference() is not owner:
                continue
            key = (name, made_by)
            if key not in self.saved:
                self.saved[key] = SavedValue(name, made_by, value.shape, str(value.dtype))
            saved = self.saved[key]
            saved.readers[site.lineno] = site.text
            if line is not None:
                saved.read_by[line.place] = line
            if id(owner) not in self.counted:
                self.counted.add(id(owner))
                saved.count += 1
                saved.bytes += owner.nbytes
                if made_by is not None:
                    self.lines[made_by.filename, made_by.lineno].kept_bytes += owner.nbytes


def _shapes(site: Site) -> list[Any]:
    """The names in a statement that are read for their shape only."""
    found: list[Any] = []

    def walk(node: Any, around: list[Any]) -> None:
        if around and only_shape([node, *around]):
            found.append(node)
        for child in _children(node):
            walk(child, [node, *around])

    walk(site.node, [])
    return found


def _children(node: Any) -> Iterator[Any]:
    for name in node._fields:
        value = getattr(node, name, None)
        for part in value if isinstance(value, list) else [value]:
            if hasattr(part, "_fields"):
                yield part


def _owner(array: Any) -> Any:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _is_backward(activation: Activation) -> bool:
    current: Activation | None = activation
    while current is not None:
        if current.site is not None and current.site.place is not None:
            return True
        current = current.caller
    return False


def _returned(site: Site, value: Any) -> tuple[Any, ...]:
    """What a return statement hands out as the value of the user's function."""
    if site.place is None and site.function.name.endswith("_forward") and isinstance(value, tuple):
        return (value[0],)
    return (value,)


def _ordered(lines: list[TracedLine]) -> list[TracedLine]:
    """The lines in the order in which they ran; those of backward parts only, at their place."""
    found = [line for line in lines if line.count]
    for extra in (line for line in lines if not line.count):
        own = extra.line
        if own.text.startswith(('"', "'")):  # what is done at the top of a function
            continue
        before = [
            k
            for k, other in enumerate(found)
            if (other.line.filename, other.line.function) == (own.filename, own.function)
            and other.line.lineno < own.lineno
        ]
        found.insert(before[-1] + 1 if before else len(found), extra)
    return found


class Trace:
    """What each line of a differentiated program did in one run.

    Printed, it is a table of the lines, in the order in which they ran first: value, complete
    cotangent, time of both parts, and what is kept of them for the backward part. Of what runs
    more than once, the figures are those of the last time, and the times are sums.

    Attributes:
        function: the name of the function.
        value: its value.
        gradient: its gradient.
        lines: the lines of the program.
        statements: the statements of the generated code that ran.
        arguments: the figures of the arguments, by name.
        gradients: those of their gradients.
        saved: the arrays of the forward part that the backward part reads.
        forward_seconds: the time of the forward part.
        backward_seconds: the time of the backward part.
        source: the text of the generated module.
        links: for lines of the generated module the line of the program that each belongs to.
        backward_lines: the lines of the generated module that are in a backward part.
        recorded: what was recorded while it ran; of that, the steps are those of the tape.
    """

    def __init__(self, transform: Transform, special: Any, tracer: Tracer, made: Any) -> None:
        self.function: str = transform.plain.__name__
        self.value, self.gradient = made
        self.lines: list[TracedLine] = _ordered(list(tracer.lines.values()))
        self.statements: list[Statement] = list(tracer.statements.values())
        self.arguments = tracer.arguments
        self.gradients = tracer.slopes
        self.saved = Saved(self.function, list(tracer.saved.values()))
        self.forward_seconds, self.backward_seconds = tracer.seconds
        self.source: str = special.text
        self.filename: str = special.filename
        self.links: dict[int, Line] = {}
        self.backward_lines: set[int] = set()
        for site in _sites(tracer, special.filename):
            line, node = line_of(site), site.node
            last = node.iter.end_lineno if isinstance(node, ast.For) else node.end_lineno
            numbers_of = range(node.lineno, (last or node.lineno) + 1)
            if line is not None:
                self.links |= dict.fromkeys(numbers_of, line)
            if site.place is not None:
                self.backward_lines |= set(numbers_of)
        self.recorded: list[Recorded] = list(transform.recorded)

    def __getitem__(self, name: str) -> TracedLine:
        """Return the last line that assigns to a name."""
        found = [line for line in self.lines if name in line.values]
        if not found:
            known = ", ".join(dict.fromkeys(n for line in self.lines for n in line.values))
            raise KeyError(f"{name!r} is none of {known}")
        return found[-1]

    def __str__(self) -> str:
        kept = sum(part.bytes for part in self.saved if part.line is not None)
        head = (
            f"{self.function}: forward {duration(self.forward_seconds)}, "
            f"backward {duration(self.backward_seconds)}, {memory(kept)} kept"
        )
        return f"{head}\n\n{plain_table(self._head(), self._rows())}"

    __repr__ = __str__

    def __rich__(self) -> Any:
        return as_rich(self.function, self._head(), self._rows())

    def _head(self) -> list[str]:
        return [
            *("line", "statement", "times", "name", "value", "norm", "range"),
            *("cotangent", "range", "forward", "backward", "kept"),
        ]

    def _rows(self) -> list[list[str]]:
        rows = []
        for name, found in self.arguments.items():
            bar = self.gradients.get(name)
            rows.append(["", "(argument)", "", name, *_figures(found, bar), "", "", ""])
        for traced in self.lines:
            indent = "  " * traced.depth
            text = traced.line.text.partition("\n")[0]
            times = f"{traced.count}" if traced.count > 1 else ""
            last = [
                duration(traced.forward_seconds),
                duration(traced.backward_seconds),
                memory(traced.kept_bytes) if traced.kept_bytes else "",
            ]
            first = [traced.line.place, indent + text, times]
            names = list(traced.values) or list(traced.cotangents)
            if not names:
                rows.append([*first, "", *_figures(None, None), *last])
            for name in names:
                figures = _figures(traced.values.get(name), traced.cotangents.get(name))
                rows.append([*first, "" if name == "return" else name, *figures, *last])
                first, last = ["", "", ""], ["", "", ""]
        return rows

    def _repr_html_(self) -> str:
        return small_page_of(self)

    def to_html(self, path: Any = None) -> str:
        """Return the trace as one HTML page, and write it to a file if one is given.

        The page needs nothing from elsewhere. The program stands at the left, its derivative at
        the right; pointing at a line lights up its partners. The margin shows how large values
        and cotangents are, and where time and memory go.

        Args:
            path: the file to write.
        """
        text = page_of(self)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def plot(self) -> Any:
        """Return a figure of the norms of cotangents and the times, line by line.

        It needs matplotlib: ``pip install srcgrad[plot]``.
        """
        return picture_of(self.function, self.lines)


def _sites(tracer: Tracer, filename: str) -> list[Site]:
    """The statements of the functions of a generated module of which some ran."""
    functions = {site.function: None for site in tracer.statements}
    return [s for f in functions for s in f.sites if f.filename == filename]


def _figures(value: Numbers | None, bar: Numbers | None) -> list[str]:
    """The columns of a value and its cotangent."""
    own = ["", "", ""] if value is None else [value.kind, f"{value.norm:.3g}", _range(value)]
    return own + (["", ""] if bar is None else [f"{bar.norm:.3g}", _range(bar)])


def _range(found: Numbers) -> str:
    share = found.zeros / found.size if found.size else 0.0
    zeros = f"{share:.0%} zeros" if found.shape and share >= 0.05 else ""
    return ", ".join(part for part in (found.range, zeros, found.odd) if part)


class Saved(list[SavedValue]):
    """What is kept for the backward part; printed, a table."""

    def __init__(self, function: str, values: list[SavedValue]) -> None:
        super().__init__(values)
        self.function = function

    @property
    def bytes(self) -> int:
        """The memory of what is kept, without the arguments."""
        return sum(part.bytes for part in self if part.line is not None)

    def __str__(self) -> str:
        if not self:
            return f"{self.function}: no arrays are kept"
        return f"{self.function}: {memory(self.bytes)} kept\n\n{plain_table(*self._table())}"

    __repr__ = __str__

    def __rich__(self) -> Any:
        return as_rich(self.function, *self._table())

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rows = []
        for part in self:
            made = "(argument)" if part.line is None else part.line.place
            times = str(part.count) if part.count > 1 else ""
            shape = f"{part.dtype} {part.shape}"
            size = "" if part.line is None else memory(part.bytes)
            readers = ", ".join(part.read_by)
            rows.append([part.name, made, shape, times, size, readers])
        return ["name", "made in", "value", "times", "memory", "read by the backward part of"], rows


def trace(f: Callable[..., Any], *args: Any, wrt: Any = None, **options: Any) -> Trace:
    """Run a function and its gradient once, and return what each of its lines did.

    Args:
        f: the function, which may be decorated; it must return one real number.
        *args: its arguments.
        wrt: what to differentiate with respect to; see ``grad``.
        **options: arguments that are given by name.

    Returns:
        A ``Trace``: for each line the figures of its value and of the complete cotangent of
        that (shape, element type, norm, range, zeros, entries that are not finite), the time
        of its forward and its backward part, and what is kept of it. The value and the
        gradient are there, too.

    Example:
        >>> import numpy as np
        >>> from srcgrad import trace
        >>> def loss(w, x):
        ...     h = np.tanh(w * x)
        ...     return np.sum(h * h)
        >>> found = trace(loss, 0.5, np.array([1.0, 2.0]))
        >>> found["h"].values["h"].shape, round(found["h"].cotangents["h"].norm, 3)
        ((2,), 1.782)
    """
    transform = _with_value(f, wrt)
    arguments = arguments_of(transform, args, options)
    special = transform.find(arguments)
    tracer = Tracer()
    run = run_watched((tracer,), watched_code(transform, special))
    positional, named = transform.passed(arguments)
    return Trace(transform, special, tracer, run(*positional, **named))


def saved(f: Callable[..., Any], *args: Any, wrt: Any = None, **options: Any) -> Saved:
    """Run a function and its gradient once, and return what is kept for the backward part.

    Args:
        f: the function; see ``trace``.
        *args: its arguments.
        wrt: what to differentiate with respect to; see ``grad``.
        **options: arguments that are given by name.

    Returns:
        The arrays of the forward part that the backward part reads: name, the line that made
        it, shape, element type, how many there are, memory, and the lines that read it.

    Example:
        >>> import numpy as np
        >>> from srcgrad import saved
        >>> def loss(w, x):
        ...     h = np.tanh(w * x)
        ...     return np.sum(h * h)
        >>> [(part.name, part.bytes) for part in saved(loss, 0.5, np.ones(3))]
        [('h', 24), ('x', 24)]
    """
    return trace(f, *args, wrt=wrt, **options).saved


def watched_code(transform: Transform, special: Any) -> Any:
    """Return the generated function of a derivative that tells who watches."""
    return watched(transform, special).run if special.finish is None else special.instrumented[0]


def _with_value(f: Any, wrt: Any) -> Transform:
    if isinstance(f, Differentiated):
        return f.transform("value_and_grad", wrt).current()
    made = getattr(f, "__srcgrad__", None)
    if made is not None:
        return (made if made.kind == "value_and_grad" else made.with_value).current()
    return Transform(f, "value_and_grad", 0 if wrt is None else wrt)
