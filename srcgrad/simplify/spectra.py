"""Cotangents of real arrays whose spectra are changed entry by entry.

The cotangent of ``np.fft.rfft(x)`` goes back through a whole transform, and that of
``np.fft.irfft(z, n)`` through half of one, whose inner entries count twice: both are what they
are because half a spectrum stands for a whole one. Where one follows on the other, with
nothing but products and sums entry by entry between them, that is what ``irfft`` does by
itself: ``fft(twice_inside(y, n), n).real`` is ``n * irfft(conj(y), n)``, and
``conj(ihfft(x))`` is ``rfft(x) / n``.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import infer, type_of
from srcgrad.ir.nodes import Const, Equation, Op, Value, Var
from srcgrad.runtime.transposes import twice_inside
from srcgrad.simplify.algebra import ADD, MUL, NEG, SUB, Algebra

_USUAL = {"axis": Const(-1), "norm": Const(None)}


def half_transform(s: Algebra, a: Value) -> Value | None:
    """The real part of a transform of what was doubled inside, as one of half a spectrum.

    Returns:
        The same value, or None where the spectrum is another one.
    """
    made = s.computed.get(a) if isinstance(a, Var) and s.once(a) else None
    if made is None or made.op.fn is not np.fft.fft or not _is_usual(made, "n"):
        return None
    n = dict(made.options).get("n")
    spectrum = None if n is None else _mirrored(s, made.args[0], n)
    if spectrum is None:
        return None
    options = (("n", n), ("axis", Const(-1)), ("norm", Const(None)))
    return _made(s, np.fft.irfft, spectrum, options)


def _mirrored(s: Algebra, value: Value, n: Value) -> Value | None:
    """``n`` times the conjugate of what is doubled inside, before it is doubled."""
    eq = s.computed.get(value) if isinstance(value, Var) and s.once(value) else None
    if eq is None:
        return None
    fn, args = eq.op.fn, eq.args
    if fn is twice_inside and _is_usual(eq) and _same_number(s, args[1], n):
        inner = s.computed.get(args[0]) if isinstance(args[0], Var) else None
        if inner is None or inner.op.fn is not np.fft.ihfft or not _is_usual(inner):
            return None
        return _made(s, np.fft.rfft, inner.args[0], inner.options)
    if eq.options:
        return None
    if fn is MUL:
        for k, factor in enumerate(args):
            other = args[1 - k]
            if s.same(other, value) and (turned := _conjugate(s, factor)) is not None:
                rest = _mirrored(s, other, n)
                if rest is not None:
                    return s.make(MUL, *((turned, rest) if k == 0 else (rest, turned)))
    if fn in (ADD, SUB):
        first = _mirrored(s, args[0], n)
        second = _mirrored(s, args[1], n) if first is not None else None
        return None if first is None or second is None else s.make(fn, first, second)
    if fn is NEG:
        rest = _mirrored(s, args[0], n)
        return None if rest is None else s.make(NEG, rest)
    return None


def _conjugate(s: Algebra, factor: Value) -> Value | None:
    """The conjugate of a number, of what is real, or of a number times that; None for others."""
    if isinstance(factor, Const):
        return Const(factor.value.conjugate()) if isinstance(factor.value, complex) else factor
    if type_of(factor).dtype in ("f", "i"):
        return factor
    eq = s.computed.get(factor) or s.primal.get(factor) if isinstance(factor, Var) else None
    if eq is None or eq.op.fn is not MUL:
        return None
    scale, rest = eq.args
    if not isinstance(scale, Const) or not isinstance(rest, Var) or not rest.named:
        return None
    turned = _conjugate(s, scale)
    real = type_of(rest).dtype in ("f", "i")
    return s.make(MUL, turned, rest) if real and turned is not None else None


def _is_usual(eq: Equation, *others: str) -> bool:
    """Whether a transform is along the last axis, and scaled as usual."""
    return all(k in others or _USUAL.get(k) == v for k, v in eq.options)


def _same_number(s: Algebra, a: Value, b: Value) -> bool:
    """Whether two whole numbers are the same length."""
    return a == b or (_length(s, a) is not None and _length(s, a) == _length(s, b))


def _length(s: Algebra, value: Value) -> Any:
    """The last length of the array that a whole number was read of."""
    eq = s.computed.get(value) if isinstance(value, Var) else None
    if eq is None or eq.op.fn is not operator.getitem or eq.args[1] != Const(-1):
        return s.lengths.whole(value)
    shape = s.lengths.resolve(type_of(eq.args[0]).shape)
    return shape[-1] if isinstance(shape, tuple) and shape else None


def _made(s: Algebra, fn: Any, value: Value, options: Any) -> Var:
    type_ = infer(s.lengths, fn, (value,), options)
    var = Var("spectrum" if fn is np.fft.rfft else "pre_bar", type_.with_active(True))
    s.made.append(Equation((var,), Op(fn), (value,), options, s.origin))
    s.computed[var] = s.made[-1]
    s.homes[var] = s.home
    return var
