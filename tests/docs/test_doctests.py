"""The examples in docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import srcgrad

MODULES = sorted(module.name for module in pkgutil.walk_packages(srcgrad.__path__, "srcgrad."))


@pytest.mark.parametrize("name", ["srcgrad", *MODULES])
def test_examples(name):
    """Each example of a module's docstrings gives what is printed there."""
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
