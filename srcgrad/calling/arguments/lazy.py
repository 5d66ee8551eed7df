"""Arrays that are computed later, as Dask's are: what has to be known of a program for them.

They follow NumPy's protocols, and differ in two ways. A length may be unknown until the array
is computed; and no array is a view of another one, so that a write through one name is not
seen under another. Generated code relies on both, and is refused where it does.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import math
import types
from collections.abc import Iterator
from typing import Any

from srcgrad.errors import ArgumentError
from srcgrad.late import late

# what gives a view of an array by NumPy's rules, as a function or as a method
_VIEWS = frozenset(
    """
    reshape ravel transpose swapaxes moveaxis rollaxis squeeze expand_dims diagonal diag
    broadcast_to split array_split hsplit vsplit dsplit atleast_1d atleast_2d atleast_3d
    asarray asanyarray real imag flip fliplr flipud rot90 einsum view T flat mT
    matrix_transpose permute_dims unstack broadcast_arrays zip enumerate reversed
    sliding_window_view as_strided nditer astype
    """.split()  # noqa: SIM905 - a table of words
)


def is_lazy(value: Any) -> bool:
    """Tell whether a value is an array of Dask's, by the protocol that Dask has for that."""
    return hasattr(type(value), "__dask_graph__") and hasattr(value, "chunks")


def holds_lazy(arguments: list[Any]) -> bool:
    """Tell whether there is such an array among the arguments of a call, or in them."""
    return any(is_lazy(part) for x in arguments for part in _leaves(x))


def _leaves(value: Any) -> list[Any]:
    if is_lazy(value) or not issubclass(type(value), tuple | list | dict):
        return [value]
    return list(late("leaves_of")(value))


def require_lengths(names: list[str], arguments: list[Any]) -> None:
    """Refuse arrays of which a length is not known."""
    for name, argument in zip(names, arguments, strict=False):
        for part in _leaves(argument):
            if is_lazy(part) and math.isnan(math.prod(part.shape)):
                raise ArgumentError(
                    f"{name!r} is an array of Dask's with chunks of unknown length: its shape is "
                    f"{part.shape}",
                    why="A derivative relies on the lengths of its arguments.",
                    fixes=[f"call {name}.compute_chunk_sizes() before"],
                )


def require_no_views(text: str, functions: list[Any], library: str = "Dask") -> None:
    """Refuse code that writes into an array under one name, and reads it under another.

    Args:
        text: the code.
        functions: the generated functions in it, whose helpers are looked at, too.
        library: whose arrays it is given.
    """
    texts = [text, *map(inspect.getsource, _helpers(functions))]
    for tree in map(ast.parse, texts):
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            found = _written_through_views(function)
            if found:
                raise ArgumentError(
                    f"{function.name} writes into {found!r}, which is, or has, a view of "
                    "another array",
                    why=f"No array of {library}'s is a view of another one: the write would not "
                    "be seen there.",
                    fixes=["put the parts together by np.concatenate, np.pad or np.where"],
                )


def _helpers(functions: list[Any]) -> Iterator[types.FunctionType]:
    """The functions of srcgrad's that generated ones call, and that these call."""
    seen: set[Any] = set()
    waiting = [inspect.unwrap(function) for function in functions if function is not None]
    while waiting:
        function = waiting.pop()
        if function in seen or not isinstance(function, types.FunctionType):
            continue
        seen.add(function)
        own = (function.__module__ or "").startswith("srcgrad.runtime")
        if own:
            yield function
            waiting += [function.__globals__.get(name) for name in function.__code__.co_names]
        for cell in function.__closure__ or ():
            with contextlib.suppress(ValueError):  # a cell that is still empty
                waiting.append(cell.cell_contents)


def _written_through_views(function: ast.FunctionDef) -> str | None:
    """Return what a function writes into that has another name with memory in common, or None."""
    parts = list(ast.walk(function))
    stores = [p for p in parts if isinstance(p, ast.Subscript) and isinstance(p.ctx, ast.Store)]
    for store in stores:
        if not isinstance(store.value, ast.Name):
            return ast.unparse(store.value)
    inside = {store.value.id for store in stores}  # type: ignore[attr-defined]
    in_place = {
        p.target.id
        for p in parts
        if isinstance(p, ast.AugAssign) and isinstance(p.target, ast.Name)
    }
    given = {p.arg for p in parts if isinstance(p, ast.arg)}
    for name in sorted(inside & given):
        return name  # whose caller may have handed over a view
    for name, other, is_view in _names_of_one_array(parts):
        shared = {name, other}
        if shared & in_place or (is_view and shared & inside):
            return min(shared & (in_place | inside))
    return None


def _names_of_one_array(parts: list[ast.AST]) -> Iterator[tuple[str, str, bool]]:
    """The pairs of names that may stand for arrays with memory in common; whether by a view."""
    for part in parts:
        if isinstance(part, ast.Assign):
            targets, value = part.targets, part.value
        elif isinstance(part, ast.For | ast.comprehension):
            targets, value = [part.target], part.iter
        elif isinstance(part, ast.NamedExpr):
            targets, value = [part.target], part.value
        else:
            continue
        names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        through = isinstance(part, ast.For | ast.comprehension)
        for name in names:
            for other, is_view in _origins(value):
                if other != name or is_view:
                    yield name, other, is_view or through


def _origins(value: ast.AST) -> Iterator[tuple[str, bool]]:
    """The names of arrays that an expression may be, or be a view of."""
    if isinstance(value, ast.Name):
        yield value.id, False
    elif isinstance(value, ast.Subscript | ast.Starred):
        yield from ((name, True) for name, _ in _origins(value.value))
    elif isinstance(value, ast.Attribute):
        if value.attr in _VIEWS:
            yield from ((name, True) for name, _ in _origins(value.value))
    elif isinstance(value, ast.Call):
        called = value.func
        own = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if own in _VIEWS:
            inner = [*value.args, *([called.value] if isinstance(called, ast.Attribute) else [])]
            yield from ((name, True) for part in inner for name, _ in _origins(part))
    elif isinstance(value, ast.IfExp):
        yield from (*_origins(value.body), *_origins(value.orelse))
    elif isinstance(value, ast.Tuple | ast.List):
        for part in value.elts:
            yield from _origins(part)
