"""Two processes: what the first has generated, the second takes from the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from srcgrad.cache import files

PROGRAM = """
import pickle
import sys
import traceback

import numpy as np
from srcgrad import formula, grad, nondifferentiable, source, vjp


def helper(x):
    return np.tanh(x) * np.sin(x)


def loss(x, w):
    # weighed
    y = helper(x) * w
    return np.sum(y**2)


X, W = np.array([0.3, -0.7, 1.1]), np.array([0.5, 1.5, -0.25])
g = grad(loss)
"""

SHOWN = """
found = {"gradient": g(X, W).tolist(), "libcst": "libcst" in sys.modules}
found["kept"] = not g.__srcgrad__.specialisations
value, backward = vjp(loss, X, W)
found["vjp"] = backward(1.0).tolist()
again = pickle.loads(pickle.dumps(g))
found["pickled"] = again(X, W).tolist()
found["second"] = grad(lambda x: np.sum(g(x, W) * W))(X).tolist()
found["libcst then"] = "libcst" in sys.modules
found["source"] = source(g)
found["file"] = g.file(X, W)
"""

ERRORS = """
def short(x, w, k):
    return np.sum(helper(x) * w[k])
s = grad(short)
s(X, W, 1)
try:
    s(X, W, 7)
except IndexError as error:
    found = {"notes": error.__notes__, "kept": not s.__srcgrad__.specialisations}
    found["lines"] = [row.line for row in traceback.extract_tb(error.__traceback__)]
"""


@pytest.fixture
def process(tmp_path):
    """Runs a program in a process of its own, and returns what it has found."""

    def run(text, **environment):
        path = tmp_path / "program.py"
        path.write_text(PROGRAM + text + "\nimport json\nprint(json.dumps(found))\n")
        given = {**os.environ, "SRCGRAD_DIR": str(tmp_path / "generated"), "SRCGRAD_CACHE": "1"}
        given.pop("SRCGRAD_TRACEBACK", None)
        command = [sys.executable, str(path)]
        ran = subprocess.run(command, env={**given, **environment}, capture_output=True, text=True)
        assert not ran.returncode, ran.stderr
        return json.loads(ran.stdout)

    return run


@pytest.fixture
def kept(tmp_path):
    """The folder of what its processes keep."""
    return tmp_path / "generated" / "kept"


def test_the_second_process_neither_parses_nor_transforms(process):
    """All that a user sees is the same; the compiler is loaded when more is asked for."""
    first, second = process(SHOWN), process(SHOWN)
    assert (first.pop("libcst"), second.pop("libcst")) == (True, False)
    assert (first.pop("kept"), second.pop("kept")) == (False, True)
    assert first == second
    assert "# weighed" in second["source"]


IMPORTED = """
found = {"gradient": g(X, W).tolist(), "imported": [name for name in LATE if name in sys.modules]}
"""
LATE = ["libcst", "astor", "logging", "numpy.random", "scipy", "tempfile", "srcgrad.frontend"]


def test_the_second_process_imports_only_what_it_runs(process):
    """Nothing of what only the compiler, or the handling of errors, needs."""
    text = f"LATE = {LATE}\n{IMPORTED}"
    assert set(process(text)["imported"]) >= {"libcst", "srcgrad.frontend"}
    assert process(text)["imported"] == []


def test_errors_have_the_same_notes_and_lines(process):
    """A line of generated code is one of a file, and is told with the line it belongs to."""
    first, second = process(ERRORS), process(ERRORS)
    assert first["notes"] == second["notes"]
    assert first["lines"] == second["lines"]
    assert "program.py" in second["notes"][0]


GRADIENT = 'found = {"gradient": g(X, W).tolist(), "kept": not g.__srcgrad__.specialisations}\n'
CHANGED = {
    "a function of NumPy's": "np.sin = np.cos\n",
    "a formula": """
        @formula(helper)
        def helper_formula(x):
            z = helper(x)
            def backward(z_bar):
                return 5.0 * z_bar
            return z, backward
    """,
    "a constant": "nondifferentiable(helper)\n",
    "a module's version": "np.__version__ = '9.9'\n",
    "an option": "g = grad(loss, recorded='refuse')\n",
}


@pytest.mark.parametrize("change", CHANGED)
def test_what_is_another_thing_is_generated_anew(process, change):
    """Libraries, formulas and options are compared, too."""
    assert not process(GRADIENT)["kept"]
    text = textwrap.dedent(CHANGED[change])
    found = process(text + GRADIENT)
    assert not found["kept"]
    assert found["gradient"] == process(text + GRADIENT, SRCGRAD_CACHE="0")["gradient"]


def test_it_can_be_turned_off_and_variables_count(process, kept):
    """Nothing is read or written then; a variable that srcgrad reads makes another entry."""
    process(GRADIENT, SRCGRAD_CACHE="0")
    assert not kept.exists()
    assert not process(GRADIENT)["kept"]
    assert not process(GRADIENT, SRCGRAD_CACHE="0")["kept"]
    assert not process(GRADIENT, SRCGRAD_RECORDED="allow")["kept"]
    assert process(GRADIENT)["kept"]


def test_damaged_entries_are_not_used(process, kept):
    """Of each file a byte is another one, or a half is missing."""
    expected = process(GRADIENT)["gradient"]
    (path,) = kept.iterdir()
    content = path.read_bytes()
    changed = content[:-20] + bytes([content[-20] ^ 1]) + content[-19:]
    for damaged in (b"", content[: len(content) // 2], changed, b"x" + content):
        path.write_bytes(damaged)
        found = process(GRADIENT)
        assert (found["gradient"], found["kept"]) == (expected, False)
    assert process(GRADIENT)["kept"]


def test_a_folder_that_cannot_be_written_is_left_alone(process, tmp_path):
    """A file stands where the folder would be."""
    (tmp_path / "generated").write_text("in the way")
    assert len(process(GRADIENT)["gradient"]) == 3


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for entries in this process."""
    monkeypatch.setenv("SRCGRAD_DIR", str(tmp_path))
    monkeypatch.setattr(files, "_written", [])
    return Path(tmp_path)


def test_entries_are_bounded(folder, monkeypatch):
    """Where there are too many, those that were written long ago go."""
    monkeypatch.setattr(files, "_MOST", 10)
    for k in range(15):
        files.write(f"{k:02}", ("row", k))
        os.utime(files.folder() / f"{k:02}.kept", (k, k))
    files._written.clear()
    files.write("last", "row")
    left = {path.stem for path, _, _ in files.entries()}
    assert left == {"11", "12", "13", "14", "last"}
    assert files.read("last") == "row"
    assert files.read("00") is None
    assert files.clear() == 5
    assert not files.entries()


def test_many_writers_leave_whole_entries(folder):
    """Processes that write and read one key at once see nothing that is half written."""
    text = (
        "import sys\n"
        "from srcgrad.cache import files\n"
        "mine = (sys.argv[1] * 5000,) * 20\n"
        "for _ in range(200):\n"
        "    files.write('key', mine)\n"
        "    found = files.read('key')\n"
        "    assert found and found[0][0] * 5000 == found[-1], 'torn'\n"
    )
    command = [sys.executable, "-c", text]
    running = [subprocess.Popen([*command, name]) for name in "abc"]
    assert [each.wait() for each in running] == [0, 0, 0]
    assert [path.name for path, _, _ in files.entries()] == ["key.kept"]
