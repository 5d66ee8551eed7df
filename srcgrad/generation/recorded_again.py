"""The derivatives of recorded calls, as functions with texts of their own.

Generated code calls ``recorded``, which gives a backward function that only exists while it
runs. Text that is differentiated again calls these functions in its place: they take what the
call was given, run it once more, and are recorded themselves where that text is differentiated.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from srcgrad.emit.primal.forward import recording_options
from srcgrad.emit.primal.returned import tuple_text
from srcgrad.ir.structures import form_of
from srcgrad.load.compile import write_file
from srcgrad.load.texts import owner_of
from srcgrad.tape.regions import recorded, recorded_jvp


def made_again(
    f: Any, given: int, names: tuple[str, ...], wrt: Any, ranks: list[Any], gives: Any
) -> tuple[Any, Any]:
    """Return the functions that stand for the derivatives of a recorded call.

    Returns:
        Two functions. Both take the arguments of the call; behind those by position, the first
        one takes the cotangents of the leaves of the result, and gives those of the arguments;
        the second one takes the tangents of the arguments, and gives those of the result.
    """
    label = f.__name__ if f.__name__.isidentifier() else "function"
    own = _positional(f, given, names)
    leaves = list(_leaves(gives))
    bars = _numbered("value_bar", len(leaves), {*own, *names})
    dots = _numbered("value_dot", len(leaves), {*own, *names})
    moving = _numbered("dot", len(wrt), {*own, *names, *dots})
    space: dict[str, Any] = {}

    def namer(thing: Any) -> str:
        space[thing.__name__] = thing
        return thing.__name__

    called = [label, *own, *(f"{name}={name}" for name in names)]
    options = recording_options(wrt, gives, namer)
    back = [
        f"_, backward = recorded({', '.join([*called, options])})",
        f"return backward({', '.join(bars)})",
    ]
    tangents = moving[0] if len(moving) == 1 else tuple_text(moving)
    live = [dot for dot, leaf in zip(dots, leaves, strict=True) if not isinstance(leaf, type)]
    seen = [dot if dot in live else "_" for dot in dots]
    target = seen[0] if gives is None or type(gives) is int else tuple_text(seen)
    along = [
        f"_, {target} = recorded_jvp({', '.join([*called, options, f'tangents={tangents}'])})",
        f"return {', '.join(live)}",
    ]
    space |= {label: f, "recorded": recorded, "recorded_jvp": recorded_jvp}
    what = "Cotangents of the arguments", "Tangents of the result"
    moved = [leaf for leaf in leaves if not isinstance(leaf, type)]
    return (
        _made(f"{label}_vjp", what[0], f, (*own, *bars), names, back, space, ranks),
        _made(f"{label}_jvp", what[1], f, (*own, *moving), names, along, space, moved),
    )


def _made(
    name: str, what: str, f: Any, own: Any, names: Any, lines: list[str], space: dict[str, Any],
    ranks: list[Any],
) -> Any:  # fmt: skip
    """Compile a function, which sees nothing but what its text names."""
    known = getattr(f, "__srcgrad_apart__", None)
    line = f.__code__.co_firstlineno if known is None else known.key[1]
    file = owner_of(f).__code__.co_filename.replace(chr(92), "/").rsplit("/", 1)[-1]
    place = f"{file}:{line}"
    head = ", ".join([*own, *(["*", *names] if names else [])])
    text = "\n".join(
        [
            f"def {name}({head}):",
            f'    """{what} of {f.__name__} ({place}), which is recorded."""',
            *(f"    {line}" for line in lines),
            "",
        ]
    )
    found = {"__name__": recorded.__module__, **space}
    exec(compile(text, write_file(name, text), "exec"), found)
    made = found[name]
    made.__srcgrad_generated__ = [text], name, ""
    made.__srcgrad_gives__ = None if None in ranks else ranks[0] if len(ranks) == 1 else (*ranks,)
    return made


def _positional(f: types.FunctionType, given: int, names: tuple[str, ...]) -> list[str]:
    """Names for the arguments that are given by position: those of the parameters."""
    code = f.__code__
    known = code.co_varnames[: min(code.co_argcount, given)]
    more = _numbered("args", given - len(known), {*known, *names}) if given > len(known) else []
    return [*known, *more]


def _numbered(name: str, count: int, taken: set[str]) -> list[str]:
    found = [name] if count == 1 else [f"{name}_{k}" for k in range(count)]
    while taken & {*found}:
        found = [f"{part}_" for part in found]
    return found


def _leaves(gives: Any) -> Iterator[Any]:
    """The leaves of what a call gives, but those that are None; one where it is not known."""
    form = form_of(gives) if gives is not None else None
    if form is None and not isinstance(gives, tuple | list):
        yield gives
        return
    parts: Any = gives if form is None else form.parts(gives)
    for part in parts:
        if part is not None:
            yield from _leaves(part)
