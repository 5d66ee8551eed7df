"""Refusing expressions in which a call has an effect that what stands beside it may see.

Generated code names calls with effects before what stands beside them. Where something
was read before such a call, in Python's order, that would be another program; it is
recorded instead.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import types
from collections.abc import Iterator
from typing import Any

from srcgrad.errors import Spot, UnsupportedSyntaxError
from srcgrad.libraries import home, is_of_library
from srcgrad.registry import find_formula, is_nondifferentiable
from srcgrad.syntax_trees import functions_at

_OF_LISTS = frozenset(
    [
        "append",
        "appendleft",
        "extend",
        "extendleft",
        "insert",
        "remove",
        "pop",
        "popleft",
        "popitem",
        "clear",
        "update",
        "setdefault",
        "add",
        "discard",
        "reverse",
        "rotate",
        "send",
    ]
)
_OF_ARRAYS = frozenset(("sort", "fill", "put", "resize", "partition", "itemset", "setflags"))
_MUTATORS = _OF_LISTS | _OF_ARRAYS
_WRITERS = frozenset(
    ("put", "place", "putmask", "copyto", "fill_diagonal", "put_along_axis", "shuffle", "at")
)
_CONSUMING = frozenset({"sum", "list", "tuple"})  # functions that read all they are given
_FRESH = frozenset(
    [
        "zeros",
        "ones",
        "empty",
        "full",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "copy",
        "array",
        "arange",
        "linspace",
        "eye",
        "identity",
        "list",
        "dict",
        "set",
        "deque",
        "defaultdict",
        "OrderedDict",
        "Counter",
    ]
)


def require_order(function: types.FunctionType) -> None:
    """Refuse a function in which an effect inside an expression may be seen beside it.

    Raises:
        UnsupportedSyntaxError: at the call that has the effect.
    """
    nodes = functions_at(function.__code__, function.__globals__)
    if len(nodes) != 1:
        return
    checking = _Checking(function)
    node: Any = nodes[0]
    checking.enter(node)
    if isinstance(node, ast.Lambda):
        checking.visit(node.body, False)
    else:
        checking.block(node.body)


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class _Checking:
    """Goes through a function in the order in which Python evaluates it.

    Args:
        function: the function.
    """

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.names = _names_of(function)
        self.local: dict[str, Any] = {}
        self.assigned: set[str] = set()
        self.purity = _Purity()

    def enter(self, node: Any) -> None:
        """Note the names and the functions that are defined inside."""
        for part in ast.walk(node):
            if isinstance(part, ast.FunctionDef) and part is not node:
                self.local[part.name] = part
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.assigned.add(part.id)
            elif isinstance(part, ast.arg):
                self.assigned.add(part.arg)

    # Statements

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: Any) -> None:
        if isinstance(node, ast.Assign):
            self.visit(node.value, False)
            for target in node.targets:
                self.target(target, self.counts(node.value))
        elif isinstance(node, ast.AugAssign):
            place = not isinstance(node.target, ast.Name)
            self.target(node.target, False)
            self.visit(node.value, place)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.visit(node.value, False)
                self.target(node.target, self.counts(node.value))
        elif isinstance(node, ast.Assert):
            found = self.read_inside(node.test)
            if found is not None:
                raise self.refusal(found, "of an attribute or an item inside of an assertion")
        elif isinstance(node, ast.For):
            self.visit(node.iter, False)
            self.block([*node.body, *node.orelse])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self.block(node.body)
        elif isinstance(node, ast.Delete | ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom):
            return
        else:
            for _, value in ast.iter_fields(node):
                for part in value if isinstance(value, list) else [value]:
                    self.part(part)

    def part(self, part: Any) -> None:
        if isinstance(part, ast.stmt):
            self.statement(part)
        elif isinstance(part, ast.expr):
            self.visit(part, False)
        elif isinstance(part, ast.withitem):
            self.visit(part.context_expr, False)
        elif isinstance(part, ast.ExceptHandler | ast.match_case):
            self.block(part.body)

    def target(self, node: Any, pending: bool) -> None:
        if isinstance(node, ast.Tuple | ast.List):
            for part in node.elts:
                self.target(part, pending)
        elif isinstance(node, ast.Starred):
            self.target(node.value, pending)
        elif isinstance(node, ast.Subscript):
            self.visit(node.value, pending)
            self.visit(node.slice, pending)
            found = self.effect_inside(node.slice)  # where nobody reads it, it is not written
            if found is not None:
                raise self.refusal(found, "in the index of what is written")
        elif isinstance(node, ast.Attribute):
            self.visit(node.value, pending)

    # Expressions

    def visit(self, node: Any, pending: bool) -> None:
        """Go through an expression.

        Args:
            node: the expression.
            pending: whether something was read that is used only after it.
        """
        if isinstance(node, ast.Call):
            parts = [node.func, *node.args, *(k.value for k in node.keywords)]
            self.sequence(parts, pending)
            for part in parts[1:]:
                if isinstance(part, ast.Lambda) and self.change_inside(part.body) is not None:
                    raise self.refusal(part, "of a function that is given to another one")
                if isinstance(part, _COMPREHENSIONS) and not self.consumes(node):
                    found = self.effect_inside(part)
                    if found is not None:
                        raise self.refusal(found, "inside of a comprehension")
            if self.has_effect(node) and pending:
                raise self.refusal(node, "beside what was read before")
        elif isinstance(node, ast.IfExp):
            self.visit(node.test, pending)
            self.visit(node.body, pending)
            self.visit(node.orelse, pending)
        elif isinstance(node, ast.BoolOp):
            for part in node.values:
                self.visit(part, pending)
        elif isinstance(node, _COMPREHENSIONS):
            self.visit(node.generators[0].iter, pending)
            found = self.change_inside(node, skip=node.generators[0].iter)
            if found is None and isinstance(node, ast.SetComp | ast.DictComp):
                found = self.effect_inside(node, skip=node.generators[0].iter)
            if found is not None:
                raise self.refusal(found, "inside of a comprehension")
        elif isinstance(node, ast.FormattedValue):
            found = self.read_inside(node.value)
            if found is not None:
                raise self.refusal(found, "of an attribute or an item inside of text")
            self.visit(node.value, pending)
        elif not isinstance(node, ast.Lambda):
            self.sequence(list(_operands(node)), pending)
            if pending and self.has_effect(node):
                raise self.refusal(node, "beside what was read before")

    def sequence(self, parts: list[Any], pending: bool) -> None:
        for part in parts:
            self.visit(part, pending)
            pending = pending or self.counts(part)

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
        root: Any = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self.assigned:
            return False
        return isinstance(self.names.get(root.id), types.ModuleType)

    def consumes(self, node: ast.Call) -> bool:
        """Tell whether a call reads all that it is given: a sum, or a function of NumPy's."""
        if isinstance(node.func, ast.Name):
            return node.func.id in _CONSUMING
        return isinstance(node.func, ast.Attribute) and self.is_of_module(node.func)

    def change_inside(self, node: Any, skip: Any = None) -> Any:
        """Return a call in an expression that changes a list, dict or array, or None."""
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if part is skip:
                continue
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                library = self.is_of_module(part.func)
                if part.func.attr in _MUTATORS and not library:
                    return part
            waiting += ast.iter_child_nodes(part)
        return None

    def effect_inside(self, node: Any, skip: Any = None) -> Any:
        """Return a call with an effect in an expression, or None."""
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if part is skip:
                continue
            if self.has_effect(part):
                return part
            waiting += ast.iter_child_nodes(part)
        return None

    def read_inside(self, node: Any) -> Any:
        """Return an attribute or an item that is read and has an effect, or None."""
        parts = (p for p in ast.walk(node) if isinstance(p, ast.Attribute | ast.Subscript))
        return next(filter(self.has_effect, parts), None)

    def has_effect(self, node: Any) -> bool:
        if isinstance(node, ast.Attribute | ast.Subscript):
            if not isinstance(node.ctx, ast.Load) or self.purity.of_plain(node, self.function):
                return False
            return not isinstance(node, ast.Attribute) or not self.is_of_module(node)
        if not isinstance(node, ast.Call):
            return False
        for part in (*node.args, *(k.value for k in node.keywords)):  # what is given is called
            if isinstance(part, ast.Lambda) and self.effect_inside(part.body) is not None:
                return True
            if isinstance(part, ast.Name) and part.id not in self.assigned:
                thing = self.local.get(part.id) or self.names.get(part.id)
                if isinstance(thing, types.FunctionType) and self.purity.of_object(thing):
                    return True
        return self.purity.of_call(node, self.names, self.local, self.assigned, self.function)

    def refusal(self, node: Any, where: str) -> UnsupportedSyntaxError:
        lines = _line(self.function, node.lineno)
        end = node.end_col_offset if node.end_lineno == node.lineno else len(lines)
        width = max((end or 0) - node.col_offset, 1)
        file = self.function.__code__.co_filename
        name = self.function.__name__
        return UnsupportedSyntaxError(
            f"an effect {where}",
            spots=[Spot(file, name, node.lineno, lines, node.col_offset, width)],
            why="What is read before and after it may differ.",
            fixes=["give what stands beside it names, in statements of their own"],
        )


def _line(function: types.FunctionType, number: int) -> str:
    return linecache.getline(function.__code__.co_filename, number, function.__globals__).rstrip()


def _operands(node: ast.AST) -> Iterator[ast.expr]:
    """The operands of an expression, in the order in which they are evaluated."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                yield key
            yield value
        return
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            yield part


def _names_of(function: types.FunctionType) -> dict[str, Any]:
    """The names that a function sees from outside."""
    found = {**vars(builtins), **function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            found.pop(name, None)
    return found


class _Purity:
    """Which functions have effects that a caller may see."""

    def __init__(self) -> None:
        self.known: dict[Any, bool] = {}

    def of_call(
        self, node: ast.Call, names: Any, local: Any, assigned: set[str], around: Any
    ) -> bool:
        """Tell whether a call may have an effect.

        Args:
            node: the call.
            names: the names from outside.
            local: the functions that are defined around it.
            assigned: the names that are assigned to around it.
            around: the function that it stands in.
        """
        if any(
            k.arg in ("out", "output") or (k.arg or "").startswith("overwrite")
            for k in node.keywords
        ):
            return True
        func = node.func
        if isinstance(func, ast.Name):
            if func.id in local:
                return self.of_tree(local[func.id], names, local, around)
            if func.id in assigned:
                return False
            return self.of_object(names.get(func.id))
        if isinstance(func, ast.Attribute):
            thing = _resolved(func, names, assigned)
            if thing is not None:
                return self.of_object(thing) or func.attr in _WRITERS
            if func.attr in _OF_ARRAYS:
                return True
            if func.attr in _OF_LISTS:
                return False  # what happens to lists is followed in order
            return self.of_method(func.attr, around)
        return False

    def of_object(self, thing: Any) -> bool:
        """Tell whether a function may have an effect."""
        thing = getattr(thing, "__srcgrad_primal__", thing)
        if isinstance(thing, type):
            return False
        if getattr(thing, "__name__", "") == "next" and isinstance(
            thing, types.BuiltinFunctionType
        ):
            return True
        if not isinstance(thing, types.FunctionType) or home(thing) == "srcgrad":
            return False
        if find_formula(thing) is not None or is_nondifferentiable(thing) or is_of_library(thing):
            return False
        if thing in self.known:
            return self.known[thing]
        self.known[thing] = False
        nodes = functions_at(thing.__code__, thing.__globals__)
        if len(nodes) == 1:
            names = _names_of(thing)
            self.known[thing] = self.of_tree(nodes[0], names, {}, thing)
        return self.known[thing]

    def of_method(
        self, name: str, around: types.FunctionType, kind: Any = types.FunctionType
    ) -> bool:
        """Tell whether a method, or a property, of a class of the same module has an effect."""
        found = []
        for cls in list(around.__globals__.values()):
            if isinstance(cls, type) and cls.__module__ == around.__module__:
                value = vars(cls).get(name)
                if isinstance(value, kind):
                    found.append(value.fget if isinstance(value, property) else value)
        return any(self.of_object(fn) for fn in found if isinstance(fn, types.FunctionType))

    def of_plain(self, node: Any, around: types.FunctionType) -> bool:
        """Tell whether reading an attribute or an item has no effect in any class around."""
        if isinstance(node, ast.Subscript):
            return not self.of_method("__getitem__", around)
        return not self.of_method(node.attr, around, property)

    def of_tree(self, node: Any, names: Any, local: Any, around: Any) -> bool:
        """Tell whether a function that is given as a tree may have an effect."""
        if id(node) in self.known:
            return self.known[id(node)]
        self.known[id(node)] = False
        inner = {part.name: part for part in ast.walk(node) if isinstance(part, ast.FunctionDef)}
        parts = list(ast.walk(node))
        assigned = {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        given = {p.arg for p in parts if isinstance(p, ast.arg)}
        fresh = _fresh_names(parts) - given
        found = any(
            self._is_effect(part, fresh, given, names, {**local, **inner}, assigned | given, around)
            for part in parts
        )
        self.known[id(node)] = found
        return found

    def _is_effect(
        self,
        part: Any,
        fresh: set[str],
        given: set[str],
        names: Any,
        local: Any,
        assigned: set[str],
        around: Any,
    ) -> bool:
        if isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store):
            return _root(part) not in fresh
        if isinstance(part, ast.AugAssign) and not isinstance(part.target, ast.Name):
            return _root(part.target) not in fresh
        if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            return part.target.id in given
        if isinstance(part, ast.Call):
            func = part.func
            if isinstance(func, ast.Attribute) and func.attr in _MUTATORS:
                return _root(func) not in fresh
            return self.of_call(part, names, local, assigned, around)
        return False


def _resolved(node: ast.Attribute, names: Any, assigned: set[str]) -> Any:
    """Return the attribute of a module that an expression stands for, or None."""
    path = [node.attr]
    root: Any = node.value
    while isinstance(root, ast.Attribute):
        path.append(root.attr)
        root = root.value
    if not isinstance(root, ast.Name) or root.id in assigned:
        return None
    found = names.get(root.id)
    for name in reversed(path):
        if not isinstance(found, types.ModuleType):
            return None
        found = vars(found).get(name)
    return found


def _root(node: Any) -> str | None:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _fresh_names(parts: list[Any]) -> set[str]:
    """The names that stand for nothing but what the function made itself."""
    values: dict[str, list[Any]] = {}
    for part in parts:
        if isinstance(part, ast.Assign):
            for target in part.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(part.value)
                else:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                            values.setdefault(name.id, []).append(None)
        elif isinstance(part, ast.For | ast.comprehension | ast.withitem):
            target = part.optional_vars if isinstance(part, ast.withitem) else part.target
            for name in ast.walk(target) if target is not None else ():
                if isinstance(name, ast.Name):
                    values.setdefault(name.id, []).append(None)
    return {name for name, found in values.items() if all(map(_is_fresh, found))}


def _is_fresh(value: Any) -> bool:
    if isinstance(value, ast.BinOp | ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp):
        return True
    if isinstance(value, ast.Constant | ast.UnaryOp):
        return True
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else None
        name = value.func.id if isinstance(value.func, ast.Name) else name
        return name in _FRESH
    return False
