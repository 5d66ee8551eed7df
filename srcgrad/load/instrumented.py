"""A second compilation of generated text, in which each statement tells who watches.

The text, its file and the numbers of its lines stay what they are, so that a debugger
shows the same code.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from typing import Any

from srcgrad.load.compile import load
from srcgrad.load.observers import Site, WatchedFunction, enter
from srcgrad.load.texts import FunctionText, is_generated

_ENTER, _HERE = "srcgrad_enter", "srcgrad_here"
_OF_SHAPE = frozenset({"shape", "ndim", "size", "dtype"})
_OF_FRAMES = frozenset({"breakpoint", "eval", "exec", "locals", "super", "vars"})


def instrumented(function: Any) -> Any:
    """Return a generated function as one that tells of each of its statements.

    Those that it calls do so, too.
    """
    return _Instrumenting().function(function)


class Recompiler:
    """Compiles generated modules again, each once; a subclass says what it changes in them."""

    def __init__(self) -> None:
        self.known: dict[int, dict[str, Any]] = {}

    def function(self, function: Any) -> Any:
        """Return the function of the same name that is compiled again."""
        functions, name, header = function.__srcgrad_generated__
        if not isinstance(functions[0], FunctionText):  # it calls the tape, and nothing else
            return function
        key = id(functions)
        if key not in self.known:
            self.known[key] = {}
            self.known[key].update(load(functions, name, header, self)[0])
        return self.known[key].get(function.__name__, function)

    def edit(
        self, text: FunctionText, node: ast.FunctionDef, filename: str, first: int
    ) -> tuple[ast.FunctionDef, dict[str, Any]]:
        """Return the definition of a function as it is to be compiled.

        Returns:
            The definition, and what it refers to besides what the text does.
        """
        raise NotImplementedError

    def replaced(self, thing: Any) -> Any:
        """Return what stands for something that a function refers to."""
        if isinstance(thing, types.CellType):
            try:
                inner = thing.cell_contents
            except ValueError:  # it has no value yet
                return thing
            return types.CellType(self.function(inner)) if is_generated(inner) else thing
        return self.function(thing) if is_generated(thing) else thing


class _Instrumenting(Recompiler):
    """Lets each statement tell who watches."""

    def edit(
        self, text: FunctionText, node: ast.FunctionDef, filename: str, first: int
    ) -> tuple[ast.FunctionDef, dict[str, Any]]:
        """Return the definition of a function with calls that tell of its statements."""
        watched = WatchedFunction(text, filename, first)
        body = _Statements(watched, text.text).body(node)
        made = ast.FunctionDef(
            name=node.name, args=node.args, body=body, decorator_list=[], returns=None
        )
        made.type_params = []  # type: ignore[attr-defined]
        ast.copy_location(made, node)
        ast.fix_missing_locations(made)

        def entered(**arguments: Any) -> Any:
            return enter(watched, arguments)

        return made, {_ENTER: entered}


class _Statements:
    """Puts calls around the statements of one function."""

    def __init__(self, function: WatchedFunction, text: str) -> None:
        self.function = function
        self.lines = text.splitlines()

    def body(self, node: ast.FunctionDef) -> list[ast.stmt]:
        """The statements of the function."""
        args = node.args
        names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
        given = [ast.keyword(name, _load(name)) for name in names]
        first = ast.Assign(
            [ast.Name(_HERE, ast.Store())], ast.Call(_load(_ENTER), [], given), lineno=node.lineno
        )
        first = ast.fix_missing_locations(ast.copy_location(first, node.body[0]))
        return [first, *self.suite(node.body)]

    def suite(self, nodes: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Some statements, one after the other."""
        return [made for node in nodes for made in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """One statement, with what tells of it."""
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr):
            plain = node.value is None or isinstance(node.value, ast.Constant)
            if (plain and isinstance(node, ast.Expr | ast.AnnAssign)) or _reads_frames(node):
                return [node]
            return self.simple(node)
        if isinstance(node, ast.For):
            site = self.site(node, _named([node.target]))
            head = self.calls(node, site, node.target)
            return [_like(node, ast.For, body=[*head, *self.suite(node.body)])]
        if isinstance(node, ast.If | ast.While | ast.With | ast.Try | ast.TryStar):
            return [self.compound(node)]
        return [node]

    def compound(self, node: Any) -> ast.stmt:
        """A statement with statements in it."""
        changed: dict[str, Any] = {}
        for name in ("body", "orelse", "finalbody"):
            if getattr(node, name, None):
                changed[name] = self.suite(getattr(node, name))
        if getattr(node, "handlers", None):
            changed["handlers"] = [
                _like(h, ast.ExceptHandler, body=self.suite(h.body)) for h in node.handlers
            ]
        return _like(node, type(node), **changed)

    def simple(self, node: Any) -> list[ast.stmt]:
        """A statement that assigns, returns or calls."""
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        site = self.site(node, _named([t for t in targets if t is not None]))
        number = len(self.function.sites) - 1
        seen = _Expressions(site).visit(node.value) if node.value is not None else None
        begin = _statement(node, _call("begin", ast.Constant(number)))
        if isinstance(node, ast.Return):
            value = ast.Constant(None) if seen is None else seen
            made = ast.Return(_call("returned", value))
            return [begin, ast.fix_missing_locations(ast.copy_location(made, node))]
        made = _like(node, type(node), value=seen)
        values = [_load(name) for name in site.targets]
        return [begin, ast.fix_missing_locations(made), _statement(node, _call("end", *values))]

    def calls(self, node: ast.stmt, site: Site, target: ast.expr) -> list[ast.stmt]:
        """What tells that a loop has given its names values."""
        number = len(self.function.sites) - 1
        values = [_load(name) for name in site.targets]
        return [
            _statement(target, _call("begin", ast.Constant(number))),
            _statement(target, _call("end", *values)),
        ]

    def site(self, node: ast.stmt, targets: tuple[str, ...]) -> Site:
        """Note a statement."""
        first, last = node.lineno, node.end_lineno or node.lineno
        if isinstance(node, ast.For):
            last = node.iter.end_lineno or first
        rows = self.lines[first - self.function.first : last - self.function.first + 1]
        text = " ".join(row.strip() for row in rows)
        place = self.function.text.places.get(first - self.function.first + 1)
        site = Site(self.function, node, text, targets, place)
        self.function.sites.append(site)
        return site


class _Expressions:
    """Lets the values of expressions be seen."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def visit(self, node: Any) -> Any:
        """An expression with what tells of its value, and of those of its parts."""
        if isinstance(node, _PASSED | ast.Constant):
            return node
        if isinstance(node, _WHOLE):
            return self.seen(node, node)
        if isinstance(node, ast.Call):
            return self.seen(node, self.called(node))
        if isinstance(node, ast.Subscript):
            return self.seen(node, _like(node, ast.Subscript, value=self.visit(node.value)))
        if isinstance(node, ast.Name):
            known = self.site.function.text.source.globals.get(node.id)
            return node if isinstance(known, types.ModuleType) else self.seen(node, node)
        made = _like(node, type(node), **{k: self.parts(v) for k, v in ast.iter_fields(node)})
        if isinstance(node, ast.Attribute):
            return made if node.attr in _OF_SHAPE else self.seen(node, made)
        return self.seen(node, made) if isinstance(node, _COMPUTED) else made

    def parts(self, value: Any) -> Any:
        """What a field of an expression holds, with its expressions seen."""
        if isinstance(value, list):
            return [self.parts(part) for part in value]
        return self.visit(value) if isinstance(value, ast.expr) else value

    def called(self, node: ast.Call) -> ast.Call:
        """A call with its operands seen; the function is none."""
        function = node.func
        if isinstance(function, ast.Attribute):
            function = _like(function, ast.Attribute, value=self.visit(function.value))
        named = [_like(k, ast.keyword, value=self.visit(k.value)) for k in node.keywords]
        args = [self.visit(part) for part in node.args]
        return _like(node, ast.Call, func=function, args=args, keywords=named)

    def seen(self, original: ast.expr, made: ast.expr) -> ast.expr:
        """An expression whose value is seen."""
        self.site.parts.append(original)
        number = ast.Constant(len(self.site.parts) - 1)
        return ast.fix_missing_locations(ast.copy_location(_call("see", number, made), original))


_COMPUTED = ast.BinOp | ast.UnaryOp | ast.IfExp
_WHOLE = ast.ListComp | ast.SetComp | ast.DictComp  # their parts run many times
_PASSED = (  # which run later, or give no numbers
    ast.Lambda | ast.GeneratorExp | ast.JoinedStr | ast.Await | ast.Yield | ast.YieldFrom
)


def _like(node: Any, kind: Any, **changed: Any) -> Any:
    fields = {name: getattr(node, name) for name in node._fields if hasattr(node, name)}
    return ast.copy_location(kind(**{**fields, **changed}), node)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _call(method: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(_load(_HERE), method, ast.Load()), list(args), [])


def _statement(node: ast.AST, call: ast.Call) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


def _named(targets: list[Any]) -> tuple[str, ...]:
    """The names that some targets give values to, or into which they write."""
    found: list[str] = []
    for target in targets:
        if isinstance(target, ast.Tuple | ast.List):
            found += _named(target.elts)
        elif isinstance(target, ast.Name):
            found.append(target.id)
        elif isinstance(target, ast.Starred | ast.Subscript | ast.Attribute):
            found += _named([target.value])
    return tuple(dict.fromkeys(found))


def _reads_frames(node: ast.stmt) -> bool:
    """Whether a statement calls what looks at the frame that it is called from."""
    called = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(isinstance(part, ast.Name) and part.id in _OF_FRAMES for part in called)
