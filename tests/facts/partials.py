"""Partial objects."""

from __future__ import annotations

import functools

import numpy as np

from tests.facts.cases import X, changing, copy_of


@changing
def _partial_object():
    part = functools.partial(_scaled, scale=2.0)

    def fn(x):
        return np.sum(part(x))

    return (
        fn,
        (X,),
        [
            lambda: part.keywords.update(scale=3.0),
            lambda: part.__setstate__((_powered, (), {"power": 3}, {})),
        ],
    )


@changing
def _partial_differentiated():
    part = functools.partial(_scaled_sum, scale=2.0)
    return (
        part,
        (X,),
        [
            lambda: part.keywords.update(scale=3.0),
            lambda: part.__setstate__((_powered_sum, (), {"power": 3}, {})),
        ],
    )


@changing
def _partial_whose_function_changes():
    inner = copy_of(_scaled)
    part = functools.partial(inner, scale=2.0)

    def fn(x):
        return np.sum(part(x))

    return fn, (X,), [lambda: setattr(inner, "__code__", _squared_and_scaled.__code__)]


def _scaled(v, scale=1.0):
    return np.sin(v) * scale


def _squared_and_scaled(v, scale=1.0):
    return v * v * scale


def _scaled_sum(v, scale=1.0):
    return np.sum(np.sin(v) * scale)


def _powered(v, power=2):
    return v**power


def _powered_sum(v, power=2):
    return np.sum(v**power)
