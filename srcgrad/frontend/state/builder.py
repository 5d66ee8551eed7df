"""The state of one lowering, and the operations that build statements."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.models import note_model
from srcgrad.analysis.shapes.results import infer, type_of
from srcgrad.analysis.shapes.whole_numbers import note_whole
from srcgrad.effects import effects_of
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.checks.foreign_values import (
    mark_of_result,
    mark_of_text,
    require_plain_operands,
)
from srcgrad.frontend.checks.outside import may_hold, reads_outside
from srcgrad.frontend.state.data_lists import may_change_by
from srcgrad.frontend.state.handed import hand
from srcgrad.frontend.state.outer_names import outer_value, rely_on
from srcgrad.frontend.state.sparse import as_sparse, gives_array
from srcgrad.frontend.state.versions import captured
from srcgrad.frontend.text.names import names_of_module
from srcgrad.frontend.text.source import Node, Source
from srcgrad.frontend.text.unnamed import Unnamed
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.forms import Spline
from srcgrad.ir.layout import Definition, Frame, Layout, Path
from srcgrad.ir.leaves import leaves, parts_of
from srcgrad.ir.nodes import (
    LIST_ITEM,
    OPAQUE,
    Closure,
    Compound,
    Const,
    Equation,
    Items,
    MemoryNote,
    Method,
    Op,
    Origin,
    Pullback,
    Statement,
    Struct,
    Value,
    Var,
    is_active,
    variables,
)
from srcgrad.ir.structures import name_for
from srcgrad.ir.types import OPAQUE as OPAQUE_TYPE
from srcgrad.ir.types import SPARSE, Parts, Type, like, marked
from srcgrad.ir.unassigned import CHANGES, UNDEFINED, is_open, is_perhaps
from srcgrad.library.libraries import home
from srcgrad.registry import find_formula, may_be_wrapped, refusal_of_complex
from srcgrad.runtime.scipy.solvers import integral, integral_of_array
from srcgrad.transformation.context import Context
from srcgrad.transformation.library_names import qualified_name


def has_unknown(template: Any) -> bool:
    """Whether it is not known of a number, or of one of several, if it is real."""
    if isinstance(template, tuple):
        return any(map(has_unknown, template))
    return template.dtype == "?" and template.is_number


def is_complex(template: Any) -> bool:
    """Whether a number, or one of several, is complex."""
    if isinstance(template, tuple):
        return any(map(is_complex, template))
    return template.dtype == "c"


def may_be_complex(values: tuple[Value, ...], mixed: bool) -> bool:
    """Whether an operand is complex, or not known to be real where that counts as complex."""
    if not mixed:
        return has_complex(values)
    kinds = [type_of(v) for value in values for v in (value, *variables(value))]
    return any(t.dtype == "c" or (t.dtype == "?" and t.is_number) for t in kinds)


def has_complex(values: tuple[Value, ...]) -> bool:
    """Whether an operand, or a part of one, is complex."""
    return any(
        type_of(v).dtype == "c" or any(part.type.dtype == "c" for part in variables(v))
        for v in values
    )


def may_become_complex(fn: Any, args: tuple[Value, ...], made: dict[Any, Any]) -> bool:
    """Whether a power may be complex, as that of a negative number of Python's own."""
    if fn not in (operator.pow, pow) or not any(map(is_active, args)):
        return False
    exponent = args[1].value if isinstance(args[1], Const) else None
    whole = isinstance(exponent, int | float) and exponent == int(exponent)
    known = type_of(args[1]).dtype == "i"
    return not (whole or known) and all(_is_of_python(v, made) for v in args[:2])


def _is_of_python(value: Value, made: dict[Any, Any]) -> bool:
    """Whether a number may be one of Python's, and not of NumPy's."""
    if isinstance(value, Const):
        return True
    if not isinstance(value, Var) or value.type.kind not in ("scalar", "numeric"):
        return False
    equation = made.get(value)
    if equation is None:
        return True
    fn = equation.op.fn
    if fn is operator.getitem or home(fn) == "numpy":
        return False
    operands = equation.args if home(fn) in ("_operator", "builtins") and fn is not float else ()
    return all(_is_of_python(part, made) for part in operands)


def taken_as(template: Any, dtype: str) -> Any:
    """Give numbers of unknown kind one. To count as complex is right for real numbers, too."""
    if isinstance(template, tuple):
        return like(template, [taken_as(part, dtype) for part in template])
    return replace(template, dtype=dtype) if has_unknown(template) else template


_HINTS = {
    operator.add: "sum",
    operator.sub: "diff",
    operator.mul: "prod",
    operator.truediv: "ratio",
    operator.matmul: "prod",
    operator.pow: "power",
    operator.neg: "neg",
    abs: "abs",
}

# Operations that take apart what was put together, and integrals with their errors
_PARTS = (LIST_ITEM, integral, integral_of_array)


_SPOKEN = {"solve": "solution", "sum": "total", "sqrt": "root", "diag": "diagonal"}
_SPOKEN |= {"piecewise": "curve", "basis_spline": "curve", "__call__": "curve"}
OPERATOR_NAMES = frozenset(_HINTS.values())


def hint(op: Op, args: tuple[Value, ...]) -> str:
    """Choose the name that a value would have if it needed one."""
    try:
        if op.fn in _HINTS:
            return _HINTS[op.fn]
    except TypeError:
        pass
    name = op.name or getattr(op.fn, "__name__", "") or "value"
    if name in _SPOKEN:
        return _SPOKEN[name]
    if name in ("getitem", "list_item"):
        name, suffix = "item", ""
        if args and isinstance(args[0], Var) and args[0].named:
            index = args[1] if len(args) > 1 else None
            label = index.name if isinstance(index, Var) and index.named else ""
            return f"{args[0].name}_{label or 'item'}"
    elif len(args) == 1 and isinstance(args[0], Var) and args[0].named:
        suffix = f"_{args[0].name}"
    else:
        suffix = ""
    return f"{name}{suffix}" if name.isidentifier() else "value"


class Builder:
    """Collects the statements of one function while its text is walked.

    Attributes:
        source: the function that is read.
        context: the transformation it belongs to.
        env: what the local names stand for at this place of the text.
        block: the statements of the region that is being filled.
        frame: the region of the text.
        statement: the libcst statement that is being lowered.
        formula: when a derivative formula is being expanded, the ``Expansion``.
        made: how values were computed, by which it is known what is a view of what.
        perturbed: zeros that are added to values, by what is differentiated inside.
        rereads: views that are to be taken again after a branch that is being merged.
    """

    def __init__(self, source: Source, context: Context, formula: Any = None) -> None:
        self.source = source
        self.context = context
        self.env: dict[str, Value] = {}
        self.block: list[Statement] = []
        self.layout = Layout()
        self.frame: Frame = self.layout.function
        self.statement: Any = None
        self.statement_position = 0
        self.conditional = 0
        self.formula = formula
        self.pending: list[Any] = []
        self.result: Value | None = None
        self.local_functions: dict[int, dict[str, Value]] = {}
        self.locals: frozenset[str] = frozenset()
        self.fixed_origin: Origin | None = None
        self.unnamed: frozenset[str] = frozenset()  # captured functions, which are not passed on
        self.careful = False  # whether any statement may have to be written in other words
        self.callee: Any = None
        self.style: tuple[str, str] = ("call", "")
        self.made: dict[Var, Equation] = {}
        self.rereads: list[Statement] = []
        self.perturbed: dict[Any, Any] = {}
        self.merged: dict[tuple[int, int], Any] = {}  # objects after branches, by those before
        self.given: frozenset[Any] = frozenset()  # tokens of the arguments of the derivative
        self.of_known_start: set[Any] = set()  # lists of varying length whose elements were known
        self.newer: dict[Var, Var] = {}  # arrays after a write, by what they were before
        self.several: set[Var] = set()  # what is one of several arrays, it is not known which
        self.outer: dict[tuple[int, str], Var] = {}  # arrays and numbers that are not local
        self.reached: set[Any] = set()  # what a path leads to that the text goes each time
        self.frozen: set[Any] = set()  # tokens of objects that must not be written any more
        self.handed: set[Any] = set()  # those that more may hold than is known, and lists
        self.rewritten: list[Any] = []  # those that were written, one for each write
        self.forgotten: dict[Any, Var] = {}  # by its token, what stands for an object from then on
        # what objects were there, what each iteration binds, and the other names that were there
        self.loops: list[tuple[set[Any], set[str], set[str]]] = []
        self.partial: set[Var] = set()  # what may be of an earlier iteration, or unassigned
        self.begun: set[Var] = set()  # what has no value in the first iteration
        self.derived: set[Var] = set()  # what may be one of these
        self.some: set[Var] = set()  # parts of what is None elsewhere
        self.read_of: dict[Var, Var] = {}  # by the values that are read of them, these and others
        self.read_again: set[str] = set()  # names under which such a value was read
        self.leaves_out = True  # whether code is left out that no iteration has reached
        self.later: list[Any] = []  # why code was left out that no iteration has reached
        self.members: dict[Var, Any] = {}  # members of enums that attributes are
        self.passed: dict[Any, str] = {}  # under which names what was handed to it is now
        self.attributes: dict[Any, tuple[Any, Any]] = {}  # lists and dicts, and how they are read
        self.listed: set[Var] = set()  # lists that tuples were made, to be indexed
        self.looked_up: list[tuple[Any, Value]] = []  # objects read in the statement, and where
        self._order = 0

    @property
    def in_formula(self) -> bool:
        """Whether the text is that of a formula: what those read stays what it is."""
        return self.formula is not None and not self.formula.user

    def refuse(
        self, node: Node | None, what: str, fix: str, why: str = ""
    ) -> UnsupportedSyntaxError:
        """Return the error for a construct that is not supported at a node."""
        return UnsupportedSyntaxError(
            f"{what} is not supported", spots=[self.source.spot(node)], why=why, fixes=[fix]
        )

    def origin(self, node: Node | None) -> Origin:
        """Return where the expression that is being lowered stands."""
        if self.fixed_origin is not None:
            return self.fixed_origin
        return Origin(self.statement, node, self.source)

    def define(self, var: Var, node: Node | None, path: Path = ()) -> Var:
        """Note where a value is computed."""
        self._order += 1
        self.layout.definitions[var] = Definition(
            self.frame,
            self.statement,
            node,
            self.statement_position,
            bool(self.conditional),
            self._order,
            path,
        )
        return var

    def emit(
        self,
        op: Op,
        args: tuple[Value, ...],
        node: Node | None,
        options: tuple[tuple[str, Value], ...] = (),
        type_: Any = None,
        active: bool | None = None,
        payload: Any = None,
    ) -> Value:
        """Append an equation and return its result.

        Args:
            op: the operation.
            args: its positional arguments.
            node: the expression it comes from.
            options: its keyword arguments.
            type_: the type of the result (a tuple of types for several); asked
                of NumPy when not given.
            active: whether the result is active; by default, when an argument is
                and the result is not of integers or booleans.
            payload: what the operation needs besides its arguments.
        """
        for part in args:
            if type(part) is Method and node is not None:
                raise self.refuse(
                    node, f"{part.name!r}, which may be a method, as a value", "call it"
                )
        if type_ is None:
            rely_on(self, *args, *(v for _, v in options))
            type_ = infer(self.context.lengths, op.fn, args, options)
            if op.style == "method" and op.fn is np.copy and type_of(args[0]).kind != "array":
                type_ = replace(type_of(args[0]), active=False)  # of a number, a number
        if SPARSE in [a.type.element for a in args if type(a) is Var]:
            type_ = self._type_with_sparse(op, args, type_)
        if has_unknown(type_):
            operands = (*args, *(v for _, v in options))
            outside = op.fn is OPAQUE and self.context.demands.asks(What.COMPLEX)
            if outside or may_be_complex(operands, self.context.demands.asks(What.COMPLEX)):
                type_ = taken_as(type_, "c")
                self.context.perhaps_real |= outside  # and so may all that is computed with it
            elif self.context.demands.asks(What.COMPLEX):  # what only real numbers went into
                type_ = taken_as(type_, "f")
        active = any(map(is_active, args)) if active is None else active
        if self.formula is None and may_become_complex(op.fn, args, self.made):
            self.context.unsure = True
            if self.context.demands.asks(What.COMPLEX):
                type_ = taken_as(replace(type_, dtype="?"), "c")
        if self.formula is None:
            require_assigned(self, args, node)
            operands = (*args, *(v for _, v in options))
            self.require_real(op, args, options, node)
            if op.fn is not OPAQUE:
                require_plain_operands(self, op, operands, node)
                mark = mark_of_result(op, operands)
                type_ = type_ if mark is None else marked(type_, mark)
            self.note_kinds(type_, args if active else ())
        if active and type_ is OPAQUE_TYPE and find_formula(op.fn) is not None:
            if self.formula is not None:
                raise self.formula.undecided()
            if self.context.demands.may_ask(What.OPTIONS):
                raise Specialise(What.OPTIONS)
            raise self.refuse(
                node,
                "a call whose number of results is not known when code is generated",
                "write the number out",
            )
        wanted = hint(op, args).rstrip("_") or "value"
        is_spline = isinstance(type_, Parts) and isinstance(type_.form, Spline)
        targets: list[Var] = []

        def build(template: Any, name: str, path: Any) -> Value:
            if isinstance(template, Parts) and template.form is not list:
                form = template.form
                rows = enumerate(template)
                labels = ("spline", *form.names[1:]) if is_spline else form.names
                made = [
                    build(t, name_for(labels[k], name), (*path, form.access(k))) for k, t in rows
                ]
                return Struct(form, tuple(made))
            if isinstance(template, tuple):
                parts = enumerate(template)
                items = tuple(build(t, f"{name}_{k}", (*path, k)) for k, t in parts)
                return Items(items, isinstance(template, Parts))
            live = bool(active) and template.dtype not in ("i", "b")
            if op.fn in _PARTS or is_spline:  # these know which of their parts are active
                live = template.active
            var = Var(name, template.with_active(live))
            targets.append(self.define(var, node, path))
            return var

        value = build(type_, wanted, ())
        alone = isinstance(value, Items) and len(targets) < 2 and active
        if alone and op.fn not in _PARTS and not may_be_wrapped(op.fn):
            fix = "call a function, or use an option, that gives the array itself"
            raise self.refuse(node, "a call that gives a tuple of one array", fix)
        if op.fn is not OPAQUE and any(isinstance(arg, Compound) for arg in args):
            if type_ is OPAQUE_TYPE or effects_of(op.fn).views:
                hand(self, args, type_)
        if targets:  # the shape of a number has no parts
            equation = Equation(tuple(targets), op, args, options, self.origin(node), payload)
            self.block.append(equation)
            note_model(self.context.lengths, equation)
            note_whole(self.context.lengths, equation)
            if (len(targets) == 1 or op.fn is LIST_ITEM) and args:
                self.made |= dict.fromkeys(targets, equation)
        return value

    def _type_with_sparse(self, op: Op, args: tuple[Value, ...], type_: Any) -> Any:
        """The type of what comes of sparse matrices."""
        if op.fn is OPAQUE or isinstance(type_, tuple) or any(map(is_active, args)):
            return type_
        if gives_array(op.fn, args):
            return type_
        return as_sparse(type_)

    def note_kinds(self, result: Any, operands: tuple[Value, ...]) -> None:
        """Note whether there are complex numbers, or such as may be complex beside active ones."""
        types = [v.type for a in operands for v in variables(a)]
        dtypes = {t.dtype for t in types}
        if "?" in dtypes and any(t.dtype == "?" and t.is_number and not t.active for t in types):
            self.context.unsure = True
        self.context.complex |= is_complex(result) or "c" in dtypes

    def require_real(self, op: Op, args: Any, options: Any, node: Node | None) -> None:
        """Refuse complex operands where the derivative is only known for real ones."""
        reason = refusal_of_complex(op.fn)
        if reason is None or not any(is_active(a) for a in args):
            return
        if has_complex((*args, *(v for _, v in options))):
            raise self.refuse(
                node,
                f"{qualified_name(op.fn)} of complex numbers that depend on what is being "
                "differentiated",
                "compute with real and imaginary part, or with the absolute value",
                f"{reason[0].upper()}{reason[1:]}.",
            )

    def bind(self, name: str, value: Value, write: bool = True) -> None:
        """Let a local name stand for a value from here on."""
        if self.formula is None and name in names_of_module(self.source.tree):
            raise self.refuse(
                self.statement, f"binding {name!r}, a name of the module,", "assign it"
            )
        self.layout.tick()
        self.env[name] = value
        if write:
            self.layout.write(name, self.frame)
        self.attach(name, value, ())

    def attach(self, name: str, value: Value, path: Path) -> None:
        """Note that a name gives access to all variables inside a value."""
        if is_perhaps(value):
            return  # there may be none
        if isinstance(value, Var):
            if (
                self.formula is None
                and not value.named
                and not path
                and (value.type.kind != "opaque")
            ):
                value.name = name
                value.named = True
                if value in self.read_of and not self.read_of[value].named:
                    self.read_of[value].name = name
            if self.formula is None:
                self.layout.bind(value, name, path, self.frame)
            elif not value.named and not path and value in self.layout.definitions:
                if not name.endswith("_bar"):
                    value.name = name
        elif isinstance(value, Items):
            for k, item in enumerate(value.items):
                self.attach(name, item, (*path, k))
        elif isinstance(value, Pullback):
            self.attach(name, value.residuals, path)
        elif isinstance(value, Struct):
            for k, item in enumerate(value.items):
                access = value.form.access(k)
                if access is not None:
                    self.attach(name, item, (*path, access))

    def hidden_name(self) -> str:
        """A name for an array that no text has, and that nothing else is held under."""
        count = len(self.env)
        while Unnamed("array", count) in self.env:
            count += 1
        return Unnamed("array", count)

    def lookup(self, name: str, node: Node) -> Value:
        """Return what a name stands for: local, captured, global or built-in."""
        if name in self.env:
            value = self.env[name]
            if is_open(value):
                error = self.refuse(
                    node, f"reading {name!r} where it may be unassigned", "assign it before"
                )
                error.later = name if value is UNDEFINED else None
                raise error
            require_one_kind(self, name, value, node)
            self.note_read(name, value)
            if isinstance(value, Compound) or (type(value) is Var and value.type.kind == "list"):
                self.looked_up.append((node, value))
            return value
        if name in self.locals:
            raise self.refuse(
                node, f"reading {name!r} where it may be unassigned", "assign it before"
            )
        return outer_value(self, name, node)

    def note_read(self, name: str, value: Value) -> None:
        """Note that a name is read which may have no value, or that of an earlier iteration."""
        open_ = any(leaf in self.partial or leaf in self.begun for leaf in leaves(value))
        if open_ and self.formula is None:
            self.context.reads_unassigned = True
            require_not_caught(self, self.statement)
        if self.loops and any(leaf in self.partial for leaf in leaves(value)):
            self.read_again.add(name)

    def freeze(self, *values: Value) -> None:
        """Allow no writes any more to objects that may have names not known here."""
        for value in values:
            if isinstance(value, Compound):
                self.freeze(*value.items)
            if isinstance(value, Compound) and value.token is not None:
                self.frozen.add(value.token)

    def active(self, *values: Value) -> bool:
        """Whether any of some values is active."""
        return any(is_active(value) for value in values)

    def one_of(self, node: Node | None, values: Items, index: Value, type_: Type) -> Value:
        """One of several inactive values, of which it is not known which, as text."""
        made = self.opaque(node, [values, index], type_)
        assert isinstance(made, Var)
        self.several.add(made)
        return made

    def opaque(
        self,
        node: Node,
        values: list[Value],
        type_=OPAQUE_TYPE,
        note=None,
        plain: bool = False,
        apart: bool = False,
    ) -> Value:
        """Keep an inactive expression as text.

        Args:
            node: the expression.
            values: what it reads.
            type_: the type of what it gives.
            note: what is known of its memory.
            plain: whether the type is certain.
            apart: whether no object that it reads is in what it gives.
        """
        if self.in_formula:
            raise self.formula.undecided()  # the text of a formula is not there to be kept
        held = captured(self, node, values)
        require_assigned(self, parts_of(values), node)
        if any(map(is_active, held)) and not _is_count(type_):
            raise self.refuse(
                node or self.statement,
                "a function here that reads what is differentiated, and is called elsewhere,",
                "call it by its name",
            )
        name = self.source.tree.name.value
        if any(isinstance(v, Closure) and v is self.env.get(name) for v in values):
            raise self.refuse(  # whose text may stand where no name stands for it
                node or self.statement,
                "a local function that hands itself on to another function",
                "call it by its name",
            )
        may_change_by(self, node)
        values = [*values, *held]
        seen = dict.fromkeys(var for value in values for var in variables(value))
        if note is None and not (isinstance(type_, Type) and type_.is_immutable):
            if any(map(may_hold, values)) or reads_outside(node, self.source, self.env):
                note = MemoryNote.HIDDEN
        if not plain:
            mark = mark_of_text(self, node, values)
            type_ = type_ if mark is None else marked(type_, mark)
        seen |= dict.fromkeys([] if apart else hand(self, values, type_))
        made = self.emit(Op(OPAQUE), tuple(seen), node, (), type_, False, note)
        if isinstance(node, cst.Attribute | cst.Subscript):
            self.reached.add(made)
        return made


def _is_count(type_: Any) -> bool:
    """Whether what is known of a value is that it is made of whole numbers or truth values."""
    if not isinstance(type_, Type):
        return False
    if type_.kind == "list":
        return _is_count(type_.element)
    return type_.is_immutable and type_.dtype in ("i", "b")


def require_one_kind(b: Any, name: str, value: Value, node: Any) -> None:
    """Refuse to read what is a constant in the first iteration of a loop only."""
    if isinstance(value, Const) and value.value is CHANGES:
        raise b.refuse(
            node,
            f"reading {name!r}, which is None or another constant before the loop, and "
            "changes its kind in it,",
            "give it a value of the same kind before the loop, such as zeros",
        )


def require_not_caught(b: Any, node: Any) -> None:
    """Refuse names that may have no value where a handler may catch what Python raises then.

    A forward function that keeps such a name gives it the value nan, and raises nothing.
    """
    context = b.context
    if context.reads_unassigned and context.catches_unassigned:
        raise b.refuse(
            node,
            "a handler that may catch that a name is not assigned",
            "assign the name before, or name the exceptions that are meant",
        )


def require_assigned(b: Any, parts: Iterable[Value], node: Any) -> None:
    """Refuse to read a part of an object of which it is not known what it is."""
    if any(is_open(part) for part in parts):
        raise b.refuse(
            node or b.statement,
            "reading a part of an object that may be one of several values, or unassigned,",
            "give it a name of its own, which is assigned on every path",
        )
