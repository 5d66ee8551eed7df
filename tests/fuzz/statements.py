"""Random statements, and the functions that they make up."""

from __future__ import annotations

from typing import Any

from tests.fuzz.expressions import NUMBERS, atom
from tests.fuzz.holding import Holding
from tests.fuzz.productions import SHAPES, Shape
from tests.fuzz.scope import Function, Scope

NAMES = ("a", "b", "c", "s", "t", "u", "v", "w", "x_bar", "saved", "z")
SMALL: tuple[Shape, ...] = ((), (), (3,), (2,), (2, 3), (3, 3))


class Statements(Holding):
    """Writes statements, line by line."""

    def __init__(self, draw: Any) -> None:
        super().__init__(draw)
        self.lines: list[str] = []
        self.taken = 0

    def write(self, indent: int, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * indent + text)

    def fresh(self, stem: str) -> str:
        """Return a name that nothing else has."""
        self.taken += 1
        return f"{stem}{self.taken}"

    def block(self, scope: Scope, indent: int, most: int, nesting: int) -> None:
        """Write some statements, at least one."""
        before = len(self.lines)
        for _ in range(self.number(most + 1)):
            if self.fuel > 0:
                self.statement(scope, indent, nesting)
        if indent > 1 and self.chance(16):  # what comes after it is never reached
            words = ["break", "continue"] if scope.loop else []
            word = self.pick([self.result(scope), 'raise ArithmeticError("stopped")', *words])
            self.write(indent, word)
        if len(self.lines) == before:
            name = self.pick(scope.of_shape((), own=True) or ["ignored"])
            self.write(indent, f"{name} = {self.expression(scope, (), 1)}")
            if name == "ignored":
                scope.put(name, ())

    def statement(self, scope: Scope, indent: int, nesting: int) -> None:
        """Write one statement, with the blocks in it."""
        simple = [
            self.assignment, self.assignment, self.reassignment, self.reassignment,
            self.augmented, self.unpacking, self.swap, self.element_write, self.list_statement,
            self.other_name, self.product, self.product, self.view, self.dict_statement,
            self.from_the_end, self.guard,
        ]  # fmt: skip
        compound = [
            self.branch, self.for_loop, self.for_loop, self.while_loop, self.leave, self.local,
            self.branch, self.list_loop,
        ]  # fmt: skip
        if nesting > 0 and self.chance(2):
            self.pick(compound)(scope, indent, nesting - 1)
        else:
            self.pick(simple)(scope, indent, nesting)

    # Simple statements

    def new_name(self, scope: Scope) -> str:
        """Return a name for a new value; what it stood for outside stays out of reach."""
        outside = set(scope.floats) | set(scope.integers) | set(scope.lists) | set(scope.flags)
        free = [name for name in NAMES if name not in outside or name in scope.own]
        free = [name for name in free if name not in scope.lists and name not in scope.integers]
        if scope.loop or not free or any(f.name == "here" for f in scope.functions):
            free = [name for name in free if name not in outside]
        return self.pick(free) if free else self.fresh("q")

    def assignment(self, scope: Scope, indent: int, nesting: int) -> None:
        shape = self.pick(SMALL)
        text = self.expression(scope, shape, 3)
        name = self.new_name(scope)
        if name in scope.floats and scope.floats[name] != shape and indent > 1:
            name = self.fresh("q")
        self.write(indent, f"{name} = {text}")
        scope.put(name, shape)

    def reassignment(self, scope: Scope, indent: int, nesting: int) -> None:
        names = [name for name in scope.floats if name in scope.own]
        if not names:
            return
        name = self.pick(names)
        text = self.expression(scope, scope.floats[name], 2)
        self.write(indent, f"{name} = {text}")

    def augmented(self, scope: Scope, indent: int, nesting: int) -> None:
        names = [name for name in scope.floats if name in scope.own]
        if not names:
            return
        name = self.pick(names)
        shape = scope.floats[name]
        if shape and self.chance(2):
            shape = ()
        operator = self.pick(("+=", "-=", "*=", "+="))
        self.write(indent, f"{name} {operator} {self.expression(scope, shape, 2)}")

    def unpacking(self, scope: Scope, indent: int, nesting: int) -> None:
        names = [self.new_name(scope) for _ in "ab"]
        if names[0] == names[1]:
            names[1] = self.fresh("q")
        if any(scope.floats.get(name, ()) != () for name in names):
            return
        if scope.of_shape((2,)) and self.chance(3):
            text = self.pick(scope.of_shape((2,)))
        else:
            text = ", ".join(self.expression(scope, (), 2) for _ in names)
        left = self.pick((", ".join(names), f"({', '.join(names)})", f"[{', '.join(names)}]"))
        self.write(indent, f"{left} = {text}")
        for name in names:
            scope.put(name, ())

    def swap(self, scope: Scope, indent: int, nesting: int) -> None:
        shape = self.pick(SMALL)
        names = scope.of_shape(shape, own=True)
        if len(names) < 2:
            return
        left = self.pick(names)
        right = self.pick([name for name in names if name != left])
        last = self.expression(scope, shape, 1) if self.chance(3) else left
        self.write(indent, f"{left}, {right} = {right}, {last}")

    def element_write(self, scope: Scope, indent: int, nesting: int) -> None:
        """Make an array and write to it, or write to one that is there."""
        there = [name for name in scope.own if scope.floats.get(name, ())]
        if there and self.chance(2):
            name = self.pick(sorted(there))
        else:
            name, shape = self.new_name(scope), self.pick(SMALL[2:])
            if scope.floats.get(name, shape) != shape:
                name = self.fresh("q")
            source = atom(self.expression(scope, shape, 1))
            zeros = (f"np.zeros({shape})", f"{source}.copy()", f"np.zeros_like({source})")
            self.write(indent, f"{name} = {self.pick((*zeros, f'{source} * 1.0'))}")
            scope.put(name, shape)
        shape = scope.floats[name]
        index, part = self.pick(self.places(scope, shape))
        if part and self.chance(3):
            part = ()
        operator = self.pick(("=", "+=", "=", "*=", "-="))
        self.write(indent, f"{name}[{index}] {operator} {self.expression(scope, part, 2)}")

    def places(self, scope: Scope, shape: Shape) -> list[tuple[str, Shape]]:
        """Return indices into an array of some shape, and the shapes of what they read."""
        rest = shape[1:]
        found = [(", ".join(["0"] * len(shape)), ()), ("1" if shape[0] > 1 else "0", rest)]
        found += [("-1", rest), (":", shape), ("1:", (shape[0] - 1, *rest)), ("...", shape)]
        if rest:
            found += [(":, 0", shape[:1]), ("0, 1:", (rest[0] - 1,))]
        found += [(name, rest) for name, bound in scope.integers.items() if bound <= shape[0]]
        return [(index, part) for index, part in found if part in SHAPES]

    def list_statement(self, scope: Scope, indent: int, nesting: int) -> None:
        """Make a list, or append to one."""
        own = [name for name in scope.lists if name in scope.own]
        if own and self.chance(2):
            name = self.pick(own)
            element, length = scope.lists[name]
            self.write(indent, f"{name}.append({self.expression(scope, element, 2)})")
            scope.lists[name] = (element, length + 1)
            return
        element = self.pick(SMALL)
        items = [self.expression(scope, element, 1) for _ in range(self.number(3))]
        name = self.fresh("items")
        self.write(indent, f"{name} = [{', '.join(items)}]")
        scope.lists[name] = (element, len(items))
        scope.own |= {name}

    # Compound statements

    def branch(self, scope: Scope, indent: int, nesting: int) -> None:
        """An `if` with all its parts; a name that every part gives a value is kept."""
        name, shape = self.new_name(scope), self.pick(SMALL)
        whole = self.chance(2) and scope.floats.get(name, shape) == shape
        parts = ["if", *["elif"] * self.number(2), *(["else"] if whole or self.chance(2) else [])]
        for part in parts:
            head = part if part == "else" else f"{part} {self.condition(scope)}"
            self.write(indent, f"{head}:")
            inside = scope.inner()
            self.block(inside, indent + 1, 2, nesting)
            if whole:
                self.write(indent + 1, f"{name} = {self.expression(inside, shape, 2)}")
        if whole:
            scope.put(name, shape)

    def for_loop(self, scope: Scope, indent: int, nesting: int) -> None:
        """A loop over anything that can be looped over."""
        inside = scope.inner(loop=True)
        heads = [self.over_range, self.over_array, self.over_zip, self.over_enumerate,
                 self.over_items, self.over_reversed]  # fmt: skip
        self.write(indent, f"for {self.pick(heads)(scope, inside)}:")
        self.loop_body(scope, inside, indent, nesting)

    def loop_body(self, scope: Scope, inside: Scope, indent: int, nesting: int) -> None:
        """What is in a loop, and the `else` behind it."""
        self.block(inside, indent + 1, 3, nesting)
        carried = scope.of_shape((), own=True)
        if carried:
            name = self.pick(carried)
            text = self.expression(inside, (), 2)
            forms = (f"0.5 * {name} + {atom(text)}", f"np.sin({name} + {text})", text)
            self.write(indent + 1, f"{name} = {self.pick(forms)}")
        if self.chance(5):
            self.write(indent, "else:")
            self.block(scope.inner(), indent + 1, 2, 0)

    def target(self, inside: Scope, shape: Shape) -> str:
        name = self.fresh("e")
        inside.put(name, shape)
        return name

    def counter(self, inside: Scope, bound: int) -> str:
        name = self.fresh("k")
        inside.integers[name] = bound
        return name

    def over_range(self, scope: Scope, inside: Scope) -> str:
        text, bound = self.pick(
            (("range(2)", 2), ("range(3)", 3), ("range(1, 3)", 3), ("range(0)", 1),
             ("range(2, -1, -1)", 3), ("range(0, 3, 2)", 3), ("range(n)", 3))
        )  # fmt: skip
        if text == "range(n)" and "n" not in scope.integers:
            text = "range(2)"
        return f"{self.counter(inside, bound)} in {text}"

    def array(self, scope: Scope) -> tuple[str, Shape]:
        shape = self.pick([s for s in SHAPES if s])
        return self.expression(scope, shape, 1), shape

    def over_array(self, scope: Scope, inside: Scope) -> str:
        text, shape = self.array(scope)
        return f"{self.target(inside, shape[1:])} in {text}"

    def over_zip(self, scope: Scope, inside: Scope) -> str:
        (left, a), (right, b) = self.array(scope), self.array(scope)
        return f"{self.target(inside, a[1:])}, {self.target(inside, b[1:])} in zip({left}, {right})"

    def over_enumerate(self, scope: Scope, inside: Scope) -> str:
        text, shape = self.array(scope)
        counter = self.counter(inside, shape[0])
        return f"{counter}, {self.target(inside, shape[1:])} in enumerate({text})"

    def over_items(self, scope: Scope, inside: Scope) -> str:
        shape = self.pick(SMALL)
        items = [self.expression(scope, shape, 1) for _ in range(1 + self.number(2))]
        text = f"[{', '.join(items)}]" if self.chance(2) else f"({', '.join(items)},)"
        return f"{self.target(inside, shape)} in {text}"

    def over_reversed(self, scope: Scope, inside: Scope) -> str:
        if self.chance(3):
            return f"{self.counter(inside, 3)} in reversed(range(3))"
        text, shape = self.array(scope)
        return f"{self.target(inside, shape[1:])} in reversed({text})"

    def list_loop(self, scope: Scope, indent: int, nesting: int) -> None:
        """Fill a list in a loop, and read it."""
        element = self.pick(SMALL)
        name = self.fresh("items")
        inside = scope.inner(loop=False)
        if self.chance(2):
            head = self.over_range(scope, inside)
            text = self.expression(inside, element, 2)
            self.write(indent, f"{name} = [{text} for {head}]")
            scope.lists[name] = (element, 0)
            return
        self.write(indent, f"{name} = []")
        head = self.pick((self.over_range, self.over_array))(scope, inside)
        self.write(indent, f"for {head}:")
        self.block(inside, indent + 1, 1, 0)
        self.write(indent + 1, f"{name}.append({self.expression(inside, element, 2)})")
        scope.lists[name] = (element, 0)
        scope.own |= {name}
        if self.chance(2):
            inside = scope.inner(loop=True)
            self.write(indent, f"for {self.target(inside, element)} in {name}:")
            self.loop_body(scope, inside, indent, nesting)

    def while_loop(self, scope: Scope, indent: int, nesting: int) -> None:
        """A loop with a counter, so that it ends."""
        counter = self.fresh("k")
        self.write(indent, f"{counter} = 0")
        bound = 1 + self.number(3)
        more = f" and {self.condition(scope)}" if self.chance(3) else ""
        self.write(indent, f"while {counter} < {bound}{more}:")
        inside = scope.inner(loop=True)
        first = self.chance(2)
        if first:
            self.write(indent + 1, f"{counter} += 1")
        else:
            inside.integers[counter] = bound
            inside.loop = False  # `continue` would pass by the counter
        self.loop_body_of_while(scope, inside, indent, nesting)
        if not first:
            self.write(indent + 1, f"{counter} = {counter} + 1")
        if self.chance(5):
            self.write(indent, "else:")
            self.block(scope.inner(), indent + 1, 2, 0)

    def loop_body_of_while(self, scope: Scope, inside: Scope, indent: int, nesting: int) -> None:
        self.block(inside, indent + 1, 3, nesting)
        for name in scope.of_shape((), own=True)[:1]:
            self.write(indent + 1, f"{name} = np.cos({name}) + {self.expression(inside, (), 1)}")

    def leave(self, scope: Scope, indent: int, nesting: int) -> None:
        """Leave the loop or the function, on a condition."""
        self.write(indent, f"if {self.condition(scope)}:")
        inside = scope.inner()
        if self.chance(2):
            self.block(inside, indent + 1, 1, 0)
        words = ["return"]
        if scope.loop:
            words = ["break", "continue", "return"]
        word = self.pick(words)
        self.write(indent + 1, self.result(inside) if word == "return" else word)

    def result(self, scope: Scope) -> str:
        """Return the text of a `return` statement."""
        numbers = scope.of_shape((), own=True)
        if scope.result == ((),) and len(numbers) > 1 and self.chance(3):
            return f"return {' * '.join(self.pick(numbers) for _ in range(3))}"
        return "return " + ", ".join(self.expression(scope, s, 2) for s in scope.result)

    def local(self, scope: Scope, indent: int, nesting: int) -> None:
        """A local function or a lambda that sees the names around it."""
        name = self.fresh("g")
        shape, result = self.pick(SMALL), self.pick(SMALL)
        parameter = self.fresh("p")
        optional = self.chance(3)
        inside = scope.inner(own=frozenset(), result=(result,), loop=False)
        inside.put(parameter, shape)
        parameters = [(parameter, shape)]
        head = parameter
        if optional:
            extra = self.fresh("p")
            head = f"{parameter}, {extra}={self.pick(NUMBERS)}"
            parameters.append((extra, ()))
            inside.put(extra, ())
        if self.chance(2):
            self.write(indent, f"{name} = lambda {head}: {self.expression(inside, result, 2)}")
        else:
            self.write(indent, f"def {name}({head}):")
            self.own_block(inside, indent + 1)
        made = Function(name, tuple(parameters), int(optional), (), result)
        scope.functions = (*scope.functions, made)

    def own_block(self, inside: Scope, indent: int) -> None:
        """Write the body of a function, which assigns names that are its own."""
        local = self.fresh("h")
        self.write(indent, f"{local} = {self.expression(inside, (), 2)}")
        inside.put(local, ())
        if self.chance(2):
            self.write(indent, f"if {self.condition(inside)}:")
            self.write(indent + 1, self.result(inside))
        self.write(indent, self.result(inside))
