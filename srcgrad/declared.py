"""Functions that are declared where they are called, and defined in a module above.

Parts of a compiler call each other in a circle: a call is an expression, and the body of
the function that it calls is made of statements, which hold expressions. The lower part
declares the function; the module that has it defines it, and imports the declaration. So
imports point downwards only.

Example:
    >>> is_even: Declared[[int], bool] = Declared("is_even")
    >>> def is_odd(n: int) -> bool:
    ...     return n != 0 and is_even(n - 1)
    >>> @is_even.define
    ... def _(n: int) -> bool:
    ...     return n == 0 or is_odd(n - 1)
    >>> is_odd(3)
    True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Declared(Generic[P, R]):
    """A function whose definition stands in a module that is imported later."""

    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name
        self._definition: Callable[P, R] | None = None

    def __call__(self, *args: P.args, **options: P.kwargs) -> R:
        """Call the function as it is defined."""
        assert self._definition is not None, f"{self.__qualname__} is declared, not defined"
        return self._definition(*args, **options)

    def define(self, definition: Callable[P, R]) -> Callable[P, R]:
        """Give the function its definition, once."""
        assert self._definition is None, f"{self.__qualname__} is defined twice"
        self._definition = definition
        return definition

    @property
    def is_defined(self) -> bool:
        """Whether a module that defines the function was imported."""
        return self._definition is not None
