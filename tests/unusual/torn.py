"""Names that are bound, and lists that are changed, on the way to an exception that is caught."""

from textwrap import indent

RAISES = [
    "s = s + part(v, k)",
    "t = part(v, k)",
    "s, t = t, part(v, k)",
    "s += part(v, k)",
    "t = s * part(v, k)",
    "s = s + (part(v, k) if on else v)",
    "if v > k:\n    raise ValueError\ns = s * v",
    "for w in x:\n    s = s + part(w, k)",
    "t = (s := s + v) * part(v, k)",
    "s = t = part(v, k)",
    "s = sum(part(w, k) for w in x)",
    "h = [part(v, k), s]",
    "h[0] = part(v, k)",
]
BOUND = [
    "s = s + v", "t = s * v", "s = s * a", "s += t", "s, t = t, s", "v = v * 2.0", "pass",
    "t = t + np.sum(x) * s", "x = x * 1.1", "h[0] = h[0] * a", "h = [s, h[1]]",
]  # fmt: skip
CAUGHT = [
    "pass",
    "s = s * 3.0",
    "t = v",
    "if on:\n    s = 2.0 * v",
    "s = t + 1.0",
    "for w in x[:on]:\n    s = s + w",
    "s = 0.5\nt = 0.25",
    "if on:\n    s = s + t\nelse:\n    t = t + s",
    "h[1] = s",
]
FORMS = [
    "try:\n{0}\nexcept ValueError:\n{1}",
    "try:\n{0}\nexcept ValueError:\n{1}\nelse:\n{2}",
    "try:\n{0}\nexcept ValueError:\n{1}\nfinally:\n{2}",
    "with contextlib.suppress(ValueError):\n{0}",
    "try:\n{0}\nexcept KeyError:\n{2}\nexcept ValueError:\n{1}",
]
AROUND = [
    "{0}",
    "if on:\n{1}",
    "if not on:\n{1}",
    "if on:\n    s = s + 1.0\nelse:\n{1}",
    "for v in x:\n{1}",
    "for k in (0.4, 0.8):\n{1}",
    "if on:\n    for v in x:\n{2}",
]
READ = [
    "h[0] * h[1]",
    "sum(w * w for w in h)",
    "np.sum(np.array(h))",
    "max([w * a for w in h])",
    "(lambda w: h[0] * w)(a)",
]


def drawn(draw):
    """A program that reads such names in a handler, behind the statement, or around it."""
    lines = (
        draw.sample(BOUND, draw.randint(0, 1))
        + [draw.choice(RAISES)]
        + draw.sample(BOUND, draw.randint(0, 1))
    )
    body = indent("\n".join(lines), "    ")
    caught, last = (indent(draw.choice(part), "    ") for part in (CAUGHT, [*CAUGHT, *BOUND]))
    form = draw.choice(FORMS).format(body, caught, last)
    text = draw.choice(AROUND).format(form, indent(form, "    "), indent(form, "        "))
    k = draw.choice(["0.6", "0.2", "5.0"])
    on = draw.sample(["0", "1"], 2)
    return f"""
def part(v, k):
    if v > k:
        raise ValueError
    return v * v

def f(x, a, on):
    s, t, k, v = x[0] * a, x[1], {k}, x[1]
    h = [x[0], x[1] * a]
{indent(text, "    ")}
    return s * 2.0 + t * a + v + {draw.choice(READ)}

def args1():
    return np.array([0.31, 0.72, 0.53]), 1.3, {on[0]}

def args2():
    return np.array([0.71, 0.22, 0.93, 0.84]), 0.7, {on[1]}
"""
