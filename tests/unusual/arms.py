"""Arrays that meet in an arm, or a loop, that is not carried out: their lengths may differ."""

from textwrap import indent

BEGUN = [
    "u = np.zeros(len(y))\nu[0] = x[0]",
    "u = np.sin(y)",
    "u = y * 2.0",
    "u = np.ones_like(y) * x[0]",
    "u = y[::-1].copy()",
    "u = np.cumsum(y)",
    "u = np.zeros(len(y))\nfor k in range(min(len(x), len(y))):\n    u[k] = x[k] * y[k]",
    "u = np.outer(y, x).sum(axis=1)",
    "u = np.exp(np.append(y, 1.0)[:-1])",
]
MEET = [
    "u = u + x",
    "u = np.maximum(u, x)",
    "u += x",
    "u = u * np.sin(x)",
    "u = np.where(u > x, u, x)",
    "s = s + x @ u",
    "s = s + np.sum(u * x)",
    "t = u - x\ns = s + t @ t",
    "t = np.concatenate([x, x]) - np.concatenate([u, x])\ns = s + np.sum(t ** 2)",
    "u[1:] = x[1:]",
    "s = s + np.sum(np.outer(u, x) + np.outer(x, u))",
    "s = s + np.sum(np.stack([u, x])[0])",
    "s = s + np.einsum('i,i', u, x)",
    "s = s + np.trace(x[:, None] * u) * np.linalg.det(x[:, None] + u + np.eye(len(x)))",
    "u = np.add(u, x, out=np.zeros(len(y)))",
]
AROUND = [
    "if on:\n{}",
    "for _ in range(on):\n{}",
    "k = on\nwhile k:\n    k -= 1\n{}",
    "if not on:\n    pass\nelse:\n{}",
    "try:\n    if not on: raise ValueError\n{}\nexcept ValueError:\n    pass",
    "for _ in [a] * on:\n{}",
    "if a > 0 and on:\n{}",
]
USES = [
    "s = s + np.sum(np.append(x, y) ** 2 * 3.0)",
    "s = s + np.sum(np.append(x, y)[len(x):] ** 2)",
    "s = s + np.sum(np.concatenate([np.zeros(len(x)), x]) ** 2)",
    "s = s + np.sum(np.concatenate([x, y * a, x]) ** 3)",
    "s = s + np.mean(x) * a",
    "s = s + np.mean(x ** 2) + np.mean(y * 2.0)",
    "s = s + np.sum(x[:, None] + y)",
    "s = s + np.sum((x[:, None] * y) ** 2)",
    "s = s + np.sum(np.hstack([y, x])[len(y):]) * a",
    "s = s + np.std(x) + np.var(y)",
    "s = s + np.sum(np.tile(x, 2) ** 2) + np.sum(np.repeat(y, 2) ** 3)",
    "s = s + np.sum(np.full(len(x), a) ** 2) + np.sum(np.full((len(y),), x[0]) ** 2)",
    "s = s + np.sum(np.broadcast_to(a, x.shape) * 2.0)",
    "s = s + np.sum(np.pad(x, (len(y), 0)) ** 2)",
    "p, q = np.split(np.append(x, y), [len(x)])\ns = s + np.sum(p) * a + np.sum(q ** 3)",
]


def drawn(draw):
    """A program whose second call, or first, does not carry out what its arrays need."""
    body = [draw.choice(BEGUN)]
    meet = indent(draw.choice(MEET), "    ")
    body.append(draw.choice(AROUND).format(meet))
    uses = draw.sample(USES, 3)
    body[draw.randrange(2) : 0] = uses[:1]
    body += [*uses[1:], "s = s + np.sum(u ** 2)" if draw.random() < 0.7 else "s = s + np.sum(u)"]
    text = "\n".join(body)
    if draw.random() < 0.3:
        text = (
            "def part(x, y, a, on, s):\n"
            + indent(text, "    ")
            + "\n    return s\ns = part(x, y, a, on, s)"
        )
    calls = draw.sample(["3, 3, 1", "3, 5, 0", "5, 3, 0", "4, 4, 0", "1, 3, 0", "3, 1, 0"], 2)
    made = "\n".join(f"def args{k + 1}():\n    return given({calls[k]})\n" for k in range(2))
    return f"""
def f(x, y, a, on):
    s = 0.0
{indent(text, "    ")}
    return s * 1.0

def given(n, m, on):
    return np.linspace(0.31, 0.87, n), np.linspace(0.83, 0.52, m), 1.3, on

{made}"""
