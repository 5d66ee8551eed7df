"""Members of enums as arguments and options."""

from __future__ import annotations

import enum
import types

import numpy as np

from tests.facts.cases import X, changing


class Mode(enum.Enum):
    SIN = 1
    COS = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@changing
def _enum_argument_by_is():
    changed = []

    def fn(x, mode):
        return np.sum(np.sin(x)) if mode is Mode.SIN else np.sum(np.cos(x))

    return fn, [(X, Mode.SIN), (X, Mode.COS)], [lambda: changed.append(1)]


@changing
def _enum_argument_by_equality():
    def fn(x, mode):
        return np.sum(np.sin(x)) if mode == Mode.SIN else np.sum(np.cos(x))

    return fn, [(X, Mode.SIN), (X, Mode.COS)], [lambda: None]


@changing
def _enum_of_whole_numbers():
    def fn(x, level):
        return np.sum(np.sin(x)) if level is Level.LOW else np.sum(np.cos(x))

    return fn, [(X, Level.LOW), (X, Level.HIGH)], [lambda: None]


@changing
def _enum_attribute_of_argument():
    config = types.SimpleNamespace(mode=Mode.SIN)

    def fn(x, c):
        return np.sum(np.sin(x)) if c.mode is Mode.SIN else np.sum(np.cos(x))

    return fn, (X, config), [lambda: setattr(config, "mode", Mode.COS)]


@changing
def _enum_attribute_of_global():
    config = types.SimpleNamespace(mode=Mode.SIN)

    def fn(x):
        return np.sum(np.sin(x)) if config.mode == Mode.SIN else np.sum(np.cos(x))

    return fn, (X,), [lambda: setattr(config, "mode", Mode.COS)]


@changing
def _enum_in_dict_argument():
    def fn(x, c):
        return np.sum(np.sin(x)) if c["mode"] is Mode.SIN else np.sum(np.cos(x))

    return fn, [(X, {"mode": Mode.SIN}), (X, {"mode": Mode.COS})], [lambda: None]


@changing
def _enum_value_and_name():
    def fn(x, mode):
        if mode.name == "SIN":
            return np.sum(np.sin(x)) * mode.value
        return np.sum(np.cos(x)) * mode.value

    return fn, [(X, Mode.SIN), (X, Mode.COS)], [lambda: None]


@changing
def _enum_as_key_of_a_table():
    table = {Mode.SIN: np.sin, Mode.COS: np.cos}

    def fn(x, mode):
        return np.sum(table[mode](x))

    return fn, [(X, Mode.SIN), (X, Mode.COS)], [lambda: table.update({Mode.SIN: np.exp})]
