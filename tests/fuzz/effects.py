"""Random programs with effects at every position of an expression.

Every operand may write what another operand reads: arrays in place, lists, dicts, objects,
counters, globals, defaults. All arrays have three elements; most functions keep values small.
"""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.fuzz.effect_parts import COMMON, IMPORTS, PARTS
from tests.fuzz.expressions import Expressions
from tests.fuzz.isolated import Isolated

ARRAYS = (
    "{A}", "{A}", "{A}", "x", "y", "{E} * {E}", "{E} + {E}", "{E} - {E}", "np.sin({E})",
    "{S} * {E}", "np.tanh({E}) + {A}", "np.add({A}, {E}, out={A})",
    "np.multiply({A}, 0.5, out={A})", "np.tanh({E}, out={A})", "{R}[{K} % 2]",
    "d.setdefault('u', {E})", "d.setdefault('w', {E})", "d.pop('w', {E})", "d.get('v', {E})",
    "({R}.append({E}), {R}.pop())[1]", "(w := {E}) * w", "(w := {E})", "w + (w := {E})",
    "[{E} for q in {R}][0]", "[bump_(q) for q in {R}][1]", "sum([q * {S} for q in {R}])",
    "({E} if {S} > 0.2 else {E})", "(lambda q: q + {A})({E})", "{A}[::-1]", "{A}.copy()",
    "np.array([{S}, {S}, {S}])", "({E}, {E})[{K} % 2]", "{{'p': {E}, 'q': {E}}}['q']",
    "dq.popleft() if len(dq) > 1 else {E}", "dq[0]", "scale({E})", "{A}.__iadd__({E})",
    "np.where({E} > 0.1, {E}, {E})", "max([{E}, {E}], key=first)",
    "functools.reduce(mix, [{E}, {E}])",
    "list(map(scale, [{E}, {E}]))[0]", "next(iter([{E}, {E}]))",
    "sorted([{E}, {E}], key=first)[0]",
)  # fmt: skip
NUMBERS = (
    "{S} * {S}", "np.sum({E})", "{A}[{K}]", "{A} @ {E}", "tick() * {S}", "0.5", "np.sin({S})",
    "{E}.sum()", "({S} and {S})", "({S} or {S})", "float({S} > 0.1)", "n_ * 0.5", "{S} + {S}",
    "np.add({A}, 1.0, out={A}).sum()", "(s := {S}) + s", "len({R}) * {S}",
    "(0.1 < {S} < {S}) * {S}",
    "sum(e * {S} for e in {A})", "float({A}[{K}])", "{A}.item({K})", "np.max({E})",
)  # fmt: skip
STATEMENTS = (
    "{N} = {E}", "{N} = {E}", "{N} = {E}", "{N} = {A}", "{N} = {A}[::-1]", "{N} = np.asarray({A})",
    "{A} += {E}", "{A} *= {S}", "{A}[{K}] = {S}", "{A}[:2] = {E}[1:]", "{A}[tick() % 3] += {S}",
    "{A}[{K}], {A}[tick() % 3] = {S}, {S}", "a, b = b, {E}", "a, b = {E}, {A}", "{N}, s = {E}, {S}",
    "{R}[tick() % 2] = {E}", "{R}[{K} % 2] = {A}", "d['v'] = {E}", "d[key()] = {E}", "{E}", "{S}",
    "s = {S}", "s += {S}", "dq.append({E})", "dq.rotate(1)", "dq.appendleft({A})", "n_ += tick()",
    "{R}[:] = [{E}, {E}]", "rows, more = more, rows", "rows = [q + {E} for q in {R}]",
    "d.update(u={E}, v={E})", "(p_, *q_) = [{E}, {E}, {E}]\n{N} = p_ + q_[-1]",
    "[bump_(q) for q in {R}]", "assert {S} < 1e6, 'large'", "np.copyto({A}, {E})", "{A}.fill({S})",
    "d = {{k_: {E} for k_ in d}}", "{A}[{A} > 0.3] = {S}", "np.add({E}, {E}, out={A}[::-1])",
    "del d[key()]\nd.setdefault('u', {E})\nd.setdefault('v', {E})",
    "for i_, q in enumerate({R}):\n    q += i_ * {S}",
)  # fmt: skip
OBJECTS = (
    "{O}.v = {E}", "{O}.v += {E}", "{O}.n += 1", "{O}.v[{K}] = {S}", "o, t = t, o",
    "{O} = Body({E})", "with {O} as h:\n    {N} = h.v * {E}", "Body.made += 1",
    "setattr({O}, 'v', {E})", "vars({O})['v'] = {E}", "{O}.v, {N} = {E}, {O}.step({E})",
)  # fmt: skip


NAMES = "a, b, c, d, s, w, n_, dq, rows, more"


class Effects(Expressions):
    """Writes the body of a function of ``x`` and ``y``."""

    def __init__(self, draw: Any) -> None:
        super().__init__(draw)
        self.fuel = 26
        chosen = [part for part in PARTS if self.chance(3)]
        self.heads = [text for text, _, _ in chosen]
        text = "".join(self.heads)
        self.objects = "class Body" in text
        self.pair = "class Pair" in text
        self.stream = "def stream" in text
        self.checked = "def checked" in text
        # few templates in one program, others in the next: what is refused does not hide the rest
        rng = random.Random(self.number(10**6))
        share = rng.choice((0.15, 0.3, 1.0))
        some = lambda texts: [text for text in texts if rng.random() < share]  # noqa: E731
        self.arrays = [*ARRAYS[:5], *some(ARRAYS)]
        self.numbers = [*NUMBERS[:4], *some(NUMBERS)]
        self.forms = [*range(8), *some(range(8, 14)), *some(range(8, 14))]
        for _, arrays, numbers in chosen:
            self.arrays += arrays * 3
            self.numbers += numbers * 2
        self.statements = [*STATEMENTS[:3], *some(STATEMENTS)]
        self.statements += some(OBJECTS * 2) if self.objects else []
        self.loops = 0

    def filled(self, template: str, depth: int) -> str:
        """Return a template with expressions where its letters stand, each drawn anew."""
        text, rest = "", template
        while "{" in rest:
            before, _, rest = rest.partition("{")
            if rest.startswith("{"):
                text, rest = text + before + "{", rest[1:]
                continue
            letter, _, rest = rest.partition("}")
            text += before.replace("}}", "}") + self.part(letter, depth)
        return text + rest.replace("}}", "}")

    def part(self, letter: str, depth: int) -> str:
        """Return what stands for a letter of a template."""
        if letter == "N":
            return self.pick(("a", "b", "c"))
        if letter == "A":
            return self.pick(("a", "b", "c", "a", "b", "c", "rows[0]", "d['u']", "z"))
        if letter == "O":
            return self.pick(("o", "t"))
        if letter == "R":
            return self.pick(("rows", "more"))
        if letter == "K":
            return self.pick(("0", "1", "2", "tick() % 3", "n_ % 3"))
        if letter == "S":
            return self.number_(depth - 1)
        return self.array(depth - 1)

    def array(self, depth: int = 2) -> str:
        """Return an expression for an array."""
        self.fuel -= 1
        if depth <= 0 or self.fuel < 0:
            return self.pick(("a", "b", "x", "y", "c", "0.5 * a", "d['v']", "rows[1]", "bump_(a)"))
        return "(" + self.filled(self.pick(self.arrays), depth) + ")"

    def number_(self, depth: int = 2) -> str:
        """Return an expression for a number."""
        self.fuel -= 1
        if depth <= 0 or self.fuel < 0:
            return self.pick(("0.3", "a[0]", "b[1]", "s", "np.sum(a)", "x[2]", "tick() * 0.2"))
        return "(" + self.filled(self.pick(self.numbers), depth) + ")"

    def simple(self) -> list[str]:
        """Return the lines of a simple statement."""
        self.fuel = max(self.fuel, 4)
        return self.filled(self.pick(self.statements), 2 + self.chance(3)).split("\n")

    def block(self, depth: int) -> list[str]:
        """Return the lines of a block."""
        lines: list[str] = []
        for _ in range(1 + self.number(3 if depth < 2 else 5)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        """Return the lines of a statement."""
        form = self.pick(self.forms)
        if depth <= 0 or form < 8:
            return self.simple()
        inner = self.block(depth - 1)
        self.fuel = max(self.fuel, 6)
        if form == 8:
            lines = [f"if {self.number_()} > 0.2:", *indented(inner)]
            return [*lines, "else:", *indented(self.block(depth - 1))] if self.chance(2) else lines
        self.loops += 1
        if form == 9:
            return [f"for i{self.loops} in range(3):", *indented([*inner, *self.leave()])]
        if form == 10:
            over = self.pick(("rows", "[a, bump_(b)]", "list(d.values())", "(b, a)", "list(dq)"))
            head = f"for e in {over}:"
            return [head, *indented(["a = a + np.sin(e)", *inner, *self.leave()])]
        if form == 11:
            name = f"k{self.loops}"
            lines = [f"{name} = 0", f"while {name} < 2 and {self.number_(1)} < 50.0:"]
            return [*lines, *indented([f"{name} += 1", *inner, *self.leave()])]
        if form == 12:
            test = "checked(a)" if self.checked else "d['nothing']"
            what = self.pick(("(ValueError, KeyError)", "Exception"))
            lines = ["try:", *indented([*inner, f"b = b + {test}"]), f"except {what}:"]
            lines += indented(self.block(depth - 1))
            return [*lines, "finally:", *indented(self.simple())] if self.chance(3) else lines
        name = f"inner{self.loops}"
        head = [f"def {name}(q, r={self.array(1)}):", f"    nonlocal {NAMES}"]
        call = f"b = b + {name}({self.array(1)})"
        return [*head, *indented(inner), *indented(["return q * 0.5 + r"]), call]

    def leave(self) -> list[str]:
        """Return how a loop ends early, or goes on."""
        if not self.chance(3):
            return []
        word = self.pick(("break", "continue", "return np.sum(a * b) + s"))
        return [f"if {self.number_(2)} > 0.7:", f"    {word}", *self.simple()]


def indented(lines: list[str]) -> list[str]:
    """Return the lines of a block that is inside of another one."""
    return [f"    {line}" for line in lines]


# what a function begins with: the names that it makes, and its lines
BEGINNINGS: tuple[tuple[str, str], ...] = (
    ("w", "w = a"), ("s", "s = 0.4"), ("n_", "n_ = 0"), ("dq", "dq = deque([y, c])"),
    ("d", "d = {'u': b, 'v': x * 0.3}"), ("rows|more", "rows, more = [a, b], [x + y, c]"),
    ("o|t", "o = Body(a)\nt = Body(x * 0.5)"), ("o|t", "o = Body(a)\nt = o"),
    ("pair", "pair = Pair(b)"), ("it", "it = stream(c)"),
)  # fmt: skip
KEYS = "def key():\n    return 'uv'[tick() % 2]"
TICKS = (
    "calls = [0]\ndef tick():\n    calls[0] += 1\n    return calls[0]",
    "calls = []\ndef tick():\n    calls.append(1)\n    return len(calls)",
    "calls = 0\ndef tick():\n    nonlocal calls\n    calls += 1\n    return calls",
    "calls = {'n': 0}\ndef tick(by=1):\n    calls['n'] += by\n    return calls['n']",
    "tick = iter(range(1, 99999)).__next__",
)


def reads(name: str, lines: list[str]) -> bool:
    """Return whether a name stands in any of the lines."""
    return any(re.search(rf"\b({name})\b", line) for line in lines)


@st.composite
def effects(draw: Any) -> Isolated:
    """A strategy for programs with effects."""
    writer = Effects(draw)
    arrays = writer.pick((
        "a, b, c = x * 1.0, np.full(3, 0.5), y + 0.1", "a = np.ones(3)\nb = x * y\nc = a",
        "a = np.sin(x)\nb = a[::-1]\nc = np.ones(3)",
    ))  # fmt: skip
    last = "x" if writer.chance(4) else "np.zeros(3)"
    ticks = writer.pick(TICKS)
    both = writer.number(2)
    body: list[str] = []
    for _ in range(1 + writer.number(6)):
        body += writer.statement(2)
    ends = ["np.sum(a * x)", "b @ y", "np.sum(np.sin(c))", "s", "rows[0].sum()", "np.sum(w)"]
    ends += ["d['u'].sum()", "np.sum(dq[-1])"]
    ends += ["o.v.sum() * o.n", "t.v @ x"] if writer.objects else []
    ends += ["pair.u.sum() * pair.w"] if writer.pair else []
    kept = [end for end in ends if writer.chance(3)]
    body += [f"return {' + '.join([*ends[:2], *kept])} + {writer.number_(2)}"]
    # what the rest does not read is not made
    head = [arrays, *([f"z = {last}"] if reads("z", body) else [])]
    rest = [KEYS, *body] if reads("key", body) else body
    rest = [ticks, *rest] if reads("tick", rest) else rest
    made: set[str] = set()
    for name, text in BEGINNINGS if both else BEGINNINGS[:6] + BEGINNINGS[7:]:
        if name not in made and reads(name, rest):
            made.add(name)
            rest = [text, *rest]
    lines = [line for text in [*head, *rest] for line in text.split("\n")]
    lines = [line for line in lines if "nonlocal a" not in line] if writer.chance(2) else lines
    lines = [declared(line, lines) for line in lines]
    heads = [part for part in writer.heads if reads(named(part), lines)]
    text = "\n\n".join([IMPORTS, COMMON, *heads])
    text += "\n\ndef f(x, y):\n" + "\n".join(indented(lines)) + "\n"
    rng = np.random.default_rng(writer.number(50))
    x, y = (np.round(rng.uniform(-0.9, 0.9, 3), 3) for _ in "xy")
    return Isolated(text, (x, y), (0, 1), ((),))


def declared(line: str, lines: list[str]) -> str:
    """Return a line in which only what is made is declared as nonlocal."""
    if "nonlocal a" not in line:
        return line
    bound = [line for line in lines if "nonlocal" not in line]
    names = [name for name in NAMES.split(", ") if name in "abc" or reads(name, bound)]
    return line.replace(NAMES, ", ".join(names))


def named(part: str) -> str:
    """Return a pattern for the names that a part of the module defines."""
    return "|".join(re.findall(r"^(?:def |class )?(\w+)(?:\(| =|:)", part, re.MULTILINE))
