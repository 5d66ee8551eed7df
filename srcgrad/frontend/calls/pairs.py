"""Called functions, lowered once for each kind of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analysis.memory.arguments import separate_arguments
from srcgrad.analysis.memory.writes import require_unaliased
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.passed_axes import hand_in, pattern
from srcgrad.analysis.shapes.results import type_of
from srcgrad.analysis.shapes.whole_numbers import passed_on
from srcgrad.errors import SourceNotFoundError, SrcgradError, UnsupportedSyntaxError
from srcgrad.frontend.containers.handed_objects import (
    activated,
    changeable_lists,
    new_leaves,
    objects_in,
    pattern_of,
    require_known,
    tokens_for,
    without_objects,
)
from srcgrad.frontend.containers.lists import template
from srcgrad.frontend.containers.parameters import anonymous, describe, formal, ranked, widened
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.statements.functions import (
    lower_function,
    nested_source,
    prepare,
    prepare_constructor,
)
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    Closure,
    Compound,
    Const,
    Function,
    Items,
    Known,
    Value,
    Var,
)
from srcgrad.ir.types import OPTIONAL, REAL, Dim, Type
from srcgrad.ir.verify import verify_function

_DEPTH = 3  # calls of one function inside each other that may each have types of their own


@dataclass(eq=False)
class Pair:
    """A called function, split into a forward and a backward function.

    Attributes:
        name: the function's name.
        function: the lowered function; None while it is being lowered.
        extras: names of the parameters that were added for captured variables,
            with the parameter that each belongs to (empty for its own captures).
        lifted: whether it was a local function.
        assumed: what a recursive call assumes of the result.
        patterns: backward functions asked for, by which results have a cotangent.
        suffix: what tells its functions from those of others with its name.
        written: where the arrays stand among its arguments that it writes into: which
            argument, and which of its leaves.
        packed: whether the result of ``function`` has what it hands back behind it.
        holding: what it returns, where that holds objects that it was given; the result of
            ``function`` has None in their places.
        indifferent: whether nothing was asked of the lengths that its whole numbers are.
        params: what its parameters stand for.
    """

    name: str
    function: Function | None = None
    extras: list[tuple[str, str, str]] = field(default_factory=list)
    lifted: bool = False
    assumed: Any = None
    recursive: bool = False
    python: Any = None
    roots: Any = None
    patterns: dict[tuple[bool, ...], Any] = field(default_factory=dict)
    suffix: str | None = None
    written: tuple[tuple[int, int], ...] = ()
    packed: bool = False
    holding: Value | None = None
    indifferent: bool = True
    params: Sequence[tuple[str, Value]] = ()

    @property
    def shown(self) -> Value:
        """What the function returns, without what it hands back in its arguments."""
        assert self.function is not None
        if self.holding is not None:
            return self.holding
        result = self.function.result
        return result.items[0] if self.packed and isinstance(result, Items) else result

    @property
    def ends(self) -> tuple[Var, ...]:
        """What the arguments hold at its end that it writes into: arrays, parts of objects."""
        result = self.function.result if self.function is not None else None
        return result.items[1:] if self.packed and isinstance(result, Items) else ()  # type: ignore

    def arrays(self, values: Sequence[Value]) -> list[Value]:
        """Those of the caller's values that it writes into, given the arguments of a call."""
        return [leaves(values[position])[leaf] for position, leaf in self.written]

    def label(self, context: Any, kind: str) -> str:
        """What its forward or backward function is called; numbered as they are called first."""
        if self.suffix is None:
            known = context.namesakes.setdefault(self.name, [])
            known.append(self)
            self.suffix = "" if len(known) == 1 else f"_{len(known)}"
        return f"{self.name}_{kind}{self.suffix}"


@dataclass(frozen=True, eq=False)
class Again:
    """The arguments with which the backward part calls a function again.

    Attributes:
        args: those that are passed by position.
        options: those that are passed by name.
        copied: which of them the function writes into, by position or by name: it is given
            a copy of each.
    """

    args: tuple[Value, ...]
    options: tuple[tuple[str, Value], ...]
    copied: frozenset[int | str]


@dataclass(frozen=True, eq=False)
class CallSite:
    """One call of a pair.

    Attributes:
        pair: what is called.
        node: the libcst call.
        added: (parameter, expression text) of arguments that must be added.
        skipped: how many of the first arguments in the text are not passed.
        unpassed: the keywords in the text that are not passed.
        always: whether the forward function must be called even if nothing is kept of it,
            because the text of the call does not stand for it.
        versions: the arrays of the caller that it has written, as they are then.
        again: for a call that keeps nothing, the arguments with which the backward part
            calls the forward function again.
    """

    pair: Pair
    node: Any
    added: tuple[tuple[str, str], ...]
    skipped: int = 0
    unpassed: tuple[str, ...] = ()
    always: bool = False
    versions: list[Var] = field(default_factory=list)
    again: Again | None = None

    def passed(self, args: list[Any]) -> list[Any]:
        """The arguments in the text that are passed on."""
        return [
            arg
            for arg in args[self.skipped :]
            if arg.keyword is None or arg.keyword.value not in self.unpassed
        ]


def pair_for(b: Builder, callee, name: str, bound, node) -> tuple[Pair, dict[str, Value]]:
    """The pair of a called function for the arguments of a call, and what it captured."""
    context = b.context
    given = [value for _, value, _ in bound] + [held for _, held in _captures(callee, bound)]
    tokens = tokens_for(b, given)
    params, extras, found, added, own = formal(context, callee, bound, tokens)
    identity = id(callee.node) if isinstance(callee, Closure) else id(callee.object)
    changeable = changeable_lists(b, [*(v for _, v, _ in bound), *extras.values()])
    wanted = _Wanted(
        callee, name, node, found, extras, added, own, changeable, identity, context.lengths
    )
    depth = context.lowering.count(identity)
    if not depth:
        inside = [v for _, v in (*params, *added)]
        outside = [*(v for _, v, _ in bound), *extras.values()]
        hand_in(context.lengths, inside, outside)
        told = passed_on(context.lengths, inside, outside)
        return _with_numbers(b, wanted, params, told), extras
    params = _covered(b, wanted, params)
    if wanted.key(params) not in context.pairs:  # one pair for arrays of any lengths
        widen = ranked if depth < _DEPTH else widened
        params = [(n, widen(v)) for n, v in params]
    return _found_or_made(b, wanted, params), extras


def _covered(
    b: Builder, wanted: _Wanted, params: list[tuple[str, Value]]
) -> list[tuple[str, Value]]:
    """The parameters of a recursive call, as those of a call around it where these say no more."""
    for key, pair in b.context.pairs.items():
        if pair.function is None and key[0] == wanted.identity:
            rows = zip(pair.params, params, strict=True)
            found = [(n, held if _covers(held, v) else v) for (_, held), (n, v) in rows]
            if wanted.key(found) == key:
                return found
    return params


def _covers(general: Value, value: Value) -> bool:
    """Whether a parameter without derivative that is known less well stands for a value, too."""
    if not isinstance(general, Var) or not isinstance(value, Var):
        return False
    one, other = general.type, value.type
    if one.active or other.active or other.kind not in ("opaque", "numeric"):
        return False
    return one.kind == "opaque" or (one.kind == "numeric" and one.shape is None)


@dataclass(frozen=True, eq=False)
class _Wanted:
    """A called function of which a pair is wanted, but for what its parameters stand for."""

    callee: Any
    name: str
    node: Any
    found: list[tuple[str, str, str]]
    extras: dict[str, Value]
    added: list[tuple[str, Value]]
    own: Closure | None
    changeable: Any
    identity: int
    lengths: Lengths

    def key(self, params: list[tuple[str, Value]], told: Any = ()) -> Any:
        """What tells its pairs apart."""
        told = (*pattern(self.lengths, [v for _, v in (*params, *self.added)]), *told)
        held = tuple(describe(v) for v in self.extras.values())
        objects = pattern_of([v for _, v in (*params, *self.added)]), self.changeable
        types = anonymous((tuple(describe(v) for _, v in params), held))
        return (self.identity, types, objects, *told)


def _with_numbers(
    b: Builder, wanted: _Wanted, params: list[tuple[str, Value]], told: dict[Var, Dim]
) -> Pair:
    """The pair of a function that may be told which lengths its whole numbers are.

    Where it does not ask for them, or calls itself with others, it is not told.
    """
    context = b.context
    plain, full = wanted.key(params), wanted.key(params, [(v.name, n) for v, n in told.items()])
    if full in context.pairs or not told:
        return _found_or_made(b, wanted, params, full if told else plain)
    general = context.pairs.get(plain)
    if general is not None and general.indifferent:
        return general
    context.lengths.values |= told
    pair = context.pairs[full] = _made(b, wanted, params, plain)
    del context.pairs[plain]
    pair.indifferent = not any(var in context.lengths.asked for var in told)
    if not pair.recursive and not pair.indifferent:
        if general is not None:
            context.pairs[plain] = general
        return pair
    for var in told:
        del context.lengths.values[var]
    del context.pairs[full]
    if pair.indifferent and not pair.recursive:
        context.pairs[plain] = pair
        return pair
    return _found_or_made(b, wanted, params)


def _found_or_made(
    b: Builder, wanted: _Wanted, params: list[tuple[str, Value]], key: Any = None
) -> Pair:
    key = key or wanted.key(params)
    pair = b.context.pairs.get(key) or _made(b, wanted, params, key)
    general = b.context.pairs.get(wanted.key([(n, ranked(v)) for n, v in params]))
    if general is not None and wanted.identity not in b.context.lowering:
        pair = b.context.pairs[key] = general  # that of its own recursive calls
    return pair


def _made(b: Builder, wanted: _Wanted, params: list[tuple[str, Value]], key: Any) -> Pair:
    """Lower a called function; its pair is known under a key from the start."""
    context, added = b.context, wanted.added
    inside = [v for _, v in (*params, *added)]
    pair = Pair(wanted.name, extras=wanted.found, lifted=wanted.own is not None, params=params)
    pair.python = wanted.callee  # keeps the object alive whose id is in the key
    numbers = [type_of(v) for _, v in params if isinstance(v, Var) and type_of(v).is_number]
    if numbers and all(t.is_scalar for t in numbers):  # checked when it has been lowered
        pair.assumed = Var("value", REAL.with_active(True))
    else:
        pair.assumed = Var("value", Type("numeric", None, "f", True))
    context.pairs[key] = pair
    context.lowering.append(wanted.identity)
    try:
        places = (leaf for value in inside for leaf in leaves(value))
        lists = [leaf for leaf, may in zip(places, wanted.changeable, strict=True) if may]
        _lower_pair(b, pair, wanted.callee, wanted.own, params, added, wanted.node, lists)
    except BaseException:
        del context.pairs[key]
        raise
    finally:
        context.lowering.pop()
    return pair


def _captures(callee: Value, bound: Any) -> list[tuple[str, Value]]:
    """What the local functions captured that a call is about."""
    closures = [callee, *(part for _, value, _ in bound for part in leaves(value))]
    found: list[tuple[str, Value]] = []
    while closures:
        closure = closures.pop()
        if isinstance(closure, Closure):
            found += closure.captured
            closures += [held for _, held in closure.captured]
    return found


def visible(callee: Any, own: Any, params: list, added: list) -> list[tuple[str, Value]]:
    """The names inside a called function that stand for something from the start."""
    everything = [*params, *added]
    if own is not None:
        everything += [(n, v) for n, v in own.captured if isinstance(v, Closure)]
        everything += [(n, v) for n, v in own.captured if isinstance(v, Known)]
        everything.append((callee.name, own))
    return everything


def unnamed_in(own: Closure | None) -> frozenset[str]:
    """The functions that a local function captured, which its text names and is not given."""
    held = () if own is None else own.captured
    return frozenset(name for name, value in held if isinstance(value, Known))


def _lower_pair(b: Builder, pair: Pair, callee, own, params, added, node, changeable: Any) -> None:
    if isinstance(callee, Known) and isinstance(callee.object, type):
        source = prepare_constructor(callee.object, b.context)
    elif isinstance(callee, Closure):
        source = nested_source(callee.source, callee.node, callee.name, b.context)
    else:
        try:
            source = prepare(callee.object, b.context, listed=True)
        except SourceNotFoundError as error:
            spots = () if node is None else (b.source.spot(node),)
            raise error.at(error.spots or spots) from None
    everything = visible(callee, own, params, added)
    known = set(b.context.pairs)

    guesses: list[Value] | None = None
    for _ in range(12):
        try:
            function = lower_function(b.context, source, everything, changeable, unnamed_in(own))
        except SrcgradError:
            if not guesses:
                raise
            pair.assumed = guesses.pop(0)
            continue
        held = () if own is None else own.captured
        function.layout.captured = frozenset(n for n, value in held if isinstance(value, Closure))
        function.params = (*params, *added, *function.perturbed)
        if function.perturbed and pair.recursive:
            raise b.refuse(
                node, "a derivative inside of a function that calls itself", "write a loop"
            )
        if activated(function, changeable):
            continue
        if not pair.recursive:
            break
        first, guesses = guesses is None, guesses or []
        if first:
            guesses = _guesses(pair, function.result, params)
        fixed = template(function.result) == template(pair.assumed)
        if fixed and not (first and guesses):
            break
        if guesses:
            better = guesses.pop(0)
        elif contains_itself(pair.assumed, function.result):
            raise b.refuse(
                node,
                "a function that calls itself, and keeps what these calls give inside of what it "
                "gives,",
                "write a loop",
            )
        else:
            better = assumable(function.result)
            if template(better) == template(pair.assumed):
                break
        pair.assumed = better
        for other in set(b.context.pairs) - known:  # they relied on what was assumed before
            del b.context.pairs[other]
    else:
        raise UnsupportedSyntaxError(
            f"the recursion of {pair.name} gives results of ever different structure",
            spots=[b.source.spot(node)],
            fixes=["return the same structure on every path"],
        )
    if function.written or function.objects or objects_in([function.result]):
        _hand_out(b, pair, function, node)
    pair.function = function
    verify_function("handing out what is written", function)
    if not source.is_generated:  # else it was looked at before
        require_unaliased(function, called=True)
    elif len(leaves(function.result)) > _READABLE:  # each has a cotangent with a name of its own
        raise b.refuse(
            node,
            f"a derivative of {pair.name}, which keeps more than {_READABLE} values for its "
            "backward part,",
            "call fewer functions that call each other twice",
        )
    separate_arguments(function, called=True)


# from how many values on the text of a second derivative is no text that anybody reads
_READABLE = 100


def _guesses(pair: Pair, result: Value, params: list[tuple[str, Value]]) -> list[Value]:
    """What the result of a recursive function may be, to be tried one after the other.

    A guess under which the function gives what was guessed is right: so it is after one call,
    and then after one more. The last one is what was assumed at first, which is always right.
    """
    if not isinstance(result, Var) or not result.type.is_number or result.type.dtype != "f":
        return []
    if isinstance(result.type.shape, tuple) or not result.type.active:
        return []
    shapes = [type_of(v).shape for _, v in params if type_of(v).kind == "array"]
    known = [s for s in dict.fromkeys(shapes) if isinstance(s, tuple) and s and None not in s]
    made = [Var("value", Type("array", shape, "f", True)) for shape in known[:2]]
    number = [] if result.type.kind == "array" else [Var("value", REAL.with_active(True))]
    return [*number, *made, pair.assumed]


def _hand_out(b: Builder, pair: Pair, function: Function, node: Any) -> None:
    """Let a function also give back what it has made of its arguments."""
    changes = function.written or function.objects
    if (pair.recursive and changes) or not all(isinstance(w.end, Var) for w in function.written):
        raise b.refuse(
            node,
            f"this call of {pair.name}, which writes into its arguments,",
            "return what is new instead",
        )
    require_known(b, function, pair.name, node)
    if pair.recursive:
        return
    given = {held.token for held in objects_in(value for _, value in function.params)}
    without = without_objects(function.result, given)
    if without is not function.result:
        pair.holding, function.result = function.result, without
    pair.written = tuple((w.position, w.leaf) for w in function.written)
    ends = (*(w.end for w in function.written), *new_leaves(function))
    if ends:
        pair.packed = True
        function.result = Items((function.result, *ends))


def assumable(value: Value) -> Value:
    """Return a value with the structure of a result, whose shapes are unknown."""
    if isinstance(value, Compound):
        return value.like(map(assumable, value.items))
    if isinstance(value, Const) and not isinstance(value.value, int | float | complex):
        return value
    type_ = type_of(value)
    if not type_.is_number:
        return value
    shape = type_.shape if type_.shape == () else None
    mark = OPTIONAL if type_.element is OPTIONAL else None
    return Var("value", Type(type_.kind, shape, type_.dtype, type_.dtype not in ("i", "b"), mark))


def contains_itself(assumed: Value, result: Value) -> bool:
    """Whether a part of a result is once more what a part around it was assumed to be.

    What a recursive function keeps for its backward part contains what its calls kept: written
    out, its structure would never end.
    """
    before = template(assumed)

    def walk(old: Any, new: Any, around: tuple[Any, ...]) -> bool:
        if not isinstance(new, tuple):
            return False
        if not isinstance(old, tuple):
            return _form(new) in around
        if len(old) != len(new):
            return False
        around = (*around, _form(old))
        return any(walk(p, q, around) for p, q in zip(old, new, strict=True))

    return walk(before, template(result), ())


def _form(part: Any) -> Any:
    return tuple(map(_form, part)) if isinstance(part, tuple) else None
