"""Names that some iterations assign, and names of which the structure depends on the path."""

import importlib.util
import random
import sys

import numpy as np
import pytest

from srcgrad import differentiate, errors, grad, hvp, jvp, source, vjp

X = np.array([1.0, 2.0, 3.0])
D = np.array([1.0, 0.5, 0.2])


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    """Recording is allowed here."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")


def first_only(x, m):
    """The first iteration alone assigns what all of them read."""
    out = x * 0.0
    for k in range(3):
        if k == 0:
            v = x * 2
        out = out + v * x
    return out


def read_after_the_loop(x, m):
    """A later iteration leaves it as it is."""
    for k in range(3):
        if k == m + 1:
            v = x * 2
    return v * x


def every_second(x, m):
    """Two names, in a loop by condition."""
    s, k = 0.0, 0
    while k < 4:
        if k % 2 == 0:
            a, b = x * (k + 1), np.sum(x)
        s = s + a * b
        k += 1
    return s


def in_two_loops(x, m):
    """The first iteration of two loops assigns it."""
    s = 0.0
    for i in range(2):
        for k in range(3):
            if i == 0 and k == 0:
                v = x * x
            s = s + v * (k + 1)
    return s


def inner_loop_without_a_trip(x, m):
    """An inner loop that has no iteration leaves what it was."""
    s = 0.0
    for i in range(3):
        for k in range(2 - i):
            v = x * x * (k + 1)
        s = s + v
    return s


def gone_on(x, m):
    """Behind continue."""
    s = 0.0
    for k in range(3):
        if k == 1:
            continue
        if k == 0:
            v = x * x
        s = s + v
    return s


def read_by_a_local_function(x, m):
    """A function reads it."""
    s = 0.0
    for k in range(3):
        if k != 1:
            v = x * (k + 1)

        def scaled(t):
            return t * v

        s = s + scaled(x)
    return s


def running_best(x, m):
    """The best so far begins with the first."""
    s = 0.0
    for k in range(3):
        if k == 0 or x[k - 1] > best:  # noqa: F821 -- the first iteration assigns it
            best = x[k] * x[0] + 0.3
        s = s + best * x
    return s


def three_returns(x, m):
    """One of three returns gives a tuple."""
    if m == 5:
        return x * 3
    if m == 1:
        return (x * 3, 2.0)
    return x * x


def tuple_or_array(x, m):
    """A name holds a tuple on one path, and is assigned again on another one."""
    if m == 1:
        y = (x, 2)
    else:
        y = x * x
    if m == 2:
        y = x * 3
    return y


def mixed_in_a_loop(x, m):
    """Behind an iteration it is a tuple or an array."""
    out = x * 0.0
    v = x
    for k in range(3):
        if m + k == 2:
            v = x * 3
        out = out + v
        v = (x, x) if m == 1 else x * k
    return out


def mixed_after_a_loop(x, m):
    """Behind the loop, it is assigned on some paths."""
    for _ in range(3):
        if m == 1:
            v = (x, x)
        elif m == 0:
            v = x
    if m == 2:
        v = x * x
    return v


BEGUN = [
    *(first_only, read_after_the_loop, every_second, in_two_loops),
    *(inner_loop_without_a_trip, gone_on),
]
RECORDED = [read_by_a_local_function, running_best]
MIXED = [
    *(three_returns, tuple_or_array),
    *(mixed_in_a_loop, mixed_after_a_loop),
]


def check(f, m, x=X, d=D, second=True):
    """Compare the derivatives along a direction with differences, twice."""
    h = 1e-5
    expected = np.sum(f(x + h * d, m) - f(x - h * d, m)) / (2 * h)
    total = grad(lambda x, m: np.sum(f(x, m)))
    for _ in range(2):
        np.testing.assert_allclose(total(x, m) @ d, expected, rtol=1e-6)
        value, backward = vjp(f, x, m)
        np.testing.assert_allclose(backward(np.ones(value.shape)) @ d, expected, rtol=1e-6)
        np.testing.assert_allclose(np.sum(jvp(f, (x, m), (d, None))[1]), expected, rtol=1e-6)
    if second:
        product = hvp(lambda x, m: np.sum(f(x, m)))(x, m, d) @ d
        curved = (total(x + h * d, m) - total(x - h * d, m)) @ d / (2 * h)
        np.testing.assert_allclose(product, curved, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", BEGUN, ids=lambda f: f.__name__)
@pytest.mark.one_of(2)
def test_what_an_earlier_iteration_assigned(f):
    """Its cotangent goes back to the iteration that assigned it, in text."""
    check(f, 0)
    gradient = differentiate(f, recorded="refuse")
    gradient.vjp(X, 0)


@pytest.mark.parametrize("f", RECORDED, ids=lambda f: f.__name__)
def test_what_is_read_before_the_loop_assigns_it(f):
    """The same where it is recorded."""
    check(f, 0)


@pytest.mark.parametrize("m", [0, 2])
@pytest.mark.parametrize("f", MIXED, ids=lambda f: f.__name__)
def test_several_structures(f, m):
    """A name that may be a tuple or an array keeps its cotangent where it is one of them."""
    check(f, m, second=False)


def test_what_is_refused():
    """The error names what is read."""
    with pytest.raises(errors.UnsupportedSyntaxError, match="'y'"):
        grad(lambda x, m: np.sum(tuple_or_array(x, m)), recorded="refuse")(X, 0)


def test_the_text():
    """The cotangent is handed from iteration to iteration, until one assigns the name."""
    gradient = grad(lambda x, m: np.sum(first_only(x, m)))
    gradient(X, 0)
    assert "v_bar = np.zeros(v_bar.shape)" in source(gradient)


def test_names_that_stay_inside():
    """Where the iteration that assigns a name is the last one, nothing is carried."""

    def found(x):
        for k in range(3):
            if x[k] > 1.5:
                best = x[k] * x[0] + 0.3
                break
        return best

    gradient = grad(found, recorded="refuse")
    np.testing.assert_allclose(gradient(X), [2.0, 1.0, 0.0])
    assert "zeros_like" not in source(gradient).replace("x_bar = np.zeros_like(x)", "")


# generated programs

CONDITIONS = ("k == 0", "k == 1", "k % 2 == 0", "k > 0", "m == 2", "k + m > 2", "k != m")


def expression(rng, names):
    """Return an expression of some names."""
    a, b = rng.choice(names), rng.choice(names)
    return rng.choice([f"{a} * x", f"{a} + x", f"np.sin({a})", f"{a} * {b}", f"{a} * 0.5 + k", "x"])


def statements(rng, names, indent, loops):
    """Return lines that assign and read some names on some paths."""
    lines, pad = [], "    " * indent
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.3:
            lines.append(f"{pad}{rng.choice(names)} = {expression(rng, names)}")
        elif kind < 0.5:
            lines.append(f"{pad}s = s + {rng.choice(names)}")
        elif kind < 0.8 and indent < 5:
            lines.append(f"{pad}if {rng.choice(CONDITIONS)}:")
            lines += statements(rng, names, indent + 1, loops)
            if rng.random() < 0.4:
                lines += [f"{pad}else:", *statements(rng, names, indent + 1, loops)]
        elif kind < 0.9 and indent < 5 and loops < 2:
            lines.append(
                f"{pad}for {rng.choice('jk')} in range({rng.choice(['m', '2', 'm - 1'])}):"
            )
            lines += statements(rng, names, indent + 1, loops + 1)
        elif kind < 0.95:
            lines.append(f"{pad}if {rng.choice(CONDITIONS)}:")
            lines.append(f"{pad}    {rng.choice(['break', 'continue'])}")
        else:
            lines.append(f"{pad}{rng.choice(names)} = ({rng.choice(names)}, x)")
    return lines


def program(seed):
    """Return the text of a function with a loop whose first iteration assigns some names."""
    rng = random.Random(seed)
    names = ["u", "v", "w"][: rng.randint(2, 3)]
    before = [n for n in names if rng.random() < 0.35]
    lines = [f"def f{seed}(x, m):", "    s = x * 0.0", "    k = 0"]
    lines += [f"    {n} = x + 1.0" for n in before]
    lines += [f"    for k in range({rng.choice(['m', '4', '3'])}):"]
    rest = [n for n in names if n not in before]
    if rest:
        lines.append(f"        if {rng.choice(['k == 0', 'k % 2 == 0', 'k == 0 or m == 3'])}:")
        lines += [f"            {n} = {expression(rng, ['x'])}" for n in rest]
    lines += statements(rng, [*names, "s"], 2, 1)
    lines += [f"    s = s + {rng.choice(names)}", "    return s"]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "seed", [pytest.param(k, marks=pytest.mark.one_of(36)) for k in range(240)]
)
def test_generated_programs(seed, tmp_path, monkeypatch):
    """Whatever path assigns a name, the derivatives agree with differences."""
    path = tmp_path / f"begun_{seed}.py"
    path.write_text(f"import numpy as np\n\n\n{program(seed)}\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    f = getattr(module, f"f{seed}")
    x, d = np.array([0.7, -0.4, 0.3]), np.array([0.3, 0.7, 0.5])
    for m in (3, 2, 1):
        try:
            result = f(x.copy(), m)
        except (NameError, TypeError, ValueError):  # it reads what is unassigned, or a tuple
            continue
        if isinstance(result, np.ndarray) and result.shape == x.shape:
            check(f, m, x, d, second=False)
