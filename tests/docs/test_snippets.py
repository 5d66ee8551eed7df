"""Every piece of code in the README and the documentation runs and tells the truth.

``UPDATE_SNIPPETS=1`` writes the true output into the pages instead of comparing:
read the difference before you commit it.
"""

import os
import re
import shutil
import sys
import textwrap
from pathlib import Path

import pytest

from srcgrad import registry
from tests.docs.snippets import blocks, rewritten, run
from tests.formulas.strict_arrays import strict_module

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


_NEEDED = {
    "memory": ("checkpoint_schedules",),
    "torch": ("torch", "jax", "array_api_compat"),
    "other_libraries": ("numba", "pandas"),
    "mpi": ("mpi4py",),
}  # libraries that a page needs besides


@pytest.fixture
def formulas_stay():
    """Put back the formulas that a page registers for functions that have one."""
    tables = [
        t
        for t in vars(registry).values()
        if isinstance(t, dict) and t is not vars(registry).get("__builtins__")
    ]
    before = [dict(table) for table in tables]
    yield
    for table, held in zip(tables, before, strict=True):
        table.update(held)


def draw_plainly(monkeypatch):
    """Have Matplotlib draw without a window, the same each time."""
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from matplotlib import pyplot as plt

    plt.switch_backend("svg")
    plt.close("all")
    settings = {"svg.hashsalt": "gallery", "svg.fonttype": "none", "figure.autolayout": True}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    for name, value in settings.items():
        monkeypatch.setitem(matplotlib.rcParams, name, value)


@pytest.mark.usefixtures("formulas_stay")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_page_runs_and_prints_what_it_says(path, tmp_path, monkeypatch):
    """The code of a page runs in order, and its output is as printed there."""
    for library in _NEEDED.get(path.stem, ()):
        pytest.importorskip(library, reason=f"{library} is not installed")
    if path.stem == "mpi" and shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed")
    if path.stem == "gpu":  # on a stand-in, which refuses what arrays on a GPU refuse
        monkeypatch.setitem(sys.modules, "cupy", strict_module())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SRCGRAD_RECORDED", raising=False)
    page = path.read_text()
    if path.parent.name == "gallery":
        draw_plainly(monkeypatch)
    truths = run(page, path.stem.lower(), tmp_path)
    own = path.stem not in ("index", "benchmarks")  # whose pictures others draw
    for picture in re.findall(r"\]\((\w+\.svg)\)", page) if own else ():
        drawn = (tmp_path / picture).read_text()
        if os.environ.get("UPDATE_SNIPPETS"):
            (path.parent / picture).write_text(drawn)
        assert abs(len((path.parent / picture).read_text()) / len(drawn) - 1) < 0.5
    if os.environ.get("UPDATE_SNIPPETS"):
        path.write_text(rewritten(page, truths))
        return
    for block, truth in truths:
        assert block.body.rstrip() == truth.rstrip()


def test_a_page_is_taken_apart():
    """Marks, titles and indented blocks are recognised."""
    page = (
        'text\n```python title="a.py"\nx = 1\nprint(x)\n```\n'
        "<!-- output -->\n```text\n1\n```\n    ```sh\n    ls\n    ```\n"
    )
    code, output, shell = blocks(page)
    assert (code.title, code.runs, code.body) == ("a.py", True, "x = 1\nprint(x)\n")
    assert (output.mark, output.runs, output.body) == ("output", False, "1\n")
    assert (shell.language, shell.runs, shell.body) == ("sh", False, "ls\n")


def test_output_is_compared_and_rewritten(tmp_path):
    """A block's true output and error are found, and can be put into the page."""
    page = (
        "```python\nprint(2)\n```\n\n<!-- output -->\n```text\n1\n```\n"
        "```python\nint('x')\n```\n\n<!-- error -->\n```text\n?\n```\n"
    )
    truths = run(page, "page", tmp_path)
    assert [truth.partition(":")[0] for _, truth in truths] == ["2\n", "ValueError"]
    assert "```text\n2\n```" in rewritten(page, truths)
    indented = textwrap.indent(page, "    ")
    assert "    ```text\n    2\n    ```" in rewritten(indented, run(indented, "page", tmp_path))


def test_an_error_that_no_block_announces_fails(tmp_path):
    """Code that fails is not passed over."""
    with pytest.raises(ZeroDivisionError):
        run("```python\n1 / 0\n```\n", "page", tmp_path)
