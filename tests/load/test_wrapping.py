"""Breaking long statements changes their layout and nothing else."""

import ast

import pytest

from srcgrad.load.wrapping import wrap

LONG = " + ".join(f"np.tensordot(first_{k}, second_{k}, axes=1)" for k in range(4))


@pytest.mark.parametrize(
    "text",
    [
        f"total = {LONG}",
        f"total = ({LONG}) * value",
        f"total = value * ({LONG})",
        f"total = np.sum({LONG})",
        f"total = table[{LONG}]",
        f"total = weights[{LONG}] * (({LONG}))",
        f"total = np.sum({LONG}, axis=0).reshape({LONG})",
        f"total += -({LONG})",
        f"return {LONG}, ({LONG})",
        f"return ({LONG}) @ value, value",
        f"return made(kind, parts=[{LONG}, made(inner={LONG})], last={LONG})",
        f"return made(\n    kind,\n    parts=[{LONG}],\n), ({LONG}, {LONG})",
        f'return {{"first": {LONG}, "second": [{LONG}, {LONG}]}}',
    ],
)
@pytest.mark.parametrize("width", [40, 60, 92])
def test_the_meaning_stays(text, width):
    """What was no tuple becomes none."""
    lines = wrap(text, width)
    assert ast.dump(ast.parse("\n".join(lines))) == ast.dump(ast.parse(text))


def test_tuple_with_a_comma_at_its_end():
    """The comma behind the last part stays a single one."""
    text = f"z = f(({', '.join(['(long_name_a, long_name_b,)'] * 3)},), method=method)"
    lines = wrap(text, 40)
    assert ",," not in "".join(line.strip() for line in lines)
    compile("\n".join(lines), "wrapped", "exec")


def test_parts_of_a_call():
    """A call breaks where a part, or a method, of its result follows."""
    text = f"z = made(first({LONG}), second=[{LONG}])[..., :n].copy()"
    lines = wrap(text, 60)
    assert lines[0] == "z = made("
    assert lines[-1] == ")[..., :n].copy()"
    assert ast.dump(ast.parse("\n".join(lines))) == ast.dump(ast.parse(text))


def test_strings_with_brackets():
    """Brackets in strings close nothing."""
    text = f'z = made({LONG}, label="(a", other="]\\"")'
    lines = wrap(text, 60)
    assert len(lines) > 1
    assert ast.dump(ast.parse("\n".join(lines))) == ast.dump(ast.parse(text))
