"""The programs of the table with their statements in other places.

What a function gives does not depend on where its statements stand: in a method, in a
constructor, in a property, in a local function, in a generator function. The text of a program
is moved to such a place; its derivatives stay what they are.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

from tests.in_memory import execute

HOUSES: dict[str, str] = {
    "method": """
class House:
    def run(self, {params}):
{body}
def {name}({params}):
    return House().run({names})
""",
    "method of an object with the arguments": """
class House:
    def __init__(self, {params}):
        {held} = {tuple}
    def run(self):
        {tuple} = {held}
{body}
def {name}({params}):
    return House({names}).run()
""",
    "constructor": """
class House:
    def __init__(self, {params}):
{kept}
def {name}({params}):
    return House({names}).kept
""",
    "property": """
class House:
    def __init__(self, {params}):
        {held} = {tuple}
    @property
    def value(self):
        {tuple} = {held}
{body}
def {name}({params}):
    return House({names}).value
""",
    "static method": """
class House:
    @staticmethod
    def run({params}):
{body}
def {name}({params}):
    return House.run({names})
""",
    "call of an object": """
class House:
    def __call__(self, {params}):
{body}
house = House()
def {name}({params}):
    return house({names})
""",
    "subclass": """
class Ground:
    def run(self, {params}):
        return self.floor({names})
class House(Ground):
    def floor(self, {params}):
{body}
def {name}({params}):
    return House().run({names})
""",
    "local function": """
def {name}({params}):
    def house({params}):
{body}
    return house({names})
""",
    "function by name": """
def house({params}):
{body}
def {name}({params}):
    return house({by_name})
""",
    "function that is handed over": """
def house({params}):
{body}
def call(function, *args):
    return function(*args)
def {name}({params}):
    return call(house, {names})
""",
    "function in a dict": """
def house({params}):
{body}
HOUSES = {{"first": house}}
def {name}({params}):
    return HOUSES["first"]({names})
""",
    "comprehension": """
def house({params}):
{body}
def {name}({params}):
    return [house({names}) for _ in range(1)][0]
""",
    "map": """
def house({params}):
{body}
def {name}({params}):
    return list(map(house, {singles}))[0]
""",
    "generator function": """
def house({params}):
{yielded}
def {name}({params}):
    for value in house({names}):
        return value
""",
    "wrapper": """
import functools
def wrap(function):
    @functools.wraps(function)
    def wrapped(*args, **options):
        return function(*args, **options)
    return wrapped
@wrap
def house({params}):
{body}
def {name}({params}):
    return house({names})
""",
    "lambda": """
def house({params}):
{body}
def {name}({params}):
    return (lambda {params}: house({names}))({names})
""",
    "recursion": """
def house(depth, {params}):
    if depth:
        return house(depth - 1, {names})
    else:
{body}
def {name}({params}):
    return house(2, {names})
""",
    "partial": """
import functools
def house({params}):
{body}
def {name}({params}):
    return functools.partial(house, {names})()
""",
    "bound method": """
class House:
    def run(self, {params}):
{body}
def {name}({params}):
    run = House().run
    return run({names})
""",
    "starred list": """
def house({params}):
{body}
def {name}({params}):
    return house(*[{names}])
""",
    "options in a dict": """
def house({params}):
{body}
def {name}({params}):
    options = dict({by_name})
    return house(**options)
""",
    "arguments in a dict": """
def {name}({params}):
    held = dict({by_name})
    {tuple} = tuple(held[key] for key in held)
{inner}
""",
    "defaults": """
def {name}({params}):
    def house({by_name}):
{body}
    return house()
""",
    "list of results": """
def house({params}):
{body}
def {name}({params}):
    results = []
    for _ in range(1):
        results.append(house({names}))
    return results[-1]
""",
    "second of two calls": """
import copy
def house({params}):
{body}
def {name}({params}):
    first = house(*copy.deepcopy(({names},)))
    return house({names}) + 0 * first
""",
    "loop of one trip": """
def {name}({params}):
    for _trip in range(1):
{body}
""",
    "while of one trip": """
def {name}({params}):
    trips = 1
    while trips:
        trips -= 1
{body}
""",
    "branch": """
def {name}({params}):
    if len("house") == 5:
{body}
    else:
        raise ValueError
""",
    "context": """
import numpy
def {name}({params}):
    with numpy.errstate(all="ignore"):
{body}
""",
    "iteration": """
class House:
    def __init__(self, {params}):
        {held} = {tuple}
    def __iter__(self):
        {tuple} = {held}
{yielded}
def {name}({params}):
    return sum(House({names}))
""",
    "operator": """
class House:
    def __init__(self, {params}):
        {held} = {tuple}
    def __add__(self, other):
        {tuple} = {held}
{body}
def {name}({params}):
    return House({names}) + 1
""",
    "item": """
class House:
    def __init__(self, {params}):
        {held} = {tuple}
    def __getitem__(self, key):
        {tuple} = {held}
{body}
def {name}({params}):
    return House({names})["value"]
""",
    "class method": """
class House:
    @classmethod
    def run(cls, {params}):
{body}
def {name}({params}):
    return House.run({names})
""",
    "attributes": """
class House:
    def run(self, {params}):
        {held} = {tuple}
{attributes}
def {name}({params}):
    return House().run({names})
""",
    "keys": """
def {name}({params}):
    held = dict({by_name})
{keys}
""",
    "try": """
def {name}({params}):
    try:
{body}
    finally:
        pass
""",
}


def rehoused(fn: types.FunctionType, house: str) -> Callable[..., Any] | None:
    """Return a function with the statements of another one in another place.

    Args:
        fn: a function, decorated by nothing that changes it.
        house: one of ``HOUSES``.

    Returns:
        The function; None where the statements cannot stand there.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(fn))).body[0]
    text = moved(tree, house) if isinstance(tree, ast.FunctionDef) else None
    if text is None or fn.__closure__:
        return None
    filename = f"<{fn.__module__}.{fn.__name__} in a {house}>"
    space = execute(text, filename, {**fn.__globals__, "__name__": f"rehoused_{fn.__name__}"})
    return space[fn.__name__]


def moved(tree: ast.FunctionDef, house: str) -> str | None:
    """Return the text of a function with its statements in another place; None if they cannot be.

    Args:
        tree: the definition of the function.
        house: one of ``HOUSES``.
    """
    args = tree.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
        return None
    body = [part for part in tree.body if not _is_docstring(part)]
    names = [arg.arg for arg in args.args]
    inside = [part for statement in body for part in _own_parts(statement)]
    if not names or any(isinstance(p, ast.Yield | ast.YieldFrom | ast.Global) for p in inside):
        return None
    if {p.id for p in ast.walk(tree) if isinstance(p, ast.Name)} & {"self", "super", "locals"}:
        return None
    pieces = {
        "name": tree.name,
        "params": ", ".join(names),
        "names": ", ".join(names),
        "tuple": f"({', '.join(names)},)",
        "held": f"({', '.join(f'self.{n}' for n in names)},)",
        "by_name": ", ".join(f"{n}={n}" for n in names),
        "singles": ", ".join(f"[{n}]" for n in names),
        "fields": "\n    ".join(f"{n}: object" for n in names),
        "body": _text(body),
        "inner": textwrap.indent("\n".join(map(ast.unparse, body)), " " * 4),
    }
    if any(f"{{{key}}}" in HOUSES[house] for key in ("attributes", "keys")):
        if any(isinstance(p, _SCOPES) for p in ast.walk(ast.Module(body, []))):
            return None
        local = {p.id for p in inside if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        local |= set(names)
        pieces["attributes"] = _text([_Placed(local, "self.{}").visit(p) for p in _copied(body)])
        keys = [_Placed(local, "held['{}']").visit(p) for p in _copied(body)]
        pieces["keys"] = textwrap.indent("\n".join(map(ast.unparse, keys)), " " * 4)
    for key in ("kept", "yielded"):
        if f"{{{key}}}" in HOUSES[house]:
            made = _with_results(body, key)
            if made is None:
                return None
            pieces[key] = made
    return HOUSES[house].format(**pieces)


_SCOPES = (
    *(ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp),
    *(ast.GeneratorExp, ast.NamedExpr, ast.Match, ast.Import, ast.ImportFrom, ast.ExceptHandler),
)


class _Placed(ast.NodeTransformer):
    """Puts local variables elsewhere.

    Args:
        names: the names of the variables.
        place: the text that stands for one, with its name left open.
    """

    def __init__(self, names: set[str], place: str) -> None:
        self.names, self.place = names, place

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        made = ast.parse(self.place.format(node.id), mode="eval").body
        made.ctx = node.ctx  # type: ignore[attr-defined]
        return made


def _copied(body: list[ast.stmt]) -> list[ast.stmt]:
    return ast.parse("\n".join(map(ast.unparse, body))).body


def _with_results(body: list[ast.stmt], key: str) -> str | None:
    """Return the statements with the last one keeping, or yielding, what they return."""
    returns = [p for s in body for p in _own_parts(s) if isinstance(p, ast.Return)]
    last = body[-1]
    if len(returns) != 1 or returns[0] is not last or last.value is None:
        return None
    value = ast.unparse(last.value)
    end = f"self.kept = {value}" if key == "kept" else f"yield ({value})"
    return _text([*body[:-1], *ast.parse(end).body])


def _own_parts(node: ast.AST) -> list[ast.AST]:
    """The parts of a statement, without those of functions inside of it."""
    found, waiting = [], [node]
    while waiting:
        part = waiting.pop()
        found.append(part)
        if not isinstance(part, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(part)
    return found


def _is_docstring(node: ast.stmt) -> bool:
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant and isinstance(node.value.value, str)


def _text(body: list[ast.stmt]) -> str:
    return textwrap.indent("\n".join(map(ast.unparse, body)), " " * 8)
