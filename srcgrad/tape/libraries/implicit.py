"""Roots, minima, integrals and paths as plain Python, which is recorded as the user's is.

A solver itself runs unseen, on numbers. What it found is then written as a function of
what the given function depends on: a root by steps of Newton's method from the root
itself (each step doubles the order up to which its Taylor series is right), an integral
as a sum over nodes, a path by steps of a Runge-Kutta method.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from srcgrad.tape.derivatives import grad, vjp


def root(f: Any, x: float, steps: int) -> Any:
    """Return the root of a function of one number, given as a number, as a function of its data."""
    for _ in range(steps):
        x = x - f(x) / grad(f)(x)
    return x


def roots(f: Any, x: Any, free: Any, steps: int) -> Any:
    """Return the root of a function of a vector as a function of its data.

    Args:
        f: the function.
        x: its root.
        free: which entries of the root are determined by ``f``; the others are constant.
        steps: how many steps of Newton's method are taken.
    """
    shape = np.shape(x)
    for _ in range(steps):
        value, backward = vjp(f, x)
        value = np.reshape(value, (-1,))
        units = np.eye(value.shape[0])
        rows = [np.reshape(backward(np.reshape(unit, shape)), (-1,)) for unit in units]
        jacobian = np.stack(rows)
        if not np.all(free):
            keep = np.outer(free, free)
            jacobian = np.where(keep, jacobian, np.diag(np.where(free, 0.0, 1.0)))
            value = np.where(free, value, 0.0)
        x = x - np.reshape(np.linalg.solve(jacobian, value), shape)
    return x


def integral(f: Any, a: Any, b: Any, cuts: Any) -> Any:
    """Return the integral of a function as a sum over the nodes of pieces of an interval.

    Args:
        f: the function.
        a: where the interval begins.
        b: where it ends.
        cuts: where the pieces begin and end, from 0 to 1 along the interval.
    """
    total = 0.0
    for low, high in itertools.pairwise(cuts):
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            place = low + (high - low) * (node + 1) / 2
            total = total + weight * (high - low) / 2 * f(a + (b - a) * place)
    return total * (b - a)


NODES, WEIGHTS = (part.tolist() for part in np.polynomial.legendre.leggauss(15))


def whole_line(f: Any, lower: Any, upper: Any) -> Any:
    """Return a function on (0, 1) with the integral of one on an interval without an end.

    Args:
        f: the function.
        lower: where its interval begins, or -inf.
        upper: where it ends, or inf.
    """
    if upper == np.inf and lower == -np.inf:

        def inner(s: Any) -> Any:
            t = 2 * s - 1
            return 2 * f(t / (1 - t * t)) * (1 + t * t) / (1 - t * t) ** 2

    elif upper == np.inf:

        def inner(s: Any) -> Any:
            return f(lower + s / (1 - s)) / (1 - s) ** 2

    else:

        def inner(s: Any) -> Any:
            return f(upper - s / (1 - s)) / (1 - s) ** 2

    return inner


# The method of Dormand and Prince, of order 5 with an estimate of order 4
_A = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
_B = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)
_C = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
_E = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def step(f: Any, t: Any, y: Any, h: Any) -> Any:
    """Return the state after a step of a path, and the slopes at its stages."""
    slopes: list[Any] = []
    for row, c in zip(_A, _C, strict=True):
        inside = y
        for weight, slope in zip(row, slopes, strict=True):
            inside = inside + h * weight * slope
        slopes.append(np.asarray(f(t + c * h, inside)))
    for weight, slope in zip(_B, slopes, strict=True):
        if weight:
            y = y + h * weight * slope
    return y, slopes


def path(f: Any, y: Any, times: Any, pieces: Any) -> Any:
    """Return the states of a path at several times.

    Args:
        f: gives the slope from the time and the state.
        y: the state at the first time.
        times: the times.
        pieces: for each interval between times, where its steps end, from 0 to 1.
    """
    states = [y]
    for begin, end, ends in zip(times[:-1], times[1:], pieces, strict=True):
        before = 0.0
        for place in ends:
            t = begin + (end - begin) * before
            y, _ = step(f, t, y, (end - begin) * (place - before))
            before = place
        states.append(y)
    return np.stack(states)


def pieces_of(f: Any, y: Any, times: Any, tolerance: float, most: int) -> Any:
    """Return the steps that a path needs; None where there would be too many.

    Args:
        f: gives the slope from the time and the state, as numbers.
        y: the state at the first time.
        times: the times.
        tolerance: the error that a step may have, relative to the state.
        most: how many steps there may be.
    """
    found, count = [], 0
    h = None
    for begin, end in itertools.pairwise(times):
        length, place, ends = end - begin, 0.0, []
        while place < 1.0 and length != 0:
            h = length / 10 if h is None else h
            size = min(1.0 - place, abs(h / length))
            size = 1.0 - place if place + size > 1.0 - 1e-12 else size
            t = begin + length * place
            new, slopes = step(f, t, y, length * size)
            slopes.append(np.asarray(f(t + length * size, new)))
            error = sum(e * k for e, k in zip(_E, slopes, strict=True)) * length * size
            scale = tolerance * (1e-3 + np.maximum(np.abs(y), np.abs(new)))
            ratio = float(np.max(np.abs(error) / scale, initial=0.0))
            count += 1
            if count > most:
                return None
            factor = 5.0 if ratio == 0 else min(5.0, max(0.2, 0.9 * ratio**-0.2))
            if not np.isfinite(ratio):
                factor = 0.2
            if ratio <= 1.0:
                place, y = place + size, new
                ends.append(place)
                h = length * size * factor
            else:
                h = length * size * min(factor, 1.0)
        found.append(ends)
    return found


def cuts_of(f: Any, a: Any, b: Any, tolerance: float, most: int) -> Any:
    """Return the pieces that an integral needs; None where there would be too many."""

    def over(low: float, high: float) -> float:
        places = [low + (high - low) * (node + 1) / 2 for node in NODES]
        values = [w * f(a + (b - a) * p) for w, p in zip(WEIGHTS, places, strict=True)]
        return sum(values) * (high - low) / 2 * (b - a)

    waiting, done = [(0.0, 1.0, over(0.0, 1.0))], []
    total = abs(waiting[0][2])
    while waiting:
        low, high, whole = waiting.pop()
        middle = (low + high) / 2
        left, right = over(low, middle), over(middle, high)
        total = max(total, abs(left) + abs(right))
        if abs(left + right - whole) <= tolerance * total + 1e-300:
            done += [middle, high]
        else:
            waiting += [(low, middle, left), (middle, high, right)]
        if len(done) + len(waiting) > most:
            return None
    return [0.0, *sorted(done)]
