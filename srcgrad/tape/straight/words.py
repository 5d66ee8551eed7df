"""Names and constants of a straight-line program, and how its text refers to things."""

from __future__ import annotations

import ast
import base64
import keyword
import math
import sys
import types
from typing import Any

import numpy as np

_WIDTH = 76
_SHORT = 4  # how many entries an array has that is written out where it is read
_PLAIN = 24  # and one that is written out as a list


class Words:
    """The names that a text uses.

    Attributes:
        imports: the lines that import something, in the order in which it was first needed.
        constants: the lines that give the constants their values.
        given: what the text refers to, and no import can reach, by name.
    """

    def __init__(self) -> None:
        self.imports: list[str] = ["import numpy as np"]
        self.constants: list[str] = []
        self.given: dict[str, Any] = {}
        self._count = 0
        self._taken: dict[str, Any] = {"np": np}
        self._known: dict[int, tuple[Any, str]] = {}

    def new(self, base: str) -> str:
        """Return a name that nothing else has."""
        name = base if base.isidentifier() and not keyword.iskeyword(base) else "value"
        while name in self._taken or name in _PYTHON:
            name += "_"
        self._taken[name] = None
        return name

    def is_taken(self, name: str) -> bool:
        """Tell whether something has a name."""
        return name in self._taken or name in _PYTHON

    def call_it(self, thing: Any, name: str) -> str:
        """Let a thing have a name, which is given a value where the text begins."""
        made = self.new(name)
        self._known[id(thing)] = thing, made
        return made

    def known(self, thing: Any) -> str | None:
        """Return the name that a thing has in the text."""
        found = self._known.get(id(thing))
        return None if found is None else found[1]

    # What imports reach

    def reference(self, thing: Any) -> str:
        """Return how the text refers to a function, a class, a module or another object."""
        known = self.known(thing)
        if known is not None:
            return known
        made = self._imported(thing)
        if made is None:
            made = self.new(getattr(thing, "__name__", type(thing).__name__.lower()))
            self.given[made] = thing
        self._known[id(thing)] = thing, made
        return made

    def _imported(self, thing: Any) -> str | None:
        if thing is np:
            return "np"
        name: Any = getattr(thing, "__name__", None)
        if isinstance(thing, types.ModuleType):
            return self._import(name, None, thing) if sys.modules.get(name) is thing else None
        if not isinstance(name, str):
            return None
        if getattr(sys.modules["builtins"], name, None) is thing:
            return name
        for module, path in _NUMPY:
            if getattr(module, name, None) is thing:
                return f"{path}.{name}"
        home = getattr(thing, "__module__", None) or ""
        for path in (*_public(home), home):
            module = sys.modules.get(path)
            if path != "__main__" and getattr(module, name, None) is thing:
                if path.partition(".")[0] in sys.stdlib_module_names | {"scipy"}:
                    return f"{self.reference(module)}.{name}"
                return self._import(path, name, thing)
        return None

    def _import(self, path: str, name: str | None, thing: Any) -> str:
        last = name or path.rpartition(".")[2]
        label = self.new(last)
        if name is not None:
            line = f"from {path} import {name}"
        else:
            line = f"import {path}"
            if "." in path:
                home, _, last = path.rpartition(".")
                line = f"from {home} import {last}"
        self.imports.append(line if label == last else f"{line} as {label}")
        return label

    # Constants

    def constant(self, value: Any) -> ast.expr:
        """Return an expression for a constant."""
        known = self.known(value) if not isinstance(value, int | float | str | None) else None
        if known is not None:
            return name_of(known)
        kind: Any = type(value)
        whole: Any = value
        if value is None or kind in (bool, int, str, bytes) or value is ...:
            return ast.Constant(value)
        if kind in (float, complex):
            return self._number(value)
        if isinstance(value, np.generic) and value.dtype.kind in "fciub":
            number = self._number(value.item())
            inner = ast.Constant(bool(value)) if kind is np.bool_ else number
            return ast.Call(_path(f"np.{kind.__name__.rstrip('_')}"), [inner], [])
        if kind is slice:
            parts = (whole.start, whole.stop, whole.step)
            return ast.Call(name_of("slice"), [self.constant(part) for part in parts], [])
        if kind in (tuple, list):
            parts = [self.constant(part) for part in whole]
            return (ast.Tuple if kind is tuple else ast.List)(parts, ast.Load())
        if kind is dict:
            keys = [self.constant(part) for part in whole]
            return ast.Dict(keys, [self.constant(part) for part in whole.values()])  # type: ignore
        if isinstance(value, np.dtype) and value.names is None:
            return ast.Call(_path("np.dtype"), [ast.Constant(value.str)], [])
        if kind is np.ndarray and whole.dtype.kind in "fciub":
            return self._array(whole)
        return name_of(self.reference(value))

    def _number(self, value: Any) -> ast.expr:
        if isinstance(value, complex):
            if math.isfinite(value.real) and math.isfinite(value.imag):
                return ast.Constant(value)
            parts = [self._number(value.real), self._number(value.imag)]
            return ast.Call(name_of("complex"), parts, [])
        if isinstance(value, float) and not math.isfinite(value):
            name = "np.nan" if math.isnan(value) else "np.inf"
            found: ast.expr = _path(name)
            return ast.UnaryOp(ast.USub(), found) if value < 0 else found
        if value < 0:
            return ast.UnaryOp(ast.USub(), ast.Constant(-value))
        return ast.Constant(value)

    def _array(self, value: Any) -> ast.expr:
        if value.size <= _SHORT or is_zero(value):
            return self.written_out(value)
        self._count += 1
        name = self.new(f"c{self._count}")
        self._known[id(value)] = value, name
        self.constants.append(self.assignment(name, value))
        return name_of(name)

    def written_out(self, value: Any) -> ast.expr:
        """Return an array as a list of its entries."""
        if is_zero(value):
            shape = ast.Constant(value.shape if value.ndim != 1 else value.size)
            kind = [] if value.dtype == float else [ast.Constant(value.dtype.str)]
            order = [ast.keyword("order", ast.Constant("F"))] if _is_turned(value) else []
            return ast.Call(_path("np.zeros"), [shape, *kind], order)
        call = ast.Call(_path("np.array"), [self.constant(value.tolist())], [])
        if np.array(value.tolist()).dtype != value.dtype:
            call.keywords.append(ast.keyword("dtype", ast.Constant(value.dtype.str)))
        return call

    def assignment(self, name: str, value: Any) -> str:
        """Return the statement that gives a name the value of an array, or another constant."""
        plain = not isinstance(value, np.ndarray) or value.dtype.kind not in "fciub"
        if plain or value.size <= _PLAIN or is_zero(value):
            made = self.constant(value) if plain else self.written_out(value)
            return f"{name} = {ast.unparse(ast.fix_missing_locations(made))}"
        if "import base64" not in self.imports:
            self.imports.insert(0, "import base64")
        order = "F" if _is_turned(value) else "C"
        data = base64.b64encode(value.tobytes(order=order)).decode()
        rows = [f'    "{data[k : k + _WIDTH]}"' for k in range(0, len(data), _WIDTH)]
        last = f".reshape({value.shape}" + (', order="F")' if order == "F" else ")")
        inner = "\n".join(rows)
        return (
            f"{name} = np.frombuffer(base64.b64decode(\n{inner}\n"
            f'), "{value.dtype.str}"){last}.copy(order="K")'
        )

    def key(self, key: Any) -> ast.expr:
        """Return the expression of an index, with slices as Python writes them."""
        if type(key) is slice:
            parts = (key.start, key.stop, key.step)
            made = [None if part is None else self.constant(part) for part in parts]
            return ast.Slice(*made)
        if type(key) is tuple and key:
            return ast.Tuple([self.key(part) for part in key], ast.Load())
        return self.constant(key)


def is_zero(value: Any) -> bool:
    """Tell whether all entries of an array are zero, without a sign."""
    return not any(value.tobytes())


def _is_turned(value: Any) -> bool:
    return value.flags.f_contiguous and not value.flags.c_contiguous


_PYTHON = frozenset(dir(sys.modules["builtins"])) - {"function"}
_NUMPY = ((np, "np"), (np.linalg, "np.linalg"), (np.fft, "np.fft"))


def _public(home: str) -> list[str]:
    """Return the modules around one, whose name begins with an underscore: scipy.special."""
    parts = home.split(".")
    return [".".join(parts[:k]) for k in range(len(parts) - 1, 1, -1)]


def name_of(name: str) -> ast.expr:
    """Return a name, or a path of attributes, as an expression."""
    return _path(name)


def _path(text: str) -> ast.expr:
    first, *rest = text.split(".")
    made: ast.expr = ast.Name(first, ast.Load())
    for part in rest:
        made = ast.Attribute(made, part, ast.Load())
    return made


__all__ = ["Words", "is_zero", "name_of"]
