"""The imported formulas as files, one for each family, and the list of what was left out."""

from __future__ import annotations

from collections import defaultdict
from importlib import metadata
from pathlib import Path

from srcgrad.torch.importing.table import Entry, entries
from srcgrad.torch.importing.translating import Unsayable
from srcgrad.torch.importing.writing import NO_OPERATION, Written, write
from srcgrad.torch.operations import FAMILIES, MODULES

Refusals = dict[str, list[tuple[Entry, str]]]


def imported() -> tuple[list[Written], Refusals]:
    """Return the formulas that could be written, and for each reason the entries left out.

    Example:
        >>> formulas, left_out = imported()
        >>> next(f for f in formulas if f.name == "sin").tangent
        'written'
    """
    found: list[Written] = []
    left_out: Refusals = defaultdict(list)
    for entry in entries():
        try:
            found.append(write(entry))
        except Unsayable as refusal:
            left_out[_class(entry, refusal)].append((entry, refusal.word))
    return found, dict(left_out)


_BACKENDS = ["cudnn", "miopen", "mkldnn", "mps", "nnpack", "xpu"]
_STORED = [
    "sparse", "nested", "quantize", "jagged", "to_dense", "coalesce", "values", "to_padded",
    "reserve",
]  # fmt: skip
_DRAWN = "bernoulli cauchy dropout exponential geometric normal poisson random uniform rrelu gamma"


def _class(entry: Entry, refusal: Unsayable) -> str:
    """Return the class of a reason: why there is no version in NumPy."""
    if refusal.reason != NO_OPERATION:
        return refusal.reason
    name = entry.base.lower()
    if any(word in name for word in _BACKENDS):
        return "is a kernel of one backend"
    if any(word in entry.schema.lower() for word in _STORED):
        return "is about tensors that are stored in another way"
    if name.endswith("_") and not name.startswith("__"):
        return "writes into its argument"
    if name.startswith(("_foreach", "_test")):
        return "goes through lists of tensors, or is for PyTorch's tests"
    if any(word in name for word in _DRAWN.split()):
        return "draws random numbers"
    return NO_OPERATION


def write_files(out: Path) -> tuple[list[Written], Refusals]:
    """Write a file of formulas for each family into a folder, and ``left_out.txt``."""
    found, left_out = imported()
    out.mkdir(parents=True, exist_ok=True)
    titles = {m.__name__.rpartition(".")[2]: (m.__doc__ or "").strip() for m in MODULES}
    notice = _notice()
    for family in FAMILIES:
        members = [w for w in found if w.module == family]
        (out / f"{family}.py").write_text(_file(titles[family], members, notice))
    lines = [
        f"{entry.schema}\n    {reason}: {word}"
        for reason, refused in left_out.items()
        for entry, word in refused
    ]
    (out / "left_out.txt").write_text("\n".join(lines) + "\n")
    return found, left_out


def _file(title: str, members: list[Written], notice: str) -> str:
    body = "\n\n\n".join(w.text for w in members)
    modules = sorted({m for w in members for m in w.modules if f"{m}." in body and m != "special"})
    runtime = "from srcgrad.runtime import unbroadcast\n" if "unbroadcast(" in body else ""
    scipy = "from scipy import special\n" if " special." in body or "(special." in body else ""
    return (
        f"{notice}\n"
        f'"""{title}\n\nThe derivatives are those of PyTorch\'s table, written by '
        f'`srcgrad torch import`.\n"""\n\n'
        f"import numpy as np\n{scipy}\nfrom srcgrad import formula\n{runtime}"
        f"from srcgrad.torch.operations import {', '.join(modules)}\n\n\n{body}\n"
    )


def _notice() -> str:
    """PyTorch's licence, of which the texts of the table are part, as comments."""
    for file in metadata.files("torch") or ():
        if file.name == "LICENSE" and "third_party" not in file.parts:
            text = Path(str(file.locate())).read_text()
            end = "POSSIBILITY OF SUCH DAMAGE."
            whole = text[: text.index(end) + len(end)] if end in text else text
            return "\n".join(f"# {line}".rstrip() for line in whole.splitlines())
    return "# Made of PyTorch's table of derivatives, under PyTorch's licence."
