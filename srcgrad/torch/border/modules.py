"""Functions and modules of PyTorch as NumPy functions with a formula."""

# PyTorch is an extra: where it is not installed, its names are not known.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import torch
from srcgrad.errors import ArgumentError
from srcgrad.torch.border.outside import registered


def formula(module_or_function: Any) -> Callable[..., Any]:
    """Return a function or module of PyTorch as a function of NumPy arrays, with a formula.

    It can be called in programs that srcgrad differentiates, at any order. The gradient is
    computed by PyTorch, which runs the function once more for it.

    Args:
        module_or_function: a function of tensors that returns one tensor, or a
            ``torch.nn.Module``. It may draw no random numbers: put a module with dropout into
            evaluation mode.

    Returns:
        For a function, one of the same arrays by position. For a module that has parameters, a
        function of its arrays and, as the last argument, the tuple of its parameters; as the
        attribute ``parameters`` it has those of the module, as arrays that share its memory.

    Raises:
        ArgumentError: by the function that is returned, when it draws random numbers or returns
            no tensor.

    Example:
        >>> import numpy as np, torch, srcgrad.torch
        >>> loss = srcgrad.torch.formula(torch.nn.functional.softplus)
        >>> float(srcgrad.grad(lambda x: np.sum(loss(x)))(np.array([0.0]))[0])
        0.5
    """
    if isinstance(module_or_function, torch.nn.Module):
        return _of_module(module_or_function)
    call = registered(_checked(module_or_function), _evaluated, _pulled)

    def in_numpy(*arrays):
        return call(arrays)

    in_numpy.__name__ = getattr(module_or_function, "__name__", "in_numpy")
    return in_numpy


def _of_module(module: torch.nn.Module) -> Callable[..., Any]:
    names = [name for name, _ in module.named_parameters()]
    arrays = tuple(p.detach().cpu().numpy() for p in module.parameters())

    def run(*tensors: torch.Tensor) -> torch.Tensor:
        count = len(tensors) - len(names)
        state = dict(zip(names, tensors[count:], strict=True))
        if torch.is_grad_enabled():  # the second run must not count batches twice
            state |= {name: b.clone() for name, b in module.named_buffers()}
        return torch.func.functional_call(module, state, tensors[:count])

    call = registered(_checked(run), _evaluated, _pulled)

    def with_parameters(*given):
        return call((*given[:-1], *given[-1]))

    def without_parameters(*given):
        return call(given)

    made = with_parameters if names else without_parameters
    made.parameters = arrays  # type: ignore[attr-defined]
    return made


def _checked(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses what would give another derivative than the value."""

    def checked(*tensors: torch.Tensor) -> torch.Tensor:
        before = torch.get_rng_state()
        value = run(*tensors)
        if not isinstance(value, torch.Tensor):
            raise ArgumentError(f"it returns a {type(value).__name__}, and not one tensor")
        if not torch.equal(before, torch.get_rng_state()):
            raise ArgumentError("it draws random numbers; put it into evaluation mode")
        return value

    return checked


def _evaluated(run: Callable[..., torch.Tensor], arrays: tuple[Any, ...]) -> np.ndarray:
    with torch.no_grad():
        value = run(*map(_tensor, arrays))
    return value.detach().resolve_conj().resolve_neg().cpu().numpy()


def _pulled(run: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return the function from arguments and a cotangent to all cotangents, in one vector."""

    def slopes(*given: torch.Tensor) -> torch.Tensor:
        *primal, bar = given
        recorded = torch.is_grad_enabled()
        with torch.enable_grad():
            leaves = [x if x.requires_grad else x.detach() for x in primal]
            moving = [x.requires_grad_() for x in leaves if x.is_floating_point() or x.is_complex()]
            found = torch.autograd.grad(
                run(*leaves), moving, bar.conj(), create_graph=recorded, allow_unused=True
            )
        given_to = {id(x): s for x, s in zip(moving, found, strict=True) if s is not None}
        parts = [given_to.get(id(x), torch.zeros_like(x)).conj().reshape(-1) for x in leaves]
        return torch.cat(parts)

    return slopes


def _tensor(value: Any) -> torch.Tensor:
    array = np.asarray(value)
    if any(s < 0 for s in array.strides) or not array.flags.writeable:
        array = array.copy()
    return torch.from_numpy(array)
