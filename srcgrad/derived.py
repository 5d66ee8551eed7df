"""What is asked for, and what is made, where a derivative is taken inside of a function."""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType
from typing import Any

from srcgrad.ir.nodes import Value


@dataclass(frozen=True, eq=False)
class Formal:
    """A function whose derivative is wanted, with what its parameters stand for.

    Attributes:
        function: a ``Known`` function or a ``Closure``.
        parameters: its own parameters.
        values: a value for each of them; nothing is active yet.
        added: parameters for captured variables, with their values.
        own: the local function in terms of ``added``; None for a known one.
        second: whether a Hessian is wanted.
    """

    function: Any
    parameters: Any
    values: list[tuple[str, Value]]
    added: list[tuple[str, Value]]
    own: Any
    second: bool = False

    @property
    def extras(self) -> tuple[str, ...]:
        """The names of the parameters for captured variables."""
        return tuple(name for name, _ in self.added)


@dataclass(frozen=True, eq=False)
class Derived:
    """The generated code of a derivative.

    Attributes:
        run: the function; for ``vjp`` the forward function.
        backward: for ``vjp``, the function of what is kept and a cotangent.
    """

    run: FunctionType
    backward: FunctionType | None = None
