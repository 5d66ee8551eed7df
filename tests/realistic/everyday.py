"""Everyday Python in models: memos, guards and decorators."""

import numpy as np

from tests.realistic.table import program

RNG = np.random.default_rng(3)


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
