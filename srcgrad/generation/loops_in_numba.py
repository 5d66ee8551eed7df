"""What calls of array expressions are compiled to: one loop each; see ``loops``.

It is compiled for each kind of operands, so that ranks, types and the order of memory are known.
What an expression means beyond numbers, or with numbers that wrap around, is left to Numba.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np import arrayobj

from srcgrad.generation.loops import FUNCTIONS

_KINDS = frozenset("?ldfFD")  # the types of entries for which loops are written
_OPERATORS: dict[type, tuple[str, Callable[..., Any]]] = {
    ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub), ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv), ast.Pow: ("**", operator.pow),
    ast.BitAnd: ("&", operator.and_), ast.BitOr: ("|", operator.or_), ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne),
}  # fmt: skip
_NUMPY = {name: getattr(np, name) for name in FUNCTIONS}


def elementwise(code, *operands):
    """Return what an expression gives of its operands; this runs compiled only."""
    raise NotImplementedError


def written(code, op, target, index, *operands):
    """Write an expression to an array, or to a part of it, and return the array.

    This runs compiled only.
    """
    raise NotImplementedError


def total(code, kind, axes, *operands):
    """Return the sum, or the mean, of what an expression gives, of all or along axes.

    This runs compiled only.
    """
    raise NotImplementedError


def loops_for_numba() -> dict[str, Any]:
    """Return the functions that are called in the place of array expressions."""
    return {"elementwise": elementwise, "written": written, "total": total}


class _NoLoop(Exception):
    """An expression is none of numbers of which a loop is written."""


def _kind(given: Any) -> np.dtype[Any]:
    """The type of the entries of an array, or of a number."""
    given = types.unliteral(given)
    entry = given.dtype if isinstance(given, types.Array) else given
    if isinstance(entry, types.Boolean):
        return np.dtype(bool)
    if not isinstance(entry, types.Integer | types.Float | types.Complex):
        raise _NoLoop
    kind = np.dtype(entry.name)
    if kind.char not in _KINDS:
        raise _NoLoop
    return kind


class _Loop:
    """An expression of operands ``a0``, ``a1`` and so on, as what stands inside of a loop."""

    def __init__(self, code: str, given: tuple[Any, ...]) -> None:
        self.python_errors = code.startswith("!")
        self.given = given
        self.before: list[str] = []
        self.uses: dict[tuple[int, tuple[int, ...]], str] = {}
        tree = ast.parse(code.lstrip("!"), mode="eval").body
        self.kind, self.rank, self.text = self._read(tree)

    def _read(self, node: ast.expr) -> tuple[np.dtype[Any], int, str]:
        """Return the type of an expression's entries, its rank, and what computes an entry."""
        if isinstance(node, ast.Constant):
            return np.dtype(type(node.value)), 0, repr(node.value)
        if isinstance(node, ast.Name):
            return self._operand(int(node.id[1:]), None)
        if isinstance(node, ast.Subscript):
            assert isinstance(node.value, ast.Name)
            return self._operand(int(node.value.id[1:]), node.slice)
        if isinstance(node, ast.UnaryOp):
            kind, rank, text = self._read(node.operand)
            if kind.kind == "b":
                raise _NoLoop
            sign = "-" if isinstance(node.op, ast.USub) else "+"
            return kind, rank, f"({sign}{text})"
        if isinstance(node, ast.BinOp):
            return self._binary(node, *self._read(node.left), *self._read(node.right))
        if isinstance(node, ast.Compare):
            (one, r1, left), (other, r2, right) = map(self._read, (node.left, node.comparators[0]))
            if "c" in (one.kind, other.kind):
                raise _NoLoop
            return (
                np.dtype(bool),
                max(r1, r2),
                f"({left} {_OPERATORS[type(node.ops[0])][0]} {right})",
            )
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        return self._called(node.func.id, node.args)

    def _binary(
        self, node: ast.BinOp,
        one: np.dtype[Any], r1: int, left: str,
        other: np.dtype[Any], r2: int, right: str,
    ) -> tuple[np.dtype[Any], int, str]:  # fmt: skip
        both_bool = one == other == np.dtype(bool)
        if isinstance(node.op, ast.BitAnd | ast.BitOr) != both_bool:
            raise _NoLoop
        if isinstance(node.op, ast.Pow):
            power = node.right
            if isinstance(power, ast.UnaryOp):
                power = power.operand
            literal = isinstance(power, ast.Constant)
            if one.kind in "bi" and not (literal and isinstance(node.right, ast.Constant)):
                raise _NoLoop
            if r1 == r2 == 0 and not isinstance(node.right, ast.Constant):
                raise _NoLoop
        sides = np.ones(1, one), np.ones(1, other)
        sign, function = _OPERATORS[type(node.op)]
        kind = function(*sides).dtype
        text = f"({left} {sign} {right})"
        if self.python_errors and isinstance(node.op, ast.Div) and not r1 and not r2:
            name = f"s{len(self.before)}"
            self.before.append(f"{name} = {right}")
            if not isinstance(node.right, ast.Constant):
                error = "raise ZeroDivisionError('division by zero')"
                self.before.append(f"if {name} == 0: {error}")
            text = f"({left} / {name})"
        return kind, max(r1, r2), text

    def _called(self, name: str, arguments: list[ast.expr]) -> tuple[np.dtype[Any], int, str]:
        if name == "outer":
            for each in arguments:
                given = self.given[int(each.id[1:])] if isinstance(each, ast.Name) else None
                if not isinstance(given, types.Array) or given.ndim != 1:
                    raise _NoLoop
            column = ast.parse(f"({ast.unparse(arguments[0])}[:, None])", mode="eval").body
            return self._read(ast.BinOp(column, ast.Mult(), arguments[1]))
        parts = [self._read(each) for each in arguments]
        kinds, ranks, texts = zip(*parts, strict=True)
        rank = max(ranks)
        if name == "where":
            kind = np.result_type(kinds[1], kinds[2])
            if kinds[0].kind != "b" or kinds[1] != kinds[2]:
                raise _NoLoop
            return kind, rank, f"({texts[1]} if {texts[0]} else {texts[2]})"
        if any(kind.kind in "bic" for kind in kinds) and name not in ("exp", "sqrt", "log"):
            raise _NoLoop
        if any(kind.kind == "b" for kind in kinds):
            raise _NoLoop
        kind = _NUMPY[name](*(np.ones(1, kind) for kind in kinds)).dtype
        return kind, rank, f"np.{name}({', '.join(texts)})"

    def _operand(self, number: int, index: ast.expr | None) -> tuple[np.dtype[Any], int, str]:
        given = self.given[number]
        kind = _kind(given)
        if not isinstance(given, types.Array):
            if index is not None:
                raise _NoLoop
            return kind, 0, f"a{number}"
        if given.ndim == 0 or not given.aligned:
            raise _NoLoop
        parts = [] if index is None else [index]
        if isinstance(index, ast.Tuple):
            parts = index.elts
        own = [isinstance(part, ast.Slice) for part in parts]
        if sum(own) > given.ndim:
            raise _NoLoop
        own += [True] * (given.ndim - sum(own))
        rank = len(own)
        axes = [axis for axis, is_own in enumerate(own) if is_own]
        from_last = tuple(rank - 1 - axis for axis in axes)
        name = self.uses.setdefault((number, from_last), f"u{len(self.uses)}")
        return kind, rank, f"{name}[]"

    def _place(self, from_last: tuple[int, ...], rank: int) -> str:
        return ", ".join(f"i{rank - 1 - axis}" for axis in from_last)

    def lengths(self, rank: int) -> list[str]:
        """Return lines that find the lengths of the loops, ``n0`` and so on."""
        lines, seen = [], set()
        for number, from_last in self.uses:
            for axis, last in enumerate(from_last):
                n, m = f"n{rank - 1 - last}", f"a{number}.shape[{axis}]"
                if n in seen:
                    lines.append(f"{n} = {m} if {n} == 1 else {n}")
                else:
                    seen.add(n)
                    lines.append(f"{n} = {m}")
        lines += [f"n{k} = 1" for k in range(rank) if f"n{k}" not in seen]
        return lines

    def fitted(self, rank: int) -> list[str]:
        """Return lines that give operands of length 1 the lengths of the loops."""
        lines = []
        for (number, from_last), name in self.uses.items():
            shape = ", ".join(f"n{rank - 1 - last}" for last in from_last) + ","
            lines.append(f"{name} = a{number}")
            lines.append(f"if {name}.shape != ({shape}): {name} = spread({name}, ({shape}))")
        return lines

    def loops(self, rank: int, body: str, target: Any = None) -> list[str]:
        """Return the loops around a line, with a row at a time where memory has gaps.

        Args:
            rank: how many loops there are.
            body: the line; ``{}`` is the expression, ``{place}`` the numbers of an entry.
            target: the type of ``t``, which it writes to.
        """
        gaps = [] if target is None or target.layout == "C" else ["t"]
        gaps += [
            name
            for (number, from_last), name in self.uses.items()
            if self.given[number].layout != "C" and 0 in from_last[-1:]
        ]
        all_places = ", ".join(f"i{k}" for k in range(rank))
        plain = {name: self._place(last, rank) for (_, last), name in self.uses.items()}
        text = self.text
        for name, place in plain.items():
            text = text.replace(f"{name}[]", f"{name}[{place}]")
        plain_line = body.replace("{}", text).replace("{place}", f"t[{all_places}]")
        lines = nested(rank, [], plain_line)
        if not gaps or rank < 1:
            return lines
        rows, text, at = [], self.text, f"t[{all_places}]"
        last = f"i{rank - 1}"
        for (_, from_last), name in self.uses.items():
            if name in gaps:
                outer = "".join(f"i{rank - 1 - axis}, " for axis in from_last[:-1])
                rows.append(f"{name}_row = row_of({name}, ({outer}))")
                text = text.replace(f"{name}[]", f"{name}_row[{last}]")
            else:
                text = text.replace(f"{name}[]", f"{name}[{plain[name]}]")
        if "t" in gaps:
            outer = "".join(f"i{k}, " for k in range(rank - 1))
            rows.append(f"t_row = row_of(t, ({outer}))")
            at = f"t_row[{last}]"
        row_line = body.replace("{}", text).replace("{place}", at)
        test = " and ".join(f"{name}.strides[-1] == {name}.itemsize" for name in gaps)
        dense = nested(rank, rows, row_line)
        return [
            f"if {test}:", *("    " + line for line in dense),
            "else:", *("    " + line for line in lines),
        ]  # fmt: skip


def nested(rank: int, rows: list[str], body: str) -> list[str]:
    """Return the lines of loops over places ``i0`` and so on, with lines before the last one."""
    lines = []
    for k in range(rank):
        if k == rank - 1:
            lines += ["    " * k + row for row in rows]
        lines.append("    " * k + f"for i{k} in range(n{k}):")
    return [*lines, "    " * rank + body]


def _plain(code: str) -> str:
    """An expression as Numba takes it, with arrays."""
    tree = ast.parse(code.lstrip("!"), mode="eval").body
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            node.func.id = f"np.{node.func.id}"
    return ast.unparse(tree)


def _names(given: tuple[Any, ...]) -> str:
    """The names of operands, one behind the other."""
    return ", ".join(f"a{k}" for k in range(len(given)))


def _made(head: str, given: tuple[Any, ...], lines: list[str]) -> Any:
    """Return a function with these lines, of the parameters ``head`` and the operands."""
    unpacked = [f"{_names(given)}, = operands"] if given else []
    lines = [f"def made({head}, *operands):", *(f"    {line}" for line in (*unpacked, *lines))]
    return defined(lines, np=np, spread=spread, row_of=row_of, clash=clash, in_loops=_in_loops)


def defined(lines: list[str], **names: Any) -> Any:
    """Return the function that some lines define, which may read these names of the outside."""
    exec("\n".join(lines), names)
    return names[lines[0].partition("(")[0].removeprefix("def ")]


def _calling(head: str, given: tuple[Any, ...], lines: list[str], *more: str) -> Any:
    """Return such a function of lines with loops, which are handed more of its parameters."""
    names = ", ".join([_names(given), *more] if given else more)
    text = "\n".join(lines)
    return _made(head, given, [f"return in_loops({text!r}, {names})"])


def _in_loops(lines, *operands):
    raise NotImplementedError


@overload(_in_loops, prefer_literal=True, jit_options={"error_model": "numpy"})
def _lines_in_loops(lines, *operands):
    """Lines for which a number that is divided by zero is no error, as for NumPy."""
    if not _literal(lines):
        return None
    return _made("lines", _operands(operands), lines.literal_value.splitlines())


def _literal(*texts: Any) -> bool:
    """Whether texts are known: Numba asks with other types, too."""
    return all(isinstance(text, types.StringLiteral) for text in texts)


def _operands(operands: Any) -> tuple[Any, ...]:
    """The types of operands, which come as one type or as a tuple."""
    if len(operands) == 1 and isinstance(operands[0], tuple | types.BaseTuple):
        return tuple(operands[0])
    return tuple(operands)


def _type(kind: np.dtype[Any]) -> str:
    """The text of a type of entries."""
    return f"np.{'bool_' if kind == np.dtype(bool) else kind.name}"


@overload(elementwise, prefer_literal=True)
def _elementwise(code, *operands):
    if not _literal(code):
        return None
    given = _operands(operands)
    try:
        loop = _Loop(code.literal_value, given)
    except _NoLoop:
        loop = None
    if loop is None or not loop.rank:
        return _made("code", given, [f"return {_plain(code.literal_value)}"])
    places = ", ".join(f"n{k}" for k in range(loop.rank))
    lines = [
        *loop.before, *loop.lengths(loop.rank), *loop.fitted(loop.rank),
        f"t = np.empty(({places},), {_type(loop.kind)})",
        *loop.loops(loop.rank, "{place} = {}"),
        "return t",
    ]  # fmt: skip
    return _calling("code", given, lines)


@overload(written, prefer_literal=True)
def _written(code, op, target, index, *operands):
    if not _literal(code, op):
        return None
    given = _operands(operands)
    op, text = op.literal_value, code.literal_value
    plain = "code, op, target, index"
    where = "target" if isinstance(index, types.NoneType) else "target[index]"
    generic = [f"{where} {op} {_plain(text)}", "return target"]
    if _fits(text, op, target, index, given):
        lines = _into(_Loop(text, given), op, target, index)
        return _calling(plain, given, lines, *("target", "index")[: 1 + (where != "target")])
    if where == "target" and not isinstance(target, types.Array | types.List):
        generic = [f"return target {op[0]} ({_plain(text)})"]
    return _made(plain, given, generic)


def _fits(text: str, op: str, target: Any, index: Any, given: tuple[Any, ...]) -> bool:
    """Whether a loop can be written that writes into an array."""
    if not isinstance(target, types.Array) or target.ndim == 0 or not target.mutable:
        return False
    rank = target.ndim
    if not isinstance(index, types.NoneType):
        parts = tuple(index)
        if not all(isinstance(part, types.SliceType | types.Integer) for part in parts):
            return False
        rank -= sum(isinstance(part, types.Integer) for part in parts)
    try:
        loop, kind = _Loop(text, given), _kind(target)
    except _NoLoop:
        return False
    into = kind if op == "=" else np.result_type(kind, loop.kind)
    if op == "/=" and kind.kind not in "fc":
        return False
    same = np.can_cast(loop.kind, kind, "same_kind") and np.can_cast(into, kind, "same_kind")
    return rank > 0 and loop.rank <= rank and kind.kind != "b" and same


def _into(loop: _Loop, op: str, target: Any, index: Any) -> list[str]:
    """The lines that write into an array, or a part of it: the last operands."""
    array = f"a{len(loop.given)}"
    if isinstance(index, types.NoneType):
        rank, layout, part = target.ndim, target.layout, f"t = {array}"
    else:
        rank = target.ndim - sum(isinstance(part, types.Integer) for part in index)
        layout = "A" if target.ndim > 1 else target.layout
        part = f"t = {array}[a{len(loop.given) + 1}]"
    lengths = (f"n{k} = t.shape[{k}]" for k in range(rank))
    lines = [*loop.before, part, *lengths, *loop.fitted(rank)]
    for (number, from_last), name in loop.uses.items():
        whole = from_last == tuple(range(rank - 1, -1, -1))
        same = whole and loop.given[number].dtype == target.dtype
        lines.append(f"if clash(t, {name}, {same}): {name} = {name}.copy()")
    like = types.Array(target.dtype, rank, layout)
    return [*lines, *loop.loops(rank, f"{{place}} {op} {{}}", like), f"return {array}"]


@overload(total, prefer_literal=True)
def _total(code, kind, axes, *operands):
    if not _literal(code, kind, axes):
        return None
    given = _operands(operands)
    text, kind, axes = code.literal_value, kind.literal_value, axes.literal_value
    try:
        loop = _Loop(text, given)
        left, keeps = _left(axes, loop.rank)
    except _NoLoop:
        loop, left, keeps = None, [], False
    plain = "code, kind, axes"
    if loop is None or loop.kind.char not in ("dD" if not left else "fdFD") or not loop.rank:
        if not axes and text.lstrip("!") == "a0" and not isinstance(given[0], types.Array):
            return _made(plain, given, [f"return np.{kind}(np.asarray(a0))"])
        options = f", {axes}" if axes else ""
        return _made(plain, given, [f"return np.{kind}({_plain(text)}{options})"])
    rank = loop.rank
    count = " * ".join(f"n{k}" for k in range(rank) if k not in left)
    lines = [*loop.before, *loop.lengths(rank), *loop.fitted(rank)]
    if keeps or left:
        shape = ", ".join(f"n{k}" if k in left else "1" for k in range(rank) if k in left or keeps)
        place = ", ".join(f"i{k}" if k in left else "0" for k in range(rank) if k in left or keeps)
        lines += [
            f"t = np.zeros(({shape},), {_type(loop.kind)})",
            *loop.loops(rank, f"t[{place}] += {{}}"),
            *([f"t /= {count}"] if kind == "mean" else []),
            "return t",
        ]
    else:
        zero = "0j" if loop.kind.kind == "c" else "0.0"
        one = _unrolled(loop.loops(rank, "t0 += {}"), f"i{rank - 1}", f"n{rank - 1}", zero)
        result = "t0" if kind == "sum" else f"t0 / ({count})"
        lines += [f"t0 = {zero}", *one, f"return {result}"]
    return _calling(plain, given, lines)


def _left(axes: str, rank: int) -> tuple[list[int], bool]:
    """The axes that a sum leaves, and whether it keeps the others, as axes of length 1."""
    options = ast.parse(f"f({axes})", mode="eval").body
    assert isinstance(options, ast.Call)
    found = {word.arg: ast.literal_eval(word.value) for word in options.keywords}
    axis, keeps = found.get("axis"), bool(found.get("keepdims"))
    gone = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not all(-rank <= each < rank for each in gone):
        raise _NoLoop
    gone = {each % rank for each in gone}
    return [k for k in range(rank) if k not in gone], keeps


def _unrolled(lines: list[str], i: str, n: str, zero: str) -> list[str]:
    """Sums of several entries side by side, which do not wait for each other."""
    made: list[str] = [f"t{k} = {zero}" for k in range(1, _WIDTH)]
    loop = f"for {i} in range({n}):"
    for line in lines:
        space = line[: len(line) - len(line.lstrip())]
        if line.strip() == loop:
            made.append(f"{space}for j in range({n} // {_WIDTH}):")
            made.append(f"{space}    j0 = {_WIDTH} * j")
        elif line.strip().startswith("t0 +="):
            for k in range(_WIDTH):
                entry = line.strip().replace(f"{i}]", f"j0 + {k}]").replace("t0", f"t{k}")
                made.append(f"{space}{entry}")
            made.append(f"{space[4:]}for {i} in range({n} - {n} % {_WIDTH}, {n}):")
            made.append(line)
        else:
            made.append(line)
    total = [f"t{k}" for k in range(_WIDTH)]
    while len(total) > 1:
        total = [f"({a} + {b})" for a, b in zip(total[::2], total[1::2], strict=True)]
    return [*made, f"t0 = {total[0]}"]


_WIDTH = 8


def spread(array, shape):
    """Return an array of a shape, in which axes of length 1 are repeated; compiled only."""
    raise NotImplementedError


@overload(spread, jit_options={"error_model": "numpy"})
def _spread(array, shape):
    rank = array.ndim
    lines = [f"n{k} = shape[{k}]" for k in range(rank)]
    lines += [
        f"if array.shape[{k}] != 1 and array.shape[{k}] != n{k}: raise ValueError("
        "'operands could not be broadcast together')"
        for k in range(rank)
    ]
    lines += [f"s{k} = 0 if array.shape[{k}] == 1 else 1" for k in range(rank)]
    lines.append("made = np.empty(shape, array.dtype)")
    where = ", ".join(f"i{k}" for k in range(rank))
    source = ", ".join(f"i{k} * s{k}" for k in range(rank))
    lines += nested(rank, [], f"made[{where}] = array[{source}]")
    lines = ["def copied(array, shape):", *(f"    {line}" for line in lines), "    return made"]
    return defined(lines, np=np)


def clash(target, source, whole):
    """Whether writing into an array may change what is read of another one; compiled only."""
    raise NotImplementedError


@overload(clash, prefer_literal=True)
def _clash(target, source, whole):
    same = isinstance(whole, types.BooleanLiteral) and whole.literal_value
    same = same and target.ndim == source.ndim

    def clash(target, source, whole):
        if target.size == 0 or source.size == 0:
            return False
        first, second = target.ctypes.data, source.ctypes.data
        if same and first == second and target.strides == source.strides:
            return False
        low = high = first
        for k in range(target.ndim):
            reach = (target.shape[k] - 1) * target.strides[k]
            if reach < 0:
                low += reach
            else:
                high += reach
        start = end = second
        for k in range(source.ndim):
            reach = (source.shape[k] - 1) * source.strides[k]
            if reach < 0:
                start += reach
            else:
                end += reach
        return low < end + source.itemsize and start < high + target.itemsize

    return clash


@intrinsic
def row_of(typingctx, array, place):
    """Return a row of an array whose entries have no gaps, as one in C's order."""
    row = types.Array(array.dtype, 1, "C", readonly=not array.mutable)

    def code(context, builder, signature, arguments):
        kind, _ = signature.args
        held = arrayobj.make_array(kind)(context, builder, arguments[0])
        start = context.get_constant(types.intp, 0)
        for axis in range(kind.ndim - 1):
            number = builder.extract_value(arguments[1], axis)
            stride = builder.extract_value(held.strides, axis)
            start = builder.add(start, builder.mul(number, stride))
        data = cgutils.pointer_add(builder, held.data, start)
        made = arrayobj.make_array(row)(context, builder)
        arrayobj.populate_array(
            made, data=data, shape=[builder.extract_value(held.shape, kind.ndim - 1)],
            strides=[held.itemsize], itemsize=held.itemsize, meminfo=None,
        )  # fmt: skip
        return made._getvalue()  # noqa: SLF001 what Numba's own code calls

    return row(array, place), code
