"""The text of Jacobians and Hessians: the loop over directions, around generated code."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from srcgrad.calling.reuse.specialisation import Specialisation
    from srcgrad.calling.transformed import Transform


@dataclass(frozen=True)
class Loop:
    """How a derivative is put together of calls of generated code.

    Attributes:
        kind: ``columns`` (a tangent for each entry of an argument), ``sweep`` (the same, all at
            once), ``blocks`` (of gradients, each of which is a tuple), ``rows`` (a cotangent
            for each entry of the result), ``product`` (one tangent, which is given), ``alone``
            (the generated code gives that), ``shared`` (a tangent for each colour of the columns
            of a sparse Jacobian), ``shared rows`` (the same of rows) or ``symmetric`` (products
            that tell a sparse Hessian).
        name: what the function is called.
        what: what it gives, for its docstring.
        transform: the derivative that is called.
        many: whether a tuple of arguments is differentiated.
        pair: for ``columns`` and ``sweep``, the ``vjp`` of the same function: it knows of what
            form the result is.
    """

    kind: str
    name: str
    what: str
    transform: Transform
    many: bool
    pair: Transform | None = None

    def text(self, special: Specialisation) -> str:
        """Return the function that calls generated code.

        Where an argument or the result is a tree, or something stands beside the value,
        there is a remark in its place: the loop is over the leaves of that tree then.
        """
        if special.recorded is not None or self.kind == "alone":
            return ""
        run = inspect.unwrap(special.run).__name__
        tree = ast.parse(special.text)
        called = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == run)
        if not self._is_of_arrays(special):
            return (
                f"\n\n# {self.name} puts {run} together: it is called with a 1 for each entry of\n"
                "# each leaf of what is a tree, and its results are stacked. What stands beside\n"
                "# a value is left out.\n"
            )
        dots = special.slots[0] if self.transform.forwards else []
        given = _passed(called.args, dots)
        taken = {name.lstrip("*").partition("=")[0] for name in given}
        if self.kind != "product":
            _drop(called.args, dots)
        if self.kind in _SHARED:
            called.args.kwonlyargs += [ast.arg(name) for name in _SHARED[self.kind][0]]
            called.args.kw_defaults += [None] * len(_SHARED[self.kind][0])
        head = f"def {self.name}({ast.unparse(called.args)}):"
        body = _own_names(self._template(), taken).format(
            CALL=f"{run}({', '.join([*given, *self._tangents(dots, taken)])})",
            BACKWARD=f"{run.removesuffix('_forward')}_backward",
            PARTS=", ".join(self.transform.wanted),
            X=self.transform.wanted[0],
            X_DOT=dots[0] if dots else "",
        )
        docstring = textwrap.fill(f'"""Return {self.what}."""', 90)
        return f"\n\n{head}\n" + textwrap.indent(f"{docstring}\n{body}", "    ")

    def _template(self) -> str:
        """The body of the function."""
        several = len(self.transform.wanted) > 1
        if self.kind in _SHARED:
            return _SHARED[self.kind][1]
        if self.kind == "product":
            return "return {CALL}[1]\n"
        if self.kind == "sweep":
            return _SWEEP
        if self.kind == "rows":
            ending = _ROWS_OF_SEVERAL if several else _ROWS_OF_ONE if self.many else _ROWS
            return _BACKWARD + ending
        if not self.many:
            return _COLUMNS
        parts = "parts = ({PARTS})\n" if several else "parts = ({PARTS},)\n"
        return parts + (_BLOCKS if self.kind == "blocks" else _COLUMNS_OF_SEVERAL)

    def _tangents(self, dots: list[str], taken: set[str]) -> list[str]:
        """How the tangents are handed over."""
        if self.many and self.kind not in ("product", "sweep"):
            units = _own_names("units", taken)
            return [f"{dot}={units}[{k}]" for k, dot in enumerate(dots)]
        return [f"{dot}={dot}" for dot in dots]

    def imports(self, special: Specialisation, text: str, *, alone: bool = False) -> str:
        """Return the import of NumPy, where the text has none."""
        if (
            self.kind in ("product", "alone")
            or special.recorded is not None
            or "import numpy as np" in text
        ):
            return ""
        space = inspect.unwrap(special.run).__globals__
        if not alone and isinstance(space.get("np"), ModuleType):
            return ""
        return "import numpy as np\n\n\n"

    def _is_of_arrays(self, special: Specialisation) -> bool:
        """Whether what is differentiated, and the result, are arrays or numbers."""
        if self.transform.kind == "vjp":
            inner, outer = special.slots[:2]
            return outer.form is None and all(whole.form is None for whole in inner)
        inner = getattr(self.transform.plain, "__srcgrad__", None)
        if inner is not None and inner.has_aux:
            return False
        if self.pair is not None:
            known = self.pair.current().shown()
            if known.recorded is not None or known.slots[1].form is not None:
                return False
        return all(whole.form is None for whole in special.slots[1])


_COLUMNS = """\
columns = []
for index in np.ndindex(np.shape({X})):
    {X_DOT} = np.zeros_like({X})
    {X_DOT}[index] = 1
    columns.append({CALL}[1])
return np.stack(columns, axis=-1).reshape(np.shape(columns[0]) + np.shape({X}))
"""
_SWEEP = """\
{X_DOT} = np.eye({X}.size).reshape({X}.size, *{X}.shape)
columns = {CALL}
return np.moveaxis(columns, 0, -1).reshape(columns.shape[1:] + {X}.shape)
"""
_COLUMNS_OF_SEVERAL = """\
blocks = []
for k, part in enumerate(parts):
    columns = []
    for index in np.ndindex(np.shape(part)):
        units = [np.zeros_like(other) for other in parts]
        units[k][index] = 1
        columns.append({CALL}[1])
    shape = np.shape(columns[0]) + np.shape(part)
    blocks.append(np.stack(columns, axis=-1).reshape(shape))
return tuple(blocks)
"""
_BLOCKS = """\
blocks = [[] for _ in parts]
for k, part in enumerate(parts):
    columns = []
    for index in np.ndindex(np.shape(part)):
        units = [np.zeros_like(other) for other in parts]
        units[k][index] = 1
        columns.append({CALL}[1])
    for row, column in zip(blocks, zip(*columns)):
        shape = np.shape(column[0]) + np.shape(part)
        row.append(np.stack(column, axis=-1).reshape(shape))
return tuple(map(tuple, blocks))
"""
_BACKWARD = """\
value, residuals = {CALL}
rows = []
for index in np.ndindex(np.shape(value)):
    value_bar = np.zeros_like(value)
    value_bar[index] = 1
    rows.append({BACKWARD}(residuals, value_bar))
"""
_ROWS = "return np.stack(rows).reshape(np.shape(value) + np.shape({X}))\n"
_ROWS_OF_ONE = "return (np.stack(rows).reshape(np.shape(value) + np.shape({X})),)\n"
_ROWS_OF_SEVERAL = """\
return tuple(
    np.stack(row).reshape(np.shape(value) + np.shape(part))
    for row, part in zip(zip(*rows), ({PARTS}))
)
"""
_SHARED_COLUMNS = """\
entries = np.zeros(len(rows))
for colour in range(max(colours) + 1):
    {X_DOT} = (colours == colour).astype({X}.dtype).reshape({X}.shape)
    column = np.ravel({CALL}[1])
    chosen = colours[columns] == colour
    entries[chosen] = column[rows[chosen]]
return entries
"""
_SHARED_ROWS = """\
value, residuals = {CALL}
entries = np.zeros(len(rows))
for colour in range(max(colours) + 1):
    value_bar = (colours == colour).astype(value.dtype).reshape(value.shape)
    row = np.ravel({BACKWARD}(residuals, value_bar))
    chosen = colours[rows] == colour
    entries[chosen] = row[columns[chosen]]
return entries
"""
_PRODUCTS = """\
products = []
for colour in range(max(colours) + 1):
    {X_DOT} = (colours == colour).astype({X}.dtype).reshape({X}.shape)
    products.append(np.ravel({CALL}[1]))
return products
"""
_SHARED = {
    "shared": (("rows", "columns", "colours"), _SHARED_COLUMNS),
    "shared rows": (("rows", "columns", "colours"), _SHARED_ROWS),
    "symmetric": (("colours",), _PRODUCTS),
}

_LOCALS = {"index", "residuals", "row", "rows", "shape", "value", "value_bar"}
_LOCALS |= {"chosen", "colour", "colours", "entries", "products"}
_LOCALS |= {"blocks", "column", "columns", "k", "other", "part", "parts", "units"}


def _own_names(template: str, taken: set[str]) -> str:
    """Return a piece of text with other names for its variables where they are taken."""
    for name in sorted(taken & _LOCALS):
        template = re.sub(rf"(?<!\.)\b{name}\b", f"{name}_", template)
    return template


def _passed(given: ast.arguments, dots: list[str]) -> list[str]:
    """Return how the parameters of a function are handed to another one that has them too."""
    named = set(dots)
    out = [p.arg for p in (*given.posonlyargs, *given.args) if p.arg not in named]
    out += [f"*{given.vararg.arg}"] if given.vararg else []
    out += [f"{p.arg}={p.arg}" for p in given.kwonlyargs if p.arg not in named]
    return out + ([f"**{given.kwarg.arg}"] if given.kwarg else [])


def _drop(given: ast.arguments, names: list[str]) -> None:
    """Take parameters away, which are the last of their kind and have no default."""
    given.args = [p for p in given.args if p.arg not in names]
    kept = [
        (p, d)
        for p, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if p.arg not in names
    ]
    given.kwonlyargs = [p for p, _ in kept]
    given.kw_defaults = [d for _, d in kept]
