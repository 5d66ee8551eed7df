"""Comparing derivatives with those of autograd, JAX and PyTorch; a script, not a test.

    python tests/crosscheck/compare.py

It prints the functions whose derivatives differ, with the reason where it is
known, and a table of how many agree. JAX and PyTorch may be missing.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import linecache
from collections.abc import Callable
from typing import Any, ClassVar

import autograd
import autograd.numpy
import numpy as np

from srcgrad.api import vjp

NUMBERS = itertools.count()
RNG = np.random.default_rng(0)
SQUARE = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
DEFINITE = SQUARE @ SQUARE.T
X, Y = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
V, W = RNG.normal(size=5), RNG.normal(size=3)
POSITIVE = np.abs(X) + 0.5
TIED = np.array([1.0, 3.0, 3.0, -1.0])

Case = tuple[str, str, tuple[Any, ...]]

CASES: list[Case] = [
    *(
        (name, f"np.{name}(x)", (POSITIVE,))
        for name in (
            "exp", "expm1", "exp2", "log", "log2", "log10", "log1p", "sqrt", "square",
            "reciprocal", "sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh",
            "abs", "sinc", "degrees", "radians", "sum", "prod", "mean", "var", "std", "max",
            "min", "cumsum", "ravel", "transpose", "flipud", "fliplr", "diff", "sort", "median",
            "nanmean", "nansum", "ptp", "i0", "cbrt", "cumprod",
        )
    ),
    *(
        (name, f"np.{name}(x, y)", (POSITIVE, POSITIVE[::-1]))
        for name in (
            "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "fmax", "fmin",
            "arctan2", "hypot", "logaddexp", "logaddexp2", "mod", "fmod", "copysign",
        )
    ),
    ("abs at 0", "np.abs(x)", (np.zeros(2),)),
    ("max with ties", "np.max(x)", (TIED,)),
    ("maximum with ties", "np.maximum(x, 3.0)", (TIED,)),
    ("clip at its bounds", "np.clip(x, -1.0, 3.0)", (TIED,)),
    ("sort with ties", "np.sort(x) * np.arange(4.0)", (TIED,)),
    ("norm at 0", "np.linalg.norm(x)", (np.zeros(3),)),
    ("std of equal numbers", "np.std(x)", (np.ones(3),)),
    ("prod with a zero", "np.prod(x)", (np.array([2.0, 0.0, 3.0]),)),
    ("sinc near 0", "np.sinc(x)", (np.array([0.0, 1e-9, 1e-3]),)),
    ("dot", "np.dot(x, y.T)", (X, Y)),
    ("inner", "np.inner(x, y)", (X, Y)),
    ("outer", "np.outer(x, y)", (V, W)),
    ("kron", "np.kron(x, y)", (SQUARE, SQUARE)),
    ("cross", "np.cross(x, y)", (SQUARE, SQUARE.T)),
    ("tensordot", "np.tensordot(x, y, axes=([0, 1], [0, 1]))", (X, Y)),
    ("einsum", 'np.einsum("ij,kj->ik", x, y)', (X, Y)),
    ("where", "np.where(x > y, x, y)", (X, Y)),
    ("pad", 'np.pad(x, 1, mode="constant")', (X,)),
    ("pad reflect", 'np.pad(x, 1, mode="reflect")', (X,)),
    ("tile", "np.tile(x, (2, 1))", (X,)),
    ("roll", "np.roll(x, 2)", (X,)),
    ("interp", "np.interp(x, np.arange(3.0), y)", (np.array([0.3, 1.6]), W)),
    ("convolve", "np.convolve(x, y)", (V, W)),
    ("quantile", "np.quantile(x, 0.3, axis=0)", (X,)),
    ("cov", "np.cov(x)", (X,)),
    ("corrcoef", "np.corrcoef(x)", (X,)),
    ("trapezoid", "np.trapezoid(x, dx=0.3)", (X,)),
    ("linspace", "np.linspace(x, y, 5)", (0.3, 2.0)),
    ("vander", "np.vander(x)", (W,)),
    ("inv", "np.linalg.inv(x)", (SQUARE,)),
    ("solve", "np.linalg.solve(x, y)", (SQUARE, W)),
    ("det", "np.linalg.det(x)", (SQUARE,)),
    ("slogdet", "np.linalg.slogdet(x)[1]", (SQUARE,)),
    ("cholesky", "np.linalg.cholesky(x)", (DEFINITE,)),
    ("eigh values", "np.linalg.eigh(x)[0]", (DEFINITE,)),
    ("eigh vectors", "np.linalg.eigh(x)[1] ** 2", (DEFINITE,)),
    ("svd values", "np.linalg.svd(x, compute_uv=False)", (X,)),
    ("svd vectors", "np.linalg.svd(x, full_matrices=False)[0] ** 2", (X,)),
    ("qr", "np.linalg.qr(x)[0] ** 2", (X.T.copy(),)),
    ("pinv", "np.linalg.pinv(x)", (X,)),
    ("norm", "np.linalg.norm(x)", (X,)),
    ("norm nuc", 'np.linalg.norm(x, "nuc")', (X,)),
    ("matrix_power", "np.linalg.matrix_power(x, 3)", (SQUARE,)),
]  # fmt: skip

REASONS = {
    ("clip at its bounds", "JAX"): "JAX splits evenly at a bound; here x passes",
    ("clip at its bounds", "autograd"): "autograd lets nothing pass at a bound; here x passes",
    ("abs at 0", "JAX"): "JAX has the slope 1 at 0; here, as in autograd, it is 0",
    ("fmax", "JAX"): "JAX gives ties to y; here they share evenly, as in maximum",
    ("fmin", "JAX"): "JAX gives ties to y; here they share evenly, as in minimum",
    ("norm at 0", "autograd"): "autograd divides by zero; here the slope is 0",
    ("norm at 0", "JAX"): "JAX divides by zero; here the slope is 0",
    ("std of equal numbers", "JAX"): "JAX divides by zero; here the slope is 0",
    ("std of equal numbers", "autograd"): "autograd divides by zero; here the slope is 0",
    ("prod with a zero", "autograd"): "autograd divides the product by each entry",
    ("eigh vectors", "autograd"): "autograd gives the cotangent of one triangle, not symmetric",
    ("eigh values", "autograd"): "autograd gives the cotangent of one triangle, not symmetric",
    ("sinc near 0", "autograd"): "autograd subtracts numbers that cancel",
    ("sinc near 0", "PyTorch"): "PyTorch subtracts numbers that cancel",
    ("fmax", "PyTorch"): "PyTorch gives ties to x; here they share evenly, as in maximum",
    ("fmin", "PyTorch"): "PyTorch gives ties to x; here they share evenly, as in minimum",
    ("std of equal numbers", "PyTorch"): "PyTorch divides by zero; here the slope is 0",
    ("sinc near 0", "JAX"): "JAX subtracts numbers that cancel",
}


def function_of(module: Any, text: str, count: int) -> Callable[..., Any]:
    """Return a function with an expression as its body, for one library's functions."""
    name = f"<{next(NUMBERS)}: {text}>"
    lines = [f"def f({', '.join('xy'[:count])}):\n", f"    return {text}\n"]
    linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    namespace = {"np": module}
    exec(compile("".join(lines), name, "exec"), namespace)
    return namespace["f"]


def mine(text: str, args: tuple[Any, ...], seed: Any) -> list[Any]:
    """Return srcgrad's cotangents."""
    _, backward = vjp(function_of(np, text, len(args)), *args, wrt=tuple(range(len(args))))
    return list(backward(seed))


def of_autograd(text: str, args: tuple[Any, ...], seed: Any) -> list[Any]:
    """Return autograd's cotangents."""
    f = function_of(autograd.numpy, text, len(args))
    return [autograd.make_vjp(f, k)(*args)[0](seed) for k in range(len(args))]


def of_jax(text: str, args: tuple[Any, ...], seed: Any) -> list[Any]:
    """Return JAX's cotangents, in double precision."""
    import jax

    jax.config.update("jax_enable_x64", True)
    _, backward = jax.vjp(function_of(jax.numpy, text, len(args)), *args)
    return [np.asarray(bar) for bar in backward(jax.numpy.asarray(seed))]


class Torch:
    """PyTorch's functions under NumPy's names.

    A function that PyTorch has not, or has with other arguments, raises.
    """

    NAMES: ClassVar[dict[str, str]] = {
        "power": "pow", "degrees": "rad2deg", "radians": "deg2rad", "mod": "remainder",
    }  # fmt: skip
    OTHERS: ClassVar[dict[str, Callable[..., Any]]] = {
        "var": lambda m, x: m.var(x, correction=0),
        "std": lambda m, x: m.std(x, correction=0),
        "cumsum": lambda m, x: m.cumsum(m.ravel(x), 0),
        "cumprod": lambda m, x: m.cumprod(m.ravel(x), 0),
        "ptp": lambda m, x: m.max(x) - m.min(x),
        "transpose": lambda m, x: x.T,
        "cross": lambda m, x, y: m.linalg.cross(x, y),
        "maximum": lambda m, x, y: m.maximum(x, m.as_tensor(y)),
        "tensordot": lambda m, x, y, axes: m.tensordot(x, y, dims=axes),
        "dot": lambda m, x, y: m.matmul(x, y),
        "svd": lambda m, x, compute_uv=True, full_matrices=True: (
            m.svd(x, full_matrices=full_matrices) if compute_uv else m.svdvals(x)
        ),
    }

    def __init__(self, module: Any) -> None:
        self.module = module
        if hasattr(module, "linalg"):
            self.linalg = Torch(module.linalg)

    def __getattr__(self, name: str) -> Any:
        if name in self.OTHERS:
            return functools.partial(self.OTHERS[name], self.module)
        fn = getattr(self.module, self.NAMES.get(name, name))

        def call(*args: Any, **options: Any) -> Any:
            result = fn(*args, **options)
            return result.values if type(result).__name__ in ("sort", "median") else result

        return call


def of_torch(text: str, args: tuple[Any, ...], seed: Any) -> list[Any]:
    """Return PyTorch's cotangents, in double precision; raise where its value is another."""
    import torch

    torch.set_default_dtype(torch.float64)
    tensors = [torch.tensor(np.array(x, copy=True, order="C"), requires_grad=True) for x in args]
    value = function_of(Torch(torch), text, len(args))(*tensors)
    wanted = function_of(np, text, len(args))(*args)
    if np.shape(value.detach().numpy()) != np.shape(wanted):
        raise ValueError("another result")
    if not np.allclose(value.detach().numpy(), wanted, equal_nan=True):
        raise ValueError("another value")
    bars = torch.autograd.grad(value, tensors, torch.tensor(np.asarray(seed)), allow_unused=True)
    return [
        np.zeros_like(x) if bar is None else bar.numpy() for x, bar in zip(args, bars, strict=True)
    ]


def differs(left: list[Any], right: list[Any]) -> bool:
    """Tell whether cotangents differ by more than rounding."""
    pairs = zip(left, right, strict=True)
    return not all(np.allclose(a, b, rtol=1e-8, atol=1e-10) for a, b in pairs)


def main() -> None:
    """Print what differs, and how much was compared."""
    others = {"autograd": of_autograd}
    if importlib.util.find_spec("jax") is not None:
        others["JAX"] = of_jax
    if importlib.util.find_spec("torch") is not None:
        others["PyTorch"] = of_torch
    counts = {other: dict.fromkeys(("same", "explained", "NOT EXPLAINED"), 0) for other in others}
    for name, text, args in CASES:
        value = function_of(np, text, len(args))(*args)
        seed = np.asarray(np.random.default_rng(1).normal(size=np.shape(value)))[()]
        with np.errstate(all="ignore"):
            own = mine(text, args, seed)
        for other, cotangents in others.items():
            try:
                with np.errstate(all="ignore"):
                    found = cotangents(text, args, seed)
            except Exception as error:  # noqa: BLE001 - it has no such derivative
                print(f"{name}: {other} has none ({type(error).__name__})")
                continue
            if not differs(own, found):
                counts[other]["same"] += 1
            else:
                reason = REASONS.get((name, other), "NOT EXPLAINED")
                counts[other]["explained" if reason != "NOT EXPLAINED" else reason] += 1
                print(f"{name}: {other} differs: {reason}")
                if reason == "NOT EXPLAINED":
                    print("  here:", *own, f"\n  {other}:", *found)
    print(f"{'':10} {'same':>10} {'explained':>10} {'NOT EXPLAINED':>14}")
    for other, row in counts.items():
        print(f"{other:10} {row['same']:10} {row['explained']:10} {row['NOT EXPLAINED']:14}")


if __name__ == "__main__":
    main()
