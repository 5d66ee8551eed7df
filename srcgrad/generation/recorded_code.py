"""The code that runs a function on the tape, in the place of generated code."""

from __future__ import annotations

import functools
import inspect
import textwrap
import types
import weakref
from typing import TYPE_CHECKING, Any

from srcgrad import tape
from srcgrad.calling.arguments.local_names import LocalName
from srcgrad.calling.recorded import Misfit, announce, innermost, mode_in_force, region_of
from srcgrad.calling.reuse.specialisation import Specialisation
from srcgrad.errors import (
    ArgumentError,
    InternalError,
    MissingFormulaError,
    OverwrittenError,
    ResultError,
    SourceNotFoundError,
    SrcgradError,
)
from srcgrad.late import late
from srcgrad.load.compile import write_file
from srcgrad.program import containers
from srcgrad.program.primals import primal_of

if TYPE_CHECKING:
    from srcgrad.calling.transformed import Transform

_DEPTH, _LENGTH = 4, 16  # how far into arguments their kinds are told apart
_WIDTH = 88
# why there is no code, where the tape may not get further either
_UNKNOWN = (MissingFormulaError, ResultError, SourceNotFoundError)
_DOCS = {
    "grad": "Gradient of {} with respect to {}",
    "value_and_grad": "Value and gradient of {} with respect to {}",
    "vjp": "Value of {} and its backward function with respect to {}",
    "jvp": "Value and tangent of {} with respect to {}",
}


def recorded_code(
    transform: Transform, arguments: list[Any] | None, refusal: SrcgradError, always: bool
) -> Specialisation:
    """Return what runs a derivative on the tape.

    Returns:
        Its guard holds for arguments of the same kinds.
    """
    if transform.on_final is not None:
        raise ArgumentError(
            "on_final is told of gradients by generated code, and the function is recorded",
            spots=refusal.spots,
            why=f"No code could be generated for it: {refusal.what}.",
            fixes=refusal.fixes,
        )
    inside = [name for name in transform.wanted if isinstance(name, LocalName)]
    if inside:
        raise ArgumentError(
            f"{str(inside[0])!r} is inside of a function that is recorded while it runs, where "
            "only arguments are differentiated",
            spots=refusal.spots,
            why=f"No code could be generated for it: {refusal.what}.",
            fixes=refusal.fixes,
        )
    text, names = text_of(transform, refusal, arguments is None and not always)
    filename = write_file(_name(transform), text)
    space = {"__name__": transform.plain.__module__, **names}
    exec(compile(text, filename, "exec"), space)
    run = _announced(space[_name(transform)], transform, refusal, arguments is not None)
    guard = _always if always else functools.partial(_same, kinds(tuple(arguments or ())))
    region = region_of(refusal, transform.plain)
    return Specialisation(
        guard, run, None, None, text, filename, None, None, recorded=region, refusal=refusal
    )


def _announced(run: Any, transform: Transform, refusal: SrcgradError, called: bool) -> Any:
    later = called and bool(refusal.unseen)  # once it is known how much of it is recorded

    @functools.wraps(run)
    def announced(*args: Any, **options: Any) -> Any:
        unknown = isinstance(refusal, (*_UNKNOWN, InternalError))
        if not unknown or mode_in_force(transform.mode) == "refuse":
            if not later:
                announce(transform.mode, transform.plain, refusal)
            return run(*args, **options)
        try:  # the tape goes through some functions that have no formula, or raises the same
            found = run(*args, **options)
        except _UNKNOWN as error:
            raise refusal.at(refusal.spots) from error
        if not later:
            announce(transform.mode, transform.plain, refusal)
        return found

    return announced


def with_recorded_calls(transform: Transform, run: Any, calls: list[tuple[Any, ...]]) -> Any:
    """Return generated code that tells of the calls that it records.

    Where such a call gives something else than the code was written for, the whole function
    is recorded. It was found out before that nothing it has done so far can be noticed.
    """

    @functools.wraps(run)
    def announced(*args: Any, **options: Any) -> Any:
        for owner, refusal, callee in calls:
            announce(transform.mode, owner, refusal, partly=owner is not callee)
        try:
            return run(*args, **options)
        except OverwrittenError as error:
            if transform.kind == "vjp":
                raise
            misfit = Misfit(None, None)
            misfit.__cause__ = error
        except Misfit as error:
            misfit = error
        if transform.kind == "jvp":
            options = {name: value for name, value in options.items() if name in transform.names}
        bound = inspect.Signature(transform.parameters).bind(*args, **options)
        bound.apply_defaults()
        arguments = list(bound.arguments.values())
        special = transform.whole(arguments, misfit, calls[0][1])
        if not late("may_run_again")(innermost(transform.plain), arguments):
            raise ResultError(
                f"a part of {innermost(transform.plain).__name__} gave something of another kind "
                "than in its first call, and what it has changed cannot be undone",
                spots=calls[0][1].spots,
                why="That part is recorded while it runs; from now on the whole function is.",
                fixes=["call it again"],
            ) from misfit
        # what vjp and jvp make of it is not what they make of generated code
        return special if transform.kind in ("vjp", "jvp") else special.run(*args, **options)

    return announced


def _always(*args: Any) -> bool:
    return True


def _same(known: Any, *args: Any) -> bool:
    return kinds(args) == known


def kinds(value: Any, depth: int = _DEPTH) -> Any:
    """Return what code is generated anew for: types, ranks and structures, not numbers.

    Example:
        >>> kinds((1.0, 2)) == kinds((3.0, 4)), kinds((1.0,)) == kinds((1,))
        (True, False)
    """
    cls = type(value)
    if cls in weakref.ProxyTypes:
        return cls
    if hasattr(cls, "dtype") and hasattr(cls, "ndim"):
        return cls, str(value.dtype), value.ndim
    if value is None or isinstance(value, bool | str | bytes):
        return cls, value
    if isinstance(value, types.FunctionType):
        return cls, value.__code__
    if isinstance(value, int | float | complex) or not depth:
        return cls
    if isinstance(value, tuple | list):
        parts = containers.parts(value)[:_LENGTH]
        return cls, len(parts), tuple(kinds(part, depth - 1) for part in parts)
    held = value if isinstance(value, dict) else getattr(value, "__dict__", None)
    if isinstance(value, type | types.ModuleType) or not isinstance(held, dict):
        return (cls, id(value)) if callable(value) else cls
    pairs = containers.rows(held)[:_LENGTH]
    return cls, tuple((_label(key), kinds(part, depth - 1)) for key, part in pairs)


def _label(key: Any) -> Any:
    return key if type(key) in (str, int, float, bool, type(None)) else type(key)


def text_of(
    transform: Transform, refusal: SrcgradError, before: bool = False
) -> tuple[str, dict[str, Any]]:
    """Write the function that runs a derivative on the tape.

    Returns:
        The text of a module, and what it reads besides its import, by name.
    """
    function = innermost(transform.plain)
    taken = {p.name for p in transform.parameters}
    engine = _free("tape", taken)
    own = _callee(transform)
    label = getattr(own, "__name__", function.__name__)
    label = _free(label if label.isidentifier() else "function", taken | {engine})
    names: dict[str, Any] = {engine: tape, label: own}
    called, levels = label, _chain(transform)
    if transform.kind in ("vjp", "jvp"):
        levels, last = levels[:-1], levels[-1]
        called = _nested(engine, called, levels)
        if transform.kind == "vjp":
            given = ", ".join([called, *_given(transform), f"wrt={_wrt(last)}"])
        else:
            given = f"{called}, primals, tangents"
            given += ", moving, **options" if _takes_names(transform) else ""
        call = f"{engine}.{transform.kind}({given})"
    else:
        call = f"{_nested(engine, called, levels)}({', '.join(_given(transform))})"
    wanted = ", ".join(n.replace(".", "_") for n in transform.wanted)
    wanted = f"({wanted})" if isinstance(transform.wrt, tuple | list) else wanted
    region = region_of(refusal, transform.plain)
    comment = f"recorded: {region.reason}" + (f" ({region.place})" if region.line else "")
    comments = textwrap.wrap(comment, _WIDTH - 6)
    if before:
        comments += textwrap.wrap(
            "This is what is known before a call; for its arguments there may be text.", _WIDTH - 6
        )
    code = getattr(function, "__code__", None)
    place = function.__name__
    if code is not None:
        place += f" ({code.co_filename.replace(chr(92), '/').rsplit('/', 1)[-1]}"
        place += f":{code.co_firstlineno})"
    doc = _DOCS[transform.kind].format(place, wanted)
    tail = ", recorded while it runs."
    if len(doc + tail) > _WIDTH:
        tail = ", recorded."
    imported = "tape" if engine == "tape" else f"tape as {engine}"
    lines = [
        f"from srcgrad import {imported}",
        "",
        "",
        f"def {_name(transform)}({', '.join(_head(transform))}):",
        f'    """{doc}{tail}"""',
        *(f"    # {line}" for line in comments),
        f"    return {call}",
    ]
    return "\n".join(lines) + "\n", names


def _name(transform: Transform) -> str:
    name = innermost(transform.plain).__name__
    chain = [t.kind for t in _chain(transform)]
    return "_".join([name if name.isidentifier() else "lambda_", *chain])


def _chain(transform: Transform) -> list[Transform]:
    """The derivatives that are taken of a function, first things first."""
    inner = getattr(transform.plain, "__srcgrad__", None)
    return [*([] if inner is None else _chain(inner)), transform]


def _callee(transform: Transform) -> Any:
    """The user's function; of a method, the plain one."""
    first = _chain(transform)[0]
    if first.bound:
        return first.plain
    return primal_of(first.function)


def _nested(engine: str, called: str, levels: list[Transform]) -> str:
    for level in levels:
        aux = ", has_aux=True" if level.has_aux else ""
        called = f"{engine}.{level.kind}({called}, wrt={_wrt(level)}{aux})"
    return called


def _wrt(transform: Transform) -> str:
    """The positions of the differentiated arguments, or the names of those passed by name."""
    places = []
    for wanted in transform.wanted:
        base, _, part = wanted.partition(".")
        k = transform.names.index(base)
        p = transform.parameters[k]
        if p.kind is p.KEYWORD_ONLY or (part and not part.isdigit()):
            places.append(repr(part or base))
        else:
            places.append(str(k + int(part or 0)))
    if not isinstance(transform.wrt, tuple | list):
        return places[0]
    return f"({', '.join(places)}{',' if len(places) == 1 else ''})"


def _head(transform: Transform) -> list[str]:
    """The parameters; who calls gives all of them."""
    if transform.kind == "jvp":
        named = ["moving=None", "/", "**options"] if _takes_names(transform) else []
        return ["primals", "tangents", *named]
    head: list[str] = []
    star = False
    for p in transform.parameters:
        if p.kind is p.KEYWORD_ONLY and not star:
            head.append("*")
        star = star or p.kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY)
        marks = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}
        head.append(marks.get(p.kind, "") + p.name)
    return head


def _takes_names(transform: Transform) -> bool:
    """Whether there are parameters that are given by name only."""
    return any(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in transform.parameters)


def _given(transform: Transform) -> list[str]:
    """How the parameters are passed on."""
    given = []
    for p in transform.parameters:
        marks = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**", p.KEYWORD_ONLY: f"{p.name}="}
        given.append(marks.get(p.kind, "") + p.name)
    return given


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
