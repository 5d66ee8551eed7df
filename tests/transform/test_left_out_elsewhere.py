"""Infinite slopes of what other functions, blocks and numbers leave out: text and tape agree."""

import random
from contextlib import redirect_stderr
from io import StringIO

import numpy as np
import pytest

from srcgrad import (
    RecordedWarning,
    grad,
    hvp,
    jvp,
    log_backward,
    source,
    tape,
    trace,
    vjp,
)
from srcgrad.errors import NotFiniteError, SrcgradError
from tests.transform.left_out_elsewhere import (
    ARRAYS_AT,
    NUMBERS_AT,
    array_text_of,
    behind_text_of,
    program,
    text_of,
)


def _outcome(derivative, *args):
    """What a derivative gives, or the kind of error that it raises."""
    try:
        return derivative(*args)
    except (SrcgradError, ArithmeticError, IndexError, ValueError, TypeError) as error:
        return type(error)


def _agree(found, expected):
    """Whether two results are one, infinite ones and nan among them."""
    if isinstance(found, type) or isinstance(expected, type):
        return found is expected
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return False
    found, expected = (np.where(np.isfinite(part), part, np.nan) for part in (found, expected))
    tolerance = 1e-3 if found.dtype == np.float32 else 1e-7
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def outcomes(text, x):
    """Each mode's results of a program, from generated code and from the tape."""
    f = program(text)
    one = np.ones_like(x)[()]
    yield "grad", _outcome(grad(f, recorded="allow"), x), _outcome(tape.grad(f), x)
    value = _outcome(f, x)
    yield (
        "vjp",
        _outcome(lambda: vjp(f, x, recorded="allow")[1](np.ones_like(value)[()])),
        _outcome(lambda: tape.vjp(f, x)[1](np.ones_like(value)[()])),
    )
    yield (
        "jvp",
        _outcome(lambda: jvp(f, (x,), (one,), recorded="allow")[1]),
        _outcome(lambda: tape.jvp(f, (x,), (one,))[1]),
    )
    yield (
        "hvp",
        _outcome(lambda: hvp(f, recorded="allow")(x, one)),
        _outcome(lambda: tape.jvp(tape.grad(f), (x,), (one,))[1]),
    )


def _inside(x):
    return np.sqrt(x)


def _called(x):
    return max(_inside(x), 0.5)


def _branched(x):
    r = np.sqrt(x)
    return r if r > 0.5 else 0.5


def _chosen(x):
    return max(np.sqrt(x), 0.5)


def _looped(x):
    total = 0.0
    for k in range(3):
        total = total + max(np.sqrt(x * k), 0.5)
    return total


def _composed(x):
    return np.sqrt(x * x) if x < 1 else x


def _printed(x):
    print("once")
    return max(np.sqrt(x), 0.5)


@pytest.mark.parametrize("f", [_called, _branched, _chosen, _looped])
def test_what_is_left_out_has_no_slope(f):
    """It is told by the tape where generated code gives nan, with a warning, and only there."""
    with np.errstate(all="ignore"):
        assert np.isfinite(grad(f, recorded="allow")(0.64))
    with np.errstate(all="ignore"), pytest.warns(RecordedWarning, match="infinite, or none"):
        assert grad(f, recorded="warn")(0.0) == 0.0
    with np.errstate(all="ignore"):
        assert grad(f, recorded="allow")(np.zeros(1)[0]) == 0.0
        assert np.isnan(grad(f, recorded="refuse")(0.0))
        assert "tape" not in source(grad(f))


def test_a_program_with_effects_runs_once(capsys):
    """Its derivative stays nan."""
    with np.errstate(all="ignore"):
        assert np.isnan(grad(_printed, recorded="allow")(0.0))
    assert capsys.readouterr().out.split() == ["once"]


def test_what_is_read_stays_nan():
    """A nan that the chain rule gives is not warned about."""
    with np.errstate(all="ignore"):
        assert np.isnan(grad(_composed, recorded="warn")(0.0))


def test_who_watches_sees_what_the_code_gives(monkeypatch):
    """A trace, a log and a debugger show generated code; a check for nan finds its line."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    with np.errstate(all="ignore"):
        with log_backward(), redirect_stderr(StringIO()):
            assert np.isnan(grad(_called)(0.0))
        assert np.isnan(trace(_called, 0.0).gradient)
        with pytest.raises(NotFiniteError):
            grad(_called, recorded="allow", check_finite=True)(0.0)


def test_closures_share_code_that_is_tested():
    """What is shared among functions of one text asks the tape as well."""

    def made(c):
        return lambda x: max(np.sqrt(x), c) * c

    found = [grad(made(c), recorded="allow") for c in (0.5, 0.7, 2.0)]
    with np.errstate(all="ignore"):
        assert [g(0.0) for g in found] == [0.0, 0.0, 0.0]
        assert np.allclose([g(9.0) for g in found], [0.5 / 6, 0.7 / 6, 2.0 / 6])


def drawn(seed):
    """A program and a point."""
    draw = random.Random(seed)
    if seed % 2:
        return text_of(draw), draw.choice(NUMBERS_AT)
    return array_text_of(draw), draw.choice(ARRAYS_AT)


@pytest.mark.one_of(160)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(1200), ids=lambda seed: f"seed {seed}")
def test_text_and_tape_agree(seed):
    """All modes give the same, at points where a slope is infinite."""
    text, x = drawn(seed)
    with np.errstate(all="ignore"):
        if isinstance(_outcome(program(text), x), type):
            return
        for mode, found, expected in outcomes(text, x):
            assert _agree(found, expected), f"{mode} at {x!r}: {found} {expected}\n{text}"


@pytest.mark.one_of(8)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(80), ids=lambda seed: f"seed {seed}")
def test_choices_in_front_agree_in_all_modes(seed):
    """What a choice leaves out has no slope, by text and tape, in reverse and forward mode."""
    draw = random.Random(seed)
    text, x = behind_text_of(draw), draw.choice((0.2, np.float64(0.2), np.float64(0.9)))
    with np.errstate(all="ignore"):
        found = {mode: pair for mode, *pair in outcomes(text, x)}
        for mode, (own, recorded) in found.items():
            assert _agree(own, recorded), f"{mode} at {x!r}: {own} {recorded}\n{text}"
        assert _agree(found["grad"][0], found["jvp"][0]), f"{found}\n{text}"
