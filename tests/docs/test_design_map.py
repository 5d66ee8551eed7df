"""The map of folders in docs/design.md is complete."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_map_names_each_folder_and_module():
    """What stands at the top of srcgrad/ is on the map, and the reverse."""
    design = (ROOT / "docs" / "design.md").read_text()
    table = design.partition("## The map")[2].partition("\n## ")[0]
    named = set(re.findall(r"^\| `srcgrad/(\w+(?:\.py|/))`", table, re.MULTILINE))
    there = {
        path.name + "/" * path.is_dir()
        for path in (ROOT / "srcgrad").iterdir()
        if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__")
    }
    assert named == there - {"__init__.py"}


def test_each_dependency_has_its_reason():
    """Every package that pyproject.toml asks for stands in the table of reasons."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        asked += extra
    names = {re.match(r"[\w-]+", line)[0] for line in asked} - {"srcgrad"}
    design = (ROOT / "docs" / "design.md").read_text()
    table = design.partition("## Dependencies")[2].partition("\n## ")[0]
    assert {name for name in names if f"`{name}`" not in table} == set()
