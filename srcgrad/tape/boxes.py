"""What stands for a number or an array on a tape: operators, methods, protocols."""

from __future__ import annotations

import operator
import weakref
from typing import Any

import numpy as np
from srcgrad.formulas.numpy import methods as known

from srcgrad.errors import ArgumentError, MissingFormulaError, MutationError
from srcgrad.registry import is_nondifferentiable
from srcgrad.runtime import place
from srcgrad.tape.calls import call, missing, require_single, written
from srcgrad.tape.recording import Node, Tape, raw


class Group:
    """The boxes whose arrays share memory: a write to one of them is a write to all.

    Args:
        foreign: whether the memory belongs to the caller of the function.
    """

    def __init__(self, foreign: bool) -> None:
        self.foreign = foreign
        self.members: weakref.WeakSet[Box] = weakref.WeakSet()


def box(value: Any, tape: Tape, name: str = "", sources: Any = None) -> Box:
    """Return a box for a value on a tape.

    Args:
        value: a number or an array, or a box of an outer tape.
        tape: the tape.
        name: the name of an argument.
        sources: the boxes that the value was computed from, and may be a view of;
            None for an argument.
    """
    if isinstance(value, float) and not isinstance(value, np.floating):
        value = np.float64(value)
    made = Box(tape.node(value, name), tape)
    for source in sources or ():
        if np.may_share_memory(raw(value), raw(source)):
            made.group = source.group
    if made.group is None:
        made.group = Group(foreign=sources is None)
    made.group.members.add(made)
    return made


def _unary(fn: Any) -> Any:
    return lambda self: call(fn, (self,), {})


def _binary(fn: Any) -> Any:
    return lambda self, other: call(fn, (self, other), {})


def _reflected(fn: Any) -> Any:
    return lambda self, other: call(fn, (other, self), {})


def _in_place(fn: Any) -> Any:
    def apply(self: Box, other: Any) -> Any:
        made = call(fn, (self, other), {})
        if not isinstance(raw(self), np.ndarray):
            return made  # numbers are never written
        if made.shape != self.shape:
            raise ValueError(f"cannot write the shape {made.shape} into {self.shape}")
        self.overwrite(made)
        return self

    return apply


class Box:
    """A value on a tape. It behaves like what it holds, and records what is done to it."""

    def __init__(self, node: Node, tape: Tape) -> None:
        self.__srcgrad_node__ = node
        self.__srcgrad_tape__ = tape
        self.group: Any = None
        self.base: tuple[Box, Any] | None = None

    # Operators

    __add__, __radd__ = _binary(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _binary(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _binary(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _binary(operator.truediv), _reflected(operator.truediv)
    __mod__, __rmod__ = _binary(operator.mod), _reflected(operator.mod)
    __pow__, __rpow__ = _binary(operator.pow), _reflected(operator.pow)
    __matmul__, __rmatmul__ = _binary(operator.matmul), _reflected(operator.matmul)
    __floordiv__, __rfloordiv__ = _binary(operator.floordiv), _reflected(operator.floordiv)
    __neg__, __pos__, __abs__ = map(_unary, (operator.neg, operator.pos, operator.abs))
    __iadd__, __isub__, __imul__ = map(_in_place, (operator.add, operator.sub, operator.mul))
    __itruediv__, __ipow__ = _in_place(operator.truediv), _in_place(operator.pow)
    __imod__, __imatmul__ = _in_place(operator.mod), _in_place(operator.matmul)
    __lt__, __le__ = _binary(operator.lt), _binary(operator.le)
    __gt__, __ge__ = _binary(operator.gt), _binary(operator.ge)
    __eq__, __ne__ = _binary(operator.eq), _binary(operator.ne)
    __hash__ = object.__hash__

    # Values: a truth value or a whole number is a constant, a float would not be

    def __bool__(self) -> bool:
        return bool(raw(self))

    def __int__(self) -> int:
        return int(raw(self))

    def __round__(self, *digits: int) -> Any:
        return round(raw(self), *digits)

    def __repr__(self) -> str:
        return repr(raw(self))

    def __str__(self) -> str:
        return str(raw(self))

    def __format__(self, spec: str) -> str:
        return format(raw(self), spec)

    def __float__(self) -> float:
        raise _lost("turned into a float where the tape cannot see it")

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise _lost("turned into an array of NumPy, which the tape cannot see")

    # Reading and writing elements

    def __len__(self) -> int:
        return len(raw(self))

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        made = call(operator.getitem, (self, raw(index)), {})
        if made.group is self.group:
            made.base = (self, raw(index))
        return made

    def __setitem__(self, index: Any, value: Any) -> None:
        index = raw(index)
        if value is self.__dict__.pop("just_written", None):
            return  # the second half of x[index] += v
        require_single(index)
        self.overwrite(call(written, (self, index, value), {}))

    def overwrite(self, made: Any, through: tuple[Box, ...] = ()) -> None:
        """Let this box stand for another value, as its array would after a write."""
        if made.__srcgrad_tape__ is not self.__srcgrad_tape__:
            raise _unwritable("an array of an outer function is written by an inner one")
        bases, base = {self, *through}, self.base
        while base is not None:
            bases.add(base[0])
            base = base[0].base
        if self.group.foreign or any(member not in bases for member in self.group.members):
            raise _unwritable("an array is written that is an argument or has another name")
        self.__srcgrad_node__ = made.__srcgrad_node__
        if self.base is not None:
            base, index = self.base
            base.overwrite(call(written, (base, index, self), {}), (self, *through))
            base.__dict__["just_written"] = self

    # Attributes and methods

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(raw(self))

    @property
    def ndim(self) -> int:
        return np.ndim(raw(self))

    @property
    def size(self) -> int:
        return np.size(raw(self))

    @property
    def dtype(self) -> Any:
        return raw(self).dtype

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in known.ATTRIBUTES:
            return call(known.ATTRIBUTES[name], (self,), {})
        if name in known.NONDIFFERENTIABLE_METHODS:
            return lambda *args, **options: getattr(raw(self), name)(*raw(args), **raw(options))
        if name not in known.METHODS:
            raise MissingFormulaError(
                f"no formula for the array method .{name}",
                fixes=["use the NumPy function instead"],
            )

        def method(*args: Any, **options: Any) -> Any:
            if name in known.VARIADIC_METHODS and args:
                whole = not (len(args) == 1 and isinstance(args[0], tuple | list | None))
                args = (tuple(args),) if whole else args
            return call(known.METHODS[name], (self, *args), options)

        return method

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **options: Any) -> Any:
        if method == "at" and ufunc is np.add and isinstance(args[0], Box):
            target, index, value = args
            part = np.broadcast_to(value, np.shape(raw(target)[raw(index)]))
            target.overwrite(target + call(place, (part, raw(index), raw(target)), {}))
            return None
        if method != "__call__" or options.get("out") is not None:
            raise missing(ufunc if method == "__call__" else getattr(ufunc, method))
        return call(ufunc, args, options)

    def __array_function__(self, fn: Any, types: Any, args: Any, options: Any) -> Any:
        return call(fn, tuple(args), dict(options))


def _lost(what: str) -> ArgumentError:
    return ArgumentError(
        f"a value that is recorded on a tape is {what}",
        why="Its derivative would be lost.",
        fixes=["use NumPy's functions", "pass stop_gradient(x) where it is a constant"],
    )


def _unwritable(what: str) -> MutationError:
    return MutationError(
        what, fixes=["write into a copy: x = x.copy()", "build a new array instead"]
    )


__all__ = ["Box", "box", "is_nondifferentiable"]
