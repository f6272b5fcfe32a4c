"""Names with wildcards, where the shell leaves them to the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands import parsing
from bot.commands.parsing import WrongUsage, parse


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.png", "a.png", "c[1].png", "one.txt"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parsing, "SHELL_EXPANDS", False)


@pytest.mark.parametrize(
    ("words", "option", "value"),
    [
        (("read", "*.png"), "images", ["a.png", "b.png", "c[1].png"]),
        (("read", "?.png", "one.txt"), "images", ["a.png", "b.png", "one.txt"]),
        (("read", "c[1].*"), "images", ["c[1].png"]),
        (("solve", "*.txt", "-"), "boards", ["one.txt", "-"]),
        (("advise", "*.txt"), "image", "one.txt"),
        (("advise", "missing.png"), "image", "missing.png"),
    ],
)
def test_a_pattern_stands_for_the_files_that_match(
    words: tuple[str, ...], option: str, value: list[str] | str
) -> None:
    found = getattr(parse(words)[1], option)
    assert (str(found) if isinstance(value, str) else list(map(str, found))) == value


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("read", "*.webp"), "No file matches *.webp."),
        (("advise", "?.png"), "?.png stands for 2 files: name one."),
    ],
)
def test_a_pattern_without_a_file_is_named(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(WrongUsage) as raised:
        parse(words)
    assert str(raised.value) == said


def test_where_the_shell_replaces_patterns_a_word_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parsing, "SHELL_EXPANDS", True)
    assert parse(("read", "*.png"))[1].images == [Path("*.png")]  # type: ignore[attr-defined]


def test_a_point_left_of_the_main_monitor_is_a_value() -> None:
    options = parse(("play", "--near", "-5,-10", "--new-game", "-300,25"))[1]
    assert (options.near, options.new_game) == ("-5,-10", "-300,25")  # type: ignore[attr-defined]
