"""The page of errors explains every class of error, and no others."""

import re
from pathlib import Path

import pytest

from srcgrad import errors
from tests.docs.snippets import blocks

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "errors.md").read_text()
CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.SrcgradError)
]
SECTIONS = {
    heading.lower().replace(" ", "-"): text
    for heading, text in re.findall(r"^## (.+)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE)
}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_each_class_has_its_section(cls):
    """The last line of a message leads to a heading, and it names the class."""
    assert f"`{cls.__name__}`" in SECTIONS[cls.slug]


@pytest.mark.parametrize("name", sorted(SECTIONS.keys() - {"srcgrad-error", "internal"}))
def test_each_section_raises_its_error_and_mends_it(name):
    """A program that raises it, then one that does not; tests/docs/test_snippets.py runs both."""
    found = [block for block in blocks(SECTIONS[name]) if block.language in ("python", "text")]
    marks = [block.mark for block in found]
    place = marks.index("error")
    (cls,) = (cls for cls in CLASSES if cls.slug == name)
    assert found[place - 1].runs
    assert found[place].body.startswith(f"{cls.__name__}: ")
    assert found[place + 1].runs
    assert "error" not in marks[place + 1 :]
    assert "**Mended.**" in SECTIONS[name]


def test_no_section_without_a_class():
    """A section whose class is gone is gone too."""
    assert SECTIONS.keys() == {cls.slug for cls in CLASSES}
