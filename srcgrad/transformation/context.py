"""What one transformation shares between the functions it goes through."""

from __future__ import annotations

from functools import partial
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
    """The state of one transformation."""

    def __init__(self, facts: Facts | None = None, demands: Demands | None = None) -> None:
        self.lengths = Lengths()  # names of lengths and what was assumed of them
        # what was read of the state of the program, and is relied on
        self.facts = Facts() if facts is None else facts
        # what was asked for when code was generated before
        self.demands = Demands() if demands is None else demands
        self.pairs: dict[Any, Any] = {}  # the called functions that were split, by key
        self.namesakes: dict[str, list[Any]] = {}  # those that have functions of their own, by name
        self.names: dict[str, Any] = {}  # names in use in the generated module
        self.formula_pairs: dict[Any, Any] = {}  # formulas that are called out of line
        # for calls, what is kept of them; all backward functions share it
        self.kept: dict[Any, Any] = {}
        # identities of the functions that are being lowered, outermost first
        self.lowering: list[int] = []
        # values that the text makes sure are no None where they are returned
        self.given: set[Any] = set()
        # the tangent rules of formulas, by the types they are for
        self.tangent_rules: dict[Any, Any] = {}
        # the kinds of arguments, arrays or numbers, whose gradients have to be cast to the
        # argument's dtype where the program computes in another one
        self.casts: frozenset[str] = frozenset()
        # 0 where all arguments have double precision, 1 where all have one less than that, and 2
        # where several meet
        self.precisions = 0
        self.uniform = False  # whether all that is differentiated is known to have one precision
        # the derivatives that are being generated inside each other, outermost first
        self.nesting: tuple[Any, ...] = ()
        self.derived: dict[Any, Any] = {}  # those that were, by what they are of
        # whether cotangents may have fewer axes than what they belong to: while an elementwise
        # function is transposed, whose tangents broadcast by themselves
        self.pointwise = False
        # the called functions that carry tangents along, by pair
        self.forwards: dict[Any, Any] = {}
        self.sweeping: dict[Any, Any] = {}
        self.inferring: set[int] = set()  # calls whose result type is being asked for
        self.reserved: set[str] = set()  # names that the texts of the lowered functions use
        # functions that derivatives inside of this one were written as, by name; True for those
        # that only these call
        self.written: dict[str, Any] = {}
        # whether a number of which it is not known that it is real meets active ones
        self.unsure = False
        self.complex = False  # whether there are complex numbers
        # whether a slope may be infinite, or none, where nothing reads a value
        self.unsettled = False
        # variables that comparisons are made of, whose arithmetic stays as it is
        self.compared: set[Any] = set()
        # whether numbers that count as complex may be real when the code runs
        self.perhaps_real = False
        self.writes = False  # whether the function that is differentiated writes into its arguments
        self.of_cupy = False  # whether the program calls functions of CuPy under their own names
        # for values that no text stands for, others of the same shape
        self.shaped_as: dict[Any, Any] = {}
        self.handed: list[Any] = []  # the functions and classes among the arguments
        self.unknown: frozenset[str] = frozenset()  # the names of those of which nothing is known
        # whether there are iterators among them, which run what was begun outside
        self.runs_outside = False
        self.data = Data()  # what is relied on of lists of data, and whether any may change
        self.purity: Any = None  # which functions of the program have effects, once it was asked
        # the tuples, lists and dicts that names from outside stand for, by identity, each with its
        # namespaces and names
        self.tables: dict[int, tuple[Any, list[partial[Any]]]] = {}
        self.in_code: dict[int, Any] = {}  # lists and dicts that are attributes, by identity
        # the lists and dicts from outside whose contents are in the code, by identity
        self.relied_on: dict[int, Any] = {}
        # those that the program changes, by identity; None where it may be any
        self.changed: dict[int | None, Any] = {}
        # the names inside of functions that are differentiated with respect to
        self.perturbed: tuple[Any, ...] = ()
        self.entry: Any = None  # the user's function that a derivative is taken of
        self.program: Any = None  # the same where calls may be recorded, else None
        self.prepared: list[Any] = []  # the functions whose texts were read
        # the functions of which some statements are functions of their own, with what they are
        # then; see ``generation.outlining``
        self.outlines: dict[Any, Any] = {}
        # whether that function changes nothing, once it was asked
        self.harmless: bool | None = None
        # what the program may change outside of it, once it was asked
        self.changed_state: Any = None
        # the called functions that are recorded while they run, with the numbers of axes of what
        # they give, as far as they are known
        self.recorded: dict[Any, tuple[SrcgradError, Any]] = {}
        self.results: Any = None  # tells what functions that are recorded give
        # the calls that send to other ranks, or receive, which were lowered; None where there are
        # none, or none may be
        self.messages: set[int] | None = None
        # whether messages are told apart by their order alone; both, if by their tags, too
        self.tags: set[bool] = set()
        self.last = False  # whether the text is not to be differentiated again
        self.for_speed = False  # whether arrays that are needed no more are written into again
        # whether that holds for those of the forward part, too: it has no effects
        self.quiet = False
        # whether zeros can be made of a shape alone: all arrays are NumPy's, of double precision
        self.all_double = False
        # how the user wants values to be kept; None where nothing is said of it
        self.wishes: Any = None
        self.reads_unassigned = False  # whether a name is read that may have no value on some way
        self.catches_unassigned = False  # whether a handler may catch what Python raises there

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
