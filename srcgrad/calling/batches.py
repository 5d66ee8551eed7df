"""Functions of one example that become functions of a batch: ``vmap``."""

from __future__ import annotations

import builtins
import functools
import inspect
import itertools
import textwrap
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.calling.api import vjp
from srcgrad.calling.elementwise import found_elementwise
from srcgrad.calling.made import identifier
from srcgrad.errors import ArgumentError
from srcgrad.program import facts
from srcgrad.program.guards import Facts
from srcgrad.program.texts import made_of_text
from srcgrad.runtime.batches import batch_length, require_results, stacked

_numbers = itertools.count(1)


def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: int = 0) -> Callable[..., Any]:
    """Return the function that calls another one for each example of a batch.

    Where the text of ``f`` treats each entry by itself (operators, ufuncs, ``np.where``), or it is
    the gradient of such a function, it runs once, on whole arrays, if the examples have the first
    axis and are of one rank. Otherwise it is a loop: ``f`` runs once for each example, and what it
    gives is stacked. What is made says which it is: it is plain code, which can be read with
    ``inspect.getsource``, and differentiated.

    Args:
        f: a function of one example; it may return arrays, numbers, and tuples, lists and
            dicts of them.
        in_axes: for each positional argument the axis of its array along which the examples
            are, or None where each example gets the argument as it is; a number is for all of
            them that have no default. Arguments with a default are passed by name, the same
            for each example.
        out_axes: along which axis of the results the examples are.

    Returns:
        A function with the parameters of ``f``.

    Raises:
        ArgumentError: when ``in_axes`` does not fit the parameters of ``f``.
        TypeError: at the call, where an argument with an axis is no array.
        ValueError: at the call, where the axes have different lengths, or the length 0.

    Example:
        >>> import numpy as np
        >>> from srcgrad import grad, vmap
        >>> def loss(w, x, y):
        ...     return (x @ w - y) ** 2
        >>> x, y = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.0, 1.0])
        >>> vmap(grad(loss), in_axes=(None, 0, 0))(np.ones(2), x, y)
        array([[2., 0.],
               [0., 4.]])
    """
    needed, optional = _parameters(f, in_axes)
    if needed is None:

        def batched(*args: Any, **options: Any) -> Any:
            names = tuple(f"x{k + 1}" for k in range(len(args)))
            return making_loop(names, in_axes, out_axes)(lambda *row: f(*row, **options))(*args)

        return batched
    count = len(in_axes) if isinstance(in_axes, tuple | list) else len(needed)
    every = [*needed, *optional]
    given, optional = every[:count], every[count:]
    if len(given) < count or any(p.kind is p.KEYWORD_ONLY for p in given):
        raise _misfit(in_axes)
    name = identifier(f)
    names = tuple(p.name for p in given)
    text = _loop(name, names, in_axes, out_axes, tuple(p.name for p in optional))
    space = {name: f} | {f"default_{p.name}": p.default for p in optional}
    axes = tuple(in_axes) if isinstance(in_axes, tuple | list) else (in_axes,) * len(names)
    loop = _function(text, f"{name}_batched", space)
    if optional or out_axes != 0 or not all(axis in (0, None) for axis in axes):
        return loop
    whole, inner, known = _with_whole_arrays(text, f, name, names, axes)
    return loop if known is None else Batched(_function(whole, loop.__name__, inner), loop, known)


class Batched:
    """A function of a batch that is given whole arrays, as long as that is what a loop gives.

    Args:
        whole: the function for whole arrays.
        loop: that which calls the function of one example for each of them.
        known: what has to be true for the first.
    """

    def __init__(self, whole: Any, loop: Any, known: Facts) -> None:
        self._whole, self._loop, self._known = whole, loop, known
        self.__name__, self.__doc__ = whole.__name__, whole.__doc__

    @property
    def __srcgrad_primal__(self) -> Any:
        if not self._known.hold():
            return self._loop
        facts.rely_on(self._known)
        return self._whole

    @property
    def __wrapped__(self) -> Any:
        return self.__srcgrad_primal__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__srcgrad_primal__(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<batched {self.__name__}>"


def _with_whole_arrays(
    text: str, f: Any, name: str, names: tuple[str, ...], axes: tuple[int | None, ...]
) -> tuple[str, dict[str, Any], Facts | None]:
    """Return the text of a loop with a call for whole arrays before it, where there can be one.

    Beside it stand the names that it needs, and what has to be true for it.
    """
    mapped = [n for n, axis in zip(names, axes, strict=True) if axis is not None]
    transform: Any = getattr(f, "__srcgrad__", None)
    is_gradient = getattr(transform, "kind", "") == "grad" and not transform.has_aux
    plain = transform.plain if is_gradient else f
    known = found_elementwise(plain, tuple(mapped))
    if known is None:
        return text, {}, None
    others, first, made = [n for n in names if n not in mapped], mapped[0], ""
    space: dict[str, Any] = {name: f}
    tests = [f"np.ndim({first}) == np.ndim({n})" for n in mapped[1:]]
    tests += [f"np.ndim({n}) {'== 0' if is_gradient else f'< np.ndim({first})'}" for n in others]
    call = f"{name}({', '.join(names)})"
    if is_gradient:
        wanted, several = tuple(transform.wanted), isinstance(transform.wrt, tuple | list)
        if not set(wanted) <= set(mapped):
            return text, {}, None
        tests.append(f"np.ndim({first}) == 1")
        space |= {"vjp": vjp, f"{name}_primal": plain}
        given = f"{', '.join([f'{name}_primal', *names])}, wrt={wanted if several else wanted[0]!r}"
        made, call = f"        value, backward = vjp({given})\n", "backward(np.ones_like(value))"
    head, rows = text.split('"""\n', 1)
    length = rows[rows.index("range(") + 6 : rows.index(")]\n")]
    words = "Each entry is computed by itself, so that whole arrays are given."
    head = f'{head}\n\n    {words}\n    """\n'
    if not tests:
        return f"{head}    {length}\n    return {call}\n", space, known
    count = next(
        n for n in ("length", "length_", "length__", "length___") if n not in [name, *names]
    )
    rows = rows.replace(length, count)
    ranks = " and ".join(tests)
    return (
        f"{head}    {count} = {length}\n    if {ranks}:\n{made}        return {call}\n{rows}",
        space,
        known,
    )


@functools.cache
def making_loop(names: tuple[str, ...], in_axes: Any = 0, out_axes: int = 0) -> Any:
    """Return what makes the loop over a function with these parameters, as ``vmap`` does.

    Args:
        names: those of the parameters.
        in_axes: as of ``vmap``.
        out_axes: as of ``vmap``.
    """
    f = next(name for name in ("f", *(f"f{k}" for k in range(len(names)))) if name not in names)
    inner = textwrap.indent(_loop(f, names, in_axes, out_axes, ()), "    ")
    text = f"def vmap({f}, in_axes=0, out_axes=0):\n{inner}    return {f}_batched\n"
    return _function(text, "vmap", {})


def _parameters(f: Any, in_axes: Any) -> tuple[Any, list[inspect.Parameter]]:
    """Return the parameters without a default, and others; None where it takes any number."""
    kind = inspect.Parameter.POSITIONAL_ONLY
    several = isinstance(in_axes, tuple | list)
    made = [inspect.Parameter(f"x{k + 1}", kind) for k in range(len(in_axes) if several else 0)]
    if isinstance(f, np.ufunc):
        return made or [inspect.Parameter(f"x{k + 1}", kind) for k in range(f.nin)], []
    try:
        every = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # it does not tell them
        return made or None, []
    if any(p.kind is p.VAR_POSITIONAL for p in every):
        return made or None, []
    named = [p for p in every if p.kind is p.KEYWORD_ONLY and p.default is not p.empty]
    plain = [p for p in every if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in plain if p.default is p.empty]
    return needed, [*(p for p in plain if p.default is not p.empty), *named]


def _misfit(in_axes: Any) -> ArgumentError:
    fix = "give an axis, or a tuple with an axis or None for each positional argument"
    return ArgumentError(f"in_axes={in_axes!r} does not fit the parameters", fixes=[fix])


def _loop(
    name: str, names: tuple[str, ...], in_axes: Any, out_axes: Any, options: tuple[str, ...]
) -> str:
    """Return the text of the loop.

    Args:
        name: that of the function that it calls.
        names: those of its parameters.
        in_axes: as of ``vmap``.
        out_axes: as of ``vmap``.
        options: the names of parameters with a default.
    """
    axes = tuple(in_axes) if isinstance(in_axes, tuple | list) else (in_axes,) * len(names)
    known = len(axes) == len(names) and all(type(axis) in (int, type(None)) for axis in axes)
    mapped = [(n, axis) for n, axis in zip(names, axes, strict=False) if axis is not None]
    if not known or not mapped:
        raise _misfit(in_axes)
    if type(out_axes) is not int:
        raise ArgumentError(f"out_axes={out_axes!r} is no axis", fixes=["give a whole number"])
    taken = {name, "np", "batch_length", "require_results", "stacked", *names, *options}
    k = next(n for n in map("k{}".format, ("", *range(len(taken)))) if n not in taken)
    length = f"batch_length({', '.join(n for n, _ in mapped)}, axes={tuple(a for _, a in mapped)})"
    given = [n if a is None else _entry(n, a, k) for n, a in zip(names, axes, strict=True)]
    given += [f"{option}={option}" for option in options]
    head = [*names, *(["*"] if options else []), *(f"{o}=default_{o}" for o in options)]
    last, along_axis = (f", {out_axes}", f", axis={out_axes}") if out_axes else ("", "")
    along = " and ".join(f"axis {axis} of {n}" for n, axis in mapped)
    return (
        f"def {name}_batched({', '.join(head)}):\n"
        f'    """Return what {name} gives for each place along {along}."""\n'
        f"    rows = [{name}({', '.join(given)}) for {k} in range({length})]\n"
        f"    require_results(rows[0])\n"
        f"    if isinstance(rows[0], (tuple, list, dict)):\n"
        f"        return stacked(rows{last})\n"
        f"    return np.stack(rows{along_axis})\n"
    )


def _function(text: str, name: str, space: dict[str, Any]) -> Any:
    """Return a function with its text, for whoever reads it."""
    helpers = {each.__name__: each for each in (batch_length, require_results, stacked)}
    space = {"__builtins__": builtins, "__name__": __name__, "np": np, **helpers, **space}
    return made_of_text(f"<srcgrad {name} {next(_numbers)}>", text, name, space)


def _entry(name: str, axis: int, k: str) -> str:
    """The text of one place along an axis of an array."""
    if axis >= 0:
        return f"{name}[{''.join(':, ' for _ in range(axis))}{k}]"
    return f"{name}[..., {k}{''.join(', :' for _ in range(-axis - 1))}]"
