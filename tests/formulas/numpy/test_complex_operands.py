"""Each formula of NumPy's and of Python's operators, with complex operands.

The cases are those of the tests for real numbers, moved off the real axis into all
four quadrants. A case agrees with differences, or is refused: there is no third outcome.
"""

import importlib
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import jvp, vjp
from srcgrad.errors import CheckFailedError, SrcgradError
from srcgrad.registry import refusal_of_complex
from srcgrad.testing import check_formula
from tests.finite_differences import directional, inner, is_number, leaves, random_like
from tests.formulas.checking import Case, is_float, without_tangent, written_out

load("numpy")

RTOL, ATOL = 1e-6, 1e-6
MOST = 8  # cases of one function


def turned(x, rng):
    """Return numbers of the same sizes, anywhere in the complex plane."""
    if isinstance(x, tuple | list):
        return type(x)(turned(part, rng) for part in x)
    if not is_float(x):
        return x
    phase = np.exp(2j * np.pi * rng.uniform(0.02, 0.98, size=np.shape(x)))
    return x * phase if isinstance(x, np.ndarray) else complex(x * phase)


def variants(c):
    """The case with all operands complex, and with each of several ones complex alone."""
    rng = np.random.default_rng(3)
    active = [k for k, x in enumerate(c.args) if is_float(x)]
    chosen = [active, *([[k] for k in active] if len(active) > 1 else [])]
    for some in chosen:
        args = tuple(turned(x, rng) if k in some else x for k, x in enumerate(c.args))
        if all(is_float(x) for k, x in enumerate(args) if k in some) and active:
            yield Case(c.target, args, c.options)


def cases():
    """All cases with complex operands that the function itself accepts."""
    here = Path(__file__).parent
    files = [*here.glob("test_*.py"), *(here.parent / "python").glob("test_*.py")]
    found = {}
    counts = Counter()
    for file in sorted(files):
        if file == Path(__file__):
            continue
        module = importlib.import_module(f"tests.formulas.{file.parent.name}.{file.stem}")
        for c in getattr(module, "CASES", ()):
            if c.target is np.polyval and np.size(c.args[0]) == 1:
                continue  # the slope of a complex constant is a real 0 in NumPy
            if c.target is np.linalg.svd and c.options.get("compute_uv", True):
                continue  # the vectors have any phase; test_complex_matrices has what has none
            for v in variants(c):
                if counts[c.target] >= MOST:
                    continue
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("error", np.exceptions.ComplexWarning)
                    try:
                        value = v.target(*v.args, **v.options)
                    except (TypeError, ValueError, ArithmeticError, AttributeError, Warning):
                        continue
                if any(map(is_number, leaves(value))):
                    counts[c.target] += 1
                    found[f"{file.stem[5:]}-{v}-{len(found)}"] = v
    return found


CASES = cases()
FIRST = list({c.target: c for c in reversed(CASES.values())}.values())


@pytest.mark.one_of(48)
@pytest.mark.parametrize("c", CASES.values(), ids=CASES.keys())
@pytest.mark.filterwarnings("error::numpy.exceptions.ComplexWarning")
def test_formula(c):
    """Cotangents, tangents and second derivatives agree with differences, or are refused."""
    program, args = written_out(c)
    places = tuple(k for k, x in enumerate(args) if is_float(x))
    if refusal_of_complex(c.target) is not None:
        with pytest.raises(SrcgradError, match="complex"):
            vjp(program, *args, wrt=places)
        return
    rng = np.random.default_rng(5)
    with np.errstate(all="ignore"):
        value, backward = vjp(program, *args, wrt=places)
        z_bar = random_like(value, rng)
        bars = backward(z_bar)
    for k, bar in zip(places, bars, strict=True):
        assert np.iscomplexobj(bar) == np.iscomplexobj(args[k])
        assert np.shape(bar) == np.shape(args[k])
        u = random_like(args[k], rng)
        slope = inner(z_bar, tuple(directional(program, args, {k: u})))
        np.testing.assert_allclose(inner(bar, u), slope, rtol=RTOL, atol=ATOL)
    if not without_tangent(c):
        moving = {k: random_like(args[k], rng) for k in places}
        with np.errstate(all="ignore"):
            value, dot = jvp(program, args, tuple(moving.get(k) for k in range(len(args))))
        pairs = zip(leaves(value), leaves(dot), strict=True)
        dots = [b for a, b in pairs if is_number(a)]
        for a, b in zip(dots, directional(program, args, moving), strict=True):
            np.testing.assert_allclose(a, b, rtol=RTOL, atol=ATOL)
    if all(c is not first for first in FIRST):
        return
    try:
        check_formula(c.target, *c.args, **c.options)
    except CheckFailedError:
        raise
    except SrcgradError as error:  # a second derivative may be refused
        if "complex" not in str(error):
            raise
