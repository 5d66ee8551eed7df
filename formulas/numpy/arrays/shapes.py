"""What cannot be found out about results by asking NumPy with tiny arrays."""

from __future__ import annotations

import numpy as np

from srcgrad.runtime import split_like
from srcgrad.runtime.numpy.quantiles import read_ranked

# How many axes these results have depends on lengths, unless this option is given
RANK_UNKNOWN = {
    np.squeeze: "axis",  # removes the axes that happen to have length 1
}

# The shapes of these results do not depend on weights
WEIGHTED = frozenset(
    {
        np.nanpercentile,
        np.nanquantile,
        np.percentile,
        np.quantile,
        read_ranked,
    }
)

# How long these results are depends on values
LENGTHS_UNKNOWN = frozenset(
    {
        np.argwhere,
        np.bincount,
        np.compress,
        np.extract,
        np.flatnonzero,
        np.intersect1d,
        np.linalg.lstsq,  # sums of squares, or none of them
        np.nonzero,
        np.setdiff1d,
        np.setxor1d,
        np.trim_zeros,
        np.union1d,
        np.unique,
        *(
            getattr(np, name)  # since NumPy 2.0
            for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values")
            if hasattr(np, name)
        ),
    }
)

# These give several arrays, or may do so
SEVERAL_RESULTS = frozenset(
    {
        np.array_split,
        np.atleast_1d,
        np.atleast_2d,
        np.atleast_3d,
        np.broadcast_arrays,
        np.dsplit,
        np.gradient,
        np.histogram,
        np.hsplit,
        np.ix_,
        np.linalg.eig,
        np.linalg.eigh,
        np.linalg.lstsq,
        np.linalg.qr,
        np.linalg.slogdet,
        np.linalg.svd,
        np.meshgrid,
        np.split,
        np.unique,
        np.vsplit,
        split_like,
        *(
            getattr(np, name)  # since NumPy 2.0
            for name in ("unique_all", "unique_counts", "unique_inverse")
            if hasattr(np, name)
        ),
    }
)

# The names of the parts of these results
NAMES_OF_RESULTS = {
    np.linalg.eig: ("eigenvalues", "eigenvectors"),
    np.linalg.eigh: ("eigenvalues", "eigenvectors"),
    np.linalg.qr: ("Q", "R"),
    np.linalg.slogdet: ("sign", "logabsdet"),
    np.linalg.svd: ("U", "S", "Vh"),
    **{
        getattr(np, name): parts
        for name, parts in {
            "unique_all": ("values", "indices", "inverse_indices", "counts"),
            "unique_counts": ("values", "counts"),
            "unique_inverse": ("values", "inverse_indices"),
        }.items()
        if hasattr(np, name)
    },
}
