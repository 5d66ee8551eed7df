"""Random programs: infinite slopes of what other functions, blocks and numbers leave out.

A program computes numbers or arrays with an infinite slope, or none, somewhere: itself, in
a called function, a loop or a branch; and leaves some of them out, again in any of these.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np

NUMBERS = """
np.sqrt({x}) | np.cbrt({x}) | {x} ** 0.5 | np.power({x}, 0.5) | np.log({x}) | {c} / {x} | {x} / {x}
np.arcsin({x}) | np.arccos(1.0 - {x}) | {x} * np.log({x}) | np.sin({x}) / {x} | np.sqrt({x} * {x})
np.hypot({x}, {x}) | np.sqrt(np.abs({x})) | np.reciprocal({x})
{x} ** -1.0 | special.xlogy({x}, {x})
np.sqrt({x}) * np.log({x} + 1.0) | np.exp(-{c} / {x}) | special.gammaln({x}) | np.arctanh({x} + 0.0)
"""
CHOICES = """
max({r}, 0.5) | min({r}, 0.3) | np.maximum({r}, 0.5) | np.minimum({r}, 0.25) | np.fmax({r}, 0.4)
np.clip({r}, 0.2, 1.5) | ({r} if x > 0.1 else 0.5) | np.where(x > 0.1, {r}, 0.5)
sorted([{r}, 0.5, 0.7])[1]
np.median(np.array([{r}, 0.5, 0.7])) | max([{r}, 0.5]) | np.max(np.array([{r}, 0.5]))
[{r}, 1.5][x < 0.1]
np.sort(np.array([{r}, 0.4]))[1] | np.nan_to_num({r}, posinf=1.0, neginf=1.0) | ({r}, x)[1] | {r}
"""
AFTER = "2.0 * {v} | {v} ** 2 | {v} + np.sin(x) | np.exp(-{v}) | {v} * x | {v}"
WAYS = ("here", "called", "branch", "loop", "called twice", "chooser called", "list")


def choices(text: str) -> list[str]:
    """The forms in a text."""
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]


def text_of(draw: random.Random) -> str:
    """The text of a random program of one number."""
    steep = draw.choice(choices(NUMBERS)).format(x="{x}", c=draw.choice(("0.7", "c")))
    chosen = draw.choice(choices(CHOICES))
    after = draw.choice(choices(AFTER))
    way = draw.choice(WAYS)
    lines = []
    if way.startswith("called"):
        lines += ["def h(x):", f"    return {steep.format(x='x')}", ""]
    if way == "chooser called":
        lines += ["def pick(r, x):", f"    return {chosen.format(r='r')}", ""]
    lines.append("def f(x):")
    value = "h(x)" if way.startswith("called") else steep.format(x="x")
    pick = "pick({r}, x)" if way == "chooser called" else chosen
    if way == "called twice":
        lines += [
            f"    r = {value}",
            "    s = h(x + 0.3)",
            f"    v = {pick.format(r='r')} + 0.1 * s",
        ]
    elif way == "branch":
        lines += [
            f"    r = {value}",
            "    if x < 0.1:",
            f"        v = {draw.choice(('x', '0.5', '3.0 * x'))}",
            "    else:",
            f"        v = {pick.format(r='r')}",
        ]
    elif way == "loop":
        lines += [
            "    v = 0.0 * x",
            "    for k in range(3):",
            f"        r = {steep.format(x='(x * k)')}",
            f"        v = v + {pick.format(r='r')}",
        ]
    elif way == "list":
        lines += [
            "    rs = []",
            "    for k in range(3):",
            f"        rs.append({steep.format(x='(x * k)')})",
            f"    v = {pick.format(r='rs[1]')} + {pick.format(r='rs[2]')}",
        ]
    else:
        lines += [f"    r = {value}", f"    v = {pick.format(r='r')}"]
    lines.append(f"    return {after.format(v='v')}")
    return "\n".join(lines) + "\n"


FRONTS = """
max({x} - 0.5, 0) | np.maximum({x} - 0.5, 0.0) | np.clip({x}, 0.3, None) - 0.3 | -min(0.5 - {x}, 0)
np.fmax({x} - 0.5, 0.0) | max([{x} - 0.5, 0.0]) | np.max(np.array([{x}, 0.5])) - 0.5
relu({x} - 0.5)
sorted([{x}, 0.5, 0.7])[1] - 0.5 | np.median(np.array([{x}, 0.5, 0.6])) - 0.5 | max(0.0, {x} - 0.5)
({x} - 0.5 if {x} > 0.5 else 0.0) | np.where({x} > 0.5, {x} - 0.5, 0.0)
"""
ROOTS = """
{r} ** 0.5 | np.sqrt({r}) | np.cbrt({r}) | np.power({r}, 0.3) | root({r})
np.sqrt({r}) * {r} ** 0.5
np.sqrt({r}) + x ** 2 | np.arccos(1.0 - {r}) | np.sqrt(max({r}, 0.0)) | max(np.sqrt({r}), 0.5)
"""


def behind_text_of(draw: random.Random) -> str:
    """The text of a random program that chooses, and has an infinite slope behind that."""
    front = draw.choice(choices(FRONTS)).format(x="x")
    after = draw.choice(choices(ROOTS))
    lines = [
        "def relu(t):",
        "    return np.maximum(t, 0.0)",
        "",
        "def root(t):",
        "    return t ** 0.5",
    ]
    lines += ["", "def f(x):"]
    way = draw.choice(("here", "called", "branch", "loop"))
    if way == "called":
        lines += ["    def h(t):", f"        return {front}", "    r = h(x)"]
    elif way == "branch":
        lines += ["    r = 2.0", "    if x > -3.0:", f"        r = {front}"]
    elif way == "loop":
        lines += ["    r = 0.0", "    for k in range(2):", f"        r = r + {front}"]
    else:
        lines.append(f"    r = {front}")
    return "\n".join([*lines, f"    return {after.format(r='r')}"]) + "\n"


ARRAYS = """
np.sqrt({x}) | np.cbrt({x}) | {x} ** 0.5 | np.log({x}) | {c} / {x} | {x} / {x} | np.arcsin({x})
{x} * np.log({x}) | np.sin({x}) / {x} | np.sqrt({x} * {x}) | special.xlogy({x}, {x}) | 1.0 / {x}
np.exp(-{c} / {x}) | special.gammaln({x}) | np.sqrt({x}) * np.log({x} + 1.0)
"""
PARTS = """
np.maximum({r}, 0.5) | np.minimum({r}, c) | np.clip({r}, 0.2, 1.5) | np.where(x > 0.1, {r}, 0.5)
{r}[x > 0.1] | {r}[1:] | np.sort({r})[1:] | np.max({r}) | np.min({r}) | np.median({r})
np.fmax({r}, 0.4) | np.take({r}, [1, 2]) | np.nan_to_num({r}, posinf=1.0, neginf=1.0)
np.quantile({r}, 0.7) | {r}[1] + {r}[2]
np.concatenate(({r}, x))[2:] | np.select([x > 0.1], [{r}], 0.2) | {r}
"""

ENTRIES = "max(r, 0.5) | np.minimum(r, 0.4) | (r if x[k] > 0.1 else 0.2)"


def array_text_of(draw: random.Random) -> str:
    """The text of a random program of one array."""
    steep, part = draw.choice(choices(ARRAYS)), draw.choice(choices(PARTS))
    total = draw.choice(("np.sum({v})", "np.sum({v} ** 2)", "np.sum(np.sin({v}))"))
    way = draw.choice((*WAYS, "part"))
    lines = []
    if way.startswith("called") or way == "list":
        lines += ["def h(x):", f"    return {steep.format(x='x', c='c')}", ""]
    if way == "chooser called":
        lines += ["def pick(r, x):", f"    return {part.format(r='r')}", ""]
    lines.append("def f(x):")
    own = steep.format(x="x", c="c")
    if way == "called":
        lines += ["    r = h(x)", f"    v = {part.format(r='r')}"]
    elif way == "called twice":
        lines += ["    r = h(x) + h(x + 0.2)", f"    v = {part.format(r='r')}"]
    elif way == "chooser called":
        lines += [f"    r = {own}", "    v = pick(r, x)"]
    elif way == "branch":
        lines += [
            f"    if x[1] > {draw.choice(('0.0', '5.0'))}:",
            f"        r = {own}",
            "    else:",
            "        r = 2.0 * x",
            f"    v = {part.format(r='r')}",
        ]
    elif way == "loop":
        lines += [
            "    r = x",
            "    for k in range(2):",
            f"        r = {steep.format(x='r', c='c')}",
            f"    v = {part.format(r='r')}",
        ]
    elif way == "list":
        lines += ["    rs = [h(x), h(x * 0.5)]", f"    v = {part.format(r='rs[0]')}"]
    elif way == "part":  # entry by entry
        lines += [
            "    v = 0.0",
            "    for k in range(len(x)):",
            f"        r = {steep.format(x='x[k]', c='c[k]')}",
            f"        v = v + {draw.choice(choices(ENTRIES))}",
        ]
    else:
        lines += [f"    r = {own}", f"    v = {part.format(r='r')}"]
    lines.append(f"    return {total.format(v='v')}")
    return "\n".join(lines) + "\n"


def program(text: str) -> Callable[..., Any]:
    """The function of a text."""
    import scipy.special as special

    numeric = "np.sum(" in text.splitlines()[-1]
    file = f"<left out elsewhere {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    c: Any = np.array([0.7, 0.0, 1.3, 2.0]) if numeric else np.float64(0.7)
    space = {"np": np, "special": special, "c": c}
    exec(compile(text, file, "exec"), space)
    return space["f"]


NUMBERS_AT = (0.0, np.float64(0.0), np.float64(0.25), np.float64(1.0), 0.6, np.float32(0.0))
ARRAYS_AT = (
    np.array([0.0, 0.4, 0.9, 0.25]),
    np.array([0.5, 0.0, 1.0, 0.0]),
    np.zeros(4),
    np.array([0.6, 0.3, 0.2, 0.7]),
)
