"""Views of an array that are handed on, written into, and seen under the array's own name."""

from random import Random
from textwrap import indent

VIEWS = [
    "y[1:3]",
    "y[::-1]",
    "y.reshape(2,2)[1]",
    "y[None][0]",
    "np.asarray(y)",
    "np.split(y,2)[0]",
    "y.view()",
    "np.atleast_1d(y)",
    "np.atleast_2d(y)[0,:2]",
    "np.ravel(y)",
    "np.reshape(y,(2,2)).T[0]",
    "np.squeeze(y[None])",
    "np.expand_dims(y,0)[0]",
    "np.flip(y)",
    "y.real",
    "np.require(y)",
    "y[slice(0,2)]",
    "np.swapaxes(y.reshape(2,2),0,1)[1]",
    "np.lib.stride_tricks.sliding_window_view(y,2,writeable=True)[1]",
    "np.moveaxis(y.reshape(1,4),0,1)[:,0]",
    "np.rot90(y.reshape(2,2))[0]",
    "np.array_split(y,3)[0]",
    "np.hsplit(y,2)[1]",
    "y.T",
    "np.array(y,copy=False)",
    "np.array(y,copy=None,ndmin=2)[0]",
    "y.astype(float,copy=False)",
    "np.astype(y,float,copy=False)",
    "np.linalg.matrix_transpose(y.reshape(2,2))[0]",
    "np.linalg.matrix_power(y.reshape(2,2),1)[0]",
    "np.diff(y,n=0)",
    "np.meshgrid(y,copy=False)[0]",
    "np.einsum('i->i',y)",
    "np.trim_zeros(y)",
    "np.nan_to_num(y,copy=False)",
    "y.view(np.ndarray)",
    "np.permute_dims(y.reshape(2,2),(1,0))[0]",
    "np.real_if_close(y)",
    "y.squeeze()",
    "next(iter(y.reshape(2,2)))",
    "list(y.reshape(2,2))[1]",
]
# how the view is handed on: from V to v
HANDED = {
    "list": "box = [V]\nv = box[0]",
    "listappend": "box = []\nbox.append(V)\nv = box[-1]",
    "tuple": "box = (1.0, V)\n_, v = box",
    "dict": "box = {'k': V}\nv = box['k']",
    "dictget": "box = dict(k=V)\nv = box.get('k')",
    "setdefault": "box = {}\nv = box.setdefault('k', V)",
    "obj": "box = Box(V)\nv = box.v",
    "slots": "box = Slots(V)\nv = box.v",
    "data": "box = Data(V)\nv = box.v",
    "prop": "box = Box(V)\nv = box.prop",
    "named": "box = Named(V, 2.0)\nv = box.v",
    "closure": "box = V\ndef get():\n    return box\nv = get()",
    "default": "def get(q=V):\n    return q\nv = get()",
    "kwdefault": "def get(*, q=V):\n    return q\nv = get()",
    "lambda": "get = lambda: V\nv = get()",
    "lambdadef": "get = lambda q=V: q\nv = get()",
    "gen": "def gen():\n    yield V\nv = next(gen())",
    "genfor": "def gen():\n    yield V\nfor v in gen():\n    pass",
    "genexp": "v = next(q for q in [V])",
    "partial": "get = functools.partial(ident, V)\nv = get()",
    "partialkw": "get = functools.partial(ident, q=V)\nv = get()",
    "globalname": "global G\nG = V\nv = G",
    "globaldict": "STORE['k'] = V\nv = STORE['k']",
    "globallist": "LST.append(V)\nv = LST.pop()",
    "classattr": "Box.shared = V\nv = Box.shared",
    "instclassattr": "Box.shared = V\nv = Box(None).shared",
    "funcattr": "ident.v = V\nv = ident.v",
    "star": "v, *rest = [V, 1.0]",
    "walrus": "if (v := V) is not None:\n    pass",
    "cond": "v = V if a > 0 else y",
    "or": "v = None or V",
    "zip": "for v, _ in zip([V], [1]):\n    pass",
    "enumerate": "for _, v in enumerate([V]):\n    pass",
    "map": "v = list(map(ident, [V]))[0]",
    "filter": "v = list(filter(lambda q: True, [V]))[0]",
    "reversed": "v = list(reversed([1.0, V]))[0]",
    "chain": "v = next(itertools.chain([V], []))",
    "deque": "dq = collections.deque([V])\nv = dq.popleft()",
    "with": "with Ctx(V) as v:\n    pass",
    "reduce": "v = functools.reduce(lambda p, q: q, [0.0, V])",
    "method": "v = Box(V).get()",
    "staticm": "v = Box.ident(V)",
    "kwargs": "def get(**kw):\n    return kw['q']\nv = get(q=V)",
    "args": "def get(*args):\n    return args[0]\nv = get(V)",
    "nonlocal": "v = None\ndef put():\n    nonlocal v\n    v = V\nput()",
    "try": "try:\n    v = V\nfinally:\n    pass",
    "match": "match (1, V):\n    case (_, v):\n        pass",
    "copyshallow": "v = copy.copy([V])[0]",
    "listslice": "v = [1.0, V][1:][0]",
    "listadd": "v = ([1.0] + [V])[1]",
    "listmul": "v = ([V] * 2)[1]",
    "sorted": "v = sorted([V], key=lambda q: 0)[0]",
    "max": "v = max([V], key=lambda q: 0)",
    "exc": "try:\n    raise Carry(V)\nexcept Carry as err:\n    v = err.args[0]",
    "getattr": "v = getattr(Box(V), 'v')",
    "attrgetter": "v = operator.attrgetter('v')(Box(V))",
    "itemgetter": "v = operator.itemgetter(0)([V])",
    "vars": "v = vars(Box(V))['v']",
    "objarr": "ob = np.empty(1, dtype=object)\nob[0] = V\nv = ob[0]",
    "simplens": "v = types.SimpleNamespace(v=V).v",
    "chainmap": "v = collections.ChainMap({'k': V})['k']",
    "ddict": "dd = collections.defaultdict(lambda: V)\nv = dd['k']",
    "cachedprop": "v = Cached(V).prop",
    "descr": "v = Desc(V).d",
    "call": "v = Caller(V)()",
    "getitem": "v = Caller(V)[0]",
    "iterobj": "v, = Caller(V)",
    "nestfn": "def outer(q):\n    def inner():\n        return q\n    return inner\nv = outer(V)()",
    "compr": "v = [q for q in (V,)][0]",
    "nestcompr": "v = [q for p in [[V]] for q in p][0]",
    "dictcompr": "v = {k: q for k, q in [('k', V)]}['k']",
    "popitem": "v = {'k': V}.popitem()[1]",
    "values": "v = list({'k': V}.values())[0]",
    "items": "for k, v in {'k': V}.items():\n    pass",
    "update": "dd = {}\ndd.update(k=V)\nv = dd['k']",
    "union": "v = ({} | {'k': V})['k']",
    "swap": "u, v = V, 1.0\nu, v = v, u",
}
WRITES = [
    "v[0] = 5.0 * a",
    "v += a",
    "v *= a",
    "np.add(v, a, out=v)",
    "v.fill(a)",
    "np.copyto(v, a)",
    "v[:] = v * v",
    "v[v > 0.5] *= a",
    "np.add.at(v, [0, 0], a)",
    "v.put([0], a)",
    "v.sort()",
    "v[...] = np.sin(v)",
    "v[[0, 1]] = v[[1, 0]] * a",
    "np.put(v, 1, a)",
    "v.flat[0] = a",
    "v.flat = v * a",
    "for i in range(len(v)):\n    v[i] *= a",
    "v[-1] -= v[0] * a",
    "v.__imul__(a)",
    "v **= 2",
    "np.multiply(v, v, v)",
    "v[0], v[1] = v[1] * a, v[0]",
    "np.putmask(v, v > 0.5, a * v)",
    "operator.setitem(v, 0, a)",
    "operator.iadd(v, a)",
    "v -= v.sum()",
    "v /= a",
    "np.place(v, v > 0.5, [a])",
    "for e in np.nditer(v, op_flags=['readwrite']):\n    e[...] = e * a",
    "q = v[1:]\nq += a",
    "np.sin(v, out=v)",
    "np.clip(v, 0.5, 0.8, out=v)",
    "np.negative(v[:1], v[1:2])",
]
READS = [
    "r = np.sum(y * y)", "r = y[1] * y[0] + np.sum(y**3)", "r = np.sum(np.sin(y) * x)",
    "r = float(np.sum(y)) ** 2", "r = sum(e * e for e in y)", "r = y @ y",
    "r = np.sum(y.reshape(2, 2)[0] ** 2) + y[3] * y[2]",
    "r = (v.ravel()[0] * y[0]) + np.sum(y * y)",
]  # fmt: skip
BEGINNINGS = [
    "x.copy()", "x * 1.0", "x", "np.array(x)", "np.sin(x)",
]  # fmt: skip
CLEARED = {
    "globalname": "G = None",
    "classattr": "Box.shared = None",
    "instclassattr": "Box.shared = None",
    "funcattr": "del ident.v",
    "globaldict": "STORE.clear()",
}
HEAD = """G = None
STORE = {}
LST = []
class Carry(Exception):
    pass
class Box:
    shared = None
    def __init__(self, v): self.v = v
    def get(self): return self.v
    @property
    def prop(self): return self.v
    @staticmethod
    def ident(q): return q
class Slots:
    __slots__ = ("v",)
    def __init__(self, v): self.v = v
@dataclasses.dataclass
class Data:
    v: object
    n: int = 0
Named = collections.namedtuple("Named", "v n")
def ident(q): return q
class Ctx:
    def __init__(self, v): self.v = v
    def __enter__(self): return self.v
    def __exit__(self, *e): return False
class Cached:
    def __init__(self, v): self.v = v
    @functools.cached_property
    def prop(self): return self.v
class D:
    def __get__(self, o, c): return o.v
class Desc:
    d = D()
    def __init__(self, v): self.v = v
class Caller:
    def __init__(self, v): self.v = v
    def __call__(self): return self.v
    def __getitem__(self, k): return self.v
    def __iter__(self): yield self.v
"""
ARGUMENTS = """
def args1(): return np.array([0.31, 0.72, 1.13, 0.64]), 1.7
def args2(): return np.array([0.91, 0.12, 0.43, 0.84]), 0.7
"""


def drawn(draw: Random) -> str:
    """Return a program: a view, how it is handed on, a write into it, and who reads."""
    how = draw.choice(sorted(HANDED))
    handed = HANDED[how].replace("V", draw.choice(VIEWS))
    lines = [f"y = {draw.choice(BEGINNINGS)}", handed, draw.choice(WRITES), draw.choice(READS)]
    lines += [CLEARED.get(how, ""), "return r"]
    body = "\n".join(line for line in lines if line)
    return HEAD + "def f(x, a):\n" + indent(body, "    ") + ARGUMENTS
