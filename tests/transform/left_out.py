"""Random programs: functions with infinite slopes, and what leaves some of their entries out.

A program computes an array in one or two steps that have an infinite slope, or none, at
some of the entries, hands it on through a few functions of which many leave entries out,
and adds up what is left.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.in_memory import execute

STEEP = """
np.sqrt({x}) | np.cbrt({x}) | np.sqrt(np.abs({x})) | {x} ** 0.5 | {x} ** 1.5 | {x} ** -1.0
np.power({x}, 0.5) | np.log({x}) | np.log1p({x} - 1.0) | 1.0 / {x} | {x} / x | {c} / {x}
np.reciprocal({x}) | np.arcsin({x}) | np.arccos({x}) | np.arccosh({x} + 1.0) | np.arctanh({x})
{x} * np.log({x}) | np.sin({x}) / {x} | {x} / c
special.xlogy({x}, {x}) | special.xlog1py({x}, {x} - 1.0) | special.entr({x}) | special.logit({x})
np.sqrt({x} * {x}) | np.log({x} ** 2) | {x} / np.abs({x}) | np.log2({x}) | np.log10({x})
np.hypot({x}, {x}) | np.sqrt({x}) * {c} | np.sqrt({x}) + {x}
"""
SHAPED = """
{a}[1:] | {a}[:-1] | {a}[::2] | {a}[[0, 2]] | {a}[x > 0] | {a}[np.isfinite({a})] | {a}[x != 0]
np.where(x > 0, {a}, 0.0) | np.where(x > 0, {a}, x) | np.where(x <= 0, c, {a})
np.where((x > 0)[None, :], {a}, np.ones((2, 1))) | np.where(np.isfinite({a}), {a}, 0.0)
np.maximum({a}, 0.5) | np.minimum({a}, 1.2) | np.maximum({a}, c) | np.maximum(x, {a})
np.fmax({a}, 0.3) | np.fmin({a}, c) | np.clip({a}, 0.2, 1.5) | np.clip({a}, None, 1.0)
np.max({a}) | np.min({a}) | np.nanmax({a}) | np.nanmin({a}) | np.amax({a}[None], axis=1)
np.max({a}[None, :] * np.ones((2, 1)), axis=1) | np.ptp({a})
max(np.ravel({a})) | min(np.ravel({a}))
np.sort({a}) | np.sort({a})[1:] | np.sort({a})[:2] | np.partition({a}, 2)[2:] | np.sort({a})[-1]
np.median({a}) | np.quantile({a}, 0.6) | np.percentile({a}, 75.0)
np.take({a}, [1, 2]) | np.take({a}, [0]) | np.flip({a})[1:] | np.roll({a}, 1)[:2]
np.concatenate(({a}, c))[2:] | np.concatenate((c, {a}))[:6] | np.stack(({a}, c))[1]
np.stack(({a}, c))[:, 1:] | np.hstack([{a}, 2.0 * {a}])[3:] | np.concatenate(({a}, {a}))[1:4]
{a}.reshape(-1, 1)[1:] | np.append({a}, 1.0)[3:] | np.insert({a}, 1, 2.0)[:3]
np.delete({a}, 0) | np.delete({a}, [0, 2]) | np.nan_to_num({a}, neginf=-2.0, posinf=2.0)
np.nansum({a}) | np.nanmean({a})
np.select([x > 1, x > 0], [{a}, 2.0 * {a}], 0.0) | np.choose((x > 0) * 1, [c, {a}])
np.compress(x > 0, {a}) | np.extract(x > 0, {a}) | np.diag({a}[:, None] * c[:1])[1:]
np.tril({a}[:, None] * c) | np.diag({a})[1:, 1:] | np.repeat({a}, 2)[2:] | np.tile({a}, 2)[1:3]
np.cumsum({a})[:2] | ({a}[..., None] * c)[1:]
np.argmax({a}) * np.ravel({a})[np.argmax({a})] | np.ravel({a})[np.argmax({a})]
2.0 * {a} | {a} ** 2 | {a} * c | {a} + x | np.tanh({a}) | {a} * {a} | np.exp(-{a})
{a} / 2.0 | {a}[:, None][1:] | {a}[None] | np.expand_dims({a}, 0)[:, 1:]
np.atleast_2d({a})[:, 1:] | {a}
"""


def choices(text: str) -> list[str]:
    """The forms in a text."""
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]


def text_of(draw: random.Random) -> str:
    """The text of a random program of one array."""
    steep, shaped = choices(STEEP), choices(SHAPED)
    lines = ["def f(x):"]
    first = draw.choice(steep).format(x="x", c="c")
    if draw.random() < 0.25:
        first = draw.choice(steep).format(x=f"({first})", c="c")
    lines.append(f"    a = {first}")
    name = "a"
    for k in range(draw.choice((1, 1, 2, 3))):
        form = draw.choice(shaped)
        if draw.random() < 0.1 and form.count("{a}") == 1:
            lines.append(f"    m{k} = {name}.copy()")
            lines.append(f"    m{k}[{draw.choice(('x <= 0', '0', '1:3'))}] = 0.5")
            name = f"m{k}"
        lines.append(f"    b{k} = {form.replace('{a}', name)}")
        name = f"b{k}"
    last = draw.choice(
        ("np.sum({b})", "np.sum({b} ** 2)", "np.sum({b} * {b} * 0.5)", "np.mean({b})")
    )
    result = last.format(b=name)
    if draw.random() < 0.15:
        result += draw.choice((" + np.sum(a[1:])", " + a[1]", " + np.max(a)", " + np.sum(x)"))
    lines.append(f"    return {result}")
    return "\n".join(lines) + "\n"


def program(text: str) -> Callable[..., Any]:
    """The function of a text."""
    import scipy.special as special

    file = f"<left out {hash(text)}>"
    space = execute(text, file, {"np": np, "special": special, "c": np.array([0.7, 0.0, 1.3, 2.0])})
    return space["f"]


def has_nothing(f: Callable[..., Any], x: np.ndarray) -> bool:
    """Whether something that a program computes has no entries, or none but nan."""
    found: list[bool] = []

    def look(frame: Any, event: str, value: Any) -> None:
        if event == "return" and frame.f_code is f.__code__:
            found.append(any(np.all(np.isnan(part)) for part in frame.f_locals.values()))

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        f(x.copy())
    finally:
        sys.setprofile(before)
    return any(found)


POINTS = (
    np.array([0.0, 0.4, 0.9, 0.25]),
    np.array([0.5, 0.0, 1.0, 0.0]),
    np.array([0.3, -0.5, 0.8, 2.0]),
    np.array([0.6, np.nan, 0.2, 0.7]),
    np.array([0.6, np.inf, 0.2, 0.0]),
    np.zeros(4),
)
