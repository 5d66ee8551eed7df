"""Random expressions of a given shape."""

from __future__ import annotations

import ast
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.productions import PRODUCTIONS, Shape
from tests.fuzz.scope import Function, Scope

NUMBERS = ("0.5", "1.5", "-0.7", "2.0", "0.3", "1.0")
COMPARISONS = (">", "<", ">=", "<=")


def atom(text: str) -> str:
    """Return an expression in parentheses, unless it binds tightly enough."""
    node = ast.parse(text, mode="eval").body
    tight = isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute | ast.Constant)
    return text if tight else f"({text})"


class Expressions:
    """Writes expressions, each choice drawn; the first choice is the simplest.

    Args:
        draw: hypothesis's function that draws from a strategy.
    """

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.fuel = 60

    def number(self, stop: int) -> int:
        """Return a whole number below `stop`."""
        return self.draw(st.integers(0, stop - 1))

    def pick(self, choices: Any) -> Any:
        """Return one of several things."""
        return choices[self.number(len(choices))]

    def chance(self, one_in: int) -> bool:
        """Return True once in a while, and False when shrunk."""
        return self.number(one_in) == one_in - 1

    def expression(self, scope: Scope, shape: Shape, depth: int = 2) -> str:
        """Return the text of an expression."""
        self.fuel -= 1
        if depth <= 0 or self.fuel <= 0:
            return self.leaf(scope, shape)
        kind = self.number(12)
        if kind <= 2:
            return self.leaf(scope, shape)
        if kind == 3 and self._callable(scope, shape):
            return self.call(scope, self.pick(self._callable(scope, shape)), depth)
        if kind == 4:
            yes, no = (self.expression(scope, shape, depth - 1) for _ in "ab")
            return f"{atom(yes)} if {self.condition(scope, depth - 1)} else {atom(no)}"
        if kind == 5:
            special = self._special(scope, shape)
            if special:
                return self.pick(special)
        template = self.pick(list(PRODUCTIONS[shape]))
        shapes = self.pick(PRODUCTIONS[shape][template])
        return template.format(*(atom(self.expression(scope, s, depth - 1)) for s in shapes))

    def leaf(self, scope: Scope, shape: Shape) -> str:
        """Return a name, a number, or a constant array."""
        names = scope.of_shape(shape)
        if names and not self.chance(8):
            return self.pick(names)
        if not shape:
            inside = [name for name, s in scope.floats.items() if s]
            if inside and self.chance(2):
                name = self.pick(inside)
                return f"{name}[{', '.join(str(self.number(n)) for n in scope.floats[name])}]"
            return self.pick(NUMBERS)
        wider = [name for name, s in scope.floats.items() if s[1:] == shape]
        if wider and self.chance(2):
            return f"{self.pick(wider)}[{self.number(2) - 1}]"
        narrower = [name for name, s in scope.floats.items() if s in ((), shape[1:])]
        if narrower and not self.chance(4):
            name = self.pick(narrower)
            ones = f"np.ones({shape})"
            return self.pick(
                (f"np.full({shape}, {name})", f"({ones} * {name})", f"({name} + {ones})")
            )
        return f"np.full({shape}, {self.pick(NUMBERS)})"

    def condition(self, scope: Scope, depth: int = 1) -> str:
        """Return the text of a truth value."""
        kind = self.number(9)
        if kind == 1 and scope.flags:
            return self.pick(scope.flags)
        if kind == 2 and scope.integers:
            name = self.pick(list(scope.integers))
            return self.pick((f"{name} % 2 == 0", f"{name} > 0", f"{name} == 1", f"{name} != 1"))
        if kind == 3 and depth > 0:
            word = self.pick(("and", "or"))
            left, right = (self.condition(scope, depth - 1) for _ in "ab")
            return f"({left} {word} {right})"
        if kind == 4 and depth > 0:
            return f"not {atom(self.condition(scope, depth - 1))}"
        if kind == 5:
            middle = atom(self.expression(scope, (), depth))
            return f"-1.0 < {middle} < {self.pick(NUMBERS)}"
        if kind == 6:
            arrays = [name for name, s in scope.floats.items() if s]
            if arrays:
                name = self.pick(arrays)
                return self.pick((f"np.any({name} > 0.5)", f"len({name}) > 2", f"{name}.ndim == 1"))
        left = atom(self.expression(scope, (), depth))
        right = self.pick(NUMBERS) if self.chance(2) else atom(self.expression(scope, (), depth))
        return f"{left} {self.pick(COMPARISONS)} {right}"

    def call(self, scope: Scope, function: Function, depth: int) -> str:
        """Return a call, with some arguments left out or passed by keyword."""
        arguments = []
        count = len(function.parameters) - (
            self.number(function.optional + 1) if function.optional else 0
        )
        named = False
        for k, (name, shape) in enumerate(function.parameters[:count]):
            if k == 0 and function.depth is not None:
                arguments.append(str(self.number(function.depth + 1)))
                continue
            text = self.expression(scope, shape, depth - 1)
            named = named or self.chance(5)
            arguments.append(f"{name}={text}" if named else text)
        for name, shape in function.keywords:
            if self.chance(2):
                arguments.append(f"{name}={self.expression(scope, shape, depth - 1)}")
        return f"{function.name}({', '.join(arguments)})"

    def _callable(self, scope: Scope, shape: Shape) -> list[Function]:
        return [f for f in scope.functions if f.result == shape]

    def _special(self, scope: Scope, shape: Shape) -> list[str]:
        """Return what can be read from lists and by computed indices."""
        found = []
        for name, (element, length) in scope.lists.items():
            if element == shape and length > 0:
                found += [f"{name}[0]", f"{name}[-1]"]
            if element == shape == ():
                found.append(f"sum({name})")
            if shape == ():
                found.append(f"len({name}) * 0.5")
        for name, bound in scope.integers.items():
            if shape == ():
                found += [f"({name} + 1.0)", f"0.3 * {name}"]
            for array, s in scope.floats.items():
                if s and s[0] >= bound and s[1:] == shape:
                    found += [f"{array}[{name}]", f"{array}[-{name} - 1]"]
                if len(s) == 2 and s[1] >= bound and s[:1] == shape:
                    found.append(f"{array}[:, {name}]")
        return found
