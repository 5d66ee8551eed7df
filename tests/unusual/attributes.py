"""Attributes that code of their class gives, asked for in every way, of objects from everywhere."""

from random import Random

GIVES = [
    "@property\ndef w(self): raise AttributeError('w')",
    "@property\ndef w(self): return self._v * 3.0 if self._v <= 0.5 else helper(self)",
    "@property\ndef w(self): return self.nothing * 2.0",
    "@property\ndef w(self): return helper(self)",
    "@functools.cached_property\ndef w(self): return self.nothing * 2.0",
    "",
    "w = 2.5",
]
GETATTR = """def __getattr__(self, name):
    if name in ('w', 'nothing'): return self._v ** 2
    raise AttributeError(name)"""
GETATTRIBUTE = """def __getattribute__(self, name):
    v = object.__getattribute__(self, '_v')
    return v ** 2 if name == 'w' else object.__getattribute__(self, name)"""
HOOKS = ["", "", GETATTR, GETATTRIBUTE]
ASKS = [
    "try: t = p.w\nexcept AttributeError: t = x[2] * 7.0",
    "t = getattr(p, 'w', x[2] * 5.0)",
    "t = p.w if hasattr(p, 'w') else x[2] * 5.0",
    "t = x[1] if hasattr(p, 'w') else x[2] * 5.0",
    "t = x[1] if hasattr(p, 'nothing') else x[2] * 5.0",
    "t = x[1]\nmatch p:\n    case P(w=u): t = t * u\n    case _: t = t * 5.0",
]
OBJECTS = ["p = P(x[0])", "G._v = x[0]\np = G", "p = q", "p = P(0.3)", "p = P(x[0])\np._v = a"]


def _under(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def drawn(draw: Random) -> str:
    """Return the text of a program.

    Args:
        draw: what its parts are drawn from.
    """
    gives, hook = draw.choice(GIVES), draw.choice(HOOKS)
    body = [*draw.sample(OBJECTS, 1), draw.choice(ASKS), "s = t"]
    body += [*draw.sample(OBJECTS, 1), draw.choice(ASKS)]
    return f"""
def helper(p): raise AttributeError("w")
class P:
    def __init__(self, v): self._v = v
{_under(gives)}
{_under(hook)}
G = P(0.4)
def f(x, a, q):
{_under(chr(10).join(body))}
    return s * t * a + p._v * x[1]
def args1(): return np.array([0.31, 0.72, 0.53]), 1.3, P(0.3)
def args2(): return np.array([0.71, 0.22, 0.93, 0.84]), 0.7, P(0.8)
"""
