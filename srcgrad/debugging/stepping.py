"""Stopping in a backward part: at its first line, or where the cotangent of a name is complete."""

from __future__ import annotations

import ast
import fnmatch
import inspect
import os
import pdb  # noqa: T100 - stopping in it is what is asked for
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.calling.arguments.local_names import assigned_lines
from srcgrad.calling.arguments.targets import unwrap
from srcgrad.calling.transformed import Transform, arguments_of
from srcgrad.errors import ArgumentError, Spot
from srcgrad.late import late
from srcgrad.load.instrumented import Recompiler
from srcgrad.load.observers import ENTERING, STOPS, WATCHING
from srcgrad.load.source_map import place_at
from srcgrad.load.texts import FunctionText
from srcgrad.program.compiled_text import require_text

_HOOK = "srcgrad_debugger"
# Python's own debugger stops at the next line that begins; from Python 3.13 on at once.
_AT_ONCE = sys.version_info >= (3, 13)
_AT_NEXT_LINE = ("debugpy", "pydev", "_pydev")  # debuggers that stop there in any version


@dataclass(frozen=True, eq=False)
class Breakpoint:
    """A place in backward parts at which the debugger stops."""

    function: str  # the name of the function
    filename: str  # its file
    name: str  # the name whose cotangent is complete there
    lines: tuple[int, ...]  # the lines that give the name a value; empty for a parameter

    def clear(self) -> None:
        """Stop there no more."""
        if self in STOPS:
            STOPS.remove(self)
            WATCHING.remove(self)

    def __enter__(self) -> Breakpoint:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def holds(self, place: Any) -> bool:
        """Tell whether a backward statement belongs to one of the lines."""
        return (
            place is not None
            and place.lineno in self.lines
            and (place.function, place.filename) == (self.function, self.filename)
        )

    def is_of(self, text: FunctionText) -> bool:
        """Tell whether a generated function has the backward part of the function."""
        return self.is_name_of((text.source.name, text.source.filename))

    def is_name_of(self, source: tuple[str, str]) -> bool:
        """Tell whether a name and a file are those of the function."""
        return source == (self.function, self.filename)

    def entered(self, program: Any) -> Callable[..., Any]:
        """Return the function of a recorded program, with all breakpoints that are set."""

        def holds(statement: ast.stmt, place: Any) -> bool:
            if isinstance(statement, ast.Return):
                return any(not stop.lines and stop.is_name_of(program.source) for stop in STOPS)
            return any(stop.holds(place) for stop in STOPS)

        return _entered(program, holds)


class _Stopping(Recompiler):
    """Puts a call of the debugger before some statements.

    Args:
        stops: where; none for the first backward statement of the first function.
        first: the name of that function.
    """

    def __init__(self, stops: tuple[Breakpoint, ...], first: str = "") -> None:
        super().__init__()
        self.stops = stops
        self.first = first
        self.found = 0

    def edit(
        self, text: FunctionText, node: ast.FunctionDef, filename: str, first: int
    ) -> tuple[ast.FunctionDef, dict[str, Any]]:
        """Return the definition of a function with calls of the debugger in it."""

        def place(statement: ast.stmt) -> Any:
            return text.places.get(statement.lineno - first + 1)

        def suite(statements: list[ast.stmt]) -> list[ast.stmt]:
            made: list[ast.stmt] = []
            before: tuple[Breakpoint, ...] = ()
            for statement in statements:
                here = tuple(s for s in self.stops if s.holds(place(statement)))
                if text.places and isinstance(statement, ast.Return):
                    here += tuple(s for s in self.stops if not s.lines and s.is_of(text))
                if text.name == self.first and not self.found and place(statement) is not None:
                    here = (*here, _FIRST)
                if set(here) - set(before):
                    self.found += 1
                    made.append(_call(statement))
                before = here
                for name in ("body", "orelse", "finalbody"):
                    inner = getattr(statement, name, None)
                    if inner and not isinstance(statement, ast.FunctionDef):
                        setattr(statement, name, suite(inner))
                made.append(statement)
            return made

        node.body = suite(node.body)
        return node, {_HOOK: _debugger}


def _entered(program: Any, holds: Callable[[ast.stmt, Any], bool]) -> Callable[..., Any]:
    """Return the function of a recorded program, with calls of the debugger in its way back.

    Args:
        program: what ran on a tape.
        holds: tells whether to stop where the line of a statement begins to have its turn.
    """
    tree = ast.parse(program.text, program.filename)
    node = next(part for part in tree.body if isinstance(part, ast.FunctionDef))
    made: list[ast.stmt] = []
    before = False
    for statement in node.body:
        back = statement.lineno >= program.first
        here = back and holds(statement, program.places.get(statement.lineno))
        made += [_call(statement)] if here and not before else []
        made.append(statement)
        before = here
    node.body = made
    space = {**program.space, _HOOK: _debugger}
    return program.compiled(ast.Module([node], []), space)


_FIRST = Breakpoint("", "", "", ())


def _call(statement: ast.stmt) -> ast.stmt:
    inner = ast.Call(ast.Name(_HOOK, ast.Load()), [], [])
    made = ast.Expr(ast.Call(inner, [], []))
    made.lineno = made.end_lineno = statement.lineno - (not _stops_at_once())
    made.col_offset = made.end_col_offset = statement.col_offset
    return ast.fix_missing_locations(made)


def _stops_at_once() -> bool:
    """Tell whether the debugger that is called stops where the call stands."""
    hook = os.environ.get("PYTHONBREAKPOINT") or str(sys.breakpointhook.__module__)
    return _AT_ONCE and not hook.startswith(_AT_NEXT_LINE)


def _debugger() -> Callable[[], Any]:
    """What stops the function that calls it: the hook of the user's, or a debugger of our own."""
    chosen = os.environ.get("PYTHONBREAKPOINT")
    if chosen or sys.breakpointhook is not sys.__breakpointhook__:
        return breakpoint
    return GradientPdb().stop


_UNSEEN = tuple(
    f"srcgrad.{name}" for name in ("calling.*", "debugging.*", "generation.*", "load.*", "tape.*")
)


_LIBRARIES = (sys.stdlib_module_names | {"numpy", "scipy", "srcgrad"}) - {"__main__"}


class GradientPdb(pdb.Pdb):
    """Python's debugger; it shows beside a line of a backward part the forward line of that.

    ``step`` goes through what stands between generated code and the functions that it calls.
    """

    def __init__(self) -> None:
        super().__init__(skip=_UNSEEN)

    def stop(self) -> None:
        """Stop the function that calls this."""
        frame = inspect.currentframe()
        assert frame is not None
        self.set_trace(frame.f_back)

    def stop_here(self, frame: Any) -> bool:
        """Tell whether to stop in a call: not in what srcgrad itself calls of the libraries."""
        return bool(super().stop_here(frame)) and not self._is_behind(frame)

    def _is_behind(self, frame: Any) -> bool:
        while frame is not None and not self._is_own(frame):
            name = str(frame.f_globals.get("__name__", ""))
            if name.partition(".")[0] not in _LIBRARIES and not name.startswith("namedtuple_"):
                return False
            frame = frame.f_back
        return True

    def get_stack(self, f: Any, t: Any) -> Any:
        """Return the calls that are shown, without those of srcgrad's own between them."""
        stack, k = super().get_stack(f, t)
        shown = [row for row in stack if not self._is_own(row[0]) or row is stack[k]]
        return shown, next(n for n, row in enumerate(shown) if row is stack[k])

    def _is_own(self, frame: Any) -> bool:
        name = str(frame.f_globals.get("__name__", ""))
        wraps = frame.f_code.co_filename.startswith("<srcgrad ")
        return wraps or any(fnmatch.fnmatch(name, pattern) for pattern in _UNSEEN)

    def format_stack_entry(self, frame_lineno: Any, lprefix: str = ": ") -> str:
        """Return a line of the stack, with the forward line that it belongs to."""
        entry = super().format_stack_entry(frame_lineno, lprefix)
        frame, lineno = frame_lineno
        place = place_at(frame.f_code.co_filename, lineno)
        while place is not None and place.lineno is not None:
            entry += f"\n   # {Path(place.filename).name}:{place.lineno}  {place.text}"
            place = place_at(place.filename, place.lineno)
        return entry


def stopped(special: Any) -> Any:
    """Return the functions of generated code with the breakpoints that are set in them.

    Returns:
        Those in the place of ``run`` and ``backward``; None where no breakpoint is in them.
    """
    editor = _Stopping(tuple(STOPS))
    run, backward = _functions(special, editor)
    return special.finish(run, backward) if editor.found else None


def _functions(special: Any, editor: _Stopping) -> tuple[Any, Any]:
    second = None if special.backward is None else inspect.unwrap(special.backward)
    run = editor.function(inspect.unwrap(special.run))
    return run, None if second is None else editor.function(second)


def debug(transform: Transform, *args: Any, **options: Any) -> Any:
    """Call a derivative, and stop in the debugger at the first line of its backward part."""
    transform.current()
    arguments = arguments_of(transform, args, options)
    special = transform.find(arguments)
    if special.finish is None:  # it is recorded: what runs is the program that it turns out to be
        run, enter = special.run, _from_the_start
    else:
        editor = _Stopping((), inspect.unwrap(special.run).__name__)
        run, enter = special.finish(*_functions(special, editor))[0], _entered_by_step
    positional, named = transform.passed(arguments)
    token = ENTERING.set(enter)
    try:
        return run(*positional, **named)
    finally:
        ENTERING.reset(token)


def _from_the_start(program: Any) -> Callable[..., Any]:
    return _entered(program, lambda statement, place: True)


def _entered_by_step(program: Any) -> Callable[..., Any]:
    return program.function


def text_for(transform: Transform, args: Any) -> str:
    """Return the text of a derivative for the arguments of a call.

    Returns:
        The generated code. Of a function that is recorded while it runs, it is the straight-line
        program that it turns out to be: it runs once, on these arguments.
    """
    transform.current()
    arguments = arguments_of(transform, args)
    special = transform.find(arguments)
    if special.finish is not None:
        return late("with_imports")(special)
    texts: list[str] = []

    def note(program: Any) -> Callable[..., Any]:
        texts.append(program.text)
        return program.function

    positional, named = transform.passed(arguments)
    token = ENTERING.set(note)
    try:
        found = special.run(*positional, **named)
        if transform.kind == "vjp":
            value, backward = found
            backward(np.ones_like(value)[()])
    finally:
        ENTERING.reset(token)
    return texts[0]


def file_of(transform: Transform, *args: Any, **options: Any) -> str:
    """Return the file of the code of a derivative.

    Args:
        transform: the derivative.
        *args: the arguments of a call, which is not made. Without any it is the file of the
            last call, or, before any call, that of the code for all arguments.
        **options: those that are given by name.
    """
    transform.current()
    if args or options:
        return transform.find(arguments_of(transform, args, options)).filename
    transform.settle()
    known = transform.specialisations
    return (known[0] if known else transform.specialise(None)).filename


def breakpoint_at(f: Callable[..., Any], name: str, line: int | None = None) -> Breakpoint:
    """Stop in the debugger where the cotangent of a name is complete.

    The backward part of the function runs in the debugger from there on: the name with ``_bar``
    at its end holds the derivative of the result with respect to the value of the name. That is
    so in all derivatives that the function is part of, also where another one calls it.

    Args:
        f: the function, which may be decorated.
        name: a name in it, or one of its parameters.
        line: the number of the line that gives it the value that is meant; by default each one.

    Returns:
        The breakpoint; ``clear()`` removes it, and so does the end of a ``with`` block.

    Raises:
        ArgumentError: when there is no such name or line.

    Example:
        >>> from srcgrad import breakpoint_at
        >>> def loss(x):
        ...     h = x * x
        ...     return h * 3.0
        >>> with breakpoint_at(loss, "h") as place:
        ...     place.name
        'h'
    """
    plain, _ = unwrap(f)
    plain = getattr(plain, "__srcgrad__", None) or plain
    while isinstance(plain, Transform):
        plain = plain.plain
        plain = getattr(plain, "__srcgrad__", None) or plain
    code = plain.__code__
    require_text(plain)
    lines = assigned_lines(plain, loops=True).get(name, [])
    parameters = list(inspect.signature(plain).parameters)
    if line is not None and line not in lines:
        known = f"in line {' and '.join(map(str, lines))}" if lines else "nowhere"
        raise ArgumentError(
            f"line {line} of {plain.__name__} gives {name!r} no value",
            spots=[Spot(code.co_filename, plain.__name__, line, _text(code, line), 0, 1)],
            fixes=[f"it is assigned {known}"],
        )
    if not lines and name not in parameters:
        local = [n for n in code.co_varnames if n not in parameters]
        raise ArgumentError(
            f"there is no name {name!r} in {plain.__name__}",
            fixes=[f"choose one of {', '.join([*parameters, *local])}"],
        )
    chosen = (line,) if line is not None else tuple(lines)
    found = Breakpoint(plain.__name__, code.co_filename, name, chosen)
    STOPS.append(found)
    WATCHING.append(found)
    return found


def _text(code: Any, lineno: int) -> str:
    rows, first = inspect.getsourcelines(code)
    inside = first <= lineno < first + len(rows)
    return rows[lineno - first].rstrip("\n") if inside else ""
