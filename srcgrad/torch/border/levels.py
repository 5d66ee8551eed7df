"""A function of arrays, and its backward functions of any order, as functions of arrays."""

from __future__ import annotations

import builtins
import inspect
import keyword
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from srcgrad.calling.api import vjp
from srcgrad.errors import ArgumentError
from srcgrad.load.compile import write_file


class Level:
    """One function of arrays, of which another library asks value and cotangents.

    Args:
        f: the function, of arrays and other arguments by position.
        wrt: the positions of the arguments that have cotangents.
        name: what it is called where it is shown.
    """

    def __init__(self, f: Callable[..., Any], wrt: tuple[int, ...], name: str) -> None:
        self.f, self.wrt, self.name = f, wrt, name

    def value(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the results for some arguments, as a tuple."""
        return _as_tuple(self.f(*args))

    def value_and_backward(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        """Return the results, and a function from their cotangents to those of the arguments."""
        value, backward = vjp(self.f, *args, wrt=self.wrt)
        several = isinstance(value, tuple | list)

        def pull(bars: tuple[Any, ...]) -> tuple[Any, ...]:
            return backward(type(value)(bars) if several else bars[0])

        return _as_tuple(value), pull

    def backward(self, count: int, results: int | None) -> Level:
        """Return the function from arguments and cotangents to the cotangents of the arguments.

        Args:
            count: the number of arguments.
            results: the number of results; None where it is one that is no tuple.
        """
        key = (count, results)
        if key not in self._made:
            self._made[key] = self._backward(count, results)
        return self._made[key]

    @cached_property
    def _made(self) -> dict[tuple[int, int | None], Level]:
        return {}

    def _backward(self, count: int, results: int | None) -> Level:
        names = _parameters(self.f, count)
        bars = ["z_bar"] if results is None else [f"z{k}_bar" for k in range(results)]
        bars = [_unused(bar, names) for bar in bars]
        given = bars[0] if results is None else f"({', '.join(bars)},)"
        wrt = ", ".join(map(str, self.wrt))
        name = f"{self.name}_backward"
        text = (
            f"def {name}({', '.join([*names, *bars])}):\n"
            f'    """Return the cotangents of the arguments of {self.name}."""\n'
            f"    _, backward = vjp(function, {', '.join(names)}, wrt=({wrt},))\n"
            f"    return backward({given})\n"
        )
        namespace: dict[str, Any] = {"vjp": vjp, "function": self.f, "__name__": __name__}
        exec(compile(text, write_file(name, text), "exec"), namespace)
        return Level(namespace[name], (*self.wrt, *range(count, count + len(bars))), name)


def positions(f: Callable[..., Any], wrt: Any) -> tuple[int, ...]:
    """Return the positions that ``wrt`` names, which may be names, numbers, or one of them.

    Args:
        f: the function.
        wrt: as for ``srcgrad.grad``.

    Raises:
        ArgumentError: when the function has no such parameter.
    """
    wanted = wrt if isinstance(wrt, tuple | list) else (wrt,)
    names = list(inspect.signature(f).parameters)
    found = []
    for item in wanted:
        if isinstance(item, str) and item not in names:
            raise ArgumentError(f"{name_of(f)} has no parameter {item!r}")
        found.append(names.index(item) if isinstance(item, str) else int(item))
    return tuple(found)


def name_of(f: Any) -> str:
    """Return a name for a function that is a word of Python."""
    name = getattr(f, "__name__", "function")
    return name if name.isidentifier() and not keyword.iskeyword(name) else "function"


def as_results(values: tuple[Any, ...], args: tuple[Any, ...]) -> tuple[np.ndarray, ...]:
    """Return results as arrays that share no memory with arguments, and have no odd strides."""
    found = []
    for value in values:
        array = np.asarray(value)
        shared = any(isinstance(a, np.ndarray) and np.may_share_memory(array, a) for a in args)
        backwards = any(s < 0 for s in array.strides)
        found.append(array.copy() if shared or backwards or not array.flags.writeable else array)
    return tuple(found)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def _parameters(f: Callable[..., Any], count: int) -> list[str]:
    names = list(inspect.signature(f).parameters)[:count]
    taken = {"vjp", "function", "backward", *dir(builtins)}
    return [n if n not in taken else f"{n}_" for n in names]


def _unused(name: str, names: list[str]) -> str:
    return _unused(f"{name}_", names) if name in names else name
