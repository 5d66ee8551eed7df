"""Generating the code of one derivative for one signature: the way through all passes."""

from __future__ import annotations

import functools
import inspect
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import srcgrad.formulas
from srcgrad.analysis.kept.otherwise import Wishes, require_met
from srcgrad.analysis.memory.arguments import separate_arguments
from srcgrad.analysis.memory.exposure import expose
from srcgrad.analysis.memory.writes import require_unaliased
from srcgrad.analysis.shapes.precision import changes_precision
from srcgrad.analysis.shapes.results import type_of
from srcgrad.analysis.shapes.whole_numbers import whole_arguments
from srcgrad.calling.arguments.local_names import LocalName, not_an_argument
from srcgrad.calling.arguments.signature import argument_tests
from srcgrad.calling.arguments.values import GENERIC, as_constant, value_of_argument
from srcgrad.calling.recorded import PolicyWarning, innermost, mode_in_force, outside, region_of
from srcgrad.calling.reuse.finished import Flags, finished, reads_added_columns
from srcgrad.calling.reuse.sharing import Template, offer
from srcgrad.calling.reuse.specialisation import Specialisation
from srcgrad.calling.reuse.stored import store
from srcgrad.calling.transformed import Transform
from srcgrad.emit.derivatives import Derivatives
from srcgrad.emit.primal.returned import skeleton
from srcgrad.emit.twins import without_twins
from srcgrad.errors import ArgumentError, ResultError, SrcgradError, UnsupportedSyntaxError
from srcgrad.frontend.calls.language import lower_function, prepare
from srcgrad.frontend.checks.changed_state import require_kept
from srcgrad.frontend.checks.iterating import holds_iterator
from srcgrad.frontend.checks.messages import messages_of, require_lowered
from srcgrad.frontend.checks.purity import has_effects, of_program
from srcgrad.frontend.containers.lists import leaves
from srcgrad.frontend.state.data_lists import are_among, without_contents
from srcgrad.frontend.state.returned import may_be_missing, require_parts, returned
from srcgrad.frontend.text.names import identifiers
from srcgrad.frontend.text.source import read
from srcgrad.generation.jitted import Jitted, in_own_types, own_dtype
from srcgrad.generation.outlining import outlines
from srcgrad.generation.statements_apart import region_for
from srcgrad.generation.validity import Basis
from srcgrad.ir import verify
from srcgrad.ir.demands import OF_A_CALL, Demands, Specialise, What, satisfied
from srcgrad.ir.leaves import parts_of
from srcgrad.ir.nodes import (
    Closure,
    Compound,
    Const,
    Derivative,
    Function,
    Items,
    Known,
    Struct,
    Value,
    Var,
    variables,
)
from srcgrad.ir.unassigned import UNDEFINED
from srcgrad.late import late
from srcgrad.library.libraries import has_no_numbers
from srcgrad.load.compile import load
from srcgrad.load.texts import FunctionText, owner_of
from srcgrad.program.facts import recording
from srcgrad.program.guards import Facts
from srcgrad.registry import CHANGES
from srcgrad.transformation.context import Context
from srcgrad.transformation.derived import require_perturbed, wanted_of

WORDS = {"grad": "Gradient", "value_and_grad": "Value and gradient"}


def generate(
    transform: Transform, arguments: list[Any] | None, ranks: dict[str, int]
) -> Specialisation:
    """Generate the code of a derivative."""
    srcgrad.formulas.load_used()
    with recording() as known:
        known.add("{0}[0] == {1}", CHANGES, CHANGES[0])
        return _generated(transform, arguments, ranks, known)


def _generated(
    transform: Transform, arguments: list[Any] | None, ranks: dict[str, int], known: Facts
) -> Specialisation:
    function, inner = primal_function(transform, arguments, ranks)
    given = _own_arguments(transform, arguments)
    values: list[Value] = []
    actuals: list[Any] = []
    results = _Results(transform, function, given)

    def made_for(demands: Demands) -> tuple[Demands, _Standing, Context, _Made]:
        nonlocal values, actuals
        apart = demands.asks(What.PARTS)
        values, actuals = bind(transform, given, ranks, apart, not demands.asks(What.ROWS))
        if demands.asks(What.CONTENTS):
            values = list(map(without_contents, values))
        if demands.asks(What.OPTIONS):
            values = [as_constant(*pair) for pair in zip(values, actuals, strict=True)]
        standing = _standing(transform.names, values, actuals)
        if arguments is not None:
            standing = replace(standing, given=arguments, results=results)
        return demands, standing, *_attempt(transform, function, standing, demands)

    possible = Demands() if arguments is None else OF_A_CALL
    if transform.on_final is not None:  # of the last element first
        possible = possible.also([(What.ROWS, None)])
    demands, standing, context, made = satisfied(
        made_for, possible, lambda: prepare(function, Context())
    )
    known.include(context.facts)
    functions, filename, text = load(made.derivatives.functions, made.main)
    recorded = context.recorded.items()
    calls = [(owner_of(callee), refusal, callee) for callee, (refusal, _) in recorded]
    second = functions[made.second] if made.second is not None else None
    main = functions[made.main]
    if transform.jit is not None and arguments is not None and not calls:
        pairs = zip(transform.names, arguments, strict=False)
        numeric = (int, float, complex, np.number, np.ndarray)
        dimensions = {name: np.ndim(x) for name, x in pairs if isinstance(x, numeric)}
        jitted = Jitted([main] if second is None else [main, second], transform.jit, dimensions)
        given_kinds = dict(zip(transform.names, map(own_dtype, arguments), strict=False))
        kinds = [given_kinds.get(name) for name in transform.wanted]
        if second is not None:
            main, second = jitted.pair(main, second)
            second = in_own_types(second, kinds, "vjp")
        else:
            main = in_own_types(jitted.run(main), kinds, transform.kind, transform.has_aux)
        known.add("{0}()", jitted.current)
    tests, test = None, _never
    if arguments is not None:
        known.leave_out(transform.facts)  # which is tested before
        tests = argument_tests(transform.names, values, actuals, context.lengths)
        test = tests.guard(known)
        if inner is not None:
            test = functools.partial(_both, test, inner.guard)
    unsure = context.unsure and not context.complex and arguments is not None
    user = innermost(transform.plain)
    effects = arguments is not None and not context.writes and has_effects(user, context.purity)
    undetermined = transform.forwards and reads_added_columns(made.derivatives.functions)
    unsettled = context.unsettled or (inner is not None and inner.unsettled)
    flags = Flags(unsure, effects, undetermined, context.messages is not None, unsettled)

    def finish(run: Any, backward: Any, flags: Flags = flags) -> tuple[Any, Any]:
        def recording_calls(run: Any) -> Any:
            return late("with_recorded_calls")(transform, run, calls)

        return finished(transform, flags, run, backward, recording_calls if calls else None)

    def finish_watched(run: Any, backward: Any) -> tuple[Any, Any]:
        return finish(run, backward, flags._replace(unsettled=False))

    reads_another = _is_apart(transform) or made.derivatives.lists
    run, backward = finish(main, second)
    checks = ()
    below = () if inner is None else inner.checks
    apart = inner is None or bool(below)
    if tests is not None and apart and flags.shared and not calls:
        checks = ((tests, known), *below)
        names = Specialisation(_never, made.main, made.second, made.slots, text, filename, (), None)
        offer(transform, lambda: Template(transform, checks, functions, names, flags))
    warned = context.wishes is not None and context.wishes.unmet  # as each process is
    if tests is not None and arguments is not None and inner is None and not (calls or warned):
        relied_on = Facts()
        relied_on.include(known)
        relied_on.include(transform.facts)
        store(
            *(transform, arguments, tests, relied_on, made.derivatives.functions),
            *((made.main, made.second), made.slots, flags),
        )

    def written(own: _Standing, **options: Any) -> tuple[Context, _Made]:
        make = functools.partial(_attempt, transform, function, own, **options)
        return satisfied(make, demands, lambda: prepare(function, Context()))

    def reread() -> Any:
        own = replace(standing, portable=True) if _is_apart(transform) else standing
        _, made = written(own, read_again=True)
        return load(made.derivatives.functions, made.main)[0][made.main]

    def again(own: _Standing, other: list[Value]) -> tuple[str, Any]:
        context, made = written(replace(own, values=other))
        return "\n\n".join(f.text for f in made.derivatives.functions), context.lengths

    def portable() -> Specialisation:
        own = replace(standing, portable=True)
        context, made = written(own)
        text = "\n\n".join(f.text for f in made.derivatives.functions)
        changed = replace(
            basis, text=text, lengths=context.lengths, again=functools.partial(again, own)
        )
        return replace(special, text=text, functions=made.derivatives, basis=changed)

    beneath = inner.basis if inner is not None else None
    rounded = "float32" in dict(transform.how.policy or ()).values()
    own = (context.for_speed or rounded) and context.uniform and not context.lengths.only_arrays
    rows = zip(values, actuals, strict=True) if own else ()
    kinds = {var: array.dtype.name for row in rows for var, array in _arrays(*row)}
    lengths, anew = context.lengths, functools.partial(again, standing)
    basis = Basis(transform.names, values, text, lengths, beneath, anew, known.found, kinds)
    for_speed = transform.optimize == "speed"
    special = Specialisation(
        test, run, backward, made.slots, text, filename, made.derivatives, basis,
        calls=tuple(region_of(refusal, owner) for owner, refusal, _ in calls),
        refusal=calls[0][1] if calls else None, finish=finish_watched, reread=reread,
        portable=None if for_speed or not context.all_double else portable,
        checks=checks, apart=reads_another, unsettled=unsettled,
    )  # fmt: skip
    if verify.backward is not None and arguments is not None:
        assert test(*arguments), "generated code does not fit the call that it was made for"
    return special


def _is_apart(transform: Transform) -> bool:
    """Whether derivatives of a text are taken of another one, which is simpler."""
    ways = {way for _, way in transform.how.policy or ()}
    return transform.optimize == "speed" or not ways <= {"recompute"}


@dataclass(frozen=True, eq=False)
class _Standing:
    """What code is generated for."""

    values: list[Value]  # what the parameters stand for
    observed: dict[str, int]  # the lengths of the arguments, and the whole numbers among them
    casts: frozenset[str]  # the kinds of arguments whose gradients may have to be cast
    precisions: int  # how many there are, see ``Context``
    only_arrays: bool  # whether there are arrays of a library that has no numbers; see ``Lengths``
    consumed: bool  # whether there are iterators among the arguments, or objects that hold some
    only_numpy: bool = True  # whether all arrays are NumPy's own
    given: list[Any] | None = None  # the arguments; None where there are none
    # tells what functions that are recorded give; None where there are no arguments
    results: _Results | None = None
    # whether the text is for other libraries and precisions, too: it is saved
    portable: bool = False


class _Results:
    """What called functions give: it is looked at while a program runs."""

    def __init__(self, transform: Transform, program: Any, arguments: Any) -> None:
        self.transform, self.program, self.arguments = transform, program, arguments
        self.known: dict[Any, Any] = {}

    def of(self, callee: Any) -> Any:
        """Return what ``gives`` is for a function, None where its calls give different things."""
        if callee not in self.known:
            self.known[callee] = late("seen_results")(callee, self.run)
        return self.known[callee]

    def run(self) -> Any:
        """Run the program."""
        positional, named = self.transform.passed(tuple(self.arguments))
        return self.program(*positional, **named)


def _standing(names: list[str], values: list[Value], actuals: list[Any]) -> _Standing:
    rows = zip(values, actuals, strict=True)
    arrays = [array for row in rows for _, array in _arrays(*row)]
    return _Standing(
        values,
        *_of_actuals(names, values, actuals),
        only_arrays=any(map(has_no_numbers, arrays)),
        consumed=any(map(holds_iterator, actuals)),
        only_numpy=all(type(array) is np.ndarray for array in arrays),
    )


@dataclass(frozen=True, eq=False)
class _Made:
    """The texts of a derivative, the names of its functions, and what is known of its results."""

    derivatives: Derivatives
    main: str
    second: str | None
    slots: Any


def _attempt(
    transform: Transform,
    function: Any,
    standing: _Standing,
    demands: Demands,
    read_again: bool = False,
) -> tuple[Context, _Made]:
    """Write the texts, with what is known so far.

    Where no code can be generated for a called function, its calls are recorded, if they can be.
    """
    with recording() as facts:
        context = Context(facts, demands)
        context.handed = list(_handed(standing.values))
        context.unknown = frozenset(_unknown(standing.values))
        context.runs_outside = any(holds_iterator(v, False) for v in standing.given or ())
        context.data.relied_on = are_among(standing.values)
        lists = (v for value in standing.values for v in variables(value))
        context.data.rows = any(var.type.kind == "list" for var in lists)
        context.entry = innermost(transform.plain)
        context.last = not read_again
        plain = transform.jit is None and not read_again
        context.for_speed = plain and transform.optimize == "speed"
        if any(transform.memory) and not (transform.forwards or read_again):
            context.wishes = Wishes(
                dict(transform.how.policy or ()), standing.given is not None, transform.jit is None
            )
            context.wishes.budget = transform.how.memory_budget
            if transform.jit is not None and "memmap" in context.wishes.ways.values():
                raise ArgumentError(
                    "policy: what is compiled (jit=) keeps nothing in files",
                    fixes=["take 'recompute' or 'float32'"],
                )
        context.perturbed = tuple(n for n in transform.wanted if isinstance(n, LocalName))
        if context.perturbed and transform.forwards:
            raise not_an_argument(context.perturbed[0])
        if messages_of(of_program(context, innermost(transform.plain)), context.entry):
            context.messages = set()
        alone = not standing.consumed and not context.perturbed  # which text has to be there for
        alone = alone and context.messages is None  # no call runs twice, and none by itself
        if alone and _may_record(transform):
            context.program = context.entry
            context.recorded = {r.callee: (r, transform.given.get(r.callee)) for r in demands.calls}
            for region in demands.regions:
                refusal, _ = context.recorded[region.function]
                gives = transform.seen(region.key, standing.given or ())
                context.recorded[region.function] = refusal, gives
            context.outlines = outlines(demands.regions)
            context.results = standing.results
        try:
            source = prepare(function, context)
            if context.wishes is not None:
                context.wishes.entry = source.function, source.name
            context.keep_names(source, transform.kind)
            made = _write(context, transform, source, standing)
            if context.messages is not None:
                require_lowered(source.lowered_tree, context.messages)
            require_kept(context, standing.values)
            _require_met(transform, context, source)
        except Specialise:
            raise
        except Exception as error:
            if isinstance(error, SrcgradError):
                if context.data.rows and not demands.asks(What.ROWS):
                    raise Specialise(What.ROWS) from None
                _record_alone(transform, standing, context, error)
            if demands.calls and not getattr(error, "unseen", ()):  # which have led to this one
                raise demands.calls[0] from None
            raise
        functions = made.derivatives.functions
        functions += _texts_apart(context, functions)
        made.derivatives.functions = without_twins(functions, {made.main, made.second or ""})
        return context, made


def _require_met(transform: Transform, context: Context, source: Any) -> None:
    """Tell of what is to be kept in some way and is not kept at all."""
    wishes = context.wishes
    derived = getattr(transform.plain, "__srcgrad__", None) is not None
    if wishes is None or derived or not wishes.of_call:
        return
    wishes.unmet = require_met(wishes, source.name, identifiers(source.lowered_tree))
    if wishes.unmet:
        warnings.warn(wishes.unmet, PolicyWarning, stacklevel=outside())


def _record_alone(
    transform: Transform, standing: _Standing, context: Context, error: SrcgradError
) -> None:
    """Ask that the called function or the statements that are refused be recorded alone."""
    demands = context.demands
    if error.callee not in {None, *(region.function for region in demands.regions)}:
        raise Specialise(What.CALLS, refusal=error.at(error.spots)) from None
    if context.program is None:
        return
    region = region_for(transform, standing.given, context, error)
    if region is not None:
        refusal = error.at(error.spots)
        refusal.callee = region.function
        raise Specialise(What.REGIONS, refusal=refusal, region=region) from None


def _texts_apart(context: Context, functions: list[FunctionText]) -> Iterator[FunctionText]:
    """Return the texts of the statements apart that some texts call."""
    if not context.recorded:
        return
    words = {word for f in functions for word in re.findall(r"\w+", f.text)}
    for callee, (refusal, gives) in context.recorded.items():
        known = getattr(callee, "__srcgrad_apart__", None)
        if known is not None and callee.__name__ in words:
            apart = replace(known, refusal=refusal, gives=gives)
            yield FunctionText(callee.__name__, known.text, read(callee), apart=apart)


def _may_record(transform: Transform) -> bool:
    """Whether single calls may be recorded."""
    if transform.forwards and any(p.kind is p.VAR_KEYWORD for p in transform.parameters):
        return False  # its tangents are given by name
    return mode_in_force(None) != "refuse"


def _handed(values: Iterable[Any]) -> Iterator[Any]:
    """The functions and classes that arguments are, or hold."""
    for part in parts_of(values):
        if isinstance(part, Known):
            yield part.object
        elif isinstance(part, Closure):
            yield part.source.function
        elif isinstance(part, Struct) and isinstance(part.form.cls, type):
            yield part.form.cls


def _unknown(values: Iterable[Value]) -> Iterator[str]:
    """The names of the arguments that may be anything but numbers."""
    for value in values:
        if isinstance(value, Var) and value.type.kind == "opaque" and value.type.element is None:
            yield value.name


def primal_function(transform: Transform, arguments: Any, ranks: dict[str, int]):
    """Return the Python function whose text is differentiated, and the code that it is from."""
    function = transform.plain
    inner = getattr(function, "__srcgrad__", None)
    if inner is None:
        return function, None
    inner.current()
    special = inner.specialise(None, ranks) if arguments is None else inner.find(tuple(arguments))
    if special.recorded is not None or special.calls:
        assert special.refusal is not None
        raise special.refusal.at(special.refusal.spots)
    return special.readable, special


def _own_arguments(transform: Transform, arguments: Any) -> Any:
    """The arguments of the function, without the tangents."""
    if transform.forwards and arguments is not None:
        return arguments[: len(transform.parameters)]
    return arguments


def _of_actuals(
    names: list[str], values: list[Value], actuals: list[Any]
) -> tuple[dict[str, int], frozenset[str], int]:
    """The lengths of arguments, the kinds that may need casts, and how many precisions."""
    observed: dict[str, int] = {}
    whole = whole_arguments(names, values)
    for value, actual in zip(values, actuals, strict=True):
        for var, array in _arrays(value, actual):
            shape = zip(var.type.shape or (), array.shape, strict=True)
            observed |= {name: n for name, n in shape if isinstance(name, str)}
        rows = _numbers(value, actual)
        observed |= {whole[var]: n for var, n in rows if var in whole and type(n) is int}
    return observed, *_precisions(values, actuals)


def _write(context: Context, transform: Transform, source: Any, standing: _Standing) -> _Made:
    """Write the texts of a derivative."""
    context.lengths.observed |= standing.observed
    whole = whole_arguments(transform.names, standing.values)
    context.lengths.values |= {v: n for v, n in whole.items() if n in standing.observed}
    context.lengths.only_arrays = standing.only_arrays
    context.casts, context.precisions = standing.casts, standing.precisions
    parameters = list(zip(transform.names, standing.values, strict=True))
    with context.lengths.certain():
        function = lower_function(context, source, parameters)
    context.writes = bool(function.written)
    context.quiet = context.for_speed and not (context.writes or has_effects(context.entry))
    context.uniform = _is_uniform(context, function)
    if context.wishes is not None:
        known = bool(context.lengths.observed) and not (context.recorded or context.precisions)
        context.wishes.double = known and not changes_precision(function, context.facts, False)
    plain = context.uniform and not (context.precisions or context.lengths.only_arrays)
    plain = plain and not context.of_cupy and transform.jit is None
    context.all_double = plain and standing.only_numpy and not standing.portable
    if context.unsure and context.complex and context.demands.may_ask(What.COMPLEX):
        raise Specialise(What.COMPLEX)
    require_parts(source, function.result)
    if any(may_be_missing(v) and v not in context.given for v in leaves(function.result)):
        returned(source, UNDEFINED)
    require_unaliased(function)
    separate_arguments(function)
    require_perturbed(context, function)
    wrt = [wanted_of(function, name) for name in transform.wanted]
    many = isinstance(transform.wrt, tuple | list)
    if not transform.forwards:  # nothing is kept there
        expose(function)
    made = Derivatives(context)
    made.on_final = transform.on_final
    names = ", ".join(
        n if isinstance(n, LocalName) else n.replace(".", "_") for n in transform.wanted
    )
    names = f"({names})" if many else names
    place = place_of(source)
    if transform.kind == "vjp":
        main, second, slots = made.vjp(
            function,
            wrt,
            (
                f"{place}, with what its backward function needs.",
                f"Cotangents of {names} from the cotangent of the result of {place}.",
            ),
        )
        return _Made(made, main, second, slots)
    if transform.kind == "jvp":
        doc = f"Value and tangent of {place} with respect to {names}."
        main, dots = made.jvp(function, wrt, doc)
        return _Made(made, main, None, (dots, [skeleton(value) for value in wrt]))
    if transform.forwards:
        if standing.given is None:
            raise UnsupportedSyntaxError("there is no call that the code is for")
        _require_plain(context, function)
        doc = f"Tangent of {place} with respect to {names}."
        if transform.kind == "tangent":
            main, dots = made.tangent(function, wrt, doc)
            return _Made(made, main, None, (dots, [skeleton(value) for value in wrt]))
        units = transform.kind == "units"
        which = "one for each entry" if units else "one along each direction"
        doc = f"Tangents of {place} with respect to {names}, {which}."
        main, dots, shapes = made.tangents(function, wrt, doc, units)
        return _Made(made, main, None, (dots, [skeleton(value) for value in wrt], shapes))
    require_scalar(function, transform, source)
    doc = f"{WORDS[transform.kind]} of {place} with respect to {names}."
    main = made.joint(
        function,
        wrt,
        transform.kind,
        doc,
        many=many,
        has_aux=transform.has_aux,
        exact=context.demands.of_call,
    ).name
    return _Made(made, main, None, None)


def _require_plain(context: Context, function: Function) -> None:
    """Refuse a tangent without its value where more is asked of it than that it is computed."""
    beside = context.recorded or context.messages is not None
    other = beside or context.precisions or context.complex or context.unsure
    plain = not other and not changes_precision(function, context.facts, False)
    if not plain or context.lengths.only_arrays or context.writes or has_effects(context.entry):
        raise UnsupportedSyntaxError(
            f"a tangent of {function.source.name} without its value is not supported",
            fixes=["take both"],
        )


def source_of(function: Any) -> Any:
    """Return the text of a function, as it is differentiated."""
    return prepare(function, Context())


def place_of(source: Any) -> str:
    """What a docstring says of a function: its name and where it stands."""
    return f"{source.name} ({source.short_filename}:{source.line_of(source.tree) or '?'})"


def _never(*args: Any) -> bool:
    return False


def _both(first: Any, second: Any, *args: Any) -> bool:
    return first(*args) and second(*args)


def bind(
    transform: Transform,
    arguments: Any,
    ranks: dict[str, int],
    apart: bool = False,
    rows: bool = False,
):
    """Return what each parameter stands for, and the arguments."""
    values: list[Value] = []
    actuals: list[Any] = []
    for k, p in enumerate(transform.parameters):
        active = p.name in transform.wanted
        actual: Any = GENERIC
        if arguments is not None:
            actual = arguments[k]
        elif k < len(transform.bound):
            actual = transform.bound[k]
        elif p.default is not inspect.Parameter.empty and not active:
            actual = p.default
            if isinstance(actual, int | float) and not isinstance(actual, bool):
                actual = GENERIC
        if p.kind is p.VAR_KEYWORD:
            actual = {} if actual is GENERIC else actual
            values.append(_options(p.name, actual, transform.wanted, apart))
        elif p.kind is p.VAR_POSITIONAL:
            if actual is GENERIC:
                raise UnsupportedSyntaxError(
                    f"the number of arguments of *{p.name} is not known before a call",
                    fixes=["call the derivative once and ask for its source then"],
                )
            parts = tuple(
                value_of_argument(
                    f"{p.name}_{j}", v, f"{p.name}.{j}" in transform.wanted or active, None, None
                )
                for j, v in enumerate(actual)  # pyright: ignore[reportArgumentType]
            )
            values.append(Items(parts))
        else:
            values.append(
                value_of_argument(
                    p.name, actual, active, ranks.get(p.name), p.annotation, apart, rows
                )
            )
        actuals.append(actual)
    return values, actuals


def _options(name: str, actual: dict[str, Any], wanted: list[str], apart: bool) -> Value:
    """What ``**options`` stands for: a dict, of which some parts may be differentiated."""
    value = value_of_argument(name, actual, name in wanted, None, None, apart)
    for label in wanted:
        base, _, part = label.partition(".")
        if base == name and part:
            if part not in actual:
                raise ArgumentError(
                    f"the argument {part!r} is differentiated and not passed",
                    fixes=["pass it by name"],
                )
            own = value_of_argument(part, actual[part], True, None, None, apart)
            assert isinstance(value, Struct)
            items = zip(value.form.names, value.items, strict=True)
            value = value.like(_like(own, v) if key == part else v for key, v in items)
    return value


def _like(value: Value, named: Value) -> Value:
    """A value whose numbers have the names that they have in another one."""
    if isinstance(value, Compound) and isinstance(named, Compound):
        return value.like(_like(*pair) for pair in zip(value.items, named.items, strict=True))
    if isinstance(value, Var) and isinstance(named, Var):
        return Var(named.name, value.type, named.named)
    return value


def _precisions(values: list[Value], actuals: list[Any]) -> tuple[frozenset[str], int]:
    """Which kinds of arguments may need casts, and how many precisions there are."""
    pairs = list(zip(values, actuals, strict=True))
    found = [
        (var.type.kind, number.dtype)
        for v, a in pairs
        for var, number in _numbers(v, a)
        if var.type.dtype != "b" and hasattr(number, "dtype")
    ]
    real = [(kind, np.finfo(dtype).dtype) for kind, dtype in found if dtype.kind in "fc"]
    types = {dtype for _, dtype in real}
    kinds = {kind for kind, _ in real}
    if any(type(n) in (float, complex) for v, a in pairs for _, n in _numbers(v, a)):
        kinds.add("scalar")  # it takes the precision of what it meets, and its cotangent with it
    if not all(dtype.isnative for _, dtype in found if dtype.kind in "fc"):
        return frozenset(
            kinds
        ), 2  # what is computed from bytes in another order is in the usual one
    if types <= {np.dtype(np.float64)}:
        return frozenset(kinds), 0
    whole = [dtype for _, dtype in found if dtype.kind in "iu"]
    counts = any(isinstance(n, np.integer) for v, a in pairs for _, n in _numbers(v, a))
    several = counts or len(types | {np.result_type(*types, *whole)}) > 1  # 2.0 * np.int8(3)
    return frozenset(kinds), 1 + several


def _is_uniform(context: Context, function: Function) -> bool:
    """Whether all that is differentiated is known to have one precision."""
    known = bool(context.lengths.observed) and not (context.recorded or context.complex)
    single = context.precisions == 1
    return (
        known and context.precisions < 2 and not changes_precision(function, context.facts, single)
    )


def _arrays(value: Value, actual: Any) -> list[tuple[Var, Any]]:
    """The arrays in an argument, with what they stand for."""
    return [(var, array) for var, array in _numbers(value, actual) if var.type.kind == "array"]


def _numbers(value: Value, actual: Any) -> list[tuple[Var, Any]]:
    """The arrays and numbers in an argument, with what they stand for."""
    if actual is GENERIC:
        return []
    if isinstance(value, Compound):
        parts = actual if isinstance(value, Items) else value.form.parts(actual)
        rows = zip(value.items, parts, strict=True)
        return [found for item, part in rows for found in _numbers(item, part)]
    return [(value, actual)] if isinstance(value, Var) and value.type.is_number else []


def require_scalar(function: Function, transform: Transform | Derivative, source: Any) -> None:
    """Refuse a result that has no gradient."""
    result = function.result
    if transform.has_aux:
        if not isinstance(result, Items) or len(result.items) != 2:
            raise ResultError(
                f"{source.name} does not return (value, auxiliary)",
                fixes=["return a tuple of two, or leave has_aux out"],
            )
        result = result.items[0]
    if isinstance(result, Items) or not isinstance(result, Var | Const):
        raise ResultError(
            f"{source.name} returns {len(leaves(result))} values; "
            f"{transform.kind} asks for one real number",
            fixes=["return one of them", "use vjp"],
        )
    known = result.value if isinstance(result, Const) else None
    type_ = type_of(result)
    if isinstance(known, str | bytes | bool) or type_.dtype == "b" or type_.kind == "opaque":
        raise ResultError(
            f"{source.name} returns what is no number, such as text; "
            f"{transform.kind} asks for one real number",
            fixes=["return a number", "use has_aux=True for what else there is to return"],
            recordable=True,
        )
    if not type_.is_number:
        raise ResultError(
            f"{source.name} returns a list; {transform.kind} asks for one real number",
            fixes=["return one of its elements, or their sum", "use vjp"],
        )
    if type_.ndim:
        raise ResultError(
            f"{source.name} returns an array with {type_.ndim} "
            f"dimension{'s' if type_.ndim > 1 else ''}; "
            f"{transform.kind} asks for one real number",
            fixes=["sum it or index it", "use vjp"],
        )
    if type_.dtype == "c":
        raise ResultError(
            f"{source.name} returns a complex number; {transform.kind} asks for a real one",
            fixes=["take its real part", "use vjp"],
            recordable=True,  # it may be known too little of, and be real
        )
