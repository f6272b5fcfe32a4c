"""How the options of a command are declared and read, and that each command takes its own."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, make_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from bot.commands import parsing
from bot.commands.parsing import (
    COMMANDS,
    UNTYPED,
    Options,
    WrongUsage,
    add_options,
    argument,
    flag,
    kinds_of,
    option,
    parse,
)
from bot.commands.play import Play


@dataclass(frozen=True, kw_only=True)
class Count(Options):
    """Count what there is.

    examples:
      count here
    """

    place: Path = argument("where", "DIR")
    most: int = option("how many, 100 % at most", "N", default=3)
    deep: bool = flag("below it, too")


def parser_of(kind: type[Options]) -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(found, kind)
    return found


def test_a_field_is_an_option_of_its_name_and_type() -> None:
    words = vars(parser_of(Count).parse_args(["here", "--most", "5"]))
    assert words == {"place": Path("here"), "most": 5, "deep": UNTYPED}


@pytest.mark.parametrize("annotation", [bool, bool | None, "bool | None", "Any"], ids=str)
def test_a_bool_with_a_value_is_refused_however_it_is_annotated(annotation: Any) -> None:
    field = ("deep", annotation, option("below it, too", default=False))
    wrong = make_dataclass("Wrong", [field], bases=(Options,), frozen=True, kw_only=True)
    with pytest.raises(TypeError, match="deep is a bool: declare it with flag"):
        parser_of(wrong)


def test_the_docstring_is_the_help_and_shows_the_defaults() -> None:
    reported = " ".join(parser_of(Count).format_help().split())
    assert "Count what there is." in reported
    assert "how many, 100 % at most (default: 3)" in reported
    assert "below it, too examples: count here" in reported


def test_options_know_what_was_typed(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[play]\ngames = 4\nseed = 3\n")
    command, options = parse(["play", "--seed", "0", "--flags"], config)
    assert command == "play"
    assert options == Play(
        games=4, seed=0, flags=True, typed=frozenset({"seed", "flags"}), config_file=config
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_takes_the_options_that_are_declared_for_it(command: str) -> None:
    taken = get_type_hints(import_module(f"bot.commands.{command}").run)["args"]
    assert set(get_args(taken) or {taken}) == set(kinds_of(command).values())


# ---- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expanded", "option", "value"),
    [
        ("read *.png", False, "images", ["a.png", "b.png", "c[1].png"]),
        ("read ?.png one.txt", False, "images", ["a.png", "b.png", "one.txt"]),
        ("read c[1].*", False, "images", ["c[1].png"]),
        ("solve *.txt -", False, "boards", ["one.txt", "-"]),
        ("advise *.txt", False, "image", "one.txt"),
        ("advise missing.png", False, "image", "missing.png"),
        ("read *.png", True, "images", ["*.png"]),
        ("read *.webp", False, "", "No file matches *.webp."),
        ("advise ?.png", False, "", "?.png stands for 2 files: name one."),
        ("play --near -5,-10 --seed 3", True, "near", "-5,-10"),
        ("play --new-game -300,25", True, "new_game", "-300,25"),
    ],
)
def test_a_pattern_stands_for_files_unless_the_shell_replaces_it_and_a_point_is_a_value(
    words: str,
    expanded: bool,
    option: str,
    value: list[str] | str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("b.png", "a.png", "c[1].png", "one.txt"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parsing, "SHELL_EXPANDS", expanded)
    if not option:
        with pytest.raises(WrongUsage) as raised:
            parse(words.split())
        assert str(raised.value) == value
        return
    found = getattr(parse(words.split())[1], option)
    assert (str(found) if isinstance(value, str) else list(map(str, found))) == value
