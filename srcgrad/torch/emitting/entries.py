"""Formulas as entries of PyTorch's table, for operations that it has no derivative of."""

# PyTorch is an extra: where it is not installed, its names are not known.
# pyright: reportArgumentType=false

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torchgen
from scipy import special
from torchgen.packaged.autograd.load_derivatives import load_derivatives
from torchgen.yaml_utils import YamlLoader
from yaml import load

from srcgrad.late import late
from srcgrad.torch.emitting.cpp import expression
from srcgrad.torch.emitting.folding import folded

# The operation, the function of SciPy whose formula it gets, and how that names its parameters.
_PAIRS = (
    ("special_bessel_j0(Tensor self) -> Tensor", "j0"),
    ("special_bessel_j1(Tensor self) -> Tensor", "j1"),
    ("special_bessel_y0(Tensor self) -> Tensor", "y0"),
    ("special_bessel_y1(Tensor self) -> Tensor", "y1"),
    ("special_modified_bessel_i0(Tensor self) -> Tensor", "i0"),
    ("special_modified_bessel_i1(Tensor self) -> Tensor", "i1"),
    ("special_modified_bessel_k0(Tensor self) -> Tensor", "k0"),
    ("special_modified_bessel_k1(Tensor self) -> Tensor", "k1"),
    ("special_scaled_modified_bessel_k0(Tensor x) -> Tensor", "k0e"),
    ("special_scaled_modified_bessel_k1(Tensor x) -> Tensor", "k1e"),
    ("special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", "eval_chebyt"),
    ("special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor", "eval_chebyt"),
    ("special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor", "eval_hermite"),
    ("special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor", "eval_hermite"),
    ("special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor", "eval_hermitenorm"),
    ("special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor", "eval_hermitenorm"),
    ("special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor", "eval_sh_chebyt"),
    (
        "special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor",
        "eval_sh_chebyt",
    ),
)
# Functions that entries call, in the place of what a formula calls of SciPy.
FUNCTIONS = {
    "special.jv(2, x)": (
        "bessel_j2",
        """\
// Returns the Bessel function of order 2, by the recurrence 2 J1(x) / x = J0(x) + J2(x).
Tensor bessel_j2(const Tensor& x) {
  const auto safe = at::where(x == 0, at::ones({}, x.options()), x);
  const auto j2 = 2 * at::special_bessel_j1(x) / safe - at::special_bessel_j0(x);
  return j2.masked_fill(x == 0, 0);
}
""",
    ),
    "special.iv(2, x)": (
        "bessel_i2",
        """\
// Returns the modified Bessel function of order 2, by I0(x) - I2(x) = 2 I1(x) / x.
Tensor bessel_i2(const Tensor& x) {
  const auto safe = at::where(x == 0, at::ones({}, x.options()), x);
  const auto i2 = at::special_modified_bessel_i0(x) - 2 * at::special_modified_bessel_i1(x) / safe;
  return i2.masked_fill(x == 0, 0);
}
""",
    ),
}


@dataclass(frozen=True)
class NewEntry:
    """An entry for the table."""

    schema: str  # the operation
    text: str  # the entry
    functions: tuple[str, ...]  # what it calls that PyTorch does not have, in C++


def new_entries() -> list[NewEntry]:
    """Return entries for operations that the table marks as not differentiable.

    Example:
        >>> print(new_entries()[0].text)
        - name: special_bessel_j0(Tensor self) -> Tensor
          self: -grad * at::special_bessel_j1(self)
          result: auto_element_wise
    """
    late("load_used")()
    return [_entry(schema, name) for schema, name in _PAIRS]


def _entry(schema: str, name: str) -> NewEntry:
    straight = folded(getattr(special, name), {}, {})
    value = straight.cotangents[-1]
    assert value is not None
    argument = "self" if "Tensor self" in schema else "x"
    scalar = "Scalar n" in schema
    names = {"x": argument, "z": "result", straight.bar: "grad", "n": "n"}
    names |= dict.fromkeys(("n",), "n.toDouble()") if scalar else {}
    text, called = expression(
        straight, value, names, {call: own for call, (own, _) in FUNCTIONS.items()}, scalar
    )
    lines = [f"- name: {schema}", f"  {argument}: {text}"]
    if "Tensor n" in schema:
        lines.append("  n: non_differentiable")
    if "Tensor n" not in schema:
        lines.append("  result: auto_element_wise")
    functions = tuple(t for own, t in FUNCTIONS.values() if own in called)
    return NewEntry(schema, "\n".join(lines), functions)


def write_entries(out: Path) -> list[NewEntry]:
    """Write ``derivatives.yaml`` and ``functions.cpp`` into a folder once the reader took them."""
    found = new_entries()
    read_back(found)
    out.mkdir(parents=True, exist_ok=True)
    (out / "derivatives.yaml").write_text("\n\n".join(e.text for e in found) + "\n")
    functions = dict.fromkeys(f for e in found for f in e.functions)
    (out / "functions.cpp").write_text("using at::Tensor;\n\n" + "\n".join(functions))
    return found


def read_back(found: list[NewEntry]) -> dict[str, str]:
    """Put entries into a copy of the table, and let PyTorch's own reader read it.

    Raises:
        RuntimeError: as the reader does, where it does not take an entry.
    """
    packaged = Path(torchgen.__file__).parent / "packaged"
    native = packaged / "ATen" / "native"
    text = (packaged / "autograd" / "derivatives.yaml").read_text()
    for entry in found:
        pattern = rf"- name: {re.escape(entry.schema)}\n(?:  .*\n)+"
        text, count = re.subn(pattern, lambda _, e=entry: f"{e.text}\n", text)
        if count != 1:
            raise RuntimeError(f"the table has {count} entries for {entry.schema}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "derivatives.yaml"
        path.write_text(text)
        with path.open() as file:
            assert load(file, Loader=YamlLoader)
        infos, _ = load_derivatives(
            str(path), str(native / "native_functions.yaml"), str(native / "tags.yaml")
        )
    wanted = {e.schema.partition("(")[0] for e in found}
    return {
        str(schema): info["Default"].derivatives[0].formula
        for schema, info in infos.items()
        if str(schema).partition("(")[0] in wanted
    }
