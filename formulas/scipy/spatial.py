"""What SciPy tells of sets of points, ``scipy.spatial``, in Python."""

from __future__ import annotations

from scipy import spatial
from srcgrad.formulas.scipy import named

from srcgrad.registry import in_python, nondifferentiable
from srcgrad.runtime.scipy.scattered import sets

nondifferentiable(sets.tree_of, sets.neighbours, sets.ball, sets.pairs, sets.hull_of)
for _tree in named(spatial, "KDTree cKDTree"):
    in_python(_tree, sets.Tree)
    in_python(_tree.query, sets.tree_query)
in_python(spatial.ConvexHull, sets.Hull)
