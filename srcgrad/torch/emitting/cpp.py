"""Formulas as functions of PyTorch's engine, in C++."""

from __future__ import annotations

import ast
import re
import string
from typing import Any

from srcgrad.torch.emitting.folding import Straight
from srcgrad.torch.emitting.words import CALLS, CONSTANT, METHODS, OPTIONS


class NoWord(Exception):
    """Something in a formula that has no word in C++ here."""


def struct(name: str, straight: Straight, primal: str, elementwise: bool) -> str:
    """Return the function of a formula, for PyTorch's engine.

    Its forward part saves what the backward part captures. An intermediate that is captured is
    computed anew where the backward part is itself recorded, as a function of the arguments:
    saved as it is, it would be a constant there, and second derivatives would be wrong.

    Args:
        name: the name in C++.
        straight: the formula.
        primal: the name in Python of the function that it is for.
        elementwise: whether cotangents are summed over the axes that were broadcast.

    Raises:
        NoWord: where something has no word in C++.
    """
    writer = _Writer(straight, primal)
    return writer.struct(name, elementwise)


def expression(
    straight: Straight,  # the formula, whose intermediates are put into the expression
    value: ast.expr,  # the expression in Python
    names: dict[str, str],  # what stands for the names in it
    calls: dict[str, str],  # by calls in Python, as text, the functions that stand for them
    scalar: bool,  # whether ``n`` is a number
) -> tuple[str, set[str]]:
    """Return an expression of a formula in C++, and which of some functions it calls."""
    writer = _Writer(straight, "")
    writer.names, writer.calls = names, calls
    if scalar:
        writer.kinds["n"] = "n"
    text = writer.text(_Within(dict(straight.backward)).visit(value))
    return text, {own for own in calls.values() if f"{own}(" in text}


class _Within(ast.NodeTransformer):
    """Puts intermediates into the places of their names."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)


class _Writer:
    def __init__(self, straight: Straight, primal: str) -> None:
        self.straight, self.primal = straight, primal
        self.names: dict[str, str] = {}
        self.calls: dict[str, str] = {}
        self.kinds = dict.fromkeys((*straight.parameters, straight.bar), "t")
        self.hidden = {n: v for n, v in straight.forward if not self.is_result(n)}

    def is_result(self, name: str) -> bool:
        result = self.straight.result
        return isinstance(result, ast.Name) and result.id == name

    def struct(self, name: str, elementwise: bool) -> str:
        s = self.straight
        forward = [self.assignment(n, v) for n, v in s.forward]
        given = self.text(s.result)
        if given != "z":
            forward.append(f"const Tensor z = {given};")
        backward = self.assignments(s.backward)
        slopes = []
        for parameter, cotangent in zip(s.parameters, s.cotangents, strict=True):
            text = "Tensor()" if cotangent is None else self.text(cotangent)
            wide = elementwise and cotangent is not None
            slopes.append(f"sum_to({text}, {parameter})" if wide else text)
        used = _words(" ".join([*backward, *slopes]))
        z = s.result.id if isinstance(s.result, ast.Name) else "z"
        captured = [n for n in (*s.parameters, z) if n in used]
        hidden = {n: v for n, v in self.hidden.items() if n in used}
        for value in reversed(hidden.values()):
            captured += [n for n in s.parameters if n in _words(self.text(value)) - {*captured}]
        saved = [*captured, *hidden]
        lines = [f"// {s.doc}", f"struct {name} : public Function<{name}> {{"]
        taken = "".join(f", const Tensor& {p}" for p in s.parameters)
        lines += [f"  static Tensor forward(AutogradContext* ctx{taken}) {{"]
        lines += [f"    require_real({{{', '.join(s.parameters)}}});"]
        lines += [f"    {line}" for line in forward]
        lines += [
            f"    ctx->save_for_backward({{{', '.join(saved)}}});",
            f"    return {z};",
            "  }",
            "",
        ]
        lines += ["  static tensor_list backward(AutogradContext* ctx, tensor_list bars) {"]
        if saved:
            lines.append("    const auto saved = ctx->get_saved_variables();")
        lines += [f"    const Tensor {n} = saved[{k}];" for k, n in enumerate(captured)]
        for k, (n, value) in enumerate(hidden.items(), len(captured)):
            anew = self.text(value)
            lines.append(
                f"    const Tensor {n} = at::GradMode::is_enabled() ? {anew} : saved[{k}];"
            )
        lines.append(f"    const Tensor {s.bar} = bars[0];")
        lines += [f"    {line}" for line in backward]
        lines += [f"    return {{{', '.join(slopes)}}};", "  }", "};"]
        return "\n".join(lines)

    def assignments(self, statements: Any) -> list[str]:
        """Return declarations, and assignments to what was declared before."""
        lines: list[str] = []
        declared: dict[str, int] = {}
        for name, value in statements:
            line = self.assignment(name, value)
            if name in declared:
                lines[declared[name]] = lines[declared[name]].removeprefix("const ")
                line = line[line.index(f"{name} =") :]
            else:
                declared[name] = len(lines)
            lines.append(line)
        return lines

    def assignment(self, name: str, value: ast.expr) -> str:
        text, kind = self.of(value)
        self.kinds[name] = kind
        type_ = {"t": "Tensor", "n": "double", "i": "int64_t"}.get(kind, "auto")
        return f"const {type_} {name} = {text};"

    def text(self, node: ast.expr) -> str:
        return self.of(node)[0]

    def of(self, node: ast.expr) -> tuple[str, str]:
        """Return an expression in C++, and its kind."""
        match node:
            case ast.Constant(bool() as value):
                return ("true" if value else "false"), "b"
            case ast.Constant(int() as value):
                return str(value), "i"
            case ast.Constant(float() as value):
                return repr(value), "n"
            case ast.Constant(tuple() as value):
                return "{" + ", ".join(map(str, value)) + "}", "s"
            case ast.Constant(None):
                return "{}", "s"
            case ast.Name(name) if name in self.kinds or name in self.names:
                return self.names.get(name, name), self.kinds.get(name, "t")
            case ast.Tuple(items) | ast.List(items):
                return "{" + ", ".join(map(self.text, items)) + "}", "s"
            case ast.BinOp(left, op, right):
                return self.binary(left, op, right)
            case ast.UnaryOp(ast.USub(), operand):
                text, kind = self.of(operand)
                return f"-{_bound(text, ' + ', ' - ')}", kind
            case ast.UnaryOp(ast.Invert(), operand):
                return f"at::logical_not({self.text(operand)})", "t"
            case ast.Compare(left, [op], [right]):
                return f"({self.text(left)} {_COMPARED[type(op)]} {self.text(right)})", "t"
            case ast.Attribute(value, "T"):
                return f"{_bound(self.text(value))}.t()", "t"
            case ast.Attribute(value, "shape"):
                return f"{self.text(value)}.sizes()", "s"
            case ast.Attribute(value, "size"):
                return f"{self.text(value)}.numel()", "i"
            case ast.Attribute(value, "ndim"):
                return f"{self.text(value)}.dim()", "i"
            case ast.Attribute(ast.Name("np" | "math"), "pi"):
                return "M_PI", "n"
            case ast.Attribute(value, "dtype"):
                return f"{self.text(value)}.scalar_type()", "d"
            case ast.Subscript(ast.Attribute(value, "shape"), index):
                return f"{self.text(value)}.size({self.text(index)})", "i"
            case ast.Subscript(value, index):
                return self.indexed(value, index)
            case ast.Call(func, args, keywords):
                return self.call(func, args, keywords)
        raise NoWord(ast.unparse(node))

    def binary(self, left: ast.expr, op: ast.operator, right: ast.expr) -> tuple[str, str]:
        (one, first), (other, second) = self.of(left), self.of(right)
        if isinstance(op, ast.Add | ast.Sub) and isinstance(right, ast.Compare):
            other = f"{other}.to({self.text(right.left)}.scalar_type())"
        kind = "t" if "t" in (first, second) else ("n" if "n" in (first, second) else "i")
        if isinstance(op, ast.Pow):
            if kind != "t":
                return f"std::pow({one}, {other})", "n"
            return f"at::pow({one}, {other})", "t"
        if isinstance(op, ast.MatMult):
            return f"at::matmul({one}, {other})", "t"
        if isinstance(op, ast.BitAnd | ast.BitOr):
            name = "and" if isinstance(op, ast.BitAnd) else "or"
            return f"at::logical_{name}({one}, {other})", "t"
        word = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/"}.get(
            type(op)
        )
        if word is None:
            raise NoWord(ast.unparse(op))
        if kind == "i" and isinstance(op, ast.Div):
            one, kind = f"double({one})", "n"
        tight = word in "*/"
        one = _bound(one, " + ", " - ") if tight else one
        other = _bound(other) if tight else other
        other = _bound(other, " + ", " - ") if word == "-" else other
        return f"{one} {word} {other}", kind

    def indexed(self, value: ast.expr, index: ast.expr) -> tuple[str, str]:
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        text = _bound(self.text(value))
        shown = [ast.unparse(p) for p in parts]
        if shown[0] == "..." and all(p == "None" for p in shown[1:]):
            return text + ".unsqueeze(-1)" * (len(shown) - 1), "t"
        if all(p in (":", "None") for p in shown):
            for k, p in enumerate(shown):
                text += f".unsqueeze({k})" if p == "None" else ""
            return text, "t"
        raise NoWord(ast.unparse(index))

    def call(self, func: ast.expr, args: Any, keywords: Any) -> tuple[str, str]:
        name = ast.unparse(func)
        if name == "PRIMAL":
            name = self.primal
        if name == "np.maximum" and {self.of(a)[1] for a in args} <= {"n", "i"}:
            return f"std::max({self.text(args[0])}, {float(ast.literal_eval(args[1]))})", "n"
        if name == "np.maximum" and self.names:
            return f"at::clamp_min({self.text(args[0])}, {self.text(args[1])})", "t"
        if isinstance(func, ast.Attribute) and name not in CALLS and func.attr in METHODS:
            name, args = METHODS[func.attr], [func.value, *args]
        whole = ast.unparse(ast.Call(func, args, keywords))
        if whole in self.calls:
            return f"{self.calls[whole]}({self.text(args[-1])})", "t"
        known = CALLS | CONSTANT if self.names else CALLS
        if name not in known:
            raise NoWord(name)
        words, _, kind = known[name].partition("|")
        given = [self.of(a) for a in args]
        like = next((t for t, k in given if k == "t"), None)
        named = {k.arg: self.text(k.value) for k in keywords if k.arg != "dtype"}
        fields = {f for _, f, _, _ in string.Formatter().parse(words) if f}
        for field in fields:
            if not field.isdigit() and field not in named:
                position = {"axis": 1, "k": 1, "keepdims": 2, "axes": 2}.get(field, 99)
                named[field] = given[position][0] if position < len(given) else OPTIONS[field]
        if any(k not in fields and k not in _SILENT for k in named):
            raise NoWord(f"{name}({', '.join(sorted(named))})")
        inner = words.startswith("{0}.") or " " in words.replace(", ", ",")
        texts = [_Argument(_bound(t) if inner else t, k, like) for t, k in given]
        while len(texts) <= max((int(f) for f in fields if f.isdigit()), default=0):
            texts.append(_Argument("0", "i", like))
        if "axis" in fields:
            words = _over_all(words, named)
        return words.format(*texts, **named), kind or "t"


_SILENT = {
    "b", "return_sign", "check_finite", "upper", "overwrite_a", "order", "where", "initial",
    "dtype", "out", "ddof", "mode", "a_min", "a_max",
}  # fmt: skip
_COMPARED = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class _Argument:
    """An argument in a call, as it is or as a tensor."""

    def __init__(self, text: str, kind: str, like: str | None) -> None:
        self.text, self.kind, self.like = text, kind, like

    def __format__(self, how: str) -> str:
        if how == "t" and self.kind != "t":
            return f"number({self.text}, {self.like})" if self.like else self.text
        return self.text


def _over_all(words: str, named: dict[str, str]) -> str:
    """Leave the axis out where it is none."""
    if named.get("axis") in ("{}", None):
        whole = words.replace(", {{{axis}}}, 0, {keepdims}", ", {{}}, 0, false")
        return whole.replace(", {{{axis}}}, {keepdims}", "").replace(", {axis}, {keepdims}", "")
    return words


def _bound(text: str, *signs: str) -> str:
    """Return an expression in brackets, where it consists of parts with such a sign between."""
    depth = 0
    for k, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and k and text[k : k + 3] in (signs or (" + ", " - ", " * ", " / ")):
            return f"({text})"
    return f"({text})" if text.startswith("-") and not signs else text


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))
