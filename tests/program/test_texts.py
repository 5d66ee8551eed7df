"""Functions are differentiated wherever their text is known, and never by another text."""

import linecache
import os
import subprocess
import sys

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import SourceNotFoundError

PROGRAM = """\
import numpy as np
import srcgrad


def f(x):
    return np.sum(x**2)


print(srcgrad.grad(f)(np.ones(2)), srcgrad.grad(lambda x: x * x)(3.0))
"""


def _executed(text, name):
    space = {"np": np}
    exec(compile(text, name, "exec"), space)
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    return space["f"]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("way", ["command", "input", "piped", "exec"])
def test_programs_without_a_file(tmp_path, way):
    """``python -c`` and ``python < file`` are found; what a pipe gave is recorded, and says why."""
    words, options = [sys.executable], {}
    (tmp_path / "program.py").write_text(PROGRAM)
    if way == "command":
        words += ["-c", PROGRAM]
    elif way == "exec":  # text within the text, under the same name
        words += ["-c", f"exec({PROGRAM!r})"]
    elif way == "piped":
        options["input"] = PROGRAM
    with (tmp_path / "program.py").open() as file:
        if way == "input":
            options["stdin"] = file
        options["env"] = {k: v for k, v in os.environ.items() if k != "SRCGRAD_RECORDED"}
        done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    assert done.stdout == "[2. 2.] 6.0\n", done.stderr
    if way in ("piped", "exec"):
        assert "f is recorded while it runs: the source of f cannot be read" in done.stderr
        fix = "write the program to a file" if way == "piped" else "tell linecache the text"
        assert f": {fix}" in done.stderr.replace("define the function in a file, or ", "")
    else:
        assert not done.stderr


@pytest.mark.parametrize(
    "name",
    ["<mine>", "<ipython-input-3-0123456789ab>", "/tmp/ipykernel_9/1.py", "<python-input-0>"],
)
def test_text_that_linecache_knows(name):
    """Cells and executed texts that are registered are found."""
    f = _executed("def f(x):\n    return np.sum(x**2)\n", name)
    np.testing.assert_allclose(grad(f)(np.ones(2)), [2.0, 2.0])


def test_text_that_was_replaced():
    """A function whose text another one has taken is not differentiated by that, but recorded."""
    first = _executed("def f(x):\n    return x**2\n", "<cell of two>")
    second = _executed("def f(x):\n    return x**5\n", "<cell of two>")
    with pytest.raises(SourceNotFoundError, match="holds other text than it was made from"):
        grad(first, recorded="refuse")(2.0)
    assert grad(first, recorded="allow")(2.0) == 4.0
    assert grad(second)(2.0) == 80.0


def test_a_file_that_was_edited(tmp_path, monkeypatch):
    """A file that has changed since its import gives no wrong number; comments may change."""
    path = tmp_path / "edited_later.py"
    path.write_text("def f(x):\n    return x**2\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import edited_later

    path.write_text("def f(x):\n    return x**5\n")
    with pytest.raises(SourceNotFoundError, match="edited since it was imported"):
        grad(edited_later.f, recorded="refuse")(2.0)
    assert grad(edited_later.f, recorded="allow")(2.0) == 4.0
    linecache.clearcache()
    path.write_text("def f(x):\n    return x**2  # squared\n")
    assert grad(edited_later.f)(2.0) == 4.0


def test_methods_and_closures_are_recognised():
    """Private names, closures, defaults and annotations do not matter to the comparison."""
    scale = 3.0

    class Model:
        __rate = 2.0

        def energy(self, x: "np.ndarray" = 1.0, *, k=scale) -> float:
            """Return the energy."""

            def inner(y):
                return self.__rate * k * y

            return inner(x) * self.__same(x)

        def __same(self, x):
            return x

    assert grad(Model().energy)(2.0) == 24.0
    assert grad(Model.energy, "x")(Model(), 2.0) == 24.0


@pytest.mark.parametrize(
    "text",
    [
        'f = (len("äöü"), lambda x: x * x)[1]\n',
        "f = (lambda x:\n     x * x)\n",
        'a = "\x0c"\nf = lambda x: x * x\n',
    ],
)
def test_where_a_lambda_stands(text):
    """Behind letters of several bytes, on two lines, behind a break that is none to Python."""
    assert grad(_executed(text, f"<{len(text)} letters with a lambda>"))(3.0) == 6.0


STRINGS = {
    "indented": ['"""', "          a", '    b"""'],
    "at the margin": ['"""', "a", 'b"""'],
    "of quotes": ["'''", ' "" ', "'''"],
    "joined": ['f"""', "  {1}", ' b"""'],
    "continued": ['"a\\', '    b"'],
    "beside others": ['("a"', '  """', "   b", '""")'],
    "in brackets": ["len(", '  "a" *', ' 3) * "b"'],
}


@pytest.mark.parametrize("kind", STRINGS)
@pytest.mark.parametrize("documented", [False, True])
def test_lines_of_methods_keep_what_is_in_strings(kind, documented):
    """A method is read without its indentation, and its strings as they are."""
    first, *others = STRINGS[kind]
    start = ["class A:", "    def f(self, x):"]
    start += ['        """What it does,', "and more.", '        """'] if documented else []
    lines = [*start, f"        s = {first}", *others, "        return x * len(s)"]
    text = "\n".join([*lines, "f = A().f", ""])
    f = _executed(text, f"<strings {kind}>")
    assert grad(f, recorded="refuse")(1.0) == f(1.0)


def test_lines_of_branches_far_to_the_right_are_named_in_comments():
    """A comment stays one where there is no room for it."""
    lines = ["def f(x):", "    if x > 40:", "        y = x"]
    for k in range(40, 0, -1):
        lines += [f"    elif x > {k - 1}:", f"        y = {k} * x * x"]
    f = _executed("\n".join([*lines, "    return y", ""]), "<far to the right>")
    assert grad(f, recorded="refuse")(2.5) == 15.0
    assert grad(f, recorded="refuse")(0.5) == 1.0
