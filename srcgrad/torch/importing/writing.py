"""Formulas in srcgrad's format, of entries of the table."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import textwrap
from dataclasses import dataclass
from typing import Any

from srcgrad.load.wrapping import wrap
from srcgrad.torch.importing.conjugates import (
    conjugate,
    simplify,
    without_conjugates,
    without_ones,
)
from srcgrad.torch.importing.expressions import parse
from srcgrad.torch.importing.table import Entry
from srcgrad.torch.importing.translating import NO_WORD, Translation, Unsayable, operations
from srcgrad.torch.operations import FAMILIES

NO_OPERATION = "has no NumPy version of the operation itself"
NOT_IMPLEMENTED = "is not implemented in the table"
NO_DERIVATIVE = "has no derivative in the table"
COMPLEX_OF_REAL = "gives complex numbers for real ones, which operations in NumPy here may not"

# Parameters that are summed over the axes along which the operation stretched them.
_STRETCHED = {
    "addbmm": "self", "addmm": "self", "addmv": "self", "addr": "self", "baddbmm": "self",
    "bmm": "", "matmul": "self other", "linalg_cross": "self other", "dist": "self other",
    "index_put": "values", "_unsafe_index_put": "values",
    "_unsafe_masked_index_put_accumulate": "values", "masked_fill_scalar": "self",
    "masked_fill_tensor": "self value", "masked_select": "self", "masked_scatter": "self",
    "binary_cross_entropy": "self target", "mse_loss": "self target",
    "smooth_l1_loss": "self target", "huber_loss": "self target",
    "soft_margin_loss": "self target", "binary_cross_entropy_backward": "grad_output",
    "mse_loss_backward": "grad_output self target",
    "smooth_l1_loss_backward": "grad_output self target",
    "soft_margin_loss_backward": "grad_output", "_euclidean_dist": "x1 x2",
    "_cdist_forward": "x1 x2", "linalg_solve_triangular": "self B", "_linalg_solve_ex": "A B",
    "linalg_lu_solve": "LU B", "scatter_src": "", "_trilinear": "i1 i2 i3",
}  # fmt: skip
# Results that are real for complex arguments; of their cotangents only that part counts.
_REAL_RESULTS = {
    "angle": (0,), "var": (0,), "std": (0,), "var_mean": (0,), "std_mean": (0,), "norm": (0,),
    "dist": (0,), "linalg_vector_norm": (0,), "_fft_c2r": (0,), "_linalg_slogdet": (1,),
    "_linalg_svd": (1,), "_linalg_eigh": (0,),
}  # fmt: skip
_INTEGERS = frozenset([
    "index", "indices", "mask", "condition", "target", "pivots", "info", "P", "S", "logabsdet",
    "n",
])  # fmt: skip
# Options that may be complex numbers.
_NUMBERS = frozenset(
    ["alpha", "beta", "value", "other", "exponent", "weight", "self", "end", "fill"]
)


@dataclass(frozen=True)
class Written:
    """A formula as text."""

    entry: Entry  # the entry it was made of
    module: str  # the family it belongs to
    name: str  # the name of the operation in NumPy
    text: str  # the function, with its decorator
    modules: frozenset[str]  # the families of operations that it calls
    wrt: tuple[str, ...]  # the positional parameters with a cotangent
    # how the table's tangent was said: ``"written"``, ``"linear"``, ``"transposed"`` where it
    # could not be said, or ``"none"`` where the table has none
    tangent: str


def write(entry: Entry) -> Written:
    """Return the formula of an entry.

    Args:
        entry: an entry of the table.

    Raises:
        Unsayable: where something in it has no words in NumPy.
    """
    if all(_is_missing(parse(text)) for _, text in entry.backward):
        raise Unsayable(NOT_IMPLEMENTED if entry.backward else NO_DERIVATIVE, entry.name)
    found = operations().get(entry.python_name)
    if found is None:
        raise Unsayable(NO_OPERATION, entry.name)
    if entry.base in ("complex", "polar", "view_as_complex"):
        raise Unsayable(COMPLEX_OF_REAL, entry.name)
    module, operation = found
    return _Writer(entry, module, operation.function).written()


def _is_missing(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Call) and ast.unparse(tree.func) == "not_implemented"


class _Writer:
    """Writes the formula of one entry."""

    def __init__(self, entry: Entry, module: str, function: Any) -> None:
        self.entry, self.module, self.function = entry, module, function
        parameters = inspect.signature(function).parameters.values()
        self.positional = tuple(p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD)
        self.options = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        self.defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        self.modules = {module}
        scalars = {p.name for p in entry.parameters if p.type.startswith("Scalar")} & _NUMBERS
        options = {o for o in self.options if o not in scalars}
        places = {f"z[{k}]" for k, r in enumerate(entry.results) if r in _INTEGERS}
        lists = {p.name for p in entry.parameters if p.type.endswith("[]")}
        integers = lists | _INTEGERS & {*self.positional, *self.options}
        self.real = frozenset(options | integers | places | {"np", "special", *FAMILIES})

    def written(self) -> Written:
        cotangents, lines = self.backward()
        linear, tangent, how = self.tangent(cotangents)
        elementwise = self.module in ("pointwise", "transcendental", "activations")
        marks = ["elementwise=True"] * elementwise + [f'linear="{linear}"'] * bool(linear)
        call = ", ".join([*self.positional, *(f"{o}={o}" for o in self.options)])
        name = f"{self.module}.{self.function.__name__}"
        text = "\n".join(
            line
            for written in [
                f"@formula({', '.join([name, *marks])})",
                f"def {_safe(self.function.__name__)}{self.signature()}:",
                *_docstring(self.entry.schema),
                f"    z = {name}({call})",
                "",
                "    def backward(z_bar):",
                *textwrap.indent("\n".join(lines), " " * 8).splitlines(),
                *tangent,
                "",
                f"    return z, backward{', tangent' if tangent else ''}",
            ]
            for line in _wrapped(written)
        )
        wrt = tuple(n for n in self.positional if cotangents.get(n))
        return Written(
            self.entry,
            self.module,
            self.function.__name__,
            text,
            frozenset(self.modules),
            wrt,
            how,
        )

    def signature(self) -> str:
        def shown(name: str) -> str:
            return f"{name}={self.defaults[name]!r}" if name in self.defaults else name

        parts = [shown(n) for n in self.positional]
        if self.options:
            parts += ["*", *(shown(o) for o in self.options)]
        return f"({', '.join(parts)})"

    def names(self) -> dict[str, str]:
        """What stands for the names in a formula for a gradient."""
        names = {p: p for p in (*self.positional, *self.options)}
        several = len(self.entry.results) > 1
        for k, result in enumerate(self.entry.results):
            names[result] = f"z[{k}]" if several else "z"
            bar = f"z_bar[{k}]" if several else "z_bar"
            real = self.entry.takes_complex and k in _REAL_RESULTS.get(self.entry.base, ())
            bar = f"np.real({bar})" if real else f"np.conj({bar})"
            names[f"grads[{k}]"] = names[f"grad_{result}"] = bar
            names[f"result{k}"] = names[result]
        names.setdefault("grad", names["grads[0]"])
        names["grads"] = "np.conj(z_bar)"
        return names

    def translation(self, names: dict[str, str]) -> Translation:
        made = Translation(self.entry, names, self.real)
        made.modules = self.modules
        return made

    def expression(
        self, text: str, names: dict[str, str], conjugated: bool, several: bool = False
    ) -> ast.expr:
        value = self.translation(names).python(parse(text))
        if not self.entry.takes_complex:
            value = without_conjugates(value)
        elif conjugated:
            value = conjugate(value, self.real, several)
        else:
            value = simplify(value, self.real)
        return ast.fix_missing_locations(without_ones(value))

    def backward(self) -> tuple[dict[str, str], list[str]]:
        """Return the cotangents that there are, and the lines that compute them."""
        found: dict[str, str] = {}
        lines: list[str] = []
        for names, text in self.entry.backward:
            if _is_missing(parse(text)):
                continue
            if any(n not in self.positional for n in names):
                raise Unsayable(NO_WORD, f"the gradient of the option {names[0]}")
            value = self.expression(text, self.names(), True, len(names) > 1)
            if len(names) == 1:
                found[names[0]] = _unbroadcast_to(ast.unparse(value))
                continue
            targets = ", ".join(f"{n}_bar" for n in names)
            lines.append(f"{targets} = {ast.unparse(value)}")
            found |= {n: f"{n}_bar" for n in names}
        stretched = _STRETCHED.get(self.entry.python_name, "").split()
        for name in found:
            if name in stretched:
                found[name] = f"unbroadcast({found[name]}, {name})"
        if len(self.positional) == 1 and not lines:
            return found, [f"return {found[self.positional[0]]}"]
        lines += [
            f"{name}_bar = {found[name]}"
            for name in self.positional
            if name in found and found[name] != f"{name}_bar"
        ]
        last = ", ".join(f"{n}_bar" if n in found else "None" for n in self.positional)
        whole = f"{', '.join(f'{n}_bar' for n in self.positional)} = "
        if len(lines) == 1 and lines[0].startswith(whole):
            return found, [f"return {lines[0].removeprefix(whole)}"]
        return found, [*lines, f"return {last}"]

    def tangent(self, cotangents: dict[str, str]) -> tuple[str, list[str], str]:
        """Return what the formula is linear in, the lines of its tangent, and how it is told."""
        forward = self.entry.forward
        if not forward:
            return "", [], "none"
        if any(text == "auto_linear" for _, text in forward):
            moving = [n for n in self.positional if n in cotangents]
            if len(moving) == 1:
                return moving[0], [], "linear"
            moved = {n: f"{n}_dot" for n in moving}
            call = ", ".join(
                [*(moved.get(n, n) for n in self.positional), *(f"{o}={o}" for o in self.options)]
            )
            return "", self.lines_of(f"{self.module}.{self.function.__name__}({call})"), "written"
        try:
            values = [self.tangent_of(name) for name in self.entry.results]
        except Unsayable:
            return "", [], "transposed"
        if len(values) == 1:
            return "", self.lines_of(ast.unparse(values[0])), "written"
        shown = ast.unparse(ast.Tuple(values, ast.Load()))
        return "", self.lines_of(shown.removeprefix("(").removesuffix(")")), "written"

    def lines_of(self, value: str) -> list[str]:
        dots = ", ".join(f"{n}_dot" for n in self.positional)
        return ["", f"    def tangent({dots}):", f"        return {value}"]

    def tangent_of(self, result: str) -> ast.expr:
        for names, text in self.entry.forward:
            if result not in names:
                continue
            if text == "auto_element_wise":
                known = self.names() | {"grad": f"np.conj({self.entry.backward[0][0][0]}_dot)"}
                return self.expression(self.entry.backward[0][1], known, True)
            known = self.names()
            for name in self.positional:
                known[f"{name}_p"], known[f"{name}_t"] = name, f"{name}_dot"
            value = self.expression(text, known, False)
            if len(names) == 1:
                return value
            return ast.Subscript(value, ast.Constant(names.index(result)), ast.Load())
        place = self.entry.results.index(result)
        return ast.parse(f"np.zeros_like(z[{place}])", mode="eval").body


def _unbroadcast_to(text: str) -> str:
    """Say ``unbroadcast(x, self)`` for the sum to the shape of something."""
    return re.sub(r"unbroadcast_to\((.*), (\w+)\.shape\)", r"unbroadcast(\1, \2)", text)


def _wrapped(line: str) -> list[str]:
    """Return a statement in lines of at most 100 characters, as srcgrad prints its own."""
    bare = line.lstrip()
    indent = " " * (len(line) - len(bare))
    if len(line) <= 100 or bare.startswith(("@", '"""')):
        return [line]
    if bare.startswith("def "):
        head, _, rest = bare.partition("(")
        inside = textwrap.wrap(rest.removesuffix("):"), 90 - len(indent))
        return [f"{indent}{head}(", *(f"{indent}    {text}" for text in inside), f"{indent}):"]
    return [indent + text for text in wrap(bare, 100 - len(indent))]


def _docstring(schema: str) -> list[str]:
    whole = f'    """{schema}"""'
    if len(whole) <= 100:
        return [whole]
    lines = textwrap.wrap(schema, 92, break_long_words=False)
    return [f'    """{lines[0]}', *(f"    {line}" for line in lines[1:]), '    """']


def _safe(name: str) -> str:
    """A name that hides no builtin."""
    return f"{name}_" if hasattr(builtins, name) else name
