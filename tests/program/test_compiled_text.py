"""A function is compared with the text in its file by what it does."""

import itertools
import types

import pytest

from srcgrad import grad
from srcgrad.cache.descriptions import code_digest
from srcgrad.program.compiled_text import constants


def among_few(x, kind=8):
    """Ask for members of sets whose order depends on how they were built."""
    if kind in {0, 8, 16}:
        return x * x
    return x if (kind, 1) in {(0, 8), (8, 1)} else -x


def among_many(x, kind=8):
    """Make a set of constants, and another inside of an inner function."""

    def inside(k):
        return k in {0, 8, 16} and k not in {24, "8"}

    return x * x if {0, 8, 16, 24} - {kind} and inside(kind) else x


def _built_otherwise(code, order):
    """Return code whose sets were filled in another order, as a file of compiled code has them."""
    consts = []
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            part = _built_otherwise(part, order)
        elif isinstance(part, frozenset):
            part = frozenset(list(part)[i] for i in order if i < len(part))
        consts.append(part)
    return code.replace(co_consts=tuple(consts))


@pytest.mark.parametrize("f", [among_few, among_many])
@pytest.mark.parametrize("order", [*itertools.permutations(range(4))][1::7], ids=str)
def test_order_of_sets(f, order):
    """The order in which a set of constants was filled changes nothing of the program."""
    code = f.__code__
    other = types.FunctionType(_built_otherwise(code, order), globals(), f.__name__, (8,))
    assert grad(other, recorded="refuse")(3.0) == 6.0
    assert code_digest(other.__code__) == code_digest(code)


def test_kinds_of_constants():
    """Constants that are equal and of two types are two."""

    def told(*values):
        return constants(among_few.__code__.replace(co_consts=values), str)

    values = [1, 1.0, True, "1", (1,), (1.0,), frozenset({1}), frozenset({1.0}), 0.0, -0.0]
    assert len({repr(told(value)) for value in values}) == len(values)
