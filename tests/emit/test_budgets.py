"""``memory_budget=``: the same gradients in less memory, and what is said where none fits."""

import re
import tracemalloc

import numpy as np
import pytest

import srcgrad
from srcgrad import differentiate, grad, hvp, jvp, source, value_and_grad, vjp
from srcgrad.analysis.kept.budgets import shown
from srcgrad.calling.options import bytes_of
from srcgrad.errors import ArgumentError
from tests import finite_differences as fd
from tests.programs.table import programs
from tests.test_programs import wrt_of

pytestmark = pytest.mark.filterwarnings("error")


def chain(x, w):
    """A value from each to the next."""
    a = np.tanh(x * w)
    b = np.tanh(a * w)
    c = np.tanh(b * w)
    d = np.tanh(c * w)
    e = np.tanh(d * w)
    f = np.tanh(e * w)
    return np.sum(f**2)


def waves(u, c, steps):
    """A loop through time."""
    v = np.zeros_like(u)
    for _ in range(steps):
        lap = u[2:] - 2 * u[1:-1] + u[:-2]
        force = np.sin(lap) * c[1:-1]
        damp = np.exp(-0.1 * v[1:-1] ** 2)
        v = np.concatenate((v[:1], v[1:-1] + 0.1 * force * damp, v[-1:]))
        u = u + 0.1 * np.tanh(v)
    return np.sum(u**2)


def noisy(x, w, rng):
    """Draws between values that may be computed again."""
    a = np.tanh(x * w)
    n = rng.normal(size=a.shape)
    b = np.exp(np.sin(a * n) * w)
    return np.sum(b * np.tanh(b * a))


OUTSIDE = np.ones(3)


def outside(x):
    """A global that is written here, and is not this function's to delete."""
    a = np.sin(x)
    c = np.exp(np.cos(x + OUTSIDE) * a)
    OUTSIDE[1] += 0.1
    return np.sum(c * a * np.exp(c))


LARGE = np.linspace(0.1, 1, 20_000), np.linspace(1, 2, 20_000)


def peak_of(derivative, args):
    """The most that a call has allocated at a time."""
    derivative(*args)
    tracemalloc.start()
    derivative(*args)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def least_of(f, args, **options):
    """The least budget that is told to be enough."""
    with pytest.raises(ArgumentError, match="does not fit") as error:
        grad(f, memory_budget=10, **options)(*args)
    return bytes_of(re.search(r"at least ([\d.]+ \w+)", error.value.fixes[0])[1])


@pytest.mark.parametrize(("f", "args"), [(chain, LARGE), (waves, (*LARGE, 20))])
def test_peaks(f, args):
    """What a call allocates is within the budget, and less than without one."""
    plain = grad(f, (0, 1))
    whole, expected = peak_of(plain, args), plain(*args)
    least = least_of(f, args, wrt=(0, 1))
    assert least < 0.75 * whole
    for budget in (1.01 * least, 1.2 * least, 0.8 * whole, whole):
        gradient = grad(f, (0, 1), memory_budget=budget)
        for one, other in zip(gradient(*args), expected, strict=True):
            assert np.array_equal(one, other)
        assert peak_of(gradient, args) <= budget
    assert "computed again" in source(grad_within(f, args, 1.01 * least))


def grad_within(f, args, budget):
    """A gradient that was called with a budget."""
    gradient = grad(f, (0, 1), memory_budget=budget)
    gradient(*args)
    return gradient


def test_text():
    """The plan is told where the backward part begins."""
    least = least_of(chain, LARGE, wrt=(0, 1))
    text = source(grad_within(chain, LARGE, 1.01 * least))
    assert re.search(r"# memory_budget [\d.]+ MB: about [\d.]+ MB at a time", text)
    assert re.search(r"# kept: (\w 160 kB(, )?)+", text)
    assert re.search(r"# computed again: (\w 160 kB(, )?)+", text)
    assert re.search(r"# about \d+% of the forward part is computed again", text)
    assert "computed again" not in source(grad_within(chain, LARGE, "1 GB"))


def test_modes():
    """All kinds of derivatives take it; forward mode keeps nothing anyway."""
    budget, vector = 1.05 * least_of(chain, LARGE), np.ones(20_000)
    expected = grad(chain)(*LARGE)
    value, both = value_and_grad(chain, memory_budget=budget)(*LARGE)
    assert value == chain(*LARGE)
    assert np.array_equal(both, expected)
    _, backward = vjp(chain, *LARGE, memory_budget=3 * budget)
    assert np.array_equal(backward(1.0), expected)
    assert np.array_equal(backward(1.0), expected)
    tangents = LARGE[1], LARGE[0]
    moved = jvp(chain, LARGE, tangents, memory_budget=10)[1]
    assert np.array_equal(moved, jvp(chain, LARGE, tangents)[1])
    product = hvp(chain, memory_budget=budget)(*LARGE, vector)
    np.testing.assert_allclose(product, hvp(chain)(*LARGE, vector), rtol=1e-12)
    f = differentiate(chain, memory_budget=budget)
    assert np.array_equal(f.grad(*LARGE), expected)
    assert "memory_budget" in f.source()

    def squares(x, w):
        return np.sum(grad(chain, memory_budget=budget)(x, w) ** 2)

    def plain(x, w):
        return np.sum(grad(chain)(x, w) ** 2)

    np.testing.assert_allclose(grad(squares)(*LARGE), grad(plain)(*LARGE), rtol=1e-12)


def test_draws():
    """Nothing is drawn again."""

    def args(seed):
        return *LARGE, np.random.default_rng(seed)

    least = least_of(noisy, args(0), wrt=(0, 1))
    one, other = np.random.default_rng(1), np.random.default_rng(1)
    found = grad(noisy, (0, 1), memory_budget=1.01 * least)(*LARGE, one)
    for mine, plain in zip(found, grad(noisy, (0, 1))(*LARGE, other), strict=True):
        assert np.array_equal(mine, plain)
    assert one.random() == other.random()


def test_with_a_policy():
    """Both at once: the budget chooses among what the policy leaves."""
    least = least_of(chain, LARGE, wrt=(0, 1))
    both = {"memory_budget": 1.1 * least, "policy": {"c": "recompute", "d": "memmap"}}
    found = grad(chain, (0, 1), **both)(*LARGE)
    for one, other in zip(found, grad(chain, (0, 1))(*LARGE), strict=True):
        assert np.array_equal(one, other)


def test_saved(tmp_path):
    """A saved module has the same lines."""
    gradient = grad_within(chain, LARGE, 1.05 * least_of(chain, LARGE, wrt=(0, 1)))
    file = tmp_path / "saved.py"
    srcgrad.save(gradient, file)
    space = {"__name__": "saved"}
    exec(compile(file.read_text(), str(file), "exec"), space)
    for one, other in zip(space["chain_grad"](*LARGE), gradient(*LARGE), strict=True):
        assert np.array_equal(one, other)


def recursive(x, w, depth):
    """A function that calls itself."""
    h = np.tanh(x * w)
    return np.sum(h * h) if depth == 0 else np.sum(h) + recursive(h, w, depth - 1)


def test_recursion():
    """What calls of itself keep is not counted, and all else is as it is."""
    plain, found = grad(recursive), grad(recursive, memory_budget="10 MB")
    assert np.array_equal(found(*LARGE, 3), plain(*LARGE, 3))


def test_words():
    """What is no number of bytes is refused where it is said."""
    assert bytes_of("64 MB") == 64_000_000
    assert bytes_of("1.5GiB") == 3 * 2**29
    assert bytes_of(100) == bytes_of("100") == bytes_of("0.1 kB") == 100
    assert shown(1_500_000) == "1.5 MB"
    for wrong in (0, -1, True, "64 apples", "", float("inf"), [1]):
        with pytest.raises(ArgumentError, match="no number of bytes"):
            grad(chain, memory_budget=wrong)


TABLE = [case for case in programs() if len(case.wrt) > 1]


@pytest.mark.filterwarnings("ignore::srcgrad.RecordedWarning", "ignore::srcgrad.PolicyWarning")
@pytest.mark.parametrize("case", TABLE[3::20], ids=lambda case: case.name)
def test_programs(case):
    """Programs with smaller and smaller budgets, until none fits."""
    wrt = wrt_of(case)
    try:
        expected = fd.numbers(grad(case.fn, wrt)(*case.make_args()))
    except srcgrad.SrcgradError:
        pytest.skip("it has no gradient")
    for budget in (1e9, 3000, 1000, 500, 300, 200, 100):
        try:
            found = fd.numbers(grad(case.fn, wrt, memory_budget=budget)(*case.make_args()))
        except ArgumentError:
            break
        for one, other in zip(found, expected, strict=True):
            assert np.array_equal(one, other, equal_nan=True)


def test_names_from_outside_stay():
    """What is deleted are names of the function's own."""
    with pytest.raises(ArgumentError, match="does not fit"):
        grad(outside, memory_budget=10)(np.ones(3))
    OUTSIDE[1] = 1.0
    plain = grad(outside)(np.ones(3))
    OUTSIDE[1] = 1.0
    np.testing.assert_allclose(grad(outside, memory_budget=400)(np.ones(3)), plain)
    assert OUTSIDE[1] == 1.1


def left_early(x):
    """A loop whose inner loop may never run."""
    x = np.sin(x) * np.exp(x)
    for _ in range(3):
        if x[0] > 0.5:
            break
        for _ in range(2):
            x = np.tanh(x) * np.exp(x)
    return np.sum(x**2)


def test_lists_of_loops_that_never_run():
    """Only lists that are certainly there are deleted."""
    for x in (np.ones(3), np.full(3, 0.1)):
        gradient = grad(left_early, memory_budget=2000)
        np.testing.assert_allclose(gradient(x), grad(left_early)(x))
