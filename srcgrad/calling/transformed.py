"""Transforming a function, and choosing at each call the code that fits its arguments."""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import sys
import types
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.calling.arguments.lazy import holds_lazy, require_lengths, require_no_views
from srcgrad.calling.arguments.local_names import LocalName, not_an_argument
from srcgrad.calling.arguments.stand_ins import misfit, stands_for_library
from srcgrad.calling.arguments.targets import names_of_wrt, unwrap
from srcgrad.calling.dispatch import make_dispatch, write_dispatch
from srcgrad.calling.options import BY_DEFAULT, TEXTS, Options
from srcgrad.calling.recorded import (
    MOST,
    Misfit,
    PolicyWarning,
    Recorded,
    announce,
    holding,
    innermost,
    mode_in_force,
    outside,
    refusal_of,
)
from srcgrad.calling.reuse.sharing import keep, kept
from srcgrad.calling.reuse.specialisation import Specialisation
from srcgrad.calling.reuse.stored import stand_ins
from srcgrad.errors import ArgumentError, MutationError, SrcgradError
from srcgrad.late import LOCK, ComputedOnce, late
from srcgrad.program import facts
from srcgrad.program.compiled_functions import compiler_of
from srcgrad.program.primals import primal_of

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
UNSEEN = object()
_seen: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Let no garbage be collected meanwhile: trees and modules that are loaded are no garbage.

    Looking through them, and through all modules that are loaded, takes about a
    tenth of the time of a transformation.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


class Transform:
    """One derivative of one function, for whatever arguments it is called with.

    Args:
        function: the function to differentiate.
        kind: ``grad``, ``value_and_grad``, ``vjp`` or ``jvp``; ``tangent`` for that of a
            result without the result, ``tangents`` for those along many directions, ``units``
            for those along all units, in the order of the entries of the argument.
        wrt: position, name, or a tuple of them.
        has_aux: whether the function returns ``(value, auxiliary)``.
        ranks: numbers of dimensions of some parameters, by name.
        options: how it is computed.
        found: where to list what is recorded; a list of its own by default.
    """

    def __init__(
        self,
        function: Any,
        kind: str,
        wrt: Any = 0,
        has_aux: bool = False,
        ranks: dict[str, int] | None = None,
        options: Options = BY_DEFAULT,
        found: list[Recorded] | None = None,
    ) -> None:
        self.function = function
        self.kind = kind
        self.wrt = wrt
        self.has_aux = has_aux
        self.ranks = dict(ranks or {})
        self.how = options
        self.memory = options.policy, options.memory_budget
        self.check_finite, self.on_final = options.check_finite, options.on_final
        self.options = {"wrt": wrt, "has_aux": has_aux, **options.given()}
        self.recorded: list[Recorded] = [] if found is None else found
        self.given: dict[Any, Any] = {}  # what recorded calls gave: the numbers of axes
        self.regions: dict[Any, Any] = {}  # statements that may be recorded alone, by their keys
        self.specialisations: list[Specialisation] = []
        self.shared: list[Specialisation] = []
        self.asked: list[Any] | None = None
        # what runs on the tape where code gives nan, and what tells whether runs differ
        self.beside: Specialisation | None = None
        self.differs: Callable[[Any, Any], bool] | None = None
        self.table: list[tuple[Any, Any]] = []
        self._read()

    def _read(self) -> None:
        """Read what is called, and its parameters."""
        with facts.recording() as read:
            self.plain, self.bound = unwrap(self.function)
            inner = getattr(self.plain, "__srcgrad__", None)
            if inner is None:
                self.parameters = list(facts.signature(self.plain).parameters.values())
            else:  # a derivative of a method has its object bound already
                inner.current()
                self.bound, self.parameters = inner.bound, inner.parameters
        self.facts = read  # what could not be read is read again at the next call
        around = (
            inner.mode if inner is not None else getattr(self.function, "__srcgrad_mode__", None)
        )
        self.jit = self.how.jit or (inner.jit if inner is not None else None)
        self.jit = self.jit or compiler_of(primal_of(self.function))
        self.optimize = self.how.optimize or (inner.optimize if inner is not None else TEXTS[0])
        self.mode = self.how.recorded or around or ("refuse" if self.jit is not None else None)
        self.names = [p.name for p in self.parameters]
        self.by_position = all(p.kind in _BY_POSITION for p in self.parameters)
        keywords = (p.name for p in self.parameters if p.kind is p.KEYWORD_ONLY)
        self.keywords = frozenset() if self.by_position else frozenset(keywords)
        self.wanted = self.resolve_wrt(self.wrt)
        self.places: dict[int, list[Any]] = {}  # of what is differentiated, by how many are given

    def current(self) -> Transform:
        """Read again what is called, if that is not what it was."""
        if not self.facts.hold():
            with LOCK:
                self.specialisations.clear()
                self.shared.clear()
                self.asked = self.beside = self.differs = None
                self.table.clear()
                self._read()
                if "dispatch" in vars(self):
                    write_dispatch(self, self.dispatch)
        facts.rely_on(self.facts)
        return self

    def resolve_wrt(self, wrt: Any) -> list[str]:
        """Return the names of the differentiated parameters."""
        given = self.parameters[len(self.bound) :]
        return names_of_wrt(wrt, given, self.plain.__name__, self.plain)

    @property
    def forwards(self) -> bool:
        """Whether it carries tangents along."""
        return self.kind in ("jvp", "tangent", "tangents", "units")

    @ComputedOnce
    def dispatch(self) -> Any:
        """The function that a user calls."""
        return make_dispatch(self)

    @ComputedOnce
    def with_value(self) -> Transform:
        """Of a gradient, what gives the value as well."""
        given = self.wrt, self.has_aux, self.ranks, self.how, self.recorded
        return Transform(self.function, "value_and_grad", *given)

    def labels(self) -> list[str | int]:
        """What names all that is differentiated: a name, or the position behind a star."""
        out: list[str | int] = []
        for name in self.wanted:
            if isinstance(name, LocalName):
                out.append(name)
                continue
            base, _, part = name.partition(".")
            first = self.names.index(base) - len(self.bound)
            out.append(first + int(part) if part.isdigit() else part or name)
        return out

    def positions(self, args: tuple[Any, ...]) -> list[Any]:
        """Where the differentiated arguments stand in a call: positions, and keywords."""
        found = self.places.get(len(args))
        if found is None:
            found = self.places[len(args)] = self._positions(args)
        return found

    def _positions(self, args: tuple[Any, ...]) -> list[Any]:
        found: list[Any] = []
        for label in self.labels():
            if isinstance(label, LocalName):
                raise not_an_argument(label)
            k: Any = label
            if label in self.keywords or (isinstance(label, str) and label not in self.names):
                found.append(label)
                continue
            if isinstance(label, str):
                k = self.names.index(label) - len(self.bound)
            if k >= len(args):
                raise ArgumentError(
                    f"the argument {label!r} is differentiated and not passed by position",
                    fixes=["pass it by position"],
                )
            found.append(k)
        return found

    def bind(self, args: tuple[Any, ...], options: dict[str, Any]) -> inspect.BoundArguments:
        """Return the arguments of a call by the parameters that a user sees, defaults filled in."""
        signature = inspect.Signature(self.parameters[len(self.bound) :])
        try:
            bound = signature.bind(*args, **options)
        except TypeError:
            plain = innermost(self.plain)
            if not stands_for_library(plain):
                raise
            raise misfit(plain, args, options) from None
        bound.apply_defaults()
        return bound

    def passed(self, arguments: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
        """Return how arguments, one per parameter, are passed: by position, and by name."""
        if self.by_position:
            return list(arguments), {}
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for p, value in zip(self.parameters, arguments, strict=True):
            if p.kind is p.VAR_POSITIONAL:
                positional.extend(value)
            elif p.kind is p.VAR_KEYWORD:
                named |= value
            elif p.kind is p.KEYWORD_ONLY:
                named[p.name] = value
            else:
                positional.append(value)
        return positional, named

    def find(self, arguments: tuple[Any, ...]) -> Specialisation:
        """Return the code that fits the arguments of a call, generating it if need be."""
        again = False
        for special in self.specialisations:
            if special.guard(*arguments):
                if not self.knows_more(special, arguments):
                    return special
                self.drop(special)
                again = True
                break
        with LOCK:
            self.asked = None
            known = None if again else kept(self, arguments)
            special = known or self.specialise(list(arguments))
            if special.recorded is not None:
                return self.keep_recorded(special)
            if known is None:
                keep(self, special, arguments)
            self.recorded += [call for call in special.calls if call not in self.recorded]
            self.specialisations.insert(0, special)
            self.table.insert(0, (special.guard, special.run))
            del self.specialisations[32:], self.table[32:]
        return special

    def share(self, special: Specialisation, arguments: tuple[Any, ...]) -> None:
        """Run code for calls like this one that was generated for another function or process."""
        with LOCK:
            self.shared.insert(0, special)
            self.table.insert(0, (special.guard, special.run))
            self.asked = stand_ins(arguments)
            del self.shared[32:], self.table[32:]

    def settle(self) -> None:
        """Generate the code of the last call, if what ran was generated elsewhere."""
        asked, self.asked = self.asked, None
        if asked is not None:
            self.find(tuple(asked))

    def drop(self, *specials: Specialisation) -> None:
        """Forget recorded code."""
        with LOCK:
            kept = [known for known in self.specialisations if known not in specials]
            gone = {known.recorded for known in specials} - {known.recorded for known in kept}
            self.specialisations[:] = kept
            self.table[:] = [(known.guard, known.run) for known in kept]
            self.recorded[:] = [region for region in self.recorded if region not in gone]

    def whole(self, arguments: list[Any], misfit: Misfit, refusal: SrcgradError) -> Specialisation:
        """Return what records the whole function, where a recorded call gave what does not fit."""
        with LOCK:
            special = late("recorded_code")(self, arguments, refusal, always=False)
            gives, apart = misfit.gives, getattr(misfit.function, "__srcgrad_apart__", None)
            if apart is not None:
                self.note(apart.key, arguments, None)
            if apart is None and (gives is None or misfit.function in self.given):
                return self.keep_recorded(special)
            if apart is None:
                self.given[misfit.function] = gives
            texts = [known for known in self.specialisations if not known.calls]
            self.specialisations[:] = texts  # the others are generated anew
            self.table[:] = [(known.guard, known.run) for known in texts]
        return special

    def keep_recorded(self, special: Specialisation) -> Specialisation:
        """Keep what runs on the tape; after some kinds of arguments, for all others too."""
        if special.recorded is not None and special.recorded not in self.recorded:
            self.recorded.append(special.recorded)
        before = [known for known in self.specialisations if known.recorded is not None]
        if len(before) + 1 < MOST:
            self.specialisations.insert(0, special)
            self.table.insert(0, (special.guard, special.run))
        else:
            assert special.refusal is not None
            special = late("recorded_code")(self, None, special.refusal, always=True)
            texts = [known for known in self.specialisations if known.recorded is None]
            self.specialisations[:] = [*texts, special]
            self.table[:] = [(known.guard, known.run) for known in self.specialisations]
        return special

    def specialise(self, arguments: list[Any] | None, ranks: Any = None) -> Specialisation:
        """Generate code for the given arguments, or for any where there are none.

        Where that cannot be done, the function is recorded while it runs.
        """
        mode = mode_in_force(self.mode)
        lazy = arguments is not None and holds_lazy(arguments)
        if arguments is not None and lazy:
            require_lengths(self.names, arguments)
        try:
            with LOCK, _collector_paused(), holding(mode):
                made = late("generate")(self, arguments, {**self.ranks, **(ranks or {})})
        except Exception as error:
            refusal = refusal_of(error, self.plain)
            if refusal is None:
                raise
            if mode == "refuse":
                if isinstance(error, MutationError) and arguments is None:
                    known = "call the derivative once before, or give the ranks of its arguments"
                    fixes = [*error.fixes, known]
                    raise MutationError(
                        error.what, spots=error.spots, why=error.why, fixes=fixes
                    ) from None
                if isinstance(error, SrcgradError):
                    raise
                raise refusal from error
            made = late("recorded_code")(self, arguments, refusal, always=False)
            if any(self.memory) and not self.forwards and arguments is not None:
                told = f"{self.plain.__name__} is recorded, so that policy= and memory_budget= "
                warnings.warn(f"{told}have no effect", PolicyWarning, stacklevel=outside())
            if arguments is None or lazy or not refusal.unseen:
                return made
            return self.watching(made, arguments, refusal)
        if lazy:
            require_no_views(made.text, [made.run, made.backward])
        return made

    def watching(
        self, special: Specialisation, arguments: list[Any], refusal: SrcgradError
    ) -> Specialisation:
        """Return recorded code that looks in its first run at what some statements give.

        After it there is code for the others, where these may be recorded alone.
        """
        run, first = special.run, [arguments]

        @functools.wraps(run)
        def watched(*args: Any, **options: Any) -> Any:
            if mode_in_force(self.mode) == "refuse":
                raise refusal.at(refusal.spots)
            if not first or sys.gettrace() is not None:
                announce(self.mode, self.plain, refusal)
                return run(*args, **options)
            given = first.pop()
            with late("watching")(refusal.unseen) as seen:
                found = run(*args, **options)
            for region in refusal.unseen:
                self.note(region.key, given, seen.get(region.key))
            self.generate_again(watched, given, refusal)
            return found

        return replace(special, run=watched)

    def seen(self, key: Any, arguments: Sequence[Any]) -> Any:
        """Return what statements gave; None where no code can take it, UNSEEN before a run."""
        owner, *lines = key
        return _seen.get(owner, {}).get((*lines, *self.kinds(arguments)), UNSEEN)

    def note(self, key: Any, arguments: Sequence[Any], gives: Any) -> None:
        """Note what statements gave for arguments of this kind."""
        owner, *lines = key
        _seen.setdefault(owner, {})[(*lines, *self.kinds(arguments))] = gives

    def kinds(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Return what arguments have to have in common for statements to give the same."""
        own = tuple(arguments[: len(self.parameters)])
        return getattr(innermost(self.plain), "__code__", None), late("kinds")(own)

    def knows_more(self, special: Specialisation, arguments: Sequence[Any]) -> bool:
        """Tell whether it is known by now what kept code from being generated."""
        if special.recorded is None or special.refusal is None or not special.refusal.unseen:
            return False
        keys = [region.key for region in special.refusal.unseen]
        return all(self.seen(key, arguments) is not UNSEEN for key in keys)

    def generate_again(self, run: Any, arguments: list[Any], refusal: SrcgradError) -> None:
        """Generate code anew in the place of recorded code, once more is known."""
        with LOCK:
            old = [known for known in self.specialisations if known.run is run]
            if not old:
                return
            self.drop(*old)
            with contextlib.suppress(SrcgradError):  # what the next call will say
                special = self.find(tuple(arguments))
                refused = special.refusal
                if special.recorded is None or refused is None or not refused.unseen:
                    announce(self.mode, self.plain, refusal, partly=special.recorded is None)

    def shown(
        self, ranks: dict[str, int] | None = None, recorded: str | None = None
    ) -> Specialisation:
        """Return what ran last, or, before any call or for given ranks, what is generated then."""
        self.current()
        self.settle()
        if ranks is None and self.specialisations:
            special = self.specialisations[0]
        else:
            with holding(mode_in_force(recorded or self.mode)):
                special = self.specialise(None, ranks)
        if special.refusal is not None and mode_in_force(recorded or self.mode) == "refuse":
            raise special.refusal.at(special.refusal.spots)
        return special


class _Identity:
    """A callable as a key: itself, or a method of the same object.

    What its class says is equal may be another one.
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        method = isinstance(function, types.MethodType)
        self.parts = (function.__self__, function.__func__) if method else (function,)

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, _Identity)
        pairs = zip(self.parts, other.parts, strict=False)
        return len(self.parts) == len(other.parts) and all(p is q for p, q in pairs)

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.parts)))


def remembered(make: Callable[..., Transform]) -> Callable[..., Transform]:
    """Remember the transformations that were made last, by the very function they are of."""

    @functools.lru_cache(maxsize=512)
    def made(key: _Identity, wrt: Any, options: Options) -> Transform:
        return make(key.function, wrt, options)

    @functools.wraps(make)
    def find(function: Any, wrt: Any, options: Options = BY_DEFAULT) -> Transform:
        return made(_Identity(function), wrt, options)

    return find


def arguments_of(
    transform: Transform, args: tuple[Any, ...], options: dict[str, Any] | None = None
) -> tuple[Any, ...]:
    """Return one argument for each parameter, defaults filled in."""
    given = (*transform.bound, *args)
    if not options and transform.by_position and len(given) == len(transform.parameters):
        return given
    return (*transform.bound, *transform.bind(args, options or {}).arguments.values())


def by_position(
    transform: Transform, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call with as many of them by position as can be."""
    transform.current()
    if not options and transform.keywords.isdisjoint(transform.wanted):
        return args, options
    bound = transform.bind(args, options)
    return bound.args, bound.kwargs
