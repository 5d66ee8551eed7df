"""Which names a piece of syntax contains, and which of them it assigns."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

import libcst as cst

from srcgrad.frontend.text.out_arguments import perhaps_written
from srcgrad.frontend.text.trees import below, children, kinds_in, nodes_in, per_node
from srcgrad.library.families import CHANGING_METHODS, GROWING_METHODS

_COMPREHENSIONS = {cst.ListComp, cst.GeneratorExp, cst.SetComp, cst.DictComp}
_OWN_NAMES = _COMPREHENSIONS | {cst.Lambda, cst.FunctionDef}
_SCOPES = {cst.Lambda, cst.ListComp, cst.GeneratorExp, cst.SetComp, cst.FunctionDef}
_BINDINGS = {cst.AssignTarget, cst.AugAssign, cst.NamedExpr, cst.AnnAssign, cst.For}
_CHANGING = (CHANGING_METHODS | {"fill"}) - {"append", "send", "add", "discard", "rotate"}
_WRITING = {"at", "copyto", "fill_diagonal", "put", "put_along_axis", "place", "putmask"}


def unused_name(wanted: str, taken: Container[str]) -> str:
    """Return a name that is not taken yet."""
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}_{count}"
    return name


def new_name(wanted: str, taken: set[str]) -> str:
    """Return a name that was not taken yet, and is taken now."""
    name = unused_name(wanted, taken)
    taken.add(name)
    return name


@per_node
def names_in(node: cst.CSTNode) -> frozenset[str]:
    """Return every name that occurs in a tree."""
    return frozenset([part.value for part in nodes_in(node) if type(part) is cst.Name])


def identifiers(node: cst.CSTNode) -> set[str]:
    """Return every name in a tree that stands for a variable; attributes do not."""
    return {part.value for part in below(node, variables=True) if type(part) is cst.Name}


def names_around(node: Any) -> set[str]:
    """The names that an expression reads from around it, not those that its own scopes bind."""
    kind = type(node)
    if kind is cst.Name:
        return {node.value}
    if kind is cst.Attribute or kind is cst.Arg:
        return names_around(node.value)
    found = set[str]().union(*map(names_around, children(node)))
    if kind is cst.Lambda:
        found -= {p.name.value for p in parameters_in(node)}
        defaults = [p.default for p in parameters_in(node) if p.default is not None]
        return found.union(*map(names_around, defaults))
    if kind in _COMPREHENSIONS:
        for part in below(node.for_in):
            if type(part) is cst.CompFor:
                found -= identifiers(part.target)
        return found | names_around(node.for_in.iter)
    return found


@per_node
def attributes_written(node: cst.CSTNode) -> frozenset[str]:
    """Return the attributes that the code of a node assigns: ``self.calls += 1``."""
    targets = (p.target for p in below(node) if isinstance(p, cst.AssignTarget | cst.AugAssign))
    return frozenset(t.attr.value for t in targets if isinstance(t, cst.Attribute))


def parameters_in(node: Any) -> list[Any]:
    """Return the parameters of a definition or a lambda that are given one by one."""
    params = node.params
    return [*params.posonly_params, *params.params, *params.kwonly_params]


def local_names(node: cst.FunctionDef) -> set[str]:
    """The names that are local to a definition: parameters and assigned names."""
    stars = (node.params.star_arg, node.params.star_kwarg)
    every = [*parameters_in(node), *(star for star in stars if isinstance(star, cst.Param))]
    return {p.name.value for p in every} | (bound_names(node.body) - names_of_module(node))


@per_node
def names_of_module(node: cst.CSTNode) -> frozenset[str]:
    """The names that a definition declares to be those of the module: ``global calls``."""
    own = below(node, {*_SCOPES, cst.FunctionDef})
    found = [item.name.value for part in own if type(part) is cst.Global for item in part.names]
    return frozenset(found)


def free_names(node: cst.FunctionDef) -> set[str]:
    """The names that the body of a definition reads from outside of itself."""
    return {read.value for read in _reads_of_outside(node)}


def reads_of(node: cst.FunctionDef, names: frozenset[str]) -> list[cst.Name]:
    """The places in the body of a definition where it reads these names from outside of itself."""
    return [read for read in _reads_of_outside(node) if read.value in names] if names else []


def _reads_of_outside(node: cst.FunctionDef) -> Iterator[cst.Name]:
    stack: list[tuple[Any, set[str]]] = [(node.body, local_names(node))]
    while stack:
        top, own = stack.pop()
        kind = type(top)
        if kind is cst.FunctionDef:
            yield from (read for read in _reads_of_outside(top) if read.value not in own)
        elif kind is cst.Lambda:
            stack.append((top.body, own | {p.name.value for p in parameters_in(top)}))
        elif kind in _COMPREHENSIONS:
            stack += _parts_of_comprehension(top, own)
        else:
            for part in below(top, _OWN_NAMES, variables=True):
                if type(part) is cst.Name and part.value not in own:
                    yield part
                elif type(part) in _OWN_NAMES:
                    stack.append((part, own))
        if kind is cst.FunctionDef or kind is cst.Lambda:
            stack += [(p.default, own) for p in parameters_in(top) if p.default is not None]


def _parts_of_comprehension(node: Any, own: set[str]) -> Iterator[tuple[Any, set[str]]]:
    """The parts of a comprehension, each with the names that are not from around it there."""
    loop, inside = node.for_in, own
    while loop is not None:
        yield loop.iter, inside
        inside = inside | identifiers(loop.target)
        yield from ((each.test, inside) for each in loop.ifs)
        loop = loop.inner_for_in
    elements = (node.key, node.value) if isinstance(node, cst.DictComp) else (node.elt,)
    yield from ((element, inside) for element in elements)


@per_node
def bound_names(node: cst.CSTNode, augmented: bool = True) -> frozenset[str]:
    """The names that the code of a node binds (not inside nested functions)."""
    found: set[str] = set()
    for part in nodes_in(node) if _SCOPES.isdisjoint(kinds_in(node)) else below(node, _SCOPES):
        kind = type(part)
        if kind is cst.FunctionDef and part is not node:
            found.add(part.name.value)
        elif kind in _BINDINGS and (augmented or kind is not cst.AugAssign):
            _targets(part.target, found, False)
        elif kind is cst.AsName:
            _targets(part.name, found, False)
    return frozenset(found)


@per_node
def names_read(node: cst.CSTNode) -> frozenset[str]:
    """The names whose values the code of a node uses, that of functions in it included."""
    found: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is cst.Name:
            found.add(item.value)
        elif kind is cst.Assign:
            stack.append(item.value)
            stack += [part for t in item.targets for part in _uses_of(t.target)]
        elif kind is cst.For:
            stack += [item.iter, item.body, *_uses_of(item.target)]
            stack += [] if item.orelse is None else [item.orelse]
        else:
            stack += children(item)
    return frozenset(found)


def _uses_of(target: Any) -> list[Any]:
    """What an assignment to a target uses of it."""
    if isinstance(target, cst.Name):
        return []
    if isinstance(target, cst.Tuple | cst.List):
        return [part for element in target.elements for part in _uses_of(element.value)]
    return [target]


def assigned_names(node: cst.CSTNode) -> set[str]:
    """The names whose values the code of a node changes: it binds them or writes into them."""
    return bound_names(node) | names_written_into(node)


def _targets(node: Any, found: set[str], written: bool) -> None:
    if isinstance(node, cst.Name):
        found.add(node.value)
    elif isinstance(node, cst.Tuple | cst.List):
        for element in node.elements:
            _targets(element.value, found, written)
    elif isinstance(node, cst.Subscript | cst.Attribute) and written:
        _targets(node.value, found, written)
    elif written:  # a view without a name, such as x.T
        found |= identifiers(node)


def _changed_by(call: cst.Call, found: set[str]) -> None:
    """The names whose arrays or lists a call changes."""
    if isinstance(call.func, cst.Attribute):
        name = call.func.attr.value
        # np.append(x, y) and np.sort(x) are no methods: those take fewer arguments
        given = sum(arg.keyword is None for arg in call.args)
        if name in _CHANGING or given == {"append": 1, "sort": 0}.get(name):
            _targets(call.func.value, found, True)
        elif name in _WRITING and call.args:
            _targets(call.args[0].value, found, True)
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == "out":
            _targets(arg.value, found, True)
    for value in perhaps_written(call):
        _targets(value, found, True)


def grown_names(node: cst.CSTNode) -> set[str]:
    """The names whose lists the code of a node may make longer or shorter."""
    found: set[str] = set()
    for part in nodes_in(node):
        kind = type(part)
        if kind is cst.AugAssign and isinstance(part.target, cst.Name):
            found.add(part.target.value)
        elif kind is cst.Call and isinstance(part.func, cst.Attribute):
            if part.func.attr.value in GROWING_METHODS and isinstance(part.func.value, cst.Name):
                found.add(part.func.value.value)
        elif kind is cst.Del:
            _targets(part.target, found, True)
    return found


def assigns(node: cst.CSTNode) -> bool:
    """Whether an expression assigns a name (``:=``)."""
    return cst.NamedExpr in kinds_in(node)


@per_node
def names_written_into(node: cst.CSTNode, deep: bool = False) -> frozenset[str]:
    """The names whose arrays or lists the code of a node writes into.

    ``deep``: whether to give those alone of which it writes into elements: ``t[k][0] = v``.
    """
    found: set[str] = set()
    inside: set[str] = set()
    for part in nodes_in(node):
        kind = type(part)
        if kind is cst.Call:
            _changed_by(part, found)
        elif kind is cst.For or kind is cst.CompFor:
            for place in _uses_of(part.target):
                _targets(place, found, True)
        elif kind in (cst.AugAssign, cst.AssignTarget, cst.Del):
            target = part.target
            if kind is cst.AugAssign or type(target) is not cst.Name:
                nested = type(target) is cst.Subscript and type(target.value) is cst.Subscript
                _targets(target, inside if nested and kind is not cst.Del else found, True)
    return frozenset(inside - found - bound_names(node) if deep else inside | found)
