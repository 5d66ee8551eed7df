"""Random programs: a module's text with a function to differentiate, and arguments."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.productions import Shape
from tests.fuzz.scope import Function, Scope
from tests.fuzz.statements import SMALL, Statements

RESULTS: tuple[tuple[Shape, ...], ...] = (((),), ((),), ((),), ((3,),), ((), (2,)))


@dataclass(frozen=True)
class Program:
    """A program and what to do with it.

    Attributes:
        source: the text of a module that defines ``f``.
        args: the arguments of ``f``.
        wrt: the positions of those to differentiate with respect to.
        result: the shapes of its result, or of its results.
        others: more arguments, of the same kinds, to call ``f`` with.
        forms: words for how the first arguments lie in memory: ``reversed``, ``strided``,
            ``read-only``.
    """

    source: str
    args: tuple[Any, ...]
    wrt: tuple[int, ...]
    result: tuple[Shape, ...]
    others: tuple[tuple[Any, ...], ...] = ()
    forms: tuple[str, ...] = ()

    def __repr__(self) -> str:
        args = ", ".join(map(repr, self.args))
        return f"\n{self.source}\n# f({args}), wrt={self.wrt}{self.forms or ''}\n"

    def fresh(self) -> tuple[Any, ...]:
        """Return the arguments, made anew."""
        args = copy.deepcopy(self.args)
        return (*map(_laid_out, args, self.forms), *args[len(self.forms) :])

    def widened(self) -> Program:
        """Return the program in double precision, of which differences can be taken."""
        source = self.source.replace("np.float32", "np.float64")
        return replace(self, source=source, args=tuple(map(_widened, self.args)))

    @property
    def narrow(self) -> bool:
        """Whether there is single precision in it."""
        low = any(getattr(a, "dtype", None) == np.float32 for a in self.args)
        return low or "float32" in self.source


def _laid_out(value: Any, form: str) -> Any:
    """Return an array that is the same, and lies in memory as it is told."""
    if "reversed" in form:
        return value[::-1].copy()[::-1]
    if "strided" in form:
        return np.repeat(value, 2)[::2]
    if "read-only" in form:
        value.flags.writeable = False
    return value


def _widened(value: Any) -> Any:
    if getattr(value, "dtype", None) != np.float32:
        return value
    return value.astype(np.float64) if isinstance(value, np.ndarray) else np.float64(value)


def helper(writer: Statements, functions: tuple[Function, ...]) -> Function:
    """Write a function of the module, which may call itself with a smaller number."""
    name = writer.fresh("helper")
    recursive = writer.chance(4)
    shapes = [writer.pick(SMALL) for _ in range(1 + writer.number(2))]
    result = shapes[0] if recursive else writer.pick(SMALL)
    parameters = [(f"p{k}", shape) for k, shape in enumerate(shapes)]
    optional = 0
    scope = Scope(result=(result,), functions=functions)
    head = [p for p, _ in parameters]
    for p, shape in parameters:
        scope.put(p, shape)
    if recursive:
        head = ["m", *head]
    elif writer.chance(3):
        head.append("scale=1.5")
        parameters.append(("scale", ()))
        scope.put("scale", ())
        optional = 1
    keywords: tuple[tuple[str, Shape], ...] = ()
    if not recursive and writer.chance(4):
        head.append("*, shift=0.3")
        keywords = (("shift", ()),)
        scope.put("shift", ())
    writer.write(0, f"def {name}({', '.join(head)}):")
    if recursive:
        writer.write(1, "if m <= 0:")
        writer.write(2, writer.result(scope))
        passed = ", ".join(writer.expression(scope, shape, 2) for shape in shapes)
        writer.write(1, f"p0 = {name}(m - 1, {passed})")
        parameters.insert(0, ("m", ()))
    else:
        writer.block(scope, 1, 3, 1)
    writer.write(1, writer.result(scope))
    writer.write(0, "")
    writer.write(0, "")
    return Function(name, tuple(parameters), optional, keywords, result, 2 if recursive else None)


@st.composite
def programs(draw: Any) -> Program:
    """A strategy for programs; the simplest returns its only argument."""
    writer = Statements(draw)
    functions: tuple[Function, ...] = ()
    for _ in range(writer.pick((0, 0, 1, 1, 2))):
        functions = (*functions, helper(writer, functions))
    writer.fuel = 60
    shapes = [writer.pick(SMALL) for _ in range(1 + writer.number(3))]
    result = writer.pick(RESULTS)
    names = ("x", "y", "r")[: len(shapes)]
    scope = Scope(functions=functions, result=result, arguments=frozenset(names))
    for name, shape in zip(names, shapes, strict=True):
        scope.put(name, shape)
    head, extra = list(names), []
    if writer.chance(3):
        head += ["n", "flag"]
        scope.integers["n"] = 3
        scope.flags = ("flag",)
        extra = [writer.number(3), writer.chance(2)]
    writer.write(0, f"def f({', '.join(head)}):")
    writer.block(scope, 1, 6, 2)
    writer.write(1, writer.result(scope))

    rng = np.random.default_rng(writer.number(100))
    args = [_argument(rng, shape) for shape in shapes]
    wrt = tuple(range(len(shapes)))
    if len(wrt) > 1 and writer.chance(3):
        wrt = (writer.number(len(wrt)),)
    source = "import math\n\nimport numpy as np\n\n\n" + "\n".join(writer.lines) + "\n"
    return Program(source, (*args, *extra), wrt, result)


def _argument(rng: np.random.Generator, shape: Shape) -> Any:
    values = np.round(rng.uniform(0.2, 1.4, size=shape) * rng.choice([-1, 1], size=shape), 3)
    return values if shape else float(values)
