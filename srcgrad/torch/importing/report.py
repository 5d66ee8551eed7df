"""The report on an import: counts by class, the comparison, and our own formulas beside it."""

# PyTorch is an extra: where it is not installed, its names are not known.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import torch
from srcgrad.torch.importing.comparing import Case, NotComparable, Outcome, load_formulas
from srcgrad.torch.importing.files import Refusals
from srcgrad.torch.importing.ours import differences
from srcgrad.torch.importing.samples import Sample, made_samples, samples
from srcgrad.torch.importing.writing import Written

# Disagreements of which the cause is known, by entry and what was compared.
EXPLAINED = {
    ("masked_scatter_backward", "error"): "the table's tangent has the shape of its argument "
    "where `sizes` is meant",
    ("_weight_norm_interface", "second"): "the table takes the norms that were saved for "
    "constants; differences of the first derivative agree with srcgrad",
}
DTYPES = {"float64": torch.float64, "complex128": torch.complex128}


def compare(
    found: list[Written],  # what was written into it
    folder: Path,  # where it was written
    # samples by dtype and operation; those of PyTorch's own tests if None
    given: dict[str, dict[str, list[Sample]]] | None = None,
    most: int = 12,  # how many samples are compared for each formula and dtype
    twice: int = 2,  # for how many of them the second derivative is compared
) -> list[Outcome]:
    """Compare the formulas of a folder with PyTorch."""
    rules = load_formulas(folder, found)
    scratch = folder / "second"
    scratch.mkdir(exist_ok=True)
    outcomes = []
    for name, dtype in DTYPES.items():
        made, own = made_samples(dtype), samples(dtype) if given is None else given[name]
        for written in found:
            if name == "complex128" and not written.entry.takes_complex:
                continue
            entry = written.entry.name
            key = entry if "." in entry else f"{entry}.default"
            rows = [s for s in (*made.get(key, ()), *own.get(key, ())) if _fits(s, name)]
            spread = rows[:: max(1, len(rows) // most)][:most]
            outcomes += _of_formula(written, rules[written.name], spread, name, scratch, twice)
    return outcomes


def _fits(sample: Sample, dtype: str) -> bool:
    leaves = [x for a in sample[0] for x in (a if isinstance(a, list) else [a])]
    has_complex = any(isinstance(x, np.ndarray) and x.dtype.kind == "c" for x in leaves)
    return has_complex == (dtype == "complex128")


def _of_formula(
    written: Written, rule: Any, rows: list[Sample], dtype: str, scratch: Path, twice: int
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    name, seconds = written.entry.name, 0
    for sample in rows:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                case = Case(written, rule, sample)
                found = list(case.first())
                if seconds < twice and case.curves is not None:
                    seconds += 1
                    found += case.second(scratch)
            except NotComparable:
                continue
            except Exception as error:  # noqa: BLE001 - it is told
                found = [(0, "error", f"{type(error).__name__}: {error}".splitlines()[0])]
        outcomes += [Outcome(name, dtype, *row) for row in found]
    return outcomes


def report(found: list[Written], left_out: Refusals, outcomes: list[Outcome]) -> str:
    """Return the report as Markdown."""
    lines = ["## What was imported", "", "| class | entries |", "|---|---|"]
    lines.append(f"| written as formulas | {len(found)} |")
    lines += [f"| {reason} | {len(rows)} |" for reason, rows in _by_count(left_out)]
    tangents = Counter(w.tangent for w in found)
    lines += ["", f"Tangents: {', '.join(f'{n} {how}' for how, n in tangents.items())}.", ""]
    if outcomes:
        lines += _comparison(found, outcomes)
        lines += ["", *_beside_ours(found)]
    return "\n".join(lines) + "\n"


def _by_count(left_out: Refusals) -> list[tuple[str, list[Any]]]:
    return sorted(left_out.items(), key=lambda item: -len(item[1]))


def _comparison(found: list[Written], outcomes: list[Outcome]) -> list[str]:
    lines = ["## Compared with PyTorch", "", "| dtype | order | formulas | comparisons | agree |"]
    lines.append("|---|---|---|---|---|")
    for dtype in DTYPES:
        for order in (0, 1, 2):
            rows = [o for o in outcomes if (o.dtype, o.order) == (dtype, order)]
            agree = sum(not o.problem for o in rows)
            names = len({o.name for o in rows})
            lines.append(f"| {dtype} | {order} | {names} | {len(rows)} | {agree} |")
    wrong = {}
    for o in outcomes:
        if o.problem:
            wrong.setdefault((o.name, o.what), o)
    seen = {o.name for o in outcomes}
    missing = [w.entry.name for w in found if w.entry.name not in seen]
    lines += ["", f"Not compared, for want of arguments: {', '.join(missing) or 'none'}.", ""]
    lines += ["| entry | what | dtype | disagreement | explained by |", "|---|---|---|---|---|"]
    for (name, what), o in wrong.items():
        reason = EXPLAINED.get((name, what), "")
        lines.append(f"| {name} | {what} | {o.dtype} | {o.problem[:120]} | {reason} |")
    return lines


def _beside_ours(found: list[Written]) -> list[str]:
    """Compare with our own formulas, for operations that are one function of NumPy or SciPy."""
    rows = differences(found)
    lines = ["## Beside srcgrad's own formulas", ""]
    same = sum(not problem for _, _, problem in rows)
    lines += [f"{len(rows)} operations are one function of NumPy or SciPy; {same} agree.", ""]
    lines += ["| entry | function | where they differ |", "|---|---|---|"]
    lines += [f"| {entry} | {name} | {problem} |" for entry, name, problem in rows if problem]
    return lines
