"""What SciPy tells of sets of points, in Python: nearest neighbours, convex hulls.

Which point is whose neighbour, and which are the corners of a hull, is constant; distances,
volumes and areas are functions of the points: J. O'Rourke, "Computational Geometry in C",
1998, chapter 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import spatial

from srcgrad.errors import MissingFormulaError


def tree_of(data: Any, options: Any) -> Any:
    """Return a tree of points that are constant."""
    return spatial.KDTree(data, **options)


def neighbours(tree: Any, x: Any, options: Any) -> Any:
    """Return which points are nearest to some places."""
    return tree.query(x, **options)[1]


def ball(tree: Any, x: Any, r: Any, options: Any) -> Any:
    """Return which points are around some places."""
    return tree.query_ball_point(x, r, **options)


def pairs(tree: Any, r: Any, options: Any) -> Any:
    """Return which points are near each other."""
    return tree.query_pairs(r, **options)


def tree_query(
    self: Any,
    x: Any,
    k: Any = 1,
    eps: Any = 0.0,
    p: Any = 2.0,
    distance_upper_bound: Any = np.inf,
    workers: int = 1,
) -> Any:
    """Return what ``KDTree.query`` gives: distances, and which points these are of.

    Args:
        self: the tree, of constant points or a ``Tree``.
        x: the places, their coordinates along the last axis.
        k: how many points, or which ones.
        eps: by how much the nearest may be missed.
        p: which distance.
        distance_upper_bound: how far away points may be.
        workers: how many processors search.
    """
    tree = self.plain if isinstance(self, Tree) else self
    if tree.boxsize is not None:
        raise MissingFormulaError("no formula for KDTree with boxsize=", fixes=["leave it out"])
    x = np.asarray(x)
    options = {"eps": eps, "distance_upper_bound": distance_upper_bound, "workers": workers}
    which = neighbours(tree, x, {"k": k, "p": p, **options})
    found = which < tree.n
    rows = self.data[np.where(found, which, 0)]
    apart = (x if np.ndim(which) < np.ndim(x) else x[..., None, :]) - rows
    if p == np.inf:
        distance = np.max(np.abs(apart), axis=-1)
    elif p == 1:
        distance = np.sum(np.abs(apart), axis=-1)
    elif p == 2:
        distance = np.linalg.norm(apart, axis=-1)
    else:
        distance = np.sum(np.abs(apart) ** p, axis=-1) ** (1.0 / p)
    return np.where(found, distance, np.inf), which


class Tree:
    """A tree of points that are differentiated.

    Args:
        data: the points, a row each.
        options: how they are searched, as for ``KDTree``.
    """

    def __init__(self, data: Any, *args: Any, **options: Any) -> None:
        names = ("leafsize", "compact_nodes", "copy_data", "balanced_tree", "boxsize")
        self.data = np.asarray(data)
        self.plain = tree_of(self.data, {**dict(zip(names, args, strict=False)), **options})
        self.n, self.m = np.shape(self.data)

    def query(self, x: Any, *args: Any, **options: Any) -> Any:
        """Return distances, and which points these are of."""
        return tree_query(self, x, *args, **options)

    def query_ball_point(self, x: Any, r: Any, **options: Any) -> Any:
        """Return which points are around some places."""
        return ball(self.plain, x, r, options)

    def query_pairs(self, r: Any, **options: Any) -> Any:
        """Return which points are near each other."""
        return pairs(self.plain, r, options)

    def __getattr__(self, name: str) -> Any:
        raise _untold("KDTree", name)


def _untold(cls: str, name: str) -> Exception:
    if name.startswith("__"):
        return AttributeError(name)
    return MissingFormulaError(
        f"no formula for {cls}.{name} of points that are differentiated",
        fixes=["compute it from the points"],
    )


def hull_of(points: Any, options: Any) -> Any:
    """Return the convex hull of points that are constant."""
    return spatial.ConvexHull(points, qhull_options=options)


class Hull:
    """The convex hull of points that are differentiated.

    Args:
        points: the points, a row each.
        incremental: whether points may be added: not here.
        qhull_options: how it is found.
    """

    def __init__(self, points: Any, incremental: bool = False, qhull_options: Any = None) -> None:
        if incremental or "QJ" in str(qhull_options):
            what = "incremental=True" if incremental else "joggled points"
            raise MissingFormulaError(
                f"no formula for ConvexHull with {what}", fixes=["leave it out"]
            )
        self.points = np.asarray(points)
        plain = hull_of(self.points, qhull_options)
        self.simplices, self.vertices, self.neighbors = (
            plain.simplices,
            plain.vertices,
            plain.neighbors,
        )
        self.coplanar, self.nsimplex, self.ndim, self.npoints = (
            plain.coplanar, plain.nsimplex, plain.ndim, plain.npoints,
        )  # fmt: skip
        corners = self.points[self.simplices]
        middle = np.mean(self.points[self.vertices], axis=0)
        sizes = np.abs(np.linalg.det(corners - middle))
        self.volume = np.sum(sizes) / math.factorial(self.ndim)
        edges = corners[:, 1:] - corners[:, :1]
        gram = edges @ np.swapaxes(edges, 1, 2)
        self.area = np.sum(np.sqrt(np.linalg.det(gram))) / math.factorial(self.ndim - 1)
        self.min_bound, self.max_bound = np.min(self.points, axis=0), np.max(self.points, axis=0)

    def __getattr__(self, name: str) -> Any:
        raise _untold("ConvexHull", name)
