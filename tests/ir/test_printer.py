"""The text of the intermediate representation, exactly."""

import re
import textwrap

import numpy as np

from srcgrad.ir.nodes import Const, Items, Known, Slice
from srcgrad.ir.types import BOOLEAN, INTEGER, REAL, Type
from tests.ir.lowering import NUMBER, VECTOR, lowered, lowered_and_reversed
from tests.ir.printer import Printer, format_block, format_function, format_type


def loss(x, y):
    """Equations only."""
    r = np.tanh(x) - y
    return np.sum(r**2, axis=0)


def damped(x, a):
    """A loop with a branch in it."""
    for k in range(6):
        step = (x * x - a) / (2 * x)
        if step > 1.0:
            x = x - 0.5 * step
        else:
            x = x - step
    return x


def windows(x):
    """A list that a while loop fills."""
    out = []
    while len(out) < 2:
        out.append(x[1:])
    return out[0]


def from_its_first_line(fn, text):
    """Count lines from the function's first one, which is 1."""
    before = fn.__code__.co_firstlineno - 1
    return re.sub(r"(# |\.py:)(\d+)", lambda m: f"{m[1]}{int(m[2]) - before}", text)


def text_of(fn, *types):
    """The text of a lowered function, its lines counted from 1."""
    return from_its_first_line(fn, format_function(lowered(fn, *types)))


def shown(text):
    """A text as it stands between the quotes of a test."""
    return textwrap.dedent(text).strip("\n")


def test_straight_line():
    """One equation per line, with types and the line of origin."""
    assert text_of(loss, VECTOR, VECTOR) == shown(
        """
        loss(x: real[n]*, y: real[n]*):  # test_printer.py:1
          tanh_x: real[n]* = numpy.tanh(x)  # 3
          r: real[n]* = sub(tanh_x, y)  # 3
          power: real[n]* = pow(r, 2)  # 4
          total: real* = numpy.sum(power, axis=0)  # 4
          return total
        """
    )


def test_loop_and_branch():
    """Versions of a name are numbered; carried and merged values are listed."""
    assert text_of(damped, NUMBER, NUMBER) == shown(
        """
        damped(x: real*, a: real*):  # test_printer.py:1
          for i in range(0, 6, 1):  # 3
            carry x.2: real* = x, then x.5, after x.6
            carry k: integer = undefined, then k.2, after k.3
            carry step: real* = undefined, then step.2, after step.3
            k.2: integer = range_item(0, i, 1)  # 3
            prod: real* = mul(x.2, x.2)  # 4
            diff: real* = sub(prod, a)  # 4
            prod.2: real* = mul(2, x.2)  # 4
            step.2: real* = truediv(diff, prod.2)  # 4
            gt: boolean = gt(step.2, 1.0)  # 5
            if gt:  # 5
              prod.3: real* = mul(0.5, step.2)  # 6
              x.3: real* = sub(x.2, prod.3)  # 6
            else:
              x.4: real* = sub(x.2, step.2)  # 8
            merge x.5: real* = x.3 | x.4
          return x.6
        """
    )


def test_lists_and_while():
    """A list shows the types of its elements."""
    assert text_of(windows, VECTOR) == shown(
        """
        windows(x: real[n]*):  # test_printer.py:1
          out: list(real[n-1]*) = list_new()  # 3
          while counted by i:  # 4
            carry out.2: list(real[n-1]*)* = out, then out.3, after out.4
            len_out: integer = len(out.2)  # 4
            lt: boolean = lt(len_out, 2)  # 4
            x_item: real[n-1]* = getitem(x, 1:)  # 5
            out.3: list(real[n-1]*)* = list_append(out.2, x_item)  # 5
          value: real[n-1]* = list_item(out.4, 0)  # 6
          return value
        """
    )


def test_backward_block():
    """A backward block uses the labels of the forward part that it reads."""
    function, part = lowered_and_reversed(loss, VECTOR, VECTOR)
    assert from_its_first_line(loss, format_block(part.block, function)) == shown(
        """
        expand_dims: real[1]* = numpy.expand_dims(value_bar, axis=0)  # 4
        shape: shape[n] = .shape(power)  # 4
        power_bar: real[n]* = numpy.broadcast_to(expand_dims, shape=shape)  # 4
        prod: real[n]* = mul(power_bar, 2)  # 4
        power.2: real[n]* = pow(r, 1)  # 4
        r_bar: real[n]* = mul(prod, power.2)  # 4
        prod.2: real[n]* = mul(power_bar, power)  # 4
        eq: boolean[n] = eq(r, 0)  # 4
        sum: real[n]* = add(r, eq)  # 4
        log: real[n]* = numpy.log(sum)  # 4
        prod.3: real[n]* = mul(prod.2, log)  # 4
        y_bar: real[n]* = neg(r_bar)  # 3
        power.3: real[n]* = pow(tanh_x, 2)  # 3
        diff: real[n]* = sub(1, power.3)  # 3
        x_bar: real[n]* = mul(r_bar, diff)  # 3
        """
    )


def test_the_text_is_the_same_each_time():
    """Nothing in it depends on addresses or on what was printed before."""
    assert text_of(damped, NUMBER, NUMBER) == text_of(damped, NUMBER, NUMBER)


def test_types():
    """Element type, shape, whether it may be a number, whether it is active."""
    expected = {
        REAL: "real",
        INTEGER: "integer",
        BOOLEAN: "boolean",
        Type("array", ("n", 3, None), "c", True): "complex[n, 3, _]*",
        Type("array", None, "f"): "real[...]",
        Type("numeric", "?3", "?", True): "any[...?3]~*",
        Type("shape", ("n",)): "shape[n]",
        Type("opaque"): "opaque",
        Type("list", element=(REAL, VECTOR)): "list(real, real[n]*)",
        Type("list", active=True, element=(None, REAL)): "list(-, real)*",
        Type("list"): "list()",
    }
    assert {type_: format_type(type_) for type_ in expected} == expected


def test_values():
    """Constants, tuples, lists, slices and known objects."""
    value = Printer().value
    none = Const(None)
    assert value(Items((Const(1), Const("a")))) == "(1, 'a')"
    assert value(Items((Const(1),))) == "(1,)"
    assert value(Items((Const(1.0),), is_list=True)) == "[1.0]"
    assert value(Slice(Const(1), none, none)) == "1:"
    assert value(Slice(none, none, Const(-1))) == "::-1"
    assert value(Known(np.sum)) == "numpy.sum"
    assert value(Known(np, "np")) == "np"
