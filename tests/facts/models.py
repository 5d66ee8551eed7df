"""A model with flags, numbers and methods on its class, and what may change of it."""

from __future__ import annotations

import functools

import numpy as np

from tests.facts.cases import CASES, X, changing, cubed, plain_cube, swap_class


def model_class():
    """Return a class with flags, numbers and methods, and the class that it is derived from."""

    class Base:
        offset = 1.0

        def shift(self, x):
            return x + self.offset

    class Model(Base):
        training = True
        scale = 2.0
        act = None

        def __init__(self):
            self.w = 3.0

        def run(self, x):
            h = self.shift(x) * self.w
            if self.training:
                h = h * self.scale
            if self.act is not None:
                h = self.act(h)
            return np.sum(h * h)

        def __call__(self, x):
            return self.run(x)

        @property
        def rate(self):
            return self.w * 2.0

        @staticmethod
        def twice(x):
            return 2.0 * x

        @classmethod
        def by_class(cls, x):
            return cls.scale * x

    return Base, Model


def _of_model(body, *changes, argument=False):
    """A case about a model that is a variable from outside, or an argument."""
    base, cls = model_class()
    m = cls()
    bound = [functools.partial(change, base, cls, m) for change in changes]
    if argument:
        return (lambda x, model: body(model, x)), (X, m), bound
    return (lambda x: body(m, x)), (X,), bound


def _set(where, name, value):
    def change(base, cls, m):
        setattr({"base": base, "class": cls, "object": m}[where], name, value)

    return change


def _delete(where, name):
    def change(base, cls, m):
        delattr({"base": base, "class": cls, "object": m}[where], name)

    return change


def _new_mro(base, cls, m):
    class Another:
        offset = 5.0

        def shift(self, x):
            return x * self.offset

    cls.__bases__ = (Another,)


def _new_dict(base, cls, m):
    m.__dict__ = {"w": 7.0, "training": False}


MODEL_CHANGES = {
    "class_flag": [_set("class", "training", False), _set("class", "training", True)],
    "object_shadows_flag": [_set("object", "training", False), _delete("object", "training")],
    "class_number": [
        _set("class", "scale", 5.0),
        _set("class", "scale", np.array([1.0, 2.0, 3.0])),
    ],
    "number_shadowed": [_set("object", "scale", 4.0)],
    "inherited_number": [_set("base", "offset", 2.0), _set("class", "offset", 3.0)],
    "none_replaced_on_object": [_set("object", "act", np.tanh), _set("object", "act", None)],
    "none_replaced_on_class": [_set("class", "act", staticmethod(np.tanh))],
    "method_replaced": [_set("class", "run", cubed)],
    "inherited_method_replaced": [_set("base", "shift", lambda self, x: x * self.w)],
    "subclass_overrides": [
        _set("class", "shift", lambda self, x: x * x),
        _delete("class", "shift"),
    ],
    "method_on_object": [_set("object", "run", plain_cube), _delete("object", "run")],
    "shift_on_object": [_set("object", "shift", lambda x: x * x)],
    "attribute_of_object": [_set("object", "w", 4.0), _set("object", "w", np.float32(2.0))],
    "class_swapped": [swap_class],
    "bases_swapped": [_new_mro],
    "dict_swapped": [_new_dict],
    "flag_moved_to_base": [_set("base", "training", False), _delete("class", "training")],
}
BODIES = {
    "method": lambda m, x: m.run(x),
    "call": lambda m, x: m(x),
    "two_deep": lambda m, x: _outer_helper(m, x),
}


def _outer_helper(m, x):
    return _inner_helper(m, x) * 0.5


def _inner_helper(m, x):
    return m.run(x)


for _name, _changes in MODEL_CHANGES.items():
    for _body, _fn in BODIES.items():
        for _argument in (False, True):
            if _body != "method" and _name not in ("class_flag", "method_replaced"):
                continue

            def _case(fn=_fn, changes=_changes, argument=_argument):
                return _of_model(fn, *changes, argument=argument)

            _label = f"{_name}-{_body}-{'argument' if _argument else 'global'}"
            CASES[_label] = _case

PART_CHANGES = {
    "property": (
        lambda m, x: np.sum(x * x) * m.rate,
        [_set("class", "rate", property(lambda self: self.w**2)), _set("class", "rate", 7.0)],
    ),
    "static_method": (
        lambda m, x: np.sum(m.twice(x) ** 2),
        [
            _set("class", "twice", staticmethod(np.exp)),
            _set("class", "twice", lambda self, x: x * self.w),
        ],
    ),
    "class_method": (
        lambda m, x: np.sum(m.by_class(x) ** 2),
        [
            _set("class", "scale", 5.0),
            _set("class", "by_class", classmethod(lambda cls, x: np.sin(x) * cls.scale)),
        ],
    ),
    "call_replaced": (
        lambda m, x: m(x),
        [_set("class", "__call__", cubed), _set("class", "run", plain_cube)],
    ),
    "has_attribute": (
        lambda m, x: np.sum(x * x) if hasattr(m, "extra") else np.sum(x**3),
        [_set("class", "extra", 1), _delete("class", "extra"), _set("object", "extra", 1)],
    ),
    "default_of_getattr": (
        lambda m, x: np.sum(x * x) * getattr(m, "extra", 3.0),
        [_set("class", "extra", 4.0), _delete("class", "extra"), _set("object", "extra", 2.0)],
    ),
    "truth": (
        lambda m, x: np.sum(x * x) if m else np.sum(x**3),
        [
            _set("class", "__bool__", lambda self: False),
            _set("class", "__bool__", lambda self: True),
        ],
    ),
    "truth_by_length": (
        lambda m, x: np.sum(x * x) if m else np.sum(x**3),
        [_set("class", "__len__", lambda self: 0)],
    ),
}
for _name, (_fn, _changes) in PART_CHANGES.items():
    for _argument in (False, True):

        def _part(fn=_fn, changes=_changes, argument=_argument):
            return _of_model(fn, *changes, argument=argument)

        CASES[f"{_name}-{'argument' if _argument else 'global'}"] = _part


@changing
def _callable_object_differentiated():
    base, cls = model_class()
    m = cls()
    return (
        m,
        (X,),
        [
            lambda: setattr(cls, "training", False),
            lambda: setattr(cls, "__call__", lambda self, x: np.sum(np.sin(x)) * self.w),
            lambda: swap_class(base, cls, m),
        ],
    )


@changing
def _bound_method_differentiated():
    base, cls = model_class()
    m = cls()
    return (
        m.run,
        (X,),
        [
            lambda: setattr(cls, "training", False),
            lambda: setattr(m, "w", 5.0),
            lambda: swap_class(base, cls, m),
            lambda: setattr(m.__class__, "shift", lambda self, x: x * 4.0),
        ],
    )
