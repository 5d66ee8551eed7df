"""Functions whose results may be written: they give memory of their own."""

import math
import operator
import types

import numpy as np
import pytest
from srcgrad.formulas.numpy.arrays.memory import NEW

from srcgrad import grad, jvp
from srcgrad.analysis.memory.fresh import CONDITIONAL, is_fresh
from srcgrad.errors import MutationError
from srcgrad.ir.nodes import Const, Equation, Op, Var
from srcgrad.ir.types import Type

V = [
    np.array([0.3, 0.1, 0.7, 0.2, 0.9, 0.4]),
    np.linspace(0.1, 0.9, 12)[::2],
    np.linspace(0.1, 0.9, 6)[::-1],
    np.array([3, 1, 2, 4, 6, 5]),
    np.array([0.5]),
    np.array([0.5, 0.1, 0.2], dtype=np.float32),
    np.array([0.5 + 1j, 0.1, 0.2 - 1j]),
]
_M = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])
M = [
    _M,
    _M.T,
    np.asfortranarray(_M),
    np.kron(_M, np.ones((2, 2)))[::2, ::2],
    np.array([[2.0]]),
    _M[::-1, ::-1],
]

# how functions are called, v being a vector and m a symmetric matrix
ON_VECTORS = {
    "all": [lambda f, v: f(v, axis=()), lambda f, v: f(v > 0, axis=(), keepdims=True)],
    "any": [lambda f, v: f(v > 0, axis=())],
    "allclose": [lambda f, v: f(v, v)],
    "append": [
        lambda f, v: f(v, 1.0),
        lambda f, v: f(v, []),
        lambda f, v: f([], v),
        lambda f, v: f(v, v, axis=0),
    ],
    "argpartition": [lambda f, v: f(v, 0)],
    "average": [
        lambda f, v: f(v, weights=np.ones(len(v))),
        lambda f, v: f(v[None], axis=0),
        lambda f, v: f(v[None], axis=0, keepdims=True),
    ],
    "array_equal": [lambda f, v: f(v, v)],
    "bincount": [lambda f, v: f(np.arange(len(v)), v)],
    "block": [lambda f, v: f(v), lambda f, v: f([v]), lambda f, v: f([[v, v]])],
    "choose": [lambda f, v: f(np.zeros(len(v), int), [v, v])],
    "clip": [lambda f, v: f(v, 0, 1), lambda f, v: f(v, None, 100), lambda f, v: f(v, -100, 100)],
    "column_stack": [lambda f, v: f([v]), lambda f, v: f([v, v]), lambda f, v: f([v[:, None]])],
    "compress": [
        lambda f, v: f(np.ones(len(v), bool), v),
        lambda f, v: f(np.ones(len(v), bool), v, axis=0),
    ],
    "concatenate": [
        lambda f, v: f([v]),
        lambda f, v: f([v, v]),
        lambda f, v: f([v, v[:0]]),
        lambda f, v: f([v], axis=None),
    ],
    "convolve": [
        lambda f, v: f(v, v),
        lambda f, v: f(v, [1.0]),
        lambda f, v: f([1], v, mode="same"),
        lambda f, v: f(v, v, mode="valid"),
    ],
    "copy": [lambda f, v: f(v), lambda f, v: f(v, order="A")],
    "corrcoef": [lambda f, v: f([v, v[::-1]])],
    "correlate": [
        lambda f, v: f(v, v),
        lambda f, v: f(v, [1.0]),
        lambda f, v: f([1.0], v, mode="full"),
    ],
    "count_nonzero": [lambda f, v: f(v[None], axis=0)],
    "cov": [lambda f, v: f([v, v]), lambda f, v: f(v)],
    "cross": [lambda f, v: f(np.resize(v, 3), np.resize(v, 3))],
    "cumulative_prod": [lambda f, v: f(v), lambda f, v: f(v, include_initial=True)],
    "cumulative_sum": [lambda f, v: f(v), lambda f, v: f(v, include_initial=True)],
    "delete": [
        lambda f, v: f(v, []),
        lambda f, v: f(v, 0),
        lambda f, v: f(v, slice(0, 0)),
        lambda f, v: f(v, np.zeros(len(v), bool)),
    ],
    "diagflat": [lambda f, v: f(v), lambda f, v: f(v, 1)],
    "digitize": [lambda f, v: f(v.real, [0.0, 1.0])],
    "dot": [
        lambda f, v: f(v, v),
        lambda f, v: f(v, 1.0),
        lambda f, v: f(1.0, v),
        lambda f, v: f(np.eye(len(v)), v),
    ],
    "dstack": [lambda f, v: f([v]), lambda f, v: f([v[None, :, None]])],
    "ediff1d": [lambda f, v: f(v), lambda f, v: f(v, to_begin=v[:1])],
    "extract": [lambda f, v: f(np.ones(len(v), bool), v)],
    "full": [lambda f, v: f(len(v), v), lambda f, v: f((2, len(v)), v)],
    "full_like": [lambda f, v: f(v, v), lambda f, v: f(v, 1.0)],
    "geomspace": [lambda f, v: f(v, v + 1, 1), lambda f, v: f(v, v + 1, 3)],
    "heaviside": [lambda f, v: f(v.real, 0.5)],
    "i0": [lambda f, v: f(v.real)],
    "inner": [lambda f, v: f(v, 1.0), lambda f, v: f(np.eye(len(v)), v)],
    "insert": [
        lambda f, v: f(v, 0, 1.0),
        lambda f, v: f(v, [], []),
        lambda f, v: f(v, slice(0, 0), []),
    ],
    "interp": [
        lambda f, v: f(v.real, [0.0, 1.0], [0.0, 1.0]),
        lambda f, v: f([0.5], np.arange(len(v)), v),
    ],
    "isclose": [lambda f, v: f(v, v)],
    "isin": [lambda f, v: f(v, v)],
    "kaiser": [lambda f, v: f(len(v), 1.0)],
    "kron": [
        lambda f, v: f(v, v),
        lambda f, v: f(v, 1.0),
        lambda f, v: f(1.0, v),
        lambda f, v: f(v, [1.0]),
    ],
    "lexsort": [lambda f, v: f([v.real, v.real])],
    "linspace": [lambda f, v: f(v, v + 1, 1), lambda f, v: f(v, v, 3)],
    "logspace": [lambda f, v: f(v.real, v.real, 1), lambda f, v: f(v.real, v.real, 3)],
    "matmul": [lambda f, v: f(np.eye(len(v)), v)],
    "outer": [lambda f, v: f(v, v), lambda f, v: f(v, [1.0]), lambda f, v: f([1.0], v)],
    "packbits": [lambda f, v: f(v > 0)],
    "pad": [
        lambda f, v: f(v, 0),
        lambda f, v: f(v, 1),
        lambda f, v: f(v, 1, mode="edge"),
        lambda f, v: f(v, 0, mode="wrap"),
        lambda f, v: f(v, (1, 0), mode="linear_ramp"),
    ],
    "partition": [lambda f, v: f(v, 0), lambda f, v: f(v, 0, axis=None)],
    "percentile": [
        lambda f, v: f(v.real, 50, axis=()) if False else f(v.real[None], 50, axis=0),
        lambda f, v: f(v.real[None], [50], axis=0),
    ],
    "piecewise": [
        lambda f, v: f(v, [v.real > 0.3], [0.0, 1.0]),
        lambda f, v: f(v, [v.real > -9], [lambda t: t]),
    ],
    "polyval": [lambda f, v: f(v, v), lambda f, v: f([1.0], v), lambda f, v: f([1.0, 0.0], v)],
    "ptp": [lambda f, v: f(v.real[None], axis=0)],
    "quantile": [
        lambda f, v: f(v.real[None], 0.5, axis=0),
        lambda f, v: f(v.real[None], [0.5], axis=0, keepdims=True),
    ],
    "repeat": [lambda f, v: f(v, 1), lambda f, v: f(v, 2), lambda f, v: f(v, [1] * len(v), axis=0)],
    "roll": [
        lambda f, v: f(v, 0),
        lambda f, v: f(v, 1),
        lambda f, v: f(v, 0, axis=0),
        lambda f, v: f(v, (), axis=()),
    ],
    "searchsorted": [lambda f, v: f([0.0, 1.0], v)],
    "select": [lambda f, v: f([v.real > -9], [v]), lambda f, v: f([np.ones(len(v), bool)], [v], v)],
    "sort": [lambda f, v: f(v), lambda f, v: f(v, axis=None), lambda f, v: f(np.sort(v))],
    "stack": [lambda f, v: f([v]), lambda f, v: f([v, v], axis=1)],
    "take": [
        lambda f, v: f(v, [0]),
        lambda f, v: f(v, range(len(v))),
        lambda f, v: f(v[None], 0, axis=0),
    ],
    "take_along_axis": [
        lambda f, v: f(v, np.argsort(v), 0),
        lambda f, v: f(v, np.argsort(v), axis=None),
    ],
    "tensordot": [
        lambda f, v: f(v, 1.0, 0),
        lambda f, v: f(np.eye(len(v)), v, 1),
        lambda f, v: f(v, v, 0),
    ],
    "tile": [
        lambda f, v: f(v, 1),
        lambda f, v: f(v, ()),
        lambda f, v: f(v, 2),
        lambda f, v: f(v, (1, 1)),
    ],
    "trapezoid": [lambda f, v: f(np.stack([v, v]), axis=0), lambda f, v: f(v)],
    "unwrap": [lambda f, v: f(v.real), lambda f, v: f(v.real[:1])],
    "vander": [lambda f, v: f(v), lambda f, v: f(v, 1), lambda f, v: f(v, 2, increasing=True)],
    "vdot": [lambda f, v: f(v, v)],
    "vecdot": [lambda f, v: f(v[:, None], np.ones((len(v), 1)))],
    "where": [lambda f, v: f(v.real > -9, v, v), lambda f, v: f(True, v, 0), lambda f, v: f(v)],
    "cond": [lambda f, v: f(np.diag(v))],
    "vector_norm": [lambda f, v: f(v[None], axis=0), lambda f, v: f(v[:, None], axis=1)],
    "norm": [
        lambda f, v: f(v[None], axis=0),
        lambda f, v: f(v[:, None], axis=1, ord=1),
        lambda f, v: f(v[None], axis=0, ord=np.inf),
    ],
    "fftfreq": [lambda f, v: f(len(v))],
    "rfftfreq": [lambda f, v: f(len(v))],
    "hanning": [lambda f, v: f(len(v))],
    "hamming": [lambda f, v: f(len(v))],
    "bartlett": [lambda f, v: f(len(v))],
    "blackman": [lambda f, v: f(len(v))],
    "arange": [lambda f, v: f(len(v))],
    "empty": [lambda f, v: f(len(v))],
    "zeros": [lambda f, v: f(len(v))],
    "ones": [lambda f, v: f(len(v))],
    "eye": [lambda f, v: f(len(v))],
    "identity": [lambda f, v: f(len(v))],
    "indices": [lambda f, v: f((len(v),))],
    "tri": [lambda f, v: f(len(v))],
    "tril_indices": [lambda f, v: f(len(v))],
    "triu_indices": [lambda f, v: f(len(v))],
}
for _name in ("amax", "amin", "max", "min", "mean", "sum", "prod", "std", "var"):
    ON_VECTORS[_name] = [
        lambda f, v: f(v[None], axis=0),
        lambda f, v: f(v[:, None], axis=1),
        lambda f, v: f(v, axis=()),
        lambda f, v: f(v[None], axis=0, keepdims=True),
    ]
for _name in (
    "median",
    "nanmedian",
    "nanmax",
    "nanmin",
    "nanmean",
    "nansum",
    "nanprod",
    "nanstd",
    "nanvar",
):
    ON_VECTORS[_name] = [
        lambda f, v: f(v[None], axis=0),
        lambda f, v: f(v[:, None], axis=1),
        lambda f, v: f(v[None], axis=0, keepdims=True),
    ]
for _name in ("nanpercentile", "nanquantile"):
    ON_VECTORS[_name] = ON_VECTORS["quantile"]
for _name in ("argmax", "argmin", "nanargmax", "nanargmin", "argsort"):
    ON_VECTORS[_name] = [lambda f, v: f(v[None], axis=0)]
for _name in ("argwhere", "flatnonzero", "nonzero", "cumprod", "cumsum", "nancumprod", "nancumsum"):
    ON_VECTORS[_name] = [lambda f, v: f(v)]
for _name in ("hstack", "vstack"):
    ON_VECTORS[_name] = [lambda f, v: f([v]), lambda f, v: f([v, v]), lambda f, v: f([v[None]])]
for _name in ("empty_like", "ones_like", "zeros_like", "sinc", "sort_complex"):
    ON_VECTORS[_name] = [lambda f, v: f(v)]
for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    ON_VECTORS[_name] = [lambda f, v: f(v.real), lambda f, v: f(v.real, 1)]
for _name in ("fftshift", "ifftshift"):
    ON_VECTORS[_name] = [lambda f, v: f(v), lambda f, v: f(v, axes=())]

ON_MATRICES = {
    "trace": [lambda f, m: f(m), lambda f, m: f(m[None])],
    "solve": [lambda f, m: f(m, m), lambda f, m: f(m, m[0]), lambda f, m: f(np.eye(len(m)), m[0])],
    "lstsq": [lambda f, m: f(m, m[0], rcond=None), lambda f, m: f(m, m, rcond=None)],
    "qr": [
        lambda f, m: f(m),
        lambda f, m: f(m, mode="r"),
        lambda f, m: f(m, mode="raw"),
        lambda f, m: f(m, mode="complete"),
    ],
    "svd": [
        lambda f, m: f(m),
        lambda f, m: f(m, compute_uv=False),
        lambda f, m: f(m, hermitian=True),
    ],
    "tensorinv": [lambda f, m: f(m, ind=1)],
    "tensorsolve": [lambda f, m: f(m, m[0])],
    "matrix_norm": [lambda f, m: f(m[None])],
}
for _name in ("cholesky", "det", "eigh", "eigvalsh", "inv", "pinv", "slogdet", "svdvals"):
    ON_MATRICES[_name] = [lambda f, m: f(m)]
for _name in ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn"):
    ON_MATRICES[_name] = [
        lambda f, m: f(m),
        lambda f, m: f(m, axes=(0, 1)),
        lambda f, m: f(m, s=(1, 1), axes=(0, 1)),
    ]
for _name in ("tril", "triu"):
    ON_MATRICES[_name] = [lambda f, m: f(m), lambda f, m: f(m, 9), lambda f, m: f(m, -9)]
for _name in ("tril_indices_from", "triu_indices_from", "diag_indices_from"):
    ON_MATRICES[_name] = [lambda f, m: f(m)]


def arrays_in(value):
    """The arrays in a result."""
    if isinstance(value, np.ndarray):
        return [value]
    return [a for part in value for a in arrays_in(part)] if isinstance(value, tuple | list) else []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "fn", sorted(NEW, key=lambda f: (f.__module__ or "", f.__name__)), ids=lambda f: f.__name__
)
def test_every_function_of_the_table(fn):
    """What it gives shares no memory with anything that it was given; vectors are whole blocks."""
    name = fn.__name__
    name = {"amax": "max", "amin": "min"}.get(name, name)
    calls = [(c, v) for c in ON_VECTORS.get(name, ()) for v in V]
    calls += [(c, m) for c in ON_MATRICES.get(name, ()) for m in M]
    assert calls, f"say how {name} is called"
    done = 0
    for call, given in calls:
        try:
            result = call(fn, given)
        except (TypeError, ValueError, np.linalg.LinAlgError):
            continue  # it does not take such numbers
        done += 1
        for array in arrays_in(result):
            assert not np.shares_memory(array, given), name
            assert array.ndim != 1 or array.flags.c_contiguous, name
    assert done >= len(calls) / 3


def equation(fn, shape, dtype, *rest, name="", style="call", **options):
    """An equation of a call on an array."""
    x = Var("x", Type("array", shape, dtype))
    args = (x, *(part if isinstance(part, Var) else Const(part) for part in rest))
    named = tuple((key, Const(value)) for key, value in options.items())
    return Equation((Var("y", Type("array", None, dtype)),), Op(fn, style, name), args, named)


def test_functions_that_may_give_back_what_they_are_given():
    """The table says so where the options or the types make it possible."""
    vector, matrix = ("n",), ("n", "m")
    assert is_fresh(equation(np.array, vector, "f"))
    assert is_fresh(equation(np.array, vector, "f", copy=True))
    assert not is_fresh(equation(np.array, vector, "f", copy=False))
    assert not is_fresh(equation(np.array, vector, "f", copy=None))
    assert not is_fresh(equation(np.nan_to_num, vector, "f", copy=False))
    assert not is_fresh(equation(np.diff, vector, "f", 0))
    assert is_fresh(equation(np.diff, vector, "f", 2))
    assert not is_fresh(equation(np.diff, vector, "f", Var("n", Type("scalar", (), "i"))))
    assert not is_fresh(equation(np.linalg.matrix_power, matrix, "f", 1))
    assert is_fresh(equation(np.diag, vector, "f"))
    assert not is_fresh(equation(np.diag, matrix, "f"))
    assert not is_fresh(equation(np.diag, None, "f"))
    assert not is_fresh(equation(np.ravel, vector, "f", name="ravel", style="method"))
    assert is_fresh(equation(np.ravel, vector, "f", name="flatten", style="method"))
    assert not is_fresh(equation(np.round, vector, "i"))
    assert not is_fresh(equation(np.conjugate, vector, "f", name="conj", style="method"))
    assert not is_fresh(equation(np.clip, vector, "f", out=None))
    for fn in (np.asarray, np.reshape, np.squeeze, np.transpose, np.real, np.broadcast_to, np.flip):
        assert not is_fresh(equation(fn, vector, "f"))
    where = Var("where", Type("array", ("k",), "i"))
    assert is_fresh(equation(operator.getitem, vector, "f", where))
    zero_d = Var("where", Type("array", (), "i"))
    assert not is_fresh(equation(operator.getitem, matrix, "f", zero_d))
    assert not is_fresh(equation(operator.getitem, matrix, "f", 0))
    unknown = Var("where", Type("numeric", None, "?"))
    assert not is_fresh(equation(operator.getitem, matrix, "f", unknown))


@pytest.mark.parametrize("v", V[:6])
def test_the_conditions_of_the_table(v):
    """NumPy does what the conditions of the other functions say."""
    m = np.outer(v, v)
    fresh = [
        np.array(v),
        np.array(v, copy=True),
        np.nan_to_num(v),
        v.astype(v.dtype),
        np.diff(v, 1),
        np.linalg.matrix_power(m, 2),
        np.einsum("i,i->i", v, v),
        np.einsum("i,j->ij", v, [1]),
        np.diag(v),
        v.flatten(),
        np.unique(v),
        v[np.arange(len(v))],
        v[v > -9],
        v[[*range(len(v))]],
        m[0, [*range(len(v))]],
        m[np.arange(len(v)), :],
    ]
    assert not any(np.shares_memory(array, source) for array in fresh for source in (v, m))
    if v.dtype.kind == "f":
        assert not np.shares_memory(np.round(v), v)


def test_functions_of_operators_and_math():
    """All but indexing compute; those that write have their own rules."""
    v = np.arange(3.0)
    plain = [operator.neg, operator.pos, operator.abs, operator.invert]
    for fn in plain[:3]:
        assert not np.shares_memory(fn(v), v)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        assert not np.shares_memory(getattr(operator, name)(v, 1), v)
    assert isinstance(math.sin, types.BuiltinFunctionType)
    assert operator.getitem in CONDITIONAL


def changed_after(x):
    """Return the sum of the squares, but for the first."""
    y = np.array(x, copy=None)
    y[0] = 5.0
    return np.sum(y * x)


def test_an_array_that_need_not_be_a_copy_is_not_written():
    """The argument would change under its own name."""
    with pytest.raises(MutationError):
        grad(changed_after)(np.ones(3))
    with pytest.raises(MutationError):
        jvp(changed_after, (np.ones(3),), (np.ones(3),))
