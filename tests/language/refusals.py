"""What is refused: a program for each, and one that takes the way out that the page names."""

import asyncio
import collections
import contextlib
import dataclasses
import itertools
from typing import Any

import numpy as np
from scipy import signal

from srcgrad import checkpoint, checkpointed, grad, hessian, jacfwd, vjp
from tests.language.rows import refuses

X = np.array([0.3, 0.7, 1.1])


def two_values(x):
    return sum((x * x, x))


@refuses("`yield`", says="a generator", instead=two_values)
def generated(x):
    yield x * x
    yield x


@refuses("`await`, `async`", says="await", args=(0.5,), instead=two_values)
async def awaited(x):
    await asyncio.sleep(0)
    return x * x


def plus_one(x):
    return x * x + 1


@refuses(
    "`global` for more than counting (`calls += 1`) and keeping what nobody reads (`last = loss`)",
    says="a name of the module",
    instead=plus_one,
)
def writes_global(x):
    global COUNT
    COUNT = "one"
    return x * x + len(COUNT) - 2


POWER = 2.0


def raise_power():
    global POWER
    POWER = POWER + 1.0


def power_of(x, power=2.0):
    return x**power


@refuses(
    "calls that give a global or captured number another value, where the derivative reads it",
    says="a call that gives 'POWER' another value",
    instead=power_of,
)
def changes_a_number(x):
    y = x**POWER
    raise_power()
    return y


def counts_alone(x):
    total = 0.0

    def add(total, v):
        return total + v

    first = total
    total = add(total, x)
    return first + total * x


@refuses(
    "`nonlocal` for a parameter, or for what no statement of its own assigns first",
    says="a nonlocal statement",
    instead=counts_alone,
)
def reads_first(x, total=0.0):
    def add(v):
        nonlocal total
        total = total + v
        return total

    return total + add(x) * x


@refuses("`import` in a branch", says="an import here", instead=plus_one)
def imports(x):
    if x > 0.0:
        import math

        return math.sin(x)
    return x


def running(x):
    return np.cumsum([x, x * x, 2 * x])[1]


@refuses(
    "other functions of `itertools` over what is differentiated",
    says="no formula for itertools.accumulate",
    instead=running,
)
def in_turn(x):
    return list(itertools.accumulate([x, x * x, 2 * x]))[1]


@refuses("`import` in a branch", says="an import here", instead=plus_one)
def imports_from(x):
    for _ in range(2):
        from math import sin

        x = sin(x)
    return x


@refuses("`class` in a function", says="a class definition", instead=plus_one)
def defines(x):
    class Local:
        pass

    return x * x


def tested(x):
    return 1 / x if x != 0 else 0.0 * x


@refuses(
    "`try` with handlers whose body writes into what was there before",
    says="whose body writes into",
    instead=tested,
)
def tried(x):
    y = x * np.ones(2)
    try:
        y[0] = 1 / x
        y[1] = y[0] * x
    except ZeroDivisionError:
        y[0] = 0.0
    return y[0]


@refuses("`except*`", says="except*", instead=tested)
def tried_many(x):
    try:
        print(x)
    except* ValueError:
        pass
    return x


def logged(x):
    text = "a" if COUNT else "b"
    return x * len(text)


@refuses("`return`, `break`, `continue` before `finally`", says="leaving a try", instead=logged)
def left(x):
    try:
        return x * x
    finally:
        print(end="")


@refuses("context managers that swallow exceptions", says="may swallow", instead=tested)
def suppressed(x):
    with contextlib.suppress(ZeroDivisionError):
        return 1 / x
    return x


def of_the_kind(x, kind):
    if isinstance(kind, tuple) and len(kind) == 2:
        return x
    return x * x


@refuses(
    "`match` on sequences and dicts",
    says="a pattern that takes a value apart",
    args=(0.5, (1, 2)),
    instead=of_the_kind,
)
def matched_kind(x, kind):
    match kind:
        case (a, b):
            return x
        case _:
            return x * x


def listed_window(x):
    window = [x, x * x]
    window.pop(0)
    return window[0]


@refuses("`deque`", says=".append", instead=listed_window)
def bounded(x):
    window = collections.deque(maxlen=1)
    window.append(x * x)
    return window[0]


@refuses("`defaultdict` and `Counter`", says="an object that may not be a local array")
def summed_by_key(x):
    sums = collections.defaultdict(float)
    sums["a"] += x * x
    return sums["a"] + sums["b"]


def multiplier(a):
    def times(x):
        return a * x

    return times


def called_at_once(x):
    return x * x


@refuses(
    "functions that return local functions",
    says="returning a local function",
    instead=called_at_once,
)
def made(x):
    return multiplier(x)(x * x) + multiplier(2.0)(x)


@dataclasses.dataclass
class Slot:
    """A place."""

    v: Any


@refuses("`del` of attributes", says="del of an attribute", instead=two_values)
def deletes(x):
    slot = Slot(x)
    y = slot.v * 2
    del slot.v
    return y


def kept_kind(x, n):
    y = (x, x)
    for _ in range(n):
        y = (y[1], y[0] * x)
    return y[0]


@refuses(
    "variables that change their structure in a `while` loop",
    says="changes its structure",
    args=(0.5, 3),
    instead=kept_kind,
)
def changes_structure(x, n):
    y = (x, x)
    while n > 0:
        y = (y[0], y[1], x)
        n -= 1
    return y[1]


def through_a_copy(x, n):
    rows = [x, x * x]
    for r in list(rows):
        if len(rows) < n:
            rows.append(r * x)
    return rows[-1]


@refuses(
    "a loop that makes the list it goes through longer or shorter",
    says="changed by the loop that goes through it",
    args=(0.5, 6),
    instead=through_a_copy,
)
def longer_on_the_way(x, n):
    rows = [x, x * x]
    for r in rows:
        if len(rows) < n:
            rows.append(r * x)
    return rows[-1]


def of_arrays(x, n):
    rows = []
    for k in range(n):
        rows.append(np.array([x * k, 1.0]))
    return np.sum(np.concatenate(rows) ** 2)


@refuses(
    "lists of lists that grow, in calls of libraries",
    says="a list of lists or tuples",
    args=(0.5, 3),
    instead=of_arrays,
)
def of_lists(x, n):
    rows = []
    for k in range(n):
        rows.append([x * k, 1.0])
    return np.sum(np.concatenate(rows) ** 2)


def in_array(x):
    return np.sum(np.array([x, x * x]) * 2.0)


@refuses(
    "arithmetic on lists and tuples",
    says="arithmetic on a tuple or list",
    args=(0.5, np.array([2, 1])),
    instead=in_array,
    instead_args=(0.5,),
)
def multiplied(x, n):
    t = (x, x * x)
    return (t * n[0])[3]


@refuses("sets", says="Set", instead=in_array)
def in_a_set(x):
    return sum({x, x * x})


@refuses("generators elsewhere", says="a generator over active values here", instead=two_values)
def named_generator(x):
    parts = (x * k for k in range(3))
    return sum(parts)


def places(n):
    yield from range(n)


def list_of_places(n):
    return list(range(n))


def over_a_list(x):
    return sum([x * k for k in list_of_places(3)])


@refuses("generators that are left early", says="not all is taken at once", instead=over_a_list)
def over_a_generator(x):
    total = 0.0
    for k in places(3):
        total += x * k
        if k > 1:
            break
    return total


def raised(v):
    v += 1.0
    return 2.0


def raised_before(x):
    w = np.ones(3)
    y = w * x
    first = w[0]
    factor = first * raised(w)
    return np.sum(y + factor * w * x)


@refuses(
    "a call that writes what is read before it, in a comprehension or behind `and`",
    says="beside what was read before",
    args=(X,),
    instead=raised_before,
)
def raised_within(x):
    w = np.ones(3)
    return np.sum(w * x + sum(w[0] * raised(w) for _ in range(1)) * w * x)


def listed(x):
    parts = [x * k for k in range(3)]
    return sum(parts) + sum(parts)


@refuses("iterators under a name", says="over active values here", instead=listed)
def named_map(x):
    parts = map(np.sin, [x, x * x])
    return sum(parts)


def chosen(x):
    p, q = {"a": x}, {"a": x * 2}
    r = dict(p if x > 0 else q)
    r["a"] = x**2
    return r["a"] * p["a"]


@refuses(
    "writing to a list, dict or object that may be one of several",
    says="may be an argument or have another name",
    instead=chosen,
)
def writes_one_of_two(x):
    p, q = {"a": x}, {"a": x * 2}
    r = p
    if x > 0:
        r = q
    r["a"] = x**2
    return r["a"] * p["a"]


def written_out(x):
    p = {"a": x, "b": x * x}
    return sum([value * 2 for value in p.values()])


@refuses("keys that are not known", says="a key that is not known", args=(0.5, "a"), instead=None)
def unknown_key(x, key):
    p = {"a": x, "b": x * x}
    return p[key[::-1]]


@refuses("keys that are not known", says="a key that is not known", instead=written_out)
def computed_key(x):
    p, k = {}, 0
    while k < 3:
        p[k * 2] = x
        k += 1
    return p[0]


def with_where(x):
    y, z = x * 2, x * 3
    y = np.where(x[0] > 0.5, y, z)
    y[0] = 1.0
    return np.sum(y**2)


@refuses("writing to an array that may be one of several", says="", args=(X,), instead=with_where)
def one_of_two(x):
    y, z = x * 2, x * 3
    rows = []
    for k in range(x.shape[0]):
        rows.append(y if k else z)
    rows[1][0] = 1.0
    return np.sum(y**2)


def shift(u, v):
    u[1:] = v[:-1]


def shifted(x):
    y = x * 2
    shift(y, y.copy())
    return np.sum(y**2)


@refuses("writing to one array through two arguments", says="", args=(X,), instead=shifted)
def overlapping(x):
    y = x * 2
    shift(y, y)
    return np.sum(y**2)


def halve(u, n):
    if n:
        u *= 0.5
        halve(u, n - 1)


def halved(u, n):
    return halved(u * 0.5, n - 1) if n else u


def returned(x):
    return np.sum(halved(x * 2, 3) ** 2)


@refuses("recursive functions that write to their arguments", says="", args=(X,), instead=returned)
def recursive_write(x):
    y = x * 2
    halve(y, 3)
    return np.sum(y**2)


def falling(x, n):
    return falling(np.sin(x), n - 1) * x if n else x


def slope(x):
    return grad(falling)(x, 2)


def unrolled(x):
    return np.sin(np.sin(x)) * np.sin(x) * x


@refuses(
    "second derivatives of recursive functions",
    says="calls itself",
    run=lambda f, x: grad(f)(x),
    instead=unrolled,
)
def second_of_recursion(x):
    return slope(x)


@refuses("writing to the real or imaginary part", says="real or imaginary part", args=(X,))
def real_part(x):
    z = x * 1j
    z.real[0] = x[1]
    return np.sum(np.abs(z) ** 2)


def by_branch(x):
    return np.sin(x) if COUNT else np.cos(x)


@refuses("calls of what is chosen while the program runs", says="what this call", instead=by_branch)
def chosen(x):
    return (np.sin if COUNT else np.cos)(x)


COUNT = 0


class Plain:
    """A class of values."""

    def __init__(self, v):
        self.v = v

    @classmethod
    def twice(cls, x):
        return 2 * x


def draws(x):
    return x * sum([np.random.default_rng(1).normal() for _ in range(2)])


def drawn_outside(x):
    noise = np.random.default_rng(1).normal()
    return checkpoint(lambda t: t * noise)(x)


@refuses("`checkpoint` of what cannot run again", says="may not do the same", instead=drawn_outside)
def draws_again(x):
    return checkpoint(draws)(x)


@refuses("`checkpoint` of what cannot run again", says="no plain Python function")
def library_again(x):
    return checkpoint(np.sin)(x)


@refuses("`checkpointed` of a loop whose steps cannot run again", says="may not do the same")
def steps_draw(x):
    for _ in checkpointed(range(3)):
        x = x * sum([np.random.default_rng(1).normal() for _ in range(2)])
    return x


def passed(x):
    return np.sin(x)


def squared_in_a_file(x):
    return x * x


_executed: dict[str, Any] = {}
exec("def cubed(x):\n    return x * x * x", _executed)


def with_a_text(x):
    return squared_in_a_file(x) * x


@refuses(
    "functions whose text cannot be had",
    says="the source of cubed cannot be read",
    instead=with_a_text,
)
def without_a_text(x):
    return _executed["cubed"](x)


@refuses("functions without source or formula", says="no formula", instead=passed)
def no_formula(x):
    return np.polydiv(np.array([x, 1.0]), np.array([1.0, x]))[0][0]


def squared(x):
    return x * x


def called(x):
    y, backward = vjp(squared, x)
    return backward(y)


def run_later(backward, y):
    return backward(y)


@refuses("handing on a backward function", says="a backward function in another", instead=called)
def handed_on(x):
    y, backward = vjp(squared, x)
    return run_later(backward, y)


def one_each(x):
    return grad(squared)(x) if COUNT else 3 * x


@refuses("a choice between two derivatives", says="", instead=one_each)
def chosen_derivative(x):
    derivative = grad(squared) if COUNT else grad(np.sin)
    return derivative(x)


class Box:
    """It has a method."""

    def f(self, x):
        return x * x


BOX = Box()


def through_method(x):
    return grad(lambda t: BOX.f(t))(x)


@refuses(
    "derivatives of methods, inside", says="the derivative of the method", instead=through_method
)
def method_inside(x):
    return grad(BOX.f)(x)


@refuses(
    "functions of NumPy's and SciPy's that have no formula and are written in Python",
    says="no formula for scipy.signal.hilbert",
)
def through_a_library(x):
    return np.sum(np.abs(signal.hilbert(np.array([x, 1.0, 2.0]))))


def product(a, b):
    return a * a * b


def one_argument(x):
    return jacfwd(product)(x, x)


@refuses("Jacobians for several arguments, inside", says="several arguments", instead=one_argument)
def jacobians_inside(x):
    return jacfwd(product, wrt=(0, 1))(x, x)[0]


@refuses("complex numbers in functions of real ones", says="complex", instead=squared)
def complex_max(x):
    return np.max(np.array([x * 1j, x])).real


@refuses(
    "Jacobians for complex arguments", says="real arguments", args=(1j,),
    run=lambda f, z: jacfwd(f)(z), instead=squared, instead_args=(0.5,),
)  # fmt: skip
def complex_argument(z):
    return z * z


@refuses(
    "Jacobians for complex arguments", says="real", args=(1j,),
    run=lambda f, z: hessian(f)(z),
)  # fmt: skip
def complex_hessian(z):
    return abs(z) ** 2


@refuses(
    "`wrt` for what is no floating-point number",
    says="integer",
    args=(2,),
    instead=squared,
    instead_args=(2.0,),
)
def integer(x):
    return x * x


@refuses("`wrt` for what is no floating-point number", says="cannot be differentiated", args=("a",))
def string(x):
    return len(x)


@refuses("`wrt` for what is no floating-point number", says="boolean", args=(np.array([True]),))
def boolean(x):
    return np.sum(x)


def by_class(plain, x):
    return plain.v * Plain.twice(x)


@refuses("class methods of an object", says=".twice", args=(Plain(0.3), 0.5), instead=by_class)
def class_method(plain, x):
    return plain.v * plain.twice(plain.v)


def slot_made(x):
    return Slot(x).v * x


@refuses("Jacobians of trees, inside", says="which has parts", instead=one_argument)
def jacobian_of_a_tree_inside(x):
    return jacfwd(energy)({"a": x, "b": x * x})["a"]


def energy(p):
    return p["a"] * p["b"]


def called(x):
    return x.sum()


@refuses(
    "attributes of arrays that are not called", says=".sum of an array", args=(X,), instead=called
)
def not_called(x):
    return x.sum
