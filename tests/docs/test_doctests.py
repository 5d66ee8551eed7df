"""The examples in docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import srcgrad

_NEEDED = {
    **{"torch": "torch", "jax": "jax", "array_api": "array_api_compat", "mpi": "mpi4py"},
    "tape.libraries.messages": "mpi4py",
}
MODULES = sorted(module.name for module in pkgutil.walk_packages(srcgrad.__path__, "srcgrad."))


@pytest.mark.parametrize("name", ["srcgrad", *MODULES])
def test_examples(name):
    """Each example of a module's docstrings gives what is printed there."""
    _, *parts = name.split(".")
    for library in (".".join(parts[:k]) for k in (1, len(parts))):
        if library in _NEEDED:  # the bridges to other libraries
            pytest.importorskip(_NEEDED[library])
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
