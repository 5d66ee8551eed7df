"""Calls on arrays that are not NumPy's: the tables of the tests of NumPy's formulas."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad import vjp
from srcgrad.registry import refusal_of_complex
from tests.formulas.checking import Case, is_float, written_out
from tests.formulas.numpy.test_complex_operands import FIRST

MODULES = """
    averages complex_numbers creation decompositions differences einsum
    exponents extrema fourier hyperbolic indexing initials joining linalg miscellaneous products
    rearranging reductions shaping sorting statistics trigonometry ufuncs
""".split()


def cases() -> list[Case]:
    """Return the calls with arrays of NumPy's functions that have formulas."""
    found = [c for m in MODULES for c in import_module(f"tests.formulas.numpy.test_{m}").CASES]
    found += [c for c in FIRST if refusal_of_complex(c.target) is None]
    found += _of_special()
    return [c for c in found if any(isinstance(x, np.ndarray) for x in _leaves(c.args))]


def _of_special() -> list[Case]:
    """The first call of each function of SciPy that is called through NumPy's protocols."""
    found: dict[Any, Case] = {}
    for file in sorted((Path(__file__).parent / "scipy" / "special").glob("test_*.py")):
        module = import_module(f"tests.formulas.scipy.special.{file.stem}")
        for c in getattr(module, "CASES", ()):
            if isinstance(c.target, np.ufunc):
                found.setdefault(c.target, c)
    return list(found.values())


class Call:
    """A call of a function as a program, on arrays of any kind.

    Attributes:
        program: the program.
        args: its arguments, of NumPy.
        options: the arrays among the options, by their names in the program's module.
        wrt: which arguments are differentiated.
        value: the result with arrays of NumPy.
    """

    def __init__(self, c: Case) -> None:
        self.program, self.args = written_out(c)
        space = self.program.__globals__
        self.options = {
            name: x
            for name, x in space.items()
            if name.startswith("option") and isinstance(x, np.ndarray)
        }
        self.wrt = tuple(k for k, x in enumerate(self.args) if is_float(x))
        self.value = self.program(*self.args)

    def seeds(self, made: Callable[[Any], Any], dtype: Any) -> Any:
        """Return cotangents of the result; each call returns the same ones."""
        rng = np.random.default_rng(4)

        def seed(z: Any) -> Any:
            if isinstance(z, tuple | list):
                return tuple(seed(part) for part in z)
            kind = np.asarray(z).dtype.kind
            if kind not in "fc":
                return None
            bar = np.asarray(rng.normal(size=np.shape(z)))
            if kind == "c":
                return made(np.asarray(bar + 0.5j).astype(np.result_type(dtype, np.complex64)))
            return made(bar.astype(dtype))

        return seed(self.value)

    def moved(self, made: Callable[[Any], Any], dtype: Any) -> tuple[Any, ...]:
        """Return the arguments as arrays of another kind, and move the options there too."""

        def move(x: Any) -> Any:
            if not isinstance(x, np.ndarray):
                return x
            if x.dtype.kind == "c":
                return made(x.astype(np.result_type(dtype, np.complex64)))
            return made(x.astype(dtype) if x.dtype.kind == "f" else x)

        self.program.__globals__.update((name, move(x)) for name, x in self.options.items())
        return tuple(move(x) for x in self.args)

    def cotangents(self, made: Callable[[Any], Any], dtype: Any) -> tuple[Any, ...]:
        """Return the cotangents of the arguments, from arrays of one kind."""
        args = self.moved(made, dtype)
        _, backward = vjp(self.program, *args, wrt=self.wrt)
        return backward(self.seeds(made, dtype))


def _leaves(tree: Any) -> Any:
    if isinstance(tree, tuple | list):
        for part in tree:
            yield from _leaves(part)
    else:
        yield tree
