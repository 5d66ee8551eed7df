"""The derivative of ``np.einsum``, and the algebra of its subscripts."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula, static
from srcgrad.runtime import cast_like, unbroadcast
from srcgrad.runtime.transposes import einsum_transpose

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@formula(np.einsum, linear="operands", constant="subscripts", sequences="operands subscripts")
def einsum(subscripts, *operands, optimize=False, dtype=None, casting="safe"):
    """z = Einstein sum; the labels of an operand and those of z change places.

    The cotangent of an operand is the Einstein sum with z_bar in its place. A
    label that only this operand has, or has twice, is left out of that sum and
    restored by the transpose of an Einstein sum of one operand. A label that is
    summed has one length in all operands: where one has length 1 and is repeated,
    backward raises ValueError.
    """
    z = np.einsum(subscripts, *operands, optimize=optimize, dtype=dtype, casting=casting)

    def backward(z_bar):
        ranks = tuple(x.ndim for x in operands) if "..." in subscripts else None
        operands_bar = tuple(
            unbroadcast(
                np.einsum(
                    adjoint_subscripts(subscripts, k, ranks),
                    *operands[:k],
                    z_bar,
                    *operands[k + 1 :],
                    optimize=optimize,
                ),
                x,
            )
            if keeps_its_labels(subscripts, k, ranks)
            else einsum_transpose(
                np.einsum(
                    adjoint_subscripts(subscripts, k, ranks),
                    *operands[:k],
                    z_bar,
                    *operands[k + 1 :],
                    optimize=optimize,
                ),
                x,
                subscripts=own_subscripts(subscripts, k, ranks),
            )
            for k, x in enumerate(operands)
        )
        if dtype is not None:
            operands_bar = tuple(
                cast_like(x_bar, x) for x_bar, x in zip(operands_bar, operands, strict=True)
            )
        return (None, *operands_bar)

    return z, backward


@formula(einsum_transpose, linear="z_bar")
def einsum_transpose_(z_bar, x, *, subscripts):
    """w = zeros like x, with z_bar where ``np.einsum(subscripts, w)`` reads."""
    w = einsum_transpose(z_bar, x, subscripts=subscripts)

    def backward(w_bar):
        z_bar_bar = np.einsum(subscripts, w_bar)
        return np.broadcast_to(z_bar_bar, np.shape(z_bar)), None

    return w, backward


@static
def letters(labels):
    """Return the letters that ``np.einsum`` takes for a list of numbers and ellipses."""
    alphabet = LETTERS[26:] + LETTERS[:26]
    return "".join("..." if k is ... else alphabet[k] for k in labels)


@static
def explicit(subscripts, ranks=None):
    """Return the labels of each operand and of the result, one letter an axis.

    Args:
        subscripts: what ``np.einsum`` is given.
        ranks: the numbers of dimensions of the operands; needed only where the
            subscripts contain an ellipsis.

    Returns:
        A tuple of strings for the operands, and a string for the result.
    """
    text = subscripts.replace(" ", "")
    left, arrow, result = text.partition("->")
    inputs = left.split(",")
    if not arrow:
        # without an arrow: the labels that occur once, in alphabetical order
        labels = left.replace("...", "").replace(",", "")
        result = "".join(sorted(c for c in set(labels) if labels.count(c) == 1))
        result = "..." + result if "..." in left else result
    if "..." not in text:
        return tuple(inputs), result
    spare = [c for c in LETTERS if c not in text]
    hidden = [
        rank - len(labels.replace("...", "")) if "..." in labels else 0
        for labels, rank in zip(inputs, ranks, strict=True)
    ]
    names = "".join(spare[: max(hidden)])
    return (
        tuple(
            labels.replace("...", names[len(names) - count :])
            for labels, count in zip(inputs, hidden, strict=True)
        ),
        result.replace("...", names),
    )


@static
def kept_labels(subscripts, k, ranks=None):
    """Return the labels of operand ``k``, once each, that others know as well."""
    inputs, result = explicit(subscripts, ranks)
    others = result + "".join(inputs[:k] + inputs[k + 1 :])
    return "".join(c for c in dict.fromkeys(inputs[k]) if c in others)


@static
def keeps_its_labels(subscripts, k, ranks=None):
    """Tell whether each label of operand ``k`` is known to others, and single."""
    return kept_labels(subscripts, k, ranks) == explicit(subscripts, ranks)[0][k]


@static
def adjoint_subscripts(subscripts, k, ranks=None):
    """Return the subscripts that give operand ``k`` its cotangent."""
    inputs, result = explicit(subscripts, ranks)
    swapped = (*inputs[:k], result, *inputs[k + 1 :])
    return ",".join(swapped) + "->" + kept_labels(subscripts, k, ranks)


@static
def own_subscripts(subscripts, k, ranks=None):
    """Return the subscripts that read the kept labels from operand ``k`` alone."""
    own = explicit(subscripts, ranks)[0][k]
    return own + "->" + kept_labels(subscripts, k, ranks)
