"""The tools that are compared: each makes a function without arguments of a problem.

What a tool compiles or records once is done in the first call. Arguments are converted before
the clock starts, and what it gives stays in the tool's own arrays until it is compared.
"""

from functools import partial
from types import FunctionType

import numpy as np


def under(function, names):
    """Return a function, and those of its module that it calls, under other names."""
    space = dict(function.__globals__)
    for name, value in space.items():
        if isinstance(value, FunctionType) and value.__module__ == function.__module__:
            space[name] = FunctionType(value.__code__, space, name, value.__defaults__)
    space.update(names)
    return space[function.__name__]


def objective(problem, arguments):
    """Return a call of the function itself."""
    own = arguments[:-1] if problem.kind == "hvp" else arguments
    return partial(problem.function, *own)


def hand(problem, arguments):
    """Return a call of the derivative by hand."""
    return partial(problem.by_hand, *arguments)


def made(problem, **options):
    """Return the derivative that srcgrad makes."""
    import srcgrad

    if problem.kind == "hvp":
        return srcgrad.hvp(problem.function, **options)
    make = srcgrad.jacobian if problem.kind == "jacobian" else srcgrad.grad
    return make(problem.function, wrt=problem.wrt, **options)


def srcgrad(problem, arguments):
    """Return a call of srcgrad's derivative."""
    return partial(made(problem), *arguments)


def speed(problem, arguments):
    """Return a call of srcgrad's derivative, written for speed."""
    return partial(made(problem, optimize="speed"), *arguments)


def numba(problem, arguments):
    """Return a call of srcgrad's derivative, compiled by Numba."""
    from numba import njit

    return partial(made(problem, jit=njit), *arguments)


def hand_numba(problem, arguments):
    """Return a call of the derivative by hand, compiled by Numba."""
    from numba import njit

    space = dict(problem.by_hand.__globals__)
    for name, value in space.items():
        if isinstance(value, FunctionType) and value.__module__ == problem.by_hand.__module__:
            space[name] = njit(FunctionType(value.__code__, space, name, value.__defaults__))
    return partial(space[problem.by_hand.__name__], *arguments)


def autograd(problem, arguments):
    """Return a call of autograd's derivative of the same program."""
    import autograd as tool
    import autograd.numpy as own
    from autograd.scipy.special import erf

    function = under(problem.function, {"np": own, "erf": erf})
    if problem.kind == "hvp":
        return partial(tool.hessian_vector_product(function), *arguments)
    make = tool.jacobian if problem.kind == "jacobian" else tool.grad
    return partial(make(function, problem.wrt), *arguments)


def torch(problem, arguments):
    """Return a call of PyTorch's derivative, eager."""
    import torch as tool
    from tests.benchmarks import in_torch

    tool.set_num_threads(1)
    tool.set_default_dtype(tool.float64)
    wrt = problem.wrt if isinstance(problem.wrt, tuple) else (problem.wrt,)
    names = {"np": in_torch.names, "erf": in_torch.erf}
    function = getattr(in_torch, problem.function.__name__, None)
    function = function or under(problem.function, names)
    given = [
        tool.tensor(v) if isinstance(v, np.ndarray) or k in wrt else v
        for k, v in enumerate(arguments)
    ]
    if problem.kind == "jacobian":
        return partial(tool.func.jacfwd(function, problem.wrt), *given)
    if problem.kind == "hvp":
        *given, vector = given

        def product():
            of_first = tool.func.grad(lambda first: function(first, *given[1:]))
            return tool.func.jvp(of_first, (given[0],), (vector,))[1]

        return product
    leaves = [given[k].requires_grad_() for k in wrt]
    return lambda: tool.autograd.grad(function(*given), leaves)


def jax(problem, arguments):
    """Return a call of JAX's derivative, compiled."""
    import jax as tool
    from jax.scipy.special import erf

    from tests.benchmarks import in_jax

    tool.config.update("jax_enable_x64", True)
    function = getattr(in_jax, problem.function.__name__, None)
    function = function or under(problem.function, {"np": in_jax.np, "erf": erf})
    if problem.kind == "hvp":

        def derivative(first, *others):
            *others, vector = others
            of_first = tool.grad(lambda first: function(first, *others))
            return tool.jvp(of_first, (first,), (vector,))[1]
    else:
        make = tool.jacfwd if problem.kind == "jacobian" else tool.grad
        derivative = make(function, problem.wrt)
    static = [k for k, v in enumerate(arguments) if isinstance(v, int)]
    compiled = tool.jit(derivative, static_argnums=static)
    given = [v if k in static else tool.numpy.asarray(v) for k, v in enumerate(arguments)]
    return lambda: tool.block_until_ready(compiled(*given))


TOOLS = {
    tool.__name__: tool
    for tool in (objective, hand, srcgrad, speed, numba, hand_numba, autograd, torch, jax)
}


def arrays(found):
    """Return what a tool gave as a list of NumPy's arrays."""
    leaves = found if isinstance(found, tuple | list) else (found,)
    return [np.asarray(leaf) for leaf in leaves]


def agree(found, expected):
    """Raise an error unless two derivatives are the same to nine digits."""
    for ours, theirs in zip(arrays(found), arrays(expected), strict=True):
        if ours.shape != theirs.shape:
            raise AssertionError(f"shapes {ours.shape} and {theirs.shape}")
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * np.max(np.abs(theirs)))
