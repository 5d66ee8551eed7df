"""Whoever watches, the text that is generated is the same, and so is what runs afterwards."""

import numpy as np
import pytest

from srcgrad import breakpoint_at, detect_anomaly, grad, log_backward, saved, source, trace
from tests.debugging.models import ARGUMENTS, mlp, recurrent


def text_of(derivative, *args):
    derivative(*args)
    return source(derivative)


@pytest.mark.parametrize(
    "watched",
    [
        lambda f, *args: text_of(grad(f, check_finite=True), *args),
        lambda f, *args: _inside(detect_anomaly(), f, *args),
        lambda f, *args: _inside(log_backward(), f, *args),
        lambda f, *args: _after(trace, f, *args),
        lambda f, *args: _after(saved, f, *args),
    ],
    ids=["check_finite", "detect_anomaly", "log_backward", "trace", "saved"],
)
def test_the_text_is_identical(watched):
    """In the file, too: no instrumentation stands in generated code."""
    for f, args in ((mlp, ARGUMENTS), (recurrent, (3.0, np.ones(2)))):
        plain = grad(f)
        text = text_of(plain, *args)
        assert watched(f, *args) == text
        assert text_of(plain, *args) == text
        run = plain.__srcgrad__.specialisations[0].run
        assert "srcgrad_enter" not in run.__code__.co_names + run.__code__.co_freevars


def _inside(block, f, *args):
    with block:
        return text_of(grad(f), *args)


def _after(tell, f, *args):
    tell(f, *args)
    return text_of(grad(f), *args)


def test_a_breakpoint_is_no_text():
    """The code that stops is compiled beside the other."""
    text = text_of(grad(recurrent), 3.0, np.ones(2))
    with breakpoint_at(recurrent, "w"):
        assert source(grad(recurrent)) != ""
    assert text_of(grad(recurrent), 3.0, np.ones(2)) == text
