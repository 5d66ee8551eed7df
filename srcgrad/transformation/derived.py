"""What is asked for, and what is made, where a derivative is taken inside of a function."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from srcgrad.errors import ArgumentError
from srcgrad.ir.nodes import Closure, Compound, Function, Struct, Value, Var
from srcgrad.transformation.context import Context


@dataclass(frozen=True, eq=False)
class Formal:
    """A function whose derivative is wanted, with what its parameters stand for."""

    function: Any  # a ``Known`` function or a ``Closure``
    parameters: Any  # its own parameters
    values: list[tuple[str, Value]]  # a value for each of them; nothing is active yet
    added: list[tuple[str, Value]]  # parameters for captured variables, with their values
    own: Any  # the local function in terms of ``added``; None for a known one
    second: bool = False  # whether a Hessian is wanted
    told: tuple[Any, ...] = ()  # which lengths the whole numbers among them are

    @property
    def extras(self) -> tuple[str, ...]:
        """The names of the parameters for captured variables."""
        return tuple(name for name, _ in self.added)


@dataclass(frozen=True, eq=False)
class Derived:
    """The generated code of a derivative."""

    run: FunctionType  # the function; for ``vjp`` the forward function
    # for ``vjp``, the function of what is kept and a cotangent
    backward: FunctionType | None = None


def resting(value: Value) -> Value:
    """A value of the same type that is not being differentiated."""
    if isinstance(value, Compound):
        return value.like(map(resting, value.items))
    if isinstance(value, Closure):
        return replace(value, captured=tuple((n, resting(v)) for n, v in value.captured))
    if isinstance(value, Var) and value.type.kind != "list":
        return Var(value.name, value.type.with_active(False), value.named)
    return value


def pick_part(values: dict[str, Value], name: str) -> Value:
    """Return the value of a differentiated parameter, given those of all parameters."""
    base, _, part = name.partition(".")
    value = values[base]
    if not part:
        return value
    assert isinstance(value, Compound)
    if isinstance(value, Struct):
        return value.items[list(value.form.names).index(part)]
    if int(part) >= len(value.items):
        raise ArgumentError(
            f"the argument {part} of *{base} is differentiated and not passed", fixes=["pass it"]
        )
    return value.items[int(part)]


def wanted_of(function: Function, name: str) -> Value:
    """Return what is differentiated of a function, by the name of a parameter or one inside."""
    inside = dict(function.perturbed)
    return inside[name] if name in inside else pick_part(dict(function.params), name)


def require_perturbed(context: Context, function: Function) -> None:
    """Refuse names inside of functions that the lowering of a call did not come to."""
    for name in context.perturbed:
        if name not in dict(function.perturbed):
            raise ArgumentError(
                f"a call with these arguments does not come to {str(name)!r}, as far as is seen "
                "when code is generated",
                fixes=["choose a line that it comes to", "call functions by their names"],
            )
