"""Operands of all ranks: every way in which the axes of one meet the axes of another.

All lengths are 3 or 1, so that a cotangent that is summed along a wrong axis has the
right shape: only its numbers tell. What NumPy does not take is left out.
"""

import itertools
import warnings

import numpy as np
import pytest
from scipy import integrate, linalg, ndimage, signal, special, stats
from srcgrad.formulas import load_used

from srcgrad.registry import find_formula
from srcgrad.runtime.scipy.special import weighted_logsumexp
from srcgrad.testing import check_formula
from tests.finite_differences import leaves
from tests.formulas.checking import (
    apply,
    between,
    case,
    check_cotangents,
    check_own_tangent,
    check_value,
    normal,
    positive,
)

load_used()


SHAPES = [(), (3,), (1,), (3, 3), (3, 1), (1, 3), (3, 3, 3), (3, 1, 3)]
PLACES = [{"axis": k} for k in (0, 1, 2, -1, -2)]
AXES = [{}, {"axis": None}, *PLACES]
KEPT = [*AXES, *({**axis, "keepdims": True} for axis in AXES)]
TURNS = [dict(zip(("axisa", "axisb", "axisc"), k)) for k in itertools.product((0, 1, -1), repeat=3)]


def grown(*shape):
    """Coordinates that grow."""
    return np.cumsum(positive(*shape), axis=-1) if shape else positive()


def turned(*shape):
    """Coordinates that grow along the first axis."""
    return np.cumsum(positive(*shape), axis=0) if shape else positive()


def matrices(*shape):
    """Matrices that can be inverted."""
    return normal(*shape) + 3 * np.eye(*shape[-2:]) if len(shape) > 1 else normal(*shape)


def middle(*shape):
    """Parts of a whole."""
    return np.full(shape, 0.3)


def truth(*shape):
    """Truth values of both kinds."""
    return normal(*shape) > 0


def whole(*shape):
    """Indices."""
    return (np.arange(np.prod(shape, dtype=int)) % 3).reshape(shape)


def below(*shape):
    """Numbers that differ from those of ``normal``."""
    return -between(0.3, 0.7, *shape)


def above(*shape):
    """Numbers above those of ``below``."""
    return between(0.3, 0.7, *shape)


FILTERS = (signal.fftconvolve, signal.correlate, ndimage.convolve)
# a function, what makes each of its operands, and its options
TWO = (normal, normal)
TABLE = [
    (np.vecdot, TWO, KEPT),
    (np.linalg.vecdot, TWO, PLACES),
    *((f, TWO, [{}]) for f in (np.dot, np.inner, np.outer, np.kron, np.vdot, np.matmul)),
    *((getattr(np, f), TWO, [{}]) for f in ("matvec", "vecmat") if hasattr(np, f)),
    (np.cross, TWO, [*AXES, *TURNS]),
    (np.tensordot, TWO, [{"axes": k} for k in (0, 1, 2, (0, 0), (1, 0), (-1, 0), (0, -1))]),
    (np.trapezoid, (normal, grown), PLACES),
    (integrate.simpson, (normal, grown), PLACES),
    (np.append, TWO, AXES),
    (np.insert, (normal, lambda *s: 1, normal), AXES),
    (np.linspace, TWO, [{"num": 4, **o} for o in PLACES]),
    (np.geomspace, (positive, above), [{"num": 4, **o} for o in PLACES]),
    (np.logspace, TWO, [{"num": 4, **o} for o in PLACES]),
    (np.quantile, (normal, middle), KEPT),
    (np.nanpercentile, (normal, middle), KEPT),
    (np.take, (normal, whole), AXES),
    (np.take_along_axis, (normal, whole), AXES),
    (np.compress, (truth, normal), AXES),
    (np.linalg.solve, (matrices, normal), [{}]),
    (np.linalg.lstsq, (matrices, normal), [{"rcond": None}]),
    (linalg.solve_triangular, (matrices, normal), [{}, {"lower": True}, {"trans": 1}]),
    (np.interp, (normal, grown, normal), [{}]),
    (weighted_logsumexp, (normal, positive), KEPT),
    *((f, TWO, [{}]) for f in (np.cov, np.corrcoef)),
    *((f, TWO, [{}, {"mode": "same"}]) for f in (signal.fftconvolve, signal.correlate)),
    (signal.lfilter, (positive, positive, normal), PLACES),
    (ndimage.convolve, TWO, [{}, {"mode": "wrap"}]),
    (np.convolve, TWO, [{}]),
    (np.clip, (normal, below, above), [{}]),
    (np.where, (truth, normal, normal), [{}]),
    (np.full_like, TWO, [{}]),
    *((f, TWO, [{}]) for f in (np.hypot, np.maximum, np.arctan2, np.logaddexp)),
    (np.ldexp, (normal, whole), [{}]),
    (special.xlogy, (positive, positive), [{}]),
    (stats.norm.logpdf, (normal, normal, positive), [{}]),
    (stats.gamma.logcdf, (positive, positive, normal, positive), [{}]),
]
# options that are arrays: a function, a name, what makes it, and other options
OPTIONS = [
    (np.average, "weights", positive, KEPT),
    (special.logsumexp, "b", positive, KEPT),
    (np.trapezoid, "dx", positive, PLACES),
    (integrate.simpson, "x", turned, PLACES),
    (np.diff, "prepend", normal, PLACES),
    (np.diff, "append", normal, PLACES),
    (np.repeat, "repeats", whole, AXES),
    (np.sum, "where", truth, KEPT),
    (np.mean, "where", truth, KEPT),
    (np.var, "where", truth, KEPT),
    (np.prod, "where", truth, KEPT),
    (np.ediff1d, "to_begin", normal, [{}]),
]


def calls():
    """All calls of the tables."""
    for fn, makers, options in TABLE:
        for given in options:
            for shapes in itertools.product(SHAPES, repeat=len(makers)):
                made = (make(*shape) for make, shape in zip(makers, shapes, strict=True))
                yield case(fn, *made, **given)
    for fn, name, make, options in OPTIONS:
        for given in options:
            for shape, other in itertools.product(SHAPES, repeat=2):
                yield case(fn, normal(*shape), **{name: make(*other)}, **given)


def is_taken(c):
    """Whether NumPy takes a call, with numbers as its result, of arrays with the axis it names."""
    ranks = [np.ndim(x) for x in c.args]
    if "axis" in c.options and 0 in ranks:
        return False  # it is left out before the formula is called
    if c.target is np.interp and np.size(c.args[1]) < 2:
        return False  # a constant, whose second derivatives are no numbers
    if c.target in FILTERS and max(ranks) == 0:
        return False  # numbers are multiplied
    try:
        z = c.target(*c.args, **c.options)
    except (ValueError, TypeError, IndexError, RuntimeError, np.linalg.LinAlgError):
        return False
    return all(np.all(np.isfinite(leaf)) for leaf in leaves(z))


def by_function():
    """The calls of the tables by function, in random order."""
    found = {}
    for c in calls():
        found.setdefault(c.target, []).append(c)
    rng = np.random.default_rng(0)
    return {fn: [made[k] for k in rng.permutation(len(made))] for fn, made in found.items()}


CALLS = by_function()


@pytest.mark.one_of(2)
@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_cotangents(fn, request):
    """Each formula takes all that its function takes, and agrees with differences."""
    part = 1 if request.config.getoption("--all") else 7
    taken = 0
    for c in CALLS[fn][: 20 + len(CALLS[fn]) // part]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not is_taken(c):
                continue
            taken += 1
            try:
                z, backward = apply(find_formula(fn), c)
                check_value(c, z)
                check_cotangents(c, z, backward)
                check_own_tangent(c)
            except Exception as error:
                raise AssertionError(f"{c} with {c.options}") from error
    assert taken


@pytest.mark.one_of(8)
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_generated(fn, number):
    """So does what is generated, at each order, where the ranks differ."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixed = [c for c in CALLS[fn] if is_mixed(c) and is_taken(c)]
        for c in mixed[number * len(mixed) // 3 :][:1]:
            check_formula(fn, *c.args, **c.options)


def is_mixed(c):
    """Whether the operands of a call have different ranks."""
    return len({np.ndim(x) for x in (*c.args, *c.options.values()) if not np.isscalar(x)}) > 1
