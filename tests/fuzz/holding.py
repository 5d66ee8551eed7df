"""Statements about memory and containers: other names, views, dicts, lists from their end."""

from __future__ import annotations

from tests.fuzz.expressions import Expressions
from tests.fuzz.productions import Shape
from tests.fuzz.scope import Scope

VIEWS: dict[Shape, tuple[tuple[str, Shape], ...]] = {
    (3,): (("[1:]", (2,)), ("[:2]", (2,)), ("[::-1]", (3,)), ("[:]", (3,))),
    (2,): (("[::-1]", (2,)), ("[:]", (2,)), ("[1:]", (1,))),
    (2, 3): (("[0]", (3,)), (".T", (3, 2)), ("[:, 1]", (2,)), ("[1, 1:]", (2,)), ("[-1]", (3,))),
    (3, 3): (("[0]", (3,)), (".T", (3, 3)), ("[:, -1]", (3,)), ("[:2]", (2, 3)), ("[1:, 0]", (2,))),
}


class Holding(Expressions):
    """Writes statements that make several names, views or containers stand for values."""

    def write(self, indent: int, text: str) -> None:
        """Add a line."""
        raise NotImplementedError

    def fresh(self, stem: str) -> str:
        """Return a name that nothing else has."""
        raise NotImplementedError

    def new_name(self, scope: Scope) -> str:
        """Return a name for a new value."""
        raise NotImplementedError

    def other_name(self, scope: Scope, indent: int, nesting: int) -> None:
        """Let a second name stand for a number, or for the same array."""
        if not scope.floats:
            return
        source = self.pick(list(scope.floats))
        name = self.new_name(scope)
        if name == source or scope.floats.get(name, scope.floats[source]) != scope.floats[source]:
            name = self.fresh("q")
        self.write(indent, f"{name} = {source}")
        scope.put(name, scope.floats[source])

    def product(self, scope: Scope, indent: int, nesting: int) -> None:
        """Combine two names: what is cheap enough to be computed twice."""
        numbers = scope.of_shape(())
        own = scope.of_shape((), own=True)
        if not own:
            return
        operator = self.pick(("*", "*", "+", "-"))
        left, right = self.pick(numbers), self.pick(numbers)
        self.write(indent, f"{self.pick(own)} = {left} {operator} {right}")

    def view(self, scope: Scope, indent: int, nesting: int) -> None:
        """Take a view of an array of this function, and perhaps write through it."""
        there = [n for n in scope.own if scope.floats.get(n) in VIEWS]
        if not there:
            return
        array = self.pick(sorted(there))
        if array in scope.arguments:  # these may be what the caller still reads
            return
        text, shape = self.pick(VIEWS[scope.floats[array]])
        name = self.fresh("view")
        self.write(indent, f"{name} = {array}{text}")
        scope.put(name, shape)
        if self.chance(2):
            place = self.pick(("[:]", "[0]", "[...]"))
            part = shape[1:] if place == "[0]" else shape
            operator = self.pick(("=", "+=", "*="))
            self.write(indent, f"{name}{place} {operator} {self.expression(scope, part, 2)}")
        elif self.chance(2):
            operator = self.pick(("+=", "*=", "-="))
            self.write(indent, f"{name} {operator} {self.expression(scope, (), 2)}")

    def dict_statement(self, scope: Scope, indent: int, nesting: int) -> None:
        """Make a dict, write to it, and read it."""
        name = self.fresh("d")
        shapes = {key: self.pick(((), (), (3,), (2, 3))) for key in ("a", "b", "c")}
        items = {key: self.expression(scope, shape, 1) for key, shape in shapes.items()}
        if self.chance(2):
            made = ", ".join(f'"{key}": {text}' for key, text in items.items())
            self.write(indent, f"{name} = {{{made}}}")
        else:
            made = ", ".join(f"{key}={text}" for key, text in items.items())
            self.write(indent, f"{name} = dict({made})")
        for _ in range(self.number(3)):
            key = self.pick(list(shapes))
            operator = self.pick(("=", "+=", "*="))
            shape = shapes[key] if operator == "=" else ()
            self.write(indent, f'{name}["{key}"] {operator} {self.expression(scope, shape, 2)}')
        own = scope.of_shape((), own=True)
        form = self.number(3)
        if form == 0 and own:
            total, value = self.pick(own), self.fresh("e")
            heads = (f"{value} in {name}.values()", f"_, {value} in {name}.items()")
            self.write(indent, f"for {self.pick(heads)}:")
            self.write(indent + 1, f"{total} = 0.5 * {total} + np.sum({value})")
        elif form == 1:
            key = self.pick(list(shapes))
            result = self.fresh("q")
            self.write(indent, f'{result} = {name}.pop("{key}")')
            scope.put(result, shapes[key])
            shapes.pop(key)
        for key, shape in shapes.items():
            result = self.fresh("q")
            self.write(indent, f'{result} = {name}["{key}"]')
            scope.put(result, shape)

    def from_the_end(self, scope: Scope, indent: int, nesting: int) -> None:
        """Go through a list from its end, or through its places."""
        lists = [(n, shape) for n, (shape, _) in scope.lists.items()]
        own = scope.of_shape((), own=True)
        if not lists or not own:
            return
        name, shape = self.pick(lists)
        element, total = self.fresh("e"), self.pick(own)
        read = element if shape == () else f"np.sum({element})"
        heads = (
            f"{element} in reversed({name})",
            f"{element} in {name}[::-1]",
            f"{element} in {name}",
            f"{self.fresh('k')}, {element} in enumerate({name})",
        )
        if self.chance(4):
            place = self.fresh("k")
            read = read.replace(element, f"{name}[{place}]")
            self.write(indent, f"for {place} in range(len({name})):")
        else:
            self.write(indent, f"for {self.pick(heads)}:")
        forms = (f"{total} * 0.5 + {read}", f"np.sin({total} + {read})", f"{total} * {read}")
        self.write(indent + 1, f"{total} = {self.pick(forms)}")

    def guard(self, scope: Scope, indent: int, nesting: int) -> None:
        """Raise an exception on a condition that is rarely true."""
        condition = self.condition(scope)
        if self.chance(2):
            condition = f"{self.expression(scope, (), 1)} > 3.0"
        self.write(indent, f"if {condition}:")
        self.write(indent + 1, 'raise ArithmeticError("stopped")')
        if self.chance(4):
            self.write(indent, "else:")
            name = self.fresh("q")
            self.write(indent + 1, f"{name} = {self.expression(scope, (), 2)}")
            scope.put(name, ())
