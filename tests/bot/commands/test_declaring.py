"""How the options of a command are declared, and that each command takes what it declares."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, make_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from bot.commands.parsing import (
    COMMANDS,
    UNTYPED,
    Options,
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


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(found, Count)
    return found


def test_a_field_is_an_option_of_its_name_and_type(parser: argparse.ArgumentParser) -> None:
    words = vars(parser.parse_args(["here", "--most", "5"]))
    assert words == {"place": Path("here"), "most": 5, "deep": UNTYPED}


def test_a_bool_with_a_value_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Wrong(Options):
        """Count."""

        deep: bool = option("below it, too")

    with pytest.raises(TypeError, match="deep is a bool: declare it with flag"):
        add_options(argparse.ArgumentParser(), Wrong)


@pytest.mark.parametrize("annotation", [bool, bool | None, "bool | None", "Any"], ids=str)
def test_a_bool_with_a_value_is_refused_however_it_is_annotated(annotation: Any) -> None:
    """Without ``from __future__ import annotations`` an annotation is the class itself."""
    wrong = make_dataclass(
        "Wrong",
        [("deep", annotation, option("below it, too", default=False))],
        bases=(Options,),
        frozen=True,
        kw_only=True,
    )
    wrong.__doc__ = "Count."
    with pytest.raises(TypeError, match="deep is a bool: declare it with flag"):
        add_options(argparse.ArgumentParser(), wrong)


def test_a_class_as_an_annotation_says_the_type_as_its_name_does() -> None:
    right = make_dataclass(
        "Right",
        [("place", Path, option("where")), ("most", int, option("how many", default=3))],
        bases=(Options,),
        frozen=True,
        kw_only=True,
    )
    right.__doc__ = "Count."
    found = argparse.ArgumentParser()
    add_options(found, right)
    words = vars(found.parse_args(["--place", "here", "--most", "5"]))
    assert words == {"place": Path("here"), "most": 5}


def test_the_docstring_is_the_help_and_shows_the_defaults(parser: argparse.ArgumentParser) -> None:
    reported = " ".join(parser.format_help().split())
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
