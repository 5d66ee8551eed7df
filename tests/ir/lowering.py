"""Small lowered functions for tests of the intermediate representation."""

from srcgrad import formulas
from srcgrad.frontend.calls.language import lower_function, prepare
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import REAL, Type
from srcgrad.transform.reverse import reverse
from srcgrad.transformation.context import Context

NUMBER = REAL.with_active(True)
VECTOR = Type("array", ("n",), "f", True)


def lowered(fn, *types, context=None):
    """Lower a function whose parameters are variables of these types."""
    formulas.load_all()
    names = fn.__code__.co_varnames[: len(types)]
    params = [(n, Var(n, t, named=True)) for n, t in zip(names, types, strict=True)]
    return lower_function(context or Context(), prepare(fn), params)


def lowered_and_reversed(fn, *types):
    """Lower a function with one result, and reverse it."""
    context = Context()
    function = lowered(fn, *types, context=context)
    seed = Var("value_bar", NUMBER, named=True)
    return function, reverse(context, function, (True,), (seed,))
