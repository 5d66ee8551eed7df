"""Lowering of expressions, one function for each kind of syntax."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.constants import type_of_constant
from srcgrad.analysis.shapes.joins import common_type
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import SrcgradError
from srcgrad.frontend.arrays.formula_calls import require_formula
from srcgrad.frontend.arrays.numpy_calls import lower_joined
from srcgrad.frontend.arrays.operands import as_operands
from srcgrad.frontend.arrays.stacking import as_array
from srcgrad.frontend.checks.foreign_values import require_plain_operands
from srcgrad.frontend.containers import attributes, indexing, objects
from srcgrad.frontend.containers.comparisons import COMPARE, fold_comparison, truth
from srcgrad.frontend.containers.effects import settle
from srcgrad.frontend.containers.overloading import lower_operator
from srcgrad.frontend.containers.spreading import elements
from srcgrad.frontend.containers.structures import dict_display, is_dict, new_dict, sequence
from srcgrad.frontend.expressions.regions import branch, join_values, may_be_given, run_arm
from srcgrad.frontend.state import kept_text
from srcgrad.frontend.state.builder import Builder, require_assigned, require_one_kind
from srcgrad.frontend.state.closures import capture, make_closure, spelled_out
from srcgrad.frontend.state.recursion import (
    assign,
    display_of_list,
    lower_call,
    lower_comprehension,
    written_out,
)
from srcgrad.frontend.state.rewriting import (
    held,
    in_place_of,
    loop_written_out,
    restore,
    snapshot,
    way_of,
    way_to,
)
from srcgrad.frontend.state.sparse import require_product
from srcgrad.frontend.text.names import identifiers, names_around, names_in, names_written_into
from srcgrad.frontend.text.operators import BINARY, UNARY
from srcgrad.frontend.text.source import define_lambda
from srcgrad.frontend.text.templates import expression, text_of
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import (
    LIST_NEW,
    READ,
    Closure,
    Compound,
    Const,
    Equation,
    Items,
    Known,
    Method,
    Op,
    Struct,
    Value,
    Var,
    is_active,
    variables,
)
from srcgrad.ir.rebuilding import rebuilt
from srcgrad.ir.types import BOOLEAN, INTEGER, OPAQUE, Type
from srcgrad.ir.unassigned import is_open, is_perhaps
from srcgrad.registry import is_nondifferentiable


def lower(b: Builder, node: cst.BaseExpression) -> Value:
    """Lower an expression: append its equations and return its value."""
    kind = type(node)
    rule = _RULES.get(kind)
    if rule is None:
        raise b.refuse(node, f"this expression ({kind.__name__})", "rewrite it")
    if kind is not cst.Attribute and kind is not cst.Subscript:
        value = rule(b, node)
        if isinstance(value, Compound) and not may_be_given(b, value, node):
            raise b.refuse(node, "what is None or not, and has no name,", "give it a name")
        return value
    name = node.value.value if isinstance(node.value, cst.Name) else ""
    held, some = b.env.get(name), None
    if is_perhaps(held):  # of None, reading it is an error
        some = b.env[name] = held.items[0]
        b.some |= set(variables(some))
    value = rule(b, node)
    if is_perhaps(held) and b.env[name] is some:
        b.env[name] = held
    require_assigned(b, [value], node)
    if not isinstance(value, Var):
        return value
    unsure = b.loops and (value in b.partial or value in b.begun or value in b.derived)
    return read_here(b, value, node) if unsure or value in b.some else value


@contextmanager
def some_there(b: Builder, names: Iterable[str]) -> Iterator[None]:
    """Let names stand for what has parts that may be None elsewhere, as long as that lasts."""
    before = {name: b.env[name] for name in names}
    for name, either in before.items():
        b.bind(name, _there(b, either.items[0]), write=False)  # type: ignore[union-attr]
    some = {name: b.env[name] for name in before}
    yield
    b.env |= {name: before[name] for name, there in some.items() if b.env.get(name) is there}


def _there(b: Builder, part: Value) -> Value:
    """What is there and not None, with parts that are read here."""
    if isinstance(part, Compound):
        return rebuilt(part, lambda inner: _there(b, inner))
    return read_here(b, part, None) if isinstance(part, Var) else part


def names_of_some(b: Builder, test: Any, holds: bool) -> list[str]:
    """The names that stand for something and not for None, where a test holds or does not."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return names_of_some(b, test.expression, not holds)
    if isinstance(test, cst.BooleanOperation):
        if isinstance(test.operator, cst.And) is not holds:
            return []
        parts = (names_of_some(b, part, holds) for part in (test.left, test.right))
        return [name for part in parts for name in part]
    name = _asked_for_none(b, test)
    if not name:
        return []
    there = isinstance(test, cst.Name) or isinstance(test.comparisons[0].operator, cst.IsNot)
    return [name] if there is holds else []


def _asked_for_none(b: Builder, node: Any) -> str:
    """The name in ``hit is None`` or ``not hit``, where that may be; empty for other tests."""
    if isinstance(node, cst.Name):
        held = b.env.get(node.value)
        return node.value if is_perhaps(held) and truth(held.items[0]) else ""
    if not isinstance(node, cst.Comparison) or len(node.comparisons) > 1:
        return ""
    other, name = node.comparisons[0].comparator, getattr(node.left, "value", "")
    plain = isinstance(node.left, cst.Name) and text_of(other) == "None"
    asks = plain and isinstance(node.comparisons[0].operator, cst.Is | cst.IsNot)
    return name if asks and is_perhaps(b.env.get(name)) else ""


def read_here(b: Builder, value: Var, node: Any) -> Value:
    """A part of what may be unassigned, or None, as a value of where the program reads it.

    So it is kept there, and not where there may be none.
    """
    written = node is not None and names_in(node) & names_written_into(b.source.tree)
    if written and not value.type.is_immutable:
        return value
    made = b.define(Var(value.name, value.type), node)
    b.read_of[made] = value
    b.block.append(Equation((made,), Op(READ), (value,), (), b.origin(node)))
    return made


def _name(b: Builder, node: cst.Name) -> Value:
    constants = {"True": True, "False": False, "None": None}
    if node.value in constants and node.value not in b.env:
        return Const(constants[node.value])
    held = b.env.get(node.value)
    if is_perhaps(held) and may_be_given(b, held, node):
        return held
    return spelled_out(b, node, b.lookup(node.value, node))


def _literal(b: Builder, node: Any) -> Value:
    return Const(_value_of(node.value))


_value_of = functools.lru_cache(maxsize=4096, typed=True)(ast.literal_eval)


def _formatted(b: Builder, node: cst.FormattedString | cst.ConcatenatedString) -> Value:
    if isinstance(node, cst.FormattedString):
        text = _known_text(b, node)
        if text is not None:
            return Const(text)
    values = names_used(b, node)
    settle(b, node, values)
    return b.opaque(node, values)


def _known_text(b: Builder, node: cst.FormattedString) -> str | None:
    """What ``f"W{k}"`` is, where its parts are known and it is written plainly."""
    text = ""
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            if set(part.value) & set("\\{}"):
                return None
            text += part.value
            continue
        plain = part.conversion is None and part.format_spec is None and part.equal is None
        value = _known_part(b, part.expression) if plain else None
        if value is None:
            return None
        text += f"{value.value}"
    return text


def _known_part(b: Builder, node: Any) -> Const | None:
    """A number or text in an f-string, where it is known when code is generated."""
    if isinstance(node, cst.Name):
        value = b.env.get(node.value)
    elif isinstance(node, cst.Integer | cst.SimpleString | cst.BinaryOperation):
        state = snapshot(b)
        try:
            value = lower(b, node)
        except SrcgradError:
            value = None
        restore(b, state)
    else:
        return None
    return value if isinstance(value, Const) and isinstance(value.value, int | str) else None


def _display(b: Builder, node: Any, made: Callable[[tuple[Value, ...]], Value]) -> Value:
    """Lower the elements of a display, those of what has a star one by one.

    Where it is not known how many these are, and nothing is differentiated, the text is kept.
    """
    out: list[Value] = []
    unknown = None
    for element in node.elements:
        value = lower(b, element.value)
        if not isinstance(element, cst.StarredElement):
            out.append(value)
            continue
        found = starred(b, value)
        if found is None:
            unknown, found = element, (value,)
        out.extend(found)
    if unknown is None:
        return made(tuple(out))
    if is_active(Items(tuple(out))) and any(type_of(v).kind == "list" for v in out):
        raise display_of_list(b, node)
    if b.formula is not None or any(is_active(capture(b, value)) for value in out):
        raise written_out(b, unknown.value) or number_unknown(b, unknown)
    kept_text.note(b, node, out)
    return b.opaque(node, out)


def starred(b: Builder, value: Value) -> tuple[Value, ...] | None:
    """Return the elements of a starred value; None where their number is not known."""
    items = sequence(value)
    if items is not None:
        return items
    if b.in_formula:
        raise b.formula.undecided()
    return elements(b, value)


def number_unknown(b: Builder, node: Any) -> Exception:
    """Return what to raise where it is not known how many elements a starred value has."""
    if b.context.demands.may_ask(What.PARTS):
        return Specialise(What.PARTS)
    what = "a starred value whose length is not known"
    error = b.refuse(node, what, "write its elements out")
    return loop_written_out(b, frozenset(names_in(node)), error)


def _tuple(b: Builder, node: cst.Tuple) -> Value:
    return _display(b, node, Items)


def _list(b: Builder, node: cst.List) -> Value:
    if not node.elements:
        return b.emit(Op(LIST_NEW), (), node, type_=Type("list"), active=False)
    return _display(b, node, lambda parts: Items(parts, True, object()))


def apply_operator(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> Value:
    """Apply an operator to lowered operands."""
    kinds = {*map(type, args)}
    if kinds <= {Const}:
        try:
            return Const(fn(*(a.value for a in args)))
        except Exception:  # noqa: BLE001 - it is raised again where it belongs
            pass
    if fn is operator.and_ and b.formula is not None:  # what a formula asks may be decided
        for one, other in (args, args[::-1]):
            if isinstance(one, Const) and one.value is True and type_of(other).dtype == "b":
                return other
    if kinds <= {Var, Const} and all(type_of(a).is_number for a in args):  # as nearly all are
        return _on_numbers(b, fn, args, node)
    if all(isinstance(a, Items) for a in args) and fn is operator.add and len(args) == 2:
        left, right = args
        token = object() if left.is_list else None
        return Items(left.items + right.items, left.is_list, token)
    if fn is operator.mul and any(isinstance(a, Items) for a in args):
        whole, count = args if isinstance(args[0], Items) else args[::-1]
        known = isinstance(count, Const) or is_active(whole)
        number = indexing.needed_number(b, count) if known else None
        if number is not None:
            token = object() if whole.is_list else None
            return Items(whole.items * number, whole.is_list, token)
        if whole.is_list and type_of(count) == INTEGER and b.formula is None:
            kind = Type("list", element=common_type(whole.items))
            return b.emit(Op(fn), args, node, type_=kind, active=False)
    if any(isinstance(a, Items) and is_active(a) for a in args):
        if any(isinstance(a, Var) and a.type.kind == "array" for a in args):
            args = tuple(as_array(b, a) for a in args)
    if any(isinstance(a, Struct) for a in args):
        return _on_structures(b, fn, args, node)
    if isinstance(node, _OPERATIONS) and any(isinstance(a, Known) for a in args):
        made = lower_operator(b, fn, args, node)
        if made is not None:
            return made
    if fn is operator.add and all(type_of(a).kind == "list" for a in args) and b.active(*args):
        if not b.loops and b.context.demands.may_ask(What.OPTIONS):
            raise Specialise(What.OPTIONS)  # the lengths are known then
        error = b.refuse(node, "the sum of lists of varying length", "append in a loop")
        raise loop_written_out(b, frozenset(), error)
    for arg in args:
        if isinstance(arg, Items) and is_active(arg):
            if fn is operator.add and any(type_of(a).kind == "list" for a in args):
                raise display_of_list(b, node)
            sides = (node.left, node.right) if isinstance(node, cst.BinaryOperation) else ()
            written = (written_out(b, side) for side in sides)
            raise next(filter(None, written), None) or b.refuse(
                node,
                "arithmetic on a tuple or list of active values",
                "use np.array or unpack it",
            )
        if isinstance(arg, Closure | Method):
            raise b.refuse(node, "arithmetic on a function", "call it first")
        if isinstance(arg, Known) and b.formula is None and not _is_number(arg):
            if b.active(*args):
                require_plain_operands(b, Op(fn), args, node)
                raise b.refuse(node, "arithmetic on an object", "write it for its parts")
            return b.opaque(node, list(args), Type("numeric", None, "?"))
    return _on_numbers(b, fn, args, node)


def _on_numbers(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> Value:
    """Apply an operator to what it is defined for: arrays and numbers."""
    if b.formula is not None and b.formula.forward and b.formula.is_primal(fn):
        return b.formula.primal
    if b.active(*args):
        require_formula(b, fn, args, node)
        require_product(b, fn, args, node)
        if is_nondifferentiable(fn):
            return b.emit(Op(fn), args, node, active=False)
    return b.emit(Op(fn), args, node)


def _is_number(value: Known) -> bool:
    """Whether something from outside is a number or an array."""
    return type_of_constant(value.object).is_number


def _on_structures(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> Value:
    """Apply an operator to dicts or objects."""
    if fn is operator.or_ and all(is_dict(a) for a in args):
        merged: dict[Any, Value] = {}
        for arg in args:
            merged |= dict(zip(arg.form.names, arg.items, strict=True))
        return new_dict(list(merged), list(merged.values()))
    made = lower_operator(b, fn, args, node) if isinstance(node, _OPERATIONS) else None
    if made is not None:
        return made
    if not any(is_active(a) for a in args):
        return b.opaque(node, list(args), Type("numeric", None, "?"))
    raise b.refuse(node, "arithmetic on a dict or an object", "write it for its parts")


_OPERATIONS = (cst.BinaryOperation, cst.UnaryOperation)


def _binary(b: Builder, node: cst.BinaryOperation) -> Value:
    left, right = lower(b, node.left), lower(b, node.right)
    fn = BINARY[type(node.operator)]
    role = {"truediv": ("num", "den")}.get(fn.__name__)
    if role:
        for part, name in zip((left, right), role, strict=True):
            if isinstance(part, Var) and not part.named:
                b.layout.roles.setdefault(part, name)
    operands = as_operands(b, (left, right), (node.left, node.right))
    return apply_operator(b, fn, operands, node)


def condition(b: Builder, node: Any) -> Value:
    """Lower what is tested for being true; where only its text can tell, that is kept."""
    if isinstance(node, cst.Name) and _asked_for_none(b, node):
        return _whether_there(b, node)
    value = lower(b, node)
    if isinstance(value, Known) and truth(value) is None:
        return b.opaque(node, [value], BOOLEAN)
    if isinstance(value, Struct) and truth(value) is None:
        raise b.refuse(node, "the truth of an object whose class says what it is", "ask for it")
    return value


def _whether_there(b: Builder, node: Any) -> Value:
    """The answer to a test whether what a name stands for is None."""
    result = b.opaque(node, [], BOOLEAN)
    b.layout.roles[result] = "cond"  # type: ignore[index]
    return result


def _unary(b: Builder, node: cst.UnaryOperation) -> Value:
    negates = isinstance(node.operator, cst.Not)
    value = condition(b, node.expression) if negates else lower(b, node.expression)
    if negates:
        known = truth(value)
        if known is not None:
            return Const(not known)
        result = b.emit(Op(operator.not_), (value,), node, type_=BOOLEAN, active=False)
        b.layout.roles[result] = "cond"  # type: ignore[index]
        return result
    return apply_operator(b, UNARY[type(node.operator)], (value,), node)


def _is_dtype_of_objects(value: Value) -> bool:
    named = isinstance(value, Const) and value.value in ("O", "object")
    return named or (isinstance(value, Known) and value.object is object)


def _compare(b: Builder, node: cst.Comparison) -> Value:
    if _asked_for_none(b, node):
        return _whether_there(b, node)
    values = [lower(b, node.left)] + [lower(b, c.comparator) for c in node.comparisons]
    kinds = [type(c.operator) for c in node.comparisons]
    folded = fold_comparison(kinds, [attributes.known_rank(b, v) for v in values])
    if folded is None and len(kinds) == 1 and kinds[0] in (cst.Equal, cst.NotEqual):
        if attributes.is_dtype_of_numbers(b, values[0]) and _is_dtype_of_objects(values[1]):
            folded = kinds[0] is cst.NotEqual
    if folded is not None:
        return Const(folded)
    if len(kinds) == 1 and kinds[0] in COMPARE and all(isinstance(v, Var | Const) for v in values):
        result = b.emit(Op(COMPARE[kinds[0]]), tuple(values), node, active=False)
    else:
        result = b.opaque(node, values, BOOLEAN)
    for var in variables(result):
        b.layout.roles[var] = "cond"
    return result


def _boolean(b: Builder, node: cst.BooleanOperation) -> Value:
    left = lower(b, node.left)
    if isinstance(left, Known | Struct) and truth(left) is None:
        raise b.refuse(node, "the truth of an object here", "test it by itself")
    known = truth(left)
    is_and = isinstance(node.operator, cst.And)
    if known is not None:
        return lower(b, node.right) if known == is_and else left

    def right(_: Builder) -> Value:
        return lower(b, node.right)

    then, orelse = (right, lambda _: left) if is_and else (lambda _: left, right)
    # A chain of tests is one expression to whoever reads it; it is kept whole
    # unless one of its values can be active.
    mark = len(b.block)
    order = dict(b.layout.definitions)
    if not is_active(left):
        saved = dict(b.env)
        _, value, after = run_arm(b, right, None)
        if not is_active(value) and saved == after:
            del b.block[mark:]
            kind = join_values(b, left, value)
            kept_text.note(b, node, names_used(b, node))
            result = b.opaque(node, names_used(b, node), kind if kind.is_number else OPAQUE)
            b.layout.roles[result] = "cond"  # type: ignore[index]
            return result
        b.env = saved
        b.layout.definitions = order
    del b.block[mark:]
    return branch(b, left, then, orelse, node)


def _if_expression(b: Builder, node: cst.IfExp) -> Value:
    test = condition(b, node.test)
    known = truth(test)
    if known is not None:
        return lower(b, node.body if known else node.orelse)
    if b.formula is not None:
        raise b.formula.undecided()
    if b.loops and isinstance(test, Var) and test.type.kind == "list":
        _count_elements(b, node.test)
    return branch(b, test, lambda _: lower(b, node.body), lambda _: lower(b, node.orelse), node)


def _count_elements(b: Builder, node: Any) -> None:
    """Have a list that is tested in a loop counted: what is kept of it is a truth value."""
    if isinstance(b.statement, cst.While) or way_to(b.statement, node) is None:
        return
    raise in_place_of(node, expression("len(_t) > 0", _t=node))


def _named(b: Builder, node: cst.NamedExpr) -> Value:
    value = lower(b, node.value)
    if not isinstance(node.target, cst.Name):
        raise b.refuse(node, "this assignment expression", "assign to a name")
    b.bind(node.target.value, value)
    return value


def _attribute(b: Builder, node: cst.Attribute) -> Value:
    value = attributes.lower_attribute(b, lower(b, node.value), node.attr.value, node)
    return value if b.callee is node else objects.held(value)


def _subscript(b: Builder, node: cst.Subscript) -> Value:
    if b.formula is None:
        lower_joined(b, node, lower)
    value = lower(b, node.value)
    index = indexing.lower_index(b, node.slice, lower)
    shown = isinstance(node.value, cst.Tuple | cst.List) and isinstance(value, Items)
    if b.formula is None and shown and is_active(value) and isinstance(index, Var):
        way_of(b, node, "an element of a display here", "give the display a name")
        before, rows = held(b, node.value)
        raise in_place_of(node.value, rows, before)
    return indexing.read_item(b, value, index, node)


def _lambda(b: Builder, node: cst.Lambda) -> Value:
    definition = b.source.lambdas.get(id(node))
    if definition is None:
        definition = b.source.lambdas[id(node)] = define_lambda(node, "lambda_")
        b.source.kept.extend((node, definition))
        b.source.derive(b.statement, definition)
    return make_closure(b, definition, lower)


def names_used(b: Builder, node: cst.CSTNode) -> list[Value]:
    """The values of the local names that occur in an expression; each has to be known."""
    found = []
    for name in sorted(identifiers(node)):
        value = b.env.get(name)
        if is_perhaps(value):
            found.append(value.items[0])
        elif is_open(value):
            if name in names_around(node):
                b.lookup(name, node)  # refuses
        elif value is not None:
            require_one_kind(b, name, value, node)
            b.note_read(name, value)
            found.append(value)
    return found


def _dict(b: Builder, node: cst.Dict) -> Value:
    if b.formula is not None:
        return _inactive_only(b, node)
    state = snapshot(b)
    made = dict_display(b, node, lower, indexing.entries_of_known)
    if made is not None:
        return made
    restore(b, state)
    return _inactive_only(b, node)


def _comprehension(b: Builder, node: Any) -> Value:
    if b.formula is not None:
        return unroll(b, node)
    return lower_comprehension(b, node, names_used(b, node))


def _inactive_only(b: Builder, node: Any) -> Value:
    """Keep a dict or set as text, provided that nothing active is in it."""
    values = names_used(b, node)
    if any(is_active(capture(b, v)) for v in values):
        kind = f"a {type(node).__name__} with active values"
        if isinstance(node, cst.Dict):
            kind = "a dict of active values whose keys are not known"
        raise b.refuse(node, kind, "write a loop, or use arrays")
    kept_text.note(b, node, values)
    return b.opaque(node, values)


_RULES: dict[type, Callable[[Builder, Any], Value]] = {
    cst.Name: _name,
    cst.Integer: _literal,
    cst.Float: _literal,
    cst.Imaginary: _literal,
    cst.SimpleString: _literal,
    cst.ConcatenatedString: _formatted,
    cst.FormattedString: _formatted,
    cst.Ellipsis: lambda b, node: Const(...),
    cst.Tuple: _tuple,
    cst.List: _list,
    cst.BinaryOperation: _binary,
    cst.UnaryOperation: _unary,
    cst.Comparison: _compare,
    cst.BooleanOperation: _boolean,
    cst.IfExp: _if_expression,
    cst.NamedExpr: _named,
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.Lambda: _lambda,
    cst.Call: lower_call,
    cst.ListComp: _comprehension,
    cst.GeneratorExp: _comprehension,
    cst.SetComp: _comprehension,
    cst.DictComp: _comprehension,
    cst.Dict: _dict,
    cst.Set: _inactive_only,
}


def unroll(b: Builder, node: Any) -> Value:
    """Lower ``[f(k, x) for k, x in enumerate(xs)]`` element by element."""
    loop = node.for_in
    if loop.ifs or loop.inner_for_in is not None:
        raise b.formula.undecided()
    out = []
    env = dict(b.env)
    for item in _items(b, loop.iter):
        assign(b, loop.target, item)
        out.append(lower(b, node.elt))
        b.env = dict(env)
    return Items(tuple(out), True)


def _items(b: Builder, node: Any) -> list[Value]:
    func = getattr(node, "func", None)
    name = getattr(func, "value", "")
    if name == "range":
        bounds = [lower(b, a.value) for a in node.args]
        if all(isinstance(v, Const) for v in bounds):
            return [Const(k) for k in range(*(v.value for v in bounds))]
        raise b.formula.undecided()
    if name == "enumerate":
        inner = _items(b, node.args[0].value)
        return [Items((Const(k), item)) for k, item in enumerate(inner)]
    if name == "zip":
        parts = [_items(b, a.value) for a in node.args if a.keyword is None]
        return [Items(tuple(row)) for row in zip(*parts, strict=False)]
    value = lower(b, node)
    if isinstance(value, Items):
        return list(value.items)
    raise b.formula.undecided()
