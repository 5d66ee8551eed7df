"""Globals, modules and containers."""

from __future__ import annotations

import types

import numpy as np

from tests.facts.cases import X, changing

STATE = {}
FLAG = True
TOOLS = types.ModuleType("tools")


def _global(name, value):
    return lambda: globals().__setitem__(name, value)


@changing
def _global_flag():
    _global("FLAG", True)()
    return (
        (lambda x: np.sum(x * x) if FLAG else np.sum(x**3)),
        (X,),
        [
            _global("FLAG", False),
            _global("FLAG", None),
            _global("FLAG", "text"),
            _global("FLAG", 0.0),
            _global("FLAG", 2.0),
            _global("FLAG", []),
            _global("FLAG", [1.0]),
        ],
    )


@changing
def _global_dict():
    STATE.clear()
    STATE.update(mode="sin", scale=2.0)

    def fn(x):
        h = np.sin(x) if STATE["mode"] == "sin" else np.cos(x)
        return np.sum(h) * STATE["scale"]

    return (
        fn,
        (X,),
        [
            lambda: STATE.update(mode="cos"),
            lambda: STATE.update(scale=3.0),
            lambda: STATE.update(scale=np.array([1.0, 2.0, 3.0]).sum()),
        ],
    )


@changing
def _global_dict_of_functions():
    STATE.clear()
    STATE.update(f=np.sin)

    def fn(x):
        return np.sum(STATE["f"](x))

    return fn, (X,), [lambda: STATE.update(f=np.cos), lambda: STATE.update(f=lambda v: v * v)]


@changing
def _global_dict_asked_for_a_key():
    STATE.clear()

    def fn(x):
        if "extra" in STATE:
            return np.sum(x**3)
        return np.sum(x * x) * STATE.get("scale", 2.0)

    return (
        fn,
        (X,),
        [
            lambda: STATE.update(scale=3.0),
            lambda: STATE.update(extra=1),
            lambda: STATE.pop("extra"),
        ],
    )


@changing
def _empty_global_container():
    STATE.clear()

    def fn(x):
        return np.sum(x * x) if STATE else np.sum(x**3)

    return fn, (X,), [lambda: STATE.update(a=1), lambda: STATE.clear()]


@changing
def _module_attribute():
    TOOLS.mode, TOOLS.scale, TOOLS.fn = "sin", 2.0, np.sin

    def fn(x):
        h = TOOLS.fn(x) if TOOLS.mode == "sin" else x * x
        return np.sum(h * TOOLS.scale)

    return (
        fn,
        (X,),
        [
            lambda: setattr(TOOLS, "scale", 3.0),
            lambda: setattr(TOOLS, "fn", np.cos),
            lambda: setattr(TOOLS, "mode", "square"),
            lambda: setattr(TOOLS, "scale", np.array([1.0, 2.0, 3.0])),
        ],
    )


@changing
def _list_of_layers():
    layers = [np.sin, np.cos]

    def fn(x):
        for layer in layers:
            x = layer(x)
        return np.sum(x)

    return fn, (X,), [lambda: layers.append(np.exp), lambda: layers.__setitem__(0, np.tanh)]
