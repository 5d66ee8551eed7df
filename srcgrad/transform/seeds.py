"""The cotangent that a gradient starts from: 1, which is a number in the text.

A number fits the arrays of all libraries. But where a function of NumPy is called with nothing
else that is not elementwise, it becomes an array of NumPy's, which no array of CuPy's can be
combined with. The gradient starts from an array of ones then.
"""

from __future__ import annotations

import operator

import numpy as np

from srcgrad.analysis.shapes.results import is_elementwise, type_of
from srcgrad.ir.nodes import Block, Const, Equation, Op, Value, Var, equations, uses
from srcgrad.library.libraries import home


def ones_like(result: Value) -> Equation:
    """Return what computes the cotangent 1 of a result as an array."""
    seed = Var("value_bar", type_of(result).with_active(False))
    return Equation((seed,), Op(np.ones_like), (result,))


def makes_arrays(block: Block) -> bool:
    """Tell whether an operation makes an array of nothing but numbers in the text."""
    return any(map(_makes_an_array, equations(block)))


def _makes_an_array(eq: Equation) -> bool:
    constants = [arg.value for arg in eq.args if isinstance(arg, Const)]
    if not any(isinstance(value, float | complex) for value in constants):
        return False
    if is_elementwise(eq.op.fn) or any(v.type.is_number for v in uses(eq)):
        return False
    return eq.op.fn is operator.getitem or home(eq.op.fn) == "numpy"
