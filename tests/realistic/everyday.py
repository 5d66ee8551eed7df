"""Everyday Python in models: tariffs, schedules, paths, memos, guards and decorators."""

import numpy as np

from tests.realistic.table import program

RNG = np.random.default_rng(3)

@program(
    lambda rng: (np.array([1.0, 0.7, 0.3]), "kitten", "sitting"),
    changes=(lambda args: (args[0], "ab", "abc"),),
)
def soft_edit(c, a, b):
    memo = {}

    def go(i, j):
        if (i, j) in memo:
            return memo[i, j]
        if i == 0 or j == 0:
            r = c[0] * i + c[1] * j
        else:
            r = -np.logaddexp.reduce(
                np.array(
                    [
                        -(go(i - 1, j) + c[0]),
                        -(go(i, j - 1) + c[1]),
                        -(go(i - 1, j - 1) + (0.0 if a[i - 1] == b[j - 1] else c[2])),
                    ]
                )
            )
        memo[i, j] = r
        return r

    return go(len(a), len(b))

@program(
    lambda rng: (rng.normal(size=(3, 4)), np.array([0, 2, 0, 1])),
    changes=(lambda args: (args[0], np.array([1, 1, 1, 1])),),
)
def scatter(X, idx):
    G = np.zeros((3, 3))
    np.add.at(G, (slice(None), idx), X)
    M = X > 0
    Y = X.copy()
    Y[M] = Y[M] ** 2
    Y[~M] *= -0.5
    return np.einsum("ij,kj->", G, G) + np.sum(Y[:, idx] * X)

class Path:
    def __init__(s, pts):
        s.pts = pts

    def __len__(s):
        return len(s.pts) - 1

    def __getitem__(s, i):
        return s.pts[i + 1] - s.pts[i] if i < len(s) else (_ for _ in ()).throw(IndexError)

    def __bool__(s):
        return len(s) > 1

@program(lambda rng: (RNG.normal(size=(4, 2)),), changes=(lambda args: (RNG.normal(size=(2, 2)),),))
def length(p):
    t = 0.0
    path = Path(p)
    if path:
        for seg in path:
            t += np.sqrt(seg @ seg)
    return t + np.sum(p)
