"""Which names a piece of syntax contains, and which of them it assigns."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportReturnType=false

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.text.out_arguments import perhaps_written
from srcgrad.frontend.text.trees import children, per_node

_SCOPES = {cst.Lambda, cst.ListComp, cst.GeneratorExp, cst.SetComp}
_CHANGING = {
    *("pop", "fill", "update", "setdefault", "popleft", "appendleft"),
    *("extend", "insert", "remove", "reverse", "clear", "popitem"),
}
_GROWING = {
    *("append", "extend", "insert", "pop", "remove", "clear", "popleft", "appendleft"),
}
_BINDINGS = {cst.AssignTarget, cst.AugAssign, cst.NamedExpr, cst.AnnAssign, cst.For}


@per_node
def names_in(node: cst.CSTNode) -> frozenset[str]:
    """Return every name that occurs in a tree."""
    found: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if type(item) is cst.Name:
            found.add(item.value)
        else:
            stack += children(item)
    return frozenset(found)


def names_of_written_elements(node: cst.CSTNode) -> set[str]:
    """The names of which the code of a node writes into elements only: ``t[k][0] = v``."""
    deep: set[str] = set()
    other: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is cst.AugAssign or kind is cst.AssignTarget:
            target = item.target
            inside = type(target) is cst.Subscript and type(target.value) is cst.Subscript
            _targets(target, deep if inside else other, True)
        elif kind is cst.Call:
            _changed_by(item, other)
        elif kind is cst.Del:
            _targets(item.target, other, True)
        stack += children(item)
    return deep - other


def identifiers(node: cst.CSTNode) -> set[str]:
    """Return every name in a tree that stands for a variable; attributes do not."""
    found: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is cst.Name:
            found.add(item.value)
        elif kind is cst.Attribute or kind is cst.Arg:
            stack.append(item.value)
        else:
            stack += children(item)
    return found


@per_node
def attributes_written(node: cst.CSTNode) -> frozenset[str]:
    """Return the attributes that the code of a node assigns: ``self.calls += 1``."""
    found: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, cst.AssignTarget | cst.AugAssign):
            if isinstance(item.target, cst.Attribute):
                found.add(item.target.attr.value)
        stack += children(item)
    return frozenset(found)


def local_names(node: cst.FunctionDef) -> set[str]:
    """The names that are local to a definition: parameters and assigned names."""
    parameters = node.params
    found = {
        p.name.value
        for p in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    }
    for star in (parameters.star_arg, parameters.star_kwarg):
        if isinstance(star, cst.Param):
            found.add(star.name.value)
    return found | bound_names(node.body)


def free_names(node: cst.FunctionDef) -> set[str]:
    """The names that the body of a definition reads from outside of itself."""
    found: set[str] = set()
    stack: list[Any] = [node.body]
    while stack:
        item = stack.pop()
        if type(item) is cst.Name:
            found.add(item.value)
        elif type(item) is cst.FunctionDef:
            found |= free_names(item)
            params = item.params
            stack += [
                p.default
                for p in (*params.posonly_params, *params.params, *params.kwonly_params)
                if p.default is not None
            ]
        elif type(item) is cst.Attribute or type(item) is cst.Arg:
            stack.append(item.value)
        else:
            stack += children(item)
    return found - local_names(node)


def reads_of(node: cst.FunctionDef, names: frozenset[str]) -> list[cst.Name]:
    """The places in the body of a definition where it reads these names from outside of itself."""
    names = names - local_names(node)
    found: list[cst.Name] = []
    stack: list[Any] = [node.body] if names else []
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is cst.Name:
            found += [item] if item.value in names else []
        elif kind is cst.FunctionDef:
            found += reads_of(item, names)
        elif kind is cst.Attribute or kind is cst.Arg:
            stack.append(item.value)
        else:
            stack += children(item)
    return found


@per_node
def bound_names(node: cst.CSTNode, augmented: bool = True) -> frozenset[str]:
    """The names that the code of a node binds (not inside nested functions)."""
    found: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind in _SCOPES:
            continue
        if kind is cst.FunctionDef:
            if item is not node:
                found.add(item.name.value)
                continue
        elif kind in _BINDINGS and (augmented or kind is not cst.AugAssign):
            _targets(item.target, found, False)
        elif kind is cst.AsName:
            _targets(item.name, found, False)
        stack += children(item)
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


_WRITING = {"at", "copyto", "fill_diagonal", "put", "put_along_axis", "place", "putmask"}


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
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is cst.AugAssign and isinstance(item.target, cst.Name):
            found.add(item.target.value)
        elif kind is cst.Call and isinstance(item.func, cst.Attribute):
            if item.func.attr.value in _GROWING and isinstance(item.func.value, cst.Name):
                found.add(item.func.value.value)
        elif kind is cst.Del:
            _targets(item.target, found, True)
        stack += children(item)
    return found


def assigns(node: cst.CSTNode) -> bool:
    """Whether an expression assigns a name (``:=``)."""
    return isinstance(node, cst.NamedExpr) or any(assigns(child) for child in children(node))


@per_node
def names_written_into(node: cst.CSTNode) -> frozenset[str]:
    """The names whose arrays or lists the code of a node writes into."""
    found: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is cst.Name:
            continue
        if kind is cst.AugAssign:
            _targets(item.target, found, True)
        elif kind is cst.Call:
            _changed_by(item, found)
        elif kind is cst.AssignTarget or kind is cst.Del:
            if type(item.target) is not cst.Name:
                _targets(item.target, found, True)
        elif kind is cst.For or kind is cst.CompFor:
            for place in _uses_of(item.target):
                _targets(place, found, True)
        stack += children(item)
    return frozenset(found)
