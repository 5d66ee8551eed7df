"""Random programs with infinite slopes in entries that are left out: text and tape agree."""

import random

import numpy as np
import pytest

from srcgrad import grad, jvp, tape
from srcgrad.errors import SrcgradError
from tests.transform.left_out import POINTS, has_nothing, program, text_of


def _outcome(derivative, *args):
    """What a derivative gives, or the kind of error that it raises."""
    try:
        return derivative(*args)
    except (SrcgradError, ArithmeticError, IndexError, ValueError, TypeError) as error:
        return type(error)


def _agree(found, expected, known, tolerance):
    """Whether two results are one, or infinite or nan; where data are missing, either may be."""
    if isinstance(found, type) or isinstance(expected, type):
        return found is expected
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    found, expected = (np.where(np.isfinite(part), part, np.nan) for part in (found, expected))
    if not np.all(known):
        both = np.isfinite(found) & np.isfinite(expected)
        found, expected = found[both], expected[both]
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.one_of(80)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4000), ids=lambda seed: f"seed {seed}")
def test_text_and_tape_agree(seed):
    """Gradients and tangents are the same, and tangents along an axis are those of gradients."""
    draw = random.Random(seed)
    text = text_of(draw)
    f, x = program(text), draw.choice(POINTS)
    x = x.astype(np.float32) if draw.random() < 0.15 else x
    known, tolerance = np.isfinite(x), 1e-3 if x.dtype == np.float32 else 1e-7
    with np.errstate(all="ignore"):
        value = _outcome(f, x.copy())
        if isinstance(value, type | int | np.integer) or np.isnan(value) or has_nothing(f, x):
            return
        found, recorded = _outcome(grad(f), x.copy()), _outcome(tape.grad(f), x.copy())
        assert _agree(found, recorded, known, tolerance), text
        if isinstance(found, type) or not np.all(np.isfinite(found)):
            return
        for k, unit in enumerate(np.eye(4, dtype=x.dtype)):
            for mode in (jvp, tape.jvp):
                slope = np.asarray(mode(f, (x.copy(),), (unit,))[1], x.dtype)
                assert _agree(slope, found[k], known, 10 * tolerance), text
