"""Functions of an array-API namespace are differentiated for NumPy, PyTorch, JAX and Dask."""

import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad.errors import ArgumentError

compat = pytest.importorskip("array_api_compat", reason="array-api-compat is not installed")
from srcgrad import array_api  # noqa: E402
from srcgrad.array_api import Spelled  # noqa: E402

ELEMENTWISE = (
    "abs acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 negative "
    "positive reciprocal sign sin sinh sqrt square tan tanh"
)
EXPRESSIONS = {
    **{name: f"xp.{name}(x)" for name in ELEMENTWISE.split() if name != "reciprocal"},
    "add": "xp.add(x, y)",
    "atan2": "xp.atan2(x, y)",
    "divide": "xp.divide(x, y)",
    "hypot": "xp.hypot(x, y)",
    "logaddexp": "xp.logaddexp(x, y)",
    "maximum": "xp.maximum(x, y)",
    "minimum": "xp.minimum(x, y)",
    "multiply": "xp.multiply(x, y)",
    "pow": "xp.pow(x, y)",
    "subtract": "xp.subtract(x, y)",
    "where": "xp.where(x > y, x * y, x - y)",
    "sum": "xp.sum(x, axis=1)",
    "mean": "xp.mean(x, axis=0)",
    "max": "xp.max(x, axis=0)",
    "prod": "xp.prod(x)",
    "var": "xp.var(x, axis=1)",
    "std": "xp.std(x)",
    "reshape": "xp.reshape(x, (9,))",
    "permute_dims": "xp.permute_dims(x, (1, 0))",
    "matrix_transpose": "xp.matrix_transpose(x) * y",
    "broadcast_to": "xp.broadcast_to(x[0], (4, 3))",
    "expand_dims": "xp.expand_dims(x, axis=0)",
    "stack": "xp.stack((x, y))",
    "flip": "xp.flip(x, axis=0) * y",
    "roll": "xp.roll(x, 1, axis=0) * y",
    "tril": "xp.tril(x)",
    "triu": "xp.triu(x)",
    "matmul": "xp.matmul(x, y)",
    "operator": "(x @ y + x.T) ** 2",
    "tensordot": "xp.tensordot(x, y, axes=2)",
    "inv": "xp.linalg.inv(x)",
    "det": "xp.linalg.det(x)",
    "solve": "xp.linalg.solve(x, y)",
}
# What a library, or this bridge to it, does not take: each is refused by name.
LACKING = {"dask": {"det", "prod"}, "jax": {"broadcast_to", "prod"}, "torch": {"pow", "prod"}}
X = np.array([[0.9, 0.2, 0.3], [0.4, 0.8, 0.1], [0.5, 0.6, 0.7]])
Y = X[::-1] * 0.9 + 0.05


def library(name):
    """Return how to make an array of a library, and how to read one."""
    if name == "numpy":
        return np.asarray, np.asarray
    if name == "dask":
        return pytest.importorskip("dask.array").asarray, np.asarray
    if name == "jax":
        jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
        return jax.numpy.asarray, np.asarray
    torch = pytest.importorskip("torch")
    return lambda a: torch.tensor(np.ascontiguousarray(a)), lambda t: t.numpy()


def written(tmp_path, name):
    """Return a function of a namespace, and the same in NumPy, from a file."""
    text = (
        "from array_api_compat import array_namespace\nimport numpy as xp\n\n\n"
        "def f(x, y):\n    xp = array_namespace(x)\n"
        f"    return xp.sum(({EXPRESSIONS[name]}) ** 2)\n\n\n"
        f"def plain(x, y):\n    return xp.sum(({EXPRESSIONS[name]}) ** 2)\n"
    )
    path = tmp_path / f"of_{name}.py"
    path.write_text(text)
    namespace = {"__name__": f"of_{name}"}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace["f"], namespace["plain"]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_gradient_is_the_same_in_each_library(tmp_path, name):
    """The table of elementwise, reduction, shape and linear-algebra functions."""
    f, plain = written(tmp_path, name)
    x = X + 1.0 if name == "acosh" else X
    wanted = srcgrad.grad(plain)(x, Y)
    derivative = array_api.grad(f)
    done = 0
    for own in ("numpy", "torch", "jax", "dask"):
        try:
            make, read = library(own)
        except pytest.skip.Exception:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                slope = derivative(make(x), make(Y))
            except ArgumentError:
                assert name in LACKING.get(own, ())
                continue
        np.testing.assert_allclose(read(slope), wanted, rtol=1e-6, atol=1e-12)
        done += 1
    assert done


def test_what_a_namespace_lacks_is_refused_by_name():
    """The message names the library and the function."""
    with pytest.raises(ArgumentError, match="numpy has no heap"):
        _ = Spelled(compat.array_namespace(X)).heap
