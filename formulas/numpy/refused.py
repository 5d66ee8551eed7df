"""NumPy's functions that active arguments cannot go through, and why.

Each public callable has a formula, is listed as nondifferentiable, or stands here
with its reason; ``tests/formulas/test_classes.py`` sees to that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.effects import effects
from srcgrad.registry import find_formula, is_nondifferentiable, nondifferentiable, refused

CALLS_BACK = "it calls a function itself; call that function, or loop over the array"
FILES = "it reads or writes text or files"
SETTINGS = "it has to do with settings, not with numbers"
CLASS = "its objects are not followed; use plain arrays"


effects(np.copyto, writes="dst", keeps="src", views="", parameters="dst src casting where")
effects(np.fill_diagonal, writes="a", keeps="val", views="")
effects(np.place, writes="arr", keeps="vals", views="", parameters="arr mask vals")
effects(np.put, writes="a", keeps="v", views="")
effects(np.put_along_axis, writes="arr", keeps="values", views="")
effects(np.putmask, writes="a", keeps="values", views="", parameters="a mask values")
effects(np.nan_to_num, writes="x unless copy", views="x")


def named(names: str, module: Any = np) -> list[Any]:
    """Return the functions with these names that this version of NumPy has."""
    found = [getattr(module, name) for name in names.split() if hasattr(module, name)]
    return [f for f in found if callable(f)]


refused("complex numbers have no order", *named("sort_complex"))
refused(CALLS_BACK, *named(
    "apply_along_axis apply_over_axes fromfunction frompyfunc vectorize fromiter piecewise"
))  # fmt: skip
refused(FILES, *named(
    "frombuffer fromfile fromregex fromstring genfromtxt load loadtxt save savetxt savez "
    "savez_compressed from_dlpack"
))  # fmt: skip
refused(SETTINGS, *named(
    "get_include get_printoptions getbufsize geterr geterrcall info printoptions "
    "set_printoptions setbufsize seterr seterrcall show_config show_runtime test errstate"
))  # fmt: skip
refused(CLASS, *named(
    "broadcast busdaycalendar flatiter matrix memmap ndarray ndenumerate ndindex nditer "
    "nested_iters poly1d recarray record ufunc asmatrix bmat bytes_ str_ void object_ "
    "datetime64 timedelta64"
))  # fmt: skip
refused("it only stands for a kind of error", *named("LinAlgError", np.linalg))
refused("it only stands for a family of types", *named(
    "character complexfloating flexible floating generic inexact integer number "
    "signedinteger unsignedinteger"
))  # fmt: skip
refused("it takes a number of points; make that one by int(...)", *named(
    "bartlett blackman hamming hanning"
))  # fmt: skip
refused("its remainder is as long as it is not 0; use np.convolve", *named("polydiv"))
refused("it is deprecated; use np.vstack", *named("row_stack"))
refused("its bins are counted along each axis; use np.histogram, or np.add.at", *named(
    "histogram2d histogramdd"
))  # fmt: skip

for ufunc in {f for f in vars(np).values() if isinstance(f, np.ufunc) and f.nin == 2}:
    for made in ("reduce", "accumulate", "reduceat"):
        method = getattr(ufunc, made)
        if is_nondifferentiable(ufunc) and not is_nondifferentiable(method):
            nondifferentiable(method)
        elif find_formula(ufunc) is None and find_formula(method) is None:
            refused("write a loop over the entries", method)
    refused("it writes into its first argument; let it be a statement of its own", ufunc.at)
