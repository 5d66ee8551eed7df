"""Statements whose every part tells when it is carried out: in Python's order, once each."""

from random import Random

HEAD = """
LOG = []
def note(*what): LOG.append(sum((i + 1) * ord(c) for w in what for i, c in enumerate(str(w))))
class T:
    def __init__(self, k):
        object.__setattr__(self, "k", k)
        note("new", k)
    def __getattr__(self, name):
        note("get", self.k, name)
        return T(self.k * 3 % 101)
    def __setattr__(self, name, v): note("set", self.k, name, type(v).__name__)
    def __delattr__(self, name): note("del", self.k, name)
    def __getitem__(self, i):
        note("item", self.k, type(i).__name__)
        return T(self.k * 5 % 101)
    def __setitem__(self, i, v): note("put", self.k, type(i).__name__, type(v).__name__)
    def __delitem__(self, i): note("drop", self.k)
    def __call__(self, *args, **options):
        note("call", self.k, len(args), *options)
        return T(self.k * 7 % 101)
    def __add__(self, o):
        note("add", self.k, type(o).__name__)
        return T(self.k + 1)
    def __radd__(self, o):
        note("radd", self.k)
        return T(self.k + 2)
    def __iadd__(self, o):
        note("iadd", self.k)
        return T(self.k + 3)
    def __neg__(self):
        note("neg", self.k)
        return T(self.k + 4)
    def __lt__(self, o):
        note("lt", self.k)
        return T(self.k + 5)
    def __bool__(self):
        note("bool", self.k)
        return self.k % 2 == 0
    def __iter__(self):
        note("iter", self.k)
        for j in range(3):
            note("next", self.k, j)
            yield T(self.k + j)
    def __contains__(self, o):
        note("in", self.k)
        return self.k % 3 == 0
    def __enter__(self):
        note("enter", self.k)
        return T(self.k + 6)
    def __exit__(self, *e):
        note("exit", self.k, e[0] is None)
        return False
    def __format__(self, how):
        note("format", self.k, how)
        return str(self.k)
    def keys(self):
        note("keys", self.k)
        return ["p", "q"]
    def __hash__(self): return self.k
    def __eq__(self, o):
        note("eq", self.k)
        return self is o
"""


def _value(draw: Random, depth: int) -> str:
    if depth == 0 or draw.random() < 0.15:
        return draw.choice([f"T({draw.randrange(90)})", "n", "m", "y[0]"])
    p, q, r = (_value(draw, depth - 1) for _ in range(3))
    return draw.choice(
        [
            f"({p}).g",
            f"({p} + {q})",
            f"T(4)[{p}]",
            f"T(5)[{p}:{q}]",
            f"T(6)[{p}, {q}]",
            f"T(7)({p}, *T(8), u={q}, **T(9))",
            f"T(10)(*T(11), {p}, v={q})",
            f"[{p}, *T(12), {q}]",
            f"({p} if T(13) else {q})",
            f"(T(14) and {p} or {q})",
            "(T(15) < T(16) < T(17))",
            "(T(18) in T(19))",
            f"{{T(20): {p}, 's': {q}, **T(21)}}",
            "f'{T(22):>5} {T(23)}'",
            f"(n := T(24) + {p})",
            "(lambda w=T(25): T(26) + w)()",
            "[T(27) + w for w in T(28) if T(29)]",
            f"sum((w for w in T(30)), {p})" if draw.random() < 0.5 else "-T(31)",
            f"T(32).h({p}).i({q}, {r})",
        ]
    )


def _target(draw: Random, depth: int) -> str:
    if depth and draw.random() < 0.4:
        parts = [_target(draw, depth - 1) for _ in range(3)]
        if draw.random() < 0.4:
            parts[1] = "*" + draw.choice(["m", "T(33).r", "T(34)[T(35)]"])
        return f"({', '.join(parts)})"
    index = _value(draw, 1)
    return draw.choice(
        ["n", "m", "T(36).s", f"T(37)[{index}]", "T(38).t.u", "n.v", f"T(39)[{index}].w"]
    )


def _statement(draw: Random) -> str:
    value = _value(draw, 2)
    parts = "[T(40), [T(41), T(42), T(43)], T(44)]"
    return draw.choice(
        [
            f"{_target(draw, 0)} = {value}",
            f"{_target(draw, 0)} = {_target(draw, 0)} = {value}",
            f"{_target(draw, 1)} = T(45)"
            if draw.random() < 0.5
            else f"n, (T(46).x, *m), T(47)[n] = {parts}",
            f"T(48).y += {value}",
            f"T(49)[{value}] += {_value(draw, 1)}",
            f"del T(50).z, T(51)[{value}]",
            f"for {_target(draw, 1)} in T(52), T(53): {_target(draw, 0)} = {_value(draw, 1)}",
            f"with T(54) as {_target(draw, 0)}, T(55): {_target(draw, 0)} = {value}",
            f"T(56)({value})",
            "assert T(57) or T(58) or True, T(59)",
            "@T(60)\ndef h(w=T(61), *, z=T(62)) -> T(63): return T(64) + w\nn = T(65)",
            "class C(metaclass=lambda *a: T(66)):\n    u = T(67)\n    v: T(68) = T(69)",
            f"n = {value}; m = {_value(draw, 2)}",
            (
                f"try: T(70)[{value}]\nexcept (T(71) and ValueError): n = T(72)\n"
                "else: m = T(73)\nfinally: T(74)"
            ),
            (
                f"match {value}:\n    case [p, q]: n = T(75)\n    case T(k=3): n = T(76)\n"
                "    case _ if T(77): m = T(78)"
            ),
            "while T(79) < T(80) and len(LOG) < 0: n = T(81)",
            "y[int(bool(T(82)))], n = x[0] * a, T(83)",
            "y[0] += (T(84), x[1])[1]",
        ]
    )


def drawn(draw: Random) -> str:
    """Return the text of a program.

    Args:
        draw: what its parts are drawn from.
    """
    lines = ["y = x * a", "n, m = T(1), T(2)"]
    for _ in range(draw.randrange(2, 5)):
        lines += [_statement(draw)]
    body = "\n".join("    " + line for text in lines for line in text.splitlines())
    return f"""{HEAD}
def f(x, a):
{body}
    return y @ x * len(LOG) + sum(v * (i % 7) for i, v in enumerate(LOG)) * x[1] * 1e-3
def args1(): return np.array([0.31, 0.72, 0.53]), 1.3
def args2(): return np.array([0.71, 0.22, 0.93, 0.84]), 0.7
"""
