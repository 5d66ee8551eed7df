"""Every way to write to an array between two reads is seen."""

import operator

import numpy as np
import pytest
from scipy import linalg, ndimage, special

from srcgrad import stop_gradient, tape
from tests.in_memory import execute

M = np.array([[3.0, 1, 0], [1, 4, 1], [0, 1, 5.0]])
WRITES = """
np.negative(a, out=(a,))
np.divmod(a, 2., out=(a, t))
np.modf(a, a, t)
np.frexp(a,a,np.zeros(3,np.int32))
special.expit(a, out=(a,))
special.sici(a,a,t)
linalg.solve_triangular(M.copy(),a,overwrite_b=True)
linalg.solve(M.copy(),a,overwrite_b=True)
ndimage.gaussian_filter1d(a,1.,output=a)
ndimage.correlate1d(a,np.ones(3),-1,a)
ndimage.uniform_filter1d(a,2,output=a)
setattr(o,'w',a); o.w[0]=9.
vars(o)['w']=a; o.w[0]=9.
object.__setattr__(o,'w',a); o.w[0]=9.
q=np.array([None],dtype=object); q[0]=a; q[0][0]=9.
[0 for _ in [helper(a)]]
np.random.default_rng(0).shuffle(a)
a.sort()
a[::-1].sort()
np.put(a,[0],[5.])
a.put([1],5.)
a.fill(2.)
np.copyto(a,3.)
np.add.at(a,[0,0],1.)
np.clip(a,0.,1.2,a)
np.sum(np.outer(a,a),0,None,a)
a.cumsum(out=a)
np.cumsum(a,out=a)
np.nan_to_num(a,copy=False)
a.real[:]=4.
a.reshape(3,1)[1]=8.
a.flat[0]=3.
a.T[2]=9.
np.put_along_axis(a,np.array([1]),7.,0)
np.place(a,a>0,[4.,5.])
np.putmask(a,a>0,2.)
np.take(t,[0,1,2],out=a)
np.dot(M,t+1,out=a)
np.matmul(M,t+1,out=a)
np.einsum('ij,j->i',M,t+1,out=a)
exec('a[0]=6.')
operator.setitem(a,0,5.)
operator.iadd(a,1.)
a.__setitem__(0,5.)
a.__iadd__(1.)
a+=1.
a*=2.
a[1:]-=.5
[helper(v) for v in (a,)]
list(map(helper,[a]))
(lambda v: helper(v))(a)
it=iter([a]); helper(next(it))
np.vectorize(lambda i: helper(a))(np.arange(2))
np.copyto(dst=a,src=t)
np.multiply(a,2.,a)
np.exp(a,out=a,where=a>1.1)
a.partition(1)
np.fill_diagonal(a.reshape(3,1),7.)
np.ndarray.sort(a)
np.ndarray.fill(a,3.)
np.ndarray.__setitem__(a,0,5.)
np.lib.stride_tricks.as_strided(a,(2,))[0]=5.
np.frombuffer(a)[:]=3.
x2=x*1;np.add(x2,1.,out=a)
a[0]=x[1]
np.copyto(a,x)
np.multiply(x,x,out=a)
a[:]=x**2
a+=x
ndimage.gaussian_filter1d(x,1.,output=a)
np.cumsum(x,out=a)
a.put([0,1],x[:2])
np.maximum.accumulate(a,out=a)
np.add.reduce(np.outer(a,a),0,None,a)
np.round(a*1.3,0,a)
a.round(out=a)
a.clip(0,1.1,out=a)
""".strip().splitlines()


def helper(v):
    """Write to an array, and return a number."""
    v[0] = v[0] + 3.0
    return 1.0


def program(write, loop):
    """Return a function with a write between two reads of an array without derivative."""
    lines = ["def f(x):", "    a = np.array([1.0, 1.5, 0.7]); t = np.zeros(3)"]
    lines += ["    class O: pass", "    o = O()", "    y = np.sum(a * x)"]
    parts = [part.strip() for part in write.split(";")]
    if loop:
        lines += ["    for _ in range(2):", "        y = y + np.sum(a * x)"]
        lines += [f"        {part}" for part in parts]
    else:
        lines += [f"    {part}" for part in parts]
    lines += ["    return y + np.sum(a * x**2) + np.sum(t * x)"]
    name = f"write {write} {loop}"
    text = "\n".join(lines) + "\n"
    names = execute(text, name, {**NAMES})
    return names["f"]


NAMES = {
    "np": np,
    "linalg": linalg,
    "ndimage": ndimage,
    "special": special,
    "operator": operator,
    "M": M,
    "helper": helper,
}


@pytest.mark.parametrize("loop", [False, True], ids=["once", "in a loop"])
@pytest.mark.parametrize("write", WRITES)
def test_a_write_between_two_reads(write, loop):
    """The gradient is that of the program."""
    f, x, h = program(write, loop), np.array([0.7, 1.3, 2.1]), 1e-5
    expected = [(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in np.eye(3)]
    np.testing.assert_allclose(tape.grad(f)(x.copy()), expected, rtol=1e-6, atol=1e-6)


def holder_of_arrays(x, change):
    """Arrays that are written through an array of objects that holds them."""
    p, q = x * 2.0, np.array([0.5, 1.5, 1.0])
    held = np.empty((2, 1), object)
    held[0, 0], held[1, 0] = p, q
    y = np.sum(held[0, 0] * x)
    change(held, x)
    return y + np.sum(held[0, 0] * held[1, 0] * x) + np.sum(p * p * x) + np.sum(q * x)


def _scale(held, x):
    held[0, 0] *= x


def _write(held, x):
    held[1, 0][0] = x[1]


def _exchange(held, x):
    held[0, 0], held[1, 0] = held[1, 0], held[0, 0] * x


@pytest.mark.parametrize("change", [_scale, _write, _exchange])
def test_arrays_of_objects_hold_the_arrays_themselves(change):
    """What is written through one of their entries is seen under the array's own name."""
    x, h = np.array([0.7, 1.3, 2.1]), 1e-5
    ends = [
        (holder_of_arrays(x + h * e, change), holder_of_arrays(x - h * e, change))
        for e in np.eye(3)
    ]
    expected = [(upper - lower) / (2 * h) for upper, lower in ends]
    found = tape.grad(holder_of_arrays)(x.copy(), change)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_a_write_into_nothing():
    """An array without entries has no memory that its strides could lead to."""

    def program(x, y):
        total = y
        total = total + np.ravel([x, x])[:0]
        total[::-1] += 1.0
        return np.sum(total * total)

    bars = tape.grad(program, wrt=(0, 1))(np.zeros(0)[::-1], 0.45)
    assert bars[0].shape == (0,)
    assert bars[1] == 0.0


def test_a_formula_adds_in_place_where_nothing_is_recorded():
    """The gradient of ``np.diff`` adds to a part of zeros, in a derivative of a derivative, too."""

    def f(x):
        return np.sum(np.diff(x) ** 3)

    def inner(x):
        return np.sum(tape.grad(f)(x) * x)

    x = np.array([0.3, 1.1, -0.4])
    units = np.eye(3) * 1e-6
    found = [(inner(x + unit) - inner(x - unit)) / 2e-6 for unit in units]
    np.testing.assert_allclose(tape.grad(inner)(x), found, rtol=1e-7)


def test_a_constant_is_read_as_its_array_was_written():
    """What stop_gradient gives is the array itself, in which a write is seen."""

    def read_afterwards(x):
        a = x * 2
        constant = stop_gradient(a)
        a[0] = x[1] ** 2
        return np.sum(constant * x)

    def read_before(x):
        a = x * 2
        scaled = x / stop_gradient(a)
        a[0] = 5.0
        return np.sum(scaled * a)

    found = tape.grad(read_afterwards)(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(found, [4.0, 4.0, 6.0])
    found = tape.grad(read_before)(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(found, [2.5, 2.0, 2.0])
