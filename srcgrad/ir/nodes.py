"""The nodes of the intermediate representation.

The grammar, in full::

    block    = (equation | if | loop)*
    equation = targets = op(arguments, options)
    if       = if test: block else: block; merges
    loop     = for/while: carried; block
    value    = var | const | items(value*) | struct(value*) | slice | known | closure

A ``Var`` is assigned exactly once. What differs between the two arms of an
``If`` is listed in its merges; what an iteration hands to the next one is
listed in the carried entries of a ``Loop``. There is no other control flow:
``break``, ``continue`` and early ``return`` have become structure before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from srcgrad.ir.types import Type, node


@dataclass(eq=False, slots=True)
class Var:
    """A value computed by one equation (or bound by one parameter).

    What it is called is a proposal, which each pass may better; all other nodes are frozen.

    Attributes:
        name: the name it has, or would have, in source.
        type: what is known about it.
        named: whether the program itself gives it that name.
    """

    name: str
    type: Type
    named: bool = False

    def __repr__(self) -> str:
        return self.name


@dataclass(eq=False, slots=True)
class Perturbation(Var):
    """A zero that is added to a value, for the derivative with respect to that; in no text."""


@node(eq=False)
class Const:
    """A value that is written out in the source: a number, string, None, ...; equal by type too."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const)
            and type(self.value) is type(other.value)
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@node()
class Items:
    """A tuple or list whose length is known; it is never a variable of its own.

    Attributes:
        items: the elements.
        is_list: whether it is a list.
        token: for a list that the function that is lowered has made, what tells it apart;
            see ``Struct``.
        names: the attributes that its elements are, where NumPy returns a named tuple.
    """

    items: tuple[Value, ...]
    is_list: bool = False
    token: Any = field(default=None, compare=False)
    names: tuple[str, ...] = field(default=(), compare=False)

    def like(self, items: Iterable[Value]) -> Items:
        """Return the same kind of sequence with other elements."""
        return Items(tuple(items), self.is_list, self.token, self.names)


@node(eq=False)
class Struct:
    """A dict, named tuple, dataclass or object; it is never a variable of its own.

    An assignment to one of its parts makes another value of it, with the same token.

    Attributes:
        form: what parts it has, see ``ir.forms``.
        items: the parts, in the order of the form's names.
        token: tells apart the objects that the function that is lowered has made, and may
            write to; None for all others.
    """

    form: Any
    items: tuple[Value, ...]
    token: Any = None

    def like(self, items: Iterable[Value]) -> Struct:
        """Return the same kind of object with other parts."""
        return Struct(self.form, tuple(items), self.token)


@node(eq=False)
class Super(Struct):
    """What ``super()`` gives: an object whose methods are looked up behind a class.

    Attributes:
        after: the class.
    """

    after: Any = None


@node()
class Slice:
    """A slice inside an index."""

    lower: Value
    upper: Value
    step: Value


@node(eq=False)
class Known:
    """A module, function, class or other object that a free name stands for."""

    object: Any
    name: str = ""


@node()
class Derivative:
    """Which derivative of a function is meant.

    Attributes:
        kind: the name of the function of the interface that gives it.
        wrt: a position, a name, or a tuple of them.
        has_aux: whether the function returns ``(value, auxiliary)``.
    """

    kind: str
    wrt: Any = 0
    has_aux: bool = False


@node(eq=False)
class Closure:
    """A local function or lambda, with the variables that it captured.

    Attributes:
        node: its libcst definition.
        source: the ``Source`` of the function that contains it.
        captured: the values of the enclosing function's variables it uses.
        name: a name for it.
        derivatives: which derivative of it is meant, the one that is taken first
            comes first; none for the function itself.
        again: whether calls of it keep nothing, so that it runs again.
    """

    node: Any
    source: Any
    captured: tuple[tuple[str, Value], ...]
    name: str
    derivatives: tuple[Derivative, ...] = ()
    again: bool = False


@node(eq=False)
class Pullback:
    """The backward function that a call of ``vjp`` gave.

    Attributes:
        residuals: what it needs, which is what its name stands for in the text.
        function: the generated function of the residuals and a cotangent.
    """

    residuals: Value
    function: Any


@node(eq=False)
class Method:
    """An attribute of a value that is about to be called."""

    receiver: Value
    name: str


Value = Var | Const | Items | Struct | Slice | Known | Closure | Pullback | Method
Compound = Items | Struct  # what has parts


@node()
class Op:
    """What an equation does.

    Attributes:
        fn: the function object that is called, or one of the markers below.
        style: how it is written: ``call``, ``method`` (first argument is the
            receiver) or ``attribute``.
        name: the name of the method or attribute.
    """

    fn: Any
    style: str = "call"
    name: str = ""


def acts(op: Op) -> bool:
    """Tell whether an operation stands in a derivative for more than what it gives.

    So does a message: another rank waits for it, whoever reads what it leaves here.
    """
    fn = op.fn
    return fn in ACTING if isinstance(fn, Marker) else getattr(fn, MESSAGE, False)


MESSAGE = "__srcgrad_message__"  # what functions have that send to other ranks, or receive


class Marker:
    """An operation that is no Python function of its own."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class Part:
    """The operation of reading a part of what a call gives, which nothing else reads.

    Attributes:
        path: the keys and places that lead there.
    """

    path: tuple[Any, ...]

    def __repr__(self) -> str:
        return "".join(f"[{key!r}]" for key in self.path)

    @property
    def arity(self) -> tuple[int, int]:
        """The numbers of operands and of results."""
        return 1, 1


OPAQUE = Marker("opaque")  # an inactive expression that is kept as text
LIST_NEW = Marker("list_new")  # (*leaves of the elements) -> list
LIST_APPEND = Marker("list_append")  # (list, *leaves) -> list
LIST_POP = Marker("list_pop")  # (list) -> (list, *leaves)
LIST_INSERT = Marker("list_insert")  # (list, index, *leaves) -> list
LIST_TAKE = Marker("list_take")  # (list, index) -> (list, *leaves)
LIST_ITEM = Marker("list_item")  # (list, index) -> leaves
LIST_SET = Marker("list_set")  # (list, index, v) -> list
RANGE_ITEM = Marker("range_item")  # (start, index, step) -> integer
LIST_REVERSED = Marker("list_reversed")  # (list) -> list
INDEX_ADD = Marker("index_add")  # (array, index, v) -> array
INDEX_SET = Marker("index_set")  # (array, index, v) -> array
ADD_AT = Marker("add_at")  # (array, index, v) -> array, repeated indices add up
WRITES = (INDEX_ADD, INDEX_SET, ADD_AT)
LIST_WRITES = (LIST_APPEND, LIST_POP, LIST_SET, LIST_INSERT, LIST_TAKE)
RETURNED = Marker("returned")  # (*tangents of the leaves of the result), at a return statement
PAIR = Marker("pair")  # a call of a function that is split in two
RECORDED = Marker("recorded")  # a call of a function that is recorded while it runs
INTERCEPT = Marker("intercept")  # (value, *what the text reads) -> value; see Interception
READ = Marker("read")  # (part of what may be unassigned) -> value, where the program reads it
PERTURB = Marker("perturb")  # (value, perturbation) -> value
INTERCEPTED = Marker("intercepted")  # (cotangent, *what the text reads) -> cotangent
FINAL = Marker("final")  # (cotangent) -> what a function of the user's gives in its place
ACTING = (RETURNED, INTERCEPTED, FINAL)  # what stands in a derivative for more than what it gives


@node(eq=False)
class Origin:
    """Where in the forward source an equation comes from.

    Attributes:
        statement: the libcst statement, None in generated code.
        node: the libcst expression that computes the value.
        source: the ``Source`` that contains it.
    """

    statement: Any
    node: Any
    source: Any


class MemoryNote(Enum):
    """What an equation does to memory, or what is known of the memory of its result."""

    IN_PLACE = "its first operand is written"
    MAY_WRITE = "its operand may have been written"
    KEPT = "its operand may be reached from here on in ways that are not known"
    HIDDEN = "its result may be reached in ways that are not known"
    OWN = "its result is an array of its own"


@node(eq=False)
class Equation:
    """``targets = op(*args, **options)``.

    The payload is a ``MemoryNote``, or what an operation needs besides its operands.
    """

    targets: tuple[Var, ...]
    op: Op
    args: tuple[Value, ...]
    options: tuple[tuple[str, Value], ...] = ()
    origin: Origin | None = None
    payload: Any = None

    @property
    def may_write(self) -> bool:
        """Whether it stands for a write into its first operand, or for one that may have been."""
        return self.payload in (MemoryNote.IN_PLACE, MemoryNote.MAY_WRITE)


@node(eq=False)
class Merge:
    """After an ``If``, ``out`` is ``then`` or ``orelse``."""

    out: Var
    then: Value
    orelse: Value


@node(eq=False)
class If:
    """A branch. ``frames`` are the regions of its two arms (forward code only)."""

    test: Value
    then: tuple[Statement, ...]
    orelse: tuple[Statement, ...]
    merges: tuple[Merge, ...]
    origin: Origin | None = None
    frames: tuple[Any, Any] = (None, None)


@node(eq=False)
class Carried:
    """A variable that an iteration hands to the next.

    ``param`` is its value at the start of an iteration: ``init`` in the first,
    ``next`` of the previous one in the others; ``out`` after the loop.
    """

    param: Var
    init: Value
    next: Value
    out: Var


@node(eq=False)
class Loop:
    """A loop, forward or backward.

    Attributes:
        carried: the loop-carried variables.
        body: the statements of one iteration.
        index: counts iterations from 0; in a backward loop it counts down.
        header: what is iterated over; see ``frontend.loops.Header`` for forward
            loops, the ``Frame`` of the forward loop for backward ones.
        frame: the region of the body (forward code only).
    """

    carried: tuple[Carried, ...]
    body: tuple[Statement, ...]
    index: Var
    header: Any = None
    origin: Origin | None = None
    frame: Any = None


Statement = Equation | If | Loop
Block = tuple[Statement, ...]


@dataclass(eq=False)
class Function:
    """A lowered function.

    Attributes:
        source: the ``Source`` it was read from (its tree normalised).
        params: parameter names with the values bound to them, in order.
        body: its statements.
        result: the value it returns.
        layout: where everything stands in the text, see ``frontend.layout``.
        written: the arrays among its arguments that it writes into, as ``Written``.
        replaced: how it reads the objects among its arguments whose parts it replaces.
        objects: what it was given, and may write to, with what that is at its end.
        exposed: what it was given, or gives, that its caller writes into before its backward part.
        outside_exposed: whether a caller writes into what may be reached from outside by then.
        perturbed: the last parameters, which no text has: what is differentiated inside of it.
        memory: what its variables share memory with, once that is asked; see ``roots_in``.
    """

    source: Any
    params: tuple[tuple[str, Value], ...]
    body: Block
    result: Value
    layout: Any
    written: tuple[Any, ...] = ()
    replaced: tuple[str, ...] = ()
    objects: tuple[tuple[Compound | Var, Value], ...] = ()
    exposed: frozenset[Var] = frozenset()
    outside_exposed: bool = False
    perturbed: tuple[tuple[str, Value], ...] = ()
    memory: Any = None


def variables(value: Value) -> Sequence[Var]:
    """Return the variables that a value contains, closures' captures included."""
    if isinstance(value, Var):
        return (value,)
    kind = type(value)
    if kind is Const or kind is Known:
        return ()
    if isinstance(value, Compound):
        parts: Iterable[Value] = value.items
    elif isinstance(value, Slice):
        parts = (value.lower, value.upper, value.step)
    elif isinstance(value, Closure):
        parts = (part for _, part in value.captured)
    elif isinstance(value, Pullback):
        return variables(value.residuals)
    elif isinstance(value, Method):
        return variables(value.receiver)
    else:
        return ()
    return [var for part in parts for var in variables(part)]


def uses(equation: Equation) -> list[Var]:
    """Return the variables that an equation reads."""
    found: list[Var] = []
    for arg in equation.args:
        if type(arg) is Var:  # most are, and this is asked often
            found.append(arg)
        elif type(arg) is not Const:
            found += variables(arg)
    for _, option in equation.options:
        found += variables(option)
    return found


def equations(block: Block) -> list[Equation]:
    """Return the equations of a block, those in branches and loops included."""
    if {*map(type, block)} <= {Equation}:  # as most blocks
        return [*block]  # type: ignore[list-item]
    found: list[Equation] = []
    for statement in block:
        if isinstance(statement, Equation):
            found.append(statement)
        elif isinstance(statement, If):
            found += equations(statement.then)
            found += equations(statement.orelse)
        else:
            found += equations(statement.body)
    return found


def targets_of_block(block: Block) -> list[Var]:
    """The variables that a block defines, in its order."""
    found: list[Var] = []
    for statement in block:
        if isinstance(statement, Equation):
            found += statement.targets
        elif isinstance(statement, If):
            found += [*targets_of_block(statement.then), *targets_of_block(statement.orelse)]
            found += [m.out for m in statement.merges]
        else:
            found += [c.param for c in statement.carried]
            found += targets_of_block(statement.body)
            found += [c.out for c in statement.carried]
    return found


def is_active(value: Value) -> bool:
    """Whether a value depends on an argument that is being differentiated."""
    if type(value) is Var:  # most are
        return value.type.active
    return any(var.type.active for var in variables(value))


def embed(value: Any) -> Value:
    """Return the value for an object that is known when code is generated."""
    if value is None or isinstance(value, bool | int | float | complex | str):
        return Const(value)
    return Known(value)
