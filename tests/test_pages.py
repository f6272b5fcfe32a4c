"""The maps of the packages name what is there, and the glossary defines each word once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAPS = [
    path for room in ("bot", "calibration", "solver") for path in (ROOT / room).rglob("__init__.py")
]


@pytest.mark.parametrize("path", MAPS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_map_names_every_module_and_folder(path: Path) -> None:
    inside = [one.name for one in path.parent.glob("*.py") if one != path]
    inside += [f"{one.parent.name}/" for one in path.parent.glob("*/__init__.py")]
    words = set(re.findall(r"[\w.]+/?", path.read_text("utf-8")))
    assert [name for name in inside if name not in words] == []


def test_the_glossary_defines_each_word_once() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+?) \| .+ \|$", page, flags=re.M)
    words = Counter(word for row in rows if row != "word" for word in row.split(", "))
    assert len(words) > 60
    assert [word for word, times in words.items() if times > 1] == []


def test_the_glossary_names_the_cues_as_read_does() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    (row,) = re.findall(r"^\| cue \| (.+) \|$", page, flags=re.M)
    code = (ROOT / "calibration" / "classify" / "cues.py").read_text("utf-8")
    tables = code.partition("def cue_tables")[2].partition("return tables")[0]
    named = re.findall(r'^        "(.+)": _|tables\["(.+)"\] = _', tables, flags=re.M)
    assert re.findall(r"`(.+?)`", row) == [first or second for first, second in named]


@pytest.mark.parametrize("room", ["bot", "calibration", "solver"])
def test_the_picture_of_the_architecture_names_every_folder(room: str) -> None:
    picture = (ROOT / "docs" / "architecture.svg").read_text("utf-8")
    folders = [f"{path.parent.name}/" for path in (ROOT / room).glob("*/__init__.py")]
    words = set(re.findall(r"\w+/", picture))
    assert len(folders) > 3
    assert [name for name in folders if name not in words] == []


def test_the_files_that_the_readme_names_are_there() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    named = set(re.findall(r"(?:fixtures|docs)/[\w./-]+\.\w+", page))
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []
    commands = re.findall(r"minebot \w+ ([^`#|\n]+)", page)
    words = [word for command in commands for word in command.split()]
    files = [word for word in words if re.fullmatch(r"[\w./-]+\.(txt|png|webp|json)", word)]
    assert len(files) > 4
    missing = [one for one in files if not one.startswith("out/") and not (ROOT / one).exists()]
    assert missing == [], "a command needs a file that is not there"
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    written = set(re.findall(r"--(?:overlay|heatmap) (\w+)/", page))
    assert {f"/{folder}/" for folder in written} <= set(ignored), "examples leave nothing behind"
