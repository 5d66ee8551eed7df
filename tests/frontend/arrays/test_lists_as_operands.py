"""Lists in the place of arrays, however they come: evaluated once, with the slopes of arrays."""

import copy
import importlib.util
import itertools

import numpy as np
import pytest

from srcgrad import grad, hvp, tape, value_and_grad

# Where a list comes from: lines before, and what stands for it. ``n`` is a whole number, ``rows``
# a list of lists and arrays, ``rng`` a generator of random numbers.
ORIGINS = {
    "rows_of_a_display": ("for c in ([n, 2, 3], [3, n, 5]):", "c"),
    "rows_in_a_tuple": ("for c, m in (([n, 2, 3], 1), ((3, n, 5), 2)):", "c"),
    "slices": ("for c in ([n, 2, 3, 1], [3, n, 5, 1]):", "c[:3]"),
    "rows": ("for c in rows:", "c"),
    "rows_by_number": ("for k in range(2):", "rows[k]"),
    "rows_backwards": ("for c in reversed(rows):", "c"),
    "rows_taken": ("while rows:", "rows.pop()"),
    "first": ("it = iter(rows)", "next(it)"),
    "outer_rows": ("TABLE.append([1, 1, n]); TABLE.pop()\nfor c in TABLE:", "c"),
    "called": ("", "row(n)"),
    "row_of_a_call": ("", "table(n)[1]"),
    "rows_of_a_call": ("for c in table(n):", "c"),
    "unpacked": ("a, c = table(n)", "c"),
    "drawn": ("", "list(rng.normal(size=3))"),
    "draws": ("", "[rng.normal(), 1.0, 2.0]"),
    "comprehended": ("", "[row(k)[0] + k for k in range(3)]"),
}
USES = {
    "dot": "np.dot({c}, y)",
    "product": "np.sum({c} * y)",
    "right_product": "np.sum(y * {c}) ** 2",
    "difference": "np.sum((y - {c}) ** 2)",
    "matmul": "y @ {c}",
    "hypot": "np.sum(np.hypot({c}, y))",
    "outer": "np.sum(np.outer({c}, y) ** 2)",
    "where": "np.sum(np.where(y > 0.5, {c}, y) * y)",
}
MODULE = """
import numpy as np

TABLE = [[1, 2, 3], [3, 4, 5]]
CALLS = np.zeros(1)


def row(n):
    CALLS[0] += 1
    return [n, 2, 3]


def table(n):
    CALLS[0] += 1
    return [[1, 2, 3], [n, 5, 6]]


def f(x, n, rows, rng):
    s = 0.0
    y = np.log(x)
"""


def made(folder, lines, use):
    """Return a module with a function that uses such a list."""
    before, expression = ORIGINS[lines]
    pad = "        " if before.endswith(":") else "    "
    text = [MODULE.rstrip(), *("    " + line for line in before.splitlines())]
    text += [f"{pad}s = s + {USES[use].format(c=expression)}", "    return s", ""]
    path = folder / f"{lines}_{use}.py"
    path.write_text("\n".join(text))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.one_of(12)
@pytest.mark.parametrize(("lines", "use"), [*itertools.product(ORIGINS, USES)])
def test_lists_as_operands(tmp_path, lines, use):
    """Value and slopes are those of recorded runs; what is called and drawn is so once."""
    module = made(tmp_path, lines, use)
    x, rows = np.array([1.2, 2.3, 0.5]), [[1, 2, 3], np.array([2.0, 1.0, 4.0])]

    def arguments():
        module.CALLS[0] = 0
        return x, 2, copy.deepcopy(rows), np.random.default_rng(3)

    args = arguments()
    value = module.f(*args)
    calls, drawn, left = module.CALLS.copy(), args[3].bit_generator.state, args[2]
    slope = tape.grad(module.f)(*arguments())
    derivative = value_and_grad(module.f, recorded="allow")
    for _ in range(2):
        args = arguments()
        found, bar = derivative(*args)
        np.testing.assert_allclose(found, value)
        np.testing.assert_allclose(bar, slope)
        assert module.CALLS == calls
        assert args[3].bit_generator.state == drawn
        assert len(args[2]) == len(left)
    v = np.array([0.3, -0.2, 0.7])

    def along(t):
        x_bar = tape.grad(module.f)
        _, n, *others = arguments()
        return x_bar(x + t * v, n, *others)

    product = hvp(module.f, recorded="allow")(*arguments(), v)
    difference = (along(1e-6) - along(-1e-6)) / 2e-6
    np.testing.assert_allclose(product, difference, rtol=1e-6, atol=1e-6)


def test_sparse_rows_stay_what_they_are():
    """What may be a list is made an array only where it is one."""
    sparse = pytest.importorskip("scipy.sparse")

    def f(x, matrices):
        s = 0.0
        for m in matrices:
            s = s + np.sum((m @ x) ** 2)
        return s

    dense = np.array([[1.0, 2.0], [0.0, 3.0]])
    x = np.array([0.3, 0.4])
    given = [sparse.csr_matrix(dense), dense]
    np.testing.assert_allclose(grad(f)(x, given), 4 * dense.T @ dense @ x)
