"""The functions that derivatives of solvers call: generated from the function that is given."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.calls.inactive_calls import inactive_type
from srcgrad.frontend.calls.transforms import located
from srcgrad.frontend.containers.parameters import (
    anonymous,
    bind_arguments,
    describe,
    formal,
    parameters_of,
)
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.statements.functions import prepare
from srcgrad.ir.nodes import Closure, Const, Derivative, Items, Known, Value, Var, is_active
from srcgrad.ir.recipes import Recipe
from srcgrad.ir.types import REAL, Type
from srcgrad.late import late
from srcgrad.load.compile import load
from srcgrad.load.texts import FunctionText
from srcgrad.load.wrapping import wrap
from srcgrad.program.primals import primal_of
from srcgrad.runtime.scipy.solvers import integral, root, roots, slope_at_root
from srcgrad.transformation.derived import Formal, resting


class Derivatives:
    """The functions that the derivative of a call needs.

    Attributes:
        data: what the function is given besides what is solved for, what moves first.
    """

    def __init__(self, b: Builder, function: Any, args: Any, recipe: Recipe, given: Any, node):
        self.b, self.node, self.recipe = b, node, recipe
        self.function = function = _plain(b, function, node)
        lead, self.given = len(args[0]), dict(given)
        self.args = args = (*args[0], *args[1])
        parameters, name = parameters_of(b, function)
        if {p.kind for p in parameters} - {_PLAIN, inspect.Parameter.POSITIONAL_ONLY}:
            raise b.refuse(node, f"{name}, which takes arguments without names,", "name them")
        bound = bind_arguments(b, parameters, args, {}, node, name)
        _, extras, _, _, _ = formal(b.context, function, bound, {})
        still = [(p, resting(value), passed) for p, value, passed in bound]
        values, _, _, added, own = formal(b.context, resting(function), still, {})
        data = [value for _, value, _ in bound[lead:]] + [extras[label] for label, _ in added]
        for value in data:
            if is_active(value) and not (isinstance(value, Var) and value.type.is_number):
                raise b.refuse(
                    node, f"an active value that {name} takes apart", "take it apart before"
                )
        labels = [label for label, _ in (*values[lead:], *added)]
        self.types = {n: type_of(v) for n, v in zip(labels, data, strict=True) if is_active(v)}
        self.moving = list(self.types)
        self.order = [*self.moving, *(n for n in labels if n not in self.types)]
        self.data = sorted(data, key=lambda v: not is_active(v))
        every = [*parameters, *(inspect.Parameter(n, _PLAIN) for n, _ in added)]
        self.formal = Formal(function, every, values, added, own, bool(recipe.before))
        self.name, self.lead = name, [n for n, _ in values[:lead]]
        self.first = self.lead[1 if recipe.before_state else 0]
        named = ", ".join(n for n, _ in values)
        self.passed = named + "".join(f", {n}={n}" for n, _ in added)
        self.labels = labels
        described = tuple(describe(v) for _, v in (*values, *added))
        identity = id(function.node if isinstance(function, Closure) else function.object)
        key = (identity, recipe.stand_in, recipe.before, tuple(self.moving))
        self.key = (*key, anonymous(described), self._kept(), self._points(), "t_span" in given)

    @property
    def when(self) -> tuple[str, ...]:
        """The arguments that say at what times states are wanted, and how exactly."""
        times = ("t_span", "t_eval") if "t_span" in self.given else ("t",)
        return times + tuple(n for n in ("rtol", "atol") if isinstance(self.given.get(n), Var))

    def _named(self, wanted: str) -> str:
        """A name that no parameter has."""
        while wanted in (*self.lead, *self.labels, *self.when):
            wanted += "_"
        return wanted

    def make(self, kind: str) -> Value:
        """Return the function of a kind, or None where nothing that it is about moves."""
        if not self.moving and kind not in ("value", "ends", "along"):
            return Const(None)
        key = ("solver", kind, *self.key)
        found = self.b.context.derived.get(key)
        if found is None:
            with located(self.b, self.node):
                found = getattr(self, f"_{kind}")(), self.function  # which keeps its id alive
            self.b.context.derived[key] = found
        return Known(found[0], found[0].__name__)

    def type_of_integral(self) -> Type:
        """The type of the integral of the function."""
        if self.recipe.stand_in is integral:
            return REAL.with_active(True)
        found = inactive_type(self.b, self.function, self.args, {}, self.node)
        return (found or Type("numeric", None, "f")).with_active(True)

    def is_of_numbers(self) -> bool:
        """Tell whether the function gives a number, known when code is generated."""
        found = inactive_type(self.b, self.function, self.args, {}, self.node)
        return isinstance(found, Type) and found.is_scalar

    def _derive(self, kind: str, wrt: Any) -> Any:
        return late("derive")(
            self.b.context, self.formal, (*self.recipe.before, Derivative(kind, wrt))
        )

    def _write(
        self, name: str, doc: str, given: list[str], lines: list[str], *held: Any
    ) -> FunctionType:
        """Return a function of positional parameters that calls generated ones."""
        name = self.b.context.unused(name, (self, name))
        body = "".join(f"    {part}\n" for line in lines for part in wrap(line, _WIDTH))
        text = f'def {name}({", ".join(given)}):\n    """{doc} {self.name}."""\n{body}'
        externals = {f.__name__.split(".")[-1]: f for f in held}
        source = prepare(next(f for f in held if isinstance(f, FunctionType)))
        made = load([FunctionText(name, text, source, externals)], name)[0][name]
        self.b.context.written[name] = self.b.context.names[name] = made
        return made

    def _grad(self) -> FunctionType:
        run = self._derive("grad", self.first).run
        return self._slope(run)

    def _jacobian(self) -> FunctionType:
        run = self._derive("jacobian", self.first).run
        return self._slope(run)

    def _slope(self, run: FunctionType) -> FunctionType:
        given = [*self.lead, *self.order]
        text, held = f"{run.__name__}({self.passed})", [run]
        if self.recipe.stand_in in (root, roots):
            value = self._value()
            text = f"slope_at_root({text}, {value.__name__}({', '.join(given)}), {self.first})"
            held += [value, slope_at_root]
        doc = "Derivative, in its first argument, of"
        return self._write(f"{self.name}_slope", doc, given, [f"return {text}"], *held)

    def _value(self) -> FunctionType:
        run = self._derive("vjp", self.moving[0] if self.moving else self.first).run
        line = f"return {run.__name__}({self.passed})[0]"
        return self._write(f"{self.name}_value", "Value of", [*self.lead, *self.order], [line], run)

    def _pullback(self, only: str = "") -> FunctionType:
        wanted = [only] if only else self.moving
        made = self._derive("vjp", wanted[0] if len(wanted) == 1 else tuple(wanted))
        run, back = made.run, made.backward
        bar, kept = self._named("value_bar"), self._named("residuals")
        moved = back.__code__.co_argcount > 1  # else the function does not depend on them
        lines = [
            f"_, {kept} = {run.__name__}({self.passed})",
            f"return {back.__name__}({kept}{f', {bar}' if moved else ''})",
        ]
        label = "_".join([self.name, "pullback", *wanted[: len(only)]])
        given = [*self.lead, *self.order, bar]
        written = self._write(label, "Cotangents of data from that of", given, lines, run, back)
        types = [self.types[n].with_active(False) for n in wanted]
        return _typed(written, types)

    def _pushforward(self) -> FunctionType:
        run = self._derive("pushforward", tuple(self.moving)).run
        dots = [self._named(f"{n}_dot") for n in self.moving]
        given = ", ".join([*self.lead, *self.labels, *dots])
        line = f"return {run.__name__}({given})"
        head = [*self.lead, *self.order, *dots]
        doc = "Tangent, from those of data, of"
        return self._write(f"{self.name}_pushforward", doc, head, [line], run)

    def _integrals(self) -> FunctionType:
        """The cotangents of what moves: integrals of those of the function."""
        from scipy import integrate

        lines, pulls, points = [], [], self._points()
        bars = [self._named(f"{label}_bar") for label in self.moving]
        low, high, bar = map(self._named, ("lower_end", "upper_end", "value_bar"))
        args = ", ".join([*self.order, bar])
        for label, found in zip(self.moving, bars, strict=True):
            pulls.append(self._pullback(label))
            rule = "quad" if self.types[label].is_scalar else "quad_vec"
            call = f"integrate.{rule}({pulls[-1].__name__}, {low}, {high}, args=({args}){points})"
            lines.append(f"{found} = {call}[0]")
        lines.append(f"return {', '.join(bars)}")
        given = [low, high, *self.order, bar]
        doc = "Integrals of cotangents of data of"
        made = self._write(f"{self.name}_integrals", doc, given, lines, *pulls, integrate)
        return _typed(made, [self.types[n].with_active(False) for n in self.moving])

    def _integral(self) -> FunctionType:
        """The tangent of an integral: the integral of that of the function."""
        from scipy import integrate

        push = self._pushforward()
        dots = [self._named(f"{n}_dot") for n in self.moving]
        args = ", ".join([*self.order, *dots])
        low, high = map(self._named, ("lower_end", "upper_end"))
        rule = "quad" if self.recipe.stand_in is integral else "quad_vec"
        rest = f"args=({args}){self._points()}"
        line = f"return integrate.{rule}({push.__name__}, {low}, {high}, {rest})[0]"
        given = [low, high, *self.order, *dots]
        doc = "Integral of the tangent of"
        return self._write(f"{self.name}_integral", doc, given, [line], push, integrate)

    def _points(self) -> str:
        """The text of the option that names the places where the function has kinks."""
        points = self.given.get("points")
        if not isinstance(points, Items):
            return ""
        return f", points=({', '.join(repr(p.value) for p in points.items)},)"  # type: ignore

    def _variation(self) -> FunctionType:
        """How a state changes, and with it its derivative in where it started and the data."""
        jacobians = [self._derive("jacobian", label).run for label in (self.first, *self.moving)]
        value = self._value()
        named = ", ".join([*self.lead, *self.order])  # in which t is one time
        count, both, part = map(self._named, ("count", "both", "slopes"))
        lines = [
            f"{self.first} = {both}[:{count}]",
            f"{part} = np.reshape({both}[{count}:], ({count}, -1))",
            f"{part} = {jacobians[0].__name__}({self.passed}) @ {part}",
        ]
        low = count
        for label, f in zip(self.moving, jacobians[1:], strict=True):
            found = f"{f.__name__}({self.passed})"
            if self.types[label].is_scalar:
                lines.append(f"{part}[:, {low}] += {found}")
                low = _more(low, "1")
                continue
            high = _more(low, f"{label}.size")
            lines.append(f"{part}[:, {low} : {high}] += np.reshape({found}, ({count}, -1))")
            low = high
        lines += [
            f"return np.concatenate((np.reshape({value.__name__}({named}), -1), np.ravel({part})))",
        ]
        head = [both if n == self.first else n for n in self.lead]
        doc = "Change of a state and of its slopes in the start and the data, after"
        given = [*head, count, *self.order]
        return self._write(f"{self.name}_variation", doc, given, lines, value, *jacobians, np)

    def _slopes(self) -> FunctionType:
        """The derivative of the states in where they started and the data."""
        from scipy import integrate

        variation = self._variation()
        start, count, states = map(self._named, ("y0", "count", "states"))
        both = self._named("both")
        args = ", ".join([count, *self.order])
        if "t_span" in self.given:
            rest = ", ".join(["t_eval=t_eval", f"args=({args},)", *self._kept()])
            found = f"integrate.solve_ivp({variation.__name__}, t_span, {both}, {rest}).y.T"
        else:
            turned = ["tfirst=True"] if self.recipe.before_state else []
            rest = ", ".join(["t", f"args=({args},)", *turned, *self._kept()])
            found = f"integrate.odeint({variation.__name__}, {both}, {rest})"
        lines = [
            f"{count} = {start}.shape[0]",
            f"{both} = np.concatenate(({start}, np.ravel(np.eye({count}, {self._width(start)}))))",
            f"{states} = {found}",
            f"return np.reshape({states}[:, {count}:], (-1, {count}, {self._width(start)}))",
        ]
        doc = "Derivatives, in the start and the data, of states that follow"
        given = [start, *self.when, *self.order]
        return self._write(f"{self.name}_slopes", doc, given, lines, variation, np, integrate)

    def _kept(self) -> tuple[str, ...]:
        """The options of a path that its derivatives are found with, too."""
        kept = []
        for name in ("rtol", "atol", "method"):
            value = self.given.get(name)
            if isinstance(value, Const):
                kept.append(f"{name}={value.value!r}")
            elif isinstance(value, Known):
                kept.append(f"{name}=integrate.{value.object.__name__}")
            elif value is not None:
                kept.append(f"{name}={name}")
        return tuple(kept)

    def _width(self, start: str, count: int | None = None) -> str:
        """The text of the number of entries of the start and of the first of what moves."""
        width = f"{start}.shape[0]"
        for n in self.moving[:count]:
            width = _more(width, "1" if self.types[n].is_scalar else f"{n}.size")
        return width

    def _ends(self) -> FunctionType:
        """The cotangents of the start and the data from those of the states."""
        slopes = self._slopes()
        start, bar, bars = map(self._named, ("y0", "value_bar", "bars"))
        named = ", ".join([start, *self.when, *self.order])
        found = [f"{bars}[: {start}.shape[0]]"]
        for k, label in enumerate(self.moving):
            low, high = self._width(start, k), self._width(start, k + 1)
            if self.types[label].is_scalar:
                found.append(f"{bars}[{low}]")
            else:
                found.append(f"np.reshape({bars}[{low} : {high}], {label}.shape)")
        lines = [
            f'{bars} = np.einsum("ki,kij->j", {bar}, {slopes.__name__}({named}))',
            f"return {', '.join(found)}",
        ]
        doc = "Cotangents of the start and the data, from those of states that follow"
        given = [start, *self.when, *self.order, bar]
        made = self._write(f"{self.name}_cotangents", doc, given, lines, slopes, np)
        vector = Type("array", (None,), "f")
        return _typed(made, [vector, *(self.types[n].with_active(False) for n in self.moving)])

    def _along(self) -> FunctionType:
        """The tangents of the states from those of the start and the data."""
        slopes = self._slopes()
        start = self._named("y0")
        dots = [self._named(f"{n}_dot") for n in (start, *self.moving)]
        named = ", ".join([start, *self.when, *self.order])
        columns = ", ".join([dots[0], *(f"np.ravel({d})" for d in dots[1:])])
        line = (
            f'return np.einsum("kij,j->ki", {slopes.__name__}({named}), '
            f"np.concatenate(({columns},)))"
        )
        doc = "Tangents, from those of the start and the data, of states that follow"
        given = [start, *self.when, *self.order, *dots]
        made = self._write(f"{self.name}_tangents", doc, given, [line], slopes, np)
        return _typed(made, [Type("array", (None, None), "f")])


def _more(text: str, other: str) -> str:
    """The text of a sum, of which whole numbers are added together."""
    left, _, last = text.rpartition(" + ")
    if left and other.isdigit() and last.isdigit():
        return f"{left} + {int(last) + int(other)}"
    return f"{text} + {other}"


def _typed(function: FunctionType, types: list[Type]) -> FunctionType:
    """Note what a generated function gives, for the formulas that call it."""
    function.__srcgrad_type__ = types[0] if len(types) == 1 else tuple(types)  # type: ignore
    return function


_PLAIN = inspect.Parameter.POSITIONAL_OR_KEYWORD
_WIDTH = 96  # of a line of generated text behind its indentation


def _plain(b: Builder, function: Any, node: Any) -> Any:
    """A function whose derivatives can be generated."""
    if isinstance(function, Closure) and not function.derivatives:
        return function
    fn = getattr(function, "object", None)
    fn = primal_of(fn)
    if not isinstance(fn, FunctionType) or hasattr(fn, "__srcgrad__"):
        raise b.refuse(node, "this function in the place of one", "write def f(x, …) and pass f")
    return Known(fn, fn.__name__)


__all__ = ["Derivatives", "Recipe"]
