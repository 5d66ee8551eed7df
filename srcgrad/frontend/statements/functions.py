"""Lowering of whole functions: what is refused of their syntax, and what they are given."""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from srcgrad.analysis.kept.plans import index_at
from srcgrad.analysis.memory.list_elements import settle_elements
from srcgrad.errors import SrcgradError, UnsupportedSyntaxError
from srcgrad.frontend.checks.effect_order import operands_to_name
from srcgrad.frontend.checks.iterating import gives_iterator
from srcgrad.frontend.checks.purity import Purity, of_program
from srcgrad.frontend.checks.rereading import require_one_name
from srcgrad.frontend.checks.texts import (
    ends_without_value,
    require_no_numbers_of_text,
    require_usual_names,
)
from srcgrad.frontend.containers.constructors import as_function, calls_more, read_constructor
from srcgrad.frontend.containers.handed_objects import changed_objects, changed_unseen, objects_in
from srcgrad.frontend.containers.lists import leaves
from srcgrad.frontend.desugar.cells import names_in_cells, with_cells
from srcgrad.frontend.desugar.expand import expand_conditionals
from srcgrad.frontend.desugar.generators import as_list, is_listable
from srcgrad.frontend.desugar.iterators import with_places
from srcgrad.frontend.desugar.normalise import normalise
from srcgrad.frontend.desugar.operand_order import locate, name_operands
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.returned import require_result
from srcgrad.frontend.state.rewriting import Rewriting
from srcgrad.frontend.statements import lowering as statements
from srcgrad.frontend.statements.attempted import is_left
from srcgrad.frontend.statements.lowering import imported_modules, is_at_the_top
from srcgrad.frontend.statements.matching import refused_patterns, without_match
from srcgrad.frontend.text.exits import block, parse, returns_a_value, statements_in
from srcgrad.frontend.text.names import local_names, names_in
from srcgrad.frontend.text.source import Source, read
from srcgrad.frontend.text.trees import nodes_in
from srcgrad.frontend.text.unnamed import Unnamed
from srcgrad.ir.demands import What
from srcgrad.ir.forms import Outcome
from srcgrad.ir.layout import path_text
from srcgrad.ir.nodes import Compound, Equation, Function, Items, Struct, Value, Var
from srcgrad.ir.verify import verify_function
from srcgrad.program import namespaces
from srcgrad.program.syntax_trees import functions_at
from srcgrad.transformation.context import Context


def prepare(
    function: types.FunctionType, context: Context | None = None, listed: bool = False
) -> Source:
    """Read a function, refuse what is not supported, and normalise it."""
    outline = None
    if context is not None:
        context.prepared.append(function)
        outline = context.outlines.get(function)
    source = read(function, outline)
    listed = listed and gives_iterator(function) and is_listable(source.tree)
    fence(source, listed)
    _check(source, function, context, outline)
    if listed:
        source.tree = as_list(source, source.tree)
    return _normalised(source, source.tree, context)


def _check(
    source: Source, function: types.FunctionType, context: Context | None, outline: Any = None
) -> None:
    """Refuse what its text shows to be out of reach; note which operands need names."""
    if hasattr(function, "__srcgrad_generated__") or is_own_module(function):
        return
    nodes = functions_at(function.__code__, function.__globals__)
    nodes = nodes if outline is None else [outline.node()]
    operands, source.changing = operands_to_name(
        function,
        nodes,
        Purity([], [function]) if context is None else of_program(context, function),
    )
    source.operands = locate(source, operands)
    if ends_without_value(source.tree, nodes):
        source.tree = _returning_none(source, source.tree)
    require_no_numbers_of_text(function, nodes)
    require_usual_names(source)


def _returning_none(source: Source, tree: Any) -> Any:
    """Return a function that says at its end what it gives where it reaches that."""
    last = parse("return None")
    new = tree.with_changes(body=block([*statements_in(tree.body), last]))
    for made in (last, new):
        source.derive(tree, made)
    return new


def is_own_module(function: types.FunctionType) -> bool:
    """Tell whether a function came with srcgrad."""
    return (function.__module__ or "").startswith("srcgrad")


def prepare_constructor(cls: type, context: Context) -> Source:
    """Read a class as the function that calling it is: it makes an object and returns it."""
    source = read_constructor(cls) if calls_more(cls) else read(cls.__init__)
    fence(source)
    if isinstance(cls.__init__, types.FunctionType):
        _check(source, cls.__init__, context)
    return _normalised(source, as_function(source, cls), context)


def _normalised(source: Source, tree: Any, context: Context | None) -> Source:
    handed = context is not None and context.demands.asks_of(What.HANDED, source)
    new = normalise(source, without_match(source, tree), handed)
    if context is not None and context.demands.asks_of(What.ITERATORS, source):
        new = with_places(source, new)
    source.tree = with_cells(source, name_operands(source, tree, new))
    source.derive(tree, source.tree)
    if context is not None and context.demands.asks_of(What.STATEMENTS, source):
        source.tree = expand_conditionals(source, source.tree)
    return source


def _helpers(source: Source) -> set[str]:
    """Names in generated code that stand for the same helper wherever they do."""
    found: set[str] = set()
    for name, cell in source.cells.items():
        thing = namespaces.read_name(cell, name)
        if isinstance(thing, types.FunctionType) and thing.__name__ == name:
            if (thing.__module__ or "").startswith("srcgrad."):
                found.add(name)
    return found


def nested_source(outer: Source, tree: Any, name: str, context: Context) -> Source:
    """Return the source of a function that is defined inside another one."""
    source = Source(outer.function, tree, outer.filename, outer.lines, outer.originals, outer.cells)
    source.kept, source.lambdas = outer.kept, outer.lambdas
    source.copies, source.operands = outer.copies, outer.operands
    source.name, source.nested = name, True
    return _normalised(source, tree, context)


def lower_function(
    context: Context,
    source: Source,
    params: list[tuple[str, Value]],
    changeable: Collection[Var] = (),
    unnamed: frozenset[str] = frozenset(),
) -> Function:
    """Lower a function whose parameters are bound to the given values.

    Args:
        context: the transformation that this belongs to.
        source: the function, prepared.
        params: a value for each parameter.
        changeable: the lists of varying length in them that it may change.
        unnamed: those that are functions which a local function captured: they are not
            passed on, so the text has to spell them out.

    Returns:
        The lowered function.
    """
    try:
        return _lowered(context, source, params, changeable, unnamed, careful=False)
    except Rewriting:  # of a statement that did not look as if it might have to be rewritten
        return _lowered(context, source, params, changeable, unnamed, careful=True)


def _lowered(
    context: Context,
    source: Source,
    params: list[tuple[str, Value]],
    changeable: Collection[Var],
    unnamed: frozenset[str],
    careful: bool,
) -> Function:
    """Lower a function; ``careful`` takes it that any statement may have to be rewritten."""
    context.reserved |= names_in(source.tree) - _helpers(source) - imported_modules(source.tree)
    b = Builder(source, context)
    b.locals = frozenset(local_names(source.tree))
    b.unnamed = unnamed
    b.careful = careful
    b.passed = {getattr(v, "token", None) or v: name for name, v in params}
    for name, value in params:
        b.bind(name, value, write=False)
        for var in b.layout.bindings:
            if var not in b.layout.definitions:
                b.define(var, None)
    given = [leaf for _, value in params for leaf in leaves(value)]
    held = {v for v in given if isinstance(v, Var) and v.type.kind == "list"}
    b.frozen |= held - set(changeable)
    arrays = GivenArrays(b, params)
    known = objects_in(value for _, value in params)
    if not context.lowering:
        b.given = frozenset(held.token for held in known)
    objects = [*known, *changeable]
    b.env |= {Unnamed("object", k): held for k, held in enumerate(objects)}
    others = sorted(held - set(changeable), key=lambda v: v.name)
    b.env |= {Unnamed("list", k): var for k, var in enumerate(others)}
    statements.lower_block(b, source.tree.body.body)
    if context.lowering and any(b.env[Unnamed("list", k)] is not v for k, v in enumerate(others)):
        raise changed_unseen(b)  # only generated code gets here
    written = arrays.written()
    changed = changed_objects(b, params, objects)
    result = require_result(b, bool(written or changed) or not returns_a_value(source.tree))
    block = tuple(b.block)
    require_one_name(block, b.layout)
    _name_parts(b, given)
    made = Function(
        source,
        (*params, *b.perturbed.items()),
        block,
        result,
        b.layout,
        written=written,
        replaced=arrays.replaced(changed),
        objects=changed,
        perturbed=tuple(b.perturbed.items()),
    )
    verify_function("lowering", made)
    unsettled = settle_elements(made)
    if unsettled is not None:
        raise _parts_active_elsewhere(b, unsettled)
    return made


def _name_parts(b: Builder, given: list[Value]) -> None:
    """Call the parts of arguments as the function does that takes these apart."""
    found: dict[Var, str] = {}
    for leaf in given:
        if isinstance(leaf, Var):
            own = {x.name for x in b.layout.bindings[leaf] if x.frame is b.layout.function}
            bound = {x.name for x in b.layout.bindings[leaf] if not x.path}
            if len(bound) == 1 and bound < own:
                found[leaf] = bound.pop()
    places = {(w.name, w.frame, index_at(w.frame, w.position)) for w in b.layout.writes}
    written = [name for name, *_ in places]
    for leaf, name in found.items():
        if written.count(name) == 1 and name != "_":
            leaf.name = name


def _parts_active_elsewhere(b: Builder, call: Equation) -> SrcgradError:
    return b.refuse(
        call.payload.node,
        "a list of tuples of which other parts are differentiated than in this call",
        "keep a list for each part",
    )


_REFUSED: dict[Any, tuple[str, str]] = {
    cst.Yield: ("a generator", "return the values in a tuple or compute them in a loop"),
    cst.Await: ("await", "take the awaited value as an argument"),
    cst.Nonlocal: ("a nonlocal statement", "return the value instead"),
    cst.ClassDef: ("a class definition", "define the class outside of the function"),
    cst.TryStar: ("try with except*", "test for the exceptional case with if"),
    cst.Import: ("an import here", "import at the top of the module or of the function"),
    cst.ImportFrom: ("an import here", "import at the top of the module or of the function"),
}
_PERHAPS_ASYNC = {cst.For, cst.FunctionDef, cst.CompFor, cst.With}
_LOOKED_AT = {*_REFUSED, *_PERHAPS_ASYNC, cst.Del, cst.Try}


def fence(source: Source, listed: bool = False) -> None:
    """Refuse a function that uses syntax outside the supported language."""
    offences = []
    for node in nodes_in(source.tree):
        kind = type(node)
        if kind is cst.Match:
            for pattern in refused_patterns(source, node):
                spot = source.spot(pattern, "a pattern that takes a value apart is not supported")
                offences.append((spot, "write it as if/elif"))
        fine = kind in (cst.Import, cst.ImportFrom) and is_at_the_top(source.tree, node)
        fine |= kind is cst.Yield and listed
        fine |= kind is cst.Nonlocal and bool(names_in_cells(source.tree))
        offence = None if fine or kind not in _LOOKED_AT else _offence(node)
        if offence is not None:
            what, fix = offence
            offences.append((source.spot(node, f"{what} is not supported"), fix))
    if offences:
        offences.sort(key=lambda offence: (offence[0].lineno, offence[0].column))
        raise UnsupportedSyntaxError(
            f"{source.name} uses syntax that srcgrad cannot differentiate",
            spots=[spot for spot, _ in offences],
            fixes=list(dict.fromkeys(fix for _, fix in offences)),
        )


def _offence(node: Any) -> tuple[str, str] | None:
    kind = type(node)
    if kind is cst.Del:
        targets = node.target.elements if isinstance(node.target, cst.Tuple) else [node.target]
        parts = [t.value if isinstance(t, cst.Element) else t for t in targets]
        if not all(isinstance(part, cst.Name | cst.Subscript) for part in parts):
            return "del of an attribute", "delete names and elements only"
        return None
    if kind is cst.Try and node.finalbody is not None and is_left(node):
        return "leaving a try statement", "leave after it"
    if kind in _PERHAPS_ASYNC and node.asynchronous:
        return "async code", "write it without async"
    return _REFUSED.get(kind)


@dataclass(frozen=True, eq=False)
class _Place:
    """Where an array stands among the arguments."""

    text: str
    position: int
    leaf: int
    array: Var


class GivenArrays:
    """The arrays that a function is given.

    While the function is lowered, each is kept track of under a name of its own, so that it
    is known at the end what the caller's array holds, whatever the parameter, or the part of
    an object, has become.

    ``params``: the parameters, with the values bound to them.
    """

    def __init__(self, b: Builder, params: list[tuple[str, Value]]) -> None:
        self.b = b
        self.places: list[_Place] = []
        self.objects: list[tuple[str, Compound]] = []
        for position, (name, value) in enumerate(params):
            parts = list(_parts(value, name))
            self.objects += [(t, p) for t, p in parts if t and isinstance(p, Compound)]
            leaves = [row for row in parts if not isinstance(row[1], Compound)]
            for leaf, (text, part) in enumerate(leaves):
                array = isinstance(part, Var) and part.type.kind in ("array", "numeric")
                if text is not None and array:
                    self.places.append(_Place(text, position, leaf, part))  # type: ignore[arg-type]
        b.env |= {Unnamed("argument", place.text): place.array for place in self.places}

    def written(self) -> tuple[Written, ...]:
        """Those that have been written, with what they hold."""
        held = [(place, self.b.env[Unnamed("argument", place.text)]) for place in self.places]
        return tuple(
            Written(place.text, place.position, place.leaf, end)
            for place, end in held
            if end is not place.array
        )

    def replaced(self, changed: Iterable[tuple[Value, Value]]) -> tuple[str, ...]:
        """How the objects are read whose parts are others at the end, as well as their elements."""
        ends = {place.array: self.b.env[Unnamed("argument", place.text)] for place in self.places}
        found = {id(before) for before, end in changed if _differ(before, end, ends)}
        return tuple(text for text, part in self.objects if id(part) in found)


def _differ(before: Value, end: Value, ends: dict[Var, Value]) -> bool:
    if not isinstance(before, Compound) or not isinstance(end, Compound):
        return True
    if len(before.items) != len(end.items):
        return True
    for p, q in zip(before.items, end.items, strict=True):
        inside = isinstance(p, Compound) and isinstance(q, Compound) and p.token is q.token
        if p is not q and not inside and (not isinstance(p, Var) or ends.get(p) is not q):
            return True
    return False


def _parts(value: Value, text: str | None) -> Iterator[tuple[str | None, Value]]:
    """A value and its parts with how they are read, None where they cannot be."""
    yield text, value
    if not isinstance(value, Compound):
        return
    for k, item in enumerate(value.items):
        step: str | None = None
        if isinstance(value, Items):
            step = path_text((k,))
        elif isinstance(value, Struct) and not isinstance(value.form, Outcome):
            step = value.form.access(k)
        yield from _parts(item, None if text is None or step is None else text + step)


@dataclass(frozen=True, eq=False)
class Written:
    """An array among the arguments that a function writes into.

    Attributes:
        text: how the function reads it: ``x``, or ``state["pos"]`` for a part of an object.
        position: which of the parameters holds it.
        leaf: which of the leaves of that parameter it is.
        end: what it holds at the end of the function.
    """

    text: str
    position: int
    leaf: int
    end: Value
