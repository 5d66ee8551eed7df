"""One program in every mode: what is right, and by which way it was differentiated."""

from __future__ import annotations

import copy
import signal
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import srcgrad
from srcgrad import tape
from srcgrad.calling.recorded import holding
from srcgrad.errors import InternalError, SrcgradError
from tests.realistic import differences, trees
from tests.realistic.state import difference, reset, restored, state_of
from tests.realistic.table import Program

MODES = ("grad", "value_and_grad", "vjp", "jvp", "second", "again", "changed")
SECONDS = 60


class Wrong(Exception):
    """A derivative, a value or a state that is not what it should be."""


class Unclear(Exception):
    """Differences that do not agree with each other: the program cannot be checked there."""


class Estimates:
    """Values and derivatives of a program by plain calls, each worked out once."""

    def __init__(self, case: Program) -> None:
        self.case = case
        rng = np.random.default_rng(11)
        _, args = self._start(again=False)
        self.steps = {k: trees.directions(args[k], rng) for k in case.positions}
        self.value, self.state = self._run(0.0, again=False)
        self.paths = [path for path, _ in trees.numbers(self.value)]
        self.bars = {p: self._weight(x, rng) for p, x in trees.numbers(self.value)}
        self.is_scalar = self.paths == [()] and np.shape(self.value) == ()
        self._found: dict[Any, Any] = {}

    @property
    def is_real_number(self) -> bool:
        """Whether the result is one real number."""
        return self.is_scalar and not np.iscomplexobj(self.value)

    @staticmethod
    def _weight(x: Any, rng: np.random.Generator) -> Any:
        made = rng.uniform(0.5, 1.5, np.shape(x))
        if np.iscomplexobj(x):
            made = made + 1j * rng.uniform(0.5, 1.5, np.shape(x))
        if isinstance(x, np.ndarray):
            return np.asarray(made, dtype=x.dtype)
        return np.asarray(made).item()

    def _start(self, again: bool) -> tuple[Any, tuple[Any, ...]]:
        reset(self.case.module)
        fn, args = self.case.made()
        if again:
            fn(*args)
        return fn, args

    def _run(self, t: float, again: bool) -> tuple[Any, Any]:
        fn, args = self._start(again)
        if t:
            args = tuple(
                trees.moved(x, self.steps[k], t) if k in self.steps else x
                for k, x in enumerate(args)
            )
        value = fn(*args)
        return value, copy.deepcopy(state_of(self.case.module, fn, args))

    def flat(self, t: float, again: bool = False) -> np.ndarray:
        """Return all numbers of the result, one after the other."""
        found = [x for _, x in trees.numbers(self._run(t, again)[0])]
        return np.concatenate([np.ravel(np.asarray(x)).astype(complex) for x in found])

    def first(self, again: bool = False) -> tuple[np.ndarray, float]:
        """Return the derivatives of all numbers of the result along the steps."""
        if ("first", again) not in self._found:
            made = differences.first(lambda t: self.flat(t, again), self.case.rtol)
            self._found["first", again] = self._checked(*made, self.case.rtol)
        return self._found["first", again]

    def check_state(self, left: Any, again: bool) -> None:
        """Compare what a differentiated call left with what a plain call leaves.

        Raises:
            Wrong: when they differ.
        """
        expected = self._run(0.0, again=True)[1] if again else self.state
        found = difference(left, expected, "state")
        if found:
            raise Wrong(found)

    def second(self) -> tuple[np.ndarray, float]:
        """Return the second derivatives along the steps."""
        if "second" not in self._found:
            made = differences.second(self.flat)
            self._found["second"] = self._checked(*made, 20 * self.case.rtol)
        return self._found["second"]

    def _checked(self, value: np.ndarray, error: float, rtol: float) -> tuple[np.ndarray, float]:
        size = float(np.max(np.abs(value), initial=0.0))
        scale = max(size, 1e-3 * float(np.max(np.abs(self.flat(0.0)), initial=0.0)))
        if not np.all(np.isfinite(value)) or error > 10 * rtol * scale:
            raise Unclear(f"differences {np.round(value[:3], 9)} with an error of {error:.1e}")
        return value, max(20 * error, rtol * size, 1e-3 * rtol * scale)


class Ways:
    """The functions of one way to differentiate, under the same names.

    Args:
        home: the module that has them.
        mode: what happens to functions that no code can be generated for.
    """

    def __init__(self, home: Any, mode: str = "refuse") -> None:
        self.grad, self.value_and_grad = home.grad, home.value_and_grad
        self.vjp, self.jvp, self.mode = home.vjp, home.jvp, mode


WAYS: dict[str, Callable[[], Ways]] = {
    "text": lambda: Ways(srcgrad, "refuse"),
    "recorded": lambda: Ways(srcgrad, "allow"),
    "tape": lambda: Ways(tape),
}


def run_mode(case: Program, mode: str, way: Ways, known: Estimates) -> None:
    """Differentiate a program in one mode, and compare all there is to compare.

    Raises:
        Wrong: when something differs.
        Unclear: when the differences themselves are no yardstick.
    """
    reset(case.module)
    fn, args = case.made()
    if mode == "changed":
        with restored(case.module):
            _changed(case, way, fn, args)
        return
    if mode == "second":
        _second(case, way, fn, args, known)
        return
    if mode == "again":
        fn(*args)
    made = _differentiated(case, mode, way, fn, args, known)
    left = copy.deepcopy(state_of(case.module, fn, args))
    known.check_state(left, again=mode == "again")
    if mode == "jvp":
        _compare_values(made[0], known)
        _compare_dots(made[1], known, known.first())
        return
    if made[0] is not None and mode != "again":
        _compare_values(made[0], known)
    _compare_bars(case, made[1], known, known.first(again=mode == "again"), made[2])


def _differentiated(
    case: Program, mode: str, way: Ways, fn: Any, args: Any, known: Estimates
) -> tuple[Any, Any, Any]:
    """Return the value where there is one, what the mode gives, and the cotangent of it."""
    if mode == "jvp":
        return (*way.jvp(fn, args, _tangents(args, known)), None)
    if mode in ("grad", "value_and_grad") and known.is_real_number:
        made = getattr(way, mode)(fn, wrt=case.wrt)(*args)
        return (*(made if mode == "value_and_grad" else (None, made)), {(): 1.0})
    value, backward = way.vjp(fn, *args, wrt=case.wrt)
    return value, backward(_cotangent(known.value, known)), known.bars


def _cotangent(value: Any, known: Estimates) -> Any:
    return trees.as_tangent(value, known.bars) if trees.parts(value) is not None else known.bars[()]


def _tangents(args: tuple[Any, ...], known: Estimates) -> tuple[Any, ...]:
    return tuple(
        trees.as_tangent(x, known.steps[k]) if k in known.steps else None
        for k, x in enumerate(args)
    )


def _second(case: Program, way: Ways, fn: Any, args: Any, known: Estimates) -> None:
    expected, error = known.second()
    reached = _tangents(args, known)
    weights = np.concatenate([np.ravel(np.asarray(known.bars[p])) for p in known.paths])
    if known.is_real_number:
        slope = way.grad(fn, wrt=case.wrt)
        weights = np.ones(1)
    else:
        slope = _slope(way, fn, case.wrt, _cotangent(known.value, known), len(args))

    _, dots = way.jvp(slope, args, reached)
    found = sum(
        trees.inner(_at(dot, known.steps[k]), known.steps[k])
        for k, dot in zip(case.positions, _several(case, dots), strict=True)
    )
    wanted = float(np.real(np.sum(weights * expected)))
    allowed = 20 * max(error * float(np.sum(np.abs(weights))), case.rtol * abs(wanted))
    if not abs(found - wanted) <= allowed:
        raise Wrong(f"second order {found:.9g}, differences {wanted:.9g}")


def _changed(case: Program, way: Ways, fn: Any, args: Any) -> None:
    """Call the same derivatives again after each of the changes."""
    slope = way.grad(fn, wrt=case.wrt)
    for k, change in enumerate((lambda args: None, *case.changes)):
        found = change(args)
        args = found if isinstance(found, tuple) else args
        rng = np.random.default_rng(11 + k)
        steps = {j: trees.directions(args[j], rng) for j in case.positions}

        def along(t: float, args: Any = args, steps: Any = steps) -> np.ndarray:
            given = [
                trees.moved(x, steps[j], t) if j in steps else x
                for j, x in enumerate(copy.deepcopy(args))
            ]
            return np.ravel(np.asarray(fn(*given)).astype(complex))

        value, error = differences.first(along, case.rtol)
        wanted = float(np.real(np.sum(value)))
        allowed = 5 * max(20 * error, case.rtol * (abs(wanted) + 1e-3 * abs(along(0.0)[0])))
        tangents = tuple(
            trees.as_tangent(x, steps[j]) if j in steps else None for j, x in enumerate(args)
        )
        slopes = _several(case, slope(*copy.deepcopy(args)))
        pairs = zip(case.positions, slopes, strict=True)
        total = sum(trees.inner(_at(bar, steps[j]), steps[j]) for j, bar in pairs)
        _, dot = way.jvp(fn, copy.deepcopy(args), tangents)
        for kind, number in (("gradient", total), ("tangent", float(np.real(dot)))):
            if not abs(number - wanted) <= allowed:
                raise Wrong(f"{kind} after change {k}: {number:.9g}, differences {wanted:.9g}")


def _slope(way: Ways, fn: Any, wrt: Any, bar: Any, count: int) -> Any:
    """Return the gradient of the sum of all results, each times its number in ``bar``."""

    def one(a: Any) -> Any:
        return np.real(np.sum(bar * fn(a)))

    def two(a: Any, b: Any) -> Any:
        return np.real(np.sum(bar * fn(a, b)))

    def three(a: Any, b: Any, c: Any) -> Any:
        return np.real(np.sum(bar * fn(a, b, c)))

    def four(a: Any, b: Any, c: Any, d: Any) -> Any:
        return np.real(np.sum(bar * fn(a, b, c, d)))

    def along(*some: Any) -> Any:
        _, backward = way.vjp(fn, *some, wrt=wrt)
        return backward(bar)

    if trees.parts(bar) is not None:
        return along
    return way.grad((one, two, three, four)[count - 1], wrt=wrt)


def _several(case: Program, made: Any) -> tuple[Any, ...]:
    return made if isinstance(case.wrt, tuple) else (made,)


def _at(tree: Any, steps: dict[Any, Any]) -> dict[Any, Any]:
    found = {}
    for path in steps:
        part = trees.part_at(tree, path)
        if part is None or not trees.is_number(part):
            raise Wrong(f"no number at {path}: {type(part).__name__}")
        found[path] = part
    return found


def _compare_bars(case: Program, made: Any, known: Estimates, first: Any, bars: Any) -> None:
    expected, error = first
    weight = np.concatenate([np.ravel(np.asarray(bars[p])) for p in known.paths])
    total = 0.0
    _, args = case.made()
    several = _several(case, made)
    if len(several) != len(case.positions):
        raise Wrong(f"{len(several)} gradients for {len(case.positions)} arguments")
    for k, bar in zip(case.positions, several, strict=True):
        found = _at(bar, known.steps[k])
        for path, x in trees.numbers(args[k]):
            if np.shape(found[path]) != np.shape(x):
                raise Wrong(f"gradient at {path} has the shape {np.shape(found[path])}")
            if np.asarray(found[path]).dtype != np.asarray(x).dtype:
                raise Wrong(f"gradient at {path} has the dtype {np.asarray(found[path]).dtype}")
        total += trees.inner(found, known.steps[k])
    wanted = float(np.real(np.sum(weight * expected)))
    if not abs(total - wanted) <= 5 * error * max(1.0, float(np.sum(np.abs(weight)))):
        raise Wrong(f"gradient along the steps {total:.9g}, differences {wanted:.9g}")


def _compare_dots(dots: Any, known: Estimates, first: Any) -> None:
    expected, error = first
    found = []
    for path, x in trees.numbers(known.value):
        dot = trees.part_at(dots, path)
        if dot is None or np.shape(dot) != np.shape(x):
            raise Wrong(f"tangent at {path}: {type(dot).__name__} of shape {np.shape(dot)}")
        found.append(np.ravel(np.asarray(dot)))
    far = float(np.max(np.abs(np.concatenate(found) - expected), initial=0.0))
    if not far <= 5 * error:
        where = int(np.argmax(np.abs(np.concatenate(found) - expected)))
        raise Wrong(
            f"tangent {np.concatenate(found)[where]:.9g}, differences {expected[where]:.9g}"
        )


def _compare_values(value: Any, known: Estimates) -> None:
    found = difference(value, known.value, "value")
    if found:
        raise Wrong(found)


def outcome(case: Program, mode: str, way: str, known: Estimates) -> str:
    """Return how a mode went: "right", or what is the matter, with its kind in front."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"more than {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        ways = WAYS[way]()
        with warnings.catch_warnings(), np.errstate(all="ignore"), holding(ways.mode):
            warnings.simplefilter("ignore")
            run_mode(case, mode, ways, known)
    except Wrong as error:
        return f"wrong: {error}"
    except Unclear as error:
        return f"unclear: {error}"
    except InternalError as error:
        return f"crash: {_reason(error)}"
    except SrcgradError as error:
        return f"refused: {type(error).__name__}: {_reason(error)}"
    except Exception as error:  # noqa: BLE001 -- any other exception is what is looked for
        return f"crash: {type(error).__name__}: {str(error)[:300]}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return "right"


def _reason(error: SrcgradError) -> str:
    lines = [line.strip() for line in str(error).splitlines()]
    return " | ".join(lines[:3])[:300]


def modes_of(case: Program) -> list[str]:
    """Return the modes in which a program is looked at."""
    left_out = {"second": not case.order2, "again": not case.again, "changed": not case.changes}
    return [mode for mode in MODES if not left_out.get(mode, False)]


def examine(case: Program, ways: tuple[str, ...] = ("text", "recorded")) -> dict[str, str]:
    """Return for each mode by which way a program is right, or why by none.

    Args:
        case: the program.
        ways: the ways to try, in this order; the next one is tried where one refuses.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        known = Estimates(case)
    found = {}
    for mode in modes_of(case):
        said = []
        for way in ways:
            result = outcome(case, mode, way, known)
            said.append(way if result == "right" else f"{way} {result}")
            if not result.startswith("refused"):
                break
        found[mode] = said[-1] if said[-1] in WAYS else "; ".join(said)
    return found
