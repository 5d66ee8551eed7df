"""Arrays that something outside of a function keeps, and that are written through it."""

import pytest

from tests.frontend.arrays.test_array_writes import BETWEEN, LOOP, outcome

OUTSIDE = """import weakref
from srcgrad import nondifferentiable
@nondifferentiable
def bump(v):
    v[0] = 9.
    return 1.0
def told(v, t=None): v[0] = 9.
nondifferentiable(told, writes="v")
def keep(v): KEPT.append(v)
KEPT = []
nondifferentiable(keep, keeps="v")
class Log:
    def __init__(self): self.rows = []
    def add(self, v): self.rows.append(v)
    def update(self, v): v[0] = 9.
    def count(self, v): v[0] = 9.
LOG = Log()
D = {}
L = []
DQ = collections.deque()
OBJ = np.empty(2, dtype=object)
NS = types.SimpleNamespace()
"""
WRITES = r"""
bump(a)
_ = bump(a)
told(a)
told(v=a)
keep(a); KEPT[-1][0] = 9.
LOG.add(a); LOG.rows[-1][0] = 9.
LOG.update(a)
LOG.count(a)
w = Log(); w.update(a)
w = Log(); w.count(a)
w = Log(); w.add(a); w.rows[0][0] = 9.
D["w"] = a; D["w"][0] = 9.
D.update(w=a); D["w"][0] = 9.
D.setdefault("q", a); D["q"][0] = 9.; D.clear()
L.append(a); L[-1][0] = 9.
L[:] = [a]; L[0][0] = 9.
L.insert(0, a); L[0][0] = 9.
DQ.append(a); DQ[-1][0] = 9.
DQ.appendleft(a); DQ[0][0] = 9.
OBJ[0] = a; OBJ[0][0] = 9.
OBJ.fill(a); OBJ[0][0] = 9.
NS.w = a; NS.w[0] = 9.
setattr(NS, "w", a); NS.w[0] = 9.
vars(NS)["w"] = a; NS.w[0] = 9.
object.__setattr__(NS, "w", a); NS.w[0] = 9.
NS.__dict__["w"] = a; NS.w[0] = 9.
NS.__dict__.update(w=a); NS.w[0] = 9.
globals()["GG"] = a; GG[0] = 9.
setattr(NS, "w", a); helper(NS.w)
setattr(NS, "w", a); v = NS.w; v += 1.
setattr(LOG, "w", a); LOG.w[0] = 9.
OBJ[0] = a; helper(OBJ[0])
OBJ[:1] = [a]; OBJ[0][0] = 9.
np.put(OBJ, 0, [a]) if False else OBJ.__setitem__(0, a); OBJ[0][0] = 9.
np.copyto(OBJ[:1], np.array([None])); a[0] = 9.
operator.setitem(OBJ, 0, a); OBJ[0][0] = 9.
operator.setitem(L, slice(None), [a]); L[0][0] = 9.
operator.setitem(D, "w", a); D["w"][0] = 9.
heapq.heappush(L, a) if not L else L.__setitem__(0, a); L[0][0] = 9.
q = itertools.chain([a]); next(q)[0] = 9.
q = itertools.chain([a]); [v.fill(2.) for v in q]
q = enumerate([a]); next(q)[1][0] = 9.
q = reversed([a]); next(q)[0] = 9.
q = map(lambda v: v, [a]); next(q)[0] = 9.
q = (v for v in [a]); next(q)[0] = 9.
q = itertools.tee([a])[0]; next(q)[0] = 9.
q = functools.partial(lambda v: v, a)(); q[0] = 9.
q = weakref.ref(a)(); q[0] = 9.
q = np.nditer(a, op_flags=["readwrite"]); q[0] = 9.
q = np.ndenumerate(a); a[0] = 9.
q = a.__array_interface__["data"]; a[0] = 9.
q = a.__array__(); q[0] = 9.
q = a.ravel("K"); q[0] = 9.
q = a.base if a.base is not None else a; q[0] = 9.
q = a.swapaxes(0, 0); q[0] = 9.
q = a.squeeze(); q[0] = 9.
q = a.diagonal() if a.ndim > 1 else a; q[0] = 9.
q = a.view(np.int64); q[0] = 0
q = a.getfield(float); q[0] = 9.
q = np.frombuffer(a.data); q[0] = 9.
q = np.from_dlpack(a); q[0] = 9.
q = np.resize(a, 3); q[0] = 9.
q = np.block([a]); q[0] = 9.
q = np.where(True, a, a); q[0] = 9.
q = np.choose([0, 0, 0], [a]); q[0] = 9.
q = np.c_[a]; q[0] = 9.
q = np.r_[a]; q[0] = 9.
q = np.ix_(a > 0)[0]; a[q[0]] = 9.
q = operator.iadd(a, 1.); q[0] = 9.
q = operator.pos(a); q[0] = 9.
q = operator.getitem(a, slice(0, 2)); q[0] = 9.
q = np.nan_to_num(a, copy=False); q[0] = 9.
q = np.trim_zeros(a); q[0] = 9.
q = ndimage.gaussian_filter1d(a, 1., output=a); q[0] = 9.
q = np.add(a, 1., a); q[0] = 9.
q = special.expit(a, a); q[0] = 9.
q = np.median(a, overwrite_input=True); a[0] = 9.
"""
CASES = WRITES.strip().splitlines()


@pytest.mark.one_of(4)
@pytest.mark.parametrize("write", CASES)
@pytest.mark.parametrize("text", [BETWEEN, LOOP], ids=["between", "loop"])
def test_a_write_between_two_reads(text, write):
    """What is read before a write and after it is what was there."""
    outcome(OUTSIDE + text, write)
