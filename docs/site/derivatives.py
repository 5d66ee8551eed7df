"""Put the table of derivatives, made from the formula files, into docs/derivatives.md.

A row is read from the text of a formula: what is computed, its domain and its kinks from the
docstring, the cotangents from ``backward``. MkDocs calls ``on_page_content`` when the site is
built.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import math
import operator
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from srcgrad.formulas import LIBRARIES, load_all
from srcgrad.formulas.numpy.arrays import methods

from srcgrad.frontend.arrays.numpy_calls import REWRITTEN
from srcgrad.registry import find_formula, find_in_python, find_solver, is_elementwise

DOCS = Path(__file__).resolve().parents[1]
MARK = "<!-- the table of derivatives -->"
PARTS = (
    "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse.linalg",
    "spatial.distance", "special", "stats",
)  # fmt: skip
OF_KINKS = re.compile(
    r"slope|\bties?\b|share|\bjump|\bknot|at a bound|\bno exception|counts|\bcoincide|\bpasses"
)
OF_DOMAINS = re.compile(
    r"[<>]|!=|==|\bno(t|ne)?\b|\ball\b|\bonly\b|singular|simple|definite|\bconstant\b|\breal\b"
)
ROW_OF_KINKS = re.compile(r"^\| `(x = .*?)` \| (.*) \| `(.*)` \|$", re.MULTILINE)
LONG = 12  # lines of code that are shown unfolded
ONE_LINE = 44  # letters of a sum that is not broken
PLAIN = re.compile(r'<span class="(?:n|nn|p|w|bp)">(.*?)</span>')


@dataclass(frozen=True)
class Row:
    """One formula, as the table shows it."""

    names: tuple[str, ...]
    primal: str
    cotangents: str
    tangent: str
    domain: str
    kinks: str
    notes: str = ""


@dataclass
class Family:
    """The rows of one formula file."""

    title: str
    place: str
    rows: list[Row] = field(default_factory=list)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Return the text of a page, with the table in the place of its mark."""
    return html.replace(MARK, table(families())) if MARK in html else html


# Names


def public() -> Iterator[tuple[str, Any]]:
    """Yield each function that programs call, or method of arrays, under each of its names."""
    modules: list[ModuleType] = [np, np.linalg, np.fft, math, operator, builtins]
    modules += [import_module(f"scipy.{part}") for part in PARTS]
    for module in modules:
        for name in sorted(getattr(module, "__all__", None) or dir(module)):
            thing = getattr(module, name, None)
            if callable(thing) and not name.startswith("_"):
                yield f"{module.__name__}.{name}".removeprefix("builtins."), thing
    for known in (methods.METHODS, methods.SECOND_METHODS):
        yield from ((f"x.{name}()", thing) for name, thing in known.items())
    yield from ((f"x.{name}", thing) for name, thing in methods.ATTRIBUTES.items())


@cache
def names_by_formula() -> dict[Any, list[str]]:
    """Return the public names of the functions that each formula is for."""
    load_all()
    names: dict[Any, list[str]] = {}
    for name, thing in public():
        rule = find_formula(thing)
        if rule is not None:
            names.setdefault(rule, []).append(name)
    return names


def names_of(node: ast.FunctionDef, module: ModuleType) -> list[str]:
    """Return the public names of what a formula is for; none for helpers."""
    names = list(names_by_formula().get(vars(module)[node.name], ()))
    for target in targets_of(node):  # methods of objects, as np.add.reduce and stats.norm.pdf
        first, _, rest = ast.unparse(target).partition(".")
        if isinstance(vars(module).get(first), ModuleType) and rest.count(".") == 1:
            name = f"{vars(module)[first].__name__}.{rest}"
            names += [] if name in names else [name]
    return names


def targets_of(node: ast.FunctionDef) -> list[ast.expr]:
    """Return what a function is decorated as a formula for."""
    return [
        target
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "formula"
        for target in mark.args
    ]


# One formula


def families() -> list[Family]:
    """Return the families of formulas, in the order of the libraries' own references."""
    load_all()
    found, helpers = [], Family("Helpers that generated code calls", "srcgrad/runtime/")
    for name in dict.fromkeys(name for names in LIBRARIES.values() for name in names):
        try:
            module = import_module(name)
        except (ModuleNotFoundError, RuntimeError):  # of a library that is not there, as of MPI
            continue
        own = _family(module, helpers)
        if own.rows:
            found.append(own)
    found.sort(key=lambda family: ("numpy" not in str(family.rows), "scipy" not in family.place))
    return [*found, _through_others(), helpers]


def _family(module: ModuleType, helpers: Family) -> Family:
    first = (module.__doc__ or "").partition("\n")[0].rstrip(".").replace("`", "")
    title = re.sub(r"^(The derivatives?|Derivatives) of |(?<=and) of(?= )", "", first)
    title = re.split(r"[:;]|, (?:in|of|by|which|and of) ", title)[0]
    place = Path(inspect.getfile(module)).as_posix().partition("formulas/")[2]
    family = Family(title[0].upper() + title[1:], f"formulas/{place}")
    text = inspect.getsource(module)
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and targets_of(node) and node.name in vars(module):
            names = names_of(node, module)
            shown = names or [ast.unparse(target) for target in targets_of(node)]
            own = family if names else helpers
            own.rows.append(_row(tuple(shown), node, lines, module))
    return family


def _row(names: tuple[str, ...], node: ast.FunctionDef, rows: list[str], module: ModuleType) -> Row:
    head, _, rest = (ast.get_docstring(node) or "").partition("\n")
    primal, *clauses = re.split(r";\s+", head.rstrip("."))
    domain, kinks = [], []
    for clause in clauses:
        if OF_KINKS.search(clause):
            kinks.append(clause)
        elif OF_DOMAINS.search(clause):
            domain.append(clause)
        else:
            primal = f"{primal}; {clause}"
    notes = re.sub(r"\s+", " ", rest).strip()
    for name in names:
        kinks += known_kinks().get(name, [])
    parts = {s.name: s for s in node.body if isinstance(s, ast.FunctionDef)}
    given = node.body[-1].value.elts
    backward = _named(given[1], parts)
    parameters = [p.arg for p in (*node.args.posonlyargs, *node.args.args)]
    if len(given) > 2:
        tangent = _body(_named(given[2], parts), rows, ["z_dot"])
    else:
        tangent = _tangent(node, backward, parameters, vars(module)[node.name])
    bars = [f"{name}_bar" for name in parameters]
    unique = list(dict.fromkeys(kinks))
    return Row(
        names,
        primal,
        _body(backward, rows, bars),
        tangent,
        "; ".join(domain),
        "; ".join(unique[:3]),
        notes,
    )


def _named(thing: ast.expr, parts: dict[str, ast.FunctionDef]) -> Any:
    return parts[thing.id] if isinstance(thing, ast.Name) else thing


def _body(part: Any, rows: list[str], targets: list[str]) -> str:
    """Return the lines of a backward or tangent function, with names for what it returns."""
    if isinstance(part, ast.Lambda):
        return "\n".join(_assigned(part.body, rows, targets))
    *before, last = part.body
    lines: list[str] = []
    if before:
        start, end = before[0].lineno - 1, before[-1].end_lineno
        lines += textwrap.dedent("\n".join(rows[start:end])).splitlines()
    if isinstance(last, ast.Return):
        lines += _assigned(last.value, rows, targets)
    else:
        lines += textwrap.dedent("\n".join(rows[last.lineno - 1 : last.end_lineno])).splitlines()
    return "\n".join(line for line in lines if line.strip())


def _assigned(value: ast.expr, rows: list[str], targets: list[str]) -> list[str]:
    """Return lines that give each result of a function the name of its cotangent."""
    several = isinstance(value, ast.Tuple) and len(targets) > 1
    if not several and len(targets) > 1:  # one call that gives all of them
        return [f"{', '.join(targets)} = {_segment(value, rows)}"]
    lines = []
    for target, element in zip(targets, value.elts if several else [value], strict=False):
        nothing = isinstance(element, ast.Constant) and element.value is None
        if not nothing and ast.unparse(element) != target:
            lines.append(f"{target} = {_segment(element, rows)}")
    return lines


def _segment(node: ast.expr, rows: list[str]) -> str:
    if node.lineno != node.end_lineno:
        return ast.unparse(node)
    row = rows[node.lineno - 1].encode()  # columns are counted in bytes
    return row[node.col_offset : node.end_col_offset].decode()


def _tangent(node: ast.FunctionDef, backward: Any, parameters: list[str], fn: Any) -> str:
    """Return the tangent rule, where it is the function itself or the cotangents' own factors."""
    marks = [mark for mark in node.decorator_list if isinstance(mark, ast.Call)]
    linear = [
        word
        for mark in marks
        for option in mark.keywords
        if option.arg == "linear"
        for word in ast.literal_eval(option.value).split()
    ]
    if linear:
        call = _primal_call(node)
        if call is None:
            return ""
        terms = [ast.unparse(_renamed(call, {name: f"{name}_dot"})) for name in linear]
        return "z_dot = " + " + ".join(terms)
    scalar = fn.__module__.endswith("python.math") and isinstance(backward, ast.Lambda)
    if not (is_elementwise(fn) or scalar) or "conj" in ast.unparse(backward):
        return ""
    return _pointwise(backward, parameters)


def _primal_call(node: ast.FunctionDef) -> ast.expr | None:
    """Return the expression of the result, where a formula computes it in one step."""
    steps = [s for s in node.body if not isinstance(s, ast.FunctionDef | ast.Expr)]
    if len(steps) == 1:
        return steps[0].value.elts[0]
    return steps[0].value if len(steps) == 2 and isinstance(steps[0], ast.Assign) else None


def _pointwise(backward: Any, parameters: list[str]) -> str:
    """Return the sum of the cotangents' factors: a Jacobian with entries on its diagonal only."""
    known: dict[str, ast.expr] = {}
    lines = []
    steps = [] if isinstance(backward, ast.Lambda) else backward.body[:-1]
    last = backward.body if isinstance(backward, ast.Lambda) else backward.body[-1]
    if isinstance(last, ast.Return):
        last = last.value
    if not isinstance(last, ast.expr):
        return ""
    for step in steps:
        if not isinstance(step, ast.Assign) or not isinstance(step.targets[0], ast.Name):
            return ""
        value = _substituted(step.value, known)
        if "z_bar" in {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}:
            known[step.targets[0].id] = value
        else:
            lines.append(ast.unparse(step))
    elements = last.elts if isinstance(last, ast.Tuple) else [last]
    lines_of_sum: list[str] = []
    for name, element in zip(parameters, elements, strict=False):
        if isinstance(element, ast.Constant):
            continue
        whole = _renamed(_substituted(element, known), {"z_bar": f"{name}_dot"})
        term = ast.unparse(whole)
        if f"{name}_dot" not in term:
            return ""
        if isinstance(whole, ast.IfExp | ast.Compare | ast.BoolOp):
            term = f"({term})"
        sign, bare = ("-", term[1:]) if term.startswith("-") else ("+", term)
        lines_of_sum.append(term if not lines_of_sum else f"{sign} {bare}")
    total = " ".join(lines_of_sum)
    if len(total) > ONE_LINE and len(lines_of_sum) > 1:
        total = "(\n    " + "\n    ".join(lines_of_sum) + "\n)"
    return "\n".join([*lines, f"z_dot = {total}"]) if total else ""


def _substituted(node: ast.expr, known: dict[str, ast.expr]) -> ast.expr:
    class Put(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return copy.deepcopy(known.get(name.id, name))

    return Put().visit(copy.deepcopy(node))


def _renamed(node: ast.expr, names: dict[str, str]) -> ast.expr:
    return _substituted(node, {old: ast.Name(new) for old, new in names.items()})


@cache
def known_kinks() -> dict[str, list[str]]:
    """Return what the table of docs/kinks.md says of each function, by its name."""
    found: dict[str, list[str]] = {}
    text = (DOCS / "kinks.md").read_text()
    for place, calls, slope in re.findall(
        r"^\| `(x = .*?)` \| (.*) \| `(.*)` \|$", text, re.MULTILINE
    ):
        for call in re.findall(r"`(.*?)`", calls):
            node = ast.parse(call, mode="eval").body
            while isinstance(node, ast.Subscript):
                node = node.value
            if isinstance(node, ast.Call):
                name = re.sub(r"^np\.", "numpy.", ast.unparse(node.func))
                found.setdefault(name, []).append(f"`{call}` has slope {slope} at `{place}`")
    return found


def _through_others() -> Family:
    """Return the functions that are differentiated through others, and by the solvers' rules."""
    family = Family("Through functions written in Python, and at solutions", "srcgrad/runtime/")
    for name, thing in public():
        if find_formula(thing) is None:
            row = _other((name,), thing)
            if row is not None:
                family.rows.append(row)
    return family


def _other(names: tuple[str, ...], thing: Any) -> Row | None:
    told = find_in_python(thing)
    if told is not None:
        own, option, values = told
        where = f"{option} = {' or '.join(map(repr, values))}" if option and values else ""
        says = (inspect.getdoc(own) or "").partition("\n")[0]
        place = f"{own.__module__}.{own.__name__}"
        says = says if says.startswith("Return") else f"The same as {place}"
        return Row(names, says.rstrip("."), f"# those of {place}", "", where, "")
    if find_solver(thing) is not None:
        rule = "# implicit function theorem, or the equation of the change"
        return Row(names, "What it solves for, at its solution", rule, "", "", "")
    if getattr(thing, "__hash__", None) and thing in REWRITTEN:
        return Row(names, "Written in other words where it is called", "# those of the words",
                   "", "", "")  # fmt: skip
    return None


# The page


def table(found: list[Family]) -> str:
    """Return the families as HTML: an index, a field to look names up in, and a table for each."""
    index = "".join(
        f'<a href="#{_slug(family.title)}">{escape(family.title)}</a> ' for family in found
    )
    count = sum(len(family.rows) for family in found)
    parts = [
        STYLE,
        f'<p><input id="look-up" type="search" placeholder="{count} formulas: sin, expm …"></p>',
        f'<details class="families"><summary>Families</summary>{index}</details>',
    ]
    for family in found:
        rows = "".join(map(_html, family.rows))
        slug = _slug(family.title)
        parts.append(
            f'<section class="family"><h2 id="{slug}">{escape(family.title)}</h2>'
            f"<p><code>{escape(family.place)}</code></p>"
            '<table class="derivatives"><thead><tr><th>function</th><th>cotangents</th>'
            f"<th>tangent</th><th>domain and kinks</th></tr></thead><tbody>{rows}</tbody>"
            "</table></section>"
        )
    return "\n".join([*parts, SCRIPT])


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _html(row: Row) -> str:
    names = "<br>".join(f"<code>{escape(name)}</code>" for name in row.names)
    primal = _text(row.primal) + (f"<br><small>{_text(row.notes)}</small>" if row.notes else "")
    domain = f"{_text(row.domain)}" if row.domain else ""
    kinks = f'<br><span class="kinks">{_text(row.kinks)}</span>' if row.kinks else ""
    tangent = _code(row.tangent) if row.tangent else "<small>transposed</small>"
    anchor = escape(row.names[0])
    return (
        f'<tr id="{anchor}" data-names="{escape(" ".join(row.names).lower())}">'
        f"<td>{names}<br>{primal}</td><td>{_code(row.cotangents)}</td>"
        f"<td>{tangent}</td><td>{domain}{kinks}</td></tr>\n"
    )


def _text(text: str) -> str:
    return re.sub(r"`+([^`]+)`+", r"<code>\1</code>", escape(text))


@cache
def _lexer() -> PythonLexer:
    return PythonLexer()


def _code(code: str) -> str:
    body = PLAIN.sub(r"\1", highlight(code, _lexer(), HtmlFormatter(nowrap=True)).rstrip("\n"))
    block = f'<div class="highlight no-copy"><pre><code>{body}</code></pre></div>'
    lines = code.count("\n") + 1
    if lines <= LONG:
        return block
    return f"<details><summary>{lines} lines</summary>{block}</details>"


STYLE = """<style>
.md-typeset table.derivatives { font-size: .6rem; table-layout: fixed; width: 100%;
  display: table; }
.md-typeset table.derivatives th, .md-typeset table.derivatives td { padding: .4em .6em;
  min-width: 0; overflow-wrap: anywhere; }
.md-typeset table.derivatives th:nth-child(1) { width: 24%; }
.md-typeset table.derivatives th:nth-child(2) { width: 34%; }
.md-typeset table.derivatives th:nth-child(3) { width: 26%; }
.md-typeset table.derivatives pre { margin: 0; white-space: pre-wrap; }
.md-typeset table.derivatives pre > code { padding: .3em .5em; font-size: .95em; }
.family { content-visibility: auto; contain-intrinsic-size: auto 40rem; }
.families a { display: inline-block; margin-right: .8em; }
#look-up { width: 100%; font: inherit; padding: .5em .8em; color: inherit; background: inherit;
  border: .05rem solid var(--md-default-fg-color--lighter); border-radius: .2rem; }
</style>"""

SCRIPT = """<script>
(() => {
  const box = document.getElementById("look-up");
  const show = () => {
    const words = box.value.toLowerCase().split(/[\\s(]+/).filter(Boolean)
      .map(word => word.replace(/^np\\./, "numpy."));
    for (const family of document.querySelectorAll(".family")) {
      let some = false;
      for (const row of family.querySelectorAll("tbody tr")) {
        const found = words.every(word => row.dataset.names.includes(word));
        row.hidden = !found;
        some = some || found;
      }
      family.hidden = !some;
    }
  };
  box.addEventListener("input", show);
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) { box.value = asked; }
  show();
})();
</script>"""
