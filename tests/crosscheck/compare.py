"""Comparing derivatives with those of autograd, JAX and PyTorch; a script, not a test.

    python -m tests.crosscheck.compare

It prints the functions whose derivatives differ, with the reason where it is
known, and a table of how many agree. JAX and PyTorch may be missing. None of them
differentiates SciPy's splines, quadrature or solvers, which are compared with
differences alone.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import itertools
import linecache
from collections.abc import Callable
from typing import Any, ClassVar

import autograd
import autograd.numpy
import numpy as np

from srcgrad.calling.api import vjp
from tests.crosscheck.cases import CASES

NUMBERS = itertools.count()
MODULES = ("linalg", "ndimage", "signal", "special", "stats")  # of SciPy
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
    ("linalg.cho_solve", "JAX"): "JAX gives the cotangent of a matrix that is not symmetric",
    ("linalg.cholesky", "JAX"): "JAX gives the cotangent of a matrix that is not symmetric",
    ("cholesky", "autograd"): "autograd spreads the slopes over both triangles",
    **{
        (name, library): f"{library} spreads the slopes over both triangles"
        for name in ("cholesky", "eigh values", "eigh vectors", "linalg.eigvalsh")
        for library in ("JAX", "PyTorch")
    },
    ("pinv of complex numbers", "autograd"): "autograd has the formula for real matrices",
    ("cholesky of complex numbers", "autograd"): "autograd has the formula for real matrices",
    ("sinc near 0", "JAX"): "JAX subtracts numbers that cancel",
    ("unique", "JAX"): "JAX gives zeros",
    ("unique_values", "JAX"): "JAX gives zeros",
    ("concat", "autograd"): "autograd does not know the function, and gives zeros",
    **{
        (name, "autograd"): "autograd does not know the function, and gives zeros"
        for name in ("dstack", "block", "choose", "full_like", "linalg.multi_dot")
    },
    ("nextafter", "PyTorch"): "where x == y, PyTorch gives nothing to x",
    ("det of a singular matrix", "PyTorch"): "PyTorch gives zeros",
}


def function_of(module: Any, text: str, count: int) -> Callable[..., Any]:
    """Return a function with an expression as its body, for one library's functions.

    Args:
        module: what stands for NumPy.
        text: the expression.
        count: how many arguments it has, x and then y.
    """
    name = f"<{next(NUMBERS)}: {text}>"
    lines = [f"def f({', '.join('xy'[:count])}):\n", f"    return {text}\n"]
    linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    namespace = {"np": module, **modules_beside(module)}
    exec(compile("".join(lines), name, "exec"), namespace)
    return namespace["f"]


def modules_beside(module: Any) -> dict[str, Any]:
    """Return what stands for SciPy's modules beside what stands for NumPy, as far as it exists."""
    if isinstance(module, Torch):
        return {"linalg": module.linalg, "special": Torch(module.module.special)}
    package = {"numpy": "", "autograd.numpy": "autograd.", "jax.numpy": "jax."}[module.__name__]
    found = {}
    for name in MODULES:
        with contextlib.suppress(ImportError):
            found[name] = importlib.import_module(f"{package}scipy.{name}")
    return found


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
    # it conjugates cotangents
    bars = torch.autograd.grad(
        value, tensors, torch.tensor(np.conj(np.asarray(seed))), allow_unused=True
    )
    return [
        np.zeros_like(x) if bar is None else np.conj(bar.resolve_conj().numpy())
        for x, bar in zip(args, bars, strict=True)
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
        rng = np.random.default_rng(1)
        seed = rng.normal(size=np.shape(value))
        if np.iscomplexobj(value):
            seed = seed + 1j * rng.normal(size=np.shape(value))
        seed = np.asarray(seed)[()]
        try:
            with np.errstate(all="ignore"):
                own = mine(text, args, seed)
        except Exception as error:  # noqa: BLE001 - the others are compared, too
            print(f"{name}: NONE HERE: {error}")
            continue
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
