"""From the expressions of the table to expressions of NumPy.

What is called is looked up among the operations in NumPy (``srcgrad.torch.operations``), which
say the names and the parameters; a function that is one expression is written in place where
that reads well. PyTorch conjugates gradients and srcgrad does not, so the gradient of a result
is the conjugate of its cotangent, and the conjugate of the whole is given back: that is pushed
inwards until it meets another one.
"""

from __future__ import annotations

import ast
import copy
import inspect
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from srcgrad.torch.importing.table import Entry, schemas
from srcgrad.torch.operations import MODULES


class Unsayable(Exception):
    """An expression that has no words in NumPy here.

    Attributes:
        reason: the class of the reason.
        word: what has none.
    """

    def __init__(self, reason: str, word: str) -> None:
        super().__init__(f"{reason}: {word}")
        self.reason, self.word = reason, word


NO_WORD = "calls a helper or kernel that has no NumPy version"
GRAD = "_grad_"

# Methods and functions that give their first operand back: they are about memory, layout or
# dtype, or about real operands among complex ones, of which the engine takes care.
_SAME = frozenset([
    "contiguous", "clone", "to", "resolve_conj", "detach", "toDouble", "toFloat",
    "toComplexDouble", "value", "options",
])  # fmt: skip
_LAST_IS_SAME = frozenset({"handle_r_to_c"})
# Arguments that say how to compute, or what is wanted, and not what.
_HOW = frozenset([
    "options", "scalar_type", "dtype", "layout", "sym_strides", "strides", "device",
    "suggest_memory_format",
])  # fmt: skip
_HOW_NAMES = frozenset({"grad_input_mask", "retain_variables", "input_dtype", "dtype"})
_NUMBERS = {"M_PI": "np.pi", "M_LN2": "np.log(2)"}
# What is written in the place of a call of a function or method.
_WORDS = {
    "all_positive": "np.all(a > 0)", "dim": "a.ndim", "sizes": "a.shape", "sym_sizes": "a.shape",
    "numel": "a.size", "sym_numel": "a.size", "size": "a.shape[b]", "sym_size": "a.shape[b]",
    "is_complex": "np.iscomplexobj(a)", "isComplex": "np.iscomplexobj(a)",
    "zeros_like": "np.zeros_like(a)", "ones_like": "np.ones_like(a)", "zeros": "0", "ones": "1",
    "new_zeros": "np.zeros(a)", "scalar_tensor": "a", "logical_or_": "a | b",
    "logical_or": "a | b", "logical_and": "a & b", "logical_not_": "~a",
    "reshape_as": "np.reshape(a, b.shape)", "view_as": "np.reshape(a, b.shape)",
    "expand_as": "np.broadcast_to(a, b.shape)", "expand": "np.broadcast_to(a, b)",
    "masked_fill_": "np.where(b, c, a)", "masked_fill": "np.where(b, c, a)",
    "where": "np.where(a, b, c)", "sum_to": "unbroadcast_to(a, b)", "log": "np.log(a)",
    "pow": "a ** b", "sqrt": "np.sqrt(a)", "matmul": "a @ b", "mv": "a @ b", "mm": "a @ b",
    "bmm": "a @ b", "flatten": "np.reshape(a, (*a.shape[:b], -1))", "conj": "np.conj(a)",
    "conj_physical": "np.conj(a)", "reverse_list": "b[::-1]",
}  # fmt: skip
_SHAPE_ARGUMENT = frozenset({"new_zeros"})


@dataclass
class Translation:
    """One expression on its way to Python."""

    entry: Entry  # the entry it belongs to
    names: dict[str, str]  # what stands for the names in it, as text of Python
    # the names of Python that are no complex numbers, whatever the entry takes
    real: frozenset[str]
    # the modules of operations that the text calls, which grow meanwhile
    modules: set[str] = field(default_factory=set)

    def python(self, tree: ast.expr) -> ast.expr:
        """Return the expression of Python that stands for one in C++."""
        match tree:
            case ast.Name(name):
                return self.name(name)
            case ast.Constant(value):
                return ast.Constant(value)
            case ast.UnaryOp(ast.UAdd(), of):
                return self.python(of)
            case ast.UnaryOp(op, of):
                operator = ast.USub() if isinstance(op, ast.USub) else ast.Not()
                return ast.UnaryOp(operator, self.python(of))
            case ast.BoolOp(op, [first, *others]):
                kept = [v for v in others if isinstance(op, ast.Or) or not _known(v)]
                values = [self.python(value) for value in (first, *kept)]
                return ast.BoolOp(op, values) if kept else values[0]
            case ast.Compare(left, [op], [right]):
                return ast.Compare(self.python(left), [op], [self.python(right)])
            case ast.BinOp(left, op, right):
                length = isinstance(op, ast.Div) and _method(left) in ("sym_size", "size")
                op = ast.FloorDiv() if length else op
                return ast.BinOp(self.python(left), op, self.python(right))
            case ast.IfExp(test, then, other):
                return self.conditional(test, then, other)
            case ast.List(items):
                return ast.Tuple([self.python(item) for item in items], ast.Load())
            case ast.Subscript(ast.Name(of), ast.Constant(index)) if f"{of}[{index}]" in self.names:
                return self.name(f"{of}[{index}]")
            case ast.Subscript(of, index):
                return ast.Subscript(self.python(of), self.python(index), ast.Load())
            case ast.Call(ast.Attribute(of, name), args):
                return self.call(name, [of, *args], method=True)
            case ast.Call(ast.Name(name), args):
                return self.call(name, args)
        raise TypeError(tree)

    def name(self, name: str) -> ast.expr:
        if name in self.names:
            return _expression(self.names[name])
        if name in _NUMBERS:
            return _expression(_NUMBERS[name])
        if name == "at::Reduction::None":
            return ast.Constant(0)
        if name.endswith("nullopt"):
            return ast.Constant(None)
        raise Unsayable(NO_WORD, name)

    def conditional(self, test: ast.expr, then: ast.expr, other: ast.expr) -> ast.expr:
        known = _known(test)
        if known is not None:
            return self.python(then if known else other)
        if _method(test) in ("is_complex", "isComplex") and not self.entry.takes_complex:
            return self.python(other)
        return ast.IfExp(self.python(test), self.python(then), self.python(other))

    def call(self, name: str, args: list[ast.expr], method: bool = False) -> ast.expr:
        bare = name.removeprefix("::").removeprefix("at::").removeprefix("std::")
        bare = bare.removesuffix("_symint") if not bare.startswith("get<") else bare
        if bare.startswith("get<"):
            place = ast.Constant(int(bare[4:].split(">")[0]))
            return ast.Subscript(self.python(args[0]), place, ast.Load())
        if bare in _LAST_IS_SAME:
            return self.python(args[-1])
        if bare in ("has_value", "defined"):
            return ast.Compare(self.python(args[0]), [ast.IsNot()], [ast.Constant(None)])
        if bare == "value_or" or (bare in _SAME and method):
            return self.python(args[0])
        if bare == "wrap_opt_if":
            return self.python(args[0])
        if bare == "to_args_sizes":
            return self.python(args[0])
        args = [a for a in args if not _says_how(a)]
        if bare in _WORDS and self.fits(bare, args):
            used = args[1:] if bare in _SHAPE_ARGUMENT else args
            return _filled(_WORDS[bare], [self.python(a) for a in used])
        return self.operation(bare, args)

    def fits(self, bare: str, args: list[ast.expr]) -> bool:
        wanted = len(
            {n.id for n in ast.walk(_expression(_WORDS[bare])) if isinstance(n, ast.Name)}
            & set("abc")
        )
        if bare in ("zeros", "ones", "scalar_tensor"):
            return True
        return len(args) == wanted + (bare in _SHAPE_ARGUMENT)

    def operation(self, bare: str, args: list[ast.expr]) -> ast.expr:
        """Return the call of an operation, or what it consists of."""
        found = operation_for(bare, len(args), tuple(isinstance(a, ast.Constant) for a in args))
        if found is None:
            raise Unsayable(NO_WORD, bare)
        module, function, order = found
        given = dict(zip(order, map(self.python, args), strict=False))
        if isinstance(function, Inline) and function.reads_well(given):
            self.modules |= function.modules
            return function.with_arguments(given)
        self.modules.add(module)
        return _call(module, function.function, given)


def _method(tree: ast.expr) -> str:
    """The name of the method that is called, empty for something else."""
    called = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute)
    return tree.func.attr if called else ""  # type: ignore[union-attr]


def _known(test: ast.expr) -> bool | None:
    """Return what a test comes to in a formula, or None: gradients are there, and recorded."""
    match test:
        case ast.Call(ast.Name("GradMode::is_enabled"), []):
            return True
        case ast.Call(ast.Attribute(ast.Name(name), "defined"), []) if name.startswith("grad"):
            return True
        case ast.Call(ast.Attribute(ast.Subscript(ast.Name("grads")), "defined"), []):
            return True
        case ast.BoolOp(op, values):
            found = map(_known, values)
            return (any(found) if isinstance(op, ast.Or) else all(found)) or None
    return None


def _says_how(tree: ast.expr) -> bool:
    match tree:
        case ast.Name(name):
            return name in _HOW_NAMES
        case ast.Subscript(ast.Name("grad_input_mask")) | ast.Call(ast.Name("to_args_scalartypes")):
            return True
        case ast.Call(ast.Attribute(_, name), []):
            return name in _HOW
    return False


@dataclass(frozen=True)
class Plain:
    """A function of the operations that is called by its name."""

    function: Any


@dataclass(frozen=True)
class Inline(Plain):
    """A function that is one expression."""

    body: ast.expr
    modules: frozenset[str]  # the modules of operations that it calls

    def reads_well(self, given: dict[str, ast.expr]) -> bool:
        """Whether no argument of more than a name is written twice, and the whole is short."""
        counts: dict[str, int] = {}
        for node in ast.walk(self.body):
            if isinstance(node, ast.Name):
                counts[node.id] = counts.get(node.id, 0) + 1
        simple = (ast.Name, ast.Constant, ast.Subscript, ast.Attribute)
        once = all(
            counts.get(name, 0) <= 1 or isinstance(value, simple) or _is_grad(value)
            for name, value in given.items()
        )
        return once and len(ast.unparse(self.with_arguments(given))) <= 110

    def with_arguments(self, given: dict[str, ast.expr]) -> ast.expr:
        parameters = inspect.signature(self.function).parameters
        values = {
            name: given[name]
            if name in given
            else ast.Constant(None if p.default is p.empty else p.default)
            for name, p in parameters.items()
        }
        return _Fill(values).visit(copy.deepcopy(self.body))


def _is_grad(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value) in (
        f"np.conj({GRAD})",
        "np.conj(z_bar)",
    )


class _Fill(ast.NodeTransformer):
    """Puts arguments into the places of names."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.values[node.id]) if node.id in self.values else node


def _filled(words: str, args: list[ast.expr]) -> ast.expr:
    return _Fill(dict(zip("abc", args, strict=False))).visit(_expression(words))


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _call(module: str, function: Any, given: dict[str, ast.expr]) -> ast.expr:
    """Return the call of a function: options by their names, what has its default left out."""
    positional: list[ast.expr] = []
    keywords = []
    open_ended = False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += given.values()
            break
        value = given.get(name)
        missing = value is None or (
            isinstance(value, ast.Constant)
            and parameter.default is not parameter.empty
            and value.value == parameter.default
        )
        if missing:
            open_ended = True
        elif parameter.kind is parameter.KEYWORD_ONLY or open_ended:
            keywords.append(ast.keyword(name, given[name]))
        else:
            positional.append(given[name])
    target = ast.Attribute(ast.Name(module, ast.Load()), function.__name__, ast.Load())
    return ast.Call(target, positional, keywords)


@cache
def operations() -> dict[str, tuple[str, Plain]]:
    """Return the operations in NumPy by name, with the module that each stands in."""
    found: dict[str, tuple[str, Plain]] = {}
    for module in MODULES:
        short = module.__name__.rpartition(".")[2]
        for name, function in vars(module).items():
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                found[name] = (short, _plain_or_inline(function, short, module))
    return found


def _plain_or_inline(function: Any, short: str, module: Any) -> Plain:
    tree = ast.parse(inspect.getsource(function)).body[0]
    value = tree.value.body if isinstance(tree, ast.Assign) else None  # type: ignore[attr-defined]
    if isinstance(tree, ast.FunctionDef) and len(tree.body) == 1:
        value = getattr(tree.body[0], "value", None)
    if value is None or any(
        isinstance(n, ast.comprehension | ast.Lambda | ast.Starred) for n in ast.walk(value)
    ):
        return Plain(function)
    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return Plain(function)
    own = {n for n, f in vars(module).items() if inspect.isfunction(f)}
    used = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} - set(parameters)
    if used & own:
        if any(name.startswith("_") for name in used & own):
            return Plain(function)
        names: dict[str, ast.expr] = {
            n: ast.Attribute(ast.Name(short, ast.Load()), n, ast.Load()) for n in used & own
        }
        return Inline(function, _Fill(names).visit(value), frozenset({short}))
    if used - {"np", "special", "int"}:
        return Plain(function)
    return Inline(function, value, frozenset({"special"} if "special" in used else ()))


@cache
def operation_for(
    bare: str, count: int, numbers: tuple[bool, ...] = ()
) -> tuple[str, Plain, tuple[str, ...]] | None:
    """Return the operation that a call with so many arguments means.

    Args:
        bare: the name that is called.
        count: the number of its arguments.
        numbers: for each argument whether it is a number, which speaks against a tensor.

    Returns:
        The module, the function, and the names of the parameters in the order of the call;
        None if there is no such operation in NumPy.
    """
    known = operations()
    fitting = []
    for name, parameters in schemas().get(bare, []):
        python = name.replace(".", "_").lower()
        order = tuple(p.name for p in parameters)
        if python in known and count <= len(order):
            taken = inspect.signature(known[python][1].function).parameters
            if all(n in taken for n in order[:count]):
                against = sum(
                    p.is_tensor and number for p, number in zip(parameters, numbers, strict=False)
                )
                odd = bool(name.count(".") and "Tensor" not in name)
                fitting.append((against, len(order), odd, python, order))
    if fitting:
        python, order = min(fitting)[3:]
        return *known[python], order
    if bare in known:
        module, function = known[bare]
        parameters = inspect.signature(function.function).parameters
        if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
            return module, function, tuple(f"argument{k}" for k in range(count))
        return (module, function, tuple(parameters)) if count <= len(parameters) else None
    return None
