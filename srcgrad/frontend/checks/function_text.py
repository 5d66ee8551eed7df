"""The text of a function as its syntax tree has it, and what the names in it stand for."""

from __future__ import annotations

import ast
import functools
import sys
import types
from typing import Any

import numpy as np

from srcgrad.frontend.checks.mentions import mentions_of
from srcgrad.frontend.checks.own_memory import OwnMemory
from srcgrad.program import facts, namespaces
from srcgrad.program.namespaces import MISSING
from srcgrad.program.syntax_trees import nodes_of


class FunctionText:
    """The parts of a function, with the functions in it, and what its names stand for.

    Args:
        function: the function.
        node: its syntax tree, or that of a function that is defined inside of it.
        plain: see ``OwnMemory``.
        around: the text around a function that is defined inside.
        relied_on: whether what names stand for is recorded as facts.
    """

    def __init__(
        self,
        function: types.FunctionType,
        node: Any,
        plain: bool,
        around: FunctionText | None = None,
        relied_on: bool = False,
    ) -> None:
        self.function, self.node, self.around = function, node, around
        self._plain, self._relied_on = plain, relied_on
        self.mentions = mentions_of(node)
        self.parts = self.mentions.parts
        self.given = self.mentions.parameters
        self.local = self.given | self.mentions.bound
        self._things: dict[Any, Any] = {}  # what parts stand for, which is asked time and again

    @functools.cached_property
    def outside(self) -> set[str]:
        """The names that are declared to be assigned outside of it."""
        free = self.function.__code__.co_freevars
        rebound = self.mentions.rebound.items()
        return {name for name, of_module in rebound if of_module or name in free}

    @functools.cached_property
    def own(self) -> OwnMemory:
        """The names of what it makes itself, and nobody else has."""
        given = {part.arg for part in nodes_of(self.node.args) if isinstance(part, ast.arg)}
        body = self.node.body if isinstance(self.node.body, list) else ()
        own = OwnMemory(self.parts, self.thing, self._plain, given, body)
        own.discard((self.given - given) | self.outside)
        if self.around is not None:
            own.discard({*self.mentions.rebound})
        args, kwargs = self.node.args.vararg, self.node.args.kwarg
        own.names |= {each.arg for each in (args, kwargs) if each} - self.mentions.assigned
        if _is_of_standard_library(self.function):
            own.names |= {*self.function.__code__.co_freevars}  # nobody else sees these
        return own

    @property
    def first(self) -> str | None:
        """The name of the first parameter, if it stands for nothing else."""
        given = self.node.args.args
        return given[0].arg if given and given[0].arg not in self.mentions.bound else None

    def inner(self, name: str) -> list[Any] | None:
        """Return the functions with a name that are defined here, or around it; None if none is."""
        found = self.mentions.inner.get(name)
        return self.around.inner(name) if found is None and self.around is not None else found

    def defines(self, name: str) -> bool:
        """Tell whether a name stands for one function that is defined here, and nothing else."""
        others = name in self.given or name in self.mentions.assigned
        return len(self.mentions.inner.get(name, ())) == 1 and not others

    def thing(self, node: Any) -> Any:
        """Return what a name from outside, or an attribute of a module, stands for.

        So does a static method of a class.
        """
        if node not in self._things:
            self._things[node] = self._looked_up(node)
        return self._things[node]

    def _looked_up(self, node: Any) -> Any:
        if isinstance(node, ast.Attribute):
            owner = self.thing(node.value)
            if isinstance(owner, np.ufunc):
                return getattr(owner, node.attr, MISSING)
            if type(owner) is type:
                found = facts.in_class(owner, node.attr)
                return found.__func__ if isinstance(found, staticmethod) else MISSING
            if not isinstance(owner, types.ModuleType):
                return MISSING
            if not self._relied_on:
                return vars(owner).get(node.attr, MISSING)
            return facts.attribute(owner, node.attr)
        if not isinstance(node, ast.Name) or node.id in self.local:
            return MISSING
        if self.around is not None:
            return self.around.thing(node)
        free, cells = self.function.__code__.co_freevars, self.function.__closure__
        inside = node.id in free and cells
        space = cells[free.index(node.id)] if inside and cells else self.function.__globals__
        return (facts if self._relied_on else namespaces).read_name(space, node.id)


def _is_of_standard_library(function: types.FunctionType) -> bool:
    """Tell whether the text of a function, whoever it wraps, is one of Python's own modules."""
    name = function.__globals__.get("__name__") or ""
    return name.partition(".")[0] in sys.stdlib_module_names
