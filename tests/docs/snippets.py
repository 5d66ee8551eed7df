"""Reads the code in a page of documentation, runs it, and compares its output.

The Python blocks of a page run in order, in one namespace. A comment on the line
before a block says that the block is something else:

``<!-- output -->``
    what the Python block before it prints;
``<!-- error -->``
    the error that the Python block before it ends with;
``<!-- no-run -->``
    text that is not run, such as a session at a prompt.

A block's ``title="name.py"`` is the file that its code is run from, which is what
generated comments and errors then name.
"""

import contextlib
import io
import re
import sys
import textwrap
from dataclasses import dataclass

FENCE = re.compile(
    r"^(?P<indent> *)(?:<!-- (?P<mark>[\w-]+) -->\n+ *)?"
    r"```(?P<language>\w*)(?P<info>[^\n]*)\n(?P<body>.*?)^ *```$",
    re.DOTALL | re.MULTILINE,
)
MARKS = {None, "output", "error", "no-run"}


@dataclass(frozen=True)
class Block:
    """One fenced block: what it is, where it starts and ends in the page."""

    mark: str | None
    language: str
    title: str | None
    body: str
    start: int
    end: int
    indent: str

    @property
    def runs(self):
        """Whether the block is code to run."""
        return self.language == "python" and self.mark is None


def blocks(page):
    """Return the fenced blocks of a page's text, in order."""
    found = []
    for match in FENCE.finditer(page):
        assert match["mark"] in MARKS, f"unknown mark {match['mark']!r}"
        title = re.search(r'title="([^"]+)"', match["info"])
        indent = match["indent"]
        body = "".join(line.removeprefix(indent) for line in match["body"].splitlines(True))
        found.append(
            Block(
                match["mark"],
                match["language"],
                title and title[1],
                body,
                match.start("body"),
                match.end("body"),
                indent,
            )
        )
    return found


def run(page, name, folder):
    """Run a page's code and return what each marked block ought to say.

    Args:
        page: the text of the page.
        name: a name for the page, to make file names from.
        folder: where to write the code, so that its source can be read.

    Returns:
        A list of pairs: a block marked "output" or "error", and its true text.
    """
    namespace = {"__name__": name}
    sys.path.insert(0, str(folder))  # pages import the modules that they save
    try:
        return _run(blocks(page), name, folder, namespace)
    finally:
        sys.path.remove(str(folder))


def _run(found, name, folder, namespace):
    truths = []
    for number, block in enumerate(found):
        if not block.runs:
            continue
        after = found[number + 1] if number + 1 < len(found) else None
        file = folder / (block.title or f"{name}_{number + 1}.py")
        file.write_text(block.body)
        printed, error = _execute(block.body, str(file), namespace)
        if error is not None and (after is None or after.mark != "error"):
            raise error
        if after is not None and after.mark == "output":
            truths.append((after, printed))
        if after is not None and after.mark == "error":
            assert error is not None, f"block {number + 1} was to end with an error"
            truths.append((after, f"{type(error).__name__}: {error}\n"))
    return truths


def rewritten(page, truths):
    """Return the page with the true text in each marked block."""
    for block, truth in reversed(truths):
        text = textwrap.indent(truth.rstrip() + "\n", block.indent)
        page = page[: block.start] + text + page[block.end :]
    return page


def _execute(code, file, namespace):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(code, file, "exec"), namespace)
        except Exception as error:  # noqa: BLE001 -- any may be what the page shows
            return printed.getvalue(), error
    return printed.getvalue(), None
