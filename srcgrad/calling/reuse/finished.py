"""What a call runs, made of the functions that were compiled: with tests of what they give."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from srcgrad.calling.unsettled import holds_nan, settled
from srcgrad.errors import ArgumentError, ResultError
from srcgrad.late import late
from srcgrad.library.libraries import is_of_library
from srcgrad.load.texts import FunctionText
from srcgrad.program.namespaces import held_by
from srcgrad.runtime import with_added_columns
from srcgrad.runtime.kept import fingerprint

if TYPE_CHECKING:
    from srcgrad.calling.transformed import Transform


def require_real_results(
    run: Callable[..., Any], kind: str, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a generated function that refuses to give back a complex derivative.

    Args:
        run: the function.
        kind: which derivative it computes: ``grad``, ``value_and_grad``, ``vjp`` for a
            backward function, or ``jvp``.
        has_aux: whether ``grad`` gives something else back beside the gradient.

    Raises:
        ResultError: at the call, when the derivative is complex.
    """

    @functools.wraps(run)
    def checked(*args: Any, **options: Any) -> Any:
        try:
            with warnings.catch_warnings():  # of a complex number that is stored among real ones
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                made = run(*args, **options)
        except np.exceptions.ComplexWarning:
            raise _error(run) from None
        if kind == "grad" and has_aux:
            derivative = made[0]
        else:
            derivative = made[1] if kind in ("value_and_grad", "jvp") else made
        if late("holds_complex")(derivative):
            raise _error(run)
        return made

    return checked


def _error(run: Callable[..., Any]) -> ResultError:
    return ResultError(
        f"the derivative of {run.__name__} is complex, and was taken to be real",
        why="A number that the program reads or computes was not known to be complex "
        "when code was generated.",
        fixes=["make it complex where that can be seen: z = z + 0j", "take its real part"],
    )


def require_unchanged(run: Callable[..., Any], program: Any) -> Callable[..., Any]:
    """Return a generated function that refuses arguments which a program has from outside, too."""

    @functools.wraps(run)
    def checked(*args: Any, **options: Any) -> Any:
        arrays = [x for x in (*args, *options.values()) if issubclass(type(x), np.ndarray)]
        before = list(map(fingerprint, arrays))
        made = run(*args, **options)
        pairs = zip(arrays, before, strict=True)
        changed = [array for array, mark in pairs if fingerprint(array) != mark]
        if changed and any(np.may_share_memory(x, y) for x in changed for y in reached(program)):
            raise ArgumentError(
                f"an argument of {run.__name__} is written through another name",
                why="What the program writes from outside shares memory with it.",
                fixes=["pass a copy: x.copy()"],
            )
        return made

    return checked


def reached(program: Any) -> Iterator[np.ndarray]:
    """Yield the arrays that a program reaches by itself: through globals, cells and objects."""
    waiting, seen = [program], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, types.ModuleType):
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            yield thing
        elif isinstance(thing, types.MethodType):
            waiting += [thing.__func__, thing.__self__]
        elif isinstance(thing, types.FunctionType):
            waiting += [thing.__globals__.get(name) for name in _names_in(thing.__code__)]
            waiting += [cell.cell_contents for cell in thing.__closure__ or () if cell != _EMPTY]
            waiting += thing.__defaults__ or ()
        elif isinstance(thing, list | tuple | set | frozenset):
            waiting += thing
        elif isinstance(thing, dict):
            waiting += thing.values()
        elif not is_of_library(thing) and not is_of_library(type(thing)):
            waiting += [*held_by(thing).values(), type(thing)]


_EMPTY = types.CellType()


def _names_in(code: types.CodeType) -> set[str]:
    inner = (part for part in code.co_consts if isinstance(part, types.CodeType))
    return set(code.co_names).union(*map(_names_in, inner))


def reads_added_columns(functions: Iterable[FunctionText]) -> bool:
    """Tell whether generated functions compute tangents of matrices with added columns."""
    return any(f.externals.get("with_added_columns") is with_added_columns for f in functions)


def require_determined(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a generated function that refuses a tangent that is nan."""

    @functools.wraps(run)
    def checked(*args: Any, **options: Any) -> Any:
        made = run(*args, **options)
        if holds_nan(made[1]):
            raise ResultError(
                f"the tangent that {run.__name__} gives is nan",
                why="It depends on the columns that full matrices add to orthonormal ones, which "
                "have no derivative, or on vectors of singular values that coincide.",
                fixes=["call svd with full_matrices=False", 'call qr with mode="economic"'],
            )
        return made

    return checked


class Flags(NamedTuple):
    """What has to be tested when generated code runs.

    Attributes:
        unsure: whether results may be complex, and were taken to be real.
        effects: whether the program writes into what it was not given.
        undetermined: whether tangents may be nan that are not determined.
        messages: whether it sends some to other ranks, which are to be received before it ends.
        unsettled: whether a slope may be infinite, or none, where nothing reads a value.
    """

    unsure: bool = False
    effects: bool = False
    undetermined: bool = False
    messages: bool = False
    unsettled: bool = False

    @property
    def shared(self) -> bool:
        """Whether closures may share the code: all tests are those of its results."""
        return not (self.effects or self.undetermined or self.messages)


def finished(
    transform: Transform, flags: Flags, run: Any, backward: Any, inner: Any = None
) -> tuple[Any, Any]:
    """Return what a call runs of generated code.

    Args:
        transform: the derivative.
        flags: what has to be tested.
        run: the function that is called.
        backward: for ``vjp``, the backward function.
        inner: what is put around the function that is called before it is looked at what that
            gives from outside.
    """
    if flags.messages:
        run = late("flushing")(run)
        backward = None if backward is None else late("flushing")(backward)
    if flags.unsure and transform.kind == "vjp":
        backward = require_real_results(backward, "vjp")
    elif flags.unsure:
        run = require_real_results(run, transform.kind, transform.has_aux)
    if flags.unsettled and transform.kind == "vjp":
        backward = settled(backward, "vjp")
    elif flags.unsettled and transform.on_final is None:  # which may step an argument
        run = settled(run, transform.kind, transform.has_aux)
    if inner is not None:
        run = inner(run)
    if flags.effects and transform.on_final is None:  # which may step an argument
        run = require_unchanged(run, transform.function)
    return require_determined(run) if flags.undetermined else run, backward
