"""Functions whose results may be written: they give memory of their own."""

import collections
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
ON_VECTORS = """
all: f(v, axis=()) | f(v > 0, axis=(), keepdims=True)
any: f(v > 0, axis=())
allclose array_equal isclose isin vdot: f(v, v)
append: f(v, 1.0) | f(v, []) | f([], v) | f(v, v, axis=0)
argpartition: f(v, 0)
average: f(v, weights=np.ones(len(v))) | f(v[None], axis=0) | f(v[None], axis=0, keepdims=True)
bincount: f(np.arange(len(v)), v)
block: f(v) | f([v]) | f([[v, v]])
choose: f(np.zeros(len(v), int), [v, v])
clip: f(v, 0, 1) | f(v, None, 100) | f(v, -100, 100)
column_stack: f([v]) | f([v, v]) | f([v[:, None]])
compress: f(np.ones(len(v), bool), v) | f(np.ones(len(v), bool), v, axis=0)
concatenate: f([v]) | f([v, v]) | f([v, v[:0]]) | f([v], axis=None)
convolve: f(v, v) | f(v, [1.0]) | f([1], v, mode='same') | f(v, v, mode='valid')
copy: f(v) | f(v, order='A')
corrcoef: f([v, v[::-1]])
correlate: f(v, v) | f(v, [1.0]) | f([1.0], v, mode='full')
count_nonzero argmax argmin nanargmax nanargmin argsort: f(v[None], axis=0)
cov: f([v, v]) | f(v)
cross: f(np.resize(v, 3), np.resize(v, 3))
cumulative_prod cumulative_sum: f(v) | f(v, include_initial=True)
delete: f(v, []) | f(v, 0) | f(v, slice(0, 0)) | f(v, np.zeros(len(v), bool))
diagflat: f(v) | f(v, 1)
digitize: f(v.real, [0.0, 1.0])
dot: f(v, v) | f(v, 1.0) | f(1.0, v) | f(np.eye(len(v)), v)
dstack: f([v]) | f([v[None, :, None]])
ediff1d: f(v) | f(v, to_begin=v[:1])
extract: f(np.ones(len(v), bool), v)
full: f(len(v), v) | f((2, len(v)), v)
full_like: f(v, v) | f(v, 1.0)
geomspace: f(v, v + 1, 1) | f(v, v + 1, 3)
heaviside: f(v.real, 0.5)
i0: f(v.real)
inner: f(v, 1.0) | f(np.eye(len(v)), v)
insert: f(v, 0, 1.0) | f(v, [], []) | f(v, slice(0, 0), [])
interp: f(v.real, [0.0, 1.0], [0.0, 1.0]) | f([0.5], np.arange(len(v)), v)
kaiser: f(len(v), 1.0)
kron: f(v, v) | f(v, 1.0) | f(1.0, v) | f(v, [1.0])
lexsort: f([v.real, v.real])
linspace: f(v, v + 1, 1) | f(v, v, 3)
logspace: f(v.real, v.real, 1) | f(v.real, v.real, 3)
matmul: f(np.eye(len(v)), v)
outer: f(v, v) | f(v, [1.0]) | f([1.0], v)
packbits: f(v > 0)
pad: f(v, 0) | f(v, 1) | f(v, 1, mode='edge') | f(v, 0, mode='wrap')
pad: f(v, (1, 0), mode='linear_ramp')
partition: f(v, 0) | f(v, 0, axis=None)
percentile: f(v.real, 50, axis=()) if False else f(v.real[None], 50, axis=0)
percentile: f(v.real[None], [50], axis=0)
piecewise: f(v, [v.real > 0.3], [0.0, 1.0]) | f(v, [v.real > -9], [lambda t: t])
polyval: f(v, v) | f([1.0], v) | f([1.0, 0.0], v)
ptp: f(v.real[None], axis=0)
quantile nanpercentile nanquantile: f(v.real[None], 0.5, axis=0)
quantile nanpercentile nanquantile: f(v.real[None], [0.5], axis=0, keepdims=True)
repeat: f(v, 1) | f(v, 2) | f(v, [1] * len(v), axis=0)
roll: f(v, 0) | f(v, 1) | f(v, 0, axis=0) | f(v, (), axis=())
searchsorted: f([0.0, 1.0], v)
select: f([v.real > -9], [v]) | f([np.ones(len(v), bool)], [v], v)
sort: f(v) | f(v, axis=None) | f(np.sort(v))
stack: f([v]) | f([v, v], axis=1)
take: f(v, [0]) | f(v, range(len(v))) | f(v[None], 0, axis=0)
take_along_axis: f(v, np.argsort(v), 0) | f(v, np.argsort(v), axis=None)
tensordot: f(v, 1.0, 0) | f(np.eye(len(v)), v, 1) | f(v, v, 0)
tile: f(v, 1) | f(v, ()) | f(v, 2) | f(v, (1, 1))
trapezoid: f(np.stack([v, v]), axis=0) | f(v)
unwrap: f(v.real) | f(v.real[:1])
vander: f(v) | f(v, 1) | f(v, 2, increasing=True)
vecdot: f(v[:, None], np.ones((len(v), 1)))
where: f(v.real > -9, v, v) | f(True, v, 0) | f(v)
cond: f(np.diag(v))
vector_norm: f(v[None], axis=0) | f(v[:, None], axis=1)
norm: f(v[None], axis=0) | f(v[:, None], axis=1, ord=1) | f(v[None], axis=0, ord=np.inf)
fftfreq rfftfreq hanning hamming bartlett blackman arange: f(len(v))
empty zeros ones eye identity tri tril_indices triu_indices: f(len(v))
indices: f((len(v),))
amax amin max min mean sum prod std var: f(v[None], axis=0) | f(v[:, None], axis=1)
amax amin max min mean sum prod std var: f(v, axis=()) | f(v[None], axis=0, keepdims=True)
median nanmedian nanmax nanmin nanmean nansum nanprod nanstd: f(v[None], axis=0)
median nanmedian nanmax nanmin nanmean nansum nanprod nanstd: f(v[:, None], axis=1)
median nanmedian nanmax nanmin nanmean nansum nanprod nanstd: f(v[None], axis=0, keepdims=True)
nanvar: f(v[None], axis=0) | f(v[:, None], axis=1) | f(v[None], axis=0, keepdims=True)
argwhere flatnonzero nonzero cumprod cumsum nancumprod: f(v)
nancumsum empty_like ones_like zeros_like sinc sort_complex: f(v)
hstack vstack: f([v]) | f([v, v]) | f([v[None]])
fft ifft rfft irfft hfft ihfft: f(v.real) | f(v.real, 1)
fftshift ifftshift: f(v) | f(v, axes=())
"""
ON_MATRICES = """
trace: f(m) | f(m[None])
solve: f(m, m) | f(m, m[0]) | f(np.eye(len(m)), m[0])
lstsq: f(m, m[0], rcond=None) | f(m, m, rcond=None)
qr: f(m) | f(m, mode='r') | f(m, mode='raw') | f(m, mode='complete')
svd: f(m) | f(m, compute_uv=False) | f(m, hermitian=True)
tensorinv: f(m, ind=1)
tensorsolve: f(m, m[0])
matrix_norm: f(m[None])
cholesky det eigh eigvalsh inv pinv slogdet svdvals: f(m)
tril_indices_from triu_indices_from diag_indices_from: f(m)
fft2 ifft2 fftn ifftn rfft2 irfft2 rfftn irfftn: f(m) | f(m, axes=(0, 1))
fft2 ifft2 fftn ifftn rfft2 irfft2 rfftn irfftn: f(m, s=(1, 1), axes=(0, 1))
tril triu: f(m) | f(m, 9) | f(m, -9)
"""


def calls(table, kind):
    """Return the calls of each function of a table, which take it and what stands for ``kind``."""
    found = collections.defaultdict(list)
    for names, _, texts in (line.partition(": ") for line in table.strip().splitlines()):
        made = [eval(f"lambda f, {kind}: {text}") for text in texts.split(" | ")]
        for name in names.split():
            found[name] += made
    return found


CALLS = [(calls(ON_VECTORS, "v"), V), (calls(ON_MATRICES, "m"), M)]


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
    tried = [(call, x) for table, xs in CALLS for call in table.get(name, ()) for x in xs]
    assert tried, f"say how {name} is called"
    done = 0
    for call, given in tried:
        try:
            result = call(fn, given)
        except (TypeError, ValueError, np.linalg.LinAlgError):
            continue  # it does not take such numbers
        done += 1
        for array in arrays_in(result):
            assert not np.shares_memory(array, given), name
            assert array.ndim != 1 or array.flags.c_contiguous, name
    assert done >= len(tried) / 3


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
