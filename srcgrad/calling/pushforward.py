"""Forward mode for the user: ``jvp``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from srcgrad.calling.options import OfRuns, Options, takes
from srcgrad.calling.protocols import R
from srcgrad.calling.pullback import flat_like
from srcgrad.calling.reuse.sharing import found as found_code
from srcgrad.calling.reuse.specialisation import Specialisation
from srcgrad.calling.transformed import Transform, arguments_of, remembered
from srcgrad.calling.unsettled import Unsettled
from srcgrad.calling.watched import watched
from srcgrad.errors import ArgumentError
from srcgrad.late import late
from srcgrad.load.observers import WATCHING
from srcgrad.load.tracebacks import shorten, shortened

if TYPE_CHECKING:
    from srcgrad.ir.forms import Skeleton


@takes(OfRuns)
def jvp(
    f: Callable[..., R],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    **chosen: Unpack[OfRuns],
) -> tuple[R, Any]:
    """Evaluate a function and its derivative along a direction (Jacobian-vector product).

    Args:
        f: the function; it may return arrays, numbers, and tuples of them.
        primals: its arguments, one entry for each.
        tangents: the direction: for each argument None, which stands for zero, or
            an array in its shape; for a tree, a tree with arrays or None in it.
        recorded: ``"warn"``, ``"allow"`` or ``"refuse"``; see ``grad``.
        check_finite: whether to stop at the first value that is not finite; see ``grad``.
        jit: what compiles the generated code; see ``grad``.
        optimize: ``"readable"`` or ``"speed"``; see ``grad``.
        policy: how single values are kept, by name; see ``grad``.
        memory_budget: what a call may take; see ``grad``.

    Returns:
        ``(value, value_dot)``. The tangent has the structure of the value; what
        is no real number in the value has None in its place.

    Raises:
        ArgumentError: when primals and tangents do not fit each other, or an
            argument with a tangent cannot be differentiated.

    Example:
        >>> from srcgrad import jvp
        >>> value, slope = jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, None))
        >>> float(value), float(slope)
        (6.0, 2.0)
    """
    how = Options.around(f, OfRuns, chosen)

    def transform_for(moving: tuple[int, ...]) -> Transform:
        return jvp_transform(f, moving, how)

    return run_jvp(transform_for, primals, tangents)


@remembered
def jvp_transform(f: Callable[..., Any], wrt: tuple[int | str, ...], options: Options) -> Transform:
    """The transformation behind `jvp`, which remembers the code that it made."""
    ranks = getattr(f, "ranks", {})
    return Transform(f, "jvp", wrt, False, ranks, options)


def run_jvp(
    transform_for: Callable[[tuple[int, ...]], Transform],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    options: dict[str, Any] | None = None,
    named_tangents: dict[str, Any] | None = None,
) -> tuple[Any, Any]:
    """Run the code that carries these tangents along.

    Args:
        transform_for: gives the transformation for the positions that have a tangent.
        primals: see ``jvp``.
        tangents: see ``jvp``.
        options: arguments that are given by name.
        named_tangents: the tangents of those of them that move.
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise ArgumentError(
                f"{name} is no tuple",
                fixes=["give tuples with one entry for each argument: jvp(f, (x,), (x_dot,))"],
            )
    if len(primals) != len(tangents):
        raise ArgumentError(
            f"there are {len(primals)} primals and {len(tangents)} tangents",
            fixes=["give a tangent, or None, for each primal"],
        )
    moving = tuple(k for k, dot in enumerate(tangents) if dot is not None)
    transform = transform_for(moving).current()
    positions = transform.positions(tuple(primals))
    arguments = arguments_of(transform, tuple(primals), options)
    with shortened:
        special = found_code(transform, arguments)
    if WATCHING or transform.check_finite:
        special = watched(transform, special)
    if special.recorded is not None:
        with shortened:
            return _on_tape(transform, special, primals, tangents, arguments, named_tangents)
    positional, named = transform.passed(arguments)
    names, structures = special.slots
    given, moving_as = _all(primals, options), _all(tangents, named_tangents)
    dots: list[Any] = []
    for k, whole in zip(positions, structures, strict=True):
        dots += flat_tangents(k, whole, given[k], moving_as[k])
    try:
        made = special.run(*positional, **named, **dict(zip(names, dots, strict=True)))
    except BaseException as error:
        late("annotate")(error)

        def on_tape(special: Specialisation) -> tuple[Any, Any]:
            return _on_tape(transform, special, primals, tangents, arguments, named_tangents)

        found = late("otherwise")(transform, error, arguments, on_tape)
        if found is not None:
            return found[0]
        if not isinstance(error, Unsettled):
            shorten(error)
            raise
        made = error.made
    if isinstance(made, Specialisation):  # a recorded call did not give what was expected
        return _on_tape(transform, made, primals, tangents, arguments, named_tangents)
    value, value_dot = made
    return value, _like(value_dot, value)


def run_along(
    transform: Transform, args: tuple[Any, ...], options: dict[str, Any], dots: dict[Any, Any]
) -> tuple[Any, Any]:
    """Return the value and its tangent along directions of arguments, by position or by name."""
    tangents = [dots.get(k) for k in range(len(args))]
    named = {k: dot for k, dot in dots.items() if isinstance(k, str)}
    return run_jvp(lambda moving: transform, args, tangents, options, named)


def argument_at(args: tuple[Any, ...], options: dict[str, Any], k: Any) -> Any:
    """Return an argument of a call, which is given by position or by name."""
    if isinstance(k, str) and k not in options:
        raise ArgumentError(
            f"the argument {k!r} is differentiated and not passed", fixes=["pass it by name"]
        )
    return options[k] if isinstance(k, str) else args[k]


def _on_tape(
    transform: Transform,
    special: Specialisation,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    arguments: tuple[Any, ...],
    named_tangents: dict[str, Any] | None,
) -> tuple[Any, Any]:
    """Record a function while it runs, and carry the tangents along."""
    dots = [
        _checked(k, x, dot) if dot is not None and _is_leaf(x) else dot
        for k, (x, dot) in enumerate(zip(primals, tangents, strict=True))
    ]
    positional, named = transform.passed(arguments)
    still = len(positional) - len(dots) - len(transform.bound)  # defaults
    before = (None,) * len(transform.bound)
    moving = (named_tangents,) if named_tangents else ()
    return special.run(tuple(positional), (*before, *dots, *(None,) * still), *moving, **named)


def _all(parts: Sequence[Any], named: dict[str, Any] | None) -> Any:
    """Return what stands for each argument, by position and by name."""
    return {**dict(enumerate(parts)), **named} if named else parts


def _is_leaf(x: Any) -> bool:
    return hasattr(x, "shape") or isinstance(x, int | float | complex | str | type(None))


def _like(dot: Any, value: Any) -> Any:
    """The tangent of a value in the precision of the value, as a gradient has its argument's."""
    if isinstance(dot, tuple | list) and isinstance(value, tuple | list):
        parts = [_like(*pair) for pair in zip(dot, value, strict=True)]
        if type(dot) in (tuple, list) and type(value) in (tuple, list):
            return type(value)(parts)
        return type(dot)(*parts) if hasattr(dot, "_fields") else type(dot)(parts)
    if type(value) is list and isinstance(dot, np.ndarray):  # which is an array in the text
        return [_like(*pair) for pair in zip(dot, value, strict=True)]
    dtype = getattr(value, "dtype", None)
    if dot is None or dtype is None or dtype.kind not in "fc":
        return dot
    own = getattr(dot, "dtype", None)
    if own == dtype or (np.iscomplexobj(dot) and dtype.kind == "f"):
        return dot
    return dtype.type(dot) if own is None else dot.astype(dtype)  # pyright: ignore[reportAttributeAccessIssue]


def flat_tangents(k: Any, whole: Skeleton, x: Any, dot: Any) -> list[Any]:
    """The tangents of the leaves of an argument."""
    if whole.form is None:
        return [_checked(k, x, dot)] if whole.live else []
    rows = zip(
        whole.live_leaves(),
        whole.flat(x),
        flat_like(whole, x, dot, f"argument {k}", "tangent"),
        strict=True,
    )
    return [_checked(k, leaf, part) for live, leaf, part in rows if live]


def _checked(k: Any, x: Any, dot: Any) -> Any:
    """Return a tangent in the kind and the precision of its argument."""
    if type(x) is np.ndarray and type(dot) is np.ndarray and x.ndim:  # nearly always
        if dot.shape == x.shape and dot.dtype is x.dtype and x.dtype.kind in "fc":
            return dot
    if dot is None:
        return np.zeros_like(x) if np.ndim(x) else 0.0
    if not hasattr(x, "shape") and not isinstance(x, int | float | complex):
        raise ArgumentError(
            f"argument {k} is a {type(x).__name__}; only arrays and numbers can have a tangent",
            fixes=["pass its parts as arguments of their own", "use grad or vjp"],
        )
    if np.shape(dot) != np.shape(x):
        raise ArgumentError(
            f"tangent {k} has the shape {np.shape(dot)}, and its argument {np.shape(x)}",
            fixes=["give a tangent with the shape of the argument"],
        )
    if np.iscomplexobj(dot) and not np.iscomplexobj(x):
        raise ArgumentError(
            f"tangent {k} is complex, and its argument is real",
            fixes=["carry the real and the imaginary part along one by one"],
        )
    if type(x) is np.ndarray and not x.ndim and x.dtype.kind in "fc":
        return np.array(dot, x.dtype)  # the function may write into copies of it
    if hasattr(dot, "dtype") and not np.ndim(dot):
        dot = dot[()]  # an array without dimensions could be written into under several names
    dtype = getattr(x, "dtype", None)
    if dtype is None or dtype.kind not in "fc":
        return float(dot) if isinstance(dot, int) and not isinstance(dot, bool) else dot
    if hasattr(dot, "dtype"):
        return dot if dot.dtype == dtype else dot.astype(dtype)[()]
    return np.asarray(dot).astype(dtype)[()] if not np.ndim(x) else np.asarray(dot, dtype)
