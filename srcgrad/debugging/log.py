"""A line for each statement of a backward part, by the logger ``srcgrad``."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from srcgrad.debugging.forward_lines import line_of
from srcgrad.debugging.numbers import Numbers, is_numeric, numbers
from srcgrad.load.observers import Activation, Observer, Step, Watch, watching

logger = logging.getLogger("srcgrad")


class BackwardLog(Observer):
    """Logs each statement of a backward part that ran."""

    def __init__(self) -> None:
        if not logger.isEnabledFor(logging.DEBUG):
            logger.setLevel(logging.DEBUG)
        if not logger.hasHandlers():
            handler = logging.StreamHandler()
            handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
            logger.addHandler(handler)

    def end(self, activation: Activation, values: tuple[Any, ...]) -> None:
        """Log a statement."""
        site = activation.site
        if site is None or site.place is None:
            return
        line = line_of(site)
        place = f"{line.place}  " if line is not None else ""
        names = ("result",) if site.is_return else site.targets
        rows = zip(names, values, strict=False)
        found = [f"{name} {_said(numbers(v))}" for name, v in rows if is_numeric(v)]
        said = f"  # {', '.join(found)}" if found else ""
        logger.debug("%s%s%s", place, site.text, said)

    def step(self, watch: Watch, step: Step) -> None:
        """Log a step of the way back over a tape."""
        if step.bars is None or not is_numeric(step.bar):
            return
        place = step.place.filename.replace("\\", "/").rsplit("/", 1)[-1]
        text = f"{step.place.text}  # cotangent of {step.name} {_said(numbers(step.bar))}"
        logger.debug("%s:%s  %s", place, step.place.lineno, text)


def _said(found: Numbers) -> str:
    odd = f", {found.odd}" if found.odd else ""
    return f"{found.kind} norm {found.norm:.4g}{odd}"


@contextlib.contextmanager
def log_backward() -> Iterator[None]:
    """Log each statement of the backward parts of derivatives that are called meanwhile.

    The logger is ``srcgrad`` of the standard library's ``logging``, the level ``DEBUG``: the
    line of the differentiated function, the statement, and shape, element type and norm of
    what it gave. It writes to the standard error stream where no handler is configured.

    Example:
        >>> import logging, sys
        >>> import numpy as np
        >>> from srcgrad import grad, log_backward
        >>> handler = logging.StreamHandler(sys.stdout)
        >>> logging.getLogger("srcgrad").addHandler(handler)
        >>> def loss(x):
        ...     return np.sum(x * x)
        >>> with log_backward():  # doctest: +ELLIPSIS
        ...     slope = grad(loss)(np.array([3.0, 4.0]))
        <doctest ...>:2  x_bar = 2 * x  # x_bar float64 (2,) norm 10
        ...
        >>> logging.getLogger("srcgrad").removeHandler(handler)
    """
    with watching(BackwardLog()):
        yield
