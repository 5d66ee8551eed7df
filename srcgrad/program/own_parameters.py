"""The parameters that the text of a function has, whatever its attributes say."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any


def own_parameters(function: Any) -> list[inspect.Parameter]:
    """Return the parameters, with their defaults, that a call of a function is matched to.

    ``inspect.signature`` gives those of ``__wrapped__`` or ``__signature__`` where a
    decorator has set them, and a call knows neither.
    """
    if isinstance(function, functools.partial):
        function = functools.partial(_bare(function.func), *function.args, **function.keywords)
    return list(inspect.signature(_bare(function)).parameters.values())


def _bare(function: Any) -> Any:
    """The same code under a function that has no attributes."""
    if isinstance(function, types.MethodType):
        return types.MethodType(_bare(function.__func__), function.__self__)
    if not isinstance(function, types.FunctionType):
        return function
    attributes = vars(function)
    if "__wrapped__" not in attributes and "__signature__" not in attributes:
        return function
    made = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__annotations__ = function.__annotations__
    return made
