"""What functions do besides giving a result: memory is looked at before and after each call.

Every function that is registered is called, with arguments from the tables of its tests or
with some that it takes, and handed outputs in every way that there is. What has changed
then must be declared. So must what a function keeps, and what of its arguments its result
shares memory with.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import functools
import gc
import heapq
import inspect
import io
import itertools
import logging
import math
import random
import struct
import sys
import warnings
import zlib
from importlib import import_module

import numpy as np
import pytest
from scipy import linalg, ndimage

from srcgrad import formulas, nondifferentiable, registry
from srcgrad.effects import (
    UNKNOWN,
    effects_of,
    is_ufunc,
    kept_by,
    may_be_locked,
    shared_by,
    written_by,
)
from srcgrad.library.libraries import home
from tests.effects_examples import GIVEN
from tests.formulas.checking import Case
from tests.formulas.scipy.stats import test_in_python
from tests.formulas.test_load import TESTS

formulas.load_all()
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])
# Arguments that functions without a table of examples may take
CANDIDATES = (
    np.array([0.6, 0.3, 0.8]),
    SQUARE,
    np.array([2, 1, 0]),
    np.array([True, False, True]),
    2,
    0.5,
    [np.array([0.6, 0.3, 0.8]), np.array([0.1, 0.2, 0.5])],
    (3,),
    np.sum,
    "d",
)
TRIES = 700
NOT_CALLED = {  # reasons of the registry for which a function is not called here
    "it reads or writes text or files",
    "it has to do with settings, not with numbers",
    "it only stands for a kind of error",
    "it only stands for a family of types",
}
NOT_FOUND = {  # by which reason no call of a function is made here, by name
    "its objects are only made by other functions": """
        builtins.SuperLU numpy.flatiter numpy.ufunc numpy.rec.recarray
        scipy.integrate._ivp.base.OdeSolver scipy.interpolate._fitpack2.BivariateSpline
        scipy.interpolate._interpolate.interp2d scipy.optimize._nonlin.InverseJacobian
        scipy.optimize._hessian_update_strategy.HessianUpdateStrategy
        scipy.optimize._optimize.OptimizeResult scipy.stats._continuous_distns.beta_gen
        scipy.stats._discrete_distns.binom_gen
    """,
    "it reads or writes files": "numpy.memmap",
    "it takes nothing that could be written": """
        _operator.delitem builtins.isinstance builtins.issubclass
        scipy.optimize._linprog.linprog_verbose_callback
        scipy.sparse.linalg._dsolve.linsolve.use_solver
    """,
    "it takes factors of a matrix, which cannot be copied": """
        srcgrad.tape.libraries.sparse_equations.solve_with
    """,
    "NumPy raises for any arguments": """
        .divmod.at .matmul.at .matvec.at .vecdot.at .vecmat.at
    """,
    "it is written in Python here, for generated code that hands it functions or splines": """
        srcgrad.runtime.broadcasting.with_added_columns srcgrad.runtime.numpy.segments.leaders
        srcgrad.runtime.numpy.segments.segment_places srcgrad.runtime.numpy.segments.segment_present
        srcgrad.runtime.scipy.solvers.columns_of_path srcgrad.runtime.scipy.solvers.free_variables
        srcgrad.runtime.scipy.solvers.integral srcgrad.runtime.scipy.solvers.integral_of_array
        srcgrad.runtime.scipy.solvers.path srcgrad.runtime.scipy.solvers.root
        srcgrad.runtime.scipy.solvers.roots
        srcgrad.runtime.scipy.solvers.roots_between srcgrad.runtime.scipy.splines.cubic_spline
        srcgrad.runtime.scipy.splines.interpolating_spline
        srcgrad.runtime.scipy.triangular.row_order
    """,
}


def examples():
    """The arguments that the tables of tests have for each function: some of the calls."""
    found = {}
    for name in TESTS:
        for c in import_module(name).CASES:
            if isinstance(c, Case):
                calls = found.setdefault(c.target, [])
                if len(calls) < 2:
                    calls.append((c.args, c.options))
    return found


EXAMPLES = examples() | {fn: [call] for fn, call in GIVEN.items()}
EXAMPLES |= {fn: [(args, {})] for fn, args in map(test_in_python.case, test_in_python.OWN)}


def registered():
    """All functions that are registered in any way, in a fixed order."""
    tables = (
        registry._formulas,
        registry._nondifferentiable,
        registry._refused,
        registry._in_python,
        registry._solvers,
    )
    found = dict.fromkeys(fn for table in tables for fn in table)
    return sorted((fn for fn in found if home(fn) != "tests"), key=name_of)


def name_of(fn):
    """A name for a function that is the same in each run."""
    owner = getattr(fn, "__self__", None)
    inner = f"{owner.__name__}." if isinstance(owner, np.ufunc) else ""
    name = getattr(fn, "__name__", None) or type(fn).__name__
    return f"{getattr(fn, '__module__', None) or ''}.{inner}{name}"


def leaves(value):
    """The arrays in arguments or results."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()))


def call(fn, args, options):
    """What a call gives, and whether it could be made; nothing is printed."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                return fn(*args, **options), True
            except Exception:  # noqa: BLE001 - these arguments do not fit
                return None, False


def fresh(args, options):
    """Copies of the arguments of a call."""
    return copy.deepcopy((tuple(args), dict(options)))


def holders(arrays):
    """How many hold each of some arrays."""
    return [sys.getrefcount(x) for x in arrays]


def among(arrays, others):
    """Whether each of some arrays is one of others, or shares memory with it."""
    return [any(x is o for o in leaves(others)) for x in arrays]


def is_locked(arrays):
    """Whether some arrays cannot be written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some will not be writeable in future
        return not all(x.flags.writeable for x in leaves(arrays))


def look(fn, args, options, problems):
    """Call a function and compare what happens to its arguments with what is declared.

    Returns:
        Whether the call could be made.
    """
    given = list(leaves([*args, *options.values()]))
    may_write = among(given, written_by(fn, args, options))
    may_keep = among(given, kept_by(fn, args, options))
    may_share = among(given, shared_by(fn, args, options))
    before = [x.tobytes() for x in given]
    counts = holders(given)
    result, made = call(fn, args, options)
    if not made:
        return False
    shared = [any(np.may_share_memory(x, r) for r in leaves(result)) for x in given]
    written = [x.tobytes() != old for x, old in zip(given, before, strict=True)]
    if not any(written) and is_locked(result) and not is_locked(given) and not may_be_locked(fn):
        problems.append((name_of(fn), "gives what cannot be written", describe(fn, args, options)))
    del result
    if holders(given) != counts:
        gc.collect()  # what only holds itself keeps nothing
    kept = [now > then for now, then in zip(holders(given), counts, strict=True)]
    for what, found, declared in (
        ("writes into", written, may_write),
        ("gives a view of", shared, may_share),
        ("keeps", kept, may_keep),
    ):
        if any(f and not d for f, d in zip(found, declared, strict=True)):
            problems.append((name_of(fn), what, describe(fn, args, options)))
    return True


def describe(fn, args, options):
    """The text of a call."""
    parts = [*map(repr, args), *(f"{k}={v!r}" for k, v in options.items())]
    return " ".join(f"{getattr(fn, '__name__', fn)}({', '.join(parts)})".split())[:160]


def parameters(fn):
    """The parameters of a function, as far as they are told."""
    try:
        return list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return []


def found_call(fn):
    """Arguments that a function takes, by trying; None if none of those that are tried fit."""
    named = parameters(fn)
    required = [p for p in named if p.default is p.empty and p.kind <= p.VAR_POSITIONAL]
    counts = [len(required)] if named else [1, 2, 3]
    tries = 0
    for count in counts:
        for args in itertools.product(CANDIDATES, repeat=count):
            tries += 1
            if tries > TRIES:
                return None
            plain, options = fresh(args, {})
            if call(fn, plain, options)[1]:
                return args, {}
    return None


def ways(fn, args, options, result):
    """Calls that hand a function something to write into, in every way that there is."""
    outputs = [np.zeros_like(x) for x in leaves(result)] or [np.zeros(3)]
    if is_ufunc(fn):
        outputs = [np.asarray(x) for x in (result if isinstance(result, tuple) else (result,))]
        yield (*args, *map(np.zeros_like, outputs)), options
        yield args, {**options, "out": tuple(map(np.zeros_like, outputs))}
        if len(outputs) == 1:
            yield args, {**options, "out": np.zeros_like(outputs[0])}
        for k, out in enumerate(outputs):
            alone = [np.zeros_like(out) if j == k else None for j in range(len(outputs))]
            yield args, {**options, "out": tuple(alone)}
        return
    names = parameters(fn)
    for place, p in enumerate(names):
        if p.name in options or place < len(args) or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if p.default is None or p.name in ("out", "output"):
            values = [outputs[0], np.zeros(3), tuple(outputs)]
        elif isinstance(p.default, bool | int) and p.default in (0, 1):
            values = [not p.default]
        else:
            continue
        between = [q.default for q in names[len(args) : place]]
        for value in values:
            yield args, {**options, p.name: copy.deepcopy(value)}
            if p.kind is p.POSITIONAL_OR_KEYWORD and p.empty not in between and not options:
                yield (*args, *between, copy.deepcopy(value)), {}


def problems_of(fn):
    """What a function does that is not declared; None where no call of it could be made."""
    calls = EXAMPLES.get(fn) or [c for c in [found_call(fn)] if c is not None]
    problems: list = []
    made = False
    for args, options in calls:
        plain = fresh(args, options)
        if not look(fn, *plain, problems):
            continue
        made = True
        result, _ = call(fn, *fresh(args, options))
        for way in ways(fn, args, options, result):
            look(fn, *fresh(*way), problems)
    return problems if made else None


FUNCTIONS = [
    fn
    for fn in registered()
    if effects_of(fn) is not UNKNOWN and registry.refusal_of(fn) not in NOT_CALLED
]
PARTS = 8


@pytest.mark.one_of(2)
@pytest.mark.parametrize("part", range(PARTS))
def test_declared_effects(part):
    """Each function writes into, keeps and gives views of no more than is declared."""
    without_call = {name for names in NOT_FOUND.values() for name in names.split()}
    problems, missing = [], []
    for fn in FUNCTIONS:
        name = name_of(fn)
        if zlib.crc32(name.encode()) % PARTS != part or name in without_call:
            continue
        found = problems_of(fn)
        if found is None:
            missing.append(name)
        problems += found or []
    assert not problems
    assert not missing, "add arguments to tests/effects_examples.py"


def test_outputs_are_written():
    """The ways to hand functions an output that are looked at do write into it."""
    a, t = np.array([1.3, 2.2]), np.zeros(2)
    for fn, args, options in (
        (np.negative, (a, t), {}),
        (np.negative, (a,), {"out": (t,)}),
        (np.add.reduce, (np.ones((3, 2)), 0, None, t), {}),
        (np.modf, (a,), {"out": (None, t)}),
        (ndimage.correlate1d, (a, np.ones(3), -1, t), {}),
        (linalg.solve, (np.eye(2), t), {"overwrite_b": True}),
        (functools.partial(np.sum, axis=0, out=t), (np.ones((3, 2)),), {}),
    ):
        t[:] = [0.3, 0.1]
        assert [x is t for x in written_by(fn, args, options)] == [True]
    assert written_by(linalg.solve, (np.eye(2), t), {"overwrite_b": False}) == []
    assert written_by(ndimage.correlate1d, (a, np.ones(3)), {"output": np.float32}) == []


def test_undeclared():
    """Of a function that nobody has declared nothing is known: it may write and keep it all."""

    def anything(a, b):
        a[0] = b

    a = np.ones(2)
    assert effects_of(anything) is UNKNOWN
    assert written_by(anything, (a, 2.0), {}) == [a]
    assert kept_by(anything, (), {"a": a}) == [a]
    assert effects_of([]) is UNKNOWN


def test_declared_by_users():
    """A user's function is declared where it is registered."""

    @nondifferentiable
    def reads(a):
        return len(a)

    def fills(a, b, when=True):
        if when:
            a[:] = b

    nondifferentiable(fills, writes="a if when", keeps="b", views="")
    a, b = np.ones(2), np.zeros(2)
    assert written_by(fills, (a, b), {}) == [a]
    assert written_by(fills, (a, b, False), {}) == []
    assert kept_by(fills, (a, b), {})[0] is b
    assert shared_by(fills, (a, b), {}) == []
    assert effects_of(reads) is UNKNOWN


@pytest.mark.parametrize(
    "fn",
    [len, math.sqrt, str.upper, "x".join, random.random, copy.copy, logging.info, warnings.warn],
)
def test_the_standard_library_reads(fn):
    """What only reads is known in the standard library."""
    assert written_by(fn, (np.ones(2),), {}) == []


@pytest.mark.parametrize("fn", [setattr, exec, struct.pack_into, ctypes.memmove, heapq.heappush])
def test_the_standard_library_writes(fn):
    """What writes or keeps there counts as such."""
    assert effects_of(fn).writes
