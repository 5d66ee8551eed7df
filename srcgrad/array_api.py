"""Derivatives of functions that are written for any array library, by the array API standard.

A function that asks its argument for its namespace, as ``xp = array_namespace(x)``, is
differentiated as if that were NumPy, and the code is spelled in the namespace of the arguments.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import array_api_compat
import numpy as np

from srcgrad.calling import api
from srcgrad.calling.arguments.lazy import require_no_views
from srcgrad.errors import ArgumentError
from srcgrad.load.compile import write_file

_ASKING = ("array_namespace", "__array_namespace__", "get_namespace")


def grad(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return the gradient of a function that is written against an array-API namespace.

    The code is generated for the shapes and types of the arguments, and kept.

    Args:
        f: the function, of arrays by position, to one real number; it asks for its namespace by
            ``array_api_compat.array_namespace(x)`` or ``x.__array_namespace__()``.
        wrt: what to differentiate with respect to, as for ``srcgrad.grad``.

    Returns:
        A function of arrays of NumPy, PyTorch, JAX, Dask or another library that
        ``array_api_compat`` knows, which returns arrays of the same.

    Raises:
        ArgumentError: by that function, where the namespace lacks what the derivative calls.

    Example:
        >>> import numpy as np
        >>> from srcgrad import array_api
        >>> def energy(x):
        ...     xp = x.__array_namespace__()
        ...     return xp.sum(xp.sin(x) ** 2)
        >>> array_api.grad(energy)(np.asarray([0.0, 0.5])).round(4)
        array([0.    , 0.8415])
    """
    in_numpy = _in_numpy(f)
    made: dict[Any, Any] = {}

    @functools.wraps(f)
    def slope(*args: Any) -> Any:
        arrays = [a for a in args if _is_array(a)]
        xp = array_api_compat.array_namespace(*arrays)
        key = (xp.__name__, *(_kind(a) for a in args))
        if key not in made:
            made[key] = _made(in_numpy, wrt, args, xp)
        try:
            return made[key](*args)
        except (AttributeError, RuntimeError, TypeError, ValueError) as error:
            if isinstance(error, ArgumentError):
                raise
            reason = str(error).splitlines()[0]
            raise ArgumentError(f"{xp.__name__} does not take the derivative: {reason}") from error

    return slope


def _is_array(value: Any) -> bool:
    return array_api_compat.is_array_api_obj(value)


def _kind(value: Any) -> Any:
    if _is_array(value):
        return tuple(value.shape), str(value.dtype)
    return value


def _in_numpy(f: Callable[..., Any]) -> Any:
    """Return a function as if the namespace of its arguments were NumPy."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(f)))
    asked = _Asked()
    tree = ast.fix_missing_locations(asked.visit(tree))
    definition = tree.body[0]
    definition.decorator_list = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == asked.name:
            node.id = "np"
    text = f"import numpy as np\n\n\n{ast.unparse(tree)}\n"
    namespace = {**f.__globals__, **inspect.getclosurevars(f).nonlocals}
    exec(compile(text, write_file(f.__name__, text), "exec"), namespace)
    return namespace[definition.name]


class _Asked(ast.NodeTransformer):
    """Takes out the statement that asks for the namespace, and notes its name."""

    name = "np"

    def visit_Assign(self, node: ast.Assign) -> Any:
        call, target = node.value, node.targets[0]
        if isinstance(call, ast.Call) and isinstance(target, ast.Name):
            asked = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            asked = call.func.id if isinstance(call.func, ast.Name) else asked
            if asked in _ASKING:
                self.name = target.id
                return None
        return node


def _made(f: Any, wrt: Any, args: tuple[Any, ...], xp: Any) -> Callable[..., Any]:
    """Return the gradient for arguments of some shapes, in the namespace of an array library."""
    derivative = api.grad(f, wrt=wrt)
    derivative(*(_ones(a) for a in args))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "derivative.py"
        api.save(derivative, path)
        tree = ast.parse(path.read_text())
    tree.body = [s for s in tree.body if not _is_numpy(s)]
    text = ast.unparse(ast.fix_missing_locations(_Spelling().visit(tree)))
    if not _has_views(xp):
        require_no_views(text, [], xp.__name__.rpartition("compat.")[2])
    spelled = Spelled(xp)
    namespace: dict[str, Any] = {"np": spelled, "unbroadcast": spelled.unbroadcast}
    exec(compile(text, write_file(f"{f.__name__}_grad", text), "exec"), namespace)
    return namespace[f"{f.__name__}_grad"]


def _ones(value: Any) -> Any:
    if not _is_array(value):
        return value
    kind = str(value.dtype).rpartition(".")[2]
    return _regular(tuple(value.shape)).astype(kind)


def _regular(shape: tuple[int, ...]) -> np.ndarray:
    """Return numbers between 0 and 1, of which square matrices are regular."""
    found = np.full(shape, 0.25)
    return found + 0.5 * np.eye(shape[-2], shape[-1]) if len(shape) > 1 else found


def _has_views(xp: Any) -> bool:
    """Tell whether arrays may be views of others; the standard leaves it open."""
    return (
        array_api_compat.is_numpy_namespace(xp)
        or array_api_compat.is_cupy_namespace(xp)
        or array_api_compat.is_torch_namespace(xp)
    )


def _is_numpy(statement: ast.stmt) -> bool:
    names = [a.name for a in getattr(statement, "names", ())]
    return "numpy" in names or names == ["unbroadcast"]


class _Spelling(ast.NodeTransformer):
    """Writes methods of NumPy's arrays as functions, which every namespace has."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        of_module = _is_module(node.value)
        if node.attr == "T" or (node.attr == "size" and not of_module):
            name = "transpose" if node.attr == "T" else "size"
            return _function(name, [node.value], [])
        if node.attr in ("real", "imag") and not of_module:
            return _function(node.attr, [node.value], [])
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        func = node.func
        if isinstance(func, ast.Attribute) and not _is_module(func.value):
            args = [self.visit(a) for a in [func.value, *node.args]]
            return _function(func.attr, args, [self.visit(k) for k in node.keywords])
        self.generic_visit(node)
        return node


def _is_module(node: ast.expr) -> bool:
    return ast.unparse(node) in ("np", "np.linalg", "np.fft", "math")


def _function(name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load()), args, keywords)


_RENAMED = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh",
    "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "concatenate": "concat",
    "power": "pow", "true_divide": "divide",
}  # fmt: skip


class Spelled:
    """A namespace of the array API under NumPy's names, as far as derivatives use them."""

    newaxis = None
    pi, e, inf, nan = math.pi, math.e, math.inf, math.nan

    def __init__(self, xp: Any) -> None:
        self.xp = xp

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.xp, _RENAMED.get(name, name), None)
        if found is None:
            raise ArgumentError(f"{self.xp.__name__} has no {_RENAMED.get(name, name)}")
        return found

    def array(self, x: Any, like: Any) -> Any:
        """Return a number as an array like another one."""
        if _is_array(x):
            return x
        return self.xp.asarray(x, dtype=like.dtype, device=array_api_compat.device(like))

    def both(self, name: str, x: Any, y: Any) -> Any:
        """Call a function of two arrays, of which one may be a number."""
        like = x if _is_array(x) else y
        return getattr(self.xp, name)(self.array(x, like), self.array(y, like))

    def maximum(self, x: Any, y: Any) -> Any:
        return self.both("maximum", x, y)

    def minimum(self, x: Any, y: Any) -> Any:
        return self.both("minimum", x, y)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        like = next((v for v in (x, y) if _is_array(v)), None)
        if like is None:
            return self.xp.where(condition, self.xp.asarray(x), self.xp.asarray(y))
        return self.xp.where(condition, self.array(x, like), self.array(y, like))

    def sum(self, x: Any, axis: Any = None, keepdims: bool = False, **_: Any) -> Any:
        return self.xp.sum(x, axis=axis, keepdims=keepdims)

    def mean(self, x: Any, axis: Any = None, keepdims: bool = False, **_: Any) -> Any:
        return self.xp.mean(x, axis=axis, keepdims=keepdims)

    def transpose(self, x: Any, axes: Any = None) -> Any:
        return self.xp.permute_dims(x, axes or tuple(range(x.ndim))[::-1])

    def swapaxes(self, x: Any, first: int, second: int) -> Any:
        order = list(range(x.ndim))
        order[first], order[second] = order[second], order[first]
        return self.xp.permute_dims(x, tuple(order))

    def expand_dims(self, x: Any, axis: Any) -> Any:
        for k in sorted(axis) if isinstance(axis, tuple) else (axis,):
            x = self.xp.expand_dims(x, axis=k)
        return x

    def reshape(self, x: Any, *shape: Any) -> Any:
        return self.xp.reshape(x, shape[0] if isinstance(shape[0], tuple) else shape)

    def ravel(self, x: Any) -> Any:
        return self.xp.reshape(x, (-1,))

    def copy(self, x: Any) -> Any:
        return self.xp.asarray(x, copy=True)

    def size(self, x: Any) -> int:
        return math.prod(x.shape)

    def shape(self, x: Any) -> tuple[int, ...]:
        return tuple(x.shape)

    def ndim(self, x: Any) -> int:
        return getattr(x, "ndim", 0)

    def iscomplexobj(self, x: Any) -> bool:
        if not _is_array(x):
            return isinstance(x, complex)
        return self.xp.isdtype(x.dtype, "complex floating")

    def outer(self, x: Any, y: Any) -> Any:
        return x[:, None] * y[None, :]

    def dot(self, x: Any, y: Any) -> Any:
        return x @ y

    def negative(self, x: Any) -> Any:
        return -x

    def unbroadcast(self, bar: Any, like: Any) -> Any:
        """Sum over the axes along which an array was broadcast."""
        lead = bar.ndim - like.ndim
        stretched = tuple(
            k + lead for k, n in enumerate(like.shape) if n == 1 and bar.shape[k + lead] != 1
        )
        axes = (*range(lead), *stretched)
        return self.xp.reshape(self.xp.sum(bar, axis=axes), like.shape) if axes else bar
