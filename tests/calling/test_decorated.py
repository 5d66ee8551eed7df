"""What a decorated function has: derivatives of every kind, their text and their help."""

import inspect
import pydoc

import numpy as np
import pytest

import srcgrad
from srcgrad import differentiate, grad, source
from srcgrad.errors import ArgumentError, CheckFailedError

X, Y = np.array([1.0, 2.0]), np.array([3.0, 4.0])


@differentiate
def loss(x, y, *, power: float = 3.0):
    """Return a sum of powers."""
    return np.sum(x**power * y)


@differentiate(wrt=("x", "y"))
def both(x, y):
    """Return a sum, differentiated by both."""
    return np.sum(x**3 * y)


class Model:
    scale = 2.0

    @differentiate(wrt="x")
    def energy(self, x):
        """Return the energy."""
        return self.scale * np.sum(x**3)


def plain(x, y):
    """Return a weighed sum."""
    return np.sum(x**3) * y


def outer(x, y):
    """Return a matrix."""
    return np.outer(x, y)


def with_default(x, y=2.0, *, k=1.5):
    """Return a sum with options."""
    return k * np.sum(x**3) * y


def with_names(rows, shape, X=1.0):
    """Return a sum; its arguments have the names that a loop would give."""
    return np.sum(rows**3 * shape) * X


def test_derivatives_of_a_decorated_function():
    """Hessian, products and Jacobians stand beside the gradient, by the same names."""
    np.testing.assert_allclose(loss.hessian(X, Y), np.diag(6 * X * Y))
    np.testing.assert_allclose(loss.hvp(X, Y, np.ones(2)), 6 * X * Y)
    np.testing.assert_allclose(loss.jacobian(X, Y), loss.grad(X, Y))
    np.testing.assert_allclose(loss.hessian(X, Y, power=2.0), np.diag(2 * Y))
    assert loss.hessian is loss.hessian
    loss.check(X, Y)


def test_they_follow_wrt():
    """A tuple gives tuples, as decorated."""
    (xx, xy), (yx, yy) = both.hessian(X, Y)
    np.testing.assert_allclose(xx, np.diag(6 * X * Y))
    np.testing.assert_allclose(xy, np.diag(3 * X**2))
    np.testing.assert_allclose(yx, np.diag(3 * X**2))
    np.testing.assert_allclose(yy, np.zeros((2, 2)))
    x_bar, y_bar = both.hvp(X, Y, (np.ones(2), np.zeros(2)))
    np.testing.assert_allclose(x_bar, 6 * X * Y)
    np.testing.assert_allclose(y_bar, 3 * X**2)
    both.check(X, Y)


def test_methods():
    """A method has them, bound to its object."""
    model = Model()
    np.testing.assert_allclose(model.energy.hessian(X), np.diag(12 * X))
    np.testing.assert_allclose(model.energy.hvp(X, X), 12 * X * X)
    model.energy.check(X)


def test_something_beside_the_value():
    """With ``has_aux``, the first of two results is differentiated, and the other given back."""

    @differentiate(wrt=("x", "y"), has_aux=True)
    def told(x, y):
        return np.sum(x**3 * y), {"twice": 2 * x, "name": "told"}

    (x_bar, y_bar), aux = told.grad(X, Y)
    np.testing.assert_allclose(x_bar, 3 * X**2 * Y)
    np.testing.assert_allclose(y_bar, X**3)
    np.testing.assert_allclose(aux["twice"], 2 * X)
    (value, aux), _ = told.value_and_grad(X, Y)
    assert value == np.sum(X**3 * Y)
    assert aux["name"] == "told"
    _same(told.hessian(X, Y), both.hessian(X, Y))
    _same(told.hvp(X, Y, (X, Y)), both.hvp(X, Y, (X, Y)))
    gradient, aux = grad(told)(X, Y)
    _same(gradient, (x_bar, y_bar))
    assert "told_grad_jvp" in source(told, "hessian")
    told.check(X, Y)


def test_methods_with_something_beside_the_value():
    """A method keeps ``has_aux`` when it is bound."""

    class Told:
        @differentiate(wrt="x", has_aux=True)
        def energy(self, x):
            return np.sum(x**3), x

    gradient, aux = Told().energy.grad(X)
    np.testing.assert_allclose(gradient, 3 * X**2)
    np.testing.assert_allclose(aux, X)
    np.testing.assert_allclose(Told().energy.hessian(X), np.diag(6 * X))


def test_check_finds_what_is_wrong():
    """A formula that is wrong is found by the decorated function's check."""

    def cube(x):
        return x**3

    @srcgrad.formula(cube)
    def cube_formula(x):
        z = cube(x)
        return z, lambda z_bar: 2 * z_bar * x**2

    @differentiate
    def wrong(x):
        return np.sum(cube(x))

    with pytest.raises(CheckFailedError):
        wrong.check(X)


CASES = [
    (plain, "hessian", 0, (X, 2.0)),
    (plain, "hessian", ("x", "y"), (X, 2.0)),
    (plain, "hessian", ("x",), (X, 2.0)),
    (plain, "hessian", "y", (X, 2.0)),
    (with_default, "hessian", 0, (X,)),
    (with_default, "hessian", ("x", "y"), (X, 2.0)),
    (outer, "jacobian", 0, (X, Y)),
    (outer, "jacobian", ("x", "y"), (X, Y)),
    (outer, "jacobian", ("y",), (X, Y)),
    (plain, "jacobian", ("x", "y"), (X, 2.0)),
    (with_names, "hessian", 0, (X, X)),
    (with_names, "hessian", ("rows", "shape"), (X, X)),
    (with_names, "jacobian", ("rows", "shape"), (X, X)),
]


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize(("f", "kind", "wrt", "args"), CASES)
def test_the_text_runs(f, kind, wrt, args, called):
    """What ``source`` shows of a Hessian or Jacobian gives the same numbers."""
    made = getattr(srcgrad, kind)(f, wrt)
    expected = made(*args)
    text = source(made) if called else source(f, kind, wrt=wrt)
    found = _run(text)[f"{f.__name__}_{kind}"](*args)
    _same(found, expected)


def test_the_text_of_a_product_runs():
    """What ``source`` shows of a product takes the vector last."""
    names = _run(source(plain, "hvp", wrt=("x", "y")))
    found = names["plain_hvp"](X, 2.0, np.ones(2), 1.0)
    _same(found, srcgrad.hvp(plain, ("x", "y"))(X, 2.0, (np.ones(2), 1.0)))


def test_the_text_of_the_mode_that_ran():
    """``jacobian`` shows columns where it took columns."""
    wide = srcgrad.jacobian(outer)
    wide(X, Y)
    assert "x_dot = np.eye(x.size)" in source(wide)
    narrow = srcgrad.jacobian(lambda x: x[:1] * 2)
    narrow(X)
    assert "for index in np.ndindex(np.shape(value))" in source(narrow)
    _same(_run(source(srcgrad.jacfwd(outer, ("x", "y"))))["outer_jacobian"](X, Y), (
        srcgrad.jacfwd(outer, ("x", "y"))(X, Y)
    ))  # fmt: skip


def test_the_text_of_trees_says_what_is_missing():
    """Of a tree, the generated code is shown, and what is done with it is told."""

    def tree(p):
        return np.sum(p["a"] ** 3) + p["b"] ** 2

    made = srcgrad.hessian(tree)
    made({"a": X, "b": 1.0})
    text = source(made)
    assert "def tree_grad_jvp(p, a_dot, b_dot):" in text
    assert "# tree_hessian puts tree_grad_jvp together" in text


def test_the_text_of_what_is_recorded():
    """Of a recorded function, the text is that of its recording."""

    def odd(x):
        if eval("x[0]") > 0:
            return np.sum(x**3)
        return np.sum(x)

    assert "recorded" in source(odd, "hessian", recorded="allow")


def test_a_saved_hessian(tmp_path):
    """A Hessian is saved as a module that stands alone."""
    srcgrad.save(both, tmp_path / "made.py", "hessian")
    text = (tmp_path / "made.py").read_text()
    assert "import srcgrad" not in text
    names = {}
    exec(compile(text, "made", "exec"), names)
    _same(names["both_hessian"](X, Y), both.hessian(X, Y))


def test_a_wrong_kind():
    """A kind that there is not is refused with those that there are."""
    with pytest.raises(ArgumentError, match="choose one of grad, value_and_grad, vjp, jvp, jac"):
        source(plain, "hesse")
    with pytest.raises(ArgumentError, match="there is no kind 'hesse'"):
        loss.source("hesse")


def test_help_lists_the_derivatives():
    """``help`` shows the docstring, and what can be called; that of the function is its own."""
    text = pydoc.render_doc(loss, renderer=pydoc.plaintext)
    assert "Return a sum of powers." in text
    assert "loss.hessian(x, y, *, power: float = 3.0)" in text
    assert loss.__wrapped__.__doc__ == "Return a sum of powers."
    without = pydoc.render_doc(both, renderer=pydoc.plaintext)
    assert "hvp" in without
    assert "save" in without
    assert "Return the gradient of loss with respect to x." in pydoc.render_doc(loss.grad)


def test_inspect_shows_the_gradient_of_the_last_call():
    """``inspect.getsource`` gives what ran, as IPython's ?? does."""
    made = grad(plain)
    made(X, 2.0)
    assert inspect.getsource(made).startswith("def plain_grad(x, y):")
    assert "x_bar" in inspect.getsource(made)
    assert str(inspect.signature(made)) == "(x, y)"
    assert str(inspect.signature(srcgrad.hvp(with_default))) == "(x, y, vector, /, *, k=1.5)"


def test_a_derivative_in_a_class_is_a_method():
    """A gradient that stands in the body of a class is bound to its objects."""

    class Spring:
        k = 3.0

        def energy(self, x):
            return self.k * np.sum(x**2)

        force = grad(energy, "x")

    np.testing.assert_allclose(Spring().force(X), 6 * X)


def _run(text):
    """The names of a text that is run where ``np`` is known."""
    names = {"np": np}
    exec(compile(text, "shown", "exec"), names)
    return names


def _same(found, expected):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        for pair in zip(found, expected, strict=True):
            _same(*pair)
    else:
        np.testing.assert_allclose(found, expected)
        assert np.shape(found) == np.shape(expected)


def test_the_text_of_one_kind_knows_the_ranks_of_calls_of_another():
    """``source("grad")`` after ``value_and_grad``, which an optimiser calls, is as short."""

    @differentiate(wrt=("w", "b"))
    def misfit(w, b, x):
        return np.sum((x @ w + b) ** 2)

    assert "unbroadcast" in misfit.source("grad")
    misfit.value_and_grad(np.ones(3), 0.5, np.ones((4, 3)))
    assert "unbroadcast" not in misfit.source("grad")
    assert misfit.source("grad", ranks={"w": 1, "b": 0, "x": 2}) == misfit.source("grad")
    assert "unbroadcast" not in misfit.source("hessian")


def test_the_text_for_ranks_before_any_call():
    """Arrays may stand for nothing yet."""

    def mean(c, h):
        return np.mean((h * c[0]) ** 2)

    text = source(mean, recorded="refuse", ranks={"c": 1, "h": 1})
    assert "c_bar = np.zeros_like(c)" in text
