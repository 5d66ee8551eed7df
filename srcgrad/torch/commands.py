"""The commands behind ``srcgrad torch``."""

from __future__ import annotations

import argparse

from srcgrad.torch.emitting.checking import checked
from srcgrad.torch.emitting.entries import write_entries
from srcgrad.torch.emitting.files import build, write_cpp
from srcgrad.torch.importing.files import write_files
from srcgrad.torch.importing.report import compare, report


def import_table(options: argparse.Namespace) -> None:
    """Write PyTorch's table of derivatives as formulas, and a report on them."""
    found, left_out = write_files(options.out)
    outcomes = compare(found, options.out) if options.compare else []
    text = report(found, left_out, outcomes)
    (options.out / "report.md").write_text(text)
    print(text if options.compare else f"wrote {len(found)} formulas to {options.out}")


def emit_cpp(options: argparse.Namespace) -> None:
    """Write formulas as functions of PyTorch's engine in C++, and check them if that is asked."""
    found, left_out = write_cpp(options.out, tuple(options.formulas))
    print(f"wrote {len(found)} functions to {options.out}; {len(left_out)} have no words in C++")
    if options.check:
        build(options.out)
        print(checked(found))


def emit_yaml(options: argparse.Namespace) -> None:
    """Write entries for PyTorch's table."""
    found = write_entries(options.out)
    print(f"wrote {len(found)} entries to {options.out}; PyTorch's reader takes them")
