"""Write the function that a user calls: it runs the generated code that fits the arguments."""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

from srcgrad.calling.arguments.stand_ins import stands_for_library
from srcgrad.calling.made import Derivative, identifier
from srcgrad.calling.recorded import innermost
from srcgrad.calling.reuse.sharing import found
from srcgrad.calling.watched import watched_run
from srcgrad.late import late
from srcgrad.load.observers import WATCHING
from srcgrad.load.tracebacks import shorten, shortened
from srcgrad.program.texts import tell

if TYPE_CHECKING:
    from srcgrad.calling.transformed import Transform


class _Unset:
    """What stands for an argument that was not passed."""

    def __repr__(self) -> str:
        return "<the default>"


_UNSET = _Unset()


def make_dispatch(transform: Transform) -> Derivative:
    """Make what has the primal's signature and runs the fitting specialisation."""
    function = types.FunctionType(_placeholder.__code__, {"__builtins__": builtins})
    made: Any = Derivative(function)
    made.__srcgrad__ = function.__srcgrad__ = transform  # type: ignore[attr-defined]
    made.__srcgrad_made__ = (transform.kind, transform.function, transform.options)
    made.recorded = transform.recorded
    made.debug = functools.partial(_late, "debug", transform)
    made.file = functools.partial(_late, "file_of", transform)
    write_dispatch(transform, made)
    return made


def _late(name: str, *args: Any, **options: Any) -> Any:
    return late(name)(*args, **options)


def _placeholder() -> None:
    """The code that a function has until its own is written."""


def write_dispatch(transform: Transform, derivative: Any) -> None:
    """Give a derivative the code that runs the fitting specialisation.

    It makes sure first that the parameters and defaults of the primal are what they were.
    """
    made = derivative.func
    shift = len(transform.bound)
    space: dict[str, Any] = {}
    unchanged = " and ".join(transform.facts.written(space))
    space |= {
        "srcgrad_find": functools.partial(found, transform),
        "srcgrad_table": transform.table,
        "srcgrad_bound": transform.bound,
        "srcgrad_late": late,
        "srcgrad_shorten": shorten,
        "srcgrad_shortened": shortened,
        "srcgrad_otherwise": functools.partial(_late, "otherwise", transform),
        "srcgrad_renewed": functools.partial(_renewed, transform),
        "srcgrad_unset": _UNSET,
        "srcgrad_watching": transform.check_finite or WATCHING,
        "srcgrad_watched": functools.partial(watched_run, transform),
    }
    head, passed, given = [], [f"srcgrad_bound[{k}]" for k in range(shift)], []
    filled: list[str] = []
    star = False
    for p in transform.parameters[shift:]:
        text = p.name
        if p.kind is p.VAR_POSITIONAL:
            head.append(f"*{text}")
            star = True
            passed.append(text)
            given.append(f"*{text}")
            continue
        if p.kind is p.VAR_KEYWORD:
            head.append(f"**{text}")
            passed.append(text)
            given.append(f"**{text}")
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            head.append("*")
            star = True
        if p.default is not p.empty:
            space[f"default_{text}"] = p.default
            filled.append(f"    if {text} is srcgrad_unset:\n        {text} = default_{text}\n")
            text = f"{text}=srcgrad_unset"
        head.append(text)
        passed.append(p.name)
        given.append(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name)
    by_position = sum(p.kind is p.POSITIONAL_ONLY for p in transform.parameters[shift:])
    if by_position:
        head.insert(by_position, "/")
    name = f"{identifier(transform.plain)}_{transform.kind}"
    call = ", ".join([*[f"srcgrad_bound[{k}]" for k in range(shift)], *given])
    test = ", ".join(passed)
    first = ""
    if stands_for_library(innermost(transform.plain)):  # it has fewer than the function itself
        first = f"    {test}, = srcgrad_bind(srcgrad_args, srcgrad_options).arguments.values()\n"
        head = ["*srcgrad_args", "**srcgrad_options"]
        space["srcgrad_bind"] = transform.bind
    renewed = f"srcgrad_renewed({', '.join(given)})"
    again = (
        f"    if not ({unchanged}):\n        return {renewed}\n"
        if "[" not in unchanged
        else (
            f"    try:\n"
            f"        srcgrad_holds = {unchanged}\n"
            f"    except Exception:\n"
            f"        srcgrad_holds = False\n"
            f"    if not srcgrad_holds:\n"
            f"        return {renewed}\n"
        )
    )
    text = (
        f"def {name}({', '.join(head)}):\n"
        f"{first}"
        f"{again if unchanged else ''}"
        f"{''.join(filled)}"
        f"    for srcgrad_guard, srcgrad_run in srcgrad_table:\n"
        f"        if srcgrad_guard({test}):\n"
        f"            break\n"
        f"    else:\n"
        f"        with srcgrad_shortened:\n"
        f"            srcgrad_run = srcgrad_find(({test}{',' if test else ''})).run\n"
        f"    if srcgrad_watching:\n"
        f"        srcgrad_run = srcgrad_watched(srcgrad_run)\n"
        f"    try:\n"
        f"        return srcgrad_run({call})\n"
        f"    except BaseException as srcgrad_error:\n"
        f"        srcgrad_late('annotate')(srcgrad_error)\n"
        f"        srcgrad_found = srcgrad_otherwise(srcgrad_error, ({test}{',' if test else ''}))\n"
        f"        if srcgrad_found is None:\n"
        f"            srcgrad_shorten(srcgrad_error)\n"
        f"            raise\n"
        f"        return srcgrad_found[0]\n"
    )
    filename = f"<srcgrad {name}>"
    tell(filename, text)
    made.__globals__.update(space)
    held: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), made.__globals__, held)
    new = held[name]
    made.__code__, made.__defaults__ = new.__code__, new.__defaults__
    made.__kwdefaults__ = new.__kwdefaults__
    for each in (made, derivative):
        each.__name__ = each.__qualname__ = name
        each.__signature__ = inspect.Signature(transform.parameters[shift:])
        each.__doc__ = _documentation(transform)
        each.__module__ = getattr(transform.plain, "__module__", None)


def _documentation(transform: Transform) -> str:
    """Return what ``help`` tells of a derivative."""
    wanted = transform.wanted
    many = isinstance(transform.wrt, tuple | list)
    named = f"({', '.join(wanted)}{',' if len(wanted) == 1 else ''})" if many else wanted[0]
    what = {"grad": "gradient", "value_and_grad": "value and gradient"}
    kind = what.get(transform.kind, transform.kind)
    return f"Return the {kind} of {transform.plain.__name__} with respect to {named}."


def _renewed(transform: Transform, *args: Any, **options: Any) -> Any:
    """Read the primal again, and call the derivative with the arguments that were passed."""
    transform.current()
    names = transform.names[len(transform.bound) :]
    count = next((k for k, value in enumerate(args) if value is _UNSET), len(args))
    options |= dict(zip(names[count:], args[count:], strict=False))
    named = {name: value for name, value in options.items() if value is not _UNSET}
    return transform.dispatch(*args[:count], **named)
