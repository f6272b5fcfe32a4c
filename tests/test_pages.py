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
    assert len(words) > 50
    assert [word for word, times in words.items() if times > 1] == []


@pytest.mark.parametrize("room", ["bot", "calibration", "solver"])
def test_the_picture_of_the_architecture_names_every_folder(room: str) -> None:
    picture = (ROOT / "docs" / "architecture.svg").read_text("utf-8")
    folders = [f"{path.parent.name}/" for path in (ROOT / room).glob("*/__init__.py")]
    words = set(re.findall(r"\w+/", picture))
    assert len(folders) > 3
    assert [name for name in folders if name not in words] == []
