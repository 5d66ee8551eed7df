"""Derivatives of SciPy's functions; each module is loaded when that part of SciPy is used."""

from __future__ import annotations

from typing import Any


def named(module: Any, names: str) -> list[Any]:
    """Return the functions with these names that this version of SciPy has."""
    return [getattr(module, name) for name in names.split() if hasattr(module, name)]
