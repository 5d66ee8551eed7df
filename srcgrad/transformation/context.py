"""What one transformation shares between the functions it goes through."""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.errors import SrcgradError
from srcgrad.ir.demands import Demands
from srcgrad.program.guards import Facts


class Data:
    """What is known of lists of data; see ``frontend.state.data_lists``.

    Attributes:
        relied_on: whether code relies on what some lists hold.
        changes: whether something may be put into a list that is not followed.
        rows: whether a loop goes through dicts that nothing is written into while it does.
    """

    def __init__(self) -> None:
        self.relied_on = self.changes = self.rows = False


class Context:
    """The state of one transformation.

    Attributes:
        lengths: names of lengths and what was assumed of them.
        facts: what was read of the state of the program, and is relied on.
        pairs: the called functions that were split, by key.
        namesakes: those that have functions of their own, by name.
        names: names in use in the generated module.
        formula_pairs: formulas that are called out of line.
        kept: for calls, what is kept of them; all backward functions share it.
        lowering: identities of the functions that are being lowered, outermost first.
        tangent_rules: the tangent rules of formulas, by the types they are for.
        casts: the kinds of arguments, arrays or numbers, whose gradients have to be cast to
            the argument's dtype where the program computes in another one.
        precisions: 0 where all arguments have double precision, 1 where all have one less
            than that, and 2 where several meet.
        uniform: whether all that is differentiated is known to have one precision.
        nesting: the derivatives that are being generated inside each other, outermost first.
        derived: those that were, by what they are of.
        pointwise: whether cotangents may have fewer axes than what they belong to:
            while an elementwise function is transposed, whose tangents broadcast
            by themselves.
        forwards: the called functions that carry tangents along, by pair.
        inferring: calls whose result type is being asked for.
        reserved: names that the texts of the lowered functions use.
        written: functions that derivatives inside of this one were written as, by name; True
            for those that only these call.
        demands: what was asked for when code was generated before.
        unsure: whether a number of which it is not known that it is real meets active ones.
        complex: whether there are complex numbers.
        unsettled: whether a slope may be infinite, or none, where nothing reads a value.
        compared: variables that comparisons are made of, whose arithmetic stays as it is.
        perhaps_real: whether numbers that count as complex may be real when the code runs.
        writes: whether the function that is differentiated writes into its arguments.
        given: values that the text makes sure are no None where they are returned.
        of_cupy: whether the program calls functions of CuPy under their own names.
        shaped_as: for values that no text stands for, others of the same shape.
        handed: the functions and classes among the arguments.
        unknown: the names of those of which nothing is known.
        data: what is relied on of lists of data, and whether any may change.
        runs_outside: whether there are iterators among them, which run what was begun outside.
        purity: which functions of the program have effects, once it was asked.
        tables: the tuples, lists and dicts that names from outside stand for, by identity, each
            with its namespaces and names.
        relied_on: the lists and dicts from outside whose contents are in the code, by identity.
        changed: those that the program changes, by identity; None where it may be any.
        perturbed: the names inside of functions that are differentiated with respect to.
        entry: the user's function that a derivative is taken of.
        program: the same where calls may be recorded, else None.
        prepared: the functions whose texts were read.
        outlines: the functions of which some statements are functions of their own, with what
            they are then; see ``generation.outlining``.
        harmless: whether that function changes nothing, once it was asked.
        changed_state: what the program may change outside of it, once it was asked.
        results: tells what functions that are recorded give.
        messages: the calls that send to other ranks, or receive, which were lowered; None where
            there are none, or none may be.
        tags: whether messages are told apart by their order alone; both, if by their tags, too.
        last: whether the text is not to be differentiated again.
        for_speed: whether arrays that are needed no more are written into again.
        all_double: whether zeros can be made of a shape alone: all arrays are NumPy's, of double
            precision.
        quiet: whether that holds for those of the forward part, too: it has no effects.
        wishes: how the user wants values to be kept; None where nothing is said of it.
        reads_unassigned: whether a name is read that may have no value on some way.
        catches_unassigned: whether a handler may catch what Python raises there.
        recorded: the called functions that are recorded while they run, with the numbers of
            axes of what they give, as far as they are known.
    """

    def __init__(self, facts: Facts | None = None, demands: Demands | None = None) -> None:
        self.lengths = Lengths()
        self.facts = Facts() if facts is None else facts
        self.demands = Demands() if demands is None else demands
        self.pairs: dict[Any, Any] = {}
        self.namesakes: dict[str, list[Any]] = {}
        self.names: dict[str, Any] = {}
        self.formula_pairs: dict[Any, Any] = {}
        self.kept: dict[Any, Any] = {}
        self.lowering: list[int] = []
        self.given: set[Any] = set()
        self.tangent_rules: dict[Any, Any] = {}
        self.casts: frozenset[str] = frozenset()
        self.precisions = 0
        self.uniform = False
        self.nesting: tuple[Any, ...] = ()
        self.derived: dict[Any, Any] = {}
        self.pointwise = False
        self.forwards: dict[Any, Any] = {}
        self.sweeping: dict[Any, Any] = {}
        self.inferring: set[int] = set()
        self.reserved: set[str] = set()
        self.written: dict[str, Any] = {}
        self.unsure = False
        self.complex = False
        self.unsettled = False
        self.compared: set[Any] = set()
        self.perhaps_real = False
        self.writes = False
        self.of_cupy = False
        self.shaped_as: dict[Any, Any] = {}
        self.handed: list[Any] = []
        self.unknown: frozenset[str] = frozenset()
        self.runs_outside = False
        self.data = Data()
        self.purity: Any = None
        self.tables: dict[int, tuple[Any, list[tuple[Any, str]]]] = {}
        self.relied_on: dict[int, Any] = {}
        self.changed: dict[int | None, Any] = {}
        self.perturbed: tuple[Any, ...] = ()
        self.entry: Any = None
        self.program: Any = None
        self.prepared: list[Any] = []
        self.outlines: dict[Any, Any] = {}
        self.harmless: bool | None = None
        self.changed_state: Any = None
        self.recorded: dict[Any, tuple[SrcgradError, Any]] = {}
        self.results: Any = None
        self.messages: set[int] | None = None
        self.tags: set[bool] = set()
        self.last = False
        self.for_speed = False
        self.quiet = False
        self.all_double = False
        self.wishes: Any = None
        self.reads_unassigned = False
        self.catches_unassigned = False

    def template(self, value: Any) -> Any:
        """Return a value of the same shape and dtype that stands in the text."""
        while value in self.shaped_as:
            value = self.shaped_as[value]
        return value

    def keep_names(self, function: Any, kind: str) -> None:
        """Let no called function take the names that the derivative itself will have."""
        names = [name_of_derivative(function.name, kind)]
        if kind == "vjp":
            names = [f"{function.name}_forward", f"{function.name}_backward"]
        self.names |= dict.fromkeys(names, function)

    def name(self, wanted: str, thing: Any, taken: set[str] | frozenset[str] = frozenset()) -> str:
        """Return a name for a thing in the generated module, the same one each time."""
        for name, owner in self.names.items():
            if owner is thing:
                return name
        name, count = wanted, 1
        while (
            name in self.names
            or name in taken
            or name in self.reserved
            or self.written.get(name, thing) is not thing
        ):
            count += 1
            name = f"{wanted}_{count}"
        self.names[name] = thing
        return name

    def unused(self, wanted: str, thing: Any) -> str:
        """Return a name that no derivative inside of this one was written under."""
        return self.name(wanted, thing) if wanted in self.written else wanted


def name_of_derivative(name: str, kind: str) -> str:
    """Return what a generated function is called: the tangent of a gradient is a product.

    Example:
        >>> name_of_derivative("loss", "grad"), name_of_derivative("loss_grad", "tangent")
        ('loss_grad', 'loss_hvp')
    """
    if kind == "tangent" and name.endswith("_grad"):
        return f"{name.removesuffix('_grad')}_hvp"
    return f"{name}_{kind}"
