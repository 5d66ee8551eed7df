"""What a formula computes of an operand alone does not overflow where that is of small integers.

An operand that is not differentiated may have any dtype. In its own it has logarithms in half
precision, and its products and its negative wrap around. So each case of the tables is computed
with whole numbers in double precision and in one byte, and both must give the same cotangents.
"""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from srcgrad import grad, source
from srcgrad.registry import find_formula
from tests.finite_differences import leaves, random_like
from tests.formulas.checking import Case, apply, is_float
from tests.formulas.strict_cases import MODULES

SMALL = {np.int8: (40, -120, 120), np.uint8: (60, 0, 250)}


def _modules():
    here = Path(__file__).parent
    special = sorted(file.stem for file in (here / "scipy" / "special").glob("test_*.py"))
    return [f"numpy.test_{name}" for name in MODULES] + [f"scipy.special.{n}" for n in special]


def _with_small_integers(c):
    """Pairs of one case: an operand has whole numbers, in double precision and in one byte."""
    for k, operand in enumerate(c.args):
        if not isinstance(operand, np.ndarray) or operand.dtype != np.float64:
            continue
        for small, (scale, low, high) in SMALL.items():
            whole = np.clip(np.rint(np.nan_to_num(operand) * scale), low, high)
            pair = [(*c.args[:k], x, *c.args[k + 1 :]) for x in (whole, whole.astype(small))]
            yield k, *(Case(c.target, args, c.options) for args in pair)


def _cotangents(c):
    value, backward = apply(find_formula(c.target), c)
    return value, backward(random_like(value, np.random.default_rng(0)))


@pytest.mark.parametrize("module", _modules())
def test_small_integers(module):
    """The cotangents of the other operands are those beside numbers of double precision."""
    for c in getattr(import_module(f"tests.formulas.{module}"), "CASES", ()):
        if not isinstance(c, Case) or (getattr(c.target, "__module__", "") or "").startswith(
            "srcgrad"
        ):
            continue
        for place, wide, narrow in _with_small_integers(c):
            others = [k for k, x in enumerate(c.args) if k != place and is_float(x)]
            if not others:
                continue
            with np.errstate(all="ignore"):
                try:
                    value, own = _cotangents(narrow)
                except (TypeError, ValueError, NotImplementedError):
                    continue  # the function itself takes no such numbers
                expected, bars = _cotangents(wide)
            if any(np.asarray(part).dtype.kind in "iu" for part in leaves(value)):
                continue  # what it gives is of that operand alone
            pairs = zip(leaves(value), leaves(expected), strict=True)
            if not all(np.allclose(a, b, rtol=1e-12, equal_nan=True) for a, b in pairs):
                continue  # nor does it compute with them as with others
            for k in others:
                for a, b in zip(leaves(own[k]), leaves(bars[k]), strict=True):
                    if a is not None and np.all(np.isfinite(b)):
                        told = f"{c}: operand {place}"
                        np.testing.assert_allclose(a, b, 1e-6, 1e-8, err_msg=told)


def test_text():
    """Whole numbers are made numbers of double precision where the text needs it."""
    gradient = grad(lambda x, base: np.sum(base**x))
    x, base = np.array([0.5, 2.0]), np.array([200, 3], dtype=np.uint8)
    np.testing.assert_allclose(gradient(x, base), base**x * np.log([200.0, 3.0]), rtol=1e-14)
    assert "np.float64(base)" in source(gradient)
    gradient(x, base * 1.0)
    assert "float64" not in source(gradient, args=(x, base * 1.0))
