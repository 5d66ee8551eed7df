"""What ``optimize=`` means wherever it can be said, and that both texts are kept apart."""

import pickle
import runpy

import numpy as np
import pytest

import srcgrad
from srcgrad import cli, differentiate, grad, hvp, jacobian, source
from srcgrad.cache import files
from srcgrad.errors import ArgumentError

X = np.array([0.3, 0.7])


def loss(x, w):
    """A function whose gradient can write into an array again."""
    z = np.exp(x * w) + 1
    return np.sum(z**2 * w)


def field(x, w):
    """A function of arrays whose Jacobian can do so."""
    return np.tanh(x * w) * w


def test_unknown():
    """Other words are refused by name, where they are said."""
    with pytest.raises(ArgumentError, match="optimize='fast' is not known"):
        grad(loss, optimize="fast")
    with pytest.raises(ArgumentError, match="optimize='fast' is not known"):
        source(loss, optimize="fast")


def test_both_at_once():
    """Each has its own text, and the default is the readable one."""
    texts = {}
    for optimize in (None, "readable", "speed"):
        gradient = grad(loss, optimize=optimize)
        gradient(X, X)
        texts[optimize] = source(gradient)
    assert texts[None] == texts["readable"] != texts["speed"]


def test_decorated():
    """A decorated function hands it on to all its derivatives, and an option of their own wins."""
    f, plain = differentiate(loss, optimize="speed"), differentiate(loss)
    for made, expected in ((f.grad, plain.grad), (f.jacobian, plain.jacobian)):
        np.testing.assert_allclose(made(X, X), expected(X, X), rtol=1e-14)
    np.testing.assert_allclose(f.hessian(X, X), plain.hessian(X, X), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(f.hvp(X, X, X), plain.hvp(X, X, X), rtol=1e-13)
    readable = grad(f, optimize="readable")
    readable(X, X)
    assert source(f.grad) != source(plain.grad) == source(readable)
    assert source(plain, optimize="speed", ranks={"x": 1, "w": 1}).startswith("def loss_grad")
    again = pickle.loads(pickle.dumps(grad(loss, optimize="speed")))
    assert again.__srcgrad__.optimize == "speed"


@pytest.mark.parametrize("make", [jacobian, srcgrad.jacfwd, srcgrad.jacrev])
def test_jacobians(make):
    """Jacobians take it by name."""
    expected = make(field)(X, X)
    np.testing.assert_allclose(make(field, optimize="speed")(X, X), expected, rtol=1e-14)


def test_second_derivatives():
    """They are taken of the readable text."""
    expected = hvp(loss)(X, X, X)
    fast = hvp(loss, optimize="speed")
    np.testing.assert_allclose(fast(X, X, X), expected, rtol=1e-14)
    np.testing.assert_allclose(fast(X, X, X), expected, rtol=1e-14)
    twice = grad(lambda x: np.sum(grad(loss, optimize="speed")(x, x) ** 2), optimize="speed")
    plain = grad(lambda x: np.sum(grad(loss)(x, x) ** 2))
    np.testing.assert_allclose(twice(X), plain(X), rtol=1e-13)


def test_saved(tmp_path):
    """A saved module has the text that was asked for."""
    f = grad(loss, optimize="speed")
    expected = f(X, X)
    srcgrad.save(f, tmp_path / "saved.py")
    saved = runpy.run_path(str(tmp_path / "saved.py"))["loss_grad"]
    for _ in range(2):
        np.testing.assert_array_equal(saved(X, X), expected)


def test_on_disk(tmp_path, monkeypatch):
    """What is kept for other processes is kept for each text."""
    monkeypatch.setenv("SRCGRAD_CACHE", "1")
    monkeypatch.setenv("SRCGRAD_DIR", str(tmp_path))
    if not files.is_on():
        pytest.skip("nothing is kept on disk here")
    for optimize in ("readable", "speed", "readable", "speed"):
        gradient = grad(loss, optimize=optimize)
        gradient(X, X)
        assert source(gradient) == source(grad_without_disk(optimize, monkeypatch))


def grad_without_disk(optimize, monkeypatch):
    """Return a gradient that was generated in this process."""
    with monkeypatch.context() as patch:
        patch.setenv("SRCGRAD_CACHE", "0")
        gradient = grad(loss, optimize=optimize)
        gradient(X, X)
    return gradient


def test_command_line(tmp_path, capsys):
    """``--optimize`` says which text is shown and saved."""
    file = tmp_path / "shown.py"
    text = "import numpy as np\n\n\ndef f(x):\n    z = np.exp(x) + 1\n    return np.sum(z**2)\n"
    file.write_text(text)
    place = f"{file}:f"
    shown = []
    for options in ([], ["--optimize", "readable"], ["--optimize", "speed"]):
        assert cli.main(["show", place, "--ranks", "x=1", *options]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert cli.main(["save", place, str(tmp_path / "out.py"), "--optimize", "speed"]) == 0
    with pytest.raises(SystemExit):
        cli.main(["show", place, "--optimize", "fast"])


@pytest.mark.filterwarnings("ignore")
def test_numbers_are_put_together_before_they_meet_an_array():
    """The array is gone through once; one without entries is no error."""

    def misfit(x, y):
        return np.mean((x - y) ** 2) + 3 * np.mean(x * y)

    fast, plain = grad(misfit, optimize="speed"), grad(misfit)
    fast(np.ones(4), np.zeros(4))
    assert "max(x.size, 1)" in source(fast)
    for n in (4, 1, 4, 0):
        x, y = np.linspace(-1, 1, n), np.linspace(0, 2, n)
        np.testing.assert_allclose(fast(x, y), plain(x, y), rtol=1e-13)
    single = fast(np.ones(4, np.float32), np.zeros(4, np.float32))
    assert single.dtype == np.float32
