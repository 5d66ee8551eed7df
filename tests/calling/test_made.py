"""Derivatives go to other processes: by pickle, multiprocessing, cloudpickle and joblib."""

import copy
import pickle
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest

import srcgrad
from srcgrad import differentiate, grad

X = np.array([1.0, 2.0])

PROGRAM = '''\
import multiprocessing
import sys

import numpy as np

import srcgrad


@srcgrad.differentiate(wrt="x")
def loss(x, k=2.0):
    """A loss."""
    return k * np.sum(x**3)


def plain(x):
    return np.sum(x**2)


def undecorated(x):
    return np.sum(x**4)


named = srcgrad.differentiate(undecorated)


class Model:
    @srcgrad.differentiate(wrt="x")
    def energy(self, x):
        return np.sum(x**5)


def summed(x):
    return srcgrad.grad(plain)(x)[0]


if __name__ == "__main__":
    x = np.array([1.0, 2.0])
    made = [loss, loss.grad, loss.hessian, srcgrad.grad(plain), srcgrad.hessian(plain)]
    made += [srcgrad.grad(summed), named.grad, named, Model().energy.grad]
    expected = [np.round(f(x), 6).tolist() for f in made]
    if sys.argv[1] == "joblib":
        import joblib

        found = joblib.Parallel(n_jobs=2)(joblib.delayed(f)(x) for f in made)
    elif sys.argv[1] == "dask":
        import dask

        tasks = [dask.delayed(f)(x) for f in made]
        found = dask.compute(*tasks, scheduler="processes", num_workers=2)
    else:
        with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
            found = [pool.apply(f, (x,)) for f in made]
    assert [np.round(value, 6).tolist() for value in found] == expected, found
    print("agreed")
'''


@pytest.fixture
def module(monkeypatch):
    """A module that can be imported, with functions."""
    made = types.ModuleType("module_to_pickle")
    exec(compile(_text(), "<module_to_pickle>", "exec"), vars(made))
    monkeypatch.setitem(sys.modules, "module_to_pickle", made)
    return made


def _text():
    import linecache

    text = PROGRAM.split("if __name__")[0]
    lines = text.splitlines(keepends=True)
    linecache.cache["<module_to_pickle>"] = (len(text), None, lines, "<module_to_pickle>")
    return text


def test_of_a_module(module):
    """A decorated function's own derivatives are found by their names."""
    for name in ("grad", "value_and_grad", "hessian", "hvp", "jacobian"):
        made = getattr(module.loss, name)
        assert pickle.loads(pickle.dumps(made)) is made
        assert copy.deepcopy(made) is made
    assert pickle.loads(pickle.dumps(module.loss)) is module.loss


def test_of_functions(module):
    """Derivatives of plain functions keep what they were made with."""
    both = grad(module.loss, ("x", "k"))
    again = pickle.loads(pickle.dumps(both))
    np.testing.assert_allclose(again(X, 2.0)[0], both(X, 2.0)[0])
    hessian = pickle.loads(pickle.dumps(srcgrad.hessian(module.plain)))
    np.testing.assert_allclose(hessian(X), 2 * np.eye(2))
    twice = pickle.loads(pickle.dumps(grad(module.summed)))
    np.testing.assert_allclose(twice(X), [2.0, 0.0])
    aux = pickle.loads(pickle.dumps(grad(_with_aux, has_aux=True)))
    assert aux(3.0) == (6.0, "told")


def _with_aux(x):
    return x * x, "told"


def test_what_comes_back_twice_is_the_same(module):
    """A worker generates code once, whichever number of tasks it gets."""
    data = pickle.dumps(grad(module.plain))
    assert pickle.loads(data) is pickle.loads(data)


def test_methods(module):
    """The derivative of a method goes with its object."""
    made = pickle.loads(pickle.dumps(module.Model().energy.grad))
    np.testing.assert_allclose(made(X), 5 * X**4)


def test_local_functions_are_refused_by_pickle():
    """A local function cannot be pickled, as anywhere in Python."""

    def local(x):
        return x * x

    with pytest.raises((AttributeError, pickle.PicklingError), match="local"):
        pickle.dumps(grad(local))


def test_cloudpickle_of_local_functions():
    """Cloudpickle writes functions out, derivatives of them too."""
    cloudpickle = pytest.importorskip("cloudpickle")
    scale = 3.0

    @differentiate
    def local(x):
        return scale * np.sum(x**3)

    for made in (grad(lambda x: scale * x * x * x), local.grad, local.hessian):
        data = cloudpickle.dumps(made)
        assert isinstance(data, bytes)
    np.testing.assert_allclose(pickle.loads(cloudpickle.dumps(local.grad))(X), 9 * X**2)
    np.testing.assert_allclose(pickle.loads(cloudpickle.dumps(local))(X), 27.0)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("way", ["fork", "spawn", "joblib", "dask"])
def test_in_other_processes(tmp_path, way):
    """Functions of the program itself, decorated or not, run in workers."""
    if way in ("joblib", "dask"):
        pytest.importorskip(way)
    elif way == "fork" and sys.platform == "win32":
        pytest.skip("there is no fork")
    (tmp_path / "program.py").write_text(PROGRAM)
    words = [sys.executable, "program.py", way]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "agreed\n", done.stderr


def test_written_out_and_changed(tmp_path):
    """A function that was written out is found in its file, as long as that holds its text."""
    pytest.importorskip("cloudpickle")
    program = """
        import sys
        import cloudpickle, numpy as np
        from srcgrad import grad

        def loss(x):
            return np.sum(x**3)

        if __name__ == "__main__":
            with open("data.pkl", "wb") as file:
                cloudpickle.dump((loss, lambda x: loss(x) * 2.0), file)
    """
    reader = """
        import pickle, numpy as np
        from srcgrad import grad
        for f in pickle.load(open("data.pkl", "rb")):
            print(grad(f)(np.ones(2)).tolist())
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    (tmp_path / "reader.py").write_text(textwrap.dedent(reader))

    def run(name):
        words = [sys.executable, name]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("program.py").returncode == 0
    assert run("reader.py").stdout == "[3.0, 3.0]\n[6.0, 6.0]\n"
    (tmp_path / "program.py").write_text(textwrap.dedent(program).replace("x**3", "x**2"))
    said = run("reader.py")
    assert said.returncode == 1
    assert "SourceNotFoundError" in said.stderr
    assert "holds other text than it was made from" in said.stderr or "was edited" in said.stderr
