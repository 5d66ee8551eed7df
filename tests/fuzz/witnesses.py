"""Comparing a program's derivatives with each other and with differences."""

from __future__ import annotations

import contextlib
import copy
import linecache
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad import SrcgradError, grad, jvp, tape, value_and_grad, vjp
from srcgrad.errors import InternalError
from tests import finite_differences as fd
from tests.fuzz.programs import Program

LARGEST = 1e4


class Unsuitable(Exception):
    """A program that fails, or whose values are too large to take differences of."""


class Tally(Counter):
    """How many programs there were, and what became of them."""

    def report(self) -> str:
        """Return one line for each kind, the most frequent first."""
        return "\n".join(f"{count:8d}  {kind}" for kind, count in self.most_common())


_serial = 0
WITHOUT_TEXT = {0: False}  # whether programs are loaded so that nobody knows their text


@contextlib.contextmanager
def loaded(program: Program, text: bool | None = None) -> Iterator[Callable[..., Any]]:
    """Give the function of a program, with its source where tracebacks look for it.

    Args:
        program: the program.
        text: whether anybody knows its text; by default what holds for all programs.
    """
    global _serial
    _serial += 1
    filename = f"<fuzz {_serial}>"
    lines = program.source.splitlines(keepends=True)
    if not WITHOUT_TEXT[0] if text is None else text:
        linecache.cache[filename] = (len(program.source), None, lines, filename)
    space: dict[str, Any] = {"__name__": f"fuzz_{_serial}"}
    exec(compile(program.source, filename, "exec"), space)
    try:
        yield space["f"]
    finally:
        linecache.cache.pop(filename, None)
        folder = os.environ.get("SRCGRAD_DIR")
        if folder:
            for path in Path(folder).iterdir():
                path.unlink()
                linecache.cache.pop(str(path), None)


def estimate(f: Callable[..., Any], args: Any, index: int) -> tuple[Any, Any]:
    """Return a gradient by differences, and how far it can be off.

    Two steps are compared: at a kink or a jump nearby they disagree.
    """
    try:
        wide, narrow = (np.asarray(fd.gradient(f, args, index, step)) for step in (1e-5, 2.3e-6))
    except ArithmeticError as error:  # it is raised on one side only
        raise Unsuitable from error
    size = abs(float(f(*args)))
    error = 4 * np.abs(wide - narrow) + 1e-6 * (1 + np.abs(wide)) + 1e-9 * size
    return narrow, error


def compare(what: str, actual: Any, expected: Any, error: Any) -> None:
    """Raise AssertionError where two derivatives differ by more than an error."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, not {expected.shape}"
    sure = error < 1e-3 * (1 + np.abs(expected))
    off = sure & ~(np.abs(actual - expected) <= error)
    assert not off.any(), f"{what}:\n{actual}\nexpected\n{expected}\nwithin\n{error}"


def same(what: str, actual: Any, expected: Any, rounding: float = 1e-8) -> None:
    """Compare what should agree but for rounding."""
    size = np.max(np.abs(np.asarray(expected)), initial=1.0)
    compare(what, actual, expected, rounding * size * np.ones(np.shape(expected)))


def refusal(error: SrcgradError) -> str:
    """Return the kind of a refusal, without names and numbers of the program."""
    text = error.spots[0].note if error.spots and error.spots[0].note else error.what
    text = re.sub(r"\b(f|helper|items|e|k|g|p|q|h)\d*\b", "_", text)
    return f"{type(error).__name__}: {re.sub(r'[0-9]+', '0', text)}"


class Witnesses:
    """All that is known about the derivatives of one program.

    Args:
        program: the program.
        f: its function.
        tally: where refusals are counted.
        wide: the same function in double precision, of which differences are taken.
    """

    def __init__(
        self, program: Program, f: Callable[..., Any], tally: Tally, wide: Callable[..., Any]
    ) -> None:
        self.program, self.f, self.tally, self.wide = program, f, tally, wide
        self.wide_args = program.widened().args
        self.rounding = 1e-3 if program.narrow else 1e-8
        self.wrt = program.wrt if len(program.wrt) > 1 else program.wrt[0]
        self.rng = np.random.default_rng(1)

    def args(self) -> tuple[Any, ...]:
        """Return the arguments, made anew."""
        return self.program.fresh()

    def fresh(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that lets `f` write to copies of its arguments only."""
        return lambda *args: f(*copy.deepcopy(args))

    def several(self, gradients: Any) -> tuple[Any, ...]:
        """Return the gradients as a tuple, also where there is only one."""
        return gradients if len(self.program.wrt) > 1 else (gradients,)

    def same(self, what: str, actual: Any, expected: Any) -> None:
        """Compare what should agree but for rounding."""
        same(what, actual, expected, self.rounding)

    def estimate(self, f: Callable[..., Any], index: int) -> tuple[Any, Any]:
        """Return a gradient by differences, and how far it can be off."""
        found, error = estimate(self.fresh(f), self.wide_args, index)
        if self.program.narrow:
            error = error + self.rounding * (1 + np.max(np.abs(found), initial=0.0))
        return found, error

    def run(self, what: str, call: Callable[[], Any]) -> Any:
        """Return what a call gives, or None where srcgrad refuses."""
        self.refused = False
        try:
            return call()
        except InternalError:
            raise
        except SrcgradError as error:
            self.refused = True
            self.tally[f"{what}: {refusal(error)}"] += 1
            return None

    def value(self) -> Any:
        """Return the value, or raise Unsuitable."""
        args = self.args()
        try:
            value = self.f(*args)
        except ArithmeticError as error:
            if str(error) == "stopped":
                self.check_raise()
            raise Unsuitable from error
        except Exception as error:
            raise Unsuitable from error
        shapes = [np.shape(leaf) for leaf in fd.leaves(value)]
        if shapes != list(self.program.result) or any(
            np.asarray(leaf).dtype.kind != "f" or not np.max(np.abs(leaf), initial=0.0) < LARGEST
            for leaf in fd.leaves(value)
        ):
            raise Unsuitable
        self.writes = not all(map(np.array_equal, args, self.program.args))
        return value

    def check_raise(self) -> None:
        """Check that derivatives raise what the function itself raises."""
        for what, call in (
            ("vjp", lambda: vjp(self.f, *self.args(), wrt=self.wrt)),
            ("grad", lambda: grad(self.f, wrt=self.wrt)(*self.args())),
        ):
            try:
                self.run(what, call)
            except ArithmeticError as error:
                if str(error) == "stopped":
                    self.tally["raises, as the function does"] += 1
                    continue
            assert self.refused, f"{what}: another exception, or none"

    def check(self) -> None:
        """Compare everything with everything.

        Raises:
            Unsuitable: when nothing can be said about this program.
            AssertionError: when derivatives disagree, or memory is shared.
        """
        value = self.value()
        weights = fd.random_like(value, self.rng)
        estimates = [
            self.estimate(lambda *args: fd.inner(weights, self.wide(*args)), k)
            for k in self.program.wrt
        ]
        recorded = self.check_tape(value, weights, estimates)
        args = self.args()
        pair = self.run("vjp", lambda: vjp(self.f, *args, wrt=self.wrt))
        if pair is None:
            return
        for got, wanted in zip(fd.leaves(pair[0]), fd.leaves(value), strict=True):
            self.same("value of vjp", got, wanted)
        gradients = self.several(pair[1](weights))
        for gradient, (expected, error) in zip(gradients, estimates, strict=True):
            compare("vjp", gradient, expected, error)
        for gradient, other in zip(gradients, recorded or gradients, strict=True):
            self.same("vjp against the tape", gradient, other)
        self.owned("vjp", gradients, args, pair[0], weights)
        again = self.several(pair[1](weights))
        for gradient, other in zip(gradients, again, strict=True):
            self.same("second call of backward", other, gradient)
        boxed = [np.asarray(w) for w in fd.leaves(weights)]  # numbers as arrays
        again = self.several(pair[1](tuple(boxed) if len(boxed) > 1 else boxed[0]))
        for gradient, other in zip(gradients, again, strict=True):
            self.same("backward of arrays without dimensions", other, gradient)
        self.check_forward(value, gradients, weights)
        if self.program.result == ((),):
            self.check_scalar(value, gradients, weights)

    def check_forward(self, value: Any, gradients: Any, weights: Any) -> None:
        """Compare the Jacobian-vector product with the vector-Jacobian product."""
        args = self.args()
        tangents = fd.random_like([args[k] for k in self.program.wrt], self.rng)
        along = dict(zip(self.program.wrt, tangents, strict=True))
        given = tuple(along.get(k) for k in range(len(args)))
        pair = self.run("jvp", lambda: jvp(self.f, args, given))
        if pair is None:
            return
        self.tally["forward mode"] += 1
        for got, wanted in zip(fd.leaves(pair[0]), fd.leaves(value), strict=True):
            self.same("value of jvp", got, wanted)
        products = [np.sum(np.multiply(g, t)) for g, t in zip(gradients, tangents, strict=True)]
        size = sum(
            np.sum(np.abs(np.multiply(g, t))) for g, t in zip(gradients, tangents, strict=True)
        )
        got = fd.inner(weights, pair[1])
        error = np.asarray(self.rounding * (1 + size))
        compare("jvp against vjp", got, sum(products), error)
        given = tuple(np.array(dot) if isinstance(dot, float) else dot for dot in given)
        again = jvp(self.f, self.args(), given)[1]
        for one, other in zip(fd.leaves(again), fd.leaves(pair[1]), strict=True):
            self.same("tangents that are arrays without dimensions", one, other)

    def check_tape(self, value: Any, weights: Any, estimates: Any) -> Any:
        """Return the gradients that the tape gives, or None where it refuses."""
        args = self.args()
        pair = self.run("tape", lambda: tape.vjp(self.f, *args, wrt=self.wrt))
        if pair is None:
            return None
        for got, wanted in zip(fd.leaves(pair[0]), fd.leaves(value), strict=True):
            self.same("value on the tape", got, wanted)
        gradients = self.several(pair[1](weights))
        for gradient, (expected, error) in zip(gradients, estimates, strict=True):
            compare("tape", gradient, expected, error)
        self.owned("tape", gradients, args, pair[0], weights)
        if WITHOUT_TEXT[0]:
            self.check_text(gradients, weights)
        return gradients

    def check_text(self, gradients: Any, weights: Any) -> None:
        """Compare the tape without text with the tape of the same program in a file."""
        wrt = self.wrt
        tangents = fd.random_like([self.args()[k] for k in self.program.wrt], self.rng)
        along = dict(zip(self.program.wrt, tangents, strict=True))
        given = tuple(along.get(k) for k in range(len(self.args())))
        with loaded(self.program, text=True) as inside:
            _, backward = tape.vjp(inside, *self.args(), wrt=wrt)
            for one, other in zip(gradients, self.several(backward(weights)), strict=True):
                same("tape without text", one, other, 1e-5 if self.program.narrow else 1e-11)
            dots = [tape.jvp(f, self.args(), given)[1] for f in (self.f, inside)]
        for one, other in zip(*map(fd.leaves, dots), strict=True):
            same("tape without text, forward", one, other, 1e-5 if self.program.narrow else 1e-11)
        self.tally["with text and without"] += 1

    def check_scalar(self, value: Any, products: Any, weight: float) -> None:
        """Compare the gradient of a number, and the gradient of the gradient."""
        gradient = grad(self.f, wrt=self.wrt)
        args = self.args()
        gradients = self.run("grad", lambda: self.several(gradient(*args)))
        if gradients is None:
            return
        for got, product in zip(gradients, products, strict=True):
            self.same("grad against vjp", np.multiply(weight, got), product)
        self.owned("grad", gradients, args)
        args = self.args()
        generic = None
        if not any(isinstance(a, list | tuple) for a in args):  # it is for arrays and numbers
            generic = self.run("generic", lambda: gradient.__srcgrad__.specialise(None))
        if generic is not None:
            found = self.run("generic", lambda: self.several(generic.run(*self.args())))
            for got, other in zip(found or gradients, gradients, strict=True):
                self.same("code for any rank", got, other)
        both = self.run("value_and_grad", lambda: value_and_grad(self.f, wrt=self.wrt)(*args))
        if both is not None:
            self.same("value of value_and_grad", both[0], value)
            for got, other in zip(self.several(both[1]), gradients, strict=True):
                self.same("value_and_grad against grad", got, other)
            self.owned("value_and_grad", self.several(both[1]), args, both[0])
        self.check_second(gradient, gradients)

    def check_second(self, gradient: Callable[..., Any], gradients: Any) -> None:
        """Compare the vector-Jacobian product of the gradient with differences."""
        if max(np.max(np.abs(g), initial=0.0) for g in gradients) > LARGEST:
            return
        weights = fd.random_like(gradients, self.rng)
        cotangent = weights if len(weights) > 1 else weights[0]
        args = self.args()
        pair = self.run("second vjp", lambda: vjp(gradient, *args, wrt=self.wrt))
        if pair is None:
            return
        self.tally["second order"] += 1
        for got, wanted in zip(self.several(pair[0]), gradients, strict=True):
            self.same("gradient in its own vjp", got, wanted)
        seconds = self.several(pair[1](cotangent))
        wide = grad(self.wide, wrt=self.wrt)
        for k, second in zip(self.program.wrt, seconds, strict=True):
            expected, error = self.estimate(
                lambda *args: fd.inner(weights, self.several(wide(*args))), k
            )
            compare("second order", second, expected, error)
        inner = tape.grad(self.f, wrt=self.wrt)
        recorded = self.run("tape", lambda: tape.vjp(inner, *self.args(), wrt=self.wrt))
        if recorded is not None:
            for second, other in zip(seconds, self.several(recorded[1](cotangent)), strict=True):
                self.same("second order against the tape", second, other)
        self.owned("second order", seconds, args, pair[0], weights)

    def owned(self, what: str, gradients: Any, args: Any, *others: Any) -> None:
        """Check that nothing but the caller holds the gradients, and arguments are as they were."""
        if not self.writes:
            for before, after in zip(self.program.args, args, strict=True):
                assert np.array_equal(before, after), f"{what}: an argument was written to"
        for k, gradient in zip(self.program.wrt, gradients, strict=True):
            argument = self.program.args[k]
            assert np.shape(gradient) == np.shape(argument), f"{what}: shape of a gradient"
            if isinstance(argument, np.ndarray | list):
                assert isinstance(gradient, type(argument)), f"{what}: {type(gradient)}"
            dtype = getattr(argument, "dtype", None)
            if dtype is not None and hasattr(gradient, "dtype"):  # a zero may be Python's
                assert gradient.dtype == dtype, f"{what}: dtype {gradient.dtype}, not {dtype}"
        arrays = [g for g in gradients if isinstance(g, np.ndarray)]
        foreign = [x for x in fd.leaves((args, others)) if isinstance(x, np.ndarray)]
        for k, gradient in enumerate(arrays):
            assert gradient.flags.writeable, f"{what}: a gradient is read-only"
            for other in foreign + arrays[:k]:
                assert not np.shares_memory(gradient, other), f"{what}: shared memory"
