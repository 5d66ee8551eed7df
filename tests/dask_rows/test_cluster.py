"""Derivatives over rows on a cluster of processes that cannot import srcgrad."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("distributed")

PROGRAM = """
import json
import sys

import numpy as np


def loss(w, x, y):
    return np.mean(np.logaddexp(0.0, -y * (x @ w)))


def residuals(w, x, y):
    return np.tanh(x @ w) - y


def can_import():
    try:
        import srcgrad
    except ImportError:
        return False
    return True


def main():
    import dask.array as da
    from dask.distributed import Client, LocalCluster, progress

    import srcgrad
    from srcgrad.dask import hvp, jacobian, value_and_grad

    sys.path.insert(0, sys.argv[1])  # where srcgrad is a file that cannot be imported
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(400, 3)), rng.normal(size=3)
    Y = np.sign(X[:, 0])
    rows = {"x": da.from_array(X, chunks=(150, 3)), "y": da.from_array(Y, chunks=150)}
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        found = {"imports": any(client.run(can_import).values())}
        both = value_and_grad(loss, rows=("x", "y"))
        value, bar = both(W, **rows)
        wanted, expected = srcgrad.value_and_grad(loss)(W, X, Y)
        found["value"] = abs(value - wanted)
        found["gradient"] = np.max(np.abs(bar - expected))
        product = hvp(loss, rows=("x", "y"))(W, W, **rows)
        found["product"] = np.max(np.abs(product - srcgrad.hvp(loss)(W, X, Y, W)))
        matrix = jacobian(residuals, rows=("x", "y"))(W, **rows)
        found["jacobian"] = np.max(np.abs(matrix - srcgrad.jacobian(residuals)(W, X, Y)))
        future = client.compute(both.delayed(W, **rows))
        progress(future, notebook=False)
        found["delayed"] = np.max(np.abs(future.result()[1] - bar))
        broken = {"x": rows["x"], "y": rows["y"].map_blocks(lambda b: b[: len(b) - 1])}
        try:
            both(W, **broken)
        except ValueError as error:
            found["words"] = str(error)
    print(json.dumps(found, default=float))


if __name__ == "__main__":
    main()
"""


def test_workers_without_srcgrad(tmp_path):
    """They compute values, gradients, products and Jacobians, and say what does not fit."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "srcgrad.py").write_text("raise ImportError('it is not installed here')\n")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    words = [sys.executable, str(program), str(other)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert "different numbers of rows" in found.pop("words")
    assert found.pop("imports") is False
    assert set(found) == {"value", "gradient", "product", "jacobian", "delayed"}
    assert max(found.values()) < 1e-14
    assert found["delayed"] == 0
