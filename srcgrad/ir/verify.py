"""The verifier: what must hold of the intermediate representation between passes.

Every pass relies on these:

- a variable is assigned once;
- it is read only where it is defined: what an arm or an iteration binds leaves
  it through merges and carried entries only, and a backward block reads a
  variable of a forward region only where it goes back through that region;
- a merged or carried value is of no other kind and rank than its parts, and it
  is active if one of its parts is;
- activity is not lost: a real result of active operands is active, or the
  operation is declared nondifferentiable;
- each operation has the operands that it takes;
- the layout knows where each variable of a forward part is computed;
- the cotangent of a variable has the variable's rank;
- tangents stand in the regions of the forward part that they belong to;
- after simplification, nothing is left that no result needs.

Passes call the verifier with what they made. What lowering gives is always checked: a
function that does not hold what it must is recorded, and gives no wrong number. The passes
behind it are checked by whoever sets ``backward`` and ``tangents``, which the tests do;
``printed`` writes out the part of a function that has a fault.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from srcgrad.errors import InternalError
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    LIST_ITEM,
    OPAQUE,
    PAIR,
    Block,
    Carried,
    Const,
    Equation,
    Function,
    If,
    Loop,
    Merge,
    Method,
    Statement,
    Value,
    Var,
    acts,
    is_active,
    variables,
)
from srcgrad.ir.operands import operand_problem
from srcgrad.ir.types import (
    COMMUNICATOR,
    FLOAT_LIMITS,
    GENERATOR,
    OPTIONAL,
    SEQUENCE,
    SPARSE,
    Contents,
    Type,
)
from srcgrad.program.foreign import Foreign
from srcgrad.registry import is_nondifferentiable

backward: Any = None
tangents: Any = None
printed: Any = None


def verify_function(pass_name: str, function: Function) -> None:
    """Check a lowered function."""
    _Forward(pass_name, function).run()


def verify_backward(*made: Any, **options: Any) -> None:
    """Have what a pass has made of a backward block checked."""
    if backward is not None:
        backward(*made, **options)


def verify_tangents(*made: Any, **options: Any) -> None:
    """Have what a pass has made of the tangents of a function checked."""
    if tangents is not None:
        tangents(*made, **options)


_KINDS = {"array", "scalar", "numeric", "shape", "list", "slice", "opaque"}
_DTYPES = ("f", "c", "i", "b", "?")
_MARKS = (SPARSE, OPTIONAL, SEQUENCE, GENERATOR, COMMUNICATOR.element, FLOAT_LIMITS.element)


@functools.lru_cache(maxsize=4096)  # most variables have one of few types
def type_problem(type_: Type) -> str | None:
    """Tell what is impossible about a type, or None."""
    if type_.kind not in _KINDS:
        return f"the unknown kind {type_.kind}"
    if type_.dtype not in _DTYPES:
        return f"the unknown element type {type_.dtype}"
    if type_.kind == "scalar" and type_.shape != ():
        return "a number with dimensions"
    if type_.kind in ("slice", "opaque") and type_.shape is not None:
        return f"a shape of kind {type_.kind}"
    if type_.kind == "list" and type_.shape is not None and type_.ndim != 1:
        return "a list of another length than one number"
    is_mark = type_.element in _MARKS or isinstance(type_.element, Foreign | Contents)
    held = None if is_mark else type_.element
    if type_.kind != "list" and held is not None:
        return f"elements of kind {type_.kind}"
    if type_.active and type_.dtype in ("i", "b"):
        return "an active value of integers or booleans"
    dims = type_.shape if isinstance(type_.shape, tuple) else ()
    if not all(n is None or isinstance(n, str) or (isinstance(n, int) and n >= 0) for n in dims):
        return f"the impossible shape {type_.shape}"
    return None


def _type_of(value: Value) -> Type | None:
    """The type of a value that a merge or a loop hands on; None where it says nothing."""
    if isinstance(value, Var):
        return value.type
    if isinstance(value, Const) and isinstance(value.value, bool | int | float | complex):
        return Type("scalar", ())
    return None


def same_kind(whole: Type, value: Value) -> bool:
    """Whether a value may be one of those that a variable of some type stands for."""
    part = _type_of(value)
    if part is None or whole.kind == "opaque":
        return True
    if whole.ndim is not None and part.ndim is not None and whole.ndim != part.ndim:
        return False
    return (whole.kind == "list") == (part.kind == "list")


Shown = Merge | Carried | str  # what a message quotes


class Checker:
    """Walks the blocks of a function and raises at the first fault."""

    def __init__(self, pass_name: str, function: Function) -> None:
        self.pass_name = pass_name
        self.function = function
        self.layout = function.layout
        self.assigned: set[Var] = set()

    def fail(self, problem: str, statement: Statement | None, extra: Shown = "") -> InternalError:
        spots = []
        origin = None if statement is None else statement.origin
        if origin is not None and origin.source is not None:
            if origin.source.line_of(origin.statement) is not None:
                spots = [origin.source.spot(origin.statement)]
        return InternalError(
            f"after {self.pass_name} of {self.function.source.name}: {problem}",
            spots=spots,
            why="" if printed is None else printed(self.function, extra or statement),
            fixes=["report it, with the function that was differentiated"],
        )

    def assign(self, targets: Iterable[Any], statement: Statement | None, scope: set[Var]) -> None:
        for var in targets:
            if not isinstance(var, Var):
                raise self.fail(f"{var!r} is assigned, which is no variable", statement)
            if var in self.assigned:
                raise self.fail(f"{var.name} is assigned twice", statement)
            problem = type_problem(var.type)
            if problem is not None:
                raise self.fail(f"{var.name} is {problem}", statement)
            self.assigned.add(var)
            scope.add(var)

    def read(
        self, value: Value, scope: set[Var], statement: Statement | None, shown: Shown
    ) -> None:
        for var in variables(value):
            if var not in scope and not self.elsewhere(var):
                raise self.fail(f"{var.name} is read where it is not defined", statement, shown)

    def elsewhere(self, var: Var) -> bool:
        """Whether a variable is a global or closed-over name."""
        return bool(self.layout.bindings.get(var)) and var not in self.layout.definitions

    def equation(self, eq: Equation, scope: set[Var]) -> None:
        for value in [*eq.args, *(v for _, v in eq.options)]:
            if type(value) is Var and value in scope:
                continue  # most are
            self.read(value, scope, eq, "")
            for leaf in leaves(value):
                if isinstance(leaf, Method) or is_undefined(leaf):
                    raise self.fail(f"the operand {leaf!r} is no value", eq)
        if not eq.targets:
            raise self.fail("an equation without a target", eq)
        self.assign(eq.targets, eq, scope)
        problem = operand_problem(eq)
        if problem is not None:
            raise self.fail(problem, eq)

    def hand_on(self, name: str, whole: Var, parts: list[Value], statement, shown: Shown) -> None:
        """Check that a variable can stand for each of some values."""
        for part in parts:
            if not same_kind(whole.type, part):
                raise self.fail(
                    f"{name} {whole.name} has another kind than a part", statement, shown
                )

    def block(self, block: Block, scope: set[Var]) -> None:
        for statement in block:
            if isinstance(statement, Equation):
                self.equation(statement, scope)
            elif isinstance(statement, If):
                self.branch(statement, scope)
            else:
                self.loop(statement, scope)

    def branch(self, node: If, scope: set[Var]) -> None:
        self.read(node.test, scope, node, "")
        arms = []
        for k, arm in enumerate((node.then, node.orelse)):
            inner = set(scope)
            self.enter(node, k)
            self.block(arm, inner)
            arms.append(inner)
            for merge in node.merges:
                value = merge.orelse if k else merge.then
                self.read(value, inner, node, merge)
            self.leave()
        for merge in node.merges:
            self.hand_on("the merge", merge.out, [merge.then, merge.orelse], node, merge)
            self.assign([merge.out], node, scope)

    def loop(self, node: Loop, scope: set[Var]) -> None:
        for c in node.carried:
            self.read(c.init, scope, node, c)
        inner = set(scope)
        self.enter(node, None)
        self.index(node, inner)
        self.assign([c.param for c in node.carried], node, inner)
        self.block(node.body, inner)
        for c in node.carried:
            self.read(c.next, inner, node, c)
        self.leave()
        for c in node.carried:
            # sums of arrays may begin with a number
            parts = [c.next] if isinstance(c.init, Const) else [c.init, c.next]
            self.hand_on("the carried", c.param, parts, node, c)
            self.hand_on("the carried", c.out, parts, node, c)
        self.assign([c.out for c in node.carried], node, scope)

    def enter(self, node: Any, arm: int | None) -> None:
        raise NotImplementedError

    def leave(self) -> None:
        raise NotImplementedError

    def index(self, node: Loop, scope: set[Var]) -> None:
        raise NotImplementedError


def is_undefined(value: Value) -> bool:
    """Whether a value stands for a name that may not have been assigned."""
    return isinstance(value, Const) and type(value.value).__name__ == "Undefined"


class _Forward(Checker):
    def run(self) -> None:
        function = self.function
        scope: set[Var] = set()
        self.frames = [self.layout.function]
        given = dict.fromkeys(v for _, value in function.params for v in variables(value))
        self.assign(given, None, scope)
        self.block(function.body, scope)
        if is_undefined(function.result) or isinstance(function.result, Method):
            raise self.fail("it returns no value", None)
        self.read(function.result, scope, None, "in its result")

    def assign(self, targets: Iterable[Any], statement: Statement | None, scope: set[Var]) -> None:
        targets = list(targets)
        super().assign(targets, statement, scope)
        for var in targets:
            self.placed(var, statement)

    def placed(self, var: Var, statement: Statement | None) -> None:
        """The layout must agree with the structure about where a variable is computed."""
        definition = self.layout.definitions.get(var)
        if definition is None:
            if not isinstance(statement, Loop):  # no text stands for what is unset when it begins
                raise self.fail(f"the layout does not know {var.name}", statement)
        elif definition.frame is not self.frames[-1]:
            raise self.fail(f"the layout has {var.name} in another region", statement)

    def enter(self, node: Any, arm: int | None) -> None:
        frame = node.frame if arm is None else node.frames[arm]
        if frame is None or frame.parent is not self.frames[-1]:
            raise self.fail("a region that does not stand in the one around it", node)
        self.frames.append(frame)

    def leave(self) -> None:
        self.frames.pop()

    def index(self, node: Loop, scope: set[Var]) -> None:
        self.assign([node.index], node, scope)
        for value in node.header.values:
            self.read(value, scope, node, "")

    def equation(self, eq: Equation, scope: set[Var]) -> None:
        super().equation(eq, scope)
        fn = eq.op.fn
        active = any(is_active(v) for v in (*eq.args, *(v for _, v in eq.options)))
        live = [t for t in eq.targets if t.type.active]
        if live and not active and fn is not PAIR and not acts(eq.op):
            raise self.fail(f"{live[0].name} is active, and no operand is", eq)
        if not active or live or fn in (PAIR, LIST_ITEM, OPAQUE) or _is_metadata(fn):
            return
        if any(t.type.dtype not in ("i", "b") for t in eq.targets):
            if not is_nondifferentiable(fn) and not _reports(fn):
                raise self.fail("the activity of an operand is lost", eq)

    def hand_on(self, name: str, whole: Var, parts: list[Value], statement, shown: Shown) -> None:
        super().hand_on(name, whole, parts, statement, shown)
        if any(is_active(p) for p in parts) and not whole.type.active:
            if whole.type.dtype not in ("i", "b"):
                raise self.fail(
                    f"{name} {whole.name} loses the activity of a part", statement, shown
                )


def _is_metadata(fn: Any) -> bool:
    return type(fn).__name__ == "Metadata"


def _reports(fn: Any) -> bool:
    """Whether a callable belongs to logging."""
    owner = getattr(fn, "__self__", None)
    return type(owner).__module__ == "logging" or getattr(fn, "__module__", "") == "logging"
