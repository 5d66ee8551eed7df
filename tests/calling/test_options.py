"""The options that all derivatives take, as users see them."""

import dataclasses
import inspect

import pytest

import srcgrad
from srcgrad.calling.options import Options

PUBLIC = ("grad", "value_and_grad", "differentiate", "vjp", "jvp", "hvp", "jacfwd", "jacrev")
PUBLIC += ("jacobian", "hessian")


@pytest.mark.parametrize("name", PUBLIC)
def test_signatures_spell_out_the_options(name):
    """``help`` shows each of them with its default, and each can be given by its name only."""
    function = getattr(srcgrad, name)
    shown = inspect.signature(function).parameters
    assert "chosen" not in shown
    own = {field.name: field.default for field in dataclasses.fields(Options)}
    for option in ("recorded", "jit", "optimize", "policy", "memory_budget"):
        assert shown[option].kind is inspect.Parameter.KEYWORD_ONLY
        assert shown[option].default is own[option] or name == "vjp"
        assert f"{option}:" in function.__doc__ or "see ``grad``" in function.__doc__


@pytest.mark.parametrize("name", [n for n in PUBLIC if n not in ("vjp", "jvp")])
def test_other_names_are_errors(name):
    """The error says which names there are."""
    with pytest.raises(TypeError, match=r"there are .*recorded"):
        getattr(srcgrad, name)(abs, recordet="allow")
