"""PyTorch's table of derivatives, as its own reader gives it."""

# PyTorch is an extra: where it is not installed, its names are not known.
# pyright: reportArgumentType=false

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torchgen
from torchgen.packaged.autograd.gen_variable_type import GRADIENT_IMPLEMENTED_FOR_COMPLEX
from torchgen.packaged.autograd.load_derivatives import load_derivatives
from torchgen.yaml_utils import YamlLoader
from yaml import load

# Besides those that the engine lists: what gives real numbers is let through without being asked.
_COMPLEX = (
    GRADIENT_IMPLEMENTED_FOR_COMPLEX
    | set("abs angle var std view_as_real _fft_c2r norm dist".split())  # noqa: SIM905
) - {"logcumsumexp"}  # NumPy's function is one of real numbers


@dataclass(frozen=True)
class Parameter:
    """One parameter of an operation."""

    name: str  # its name
    type: str  # its type as the schema spells it, as ``Tensor?`` or ``int[1]``

    @property
    def is_tensor(self) -> bool:
        """Whether tensors are given here: one, none, or several."""
        return self.type.startswith("Tensor")


@dataclass(frozen=True)
class Entry:
    """One entry of the table."""

    name: str  # the name with its overload, as ``add.Tensor``
    schema: str  # the whole schema
    parameters: tuple[Parameter, ...]  # what the operation takes, in order
    results: tuple[str, ...]  # the names of what it gives, as formulas call them
    # pairs of the names of parameters and the expression of their gradients
    backward: tuple[tuple[tuple[str, ...], str], ...]
    # pairs of the names of results and the expression of their tangents
    forward: tuple[tuple[tuple[str, ...], str], ...]
    takes_complex: bool  # whether the engine lets complex tensors through its gradient

    @property
    def base(self) -> str:
        """The name without the overload."""
        return self.name.partition(".")[0]

    @property
    def python_name(self) -> str:
        """The name as one word of Python, as ``add_tensor``."""
        return self.name.replace(".", "_").lower()


def _packaged() -> Path:
    return Path(torchgen.__file__).parent / "packaged"


@cache
def entries() -> tuple[Entry, ...]:
    """Return the entries of the installed table, in its order.

    Of an entry with several dispatch keys, the default one is read.
    """
    found, _ = _loaded()
    return tuple(map(_entry, _written(), [found[name] for name in _schemas(found)]))


@cache
def schemas() -> dict[str, list[tuple[str, tuple[Parameter, ...]]]]:
    """Return the overloads that PyTorch declares of each operation, by its name."""
    from torchgen.gen import parse_native_yaml

    folder = _packaged() / "ATen" / "native"
    found: dict[str, list[tuple[str, tuple[Parameter, ...]]]] = {}
    parsed = parse_native_yaml(
        str(folder / "native_functions.yaml"), str(folder / "tags.yaml")
    ).native_functions
    for function in parsed:
        if not function.func.is_out_fn():
            name = function.func.name
            found.setdefault(str(name.name), []).append((str(name), _parameters(function.func)))
    return found


@cache
def _loaded() -> tuple[Any, Any]:
    packaged = _packaged()
    native = packaged / "ATen" / "native"
    return load_derivatives(
        str(packaged / "autograd" / "derivatives.yaml"),
        str(native / "native_functions.yaml"),
        str(native / "tags.yaml"),
    )


@cache
def _written() -> tuple[dict[str, Any], ...]:
    """The entries as they are written, for what the reader drops."""
    path = _packaged() / "autograd" / "derivatives.yaml"
    with path.open() as file:
        return tuple(load(file, Loader=YamlLoader))


def _schemas(found: Any) -> list[Any]:
    """The keys of the reader's dict that stand in the file; the others were made of them."""
    return list(found)[: len(_written())]


def _parameters(schema: Any) -> tuple[Parameter, ...]:
    return tuple(Parameter(a.name, _type(a.type)) for a in schema.schema_order_arguments())


def _type(type_: Any) -> str:
    return re.sub(r"\(.*?\)", "", str(type_))


def _entry(written: dict[str, Any], dispatched: dict[str, Any]) -> Entry:
    info = dispatched.get("Default") or next(iter(dispatched.values()))
    schema = info.func.func
    names = [r.name for r in schema.returns]
    if len(names) == 1:
        results = (names[0] or "result",)
    else:
        results = tuple(name or f"result{k}" for k, name in enumerate(names))
    texts = written["dispatch"].get("Default", {}) if "dispatch" in written else written
    forward = tuple((d.var_names, _told(texts, d)) for d in info.forward_derivatives)
    return Entry(
        name=str(schema.name),
        schema=written["name"],
        parameters=_parameters(schema),
        results=results,
        backward=tuple((d.var_names, d.original_formula) for d in info.derivatives),
        forward=forward,
        takes_complex=str(schema.name.name) in _COMPLEX,
    )


def _told(texts: dict[str, Any], derivative: Any) -> str:
    """The text of a tangent as written, where the reader has put another into its place."""
    key = ", ".join(derivative.var_names)
    return str(texts.get(key, derivative.formula))
