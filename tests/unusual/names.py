"""Names that may have no value, or another one by now, and what reads them."""

from random import Random

ARGUMENTS = """
def args1(): return np.array([0.31, 0.72, 0.53]), 1.3
def args2(): return np.array([0.71, 0.22, 0.93, 0.84]), 0.7
"""
HANDLERS = ["NameError", "UnboundLocalError", "Exception", "(KeyError, NameError)", "ValueError"]
CALLED = [
    "",
    "def g(v):\n    if v > 0.6: w = v * 2.0\n    return w * v\n",
    "def g(v):\n    for k in range(int(v > 0.6)): w = v * 2.0\n    return w * v\n",
]
READS = [
    "t = t * w",
    "t = t * h()",
    "t = t * (lambda u: u * w)(2.0)",
    "t = t + v\n            t = t * w",
    "w += v",
    "t = t + sum([w * u for u in x])",
    "t = t * w if v < 0.8 else t",
]
SETS = [
    "if v > 0.6: w = v * 2.0",
    "w = v * a\n        if v > 0.6: del w",
    "for w in x[:int(v > 0.6)]: pass",
    "pass",
]
MUTUAL = """def e(n): return x[1] if n == 0 else h(n - 1) * 2.0
    def h(n): return x[0] if n == 0 else e(n - 1) * a"""
DEFINITIONS = [
    "def h(n): return x[0] if n == 0 else h(n - 1) * a + 1.0",
    "h = lambda n: x[0] if n == 0 else h(n - 1) * a + 1.0",
    "def h(n): return x[0] * n",
    "def h(n, k=x[1]): return k if n == 0 else h(n - 1, k * a) + 1.0",
    "def h(n):\n        def i(): return h(n - 1)\n        return x[0] if n == 0 else i() * a",
    MUTUAL,
]
BECOMES = [
    "pass",
    "h = lambda n: x[1] * n",
    "def h(n): return x[2] ** 2 * n",
    "h = (lambda k: lambda n: k(n) * x[1])(g)",
    "if x[0] > 0.5: h = lambda n: x[1]",
    "for h in [lambda n: x[1]]: pass",
    "old = h\n    h = lambda n: old(n) ** 2",
    "def change():\n        nonlocal h\n        h = lambda n: x[1] * n\n    change()",
    "d = {'h': h}\n    h = lambda n: x[2]\n    g = d['h']",
]
USES = [
    "t = g(2)\n    {}\n    t = t + g(2)",
    "{}\n    t = g(2)",
    "{}\n    t = sum(map(g, [1, 2]))",
    "u = [g]\n    {}\n    t = u[0](3) * g(1)",
]


def drawn(draw: Random) -> str:
    """Return a program that reads a name without a value, or a function under an old name.

    Args:
        draw: what its parts are drawn from.
    """
    if draw.random() < 0.4:
        use = draw.choice(USES).format(draw.choice(BECOMES))
        text = f"    {draw.choice(DEFINITIONS)}\n    g = h\n    {use}\n    return t * x[0]"
        return f"def f(x, a):\n{text}\n{ARGUMENTS}"
    called, read, set_ = draw.choice(CALLED), draw.choice(READS), draw.choice(SETS)
    read = "t = t * g(v)" if called else read
    inner = draw.choice(["", "if v > 0.6: w = v * 2.0\n            "])
    local = "\n    def h(): return w * 2.0" if "h()" in read else ""
    return f"""{called}
def f(x, a):
    t = a{local}
    for v in x:
        {set_}
        try:
            {inner}{read}
        except {draw.choice(HANDLERS)}: t = t + v ** 3
    return t * a
{ARGUMENTS}"""
