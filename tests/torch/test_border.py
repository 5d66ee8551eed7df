"""NumPy functions inside of PyTorch, and PyTorch's functions inside of NumPy programs."""

import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad.errors import ArgumentError

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import srcgrad.torch


def damped(x, w, power=2):
    """One result, and an option."""
    return np.sin(x) * w**power


def both(x, w):
    """Two results."""
    return x * w, np.sum(x)


def turned(z):
    """A function that is not differentiable in the complex sense."""
    return np.sin(z) * np.conj(z)


def tensor(*shape, dtype=torch.float64):
    """A tensor that requires a gradient."""
    torch.manual_seed(len(shape))
    return torch.randn(shape, dtype=dtype, requires_grad=True)


CASES = {
    "one result": (damped, (0, 1), (tensor(3, 4), tensor(4))),
    "two results": (both, (0, 1), (tensor(3, 4), tensor(4))),
    "complex": (turned, 0, (tensor(3, dtype=torch.complex128),)),
    "strides": (damped, (0, 1), (tensor(4, 3).T[::2], tensor(8)[::2])),
}


@pytest.mark.parametrize("case", CASES)
def test_an_operation_has_right_derivatives(case):
    """PyTorch's own checks pass, at both orders."""
    f, wrt, args = CASES[case]
    operation = srcgrad.torch.function(f, wrt=wrt)
    assert torch.autograd.gradcheck(operation, args)
    assert torch.autograd.gradgradcheck(operation, args)


def test_an_operation_shares_memory_keeps_types_and_is_mapped():
    """float32 stays; the transforms of torch.func go through."""
    operation = srcgrad.torch.function(damped, wrt=("x", "w"))
    x, w = tensor(3, 4).detach(), tensor(4).detach()
    assert operation(x.float(), w.float()).dtype == torch.float32
    mapped = torch.func.vmap(torch.func.grad(lambda row: operation(row, w).sum()))(x)
    assert torch.allclose(mapped, torch.cos(x) * w**2)
    seen = []
    srcgrad.torch.function(lambda x: seen.append(x) or x + 1.0)(x)
    assert np.shares_memory(seen[0], x.numpy())


def test_a_compiler_sees_a_custom_operator():
    """The whole graph is compiled, its backward part too."""
    operation = srcgrad.torch.function(lambda x, w: np.sin(x) * w, wrt=(0, 1))
    x, w = tensor(3, 4), tensor(4)
    compiled = torch.compile(
        lambda x, w: operation(x, w).sum(), backend="aot_eager", fullgraph=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (slope,) = torch.autograd.grad(compiled(x, w), x)
    assert torch.allclose(slope, torch.cos(x) * w)


REFUSED = {
    "argument 0 is no tensor, but float": lambda f, x: f(1.0, x),
    "NumPy has no array for torch.bfloat16": lambda f, x: f(x.to(torch.bfloat16), x),
    "NumPy has no array for torch.sparse_coo": lambda f, x: f(x.to_sparse(), x),
    "argument 2 requires a gradient and is not in wrt": lambda f, x: f(x, x, tensor()),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_cross_is_refused_in_a_line(message):
    """The message names the argument, and what it is."""
    operation = srcgrad.torch.function(damped, wrt=("x", "w"))
    with pytest.raises(ArgumentError, match=message):
        REFUSED[message](operation, tensor(3).detach())


def test_a_module_is_a_formula_with_parameters():
    """Its slopes are PyTorch's, and its second derivatives agree with differences."""
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    module = module.double()
    network = srcgrad.torch.formula(module)
    x = np.random.default_rng(0).normal(size=(5, 3))

    def loss(parameters, x):
        return np.sum(network(x, parameters) ** 2)

    slopes = srcgrad.grad(loss)(network.parameters, x)
    (module(torch.tensor(x)) ** 2).sum().backward()
    for slope, parameter in zip(slopes, module.parameters(), strict=True):
        np.testing.assert_allclose(slope, parameter.grad.numpy())
    srcgrad.check(loss, network.parameters, x, wrt="x", order=2)


def test_what_draws_random_numbers_is_refused():
    """The second run, for the gradient, would draw others."""
    dropout = srcgrad.torch.formula(torch.nn.functional.dropout)
    with pytest.raises(ArgumentError, match="draws random numbers"):
        dropout(np.ones(3))
