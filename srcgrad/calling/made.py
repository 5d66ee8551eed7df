"""What the user holds of a derivative: it is called like a function, and it pickles."""

from __future__ import annotations

import functools
import types
from typing import Any

from srcgrad.late import late


class Derivative(functools.partial):
    """A derivative as its user calls it.

    It calls one function and binds no argument: that costs less than a method
    ``__call__`` does. A plain function could not say how it is pickled.

    Attributes:
        __srcgrad_made__: how it was made: the name of a public function, what that was
            given, and its options.
        __srcgrad_owner__: of a decorated function's own, that and the name there.
        recorded: what of it is recorded while it runs.
    """

    __srcgrad_made__: tuple[str, Any, dict[str, Any]]
    __srcgrad_owner__: tuple[Any, str]
    __srcgrad_pair__: Any
    __srcgrad_loop__: Any
    __name__: str
    __signature__: Any
    recorded: Any
    pattern: Any

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind to an object, as a function in the body of a class does."""
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> Any:
        if "__srcgrad_owner__" in vars(self):
            return getattr, self.__srcgrad_owner__
        name, function, options = self.__srcgrad_made__
        return _made, (name, function, tuple(options.items()))

    def __repr__(self) -> str:
        return f"<{self.__name__}{self.__signature__}>"

    @property
    def __wrapped__(self) -> Any:
        """The code of the last call, which ``inspect.getsource`` shows."""
        transform = vars(self).get("__srcgrad__")
        known = [] if transform is None else transform.specialisations or transform.shared
        return known[0].run if known else self.func


def _made(name: str, function: Any, options: tuple[tuple[str, Any], ...]) -> Any:
    """Make a derivative again from what its pickle tells, or find it if it was made before."""
    own = type(function).__eq__ is object.__eq__ and all(
        isinstance(part, str | int | tuple | None) for _, part in options
    )
    return (_made_before if own else _made_anew)(name, function, options)


def _made_anew(name: str, function: Any, options: tuple[tuple[str, Any], ...]) -> Any:
    return late(name)(function, **dict(options))


_made_before = functools.lru_cache(maxsize=64)(_made_anew)


def identifier(function: Any) -> str:
    """Return the name of a function, or one that can stand for it in a text."""
    name = getattr(function, "__name__", "function")
    return name if name.isidentifier() else "lambda_"
