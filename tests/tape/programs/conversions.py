"""Programs with objects that Python and NumPy take for numbers, sequences or arrays."""

import array
import cmath
import math
import statistics
from collections import UserList, deque, namedtuple
from fractions import Fraction

import numpy as np

Parts = namedtuple("Parts", "a b")

class Entries(list):
    """A list, by another name."""
class Pair:
    """A complex number."""
    def __init__(self, a, b):
        self.a, self.b = a, b
    def __complex__(self):
        return self.a + 1j * self.b
class Quantity:
    """A number."""
    def __init__(self, a):
        self.a = a
    def __float__(self):
        return float(self.a)
def flat_right(x):
    return np.sum(x * x.flat)
def userlist_right(x):
    return np.sum(x * UserList(x))
def userlist_left(x):
    return np.sum(UserList(x) * x)
def userlist_beside_constant(x):
    return np.sum(np.ones(3) * UserList(x)*x)
def fraction_of_an_entry(x):
    return Fraction(1, 2) * np.asarray(x[0])*x[1]
def fraction_of_a_number(x):
    return Fraction(1, 2) * x[0]*x[1]
def fraction_and_array(x):
    return float(Fraction(1, 2) + np.asarray(x[0]))*x[1]
def cmath_of_pair(x):
    return cmath.exp(Pair(x[0], x[1])).real*x[2]
def cmath_of_float(x):
    return cmath.exp(Quantity(x[0])).real*x[2]
def poly1d_of_list(x):
    return np.poly1d(Entries([x[0], x[1], x[2]]))(0.5)
def dist_of_map(x):
    return math.dist(map(float, x), [1., 2., 3.])
def flat_left(x):
    return np.sum(x.flat * x)
def exp_of_flat(x):
    return np.sum(np.exp(x.flat))
def asarray_of_flat(x):
    return np.sum(np.asarray(x.flat)*x)
def array_of_flat(x):
    return np.sum(np.array(x.flat)*x)
def sqrt_of_float(x):
    return math.sqrt(Quantity(x[0]))
def hypot_of_float(x):
    return math.hypot(Quantity(x[0]), x[1])
def exp_of_userlist(x):
    return np.sum(np.exp(UserList(x)))
def poly1d_of_userlist(x):
    return np.poly1d(UserList(x))(0.5)
def polyval_of_list(x):
    return np.polyval(Entries(x), x[0])
def deque_right(x):
    return np.sum(x * deque(x))
def deque_left(x):
    return np.sum(deque(x)*x)
def polar(x):
    return abs(cmath.polar(Pair(x[0], x[1]))[0])*x[2]
def rect(x):
    return cmath.rect(Quantity(x[0]), Quantity(x[1])).real
def pow_of_fraction(x):
    return math.pow(Quantity(x[0]), Fraction(3, 2))*x[1]
def stack_userlist(x):
    return np.sum(np.stack(UserList([x, x*x])))
def concatenate_deque(x):
    return np.sum(np.concatenate(deque([x, x*x])))
def array_of_quantities(x):
    return np.sum(np.array(list(map(Quantity, x)), dtype=float)*x)
def array_of_list_of_quantities(x):
    return np.sum(np.array([Quantity(v) for v in x], float)*x)
def complex_of_pair(x):
    return complex(Pair(x[0], x[1])).imag*x[0]
def complex_of_floats(x):
    return complex(Quantity(x[0]), Quantity(x[1])).imag*x[0]
def complex128_of_pair(x):
    return np.complex128(Pair(x[0], x[1])).imag*x[0]
def float64_of_float(x):
    return np.float64(Quantity(x[0]))*x[0]
def fraction_over_entry(x):
    return (Fraction(1, 3) / np.asarray(x[0])) ** 2 * x[1]
def outer(x):
    return np.sum(np.outer(UserList(x), x.flat))
def column_userlist(x):
    return np.sum(x[:, None] * UserList(x))
def matmul_userlist(x):
    return np.sum(x @ UserList(x))
def userlist_matmul(x):
    return UserList(x) @ x
def written_flat(x):
    y = x.copy()
    y[:] = x.flat
    return np.sum(y*x)
def augmented_userlist(x):
    y = x.copy()
    y += UserList(x)
    return np.sum(y*x)
def entry_quantity(x):
    y = x.copy()
    y[0] = Quantity(x[1])
    return np.sum(y*x)
def constant_entry_quantity(x):
    y = np.zeros(3)
    y[0] = Quantity(x[1])
    return np.sum(y*x)
def written_quantities(x):
    y = np.zeros(3)
    y[:] = [Quantity(v) for v in x]
    return np.sum(y*x)
def written_deque(x):
    y = np.zeros(3)
    y[1:] = deque(x[:2])
    return np.sum(y*x)
def ranges(x):
    return np.sum(x ** range(3)) + np.gradient(x, range(3)) @ x + np.sum(np.power(x, range(3))) + np.interp(0.5, range(3), x) + np.dot(range(3), x)
def buffers(x):
    return np.sum(x - array.array("d", [1, 2, 3])) + np.sum(np.arctan2(memoryview(np.ones(3)), x)) + np.dot(array.array("d", [1, 2, 3]), x)
def complex_entries(x):
    y = np.zeros(3, complex)
    y[0] = x[0]
    y[1] = Pair(x[1], x[2])
    y[2] = Quantity(x[0])
    return np.abs(y).sum()
def filled(x):
    y = x * 1
    y.fill(Quantity(x[1]))
    return np.full(2, Quantity(x[0]), dtype=float).sum() * y[0]
def fractions(x):
    return max(x[0], Fraction(1, 10)) + divmod(x[1], Fraction(1, 3))[1] + pow(x[0], Fraction(1, 2)) + x[1] % Fraction(1, 3) + Fraction(1, 2)**x[1]
def folds(x):
    return np.add.reduce(UserList(x)) * np.multiply.accumulate(deque(x))[2] + np.add.outer(UserList(x), x).sum() + math.prod(x, start=x[0])
def in_place(x):
    y = x * 1
    y += UserList(x)
    y *= deque(x)
    y -= range(3)
    return np.sum(y)
def statistics_of_pairs(x):
    return statistics.covariance(x, x * x) + statistics.geometric_mean(x) + statistics.NormalDist(x[0], x[1]).cdf(x[2]) + statistics.linear_regression([1.0, 2.0, 4.0], x).slope
def named_tuples(x):
    p = Parts(x[0], x[1])
    return np.linalg.norm(p) + np.sum(x[:2] * p) + x[:2] @ p + np.stack(Parts(x, x * x)).prod() + np.array([p, p]).prod() + np.exp(p).sum() + np.max(p)
