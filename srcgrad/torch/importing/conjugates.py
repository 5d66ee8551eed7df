"""Conjugates in expressions of NumPy, pushed inwards until they meet others."""

from __future__ import annotations

import ast
import copy

# Calls whose result is real, or has no value that counts.
_REAL = frozenset([
    "abs", "absolute", "real", "imag", "isnan", "isfinite", "iscomplexobj", "zeros", "zeros_like",
    "ones", "ones_like", "size", "shape", "ndim", "eye", "finfo", "arange",
])  # fmt: skip
# Calls that give the same for a number and its conjugate.
_SAME_FOR_BOTH = frozenset(
    ["zeros_like", "ones_like", "shape", "size", "ndim", "isnan", "isfinite", "abs"]
)
# Functions that do not commute with conjugation.
_OPAQUE = frozenset({"fft_r2c_backward", "fft_c2r_backward", "angle_backward", "polar_backward"})
_REAL_ATTRIBUTES = frozenset({"shape", "size", "ndim", "pi", "nan", "inf", "eps", "real", "imag"})


def conjugate(value: ast.expr, real: frozenset[str], several: bool = False) -> ast.expr:
    """Return the conjugate of an expression.

    Args:
        value: an expression of NumPy.
        real: the names in it that stand for real numbers.
        several: whether it is a tuple of several, each of which is to be conjugated.

    Example:
        >>> text = "np.conj(z_bar) * np.conj(np.cos(x))"
        >>> ast.unparse(conjugate(ast.parse(text, mode="eval").body, frozenset()))
        'z_bar * np.cos(x)'
    """
    pushed = _conjugate(value, real)
    if isinstance(value, ast.Tuple) or several:
        return pushed
    plain = _conj(simplify(value, real))
    return pushed if _count(pushed) <= max(_count(plain), 1) else plain


def simplify(value: ast.expr, real: frozenset[str]) -> ast.expr:
    """Return an expression with the conjugates in it pushed inwards."""
    if _is_conj(value):
        return conjugate(value.args[0], real)  # type: ignore[attr-defined]
    if isinstance(value, ast.Call) and _name(value) in _SAME_FOR_BOTH:
        return without_conjugates(value)
    if isinstance(value, ast.Attribute) and value.attr in ("shape", "size", "ndim"):
        return without_conjugates(value)
    value = copy.copy(value)
    for name, part in ast.iter_fields(value):
        if isinstance(part, ast.expr):
            setattr(value, name, simplify(part, real))
        elif isinstance(part, list):
            setattr(value, name, [_simplified_part(p, real) for p in part])
    return value


def without_conjugates(value: ast.expr) -> ast.expr:
    """Return an expression for real numbers, of which no conjugate is taken."""
    return _Real().visit(copy.deepcopy(value))


def without_ones(value: ast.expr) -> ast.expr:
    """Return an expression without what says nothing, such as factors 1 and default options."""
    return _Ones().visit(copy.deepcopy(value))


class _Real(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return node.args[0] if _is_conj(node) or _name(node) == "real" else node


class _Ones(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult | ast.Div) and _is_one(node.right):
            return node.left
        if isinstance(node.op, ast.Mult) and _is_one(node.left):
            return node.right
        if isinstance(node.op, ast.Mult) and _is_inverse(node.right):
            return ast.BinOp(node.left, ast.Div(), node.right.right)  # type: ignore
        if isinstance(node.op, ast.Mult) and isinstance(node.right, ast.UnaryOp):
            if isinstance(node.right.op, ast.USub):
                return ast.BinOp(ast.UnaryOp(ast.USub(), node.left), ast.Mult(), node.right.operand)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if _name(node) == "zeros" and isinstance(node.args[0], ast.Attribute):
            like = ast.Attribute(node.func.value, "zeros_like", ast.Load())  # type: ignore
            return ast.Call(like, [node.args[0].value], [])
        node.keywords = [k for k in node.keywords if not _is_default(k)]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        match node.test:
            case ast.Compare(
                ast.Constant(value), [ast.Is() | ast.IsNot() as op], [ast.Constant(None)]
            ):
                return node.body if (value is None) is isinstance(op, ast.Is) else node.orelse
        return node


def _is_default(keyword: ast.keyword) -> bool:
    return isinstance(keyword.value, ast.Constant) and (keyword.arg, keyword.value.value) in (
        ("keepdims", False),
        ("axis", None),
    )


def _is_inverse(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_one(node.left)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1 and node.value is not True


def _simplified_part(part, real):
    if isinstance(part, ast.expr):
        return simplify(part, real)
    if isinstance(part, ast.keyword):
        return ast.keyword(part.arg, simplify(part.value, real))
    return part


def _conjugate(value: ast.expr, real: frozenset[str]) -> ast.expr:
    match value:
        case ast.Constant(number):
            return ast.Constant(number.conjugate() if isinstance(number, complex) else number)
        case ast.Name(name):
            return value if name in real else _conj(value)
        case ast.GeneratorExp() | ast.ListComp():
            return value
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Invert()):
            return simplify(value, real)
        case ast.BinOp(_, ast.BitAnd() | ast.BitOr(), _):
            return simplify(value, real)
        case ast.BinOp(left, op, right):
            return ast.BinOp(conjugate(left, real), op, conjugate(right, real))
        case ast.UnaryOp(op, operand):
            return ast.UnaryOp(op, conjugate(operand, real))
        case ast.IfExp(test, body, other):
            return ast.IfExp(simplify(test, real), conjugate(body, real), conjugate(other, real))
        case ast.Tuple(items):
            return ast.Tuple([conjugate(item, real) for item in items], ast.Load())
        case ast.Attribute(of, name):
            if name in _REAL_ATTRIBUTES:
                return simplify(value, real)
            return ast.Attribute(conjugate(of, real), name, ast.Load())
        case ast.Subscript(of, index):
            if ast.unparse(value) in real:
                return value
            if isinstance(of, ast.Attribute) and of.attr in _REAL_ATTRIBUTES:
                return value
            inside = conjugate(of, real)
            if _is_conj(inside):
                return _conj(ast.Subscript(inside.args[0], index, ast.Load()))  # type: ignore
            return ast.Subscript(inside, index, ast.Load())
        case ast.Call():
            return _of_call(value, real)
    return _conj(value)


def _of_call(value: ast.Call, real: frozenset[str]) -> ast.expr:
    if _is_conj(value):
        return simplify(value.args[0], real)
    if _name(value) in _REAL:
        return simplify(value, real)
    if _name(value) == "polar_backward":  # two real numbers
        return simplify(value, real)
    if _name(value) in _OPAQUE:
        return _conj(simplify(value, real))
    if _name(value) == "_fft_c2c":
        return _other_way(value, real)
    args = list(value.args)
    first = 1 if _name(value) == "where" else 0
    args = [simplify(a, real) for a in args[:first]] + [conjugate(a, real) for a in args[first:]]
    keywords = [ast.keyword(k.arg, conjugate(k.value, real)) for k in value.keywords]
    return ast.Call(value.func, args, keywords)


def _other_way(value: ast.Call, real: frozenset[str]) -> ast.expr:
    """The conjugate of a transform is the transform the other way of the conjugate."""
    keywords = [
        ast.keyword(k.arg, _not(k.value)) if k.arg == "forward" else k for k in value.keywords
    ]
    return ast.Call(value.func, [conjugate(a, real) for a in value.args], keywords)


def _not(value: ast.expr) -> ast.expr:
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return value.operand
    return ast.UnaryOp(ast.Not(), value)


def _conj(value: ast.expr) -> ast.expr:
    return ast.Call(
        ast.Attribute(ast.Name("np", ast.Load()), "conj", ast.Load()), args=[value], keywords=[]
    )


def _is_conj(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and _name(value) == "conj"


def _name(value: ast.Call) -> str:
    return value.func.attr if isinstance(value.func, ast.Attribute) else ""


def _count(value: ast.expr) -> int:
    return ast.unparse(value).count("np.conj(")
