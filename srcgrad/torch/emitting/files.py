"""The C++ of formulas as files, with a wrapper in Python, and their compilation."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch.utils import cpp_extension

from srcgrad.registry import find_formula
from srcgrad.torch.emitting.catalog import Spec, specs
from srcgrad.torch.emitting.cpp import NoWord, struct
from srcgrad.torch.emitting.folding import NotFoldable, Straight, folded

NAMESPACE = "srcgrad_formulas"
_HEADER = "// Derivatives by srcgrad: each function is made of the formula of the same name.\n"


@dataclass(frozen=True)
class Emitted:
    """A formula in C++."""

    spec: Spec  # what it was made of
    parameters: tuple[str, ...]  # the names of its arguments
    text: str  # the function for PyTorch's engine


def emitted(names: tuple[str, ...] = ()) -> tuple[list[Emitted], dict[str, str]]:
    """Return the formulas that can be said in C++, and for the others the reason."""
    found, left_out = [], {}
    for spec in specs():
        if names and spec.name not in names and spec.path not in names:
            continue
        try:
            found.append(emitted_of(spec))
        except (NoWord, NotFoldable, AttributeError, KeyError, IndexError, TypeError) as reason:
            left_out[spec.name] = f"{type(reason).__name__}: {reason}"
    return found, left_out


def straight_of(spec: Spec) -> Straight:
    """Return the formula of a spec, with what the spec says put into it."""
    rule: Any = find_formula(spec.target)
    parameters = inspect.signature(rule).parameters
    tensors = [n for n in parameters if n not in spec.options]
    ranks = {n: len(shape) for n, shape in zip(tensors, spec.shapes, strict=False)}
    return folded(spec.target, spec.options, {} if spec.elementwise else ranks)


def write_cpp(out: Path, names: tuple[str, ...] = ()) -> tuple[list[Emitted], dict[str, str]]:
    """Write ``formulas.cpp`` and ``formulas.py`` into a folder.

    Args:
        out: the folder; it is made if it is not there.
        names: the formulas, by the names of ``emitted``; all of them if empty.
    """
    found, left_out = emitted(names)
    write_files(out, found)
    return found, left_out


def emitted_of(spec: Spec) -> Emitted:
    """Return the formula of a spec in C++, or raise where it cannot be said there."""
    straight = straight_of(spec)
    text = struct(_class(spec.name), straight, spec.path, spec.elementwise)
    return Emitted(spec, straight.parameters, text)


def write_files(out: Path, found: list[Emitted]) -> None:
    """Write ``formulas.cpp`` and ``formulas.py`` of formulas into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "formulas.cpp").write_text(_cpp(found))
    (out / "formulas.py").write_text(_python(found))


def build(out: Path, flags: tuple[str, ...] = ("-O1",)) -> Any:
    """Compile the files of a folder and load them, with ninja and the system's compiler."""
    folder = out / "build"
    folder.mkdir(exist_ok=True)
    cpp_extension.load(
        name=NAMESPACE,
        sources=[str(out / "formulas.cpp")],
        extra_cflags=[*flags],
        build_directory=str(folder),
        is_python_module=False,
        with_cuda=False,
    )
    return getattr(__import__("torch").ops, NAMESPACE)


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) + "Formula"


def _cpp(found: list[Emitted]) -> str:
    definitions = []
    for one in found:
        taken = ", ".join(f"const Tensor& {p}" for p in one.parameters)
        given = ", ".join(one.parameters)
        schema = ", ".join(f"Tensor {p}" for p in one.parameters)
        definitions.append(
            f'  m.def("{one.spec.name}({schema}) -> Tensor", +[]({taken}) {{\n'
            f"    return {_class(one.spec.name)}::apply({given});\n  }});"
        )
    structs = "\n\n".join(one.text for one in found)
    library = "\n".join(definitions)
    preamble = Path(__file__).with_name("preamble.cpp").read_text()
    return (
        f"{_HEADER}#include <ATen/ATen.h>\n#include <torch/csrc/autograd/custom_function.h>\n"
        f"#include <torch/library.h>\n\n#include <cmath>\n\n{preamble}\n"
        f"namespace {{\n\n{structs}\n\n"
        f"}}  // namespace\n\n// Made of PyTorch's own operations, they go to the CPU and to CUDA "
        f"alike.\nTORCH_LIBRARY({NAMESPACE}, m) {{\n{library}\n}}\n"
    )


def _python(found: list[Emitted]) -> str:
    lines = [
        '"""Operations of PyTorch whose derivatives are srcgrad\'s formulas."""',
        "",
        "from pathlib import Path",
        "",
        "import torch",
        "from torch.utils import cpp_extension",
        "",
        "_HERE = Path(__file__).parent",
        '(_HERE / "build").mkdir(exist_ok=True)',
        "cpp_extension.load(",
        f'    name="{NAMESPACE}",',
        '    sources=[str(_HERE / "formulas.cpp")],',
        '    build_directory=str(_HERE / "build"),',
        "    is_python_module=False,",
        "    with_cuda=False,",
        ")",
    ]
    for one in found:
        given = ", ".join(one.parameters)
        options = [f"{k}={v!r}" for k, v in one.spec.options.items()]
        meant = f"{one.spec.path}({', '.join([given, *options])})"
        lines += [
            "",
            "",
            f"def {one.spec.name}({given}):",
            f'    """Return {meant}."""',
            f"    return torch.ops.{NAMESPACE}.{one.spec.name}({given})",
        ]
    return "\n".join(lines) + "\n"
