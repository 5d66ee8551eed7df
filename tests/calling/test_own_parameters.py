"""Calls are matched to the parameters that a function's own text has, of every kind."""

import functools
import importlib.util
import inspect
import itertools

import numpy as np
import pytest

from srcgrad import (
    check,
    differentiate,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    save,
    source,
    vjp,
)
from srcgrad.errors import ArgumentError, SourceNotFoundError, UnresolvedCallError
from srcgrad.program.facts import own_parameters
from tests import finite_differences as fd

X = np.array([0.3, 0.7, 1.1])

# Each kind of parameter: its text, how the body reads it, and how a call gives it.
KINDS = {
    "by position": ("a, /", "a", ((2.0,), {})),
    "plain": ("b", "b", ((3.0,), {})),
    "default": ("c=5.0", "c", ((7.0,), {})),
    "star": ("*args", "(args[0] * args[1])", ((11.0, 13.0), {})),
    "by name": ("d", "d", ((), {"d": 17.0})),
    "default by name": ("e=19.0", "e", ((), {})),
    "options": ("**rest", 'rest["r"]', ((), {"r": 23.0})),
}
WRT = {"by position": "a", "plain": "b", "default": "c", "by name": "d", "options": "r"}


def signatures():
    """All ways to have each of the kinds of parameters or not."""
    for chosen in itertools.product((False, True), repeat=len(KINDS)):
        kinds = [kind for kind, there in zip(KINDS, chosen, strict=True) if there]
        if set(kinds) & set(WRT):
            yield kinds


def written(folder, lines):
    """Import a module that consists of these lines."""
    file = folder / "made.py"
    file.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location("made", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_mixture_of_parameters(tmp_path):
    """Functions of every mixture of kinds of parameters have the right gradients."""
    lines, cases = [], []
    for k, kinds in enumerate(signatures()):
        head = [KINDS[kind][0] for kind in kinds]
        names = {"by name", "default by name"} & set(kinds)
        if names and "star" not in kinds:
            head.insert(min(kinds.index(kind) for kind in names), "*")
        body = " * ".join(KINDS[kind][1] for kind in kinds)
        lines += [f"def f{k}({', '.join(head)}):", f"    return {body}", ""]
        cases.append((f"f{k}", kinds))
    module = written(tmp_path, lines)
    for k, (name, kinds) in enumerate(cases):
        f = getattr(module, name)
        args = tuple(v for kind in kinds for v in KINDS[kind][2][0])
        options = {n: v for kind in kinds for n, v in KINDS[kind][2][1].items()}
        wrt = tuple(WRT[kind] for kind in kinds if kind in WRT)
        numbers = [
            next(iter((*KINDS[k][2][0], *KINDS[k][2][1].values()))) for k in kinds if k in WRT
        ]
        expected = [f(*args, **options) / v for v in numbers]
        assert list(grad(f, wrt)(*args, **options)) == pytest.approx(expected)
        if k % 5 == 0:
            value, backward = differentiate(f, wrt=wrt).vjp(*args, **options)
            assert value == f(*args, **options)
            assert list(backward(1.0)) == pytest.approx(expected)


def with_options(x, **options):
    return np.sum(x * options.get("scale", 1.0))


def raised(x, scale=1.0, power=2.0):
    return np.sum(scale * x**power)


def handed_on(x, **options):
    return raised(x, **options)


def test_options_at_the_top():
    """The options of a call are what ``**options`` holds, and can be differentiated."""
    assert grad(with_options)(X).tolist() == [1.0, 1.0, 1.0]
    assert grad(with_options)(X, scale=3.0).tolist() == [3.0, 3.0, 3.0]
    assert grad(with_options, wrt="scale")(X, scale=3.0) == pytest.approx(X.sum())
    assert grad(with_options, wrt="options")(X, scale=3.0) == {"scale": pytest.approx(X.sum())}
    assert grad(handed_on)(X, power=3.0) == pytest.approx(3 * X**2)
    assert hessian(handed_on)(X, power=3.0) == pytest.approx(np.diag(6 * X))
    assert vjp(with_options, X)[1](2.0).tolist() == [2.0, 2.0, 2.0]
    assert "**options" in source(grad(with_options))
    check(with_options, X)


def test_options_that_are_not_given():
    """A name that no parameter has may be an option; it has to be given then."""
    with pytest.raises(ArgumentError, match="'scale' is differentiated and not passed"):
        grad(with_options, wrt="scale")(X)
    with pytest.raises(ArgumentError, match="integer type"):
        grad(with_options, wrt="scale")(X, scale=2)
    with pytest.raises(ArgumentError, match=r"0 of \*args is differentiated and not passed"):
        grad(lambda *args: sum(args))()


def changing(x, **options):
    k = options.pop("k", 2.0)
    options.setdefault("m", 3.0)
    options["z"] = x
    return np.sum(x * k * options["m"] * options["z"])


def test_options_that_are_changed():
    """A function may change its own options, and its caller does not see it."""
    options = {"k": 3.0, "m": 1.0}
    assert grad(changing)(X) == pytest.approx(12 * X)
    assert grad(changing)(X, **options) == pytest.approx(6 * X)
    assert options == {"k": 3.0, "m": 1.0}


def test_options_of_jacobians():
    """Jacobians and products take options, and arguments by name."""

    def power(x, k, *, scale):
        return scale * x**k

    for jacobian_of in (jacfwd, jacrev, jacobian):
        made = jacobian_of(power)(X, k=3.0, scale=2.0)
        assert made == pytest.approx(np.diag(6 * X**2))
        assert jacobian_of(power)(x=X, k=3.0, scale=2.0) == pytest.approx(made)
    total = hessian(lambda x, *, key: np.sum(x**key))
    assert total(X, key=3.0) == pytest.approx(np.diag(6 * X))
    product = hvp(lambda x, *, key: np.sum(x**key))
    assert product(X, X, key=3.0) == pytest.approx(6 * X * X)


def wraps(inner):
    """A decorator whose wrapper has parameters and defaults of its own."""

    @functools.wraps(inner)
    def wrapper(y, z=5.0):
        return inner(y) * z

    return wrapper


def passing(inner):
    @functools.wraps(inner)
    def wrapper(*args, **options):
        return 2 * inner(*args, **options)

    return wrapper


def fixing(inner):
    @functools.wraps(inner)
    def wrapper(x):
        return inner(x, 3.0)

    return wrapper


def other_default(inner):
    @functools.wraps(inner)
    def wrapper(x, power=4.0):
        return inner(x, power=power)

    return wrapper


@wraps
def scaled(x):
    return np.sum(x**2)


@passing
def doubled(x, k=2.0):
    return np.sum(x**k)


@fixing
def cubed(x, k):
    return np.sum(x**k)


fourth = other_default(raised)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (scaled, 10 * X),
        (functools.partial(scaled, z=2.0), 4 * X),
        (lambda x: scaled(x, 2.0), 4 * X),
        (lambda x: scaled(y=x, z=1.0), 2 * X),
        (doubled, 4 * X),
        (functools.partial(doubled, k=3.0), 6 * X**2),
        (lambda x: doubled(x, k=3.0), 6 * X**2),
        (cubed, 3 * X**2),
        (lambda x: cubed(x), 3 * X**2),
        (fourth, 4 * X**3),
        (lambda x: fourth(x), 4 * X**3),
        (lambda x: fourth(x, power=2.0), 2 * X),
        (lambda x: sum(map(fourth, x)), 4 * X**3),
    ],
)
def test_wrappers(f, expected):
    """A wrapper is called with its own parameters and defaults, not with what it wraps."""
    assert grad(f)(X) == pytest.approx(expected)
    assert vjp(f, X)[1](1.0) == pytest.approx(expected)
    assert jvp(f, (X,), (X,))[1] == pytest.approx(np.sum(expected * X))


def test_own_parameters_are_those_of_a_call():
    """``__wrapped__`` and ``__signature__`` change nothing about a call."""

    def f(x, k=3.0):
        return x * k

    f.__signature__ = inspect.Signature()
    assert [p.name for p in own_parameters(f)] == ["x", "k"]
    assert [p.name for p in own_parameters(scaled)] == ["y", "z"]
    assert [p.name for p in own_parameters(functools.partial(scaled, 1.0))] == ["z"]
    assert grad(f)(2.0) == 3.0


def made_with(power):
    def raising(x, k=power, *, factor=power):
        return factor * x**k

    return raising


outer_cube = made_with(3.0)
POWER = 2.0


def by_power(x, k=POWER):
    return x**k


POWER = 5.0


def test_defaults_are_those_of_the_function():
    """A default is what the function object has, also where no name stands for it any more."""
    assert grad(lambda x: outer_cube(x) * 2)(2.0) == 72.0
    assert grad(lambda x: outer_cube(x, 2.0))(2.0) == 12.0
    assert grad(lambda x: by_power(x))(3.0) == 6.0
    assert "k=2.0" in source(grad(by_power))
    fs = [lambda x, k=k: x * k for k in (2.0, 3.0)]
    assert [grad(f)(1.0) for f in fs] == [2.0, 3.0]


def every_kind(a, b, /, c=1.0, *args, d, e=2.0, **rest):
    return a * b * c * sum(args) * d * e * rest["r"]


def test_partial_of_every_kind():
    """What ``partial`` binds by name reaches ``**options``, and a call may replace it."""
    first = functools.partial(every_kind, 2.0, d=13.0)
    assert grad(first)(3.0, 5.0, 7.0, e=17.0, r=19.0) == pytest.approx(2 * 5 * 7 * 13 * 17 * 19)
    assert grad(first, wrt="r")(3.0, 5.0, 7.0, r=19.0) == pytest.approx(2 * 3 * 5 * 7 * 13 * 2)
    second = functools.partial(every_kind, 2.0, d=13.0, r=2.0)
    assert grad(second)(3.0, 5.0, 7.0) == pytest.approx(2 * 5 * 7 * 13 * 2 * 2)
    assert grad(second)(3.0, 5.0, 7.0, r=3.0) == pytest.approx(2 * 5 * 7 * 13 * 2 * 3)
    assert grad(lambda x: second(x, x, x))(2.0) == pytest.approx(3 * 4 * 2 * 13 * 2 * 2)
    with pytest.raises(SourceNotFoundError, match="does not tell its parameters"):
        grad(functools.partial(int))


def test_partial_is_saved(tmp_path):
    """A gradient of a partial is saved where what is bound can be written."""
    square = functools.partial(raised, power=2.0)
    save(grad(square), tmp_path / "square.py")
    made = written(tmp_path, [(tmp_path / "square.py").read_text()])
    assert made.raised_partial_grad(X, scale=1.0) == pytest.approx(2 * X)


class Model:
    """An object with methods of every kind."""

    def __init__(self):
        self.a = 2.0

    def total(self, x, w):
        return np.sum(x * w) * self.a

    def inside(self, x, w):
        _, backward = vjp(self.total, x, w, wrt=1)
        return np.sum(backward(1.0) * w)

    def starred(self, x, /, *rest, k=1.0, **options):
        return x * self.a * k * options.get("q", 1.0) * (sum(rest) if rest else 1.0)


def test_methods():
    """Methods have parameters of every kind, too; derivatives of them inside say where."""
    model = Model()
    assert grad(model.starred)(3.0) == 2.0
    assert grad(model.starred)(3.0, 2.0, 2.0, k=3.0, q=5.0) == 120.0
    assert grad(model.starred, wrt="q")(3.0, q=1.0) == 6.0
    assert vjp(model.total, X, X, wrt=1)[1](1.0) == pytest.approx(2 * X)
    assert model.inside(X, X) == pytest.approx(np.sum(2 * X * X))
    with pytest.raises(UnresolvedCallError, match="what vjp differentiates here") as caught:
        grad(model.inside)(X, X)
    assert "srcgrad/" not in str(caught.value)


def of_out(out, u):
    return out * u


class WithOut:
    """A class to whose methods ``out`` is a name like any other."""

    def __init__(self, a, out):
        self.a, self.out = a, out

    def __call__(self, x, out):
        return x * out


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: np.sum(of_out(x, 2.0) + of_out(out=x, u=x)), 2 + 2 * X),
        (lambda x: np.sum(WithOut(x, out=x).out * WithOut(x, x)(x, out=x)), 3 * X**2),
        (functools.partial(lambda out, u: np.sum(out * u), u=2.0), np.full(3, 2.0)),
    ],
)
def test_a_parameter_called_out(f, expected):
    """``out`` is an array to write into for library functions only."""
    assert grad(f, recorded="allow")(X) == pytest.approx(expected)

    def local(x):
        def inner(out, u):
            return out * u

        return np.sum(inner(x, x) * inner(out=x, u=2.0))

    assert grad(local)(X) == pytest.approx(6 * X**2)


@pytest.mark.parametrize("defaults", [(1.5,), (0.5, 1.5), (0.5, 1.5, 2.5), None])
@pytest.mark.parametrize("kind", ["def", "lambda"])
def test_defaults_that_were_given_to_a_function_afterwards(kind, defaults):
    """A called function has the defaults that it has now, however many its text has."""

    def scaled(p, scale=1.0, shift=0.3):
        return p * scale + shift

    if kind == "lambda":
        scaled = lambda p, scale=1.0, shift=0.3: p * scale + shift  # noqa: E731
    calls = [(2.0, 3.0), (2.0,), ()]
    for given in calls[: 1 + len(defaults or ())]:
        scaled.__defaults__ = defaults

        def program(x, given=given):
            return np.sum(scaled(x, *given))

        program.__defaults__ = (given,)
        wanted = fd.gradient(program, (X,), 0)
        np.testing.assert_allclose(grad(program, recorded="allow")(X), wanted, rtol=1e-6)


def unpacked(method):
    """Decorate a method that gives a tuple, whatever it is called with."""

    @functools.wraps(method)
    def call(*args, **options):
        return method(*args, **options)[0]

    return call


class Sensor:
    """An object with methods whose own parameter is behind a star."""

    gain = 2.0

    @unpacked
    def reading(self, level, scale=1.5):
        """The reading at a level."""
        return (np.sum(level**2) * self.gain * scale,)

    def bare(*args, scale=1.5):
        """The same, without a name for the object."""
        return np.sum(args[1] ** 2) * args[0].gain * scale


@pytest.mark.parametrize("name", ["reading", "bare"])
def test_methods_with_no_parameter_but_a_star(name):
    """Positions are counted behind the object, in all modes; it is read at each call."""
    sensor, options = Sensor(), {"recorded": "allow"}
    method = getattr(sensor, name)
    slope = grad(method, **options)
    both = grad(method, wrt=(0,), **options)
    for gain in (2.0, 3.0):
        sensor.gain = gain
        assert slope(X) == pytest.approx(3.0 * gain * X)
        assert slope(X, scale=1.0) == pytest.approx(2.0 * gain * X)
        assert both(X)[0] == pytest.approx(3.0 * gain * X)
        assert jvp(method, (X,), (X,), **options)[1] == pytest.approx(3.0 * gain * np.sum(X**2))
        assert vjp(method, X, **options)[1](1.0) == pytest.approx(3.0 * gain * X)
