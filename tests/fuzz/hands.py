"""Random programs that hand everything that NumPy takes to everything that takes it.

Programs of `tests.fuzz.programs` are made of arrays in double precision alone. Here
operands are lists, tuples, whole numbers, truth values, small integers, numbers of
NumPy's, arrays without dimensions, without entries and in single precision; arguments
lie in memory in every way; functions have defaults, stars and options.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.expressions import Expressions
from tests.fuzz.programs import Program

# In a template, {a} is an array of N numbers, {h} anything that stands for one, or
# broadcasts to one, {s} anything that stands for a number, and {m} for a matrix (2, N).
VECTORS = (
    "{a} + {h}", "{h} * {a}", "{a} - {h}", "{h} - {a}", "{a} / (1.5 + np.abs({h}))",
    "np.add({h}, {a})", "np.multiply({h}, {a})", "np.subtract({a}, {h})", "np.maximum({h}, {a})",
    "np.minimum({a}, {h})", "np.where(mask, {h}, {a})", "np.where({a} > 0.3, {a}, {h})",
    "np.where(flag, {h}, {a})", "np.clip({a}, {s}, 1.5)", "np.clip({a}, {h}, None)",
    "np.power(np.abs({a}) + 1.1, {h})", "np.arctan2({h}, 1.5 + np.abs({a}))",
    "np.hypot({h}, 0.5 + {a} ** 2)", "np.sum([{a}, {a}], axis=0)", "np.mean(({f}, {a}), axis=0)",
    "np.max([{f}, {a}], axis=0)", "np.prod([{a}, {f}], axis=0)", "np.stack([{f}, {a}])[1]",
    "np.concatenate([{f}, {a}])[N:]", "np.concatenate(({a}, [0.3]))[1:]", "np.array([{f}, {a}])[0]",
    "np.concatenate([[{s}], {a}])[:-1]", "np.vstack([{f}, {a}]).sum(axis=0)",
    "np.hstack(({f}, {a}))[:N]", "np.append({a}, {s})[1:]", "np.append({f}, {a})[:N]",
    "np.array({f}) * {a}", "np.asarray({f}, dtype=float) + {a}", "np.asarray({a}, float)",
    "np.sin({a}, out=np.empty(N))", "np.sqrt({a} ** 2 + 0.5, where=mask, out=np.zeros(N))",
    "np.multiply({a}, {h}, out=np.zeros(N))", "np.add({a}, {h}, dtype=float)",
    "np.sin({a}, dtype=np.float64)", "np.sum({m}, axis=0)", "np.mean({m}, 0, keepdims=True)[0]",
    "np.max({m}, axis=0)", "np.dot({a}, {f}) * {a}", "np.dot([0.5, 1.5], {m})",
    "[0.5, 1.5] @ np.array({m})", "np.linspace({s}, {s}, N)", "np.full(N, {s}) * {a}",
    "np.full_like({a}, {s})", "np.average({m}, axis=0, weights=[1.0, 2.0])",
    "np.select([mask, {a} > 0.2], [{f}, {a}], {s})", "np.choose(u % 2, [{f}, {a}])",
    "np.einsum('i,i->i', {f}, {a})", "np.convolve({a}, {f}, 'same')", "np.polyval({f}, {a})",
    "np.take({a}, u % N)", "{a}[u % N]", "np.roll({a}, k)", "np.repeat({a}, 2)[::2]",
    "np.insert({a}, 0, {s})[1:]", "np.tile({s}, N) + {a}", "np.broadcast_to({s}, (N,)) * {a}",
    "np.copysign({h}, {a})", "np.diff({a}, prepend={s})", "np.diff({f}, append=[{s}])",
    "np.interp({a}, [0.0, 1.0, 2.0], [{s}, 0.5, {s}])", "np.interp({f}, (-1, 0, 2), [0.1, {s}, 1])",
    "np.outer({f}, {a})[0]", "np.cumsum({h} * {a})", "np.cumsum([{a}, {f}], axis=0)[1]",
    "np.sort({f} * {a})", "np.array({m}).T[:, 0]", "np.linalg.norm({m}, axis=0)",
    "np.atleast_1d({s}) * {a}", "np.logaddexp({h}, {a})", "np.float32({s}) * {a}",
    "np.array([{s}] * N) * {a}", "np.array([v * {s} for v in {a}])", "np.ravel([{f}, {a}])[:N]",
    "np.array({a}, dtype=np.float32)", "np.array({a}, copy=True, ndmin=1)", "np.flip({f} + {a})",
    "np.matmul([0.5, {s}], {m})", "np.tensordot([0.5, 1.5], {m}, 1)", "np.fmax({a}, {h})",
    "np.nan_to_num({a}, nan=0.0)", "np.heaviside({h}, 0.5) * {a}", "np.float_power(1.2, {a})",
    "np.true_divide({h}, 2 + {a} ** 2)", "np.mod({a}, 2)", "np.round({h}) * {a}",
    "np.array(({a}, {f})).sum(0)", "np.swapaxes([{a}, {f}], 0, 1)[:, 0]", "np.squeeze([{a}])",
    "scaled({a})", "scaled({a}, {s})", "scaled({a}, shift={h})", "scaled(s={s}, a={a})",
    "scaled(*[{a}, {s}])", "scaled({a}, **{{'shift': {s}}})", "summed({a}, {h})",
    "summed({a}, {h}, {s}, scale={s})", "summed(*({a}, {f}))", "reduced({m}, axis=0)",
    "reduced(a={m}, axis=0, keepdims=False)", "chosen({a}, {h})", "chosen({a}, other={h}, k=k)",
)  # fmt: skip

NUMBERS = (
    "np.dot({f}, {a})", "np.inner({a}, {f})", "np.vdot({f}, {a})", "{a} @ {f}", "{f} @ {a}",
    "np.sum({a}, where=mask)", "np.sum({a} * {h})", "np.mean({f})", "np.max({a}, initial=0.2)",
    "max({s}, {s})", "min(0.4, {s})", "sum([{s}, {s}])", "np.sum([{s}, {s}, {s}])",
    "np.max(({s}, {s}))", "np.prod([{s}, 2, {s}])", "np.var({a}, ddof=0)",
    "np.sum({a}, dtype=float)",
    "float({s})", "np.float64({s})", "np.asarray({s})[()]", "np.einsum('i,i', {f}, {a})",
    "np.std([{s}, 3.0, {s}])", "np.median([{s}, 0.1, {s}])", "np.trapezoid({f}, dx={s})",
    "np.interp({s}, [0.0, 1.0, 2.0], [0.3, {s}, 1.0])", "np.linalg.det([[{s}, 1.0], [0.5, {s}]])",
    "np.linalg.solve([[2.0, {s}], [0.0, 1.5]], [{s}, 1.0])[0]", "np.polyval([{s}, 1, {s}], {s})",
    "np.hypot({s}, 3)", "{s} + {s}", "{s} * {s}", "{s} - {s}", "np.sum({m})", "np.mean({m}) * {s}",
    "np.linalg.norm([{s}, 1, {s}])", "np.sum({m}, axis=(0, 1))", "np.array([{s}, {s}]) @ [1, 2]",
    "np.average([{s}, {s}], weights=(1, 3))", "np.where({s} > 0.3, {s}, {s})", "abs({s})",
    "np.trace([[{s}, 0], [1, {s}]])", "np.maximum({s}, {s})", "np.array({s}) * {s}",
    "reduced({a})", "reduced([{s}, {s}])", "np.sum({m}, axis=1, keepdims=True)[1, 0]",
    "np.array([{s}, 1.0], float)[0]", "np.array([{s}, {s}], np.float32)[0]", "np.min([{s}, 5])",
    "math.sin({s})", "math.hypot({s}, {s})", "pow(1.5, {s})", "np.stack([{s}, {s}]).sum()",
    "np.logaddexp({s}, {s})", "np.cumsum([{s}, {s}])[1]", "np.ptp([{s}, {s}, 3])",
    "np.sin({s}, dtype=float)", "np.array([[{s}, {s}]]).reshape(2)[1]", "np.dot({s}, {s})",
)  # fmt: skip

MATRICES = (
    "np.array([{a}, {a}])", "np.stack(({f}, {a}))", "[{f}, {a}]", "({a}, {f})",
    "np.outer([0.5, {s}], {a})", "np.add({m}, {h})", "np.asfortranarray({m})",
    "np.array({m})[::-1]", "np.vstack(({a}, {f}))", "np.array([{f}, {a}], dtype=float)",
    "np.multiply([[1.0], [{s}]], {a})", "np.array([[{s}] * N, {f}]) * {a}", "np.ones((2, N)) * {h}",
    "np.concatenate([[{a}], [{f}]])", "np.array([{a}, {f}], order='F')",
    "np.where([[True], [False]], {h}, {a})", "np.flip([{a}, {f}], axis=0)",
)  # fmt: skip

HELPERS = """def scaled(a, s=1.5, *, shift=0.0):
    return a * s + shift


def summed(*parts, scale=0.5, **options):
    total = 0.0
    for part in parts:
        total = total + np.asarray(part) * scale
    return total


def reduced(a, **options):
    return np.sum(a, **options)


def chosen(a, other=(0.3,), k=1):
    if k > 2:
        return np.where(a > other, a, other)
    return np.add(a, other)


"""

# How an argument is made: its text, of an array of N numbers or of one number.
ARRAYS = ("", "", "float32", "reversed", "read-only", "strided", "list", "float32 reversed")
SINGLES = ("float", "float", "float32", "float64", "array", "array float32")


class Hands(Expressions):
    """Writes the body of a function of arrays, numbers, lists and a few whole numbers."""

    def __init__(self, draw: Any) -> None:
        super().__init__(draw)
        self.fuel = 14
        self.vectors, self.singles, self.matrices = [], [], []
        self.lines: list[str] = []
        self.lists = ["t", "pair"]
        self.taken = 0
        self.length = self.pick((3, 3, 3, 3, 3, 2, 1, 0))

    def operand(self, kind: str, depth: int) -> str:
        """Return what goes in the place of a letter of a template."""
        if kind == "s":
            return self.single(depth)
        if kind == "m":
            return self.matrix(depth)
        if kind == "h" and self.chance(3):
            return self.single(depth)
        if kind in "hf" and self.chance(2):
            return self.sequence(depth)
        return self.vector(depth)

    def filled(self, templates: Any, depth: int) -> str:
        """Return a template with operands."""
        self.fuel -= 1
        template = self.pick(templates)
        made = {kind: _Each(self, kind, depth - 1) for kind in "ahfsm"}
        return re.sub(r"\bN\b", "n", template).format_map(made)

    def vector(self, depth: int) -> str:
        if depth <= 0 or self.fuel <= 0 or self.chance(2):
            return self.pick(self.vectors)
        return f"({self.filled(VECTORS, depth)})"

    def matrix(self, depth: int) -> str:
        if self.matrices and self.chance(2):
            return self.pick(self.matrices)
        return self.filled(MATRICES, depth)

    def single(self, depth: int) -> str:
        """Return something that stands for a number."""
        if depth > 0 and self.fuel > 0 and self.chance(3):
            return f"({self.filled(NUMBERS, depth)})"
        constants = (
            "0.5", "2", "k", "flag", "True", "np.float32(0.75)", "np.float64(0.3)", "np.int64(2)",
            "np.uint8(3)", "np.array(0.7)", "np.array(2)", "t[0]", "z", "np.float32(1.5)",
        )  # fmt: skip
        if self.chance(3):
            return self.pick(constants)
        if self.singles and self.chance(2):
            return self.pick(self.singles)
        return f"{self.pick(self.vectors)}[{self.pick((0, -1))}]" if self.length else "0.3"

    def sequence(self, depth: int) -> str:
        """Return something that stands for an array of N numbers."""
        n = self.length
        form = self.number(9)
        if form == 0:
            return self.pick(self.lists)
        if form == 1:
            return self.pick(("u", "mask", "np.ones(n)", "np.ones(n, dtype=np.float32)"))
        if form == 2:
            return f"np.array({[round(0.3 * k + 0.2, 1) for k in range(n)]})"
        if form < 6:
            parts = [self.pick(("1.5", "2", "0.25", "True", "-1")) for _ in range(n)]
        else:
            parts = [self.single(depth - 1) for _ in range(n)]
        inside = ", ".join(parts)
        return f"[{inside}]" if self.chance(2) else f"({inside}{',' if n == 1 else ''})"

    def fresh(self, stem: str) -> str:
        self.taken += 1
        return f"{stem}{self.taken}"

    def statement(self, indent: int) -> None:
        """Write a statement."""
        pad = "    " * indent
        kind = self.number(14)
        if kind < 4:
            name = self.fresh("a")
            self.lines.append(f"{pad}{name} = {self.filled(VECTORS, 2)}")
            self.vectors.append(name)
        elif kind < 6:
            name = self.fresh("s")
            self.lines.append(f"{pad}{name} = {self.filled(NUMBERS, 2)}")
            self.singles.append(name)
        elif kind == 6:
            name = self.fresh("m")
            self.lines.append(f"{pad}{name} = {self.filled(MATRICES, 2)}")
            self.matrices.append(name)
        elif kind == 7 and indent == 1:
            self.branch(pad)
        elif kind == 8 and indent == 1:
            self.loop(pad)
        elif kind < 11:
            self.writes(pad)
        elif kind == 11:
            name = self.fresh("l")
            self.lines.append(f"{pad}{name} = [{self.vector(1)}, {self.sequence(1)}]")
            self.matrices.append(name)
        else:
            name = self.pick(self.vectors)
            made = self.filled(VECTORS, 2)
            new = self.fresh("a")
            self.lines.append(f"{pad}{new} = {name} * 1.0")
            self.lines.append(f"{pad}{new} {self.pick(('+=', '*=', '-='))} {made}")
            self.vectors.append(new)

    def branch(self, pad: str) -> None:
        """A branch that an argument decides; one name is given a value in both arms."""
        name = self.fresh("a")
        self.lines.append(
            f"{pad}if {self.pick(('flag', 'k > 2', 'len(t) > 2', 'mask[-1:].any()'))}:"
        )
        self.lines.append(f"{pad}    {name} = {self.filled(VECTORS, 2)}")
        self.lines.append(f"{pad}else:")
        self.lines.append(f"{pad}    {name} = {self.filled(VECTORS, 2)}")
        self.vectors.append(name)

    def loop(self, pad: str) -> None:
        """A loop over something that stands for an array."""
        total, item = self.fresh("s"), self.fresh("v")
        self.lines.append(
            f"{pad}{total} = {self.pick(('0.0', '0', 'np.float32(0)', 'k', 'z * 1.0'))}"
        )
        other = self.fresh("w")
        heads = (
            f"{item} in {self.operand('f', 1)}",
            f"{item}, {other} in zip({self.operand('f', 1)}, {self.operand('f', 1)})",
            f"{other}, {item} in enumerate({self.operand('f', 1)})",
            f"{item}, {other} in zip(*{self.pick(self.matrices)})"
            if self.matrices
            else f"{item} in t",
        )
        head = self.pick(heads)
        read = f"{item} * {other}" if other in head else item
        self.lines.append(f"{pad}for {head}:")
        self.lines.append(f"{pad}    {total} = {total} + {self.single(1)} * {read}")
        self.singles.append(total)

    def writes(self, pad: str) -> None:
        """An array that is made, and then written into."""
        name = self.fresh("b")
        source = self.pick(self.vectors)
        made = (
            "np.zeros(n)", f"np.zeros_like({source})", f"np.array({source})", f"{source} * 1.0",
            "np.ones(n, dtype=np.float32)", f"np.empty_like({source}, dtype=float)",
        )  # fmt: skip
        form = self.pick(made)
        self.lines.append(f"{pad}{name} = {form}")
        if "empty" in form:
            self.lines.append(f"{pad}{name}[:] = {self.operand('h', 1)}")
        places = (("[:]", "h"), ("[mask]", "s"), ("[1:]", "s"), ("[u % 2]", "s"), ("[...]", "h"))
        place, kind = self.pick(places)
        operator = self.pick(("=", "=", "+=", "*="))
        self.lines.append(f"{pad}{name}{place} {operator} {self.operand(kind, 2)}")
        self.vectors.append(name)


class _Each:
    """A new operand each time that a template names it."""

    def __init__(self, writer: Hands, kind: str, depth: int) -> None:
        self.made = lambda: writer.operand(kind, depth)

    def __format__(self, spec: str) -> str:
        return self.made()


@st.composite
def hands(draw: Any) -> Program:
    """A strategy for programs whose operands are of every kind."""
    writer = Hands(draw)
    n = writer.length
    rng = np.random.default_rng(writer.number(100))
    forms: list[str] = []
    args: list[Any] = []
    for name, is_array in (("x", True), ("y", writer.chance(2))):
        form = writer.pick(ARRAYS if is_array else SINGLES)
        (writer.vectors if is_array else writer.singles).append(name)
        values = np.round(rng.uniform(0.2, 1.4, n if is_array else ()), 2)
        if form == "list":
            writer.vectors.append(f"np.array({writer.vectors.pop()})")
            writer.lists.append(name)
        args.append(_made(values, form))
        forms.append(form)
    whole = writer.pick(("uint8", "int8", "int64"))
    numbers = (np.array(0.6), np.float32(0.6), np.float64(0.6), 0.6, 2, np.array(0.6, np.float32))
    args += [rng.uniform(size=n) > 0.4, rng.integers(0, 5, n).astype(whole)]
    args += [[0.5, 2, 1.25][:n] + [0.1] * (n == 0), (0.4, 1.1, 0.9)[:n]]
    args += [writer.number(5), writer.chance(2), writer.pick(numbers)]
    for _ in range(1 + writer.number(4)):
        writer.statement(1)
    results = ("s", "s", "s", "a")
    result = writer.pick(results)
    vector, single = writer.vectors[-1], writer.singles[-1] if writer.singles else "1.0"
    end = f"np.sum({vector} * {vector}) + {single}" if result == "s" else f"{vector} + {single}"
    head = "x, y, mask, u, t, pair, k, flag, z"
    body = "\n".join([f"    n = {n}", *writer.lines, f"    return {end}"])
    source = f"import math\n\nimport numpy as np\n\n\n{HELPERS}def f({head}):\n{body}\n"
    wrt = writer.pick(((0, 1), (0,), (1,)))
    shape = () if result == "s" else (n,)
    return Program(source, tuple(args), wrt, (shape,), (), tuple(forms))


def _made(values: Any, form: str) -> Any:
    """Return an argument; how it lies in memory is up to the call."""
    kinds = {"float": float, "float64": np.float64, "list": lambda v: v.tolist()}
    if form in kinds:
        return kinds[form](values)
    if form == "float32" and values.ndim == 0:
        return np.float32(values)
    return values.astype(np.float32 if "float32" in form else np.float64)
