"""The text of a function as its syntax tree has it: what it mentions, and what names stand for.

What a text mentions is found once; what the names stand for is looked up anew each time: the same
text may see other things. A write into an array, list or dict that the function made itself is seen
by nobody else. What a list holds may be somebody else's: ``rows[0] = 1.0`` changes the list,
``rows[0][1] = 1.0`` and ``rows[0] += 1.0`` may change what it was given.
"""

from __future__ import annotations

import ast
import functools
import sys
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.effects import gives_new, is_ufunc, written_by
from srcgrad.program import facts, namespaces
from srcgrad.program.namespaces import MISSING
from srcgrad.program.syntax_trees import nodes_of

GROWING = frozenset({"append", "extend"})
Path = tuple[str, ...]  # of a name, and of attributes behind it
_known: weakref.WeakKeyDictionary[ast.AST, Mentions] = weakref.WeakKeyDictionary()


@dataclass
class Mentions:
    """What a function's text mentions, each thing once.

    Attributes:
        parts: the parts of the syntax tree that run when the function is called.
        loaded: names and attributes that are loaded, each with its path, if it begins with a
            name, and whether it is given to something: it stands elsewhere than in front of
            the brackets of a call; in the order of the text.
        read: the paths among these that are read, and not only appended to.
        attributes: the names of attributes that are read.
        stored: the names of attributes that are set or deleted.
        kinds: what attributes are set to: their names, each with a kind.
        calls: calls of what has a path.
        inner: functions that are defined inside, by their names.
        lambdas: those without a name, and those with decorators.
        rebound: names from outside that are declared to be assigned, of the module and others.
        assigned: the names that are given values.
        bound: these, and names of functions, classes, modules and exceptions.
        parameters: those of the function, and of functions in it.
    """

    parts: list[Any]
    loaded: dict[tuple[str, Path | None, bool], None] = field(default_factory=dict)
    read: set[Path] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    kinds: set[tuple[str, str]] = field(default_factory=set)
    calls: dict[Path, list[ast.Call]] = field(default_factory=dict)
    inner: dict[str, list[ast.FunctionDef]] = field(default_factory=dict)
    lambdas: list[Any] = field(default_factory=list)
    rebound: dict[str, bool] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)


def mentions_of(node: Any) -> Mentions:
    """Return what the text of a function, given as a tree, mentions."""
    found = _known.get(node)
    if found is None:
        found = _known[node] = _found_in(node)
    return found


def body_of(node: Any) -> list[Any]:
    """Return the parts of a function that run when it is called."""
    return mentions_of(node).parts


def path_of(node: Any) -> Path | None:
    """Return the path of a name or an attribute; None if it does not begin with a name."""
    behind: list[str] = []
    while isinstance(node, ast.Attribute):
        behind.append(node.attr)
        node = node.value
    return (node.id, *reversed(behind)) if isinstance(node, ast.Name) else None


def thing_at(path: Path, names: Any) -> Any:
    """Return what a name, or an attribute of a module, stands for among some names; or None."""
    found = names.get(path[0])
    for name in path[1:]:
        if isinstance(found, types.ModuleType):
            found = vars(found).get(name)
        elif isinstance(found, np.ufunc):
            found = getattr(found, name, None)
        else:
            return None
    return found


_PLAIN = {ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Return, ast.Expr}


def _found_in(node: Any) -> Mentions:
    roots = node.body if isinstance(node.body, list) else [node.body]
    made = Mentions([part for root in roots for part in nodes_of(root)])
    called = {id(part.func) for part in made.parts if isinstance(part, ast.Call)}
    grown = {id(p.value.func.value) for p in made.parts if _grows(p)}  # what is not read by that
    for part in made.parts:
        if type(part) in _PLAIN:
            continue
        if isinstance(part, ast.Name | ast.Attribute):
            if isinstance(part.ctx, ast.Load):
                _note_load(made, part, id(part) not in called, id(part) not in grown)
            elif isinstance(part, ast.Attribute):
                made.stored.add(part.attr)
            elif isinstance(part.ctx, ast.Store):
                made.assigned.add(part.id)
        elif isinstance(part, ast.Call):
            path = path_of(part.func)
            if path is not None:
                made.calls.setdefault(path, []).append(part)
        elif isinstance(part, ast.Assign):
            made.kinds |= _kinds_of(targets_of(part))
        elif isinstance(part, ast.AnnAssign) and part.value is not None:
            made.kinds |= _kinds_of([(part.target, part.value)])
        elif isinstance(part, ast.FunctionDef):
            made.inner.setdefault(part.name, []).append(part)
            made.lambdas += [part] if part.decorator_list else []
        elif isinstance(part, ast.Lambda):
            made.lambdas.append(part)
        elif isinstance(part, ast.Global | ast.Nonlocal):
            made.rebound |= dict.fromkeys(part.names, isinstance(part, ast.Global))
        if type(part) in NAMING:
            made.bound |= {*names_given(part)}
    made.bound |= made.assigned
    made.parameters = {p.arg for p in (*made.parts, *nodes_of(node.args)) if isinstance(p, ast.arg)}
    return made


def _note_load(made: Mentions, part: Any, given: bool, is_read: bool) -> None:
    path = path_of(part)
    is_name = isinstance(part, ast.Name)
    made.loaded[part.id if is_name else part.attr, path, given] = None
    if is_read:
        made.attributes |= set() if is_name else {part.attr}
        made.read |= set() if path is None else {path}


def _grows(part: Any) -> bool:
    """Tell whether a statement appends to something, and does nothing with it besides."""
    if not isinstance(part, ast.Expr) or not isinstance(part.value, ast.Call):
        return False
    func = part.value.func
    return isinstance(func, ast.Attribute) and func.attr in GROWING


def _kinds_of(pairs: Any) -> set[tuple[str, str]]:
    return {(t.attr, _kind_of(value)) for t, value in pairs if isinstance(t, ast.Attribute)}


def _kind_of(value: ast.expr | None) -> str:
    """The kind of what an expression gives: a number, a new list, or something else."""
    if isinstance(value, ast.Constant):
        return "number"
    return "list" if isinstance(value, ast.List) and not value.elts else "other"


_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_ARRAYS = (
    *(np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like),
    *(np.arange, np.linspace, np.eye, np.identity),
)
_NAMED = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.FunctionDef, ast.ClassDef)
_NAMED = (*_NAMED, ast.MatchMapping, ast.AsyncFunctionDef)
_ASSIGNING = (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension)
NAMING = {*_NAMED, ast.Import, ast.ImportFrom}  # what binds names that stand in no node
_BINDING = {*NAMING, *_ASSIGNING, ast.withitem, ast.arg}
_ALWAYS = (0, 0), (0, 0)
_READING = (ast.Return, ast.For, ast.comprehension, ast.BinOp, ast.UnaryOp, ast.Compare)
_REDUCING = ("sum", "mean", "max", "min", "copy", "shape", "size", "ndim")
_READERS = (len, sum, min, max, np.sum, np.mean, np.array, np.linalg.norm, np.linalg.solve)
_MAKERS = (*_ARRAYS, np.full, np.full_like, np.copy, np.array, list, dict, set, deque)


class OwnMemory:
    """The names of a function that stand for what it made, and nothing else.

    Args:
        parts: the parts of its body.
        given: its parameters.
        body: its statements. What a name stood for before one of them gives it something new
            does not count behind it: behind ``x = x.copy()``, a parameter is no longer one.
        thing: gives what an expression stands for outside, or something that is no function.
        plain: whether operators, and methods called ``copy``, give something new, as those
            of numbers, arrays and lists do.
    """

    def __init__(
        self,
        parts: list[Any],
        thing: Callable[[Any], Any],
        plain: bool = True,
        given: Iterable[str] = (),
        body: Iterable[ast.stmt] = (),
    ) -> None:
        self._thing = thing
        self._plain = plain
        values: dict[str, list[tuple[Any, Any]]] = {name: [((0, 0), None)] for name in given}
        begins: dict[str, list[Any]] = {}
        for part in parts:
            for name, value in _bound(part) if type(part) in _BINDING else ():
                values.setdefault(name, []).append((_place(part), value))
        for part in body:
            for name, _ in _bound(part) if isinstance(part, ast.Assign) else ():
                end = part.end_lineno, part.end_col_offset
                begins.setdefault(name, []).append((_place(part), end))
        put_into = {name for part in parts for name in _put_into(part)}
        self._since: dict[str, Any] = {}
        self.names, self.arrays = set[str](), set[str]()
        for name, found in values.items():
            for begin, end in (_ALWAYS, *begins.get(name, ())):
                rest = [value for place, value in found if place >= begin]
                if all(map(self.is_new, rest)):
                    self._since[name] = end
                    self.names.add(name)
                    numbers = all(map(_is_list_of_numbers, rest)) and name not in put_into
                    if numbers or all(map(self._is_array, rest)):
                        self.arrays.add(name)
                    break

    def discard(self, names: set[str]) -> None:
        """Leave out names that stand for other things, too."""
        self.names -= names
        self.arrays -= names

    def is_new(self, value: Any) -> bool:
        """Tell whether an expression gives a number, or what nobody else has."""
        if isinstance(value, ast.BinOp | ast.UnaryOp):
            return self._plain
        if isinstance(value, (*_DISPLAYS, ast.Constant)):
            return True
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if value.func.attr == "copy" and isinstance(value.func.value, ast.Name):
                return self._plain
            if self._is_converted(value):
                return self._plain
        return self._is_made(value, _MAKERS) or self._is_given_new(value)

    def takes(self, target: Any) -> bool:
        """Tell whether storing at ``name[...]`` or ``name.a`` changes only what was made."""
        return isinstance(target.value, ast.Name) and self._has(target.value, self.names)

    def takes_in_place(self, target: Any) -> bool:
        """Tell the same of ``name += v``, and of ``name[...] += v``, which changes the element."""
        if isinstance(target, ast.Name):
            return self._has(target, self.names)
        found = isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
        return found and self._has(target.value, self.arrays)  # type: ignore[union-attr]

    def _has(self, name: ast.Name, names: set[str]) -> bool:
        return name.id in names and _place(name) >= self._since.get(name.id, (0, 0))

    def _is_array(self, value: Any) -> bool:
        """Tell whether an expression gives a new array of numbers, which are nobody else's."""
        if isinstance(value, ast.BinOp):
            return self._plain and (self._is_array(value.left) or self._is_array(value.right))
        if not isinstance(value, ast.Call):
            return False
        if self._is_made(value, (*_ARRAYS, np.array)):
            kinds = [*value.args[1:], *(k.value for k in value.keywords if k.arg == "dtype")]
            plain = self._plain or self._is_made(value, _ARRAYS)
            return plain and all(map(self._is_kind_of_number, kinds))
        computed = is_ufunc(self._thing(value.func)) and self._is_given_new(value)
        return self._plain and (computed or self._is_converted(value))

    def _is_converted(self, value: ast.Call) -> bool:
        """Tell whether a call is ``x.astype(float)``, or alike, of an array."""
        func = value.func
        if not isinstance(func, ast.Attribute) or func.attr != "astype" or value.keywords:
            return False
        return len(value.args) == 1 and self._is_kind_of_number(value.args[0])

    def _is_kind_of_number(self, node: ast.expr) -> bool:
        kind = self._thing(node)
        return isinstance(kind, type) and issubclass(kind, int | float | complex | np.number)

    def _is_given_new(self, value: Any) -> bool:
        """Tell whether a library's function gives what shares memory with nothing."""
        if not isinstance(value, ast.Call) or any(isinstance(a, ast.Starred) for a in value.args):
            return False
        options = {k.arg: k.value for k in value.keywords if k.arg is not None}
        thing = self._thing(value.func)
        known = len(options) == len(value.keywords) and gives_new(thing)
        return known and not written_by(thing, value.args, options)

    def _is_made(self, value: Any, makers: tuple[Any, ...]) -> bool:
        if not isinstance(value, ast.Call) or any(k.arg in ("copy", None) for k in value.keywords):
            return False
        thing = self._thing(value.func)
        return any(thing is maker for maker in makers)


def _is_list_of_numbers(value: Any) -> bool:
    """Tell whether an expression is ``[0.0] * n``, or alike."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return _is_list_of_numbers(value.left)
    if isinstance(value, ast.ListComp):
        return isinstance(value.elt, ast.Constant)
    return isinstance(value, ast.List) and all(isinstance(e, ast.Constant) for e in value.elts)


def _put_into(part: Any) -> Iterator[str]:
    """The names of lists into which a part of a function puts something, or may."""
    if isinstance(part, ast.Assign):
        waiting = list(part.targets)
    elif isinstance(part, ast.For | ast.AsyncFor | ast.comprehension):
        waiting = [part.target]
    elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        waiting = [part.func]
    else:
        return
    for target in waiting:
        for each in nodes_of(target):
            if isinstance(each, ast.Subscript | ast.Attribute) and isinstance(each.value, ast.Name):
                yield each.value.id


def _place(node: Any) -> tuple[int, int]:
    """Where a node begins in the text; at its end, for one that does not say so."""
    told = not isinstance(node, ast.comprehension | ast.withitem)
    return (node.lineno, node.col_offset) if told else (sys.maxsize, 0)


def targets_of(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Return the targets of an assignment with what each is given, None where that is unknown."""
    waiting: list[Any] = [(target, node.value) for target in node.targets]
    while waiting:
        target, value = waiting.pop()
        if not isinstance(target, ast.Tuple | ast.List):
            yield target, value
        elif isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            waiting += zip(target.elts, value.elts, strict=True)
        else:
            waiting += [(part, None) for part in target.elts]


def _bound(part: Any) -> Iterator[tuple[str, Any]]:
    """The names that a part of a function binds, each with its value, None if that is unknown."""
    if isinstance(part, ast.Assign):
        for target, value in targets_of(part):
            if isinstance(target, ast.Name):
                yield target.id, value
            else:
                yield from ((name, None) for name in _stored(target))
    elif isinstance(part, ast.AnnAssign | ast.NamedExpr) and isinstance(part.target, ast.Name):
        yield part.target.id, part.value
    elif isinstance(part, ast.For | ast.AsyncFor | ast.comprehension):
        yield from ((name, None) for name in _stored(part.target))
    elif isinstance(part, ast.withitem) and part.optional_vars is not None:
        yield from ((name, None) for name in _stored(part.optional_vars))
    elif isinstance(part, ast.arg):
        yield part.arg, None
    else:
        yield from ((name, None) for name in names_given(part))


def names_given(part: Any) -> Iterator[str]:
    """Return the names that a function, a class, a handler, a pattern or an import binds."""
    if isinstance(part, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).split(".")[0] for alias in part.names)
    elif isinstance(part, _NAMED):
        name = part.rest if isinstance(part, ast.MatchMapping) else part.name
        yield from () if name is None else (name,)


def _stored(target: Any) -> Iterator[str]:
    names = (p for p in nodes_of(target) if isinstance(p, ast.Name))
    return (p.id for p in names if isinstance(p.ctx, ast.Store))


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

    def keeps(self, place: ast.Subscript, in_place: bool) -> bool:
        """Tell whether a write changes an array or a list that was made here, and stays here.

        Its elements are read and written, and loops and functions of libraries read it: nobody
        else sees what is written into it.
        """
        own = self.own.takes_in_place if in_place else self.own.takes
        if self.around is not None or self._has_inner or not own(place):
            return False
        pairs = ((part, child) for part in self.parts for child in ast.iter_child_nodes(part))
        name = place.value.id  # type: ignore[attr-defined]
        found = ((part, c) for part, c in pairs if isinstance(c, ast.Name) and c.id == name)
        return all(self._only_reads(part, child) for part, child in found)

    @functools.cached_property
    def _has_inner(self) -> bool:
        inside = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return any(isinstance(part, inside) and part is not self.node for part in self.parts)

    def _only_reads(self, around: Any, name: ast.Name) -> bool:
        """Tell whether what a name stands for is handed to nobody at a place in the text."""
        if not isinstance(name.ctx, ast.Load) or isinstance(around, _READING):
            return True
        if isinstance(around, ast.Subscript):
            return around.value is name
        if isinstance(around, ast.Attribute):
            return around.attr in _REDUCING
        if not isinstance(around, ast.Call) or around.func is name:
            return False
        thing = self.thing(around.func)
        return any(thing is known for known in _READERS) or is_ufunc(thing)

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
