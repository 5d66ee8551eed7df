"""Expressions of Python's own functions and of what takes others apart, two by two."""

from random import Random

EXPRESSIONS = """
max(x, key=lambda u: -u)
max(list(x), default=a)
max(x[:0], default=a * x[1])
max(x[0], x[1], key=lambda u: -u)
max((x[0], 3), (x[1], 2), key=lambda p: p[1])[0]
max([x[0], x[1]], [x[2], a])[1]
max(u * v for u in x for v in x[:2] if u != v)
max([u for u in x if u > 0.5] or [a])
min(max(x), a, key=abs)
min(enumerate(x), key=lambda p: p[1])[1]
min(range(len(x)), key=lambda i: x[i]) * x[0]
min({'p': x[0], 'q': x[1]}.items(), key=lambda p: p[1])[1]
max({'p': x[0], 'q': x[1]}.values())
sum(x, x[0])
sum([x, x * a], np.zeros(4))[1]
sum((v for v in x), start=a)
sum([[x[0]], [x[1]]], [])[1]
sum(v > 0.5 for v in x) * x[0]
sum(i * v for i, v in enumerate(x, start=2))
sum(i * v for i, v in enumerate(x, 2))
sum(u * v for u, v in zip(x, x[1:], strict=False))
sum(u * v * w for u, v, w in zip(x, x[1:], reversed(x)))
sum(map(lambda u, v: u * v, x, x[::-1]))
sum(map(pow, x, [2, 3]))
sum(filter(lambda u: u > 0.5, x))
sum(filter(None, [x[0], 0.0, x[1]]))
sum(sorted(x)[:2]) + sorted(x, reverse=True)[0]
sorted(x, key=lambda u: abs(u - 0.6))[0]
sorted([(v, i) for i, v in enumerate(x)])[0][0]
list(reversed(x))[0] * a
list(reversed(list(enumerate(x))))[0][1]
pow(x[0], 2) + pow(2.0, x[1]) + x[0] ** -1
divmod(x[0] * 3, a)[1]
round(x[0], 1) + round(x[1] * a)
abs(-x).sum() + abs(x[0] - a)
any(v > 0.8 for v in x) * x[0] + all(x > 0.1) * x[1]
next(v for v in x if v > 0.6) * a
next((v for v in x if v > 6), x[0])
next(iter(x)) + next(reversed(x))
[*x, a][-1] * [*x[1:]][0]
dict(zip('abcd', x))['c'] * dict(p=x[0])['p']
{**{'p': x[0]}, 'p': x[1]}['p']
(lambda *v, k=a: sum(v) * k)(*x[:2])
(lambda u, v=x[1]: u * v)(x[0])
functools.reduce(lambda p, q: p * a + q, x)
functools.reduce(lambda p, q: p * a + q, x, x[3])
list(itertools.accumulate(x, lambda p, q: p * q))[2]
list(itertools.accumulate(x, initial=a))[2]
sum(u * v for u, v in itertools.pairwise(x))
sum(u * v for u, v in itertools.product(x[:2], repeat=2))
sum(itertools.chain(x, [a]))
sum(itertools.islice(x, 1, None, 2))
sum(u for u, _ in itertools.zip_longest(x, x[:2], fillvalue=a))
sum((u or 0) * (v or 1) for u, v in itertools.zip_longest(x, x[:2], fillvalue=None))
math.prod(x) * math.fsum(x)
math.hypot(*x) + math.dist(x[:2], x[2:])
math.sumprod(x, x) if hasattr(math, 'sumprod') else x[0]
operator.add(*x[:2]) * operator.itemgetter(1)(x)
int(x[0] * 10) * x[1] + float(x[2]) + bool(x[3]) * x[0] + complex(x[0], x[1]).imag
x[int(round(a))] + x[len(x) // 3] + x[-1]
x[x.argmax()] + x[np.argsort(x)[1]] + x[x > 0.5][0]
(x[0] if a > 1 else x[1]) if x[2] > 0.5 else x[3]
x[0] < x[1] < x[2] and x[0] or x[3]
(y := x[0] * a) + y ** 2
len([v for v in x if v > 0.5]) * x[0] + len(x[1:]) * x[1]
tuple(v * a for v in x)[::2][1] + (x[0],) [0] * 2
set([1, 2]).__len__() * x[0] + len({1, 1}) * x[1]
[[u * v for u in x] for v in x][1][2]
[u for r in [[x[0]], [x[1], x[2]]] for u in r][2]
{k: v for k, v in enumerate(x)}[2] + {v: k for k, v in enumerate('ab')}['b'] * x[1]
sum(v for k, v in {'p': x[0], 'q': a * x[1]}.items() if k != 'p')
isinstance(a, float) * x[0] + callable(max) * x[1] + (type(a) is float) * x[2]
getattr(x, 'T')[1] + getattr(np, 'sin')(x[0]) + x.__getitem__(2)
np.max([x[0], a * x[1]]) + np.mean([u for u in x]) + np.array([u for u in x])[1]
''.join(['a', 'b']).count('a') * x[0] + len(str(3)) * x[1] + ord('a') * x[2]
slice(1, 3).start * x[0] + x[slice(1, 3)].sum()
sum(x[i] * x[-i] for i in range(3, 0, -2)) + sum(x[i] for i in range(-2, 0))
""".strip().splitlines()
PLACES = [
    "return (ONE) * a + (OTHER)",
    "t = 0.0\nfor j in range(2):\n    a = a * 0.9\n    t = t + (ONE) * (j + 1)\nreturn t * (OTHER)",
    "r = ONE\nx[0] = x[0] * 2.0\nreturn r * x[0] + (OTHER)",
    "t = x[0]\nif (ONE) > 0.5: t = t + (OTHER)\nelse: t = (ONE) * a\nreturn t",
    "def g(x, a): return ONE\nreturn g(x, a) * g(x[::-1], a) + (OTHER)",
    "l = [ONE, OTHER]\nl[0] = l[0] * l[1]\nreturn sum(l)",
]


def drawn(draw: Random) -> str:
    """Return the text of a program.

    Args:
        draw: what its parts are drawn from.
    """
    one, other = draw.sample(EXPRESSIONS, 2)
    body = draw.choice(PLACES).replace("ONE", one).replace("OTHER", other)
    text = "\n".join("    " + line for line in body.splitlines())
    return f"""
def f(x, a):
    x = x * 1.0
{text}
def args1(): return np.array([0.71, 0.32, 0.83, 0.53]), 1.3
def args2(): return np.array([0.91, 0.22, 0.64, 0.47]), 1.7
"""
