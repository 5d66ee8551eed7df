"""Patterns hold every entry that a dense derivative has, whatever function it goes through."""

import functools
import warnings
from importlib import import_module

import numpy as np
import pytest

from srcgrad.errors import SrcgradError
from srcgrad.sparse.flow import Flow
from srcgrad.tape.derivatives import Recording
from srcgrad.tape.recording import Tape
from tests.formulas.checking import Case
from tests.formulas.test_load import TESTS


def called(target, args, options, place, x):
    """Call a function with one of its arguments, and return the real numbers of its result."""
    found = target(*[x if k == place else part for k, part in enumerate(args)], **options)
    parts = found if isinstance(found, tuple | list) else [found]
    parts = [part for part in parts if np.iscomplexobj(part) or np.asarray(part).dtype.kind == "f"]
    return np.concatenate([np.ravel(np.real(part)) for part in parts])


def recorded(f, x):
    """Return the recording of a function and its Jacobian row by row; None where there is none."""
    try:
        recording = Recording(Tape(), f, (x,), {}, 0)
        value = recording.run()
        rows = [np.ravel(recording.back(unit)) for unit in np.eye(np.size(value))]
    except (SrcgradError, TypeError, ValueError):
        return None, None  # the tape does not follow this call, and says so
    return recording, np.reshape(rows, (np.size(value), x.size))


def cases(name):
    """The calls in a table of tests, with the positions of their real arrays."""
    for case in import_module(name).CASES:
        if isinstance(case, Case):
            for place, x in enumerate(case.args):
                if isinstance(x, np.ndarray) and x.dtype.kind == "f" and 1 < x.size < 40:
                    yield case, place, x


@pytest.mark.one_of(12)
@pytest.mark.parametrize("name", TESTS)
def test_every_formula(name):
    """Where a derivative is not zero, the pattern has an entry."""
    wrong = []
    for case, place, x in cases(name):
        f = functools.partial(called, case.target, case.args, case.options, place)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            recording, rows = recorded(f, x)
            if recording is None:
                continue
            pattern = Flow(recording).result().toarray()
        if np.any((rows != 0) & ~pattern):
            wrong.append((case, place))
    assert not wrong
