"""Generated code as it is kept: its texts, what it relies on, and the test of its arguments."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.cache import files
from srcgrad.cache.descriptions import Undescribed
from srcgrad.cache.relied_on import Ways, read_again, written
from srcgrad.late import ComputedOnce, late
from srcgrad.load.compile import load
from srcgrad.load.source_map import Place
from srcgrad.load.texts import FunctionText
from srcgrad.program.guards import ArgumentTests, Facts

_EACH = 16  # how many kinds of arguments of one derivative are kept


class LateSource:
    """The text of a user's function, which is read when something beside its names is asked for."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function  # the function
        self.globals = function.__globals__  # its globals
        self.cells = _cells(function)  # the cells of its free variables, by name

    def __getattr__(self, name: str) -> Any:
        return getattr(self.read, name)

    @ComputedOnce
    def read(self) -> Any:
        """The text, with all that is known of it."""
        return late("source_of")(self.function)


def _cells(function: types.FunctionType) -> dict[str, Any]:
    closure = function.__closure__ or ()
    return dict(zip(function.__code__.co_freevars, closure, strict=True))


@dataclass(frozen=True)
class Code:
    """What is kept of generated code."""

    texts: Sequence[FunctionText]  # its functions
    main: str  # the name of the function that is called
    second: str | None  # that of the backward function of a ``vjp``
    slots: Any  # see ``Specialisation``, as plain data
    flags: tuple[bool, ...]  # what has to be tested of its results


@dataclass(frozen=True)
class Loaded:
    """Code that was read from the cache."""

    guard: Any  # tells whether a call fits it
    functions: dict[str, Any]  # its functions by name
    code: Code  # what was kept
    tests: ArgumentTests  # the tests of its arguments
    facts: Facts  # what it relies on
    filename: str  # the file that it was compiled under
    text: str  # the text of that file


def keep(key: str, root: Any, tests: ArgumentTests, facts: Facts, code: Code) -> None:
    """Keep generated code under a key, unless it relies on what cannot be written down."""
    try:
        row = _written(root, tests, facts, code)
    except Undescribed:
        return
    known = [other for other in _rows(key) if other[1:3] != row[1:3]]
    files.write(key, [row, *known[: _EACH - 1]])


def _rows(key: str) -> list[Any]:
    found = files.read(key)
    return found if isinstance(found, list) else []


def _written(root: Any, tests: ArgumentTests, facts: Facts, code: Code) -> tuple[Any, ...]:
    ways = Ways(root, {number: cls for number, (_, cls) in facts.classes.items()})
    start = ways.described.of(root)
    relied_on = written(facts, ways)
    space = {name: _thing(thing, ways) for name, thing in tests.space.items()}
    texts = [_text(text, ways, {other.name for other in code.texts}) for text in code.texts]
    signature = tests.parameters, tests.tests, space
    return start, signature, relied_on, texts, (code.main, code.second, code.slots, code.flags)


def _thing(thing: Any, ways: Ways) -> tuple[Any, ...]:
    """What a text refers to: the way to it, and what it is."""
    if type(thing) in (list, set) and id(thing) not in ways.ways:  # of names, in a test
        parts = sorted(thing, key=repr) if type(thing) is set else thing
        return type(thing).__name__, tuple(_thing(part, ways) for part in parts)
    return "thing", ways.to(thing), ways.described.of(thing)


def _text(text: FunctionText, ways: Ways, own: set[str]) -> tuple[Any, ...]:
    function, cells = text.source.function, _cells(text.source.function)
    source = _thing(function, ways)
    if text.apart is not None or text.source.globals is not function.__globals__:
        raise Undescribed("statements apart")
    if text.source.cells.keys() != cells.keys() or any(
        cells[name] is not cell for name, cell in text.source.cells.items()
    ):
        raise Undescribed("cells of another function")
    externals = [
        (name, None if name in own else _thing(thing, ways))
        for name, thing in text.externals.items()
    ]
    places = [
        (line, (place.function, place.filename, place.lineno, place.text))
        for line, place in text.places.items()
    ]
    return text.name, text.text, source, externals, places


def kept(key: str, root: Any, arguments: tuple[Any, ...]) -> Loaded | None:
    """Return the code for the arguments of a call that is kept under a key, if there is any."""
    for row in _rows(key):
        try:
            found = _loaded(root, row, arguments)
        except Exception:  # noqa: BLE001  # whatever it is, code is generated then
            continue
        if found is not None:
            return found
    return None


def _loaded(root: Any, row: tuple[Any, ...], arguments: tuple[Any, ...]) -> Loaded | None:
    start, (parameters, texts_of_tests, given), relied_on, texts, (main, second, slots, flags) = row
    ways = Ways(root)
    if ways.described.of(root) != start:
        return None
    facts = read_again(relied_on, ways)
    space = {name: _there(thing, ways) for name, thing in given.items()}
    tests = ArgumentTests(parameters, texts_of_tests, space)
    functions = list(_functions(texts, ways))
    guard = tests.guard(facts)
    if not guard(*arguments):
        return None
    made, filename, text = load(functions, main)
    code = Code(functions, main, second, slots, flags)
    return Loaded(guard, made, code, tests, facts, filename, text)


def _there(row: tuple[Any, ...], ways: Ways) -> Any:
    kind, *rest = row
    if kind in ("list", "set"):
        parts = [_there(part, ways) for part in rest[0]]
        return parts if kind == "list" else set(parts)
    way, described = rest
    thing = ways.follow(way)
    if ways.described.of(thing) != described:
        raise Undescribed("another thing")
    return thing


def _functions(rows: list[Any], ways: Ways) -> Iterator[FunctionText]:
    for name, text, source, externals, places in rows:
        read = LateSource(_there(source, ways))
        named = {label: None if row is None else _there(row, ways) for label, row in externals}
        lines = {line: Place(*place) for line, place in places}
        yield FunctionText(name, text, read, named, lines)
