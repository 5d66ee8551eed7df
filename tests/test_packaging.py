"""What is installed is what is in the folders."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def modules():
    """Return the installed paths of all modules, as the folders say."""
    found = {}
    for folder, package in (("srcgrad", "srcgrad"), ("formulas", "srcgrad/formulas")):
        for path in (ROOT / folder).rglob("*.py"):
            found[f"{package}/{path.relative_to(ROOT / folder).as_posix()}"] = path
    return found


def test_every_folder_is_listed():
    """pyproject.toml lists each folder with modules, once and with no other."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    listed = project["tool"]["setuptools"]["packages"]
    folders = {name.rpartition("/")[0].replace("/", ".") for name in modules()}
    assert sorted(listed) == sorted(folders)


def test_a_wheel_holds_every_module(tmp_path):
    """A wheel has all modules, the formulas inside srcgrad, and the type marker."""
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("srcgrad", "formulas"):
        shutil.copytree(ROOT / name, source / name)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
        + ["--no-build-isolation", "--wheel-dir", str(tmp_path), str(source)],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    others = ("debugging/report.css", "debugging/report.js", "torch/emitting/preamble.cpp")
    assert {*modules(), "srcgrad/py.typed", *(f"srcgrad/{name}" for name in others)} <= inside
