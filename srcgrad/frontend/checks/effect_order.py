"""Finding expressions in which a call has an effect that what stands beside it may see.

Generated code names calls with effects before what stands beside them. What was read before
such a call, in Python's order, needs a name of its own, in a statement before; where it can
have none, because it is not always evaluated, or more than once, the function is refused.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator
from typing import Any

from srcgrad.effects import effects_of
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.checks.function_text import path_of
from srcgrad.frontend.checks.iterating import gives_iterator
from srcgrad.frontend.checks.purity import (
    ASKING,
    IN_ORDER,
    MUTATORS,
    Purity,
    gives_output,
    is_own,
    root_name,
    writes_into_given,
)
from srcgrad.library.attributes import plainly
from srcgrad.library.families import UNKNOWN
from srcgrad.library.libraries import home
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING
from srcgrad.program.primals import primal_of
from srcgrad.program.syntax_trees import nodes_of, nodes_under, spot_of

_NOTHING: tuple[Any, ...] = ()
_CONSUMING = frozenset({"sum", "list", "tuple"})  # functions that read all they are given
_PLAIN = frozenset({"abs", "bool", "float", "int", "len", "round"})  # that stay where they stand


def operands_to_name(
    function: types.FunctionType, nodes: list[ast.AST], purity: Purity
) -> tuple[dict[ast.expr, None], frozenset[int]]:
    """Return what the order of effects asks of the text of a function.

    Returns:
        The operands that a later operand may change, once they are read, and the lines of loops
        that change something between two elements of what they go through.
    """
    if len(nodes) != 1:
        return {}, frozenset()
    node: Any = nodes[0]
    checking = _Checking(function, node, purity)
    implied = checking.purity.of_implied()
    if implied is not None:
        raise checking.refusal(node, f"of {implied}, which is called where no call stands,")
    if isinstance(node, ast.Lambda):
        checking.inside(node.body)
    elif checking.has_order():
        checking.block(node.body)
    return checking.named, frozenset(checking.changing)


# statements of which an expression is evaluated first, once
_NAMING = (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr, ast.If, ast.For)
_ACTING = (ast.Call, ast.Attribute, ast.Subscript, ast.NamedExpr)  # what may act by itself
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class _Checking:
    """Goes through a function in the order in which Python evaluates it.

    ``purity``: which functions of the program have effects.
    """

    def __init__(self, function: types.FunctionType, node: Any, purity: Purity) -> None:
        self.function = function
        self.text = purity.text(function, node)
        self.purity = purity
        self.stepping = any(gives_iterator(facts.in_class(c, "__iter__")) for c in purity.classes)
        self.named: dict[ast.expr, None] = {}
        self.fixed: set[ast.expr] = set()  # operands that can have no names
        self.bound: set[ast.expr] = set()  # those that can have none even if they only draw
        self.acting: dict[ast.AST, bool] = {}  # each is asked at every operator it stands in
        self.moving: dict[ast.AST, bool] = {}
        self.showing: dict[ast.AST, bool] = {}
        self.of_modules: dict[ast.AST, bool] = {}
        self.changing: set[int] = set()  # lines of loops in whose iterations something changes
        self.whole: Any = None  # the expression of a statement
        # whether what is visited is evaluated before all of its statement, but for a target that
        # draws nothing in ``y[i] += v``
        self.first = self.first_draw = False

    def has_order(self) -> bool:
        """Tell whether anything in the body of the function acts, so that it matters when."""
        acting = [part for part in self.text.parts if type(part) in _ACTING]
        return self.stepping or any(map(self.matters, acting))

    def matters(self, node: Any) -> bool:
        """Tell whether it may matter when something is evaluated."""
        if isinstance(node, ast.Call) and (self.is_generator(node) or self.writes(node)):
            return True
        own = isinstance(node, ast.NamedExpr) or self.is_change(node) or self.has_effect(node)
        return own or self.shows_itself(node)

    # Statements

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: Any) -> None:
        self.first = isinstance(node, _NAMING)
        self.whole = getattr(node, "value", None)
        if isinstance(node, ast.If | ast.While):
            self.require_new(node.test)
        elif isinstance(node, ast.Expr | ast.Assert):
            self.require_no_name(node)
        self.first_draw = self.first
        if isinstance(node, ast.AugAssign):
            self.first = isinstance(node.target, ast.Name)
            self.first_draw = not self.shows(node.target)
        if isinstance(node, ast.Assign):
            self.visit(node.value, _NOTHING)
            for target in node.targets:
                self.target(target, self.read(node.value))
        elif isinstance(node, ast.AugAssign):
            place = not isinstance(node.target, ast.Name)
            self.target(node.target, _NOTHING)
            self.visit(node.value, self.read(node.target) if place else _NOTHING)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.visit(node.value, _NOTHING)
                self.target(node.target, self.read(node.value))
        elif isinstance(node, ast.Assert):
            found = self.read_inside(node.test)
            if found is not None:
                raise self.refusal(found, "of an attribute or an item inside of an assertion")
        elif isinstance(node, ast.For):
            self.visit(node.iter, _NOTHING)
            self.require_alone(node.iter, node.body)
            self.block([*node.body, *node.orelse])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for part in (*node.decorator_list, *defaults_in(node)):
                self.inside(part)
            self.block(node.body)
        elif isinstance(node, ast.If):
            self.visit(node.test, _NOTHING)
            self.block([*node.body, *node.orelse])
        elif isinstance(node, ast.Delete | ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom):
            return
        else:
            for _, value in ast.iter_fields(node):
                for part in value if isinstance(value, list) else [value]:
                    self.part(part)

    def require_alone(self, iterable: Any, body: list[Any]) -> None:
        """Refuse a loop that changes something while a generator function is running."""
        generators = list(filter(self.is_generator, nodes_of(iterable)))
        if not generators:
            if self.stepping and next(self.changes_in(iterable, body), None) is not None:
                self.changing.add(iterable.lineno)
            return
        for part in generators:
            if self.has_effect(part):
                raise self.refusal(
                    part, "of a generator function that is gone through step by step"
                )
        found = next(self.changes_in(iterable, body), None)
        if found is not None:
            raise self.refusal(found, "in a loop over what a generator function gives")

    def changes_in(self, iterable: Any, body: list[Any]) -> Iterator[Any]:
        """Go through what a loop may change between two elements of what it goes through."""
        names = {part.id for part in nodes_of(iterable) if isinstance(part, ast.Name)}
        parts = [part for statement in body for part in nodes_of(statement)]
        added = {part.target for part in parts if isinstance(part, ast.AugAssign)}
        for part in parts:
            place = part if isinstance(part, ast.Subscript | ast.Attribute) else None
            if place is not None and not isinstance(place.ctx, ast.Load):
                if not (
                    isinstance(place, ast.Subscript) and self.text.keeps(place, place in added)
                ):
                    yield part
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                changes = part.func.attr in MUTATORS and root_name(part.func) in names
                if changes or (part.func.attr in MUTATORS and not self.is_local(part.func)):
                    yield part
            if part is not iterable and isinstance(part, ast.expr) and self.has_effect(part):
                yield part

    def is_generator(self, node: Any) -> bool:
        """Tell whether an expression is a call of a generator function."""
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Name):
            return gives_iterator(self.text.thing(node.func))
        if not isinstance(node.func, ast.Attribute):
            return False
        name = node.func.attr
        return any(gives_iterator(vars(c).get(name)) for c in self.purity.classes)

    def is_local(self, node: ast.Attribute) -> bool:
        """Tell whether a path begins with a name that is assigned here."""
        return root_name(node) in self.text.local

    def part(self, part: Any) -> None:
        if isinstance(part, ast.stmt):
            self.statement(part)
        elif isinstance(part, ast.expr):
            self.visit(part, _NOTHING)
        elif isinstance(part, ast.withitem):
            self.visit(part.context_expr, _NOTHING)
        elif isinstance(part, ast.ExceptHandler | ast.match_case):
            self.block(part.body)

    def target(self, node: Any, pending: tuple[Any, ...]) -> None:
        if isinstance(node, ast.Tuple | ast.List):
            for part in node.elts:
                self.target(part, pending)
        elif isinstance(node, ast.Starred):
            self.target(node.value, pending)
        elif isinstance(node, ast.Subscript):
            for part in (node.value, node.slice):
                self.visit(part, pending)
                self.require_order(part, pending)
            found = self.effect_inside(node.slice)  # where nobody reads it, it is not written
            running = filter(self.is_generator, nodes_of(node.slice))
            found = found or next(filter(self.shows, running), None)  # it is named before the value
            if found is not None:
                raise self.refusal(found, "in the index of what is written")
        elif isinstance(node, ast.Attribute):
            self.visit(node.value, pending)

    # Expressions

    def inside(self, node: Any) -> None:
        """Go through what is not evaluated once, before all else of its statement."""
        self.not_first([node], _NOTHING)

    def not_first(self, nodes: Iterable[Any], pending: tuple[Any, ...]) -> None:
        """Go through what may not be evaluated, or after what has an effect."""
        before, self.first, self.first_draw = (self.first, self.first_draw), False, False
        for node in nodes:
            self.visit(node, pending)
        self.first, self.first_draw = before

    def visit(self, node: Any, pending: tuple[Any, ...]) -> None:
        """Go through an expression."""
        if isinstance(node, ast.Call):
            self.call(node, pending)
        elif isinstance(node, ast.IfExp):
            self.require_new(node.test)
            self.visit(node.test, pending)
            self.not_first([node.body, node.orelse], pending)
            self.require_none(node, pending)
        elif isinstance(node, ast.BoolOp):
            tested: set[str] = set()  # which of them were empty, the way back has to know
            for value in node.values:
                changing = self.changing_call(value, tested)
                if changing is not None:
                    raise self.refusal(changing, "on what stands beside it")
                turned = isinstance(value, ast.UnaryOp)
                tested |= set(_held_names(value.operand if turned else value))
            self.visit(node.values[0], pending)
            self.not_first(node.values[1:], pending)
            self.require_none(node, pending)
        elif isinstance(node, _COMPREHENSIONS):
            self.comprehension(node, pending)
        elif isinstance(node, ast.FormattedValue):
            self.require_no_name(node)
            found = self.read_inside(node.value)
            if found is not None:
                raise self.refusal(found, "of an attribute or an item inside of text")
            self.visit(node.value, pending)
        elif isinstance(node, ast.Lambda):
            for part in (*defaults_in(node), node.body):
                self.inside(part)
        else:
            before = self.first, self.first_draw
            if isinstance(node, ast.Compare) and len(node.comparators) > 1:
                self.first = self.first_draw = False  # the last ones may not be evaluated
            self.sequence(list(_operands(node)), pending)
            self.first, self.first_draw = before
            self.require_none(node, pending)

    def require_new(self, test: ast.expr) -> None:
        """Refuse a test that assigns a name that it has read: it is kept behind the test."""
        again = _assigned_again(test)
        if again is not None:
            raise self.refusal(again, "of := on a name that was read before it")

    def require_no_name(self, node: ast.AST) -> None:
        """Refuse an assignment in what stays as it is, whatever becomes of it."""
        for part in nodes_of(node):
            if isinstance(part, ast.NamedExpr):
                raise self.refusal(part, "of := inside of what only asserts, prints or makes text")

    def call(self, node: ast.Call, pending: tuple[Any, ...]) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ASKING:
            self.require_no_name(node)
        parts = [node.func, *node.args, *(k.value for k in node.keywords)]
        self.sequence(parts, pending, node.func)
        for part in parts[1:]:
            if isinstance(part, ast.Lambda):
                if not self.is_followed(node) and self.change_inside(part.body) is not None:
                    raise self.refusal(part, "of a function that is given to another one")
                self.require_repeatable(part.body)
            if isinstance(part, _COMPREHENSIONS) and not self.consumes(node):
                found = self.effect_inside(part)
                if found is not None:
                    raise self.refusal(found, "inside of a comprehension")
        if not self.is_read(node):
            found = self.purity.gives_effect(node, self.text)
            if found is not None:
                raise self.refusal(found, "of a function that is given to another one")
        self.require_none(node, pending)
        if node is not self.whole and self.writes(node):
            if not self.first:
                raise self.refusal(node, "inside of an expression")
            self.named[node] = None  # what stands around it may be written twice

    def comprehension(self, node: Any, pending: tuple[Any, ...]) -> None:
        first = node.generators[0].iter
        self.visit(first, pending)
        parts = [part for each in node.generators for part in (each.iter, *each.ifs)]
        for part in parts[1:]:
            self.inside(part)
        before, self.first, self.first_draw = (self.first, self.first_draw), False, False
        self.sequence(list(_elements(node)), _NOTHING)
        self.first, self.first_draw = before
        for part in (*parts[1:], *_elements(node)):
            if not (isinstance(part, ast.BinOp) and part in _elements(node)):  # it is new
                self.require_repeatable(part)
        self.require_alone(first, [*_elements(node), *node.generators])
        found = self.change_inside(node, skip=first)
        if found is None and isinstance(node, ast.SetComp | ast.DictComp):
            found = self.effect_inside(node, skip=first)
        if found is not None:
            raise self.refusal(found, "inside of a comprehension")
        found = self.effect_inside(node, skip=first) if pending else None
        if found is not None:
            self.name(pending, found)

    def require_repeatable(self, node: Any) -> None:
        """Refuse an effect in what is evaluated for each element, behind what others gave."""
        found = self.effect_inside(node)
        if found is None or found is node:
            return
        raise self.refusal(found, "inside of a comprehension")

    def require_none(self, node: Any, pending: tuple[Any, ...]) -> None:
        """Give names to what was read before, where an expression has an effect."""
        if pending and self.has_effect(node):
            self.name(pending, node)

    def name(self, pending: tuple[Any, ...], node: Any, fixed: Any = None) -> None:
        if not (self.fixed if fixed is None else fixed).isdisjoint(pending):
            raise self.refusal(node, "beside what was read before")
        for part in pending:
            self.named.update(dict.fromkeys(_nameable(part)))

    def sequence(self, parts: list[Any], pending: tuple[Any, ...], called: Any = None) -> None:
        held: set[str] = set()  # what may be a list or a dict that is not read yet
        for part in parts:
            changing = self.changing_call(part, held) if held else None
            if changing is not None:
                raise self.refusal(changing, "on what stands beside it")
            held |= set(_held_names(part))
            self.visit(part, pending)
            self.require_order(part, pending)
            if part is called and isinstance(part, ast.Attribute) and not self.is_of_module(part):
                if self.purity.reads.keeps_attribute(part.attr):
                    part = part.value  # its method stays the same, whatever comes
            pending = (*pending, *self.read(part))

    def require_order(self, node: Any, pending: tuple[Any, ...]) -> None:
        """Give names to what has an effect before an operand that may become statements."""
        acting = [part for part in pending if self.acts(part)] if self.moves(node) else []
        if pending and self.shows(node):  # what prints has to stay behind what printed before
            self.name(tuple(filter(self.shows, pending)), node, self.bound)
        if not acting:
            return
        if any(isinstance(p, ast.NamedExpr) for part in acting for p in nodes_of(part)):
            raise self.refusal(node, "of := on what stands behind it")
        self.name(pending[: pending.index(acting[-1]) + 1], node)

    def acts(self, node: ast.AST) -> bool:
        """Tell whether an operand assigns, changes a list or a dict, or has another effect."""
        found = self.acting.get(node)
        if found is None:
            own = isinstance(node, ast.NamedExpr) or self.is_change(node) or self.has_effect(node)
            found = own or any(map(self.acts, nodes_under(node)))
            self.acting[node] = found
        return found

    def shows(self, node: ast.AST) -> bool:
        """Tell whether something in an operand may draw, print, or add to what nobody reads."""
        found = self.showing.get(node)
        if found is None:
            found = self.shows_itself(node) or any(map(self.shows, nodes_under(node)))
            self.showing[node] = found
        return found

    def shows_itself(self, node: ast.AST) -> bool:
        """Tell the same of an operand without what is in it."""
        draws = isinstance(node, ast.Call) and self.purity.may_draw(node, self.text)
        return draws or self.acts_in(self.purity.noticed, node)

    def moves(self, node: ast.AST) -> bool:
        """Tell whether something in an operand may get a name before that it stands in."""
        found = self.moving.get(node)
        if found is None:
            found = self.may_move(node) or any(map(self.moves, nodes_under(node)))
            self.moving[node] = found
        return found

    def may_move(self, node: ast.AST) -> bool:
        """Tell whether what an expression gives may get a name before that it stands in."""
        if isinstance(node, ast.Call):
            return not (isinstance(node.func, ast.Name) and node.func.id in _PLAIN)
        if isinstance(node, ast.Attribute):
            return not self.is_of_module(node)
        return isinstance(node, (ast.Subscript, ast.IfExp, ast.BoolOp, *_COMPREHENSIONS))

    def changing_call(self, node: ast.AST, names: set[str]) -> ast.Call | None:
        """Return a call in an operand that changes a list or a dict with one of some names."""
        if not self.acts(node):
            return None
        found = filter(self.is_change, ast.walk(node))
        return next((call for call in found if root_name(call.func) in names), None)  # type: ignore

    def writes(self, node: ast.Call) -> bool:
        """Tell whether a call is one of a library's function that writes into an argument."""
        thing = self.text.thing(node.func)
        if thing is MISSING or is_own(thing) or home(thing) == "builtins":
            return False
        outputs = [k.value for k in node.keywords if gives_output(k)]
        if outputs:
            return any(map(self.counts_as_memory, outputs))
        return effects_of(thing) is not UNKNOWN and writes_into_given(thing, node)

    def counts_as_memory(self, node: ast.expr) -> bool:
        """Tell whether an expression stands for an array that is there already."""
        if isinstance(node, ast.Attribute):
            return not self.is_of_module(node)
        return isinstance(node, ast.Name | ast.Subscript | ast.Tuple | ast.IfExp | ast.BoolOp)

    def read(self, node: Any) -> tuple[Any, ...]:
        """Return an operand if what it was may be changed after it was evaluated."""
        if not self.counts(node):
            return _NOTHING
        if not self.first:
            self.fixed.add(node)
        if not self.first_draw:
            self.bound.add(node)
        return (node,)

    def counts(self, node: Any) -> bool:
        """Tell whether an effect that comes later may change what was read here."""
        if isinstance(node, ast.Constant | ast.Name | ast.Lambda):
            return False
        if isinstance(node, ast.Attribute):
            return not self.is_of_module(node)
        if isinstance(node, ast.Tuple | ast.List | ast.Slice | ast.Starred | ast.UnaryOp):
            return any(map(self.counts, _operands(node)))
        return True

    def is_of_module(self, node: ast.Attribute) -> bool:
        found = self.of_modules.get(node)
        if found is None:
            path = path_of(node)
            root = ast.Name(path[0], ast.Load()) if path else None
            found = self.of_modules[node] = isinstance(self.text.thing(root), types.ModuleType)
        return found

    def consumes(self, node: ast.Call) -> bool:
        """Tell whether a call reads all that it is given: a sum, or a function of NumPy's."""
        if isinstance(node.func, ast.Name):
            return node.func.id in _CONSUMING
        return isinstance(node.func, ast.Attribute) and self.is_of_module(node.func)

    def change_inside(self, node: Any, skip: Any = None) -> Any:
        """Return a call in an expression that changes a list, dict or array, or None."""
        return next(filter(self.is_change, _parts(node, skip)), None) if self.acts(node) else None

    def is_change(self, node: Any) -> bool:
        """Tell whether something is a call of a method that changes what it is a method of."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        return node.func.attr in MUTATORS and not self.is_of_module(node.func)

    def effect_inside(self, node: Any, skip: Any = None) -> Any:
        """Return a call with an effect in an expression, or None."""
        return next(filter(self.has_effect, _parts(node, skip)), None) if self.acts(node) else None

    def read_inside(self, node: Any) -> Any:
        """Return an attribute or an item that is read and has an effect, or None."""
        parts = (p for p in nodes_of(node) if isinstance(p, ast.Attribute | ast.Subscript))
        return next(filter(self.has_effect, parts), None)

    def is_read(self, node: ast.Call) -> bool:
        """Tell whether a call is one of the user's functions, or calls nothing that it is given."""
        func = node.func
        given = [p for p in node.args if not isinstance(p, ast.Lambda)]
        if given and not any(isinstance(n, ast.Name) for p in given for n in nodes_of(p)):
            return True  # of constants; what it changes is followed
        thing = self.text.thing(func)
        name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
        if thing is MISSING or name in ASKING | IN_ORDER:
            return True
        srcgrad = (plainly(primal_of(thing), "__module__") or "").startswith("srcgrad")
        return srcgrad or self.is_followed(node)

    def is_followed(self, node: ast.Call) -> bool:
        """Tell whether a call is one of a function, or of a class, of the user's."""
        thing = primal_of(self.text.thing(node.func))
        return isinstance(thing, types.FunctionType | type) and is_own(thing)

    def has_effect(self, node: Any) -> bool:
        return self.acts_in(self.purity, node)

    def acts_in(self, purity: Purity, node: Any) -> bool:
        """Tell whether something has an effect of those that are looked for."""
        if isinstance(node, ast.Attribute | ast.Subscript):
            if not isinstance(node.ctx, ast.Load) or purity.of_plain(node):
                return False
            return not isinstance(node, ast.Attribute) or not self.is_of_module(node)
        if not isinstance(node, ast.Call):
            return False
        return purity.gives_effect(node, self.text) is not None or purity.of_call(node, self.text)

    def refusal(self, node: Any, where: str) -> UnsupportedSyntaxError:
        return UnsupportedSyntaxError(
            f"an effect {where}",
            spots=[spot_of(self.function, node)],
            why="What is read before and after it may differ.",
            fixes=["give what stands beside it names, in statements of their own"],
        )


def _assigned_again(node: ast.expr) -> ast.NamedExpr | None:
    """Return a ``:=`` in an expression that gives another value to a name that was read in it."""
    read: set[str] = set()
    for part in _in_order(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            read.add(part.id)
        elif isinstance(part, ast.NamedExpr) and part.target.id in read:
            return part
    return None


def _parts(node: Any, skip: Any) -> Iterator[Any]:
    """The parts of an expression, but for one and what is in it."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if part is not skip:
            yield part
            waiting += nodes_under(part)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression, each behind those that are evaluated before it."""
    for part in nodes_under(node):
        yield from _in_order(part)
    yield node


def _held_names(node: ast.AST) -> Iterator[str]:
    """The names whose objects an operand hands on, to be read when all operands are there."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        found = root_name(node)
        if found is not None:
            yield found
    elif isinstance(node, ast.Tuple | ast.List | ast.Starred | ast.Dict | ast.IfExp | ast.BoolOp):
        for part in nodes_under(node):
            yield from _held_names(part)


def defaults_in(node: Any) -> list[ast.expr]:
    """Return the expressions in the head of a definition, in the order of their evaluation."""
    if isinstance(node, ast.ClassDef):
        return [*node.bases, *(k.value for k in node.keywords)]
    return [*node.args.defaults, *(value for value in node.args.kw_defaults if value is not None)]


def _elements(node: Any) -> Iterator[ast.expr]:
    """What a comprehension evaluates for each of its elements."""
    if isinstance(node, ast.DictComp):
        yield node.key
        yield node.value
    else:
        yield node.elt


def _nameable(node: Any) -> Iterator[ast.expr]:
    """The expressions of an operand that can stand in statements of their own."""
    if isinstance(node, ast.Starred):
        yield from _nameable(node.value)
    elif isinstance(node, ast.Slice):
        for part in _operands(node):
            yield from _nameable(part)
    elif isinstance(node, ast.Tuple) and any(map(_is_part_of_index, node.elts)):
        for part in node.elts:
            yield from _nameable(part)
    elif not isinstance(node, ast.Constant):
        yield node


def _is_part_of_index(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice | ast.Starred)


def _operands(node: ast.AST) -> Iterator[ast.expr]:
    """The operands of an expression, in the order in which they are evaluated."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                yield key
            yield value
        return
    for part in nodes_under(node):
        if isinstance(part, ast.expr):
            yield part
