"""Read the configuration file: defaults for the options of every command.

The file is TOML. A table has the name of a command and holds its options, named as on the command
line, without the dashes; the table ``common`` holds options for all commands that have them::

    [common]
    agent = "tank"

    [play]
    pace = "human"
    flags = true

What stands on the command line comes first.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from bot.errors import UsageError

COMMON = "common"
COMMON_OPTIONS = (
    *("agent", "calibration", "first", "jobs", "json", "mines", "near", "record", "scheduler"),
    *("seed", "size", "theme", "think"),
)
"""The options that mean the same in several commands, and may therefore stand in ``common``."""


class Configured(str):
    """A default that stands in the configuration, where nobody typed a value."""

    __slots__ = ()


NOT_CONFIGURED = ("help", "config", "debug", "version")


def default_config_path() -> Path:
    """Return where the configuration is read from without ``--config``; it may not exist."""
    return user_config_path("minebot", appauthor=False) / "config.toml"


def load_config(
    path: Path | None, commands: Collection[str]
) -> tuple[Path, dict[str, dict[str, Any]]]:
    """Read the configuration from ``path``, or from the user's folder if that is None.

    Returns the file and its tables; no table if nobody named a file and there is none. Raises
    `UsageError` for a file that cannot be read, or with a table that no command has.
    """
    file = path or default_config_path()
    try:
        if not file.exists():
            raise FileNotFoundError
        # Nothing is loaded for a configuration that is not there: `--help` of a command needs none.
        from solver.bounds import TOML_BYTES  # noqa: PLC0415
        from solver.files import parse_toml, read_text  # noqa: PLC0415

        tables = parse_toml(read_text(file, TOML_BYTES))
    except FileNotFoundError as error:
        if path is None:
            return file, {}
        raise UsageError(f"There is no configuration file {file}.") from error
    except OSError as error:
        raise UsageError(f"The configuration {file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise UsageError(f"The configuration {file} is not valid TOML: {error}.") from error
    for name, table in tables.items():
        if name not in (COMMON, *commands) or not isinstance(table, dict):
            raise UsageError(
                f"{file}: {name!r} is not a table of options; use [{COMMON}] or the name of a "
                "command."
            )
    for name in tables.get(COMMON, {}):
        if name not in COMMON_OPTIONS:
            known = ", ".join(COMMON_OPTIONS)
            raise UsageError(
                f"{file}: {name!r} cannot stand in [{COMMON}], but in the table of a command; "
                f"[{COMMON}] takes what means the same in several commands: {known}."
            )
    if isinstance(tables.get(COMMON, {}).get("record"), str):
        raise UsageError(
            f"{file}: 'record' in [{COMMON}] takes true or false: a folder holds one session only."
        )
    return file, tables


def use_config(
    parser: argparse.ArgumentParser,
    command: str,
    file: Path,
    tables: Mapping[str, Mapping[str, Any]],
) -> None:
    """Make the values of the configuration the defaults of a command's parser.

    Raises `UsageError` for an option that the command lacks, or a value that it does not take.
    """
    for name, value in tables.get(COMMON, {}).items():
        action = _option(parser, name)
        if action is not None:
            _set_default(action, name, value, file)
    for name, value in tables.get(command, {}).items():
        action = _option(parser, name)
        if action is None:
            raise UsageError(f"{file}: '{command}' has no option {name!r}.")
        _set_default(action, name, value, file)


def _option(parser: argparse.ArgumentParser, name: str) -> argparse.Action | None:
    if name in NOT_CONFIGURED:
        return None
    return next((a for a in parser._actions if f"--{name}" in a.option_strings), None)


def _set_default(action: argparse.Action, name: str, value: object, file: Path) -> None:
    """Set the default as argparse would read it from the command line."""
    if isinstance(action, argparse._StoreTrueAction):
        if not isinstance(value, bool):
            raise UsageError(f"{file}: {name!r} takes true or false, not {value!r}.")
        action.default = value
        return
    if isinstance(value, bool) and action.nargs == "?":
        action.default = action.const if value else None
        return
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{file}: {name!r} takes text or a number, not {value!r}.")
    # argparse converts a default that is text in the same way as a word of the command line, but
    # does not compare it with the choices.
    if action.choices is not None and str(value) not in action.choices:
        choices = ", ".join(map(str, action.choices))
        raise UsageError(f"{file}: {name!r} takes one of {choices}, not {value!r}.")
    _check_type(action, name, value, file)
    action.default = Configured(value)


def _check_type(action: argparse.Action, name: str, value: object, file: Path) -> None:
    """Raise `UsageError` if the command line would refuse a value, naming the file it stands in."""
    if not callable(action.type):
        return
    try:
        action.type(str(value))
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"{file}: {name!r} has a wrong value: {error}.") from error
