"""Arguments to compare with: what PyTorch's own tests give to its functions.

The functions of PyTorch's table of samples are run forwards, backwards and backwards again, and
what reaches the operations underneath is kept, as arrays of NumPy.
"""

# PyTorch is an extra: where it is not installed, its names are not known.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import itertools
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

import torch

# Other ways to store a tensor, and functions that take long and call nothing of their own.
_LEFT_OUT = ("sparse", "nested", "attention", "lowrank", "conv", "stft", "jiterator")
_LARGEST = 600

Sample = tuple[tuple[Any, ...], dict[str, Any]]


class _Watching(TorchDispatchMode):
    """Keeps the arguments with which operations are called."""

    def __init__(self, found: dict[str, list[Sample]], most: int) -> None:
        super().__init__()
        self.found, self.most = found, most

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kept = self.found[str(func).removeprefix("aten.")]
        if len(kept) < self.most:
            leaves = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
            if all(x.numel() < _LARGEST and x.layout == torch.strided for x in leaves):
                kept.append(tree_map(_arrays, (tuple(args), dict(kwargs or {}))))
        return func(*args, **(kwargs or {}))


def _arrays(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().resolve_conj().resolve_neg().numpy().copy()


def samples(
    dtype: torch.dtype, most: int = 200, names: Callable[[str], bool] = lambda name: True
) -> dict[str, list[Sample]]:
    """Return arguments of operations, by name and overload as ``add.Tensor``.

    Args:
        dtype: of the tensors that the functions are called with.
        most: how many are kept of one operation.
        names: tells which functions of PyTorch's table are run.

    Raises:
        ImportError: without ``expecttest``, which PyTorch's table of samples imports.
    """
    from torch.testing._internal.common_methods_invocations import op_db

    found: dict[str, list[Sample]] = defaultdict(list)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for function in op_db:
            if not any(word in function.name for word in _LEFT_OUT) and names(function.name):
                if dtype in function.dtypes:
                    _run(function, dtype, found, most)
    return found


def _run(function: Any, dtype: torch.dtype, found: dict[str, list[Sample]], most: int) -> None:
    taken = itertools.islice(_samples_of(function, dtype), 12)
    for sample in taken:
        try:
            with _Watching(found, most):
                _both_ways(function, sample)
        except Exception:  # noqa: BLE001 - some functions refuse some samples, each in its way
            continue


def _samples_of(function: Any, dtype: torch.dtype) -> Iterator[Any]:
    try:
        for sample in itertools.islice(
            function.sample_inputs("cpu", dtype, requires_grad=True), 60
        ):
            leaves = tree_leaves((sample.input, sample.args, sample.kwargs))
            if sum(x.numel() for x in leaves if isinstance(x, torch.Tensor)) < 600:
                yield sample
    except Exception:  # noqa: BLE001 - as above
        return


def _both_ways(function: Any, sample: Any) -> None:
    out = function.get_op()(sample.input, *sample.args, **sample.kwargs)
    outs = [x for x in tree_leaves(out) if isinstance(x, torch.Tensor) and x.requires_grad]
    leaves = tree_leaves((sample.input, sample.args, sample.kwargs))
    ins = [x for x in leaves if isinstance(x, torch.Tensor) and x.requires_grad]
    if not outs or not ins:
        return
    cotangents = [torch.randn_like(x).requires_grad_() for x in outs]
    slopes = torch.autograd.grad(outs, ins, cotangents, create_graph=True, allow_unused=True)
    slopes = [x for x in slopes if x is not None and x.requires_grad]
    if slopes:
        seeds = [torch.randn_like(x) for x in slopes]
        torch.autograd.grad(slopes, [*ins, *cotangents], seeds, allow_unused=True)


def made_samples(dtype: torch.dtype) -> dict[str, list[Sample]]:
    """Return arguments for operations that PyTorch's table of samples does not reach."""
    rng = np.random.default_rng(1)

    def x(*shape: int) -> Any:
        value = rng.uniform(0.2, 0.8, shape)
        if dtype.is_complex:
            value = value + 1j * rng.uniform(0.2, 0.8, shape)
        return value

    signed = rng.normal(size=(2, 3)) + (1j * rng.normal(size=(2, 3)) if dtype.is_complex else 0)
    index = [np.array([0, 1, 1]), None]
    plain = {name: [(a,)] for name in _UNARY.split() for a in (x(2, 3),)}
    plain |= {name: [(signed,)] for name in _UNARY_SIGNED.split()}
    plain["acosh"] = [(1 + x(2, 3),)]
    plain |= {
        "affine_grid_generator": [(x(1, 2, 3), [1, 1, 2, 3], flag) for flag in (True, False)],
        "matmul": [(x(2, 3), x(3, 2)), (x(4, 2, 3), x(3)), (x(3), x(3)), (x(3), x(2, 3, 2))],
        "clamp_max": [(x(2, 3), 0.5)],
        "clamp_min": [(x(2, 3), 0.5)],
        "complex": [(np.real(x(2, 3)), np.real(x(2, 3)))],
        "polar": [(np.real(x(2, 3)), np.real(x(2, 3)))],
        "div.Scalar_mode": [(x(2, 3), 0.7)],
        "div.Tensor_mode": [(x(2, 3), x(3))],
        "fill.Tensor": [(x(2, 3), x())],
        "_unsafe_index.Tensor": [(x(2, 3), index)],
        "_unsafe_index_put": [(x(2, 3), index, x(3, 3), True)],
        "xlogy.Scalar_Self": [(0.7, x(2, 3))],
        "xlogy.Scalar_Other": [(x(2, 3), 0.7)],
        "special_xlog1py.self_scalar": [(0.7, x(2, 3))],
        "special_xlog1py.other_scalar": [(x(2, 3), 0.7)],
        "special_zeta.self_scalar": [(2.5, x(2, 3))],
        "norm.Scalar": [(signed, 2), (signed, 1.5)],
        "norm.ScalarOpt_dtype": [(signed, 2)],
        "norm.ScalarOpt_dim_dtype": [(signed, 1.5, [1], False)],
        "_euclidean_dist": [(x(2, 3), x(4, 3))],
        "_reshape_alias": [(x(2, 3), [3, 2], [2, 1])],
        "_reshape_copy": [(x(2, 3), [3, 2])],
        "slice_inverse": [(x(2, 2), x(2, 3), 1, 0, 2, 1)],
        "slice_scatter": [(x(2, 3), x(2, 2), 1, 0, 2, 1)],
        "unsafe_split_with_sizes": [(x(5, 2), [2, 3])],
        "_weight_norm_interface": [(x(2, 3), x(2, 1))],
        "channel_shuffle": [(x(1, 6, 2, 2), 3)],
        "linear": [(x(4, 3), x(2, 3), x(2)), (x(2, 4, 3), x(2, 3))],
        "im2col": [(x(1, 2, 4, 5), [2, 3], [1, 1], [1, 0], [1, 2])],
        "col2im": [(x(1, 12, 10), [4, 5], [2, 3], [1, 1], [1, 0], [1, 2])],
        "rsub.Scalar": [(x(2, 3), 0.7, 2)],
        "nansum": [(x(2, 3), [1])],
        "view_as_complex": [(np.real(x(3, 2)),)],
    }
    kwargs = {
        "norm.ScalarOpt_dtype": {"dtype": dtype},
        "norm.ScalarOpt_dim_dtype": {"dtype": dtype},
    }
    kwargs |= {name: {"rounding_mode": None} for name in ("div.Scalar_mode", "div.Tensor_mode")}
    return {
        name if "." in name else f"{name}.default": [(tuple(a), kwargs.get(name, {})) for a in rows]
        for name, rows in plain.items()
    }


_UNARY = (
    "asin acos atanh erfinv expm1 log1p tan atan sin cos exp log sqrt rsqrt digamma lgamma "
    "special_ndtri special_log_ndtr sinc log2 log10 exp2 sigmoid tanh reciprocal sinh cosh"
)
_UNARY_SIGNED = (
    "angle asinh ceil _lazy_clone _neg_view deg2rad rad2deg frac round sign trunc lift alias "
    "_conj_physical"
)
