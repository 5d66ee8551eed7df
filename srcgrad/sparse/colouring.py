"""Which columns or rows of a sparse matrix may share one product.

The colourings are greedy: one column after the other takes the first colour that is free.
Colouring again in the order of the classes, the last one first, never takes more colours and
often fewer (J. Culberson, Iterated greedy graph coloring and the difficulty landscape, 1992).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

_ROUNDS = 2  # in which a colouring is made better


def column_colours(pattern: Any) -> np.ndarray:
    """Return a colour for each column, such that no row has entries in two of one colour.

    Args:
        pattern: a matrix; its entries count, whatever their values.

    Example:
        >>> import numpy as np
        >>> from scipy import sparse
        >>> from srcgrad.sparse.colouring import column_colours
        >>> bands = sparse.diags_array([np.ones(5), np.ones(6), np.ones(5)], offsets=[-1, 0, 1])
        >>> column_colours(bands.tocsc()).tolist()
        [0, 1, 2, 0, 1, 2]
    """
    rows, count = pattern.shape
    least = int(np.bincount(pattern.indices, minlength=1).max()) if pattern.nnz else 1
    members, starts = pattern.indices.tolist(), pattern.indptr.tolist()

    def greedy(order: Iterable[int]) -> np.ndarray:
        used = [0] * rows  # the colours that a row has met, as the bits of a number
        colours = np.zeros(count, np.int64)
        for column in order:
            mine = members[starts[column] : starts[column + 1]]
            met = 0
            for row in mine:
                met |= used[row]
            free = ~met & (met + 1)
            colours[column] = free.bit_length() - 1
            for row in mine:
                used[row] |= free
        return colours

    return _improved(greedy, count, least)


def star_colours(pattern: Any) -> np.ndarray:
    """Return a colour for each row of a symmetric matrix, so that it can be told from products.

    Two that meet in an entry have different colours, and every path over four of them has at
    least three: then each entry is alone of its colour in its row or in its column (T. Coleman
    and J. Moré, Estimation of sparse Hessian matrices and graph coloring problems, 1984;
    A. Gebremedhin, F. Manne and A. Pothen, What color is your Jacobian?, 2005, algorithm 6.1).

    Args:
        pattern: a symmetric matrix; its entries count, whatever their values.

    Example:
        >>> import numpy as np
        >>> from scipy import sparse
        >>> from srcgrad.sparse.colouring import star_colours
        >>> arrow = np.eye(6)
        >>> arrow[0] = arrow[:, 0] = 1
        >>> star_colours(sparse.csr_array(arrow)).tolist()
        [0, 1, 1, 1, 1, 1]
    """
    count = pattern.shape[0]
    members, starts = pattern.indices.tolist(), pattern.indptr.tolist()
    around = [members[starts[k] : starts[k + 1]] for k in range(count)]

    def greedy(order: Iterable[int]) -> np.ndarray:
        colours = [-1] * count
        taken: list[dict[int, int]] = [{} for _ in range(count)]  # colours around, how often
        for node in order:
            mine = [near for near in around[node] if near != node and colours[near] >= 0]
            met = set(taken[node])
            for near in mine:
                own = colours[near]
                middle = taken[node][own] > 1  # this node would be the second of a path
                for far in around[near]:
                    if colours[far] >= 0 and far != near:
                        if middle or taken[far].get(own, 0) > 1:
                            met.add(colours[far])
            colour = next(c for c in range(count) if c not in met)
            colours[node] = colour
            for near in around[node]:
                if near != node:
                    taken[near][colour] = taken[near].get(colour, 0) + 1
        return np.array(colours, np.int64)

    return _improved(greedy, count, 1)


def _improved(greedy: Callable[[Iterable[int]], np.ndarray], count: int, least: int) -> np.ndarray:
    """Return the best of a few colourings, each in the order of the classes of the last."""
    best = greedy(range(count))
    for _ in range(_ROUNDS):
        if best.max(initial=0) + 1 <= least:
            break
        again = greedy(np.argsort(-best, kind="stable").tolist())
        if again.max(initial=0) >= best.max(initial=0):
            break
        best = again
    return best
