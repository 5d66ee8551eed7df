"""Arrays that refuse what arrays on a GPU refuse, for tests without one.

A ``StrictArray`` holds a NumPy array, and lets nobody see it: functions reach it
through NumPy's protocols only, as they reach CuPy's arrays. What CuPy refuses is
refused here: to turn an array into a NumPy array, to mix it with one, to call a
function or an option that CuPy does not have. It has the memory that CuPy's have: a view knows
its base, and all that share an allocation have the same ``data.mem``. In addition,
``hidden_double`` tells which functions made double precision of arrays in single precision, and
``transfers`` how often a number was asked for, which waits for a GPU and copies from it.
"""

from __future__ import annotations

import contextlib
import functools
import types
import weakref
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from srcgrad.program.foreign import means_the_same

# What CuPy 14.2 does not have, of what NumPy 2.4 has
MISSING = {
    "numpy": """
        asmatrix block bmat busday_count busday_offset einsum_path frompyfunc geomspace
        histogram_bin_edges insert is_busday isnat matvec nanpercentile nanquantile polyder
        polydiv polyint spacing unstack vecdot vecmat
    """.split(),
    "numpy.linalg": """
        diagonal matrix_norm multi_dot outer svdvals tensordot trace vecdot vector_norm
    """.split(),
}
# Which ufuncs of scipy.special CuPy 14.2 has
IN_CUPYX = frozenset(
    """
    bdtr bdtrc bdtri beta betainc betaincinv betaln binom boxcox boxcox1p btdtr btdtri cbrt chdtr
    chdtrc chdtri cosdg cosm1 cotdg digamma ellipeinc ellipj ellipk ellipkinc ellipkm1 entr erf
    erfc erfcinv erfcx erfinv exp1 exp10 exp2 expi expit expm1 expn exprel fdtr fdtrc fdtri gamma
    gammainc gammaincc gammainccinv gammaincinv gammaln gammasgn gdtr gdtrc huber i0 i0e i1 i1e
    inv_boxcox inv_boxcox1p j0 j1 k0 k0e k1 k1e kl_div lambertw log1p log_expit log_ndtr loggamma
    logit lpmv nbdtr nbdtrc nbdtri ndtr ndtri pdtr pdtrc pdtri poch pseudo_huber psi radian
    rel_entr rgamma shichi sici sindg tandg wright_bessel xlog1py xlogy y0 y1 yn zetac
    """.split()
)
MISSING_OPTIONS = {
    **dict.fromkeys(
        "all any amax amin max min mean nanmax nanmean nanmin nanprod nanstd nansum nanvar prod "
        "std sum var".split(),
        "initial where mean correction".split(),
    ),
    "argsort": ["order", "stable"],
    "cholesky": ["upper"],
    "clip": ["min", "max"],
    "einsum": ["casting"],
    "eye": ["device"],
    "concatenate": ["arrays"],
    "delete": ["obj"],
    "fix": ["where"],
    "flip": ["m"],
    "insert": ["obj"],
    "lexsort": ["axis"],
    "partition": ["kind", "order"],
    "percentile": ["weights"],
    "pinv": ["hermitian", "rtol"],
    "quantile": ["weights"],
    "reshape": ["shape"],
    "rot90": ["m"],
    "sort": ["order", "stable"],
    "stack": ["arrays"],
    "svd": ["hermitian"],
    "take": ["mode"],
    "take_along_axis": ["arr"],
    "trim_zeros": ["axis"],
    "unique": ["sorted"],
}
REDUCING = {
    "reduce": ["add", "multiply"],
    "accumulate": ["add", "multiply"],
    "reduceat": ["add"],
    "at": ["add", "subtract", "maximum", "minimum"],
}
METHODS = frozenset(
    "all any argmax argmin argsort astype clip copy cumprod cumsum diagonal dot fill flatten "
    "item max mean min nonzero prod ravel repeat reshape round searchsorted sort squeeze std sum "
    "swapaxes take tolist trace transpose var view".split()
)


class _Memory:
    """An allocation: the NumPy array that owns it, and the strict array around that."""

    def __init__(self, block: Any) -> None:
        self.block = block
        self.owner: Any = lambda: None


class _Pointer:
    """An address in an allocation."""

    def __init__(self, mem: _Memory, ptr: int) -> None:
        self.mem = mem
        self.ptr = ptr

    def __add__(self, offset: int) -> _Pointer:
        return _Pointer(self.mem, self.ptr + offset)


class _Flags:
    """What CuPy tells of the layout of an array; its arrays can always be written."""

    def __init__(self, array: Any) -> None:
        self.c_contiguous = array.held.flags.c_contiguous
        self.f_contiguous = array.held.flags.f_contiguous
        self.owndata = array.base is None


_memories: weakref.WeakValueDictionary[int, _Memory] = weakref.WeakValueDictionary()


def _memory_of(held: Any) -> _Memory:
    while isinstance(held.base, np.ndarray):
        held = held.base
    return _memories.setdefault(id(held), _Memory(held))


def _address(held: Any) -> int:
    return held.__array_interface__["data"][0]


_found: list[str] = []
_asked: list[str] = []
_fusing: list[str] = []
_kernels: list[str] = []


class NotInCupyError(TypeError):
    """A function, or an option of one, that CuPy does not have."""


@means_the_same
class StrictArray(NDArrayOperatorsMixin):
    """An array that only functions of its own library can look into.

    Attributes:
        held: the NumPy array, for the test alone.
        base: the array that owns the memory of a view; None for one that was made of an address.
    """

    __module__ = "cupy"  # to those who ask, it comes from there

    def __init__(
        self, held: Any, dtype: Any = None, memptr: Any = None, strides: Any = None
    ) -> None:
        self.base = None
        if memptr is not None:  # as CuPy's class is called: with a shape and an address
            block = memptr.mem.block.reshape(-1, order="A").view(np.uint8)
            shift = memptr.ptr - _address(block)
            self.held = np.ndarray(held, dtype, block, shift, strides)
            self._memory = memptr.mem
            return
        self.held = held
        self._memory = _memory_of(held)
        if held is not self._memory.block:
            owner = self._memory.owner()
            self.base = StrictArray(self._memory.block) if owner is None else owner
        elif self._memory.owner() is None:
            self._memory.owner = weakref.ref(self)

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise TypeError("implicit conversion to a NumPy array")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = ufunc.__name__
        known = getattr(np, name, None) is ufunc and name not in MISSING["numpy"]
        if not (known or name in IN_CUPYX) or name not in REDUCING.get(method, [name]):
            raise NotInCupyError(f"CuPy has no {name}.{method}")
        if method == "reduceat" and not isinstance(inputs[1], StrictArray):
            raise NotInCupyError(f"{name}.reduceat of CuPy takes places on the device")
        if method == "at" and (isinstance(inputs[1], tuple) or self.dtype.kind not in "iuf"):
            raise NotInCupyError(f"{name}.at of CuPy takes no tuple and no complex numbers")
        return _run(f"{name}.{method}", getattr(ufunc, method), inputs, options)

    def __array_function__(self, fn: Any, types: Any, args: Any, options: Any) -> Any:
        name = fn.__name__
        if name in MISSING.get(fn.__module__, []):
            raise NotInCupyError(f"CuPy has no {fn.__module__}.{name}")
        if name == "take_along_axis" and len(args) < 3 and "axis" not in options:
            raise NotInCupyError("take_along_axis of CuPy needs an axis")
        if name in ("where", "choose") and isinstance(args[0], bool | int):
            raise NotInCupyError(f"{name} of CuPy takes what chooses on the device")
        if name == "pad" and list(_leaves([v for k, v in options.items() if k != "mode"])):
            raise NotInCupyError("pad of CuPy takes numbers on the host")
        if name == "select" and not all(isinstance(x, StrictArray) for x in args[1]):
            raise NotInCupyError("select of CuPy takes arrays only")
        if name == "asarray" and not list(_leaves(args)):  # numbers of the host are copied there
            return StrictArray(np.array(args[0]))
        if name.endswith("_like") and options.get("shape", 0) == ():
            raise NotInCupyError(f"{name} of CuPy takes shape=() for none")
        if lacking := [k for k in options if k in MISSING_OPTIONS.get(name, [])]:
            raise NotInCupyError(f"{name} of CuPy has no option {lacking}")
        return _run(name, fn, args, options)

    def __getattr__(self, name: str) -> Any:
        if name in METHODS:
            if name in ("item", "tolist"):
                _asked.append(name)
            return _Method(self, name)
        raise AttributeError(name)

    def __getitem__(self, index: Any) -> Any:
        found = self.held[_unwrapped(index)]
        if isinstance(found, np.generic):  # a view of one element, as CuPy gives
            entries = _unwrapped(index if isinstance(index, tuple) else (index,))
            found = self.held[(*entries, ...)]
        return _wrapped(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.held[_unwrapped(index)] = _unwrapped(value)

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def __len__(self) -> int:
        return len(self.held)

    def __bool__(self) -> bool:
        return bool(_only(self, "bool"))

    def __int__(self) -> int:
        return int(_only(self, "int"))

    def __index__(self) -> int:
        return _only(self, "index").__index__()

    def __float__(self) -> float:
        if self.dtype.kind == "c":  # NumPy would warn, and drop a part
            raise TypeError("a complex number meets a NumPy array")
        return float(_only(self, "float"))

    def __complex__(self) -> complex:
        return complex(_only(self, "complex"))

    def __repr__(self) -> str:
        return f"StrictArray({self.held!r})"

    shape = property(
        lambda self: self.held.shape, lambda self, shape: setattr(self.held, "shape", shape)
    )
    ndim = property(lambda self: self.held.ndim)
    size = property(lambda self: self.held.size)
    dtype = property(lambda self: self.held.dtype)
    flags = property(_Flags)
    data = property(lambda self: _Pointer(self._memory, _address(self.held)))
    itemsize = property(lambda self: self.held.itemsize)
    strides = property(lambda self: self.held.strides)
    nbytes = property(lambda self: self.held.nbytes)
    T = property(lambda self: StrictArray(self.held.T))
    real = property(
        lambda self: StrictArray(self.held.real),
        lambda self, value: setattr(self.held, "real", _unwrapped(value)),
    )
    imag = property(
        lambda self: StrictArray(self.held.imag),
        lambda self, value: setattr(self.held, "imag", _unwrapped(value)),
    )


class _Method:
    """A method of a strict array."""

    __module__ = "cupy"

    def __init__(self, owner: StrictArray, name: str) -> None:
        self.__self__ = owner
        self.__name__ = name

    def __call__(self, *args: Any, **options: Any) -> Any:
        method = getattr(self.__self__.held, self.__name__)
        return _run(self.__name__, method, args, options, self.__self__)


def _by_itself(name: str) -> Any:
    """Return an operator that refuses an operand which NumPy's arrays would leave it to."""
    plainly = getattr(NDArrayOperatorsMixin, name)

    def operator(self: StrictArray, other: Any) -> Any:
        own = isinstance(other, StrictArray | np.ndarray | np.generic)
        if not own and getattr(other, "__array_ufunc__", None) is not None:
            raise TypeError(f"Unsupported type {type(other)}")
        return plainly(self, other)

    return operator


for _operator in ("add", "sub", "mul", "truediv", "pow", "matmul"):
    setattr(StrictArray, f"__{_operator}__", _by_itself(f"__{_operator}__"))


def strict(tree: Any) -> Any:
    """Return a tree of tuples and lists with its NumPy arrays as strict ones."""
    if isinstance(tree, tuple | list):
        return type(tree)(strict(part) for part in tree)
    return StrictArray(tree) if isinstance(tree, np.ndarray) else tree


def plain(tree: Any) -> Any:
    """Return a tree of tuples and lists with its strict arrays as NumPy's."""
    if isinstance(tree, tuple | list):
        return type(tree)(plain(part) for part in tree)
    return tree.held if isinstance(tree, StrictArray) else tree


def hidden_double() -> list[str]:
    """Return which functions gave double precision for single, and forget them."""
    found = list(dict.fromkeys(_found))
    _found.clear()
    return found


def transfers() -> list[str]:
    """Return by which ways numbers were asked for, and forget them."""
    found = list(_asked)
    _asked.clear()
    return found


def _run(name: str, fn: Any, args: Any, options: Any, owner: Any = None) -> Any:
    ufunc = getattr(np, name.partition(".")[0], None)
    if _fusing and (
        name.partition(".")[2] not in ("", "__call__")
        or (not isinstance(ufunc, np.ufunc) and name != "where")
    ):
        raise NotInCupyError(f"{name} in a fused function")
    if _fusing:
        _require_exact(name, args)
    inputs = list(_leaves((owner, args, options)))
    found = fn(*_unwrapped(args), **_unwrapped(options))
    result = next((x for x in inputs if x.held is found), None)
    result = _wrapped(found) if result is None else result
    wanted = name == "astype" or options.get("dtype") is not None
    if not wanted and any(x.dtype in (np.float32, np.complex64) for x in inputs):
        if any(z.dtype in (np.float64, np.complex128) for z in _leaves(result)):
            _found.append(name)
    return result


def _require_exact(name: str, args: Any) -> None:
    """Refuse what CuPy computes in another precision in a fused function than outside of it.

    A number meets arrays there as one of the smallest type that holds it: with two of
    them, or beside an array of booleans, that is half precision.
    """
    label = name.partition(".")[0]
    real = [x for x in args if isinstance(x, StrictArray) and x.dtype.kind in "fc"]
    numbers = [x for x in args if isinstance(x, _Number) or not isinstance(x, StrictArray)]
    if label == "where":
        numbers, real = [x for x in numbers if x is not args[0]], [x for x in real[-2:]]
    if numbers and not real:
        raise NotInCupyError(f"{label} of a number in a fused function")
    if label == "power" and not isinstance(args[0], StrictArray):
        raise NotInCupyError("a power of a number in a fused function")


def _leaves(tree: Any) -> Any:
    if isinstance(tree, tuple | list):
        for part in tree:
            yield from _leaves(part)
    elif isinstance(tree, dict):
        yield from _leaves(list(tree.values()))
    elif isinstance(tree, StrictArray):
        yield tree


def _unwrapped(value: Any) -> Any:
    if isinstance(value, StrictArray | _Number):
        return value.held
    if isinstance(value, np.ndarray):
        raise TypeError("a NumPy array meets a strict one")
    if isinstance(value, tuple | list):
        return type(value)(_unwrapped(part) for part in value)
    if isinstance(value, dict):
        return {key: _unwrapped(part) for key, part in value.items()}
    return value


def _wrapped(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = np.asarray(value)
        if value.base is not None and not value.flags.writeable:
            with contextlib.suppress(ValueError):  # CuPy's can be written, broadcast ones, too
                value.flags.writeable = True
        return StrictArray(value)
    if isinstance(value, tuple | list):
        parts = [_wrapped(part) for part in value]
        return value._make(parts) if hasattr(value, "_make") else type(value)(parts)
    return value


def _only(x: StrictArray, way: str) -> Any:
    _asked.append(way)
    if x.size != 1:
        raise TypeError("only an array with one element can be turned into a number")
    return x.held.reshape(())[()]


def strict_module() -> types.ModuleType:
    """Return a module like CuPy: NumPy's functions under their names, on strict arrays only."""
    made = _module_like(np, "cupy")
    for name in ("linalg", "fft"):
        setattr(made, name, _module_like(getattr(np, name), f"cupy.{name}"))
    made.fuse = fuse
    return made


class _Number:
    """A number in a fused function: CuPy computes with two of them in half precision."""

    def __init__(self, held: Any) -> None:
        self.held = held


class Fusion:
    """A function that is computed entry by entry, as one kernel: what CuPy's ``fuse`` gives.

    Attributes:
        func: the function.
        name: what the kernel is called.
    """

    def __init__(self, func: Any, name: str) -> None:
        self.func, self.name = func, name
        functools.update_wrapper(self, func)

    def __call__(self, *given: Any) -> Any:
        for each in given:
            if not isinstance(each, StrictArray | int | float | complex | np.generic):
                raise TypeError(f"a fused function is given a {type(each).__name__}")
        _fusing.append(self.name)
        try:
            found = self.func(*(x if isinstance(x, StrictArray) else _Number(x) for x in given))
        finally:
            _fusing.pop()
        _kernels.append(self.name)
        return found


def fuse(*args: Any, **options: Any) -> Any:
    """Return what makes one kernel of a function, for arrays and numbers, entry by entry."""
    return lambda function: Fusion(function, function.__name__)


def kernels() -> list[str]:
    """Return which fused functions were called, and forget them."""
    found = list(_kernels)
    _kernels.clear()
    return found


def _module_like(module: Any, name: str) -> types.ModuleType:
    made = types.ModuleType(name)
    for label, thing in vars(module).items():
        if isinstance(thing, type | float | None):
            setattr(made, label, thing)
        elif callable(thing) and label not in MISSING.get(module.__name__, []):
            setattr(made, label, _function_like(thing, label, name))
    return made


def _function_like(fn: Any, name: str, module: str) -> Any:
    def call(*args: Any, **options: Any) -> Any:
        return _run(name, fn, args, options)

    space = {**globals(), "__name__": module}  # which says where it was defined
    return types.FunctionType(call.__code__, space, name, None, call.__closure__)
