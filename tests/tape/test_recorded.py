"""Functions that no code can be generated for: they are recorded while they run."""

import functools
import linecache
import pickle
import threading
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest

import srcgrad
from srcgrad import (
    RecordedWarning,
    check,
    cli,
    differentiate,
    errors,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    save,
    source,
    tape,
    value_and_grad,
    vjp,
)
from srcgrad.calling import api, recorded
from srcgrad.errors import SourceNotFoundError
from srcgrad.generation import generate
from srcgrad.generation.recorded_code import kinds
from srcgrad.tape import instructions

X = np.array([1.0, 2.0])
TRY = "loss uses syntax that srcgrad cannot differentiate: leaving a try statement is not supported"


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    """Recording is allowed here, and nobody was warned yet."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    monkeypatch.setattr(recorded, "_warned", set())


@pytest.fixture
def warned(monkeypatch):
    """The default is in force."""
    monkeypatch.delenv("SRCGRAD_RECORDED")


@pytest.fixture
def attempts(monkeypatch):
    """How many times somebody tried to generate code."""
    made = []
    own = generate.generate

    def counting(*args):
        made.append(args[0])
        return own(*args)

    monkeypatch.setattr(generate, "generate", counting)
    return made


def loss(x, y=2.0):
    """Return a weighted sum of cubes, recorded."""
    try:
        return np.sum(x**3) * y
    finally:
        pass


def vector(x):
    """Return an array, recorded."""
    try:
        return x**3 * x[0]
    finally:
        pass


def plain(x):
    """Return a number, with generated code."""
    return np.sum(x**3) * x[0]


def plain_vector(x):
    """Return what `vector` does, with generated code."""
    return x**3 * x[0]


def scalar(x):
    """Return a power of a number, recorded."""
    try:
        return x**4
    finally:
        pass


class Model:
    """A model whose methods are recorded."""

    def __init__(self, w):
        self.w = w

    def loss(self, x):
        try:
            return np.sum(self.w * x**2)
        finally:
            pass

    @differentiate(recorded="allow")
    def decorated(self, x):
        try:
            return np.sum(self.w * x**2)
        finally:
            pass

    def __call__(self, x):
        return self.loss(x)


# every mode and order


def test_first_order():
    """The gradient, the value with it, and the pair of vjp; by position, and by name."""
    np.testing.assert_allclose(grad(loss)(X), 6 * X**2)
    np.testing.assert_allclose(grad(loss)(X, y=3.0), 9 * X**2)
    value, (x_bar, y_bar) = value_and_grad(loss, ("x", "y"))(X, 3.0)
    assert (value, y_bar) == (27.0, 9.0)
    np.testing.assert_allclose(x_bar, 9 * X**2)
    value, backward = vjp(loss, X, 3.0, wrt="y")
    assert (value, backward(2.0)) == (27.0, 18.0)
    value, backward = vjp(vector, X, wrt=(0,))
    np.testing.assert_allclose(value, plain_vector(X))
    (bar,) = backward(np.ones(2))
    np.testing.assert_allclose(bar, vjp(plain_vector, X)[1](np.ones(2)))
    np.testing.assert_allclose(backward(np.ones(2))[0], bar)


def test_forward_mode():
    """The tangent, with None for what does not move."""
    value, slope = jvp(loss, (X, 3.0), (np.ones(2), None))
    assert (value, slope) == (27.0, 45.0)
    assert jvp(loss, (X, 3.0), (X, 1.0))[1] == pytest.approx(3 * 27 + 9)
    np.testing.assert_allclose(
        jvp(vector, (X,), (np.ones(2),))[1], jvp(plain_vector, (X,), (np.ones(2),))[1]
    )


@pytest.mark.parametrize("make", [jacfwd, jacrev, jacobian])
def test_jacobians(make):
    """They have the shapes that they have of generated code."""
    np.testing.assert_allclose(make(vector)(X), make(plain_vector)(X))
    both = make(loss, (0, 1))(X, 2.0)
    np.testing.assert_allclose(both[0], 6 * X**2)
    np.testing.assert_allclose(both[1], 9.0)
    with pytest.raises(errors.ArgumentError, match="real arguments"):
        make(vector)(X + 1j)


def test_second_order():
    """Hessians, products with them, and gradients of gradients in both modes."""

    def twin(x, y=2.0):
        return np.sum(x**3) * y

    np.testing.assert_allclose(hessian(loss)(X), hessian(twin)(X))
    blocks, wanted = hessian(loss, (0, 1))(X, 2.0), hessian(twin, (0, 1))(X, 2.0)
    for row, other in zip(blocks, wanted, strict=True):
        for block, twins in zip(row, other, strict=True):
            np.testing.assert_allclose(block, twins)
    np.testing.assert_allclose(hvp(loss)(X, X), hvp(twin)(X, X))
    np.testing.assert_allclose(hvp(loss)(X, 3.0, X), hvp(twin)(X, 3.0, X))
    assert grad(grad(scalar))(2.0) == 48.0
    assert grad(grad(grad(scalar)))(2.0) == 48.0
    _, backward = vjp(grad(loss), X)
    np.testing.assert_allclose(backward(np.ones(2)), 12 * X)
    np.testing.assert_allclose(jvp(grad(loss), (X,), (np.ones(2),))[1], 12 * X)


def test_a_derivative_inside_of_a_function():
    """Where the inner function is recorded, so is the one around it."""

    def around(x):
        return np.sum(grad(loss)(x) ** 2)

    def given(x):
        return np.sum(grad(loss, recorded="allow")(x) ** 2)

    np.testing.assert_allclose(grad(around)(X), 144 * X**3)
    assert grad(around).recorded == []
    made = grad(around)
    made(X)
    assert [found.function for found in made.recorded] == ["around"]
    with pytest.raises(errors.UnsupportedSyntaxError):
        grad(given, recorded="refuse")(X)


def test_a_derivative_of_a_constant_inside_stays_text():
    """A recorded derivative that nothing depends on is called by generated code."""
    slope = grad(loss)

    def around(x, c):
        return np.sum(x * slope(c))

    made = grad(around)
    np.testing.assert_allclose(made(X, X), 6 * X**2)
    assert made.recorded == []
    assert [found.function for found in slope.recorded] == ["loss"]


def test_callables():
    """Methods, objects, partial functions, and functions without a name."""
    model = Model(X)
    for f in (model.loss, model, functools.partial(Model.loss, model), lambda x: model.loss(x)):
        np.testing.assert_allclose(grad(f)(X), 2 * X**2)
        np.testing.assert_allclose(vjp(f, X)[1](1.0), 2 * X**2)
        assert jvp(f, (X,), (np.ones(2),))[1] == 10.0
    np.testing.assert_allclose(hessian(model.loss)(X), np.diag(2 * X))
    np.testing.assert_allclose(model.decorated.grad(X), 2 * X**2)
    assert model.decorated.jvp((X,), (np.ones(2),))[1] == 10.0
    np.testing.assert_allclose(grad(functools.partial(loss, y=5.0))(X), 15 * X**2)


def test_parameters_of_all_kinds():
    """Those behind a star, those given by name, and a second result."""

    def product(*xs):
        try:
            return xs[0] * xs[1]
        finally:
            pass

    def scaled(x, *, by=2.0):
        try:
            return x * x * by
        finally:
            pass

    def with_rest(x):
        try:
            return np.sum(x * x), {"x": x}
        finally:
            pass

    assert jvp(scaled, (3.0,), (1.0,)) == (18.0, 12.0)
    assert "primals, tangents, moving, **options)" in source(differentiate(scaled), "jvp")
    assert jvp(product, (2.0, 3.0), (1.0, None)) == (6.0, 3.0)
    assert grad(product, 1)(2.0, 3.0) == 2.0
    assert grad(product, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert grad(scaled)(3.0, by=4.0) == 24.0
    assert grad(scaled, ("x", "by"))(3.0, by=4.0) == (24.0, 9.0)
    slope, rest = grad(with_rest, has_aux=True)(X)
    np.testing.assert_allclose(slope, 2 * X)
    np.testing.assert_allclose(rest["x"], X)


def test_names_of_parameters_that_the_text_uses_itself():
    """A parameter may be called like the function, or like the tape."""

    def tape(loss, tape, tape_):
        try:
            return loss * tape * tape_
        finally:
            pass

    assert grad(tape, (0, 1, 2))(2.0, 3.0, 5.0) == (15.0, 10.0, 6.0)


def test_the_programs_own_errors_are_seen():
    """And so are the errors of srcgrad that are no matter of text."""

    def raises(x):
        try:
            return np.sum(x @ np.ones(7))
        finally:
            pass

    with pytest.raises(ValueError, match="matmul"):
        grad(raises)(X)
    with pytest.raises(errors.ResultError):
        grad(vector)(X)
    with pytest.raises(errors.ArgumentError):
        jvp(vector, (X,), (np.ones(3),))
    with pytest.raises(errors.ArgumentError):
        vjp(vector, X)[1](np.ones(3))
    with pytest.raises(errors.ArgumentError):
        grad(loss)("x")
    with pytest.raises(TypeError):
        grad(loss)()


def test_no_derivative_is_no_matter_of_recording(attempts):
    """A function without a formula is refused as ever."""

    def remainder(c):
        return np.sum(np.polydiv(np.array([1.0, 0.0, 2.0]), c)[1] ** 2)

    with pytest.raises(errors.MissingFormulaError):
        grad(remainder)(X)


def test_what_is_written_to_an_argument_is_there():
    """As after a call of the function."""

    def fill(x, out):
        try:
            out[:] = x * x
            return np.sum(out)
        finally:
            pass

    out = np.zeros(2)
    np.testing.assert_allclose(grad(fill)(X, out), 2 * X)
    np.testing.assert_allclose(out, X**2)


def test_a_failure_of_the_generator_is_recorded(monkeypatch, warned):
    """It is a bug, the warning says so, and the derivative is right."""

    def broken(*args):
        raise RecursionError("too deep")

    monkeypatch.setattr(generate, "generate", broken)
    with pytest.warns(RecordedWarning, match="cannot be generated: RecursionError: too deep"):
        assert grad(scalar)(2.0) == 32.0
    with pytest.raises(errors.InternalError, match="too deep"):
        grad(scalar, recorded="refuse")(2.0)


def test_check():
    """It checks recorded derivatives like others."""
    check(loss, X, 3.0, wrt=(0, 1))
    with pytest.raises(errors.UnsupportedSyntaxError):
        check(loss, X, recorded="refuse")


# which code is taken


def test_code_is_tried_once_for_each_kind_of_arguments(attempts):
    """A second call, with other numbers and lengths, does not try again."""
    gradient = grad(loss)
    gradient(X, 2.0)
    assert len(attempts) == 1
    gradient(X * 2, 3.0)
    gradient(np.ones(5), 3.0)
    assert len(attempts) == 1
    gradient(1.5, 3.0)
    assert len(attempts) == 2


def test_other_kinds_of_arguments_may_have_text():
    """Generated code is found for them, beside what is recorded."""

    def either(x, table):
        return table(x) if callable(table) else np.sum(x) * len({1, 2} | table)

    made = grad(either)
    np.testing.assert_allclose(made(X, {3}), 3 * np.ones(2))
    assert "tape" in source(made)
    np.testing.assert_allclose(made(X, np.sum), np.ones(2))
    assert "tape" not in source(made)
    np.testing.assert_allclose(made(X, {3}), 3 * np.ones(2))
    assert len(made.recorded) == 1


def test_after_some_kinds_code_is_no_more_tried(attempts):
    """The texts that there are stay first."""

    def either(x, what):
        try:
            return x * len(what)
        finally:
            pass

    made = grad(either)
    for k in range(20):
        assert made(2.0, "a" * k) == k
    assert len(attempts) == recorded.MOST
    assert len(made.recorded) == 1


def test_kinds():
    """Types, ranks and structures count; numbers and lengths of arrays do not."""
    assert kinds((X, 1.0, 2)) == kinds((np.ones(7), 3.0, 5))
    assert kinds(X) != kinds(np.ones((2, 2)))
    assert kinds(X) != kinds(X.astype(np.float32))
    assert kinds("a") != kinds("b")
    assert kinds({"a": 1.0}) != kinds({"b": 1.0})
    assert kinds([1.0, 2.0]) != kinds([1.0])
    assert kinds(Model(X)) == kinds(Model(2 * X))
    assert kinds(Model(X)) != kinds(Model(1.0))
    assert kinds(np.sin) != kinds(np.cos)
    around: list = []
    around.append(around)
    assert kinds(around) == kinds(around)


def test_threads():
    """Several threads record one function at the same time."""
    found = [None] * 8
    gradient = grad(loss)

    def run(k):
        found[k] = gradient(X * k, 1.0)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, slope in enumerate(found):
        np.testing.assert_allclose(slope, 3 * (X * k) ** 2)
    assert len(gradient.recorded) == 1


# what is said


def test_a_warning_once(warned):
    """It names the line, the reason, and what to write, and stands at the call."""
    with pytest.warns(RecordedWarning) as caught:
        grad(loss)(X)
    vjp(loss, X)
    hessian(loss)(X)
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message).split("\n") == [
        "loss is recorded while it runs: loss uses syntax that srcgrad cannot differentiate",
        f"  test_recorded.py:{loss.__code__.co_firstlineno + 2}, in loss",
        "    try:",
        "    ^^^^",
        "    leaving a try statement is not supported",
        "  The derivative is right, but slower than generated code, and has no text.",
        "  For generated code: leave after it.",
        '  recorded="allow" leaves this warning out, recorded="refuse" makes it an error.',
        "  See docs/recorded.md",
    ]


def test_allow_is_silent(warned):
    """In every mode; the derivatives of a derivative have its mode."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for made in (grad, value_and_grad, jacfwd, jacrev, jacobian, hessian):
            made(loss, recorded="allow")(X)
        hvp(loss, recorded="allow")(X, X)
        vjp(loss, X, recorded="allow")
        jvp(loss, (X,), (X,), recorded="allow")
        check(loss, X, recorded="allow")
        source(loss, recorded="allow")
        decorated = differentiate(loss, recorded="allow")
        decorated.grad(X)
        decorated.vjp(X)
        hessian(decorated)(X)
        grad(grad(scalar, recorded="allow"))(2.0)
        grad(grad(scalar), recorded="allow")(2.0)


def test_refuse():
    """In every mode, and for what was recorded before."""
    grad(loss)(X)
    vjp(loss, X)
    for call in (
        lambda: grad(loss, recorded="refuse")(X),
        lambda: value_and_grad(loss, recorded="refuse")(X),
        lambda: vjp(loss, X, recorded="refuse"),
        lambda: jvp(loss, (X,), (X,), recorded="refuse"),
        lambda: jacfwd(loss, recorded="refuse")(X),
        lambda: jacrev(loss, recorded="refuse")(X),
        lambda: jacobian(loss, recorded="refuse")(X),
        lambda: hessian(loss, recorded="refuse")(X),
        lambda: hvp(loss, recorded="refuse")(X, X),
        lambda: source(loss, recorded="refuse"),
        lambda: differentiate(loss, recorded="refuse").grad(X),
        lambda: grad(differentiate(loss, recorded="refuse"))(X),
        lambda: grad(grad(scalar, recorded="refuse"))(2.0),
        lambda: grad(grad(scalar), recorded="refuse")(2.0),
    ):
        with pytest.raises(errors.UnsupportedSyntaxError, match="leaving a try"):
            call()


def test_the_environment_gives_the_default(monkeypatch):
    """Also for what was recorded when it was another one."""
    gradient = grad(loss)
    gradient(X)
    monkeypatch.setenv("SRCGRAD_RECORDED", "refuse")
    with pytest.raises(errors.UnsupportedSyntaxError):
        gradient(X)
    with pytest.raises(errors.UnsupportedSyntaxError):
        source(gradient)
    np.testing.assert_allclose(grad(loss, recorded="allow")(X), 6 * X**2)
    monkeypatch.setenv("SRCGRAD_RECORDED", "perhaps")
    with pytest.raises(errors.ArgumentError, match="none of 'warn', 'allow' and 'refuse'"):
        gradient(X)


def test_another_word_is_refused():
    """At once."""
    for make in (grad, value_and_grad, jacfwd, hessian, differentiate):
        with pytest.raises(errors.ArgumentError, match="recorded='maybe'"):
            make(loss, recorded="maybe")


def test_the_list():
    """What was recorded, with the line and the reason; nothing before a call."""
    line = loss.__code__.co_firstlineno + 2
    wanted = [recorded.Recorded("loss", __file__, line, TRY)]
    decorated = differentiate(loss)
    assert decorated.recorded == []
    decorated.vjp(X)
    decorated.grad(X)
    assert decorated.recorded == wanted
    made = [make(loss) for make in (grad, value_and_grad, jacfwd, jacrev, jacobian, hessian)]
    for function in made:
        assert function.recorded == []
        function(X)
        assert function.recorded == wanted
    text = grad(plain)
    text(X)
    assert text.recorded == []


def test_a_decorated_method_has_one_list(attempts):
    """Whatever object it is called on; and code for an object is tried once."""
    model = Model(X)
    model.decorated.grad(X)
    model.decorated.grad(X)
    assert len(attempts) == 1
    Model(2 * X).decorated.grad(X)
    assert [found.function for found in Model.decorated.recorded] == ["decorated"]


def test_a_decorated_function_keeps_its_mode_in_a_pickle():
    """As it keeps what it is differentiated with respect to."""
    made = pickle.loads(pickle.dumps(differentiate(loss, recorded="refuse")))
    with pytest.raises(errors.UnsupportedSyntaxError):
        made.grad(X)


# the text


def test_source():
    """A module that says what is recorded and why, and calls the tape."""
    gradient = grad(loss, ("x", "y"))
    gradient(X, 2.0)
    first = loss.__code__.co_firstlineno
    assert source(gradient) == (
        "from srcgrad import tape\n\n\n"
        "def loss_grad(x, y):\n"
        f'    """Gradient of loss (test_recorded.py:{first}) with respect to (x, y), '
        'recorded while it runs."""\n'
        "    # recorded: loss uses syntax that srcgrad cannot differentiate: leaving a try\n"
        f"    # statement is not supported (test_recorded.py:{first + 2})\n"
        "    return tape.grad(loss, wrt=(0, 1))(x, y)\n"
    )


@pytest.mark.parametrize(
    ("kind", "head", "call"),
    [
        ("grad", "def loss_grad(x, y):", "tape.grad(loss, wrt=0)(x, y)"),
        ("value_and_grad", "def loss_value_and_grad(x, y):", "tape.value_and_grad(loss, wrt=0)"),
        ("vjp", "def loss_vjp(x, y):", "tape.vjp(loss, x, y, wrt=0)"),
        ("jvp", "def loss_jvp(primals, tangents):", "tape.jvp(loss, primals, tangents)"),
    ],
)
def test_source_of_each_kind_before_a_call(kind, head, call):
    """It says that there may be text for the arguments of a call."""
    text = source(differentiate(loss), kind)
    assert f"\n{head}\n" in text
    assert f"    return {call}" in text
    assert "known before a call" in text
    compile(text, "text", "exec")


def test_source_of_methods_and_higher_orders():
    """The object is an argument; a derivative of a derivative is written as one."""
    assert "return tape.grad(loss, wrt=1)(self, x)" in source(Model(X).loss)
    text = source(grad(grad(scalar)))
    assert "def scalar_grad_grad(x):" in text
    assert "return tape.grad(tape.grad(scalar, wrt=0), wrt=0)(x)" in text


def test_the_text_is_in_a_file():
    """So that a debugger shows it, and tracebacks have its line."""

    def raises(x):
        try:
            return x * np.ones(3)[5]
        finally:
            pass

    with pytest.raises(IndexError) as caught:
        grad(raises)(2.0)
    files = {entry.path.name: entry for entry in caught.traceback if "_grad_" in str(entry.path)}
    (entry,) = files.values()
    assert "tape.grad(raises, wrt=0)(x)" in linecache.getline(str(entry.path), entry.lineno + 1)


def test_saving_is_refused(tmp_path):
    """The error names the line; nothing is written."""
    file = tmp_path / "saved.py"
    gradient = grad(loss)
    gradient(X)
    for call in (lambda: save(gradient, file), lambda: save(loss, file)):
        with pytest.raises(errors.SaveError) as caught:
            call()
        assert caught.value.spots[0].lineno == loss.__code__.co_firstlineno + 2
        assert "is recorded while it runs" in str(caught.value)
    assert not file.exists()


# the command line


@pytest.fixture
def program(tmp_path):
    """A file with a function that is recorded."""
    file = tmp_path / f"program_{time.monotonic_ns()}.py"
    file.write_text(
        "def attempt(x):\n    try:\n        return x * x\n    finally:\n        done = True\n"
    )
    return f"{file}:attempt"


def test_command_line(program, capsys):
    """``--recorded`` is that of ``source`` and ``check``."""
    assert cli.main(["show", program, "--recorded", "allow"]) == 0
    assert "return tape.grad(attempt, wrt=0)(x)" in capsys.readouterr().out
    assert cli.main(["show", program, "--recorded", "refuse"]) == 1
    assert "leaving a try statement" in capsys.readouterr().err
    assert cli.main(["check", program, "--args", "(3.0,)", "--recorded", "allow"]) == 0
    assert cli.main(["check", program, "--args", "(3.0,)", "--recorded", "refuse"]) == 1
    assert cli.main(["save", program, program.rpartition(":")[0] + ".out"]) == 1
    assert "SaveError" in capsys.readouterr().err


def test_public_names():
    """The warning is exported."""
    assert srcgrad.RecordedWarning is recorded.RecordedWarning
    assert issubclass(RecordedWarning, UserWarning)


@pytest.mark.parametrize("kind", [grad, value_and_grad])
def test_no_warning_where_recording_fails_for_the_same_reason(kind):
    """A function whose instructions are not known cannot be recorded, and the error says so."""
    space = {"np": np}
    exec("def f(x): return np.sum(x**2)", space)
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(instructions, "_VERSIONS", ())
        warnings.simplefilter("error")
        with pytest.raises(SourceNotFoundError, match="the source of f cannot be read"):
            kind(space["f"])(np.ones(2))


# code that raises what its function does not


def with_fault(f, *args):
    """Return a function whose generated backward function raises; it was called once."""
    vjp(f, *args)
    transform = api._vjp_transform(f, 0)

    def fault(residuals, *bars):
        raise KeyError("a fault of the generator")

    (known,) = transform.specialisations
    transform.specialisations[:] = [replace(known, backward=fault)]
    return f


def scaled_sine(x, p, n=2):
    """Give an array."""
    return np.sin(x) * p["a"] * n


def dotted(x, p, n=2):
    """Give a number."""
    return x[0] * p["a"][0] * n + np.sum(x**2)


@pytest.mark.parametrize("f", [scaled_sine, dotted])
def test_a_backward_function_that_raises(f, warned):
    """The program is run again on the tape, later calls too, and the exception is told."""

    def program(x, p, n=2):
        return f(x, p, n)

    p = {"a": np.array([1.0, 2.0])}
    value, backward = vjp(with_fault(program, X, p), X, p)
    bar = np.ones_like(value)[()]
    with pytest.warns(RecordedWarning, match="the code generated for program raised KeyError"):
        found = backward(bar)
    expected = tape.vjp(program, X, p)[1](bar)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(vjp(program, X, p)[1](bar), expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SRCGRAD_RECORDED", "refuse")
        _, backward = vjp(with_fault(lambda x: np.sum(x) * 2.0, X), X)
        with pytest.raises(KeyError):
            backward(1.0)


def test_a_backward_function_that_raises_where_nothing_can_be_repeated():
    """What was written, or exchanged, since, and programs with effects: the exception is raised."""
    calls = []

    def counted(x, p):
        calls.append(1)
        return np.sum(x) * p["a"][0]

    def plain(x, p):
        return np.sum(x) * p["a"][0]

    changes = [  # and a program for each: closures of one text share their code
        (lambda x, p: x.__setitem__(0, 5.0), lambda x, p: plain(x, p)),
        (lambda x, p: p["a"].__setitem__(0, 5.0), lambda x, p: 1.0 * plain(x, p)),
        (lambda x, p: p.__setitem__("a", np.ones(2)), lambda x, p: 2.0 * plain(x, p)),
    ]
    for change, program in changes:
        x, p = X.copy(), {"a": np.array([1.0, 2.0])}
        _, backward = vjp(with_fault(program, x, p), x, p)
        change(x, p)
        with pytest.raises((KeyError, errors.OverwrittenError)):
            backward(1.0)
    with pytest.raises(KeyError):
        vjp(with_fault(counted, X, p), X, p)[1](1.0)
    large = np.ones(10**5)  # it would take long to tell whether these are the same
    with pytest.raises(KeyError):
        vjp(with_fault(lambda x, y: np.sum(x) * 2.0, X, large), X, large)[1](1.0)
