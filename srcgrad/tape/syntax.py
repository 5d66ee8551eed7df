"""Rewriting the syntax of a function so that what it does can be recorded.

Calls, operators, subscripts and writes become calls of the functions below, which stand
in the compiled code as constants: the function's namespaces are left as they are. Lines
and columns stay those of the source, for tracebacks and debuggers.
"""

from __future__ import annotations

import ast
import copy
import types
from typing import Any

from srcgrad.program.compiled_text import Mangler
from srcgrad.runtime.intercepting import backward_of, on_backward

MARK = "\0srcgrad "  # begins the constants that functions take the place of

_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_", ast.BitOr: "or_",
    ast.BitXor: "xor",
}  # fmt: skip
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


class Rewriter(ast.NodeTransformer):
    """Rewrites the body of a function.

    Args:
        names: the global names of the function.
        first: the name of the first parameter, which ``super()`` means.
    """

    def __init__(self, names: dict[str, Any], first: str | None) -> None:
        self.names = names
        self.first = first
        self.scopes: list[set[str]] = []
        self.count = 0

    # Scopes

    def visit_FunctionDef(self, node: Any) -> Any:
        """Rewrite a function; its decorators and defaults belong to the scope around."""
        arguments = node.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        parameters += [p for p in (arguments.vararg, arguments.kwarg) if p is not None]
        if self.scopes:
            if not isinstance(node, ast.Lambda):
                node.decorator_list = [self.visit(part) for part in node.decorator_list]
            arguments.defaults = [self.visit(part) for part in arguments.defaults]
            arguments.kw_defaults = [part and self.visit(part) for part in arguments.kw_defaults]
        outer, self.first = self.first, (parameters[0].arg if parameters else None)
        body = node.body if isinstance(node.body, list) else [node.body]
        names = [p.arg for p in parameters]
        self.scopes.append(local_names(body, names))
        if isinstance(node.body, list):
            others = local_names(body, [], (ast.Store, ast.Del))
            given = [at(ast.Name(name, ast.Load()), body[0]) for name in names if name in others]
            asked = [at(ast.Expr(helper("may_go", name)), body[0]) for name in given]
            node.body = [*asked, *self._block(node.body)]  # pyright: ignore[reportAttributeAccessIssue]
        else:
            node.body = self.visit(node.body)
        self.scopes.pop()
        self.first = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815
    visit_Lambda = visit_FunctionDef  # noqa: N815

    def visit_Module(self, node: ast.Module) -> Any:
        """Rewrite text that is executed."""
        self.scopes.append(set())
        node.body = self._block(node.body)
        return node

    def visit_Expression(self, node: ast.Expression) -> Any:
        """Rewrite text that is evaluated."""
        self.scopes.append(set())
        node.body = self.visit(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Rewrite a class; a name in it is no local one."""
        node.bases = [self.visit(part) for part in node.bases]
        node.decorator_list = [self.visit(part) for part in node.decorator_list]
        self.scopes.append(set())
        mangled = Mangler(node.name)
        node.body = self._block([mangled.visit(part) for part in node.body])
        self.scopes.pop()
        return node

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in body:
            found = self.visit(statement)
            made += found if isinstance(found, list) else [found]
        return made

    # Expressions

    def visit_Call(self, node: ast.Call) -> Any:
        """Make a call one that can be recorded."""
        if isinstance(node.func, ast.Name) and not any(node.func.id in s for s in self.scopes):
            if node.func.id == "super" and not node.args and self.first is not None:
                names = ("__class__", self.first)
                node.args = [at(ast.Name(name, ast.Load()), node) for name in names]
                return node
            if node.func.id == "breakpoint" and node.func.id not in self.names:
                return self.generic_visit(node)  # which stops in the frame that it stands in
        given = node.args[0] if node.args and self._outer(node.func) is on_backward else None
        self.generic_visit(node)
        made = at(ast.Call(function("call"), [node.func, *node.args], node.keywords), node)
        if isinstance(given, ast.Name) and given.id in self.scopes[-1]:
            return at(ast.NamedExpr(ast.Name(given.id, ast.Store()), made), node)
        return made

    def visit_Starred(self, node: ast.Starred) -> Any:
        """Let the parts of an array that is spread be seen."""
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = helper("through", node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Make an operator a call."""
        self.generic_visit(node)
        return helper(_BINARY[type(node.op)], node.left, node.right, like=node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Let ``is`` and ``in`` compare what the program would hold."""
        self.generic_visit(node)
        parts = [node.left, *node.comparators]
        for k, op in enumerate(node.ops):
            pair = parts[k : k + 2]
            known = any(isinstance(part, ast.Constant) for part in pair)
            if isinstance(op, ast.Is | ast.IsNot) and not known:
                parts[k : k + 2] = [helper("itself", part) for part in pair]
        if isinstance(node.ops[-1], ast.In | ast.NotIn) and not isinstance(parts[-1], ast.Constant):
            parts[-1] = helper("searched", parts[-1])
        node.left, *node.comparators = parts
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """Make an operator a call, but for those of numbers that are written out."""
        if isinstance(node.operand, ast.Constant) or isinstance(node.op, ast.Not):
            return self.generic_visit(node)
        self.generic_visit(node)
        return helper(_UNARY[type(node.op)], node.operand, like=node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Make a subscript that is read a call."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return helper("item", node.value, key(node.slice), like=node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Make an attribute that is read a call, but for one of a module."""
        if not isinstance(node.ctx, ast.Load) or self._module(node.value) is not None:
            return self.generic_visit(node)
        self.generic_visit(node)
        return helper("attribute", node.value, ast.Constant(node.attr), like=node)

    def _outer(self, node: ast.AST) -> Any:
        """Return what a name from outside, or an attribute of a module, stands for."""
        if isinstance(node, ast.Attribute):
            around = self._module(node.value)
            return None if around is None else getattr(around, node.attr, None)
        if isinstance(node, ast.Name) and not any(node.id in scope for scope in self.scopes):
            return self.names.get(node.id)
        return None

    def _module(self, node: ast.AST) -> types.ModuleType | None:
        """Return the module that an expression stands for, or None."""
        found: Any = None
        if isinstance(node, ast.Name) and not any(node.id in scope for scope in self.scopes):
            found = self.names.get(node.id)
        elif isinstance(node, ast.Attribute):
            around = self._module(node.value)
            found = None if around is None else vars(around).get(node.attr)
        return found if isinstance(found, types.ModuleType) else None

    def visit_FormattedValue(self, node: ast.FormattedValue) -> Any:
        """Let an array that becomes text be seen."""
        self.generic_visit(node)
        node.value = helper("through", node.value)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        """Let the parts of an array that is gone through be seen."""
        self.generic_visit(node)
        node.iter = helper("over", node.iter)
        return node

    def visit_Yield(self, node: ast.Yield) -> Any:
        """Let an array that leaves be seen."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Name):
            node.value = helper("through", node.value)
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> Any:
        """Let the parts of an array that is gone through be seen."""
        self.generic_visit(node)
        node.value = helper("over", node.value)
        return node

    # Statements

    def visit_For(self, node: Any) -> Any:
        """Let the parts of an array that is gone through be seen."""
        node.iter = helper("over", self.visit(node.iter))
        first: list[ast.stmt] = []
        if not _plain_target(node.target):
            name = self._name()
            first = self._stores(node.target, at(ast.Name(name, ast.Load()), node))
            first.append(_let_go(name, node))
            node.target = at(ast.Name(name, ast.Store()), node)
        node.body = first + self._block(node.body)
        node.orelse = self._block(node.orelse)
        return node

    def visit_With(self, node: Any) -> Any:
        """Let context managers be seen; make the body of ``backward_of`` a function."""
        manager = node.items[0].context_expr
        if isinstance(manager, ast.Call) and self._outer(manager.func) is backward_of:
            return self._interception(node, manager)
        for part in node.items:
            part.context_expr = helper("through", self.visit(part.context_expr))
        node.body = self._block(node.body)
        return node

    def _interception(self, node: ast.With, manager: ast.Call) -> list[ast.stmt]:
        """Return the statements that have the cotangent of a value given to a function.

        What that reads of the names of the function is bound when it is made.
        """
        target = node.items[0].optional_vars
        bar = target.id if isinstance(target, ast.Name) else self._name()
        own = local_names(node.body, [bar])
        read = {n.id for part in node.body for n in ast.walk(part) if isinstance(n, ast.Name)}
        names = sorted((read - own) & self.scopes[-1])
        body = [*node.body, ast.Return(ast.Name(bar, ast.Load()))]
        made = ast.FunctionDef(
            name=self._name(),
            args=ast.arguments(
                [], [ast.arg(name) for name in (bar, *names)], None, [], [], None, []
            ),
            body=body,
            decorator_list=[],
        )
        made.type_params = []  # type: ignore[attr-defined]
        self.visit_FunctionDef(at(made, node))
        here: Any = manager.args[0]
        held = [at(ast.Name(name, ast.Load()), here) for name in names]
        made.args.defaults = [helper("as_now", name, like=here) for name in held]
        fn = at(ast.Name(made.name, ast.Load()), here)
        found = helper("intercepted", self.visit(here), fn)
        if isinstance(here, ast.Name) and here.id in self.scopes[-1]:
            return [made, at(ast.Assign([ast.Name(here.id, ast.Store())], found), node)]
        return [made, at(ast.Expr(found), node)]

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> Any:
        """Let no handler of the program's hide what the tape refuses."""
        self.generic_visit(node)
        what = node.type or helper("every", like=node)
        node.type = helper("caught", what)
        return node

    def visit_Match(self, node: ast.Match) -> Any:
        """Rewrite the subject, the guards and the bodies; patterns are no expressions.

        The class of what is recorded is that of numbers and of arrays. So where a number is
        matched, patterns of sequences are left out.
        """
        node.subject = helper("through", self.visit(node.subject))
        for case in node.cases:
            case.guard = case.guard and self.visit(case.guard)
            case.body = self._block(case.body)
        of_numbers = [case for case in map(_of_numbers, node.cases) if case is not None]
        if of_numbers == node.cases:
            return node
        subject = self._name()
        named = at(ast.Name(subject, ast.Load()), node.subject)
        given = at(ast.Assign([ast.Name(subject, ast.Store())], node.subject), node)
        node.subject = named
        for case in {id(case): case for case in (*node.cases, *of_numbers)}.values():
            nothing = ast.Assign([ast.Name(subject, ast.Store())], ast.Constant(None))
            case.body = [at(nothing, node), *case.body]
        other: Any = ast.Match(named, copy.deepcopy(of_numbers)) if of_numbers else ast.Pass()
        return [
            given,
            at(ast.If(helper("is_sequence", named), [node], [at(other, node)]), node),
            _let_go(subject, node),
        ]

    def visit_Return(self, node: ast.Return) -> Any:
        """Let an array that leaves be seen."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Name):
            node.value = helper("through", node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Rewrite an assignment with a type, which is left out."""
        if node.value is None:
            return node
        if isinstance(node.target, ast.Name):
            node.value = self.visit(node.value)
            return node
        return self._stores(node.target, self.visit(node.value))

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Make writes to parts of arrays and objects calls, in Python's order."""
        value = self.visit(node.value)
        if len(node.targets) == 1:
            if _plain_target(node.targets[0]):
                unpacked = isinstance(node.targets[0], ast.Tuple | ast.List)
                node.value = helper("through", value) if unpacked else value
                return node
            return self._stores(node.targets[0], value)
        if all(isinstance(target, ast.Name) for target in node.targets):
            node.value = value
            return node
        name = self._name()
        made: list[ast.stmt] = [at(ast.Assign([ast.Name(name, ast.Store())], value), node)]
        for target in node.targets:
            made += self._stores(target, at(ast.Name(name, ast.Load()), node))
        return [*made, _let_go(name, node)]

    def _stores(self, target: Any, value: Any) -> list[ast.stmt]:
        """Return the statements that assign a value to a target."""
        if isinstance(target, ast.Subscript):
            owner, where = self.visit(target.value), key(self.visit(target.slice))
            made = helper("store", value, owner, where, like=target)
            name = owner.id if isinstance(owner, ast.Name) else None
            if name is not None and name in self.scopes[-1]:
                return [at(ast.Assign([ast.Name(name, ast.Store())], made), target)]
            return [at(ast.Expr(made), target)]
        if isinstance(target, ast.Attribute):
            owner = self.visit(target.value)
            made = helper("set_attribute", value, owner, ast.Constant(target.attr), like=target)
            return [at(ast.Expr(made), target)]
        if isinstance(target, ast.Starred):
            return self._stores(target.value, value)
        if isinstance(target, ast.Tuple | ast.List) and not _plain_target(target):
            parts: list[Any] = []
            after: list[ast.stmt] = []
            for part in target.elts:
                star = isinstance(part, ast.Starred)
                inner = part.value if isinstance(part, ast.Starred) else part
                if after or not _plain_target(inner):  # a name may be read by a part before it
                    name = self._name()
                    after += self._stores(inner, at(ast.Name(name, ast.Load()), part))
                    after.append(_let_go(name, part))
                    inner = at(ast.Name(name, ast.Store()), part)
                parts.append(at(ast.Starred(inner, ast.Store()), part) if star else inner)
            whole = at(ast.Tuple(parts, ast.Store()), target)
            return [at(ast.Assign([whole], helper("through", value)), target), *after]
        if isinstance(target, ast.Tuple | ast.List):
            value = helper("through", value)
        return [at(ast.Assign([target], value), target)]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Make an assignment with an operator a call, in Python's order."""
        op = ast.Constant("i" + _BINARY[type(node.op)].rstrip("_"))
        target = node.target
        if isinstance(target, ast.Name):
            read = at(ast.Name(target.id, ast.Load()), target)
            made = helper("in_place", op, read, self.visit(node.value), like=node)
            return at(ast.Assign([target], made), node)
        if isinstance(target, ast.Attribute):
            place = helper("at_attribute", self.visit(target.value), ast.Constant(target.attr))
        else:
            assert isinstance(target, ast.Subscript)
            owner, where = self.visit(target.value), key(self.visit(target.slice))
            place = helper("at_item", owner, where)
            name = owner.id if isinstance(owner, ast.Name) else None
            if name is not None and name in self.scopes[-1]:
                made = helper("in_place_at", op, place, self.visit(node.value), like=node)
                return at(ast.Assign([ast.Name(name, ast.Store())], made), node)
        made = helper("in_place_at", op, place, self.visit(node.value), like=node)
        return at(ast.Expr(made), node)

    def _name(self) -> str:
        self.count += 1
        return f"srcgrad_{self.count}"


def _let_go(name: str, like: ast.AST) -> ast.stmt:
    """Return the statement that lets go of a value, which may end then."""
    return at(ast.Delete([ast.Name(name, ast.Del())]), like)


def _of_numbers(case: ast.match_case) -> ast.match_case | None:
    """Return a case without the patterns of sequences, None where nothing is left of it."""
    pattern: Any = case.pattern
    while isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        pattern = pattern.pattern
    if isinstance(pattern, ast.MatchSequence):
        return None
    if not isinstance(pattern, ast.MatchOr):
        return case
    left = [p for p in pattern.patterns if not isinstance(p, ast.MatchSequence)]
    if len(left) == len(pattern.patterns):
        return case
    if not left:
        return None
    found: Any = left[0] if len(left) == 1 else at(ast.MatchOr(left), pattern)
    if case.pattern is not pattern:
        found = at(ast.MatchAs(found, case.pattern.name), pattern)  # type: ignore[attr-defined]
    return ast.match_case(found, case.guard, case.body)


def _plain_target(target: Any) -> bool:
    """Tell whether a target consists of names only."""
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_plain_target, target.elts))
    return isinstance(target.value if isinstance(target, ast.Starred) else target, ast.Name)


def local_names(body: list[Any], parameters: list[str], how: Any = ast.Store) -> set[str]:
    """Return the names that a function assigns to, but for those declared global or nonlocal.

    Args:
        body: the statements of the function.
        parameters: its parameters.
        how: the contexts of names that count.
    """
    found, others = set(parameters), set()
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, how):
            found.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            others |= set(node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(part.asname or part.name).partition(".")[0] for part in node.names}
        if isinstance(node, scopes):
            if not isinstance(node, ast.Lambda):
                found.add(node.name)
            continue
        waiting += ast.iter_child_nodes(node)
    return found - others


def key(node: Any) -> Any:
    """Return the expression of an index; a slice is written as a call."""
    if isinstance(node, ast.Slice):
        parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        return helper("slice", *parts, like=node)
    if isinstance(node, ast.Tuple):
        return at(ast.Tuple([key(part) for part in node.elts], ast.Load()), node)
    return node


def function(name: str) -> ast.expr:
    """Return the constant that stands for a function."""
    return ast.Constant(MARK + name)


def helper(name: str, *args: Any, like: Any = None) -> Any:
    """Return the call of a function, at the place of an expression."""
    return at(ast.Call(function(name), list(args), []), like if like is not None else args[0])


def at(node: Any, like: Any) -> Any:
    """Give a node, and what is new in it, the place of another one."""
    ast.copy_location(node, like)
    for child in ast.iter_child_nodes(node):
        if not hasattr(child, "lineno") and isinstance(
            child, ast.expr | ast.stmt | ast.arg | ast.keyword
        ):
            at(child, like)
    return node


def of_some_arguments(node: Any, needed: tuple[int, ...]) -> Any:
    """Let the backward function of a formula give some of the cotangents only.

    Args:
        node: the formula; it is changed.
        needed: the positions of the arguments that have cotangents; the others get None.

    Returns:
        The formula.
    """
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef) and inner.name == "backward" and inner is not node:
            for part in ast.walk(inner):
                if isinstance(part, ast.Return) and isinstance(part.value, ast.Tuple):
                    _leave_out(part.value, needed)
            while _drop_unread(inner):
                pass
        elif isinstance(inner, ast.Return) and isinstance(inner.value, ast.Tuple):
            for part in inner.value.elts[1:2]:  # after the result comes the backward function
                if isinstance(part, ast.Lambda) and isinstance(part.body, ast.Tuple):
                    _leave_out(part.body, needed)
    return node


def without_options(node: Any, left: frozenset[str]) -> Any:
    """Let a formula not hand on options to the functions of NumPy's that it calls.

    Args:
        node: the formula; it is changed.
        left: the names of the options.

    Returns:
        The formula.
    """
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            root = call.func
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in ("np", "primal"):
                call.keywords = [k for k in call.keywords if not _hands_on(k, left)]
    return node


def _hands_on(keyword: ast.keyword, left: frozenset[str]) -> bool:
    value = keyword.value
    return keyword.arg in left and isinstance(value, ast.Name) and value.id == keyword.arg


def _leave_out(whole: ast.Tuple, needed: tuple[int, ...]) -> None:
    if not any(isinstance(part, ast.Starred) for part in whole.elts):
        parts = enumerate(whole.elts)
        whole.elts = [part if k in needed else at(ast.Constant(None), part) for k, part in parts]


def _drop_unread(function: ast.FunctionDef) -> bool:
    """Drop the assignments to names that nobody reads; tell whether there were any."""
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    dropped = False
    for node in ast.walk(function):
        for block in ("body", "orelse"):
            statements = getattr(node, block, None)
            if not isinstance(statements, list):
                continue
            kept = [part for part in statements if not _is_unread(part, read)]
            if len(kept) < len(statements):
                dropped = True
                empty = [] if block == "orelse" else [at(ast.Pass(), statements[0])]
                setattr(node, block, kept or empty)
    return dropped


def _is_unread(statement: ast.stmt, read: set[str]) -> bool:
    if not isinstance(statement, ast.Assign):
        return False
    return all(isinstance(t, ast.Name) and t.id not in read for t in statement.targets)
