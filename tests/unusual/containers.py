"""Lists and dicts that are changed under one name, and read under another one."""

from random import Random
from textwrap import indent

OF_LISTS = [
    "C.sort()",
    "C.sort(reverse=True)",
    "C.sort(key=lambda v: -v)",
    "C.reverse()",
    "C.append(x[2] ** 2)",
    "C.insert(1, x[1] * a)",
    "C.pop()",
    "C.pop(0)",
    "C.remove(C[1])",
    "C.clear()\nC.append(x[0] * a)",
    "C.extend([x[0] ** 2, a])",
    "C += [x[1] ** 2]",
    "C *= 2",
    "C[0] = x[2] * a",
    "C[1:] = [x[0] * 3]",
    "C[:] = [x[2], x[1] * a]",
    "del C[0]",
    "del C[1:]",
    "C[0], C[1] = C[1], C[0]",
    "C[-1] += x[0]",
    "C[::2] = [a, x[1]]",
    "C.__setitem__(0, a * x[1])",
    "C.__iadd__([x[0]])",
    "for i in range(len(C)):\n    C[i] = C[i] * a",
    "while len(C) > 1:\n    C.pop()",
    "C[0:0] = [x[1] * 2]",
    "C[1] *= x[0]",
    "list.append(C, x[1])",
    "C.extend(v * 2 for v in [x[0], x[2]])",
    "if a > 0:\n    C.append(x[0])",
    "if a > 0:\n    C[0] = x[1] ** 2",
    "for v in [1.0, 2.0]:\n    C.append(v * x[0])",
    "(C).append(x[2])",
    "operator.iadd(C, [x[0]])",
    "operator.setitem(C, 0, x[1])",
    "heapq.heapify(C)",
    "C.insert(0, C.pop())",
    "[C.append(v) for v in [x[0]]]",
    "C.append(C[0])",
    "try:\n    C.append(x[0])\n    C.pop(9)\nexcept IndexError:\n    C.append(x[1])",
    "random.Random(3).shuffle(C)",
    "bisect.insort(C, x[1] * 1.1)",
    "heapq.heappush(C, x[0])",
    "C = C[::-1]\nC[0] = a",
    "C = C + [x[0]]",
    "C = sorted(C)",
    "C = list(C)\nC.append(a)",
]
OF_DICTS = [
    "C['p'] = x[2] * a",
    "C['r'] = x[1] ** 2",
    "C.update(q=x[0] * a)",
    "C.update({'p': x[1]})",
    "C |= {'r': x[0] ** 2}",
    "C.pop('p')",
    "C.popitem()",
    "C.setdefault('r', x[1] * a)",
    "del C['q']",
    "C.clear()\nC['z'] = x[0] * a",
    "for k in list(C):\n    C[k] = C[k] * a",
    "for k in C:\n    C[k] *= x[1]",
    "C['p'], C['q'] = C['q'], C['p']",
    "C['p'] += x[2]",
    "C.__setitem__('p', x[2] ** 2)",
    "C['r'] = C.pop('p')",
    "if a > 0:\n    C['r'] = x[2]",
    "if a > 0:\n    C['p'] = x[2]",
    "C.update([('p', x[2])], q=a)",
    "for i in range(2):\n    C[i] = x[i] * a",
    "dict.update(C, p=x[2])",
    "operator.setitem(C, 'p', x[1] * 2)",
    "C['p'] = C['q'] = x[2]",
    "C.update(C)",
    "C = {**C, 'p': a}",
    "C = dict(C)\nC['p'] = x[2]",
    "C = C | {'q': x[2]}",
]
# how another name comes to hold NEW, and that name
ALIASES = {
    "name": ("c = NEW\nm = c", "m"),
    "chain": ("m = c = NEW", "m"),
    "list": ("c = NEW\nbox = [c]", "box[0]"),
    "tuple": ("c = NEW\nbox = (1.0, c)", "box[1]"),
    "dict": ("c = NEW\nbox = {'k': c}", "box['k']"),
    "obj": ("c = NEW\nbox = Box(c)", "box.v"),
    "closure": ("c = NEW\nm = c\ndef get():\n    return m", "get()"),
    "default": ("c = NEW\ndef get(q=c):\n    return q", "get()"),
    "walrus": ("m = (c := NEW)", "m"),
    "unpack": ("c, m = [NEW] * 2", "m"),
    "loop": ("c = NEW\nfor m in [c]:\n    pass", "m"),
    "fn": ("c = NEW\nm = ident(c)", "m"),
    "cond": ("c = NEW\nm = c if a > 0 else None", "m"),
    "condstmt": ("c = NEW\nif a > 0:\n    m = c\nelse:\n    m = None", "m"),
    "or": ("c = NEW\nm = c or None", "m"),
    "nested": ("c = NEW\nbox = [[c]]", "box[0][0]"),
    "named": ("c = NEW\nbox = Named(c, 1)", "box.v"),
    "data": ("c = NEW\nbox = Data(c)", "box.v"),
    "method": ("c = NEW\nbox = Box(c)\nm = box.get()", "m"),
    "append": ("c = NEW\nbox = []\nbox.append(c)", "box[-1]"),
    "glob": ("global G\nc = NEW\nG = c", "G"),
    "store": ("c = NEW\nSTORE['k'] = c", "STORE['k']"),
    "first": ("box = [NEW, 1.0]\nc = box[0]", "box[0]"),
    "attrfirst": ("box = Box(NEW)\nc = box.v", "box.v"),
    "kw": ("c = NEW\nm = ident(q=c)", "m"),
    "gen": ("c = NEW\nm = next(q for q in [c])", "m"),
    "setdefault": ("box = {}\nc = box.setdefault('k', NEW)", "box['k']"),
    "same": ("c = NEW", "c"),
}
HEAD = """G = None
STORE = {}
Named = collections.namedtuple("Named", "v n")
@dataclasses.dataclass
class Data:
    v: object
class Box:
    def __init__(self, v): self.v = v
    def get(self): return self.v
def ident(q): return q
"""
TOTAL = """
def total(c):
    s = 0.0
    for i, v in enumerate(CONTENT):
        s = s + v * (i + 1)
    return s
"""
ARGUMENTS = """
def args1(): return np.array([0.31, 0.72, 0.53]), 1.7
def args2(): return np.array([0.91, 0.12, 0.43]), 0.7
"""
PLACES = ["CHANGE", "for _ in range(1):\n    CHANGE", "if x[0] > 0:\n    CHANGE"]


def drawn(draw: Random) -> str:
    """Return a program: a container, another name of it, and a change under one of the two."""
    of_lists = draw.random() < 0.6
    change = draw.choice(OF_LISTS if of_lists else OF_DICTS)
    made, other = ALIASES[draw.choice(sorted(ALIASES))]
    new = "[x[1], x[0] * a, x[2]]" if of_lists else "{'p': x[1], 'q': x[0] * a}"
    target = other if other == "m" and draw.random() < 0.5 else "c"
    change = change.replace("C", target)
    where = draw.choice(["function", "closure", *PLACES])
    if where == "function":
        text = f"def change({target}):\n{indent(change, '    ')}\nchange({target})"
    elif where == "closure":
        text = f"def change():\n    nonlocal {target}\n{indent(change, '    ')}\nchange()"
    else:
        pad = where.rpartition("\n")[2].removesuffix("CHANGE")
        text = where.removesuffix(f"{pad}CHANGE") + indent(change, pad)
    result = f"return total({other}) * 2.0 + total(c) ** 2 + len({other})"
    body = "\n".join([made.replace("NEW", new), text, result])
    total = TOTAL.replace("CONTENT", "c" if of_lists else "c.values()")
    return HEAD + total + "def f(x, a):\n" + indent(body, "    ") + ARGUMENTS
