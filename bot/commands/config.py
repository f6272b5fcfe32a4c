"""Read the configuration file: defaults for the options of every command.

The file is TOML. A table has the name of a command and holds its options, named as on the command
line, without the dashes; the table ``common`` holds options for all commands that have them::

    [common]
    agent = "tank"

    [play]
    pace = "human"
    flags = true

Options on the command line take precedence.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from bot.commands.declaring import Options, is_argument, option_name, options_in, words_of
from bot.errors import UsageError

COMMON = "common"

COMMON_OPTIONS = (
    *("agent", "calibration", "first", "jobs", "json", "mines", "near", "record", "scheduler"),
    *("seed", "size", "theme", "think"),
)
"""The options that mean the same in several commands, and may therefore stand in ``common``."""


def default_config_path() -> Path:
    """Return where the configuration is read from without ``--config``; it may not exist."""
    return user_config_path("minebot", appauthor=False) / "config.toml"


def load_config(
    path: Path | None, commands: Collection[str]
) -> tuple[Path, dict[str, dict[str, Any]]]:
    """Read the configuration from ``path``, or from the user's folder if that is None.

    Returns the file and its tables, which are empty if ``path`` is None and there is no file.
    Raises `UsageError` for a file that cannot be read, or a table that no command has.
    """
    file = path or default_config_path()
    if path is None and not file.exists():
        return file, {}
    try:
        # Nothing is loaded for a configuration that is not there.
        from solver.bounds import TOML_BYTES
        from solver.files import parse_toml, read_text

        tables = parse_toml(read_text(file, TOML_BYTES))
    except FileNotFoundError as error:
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


def configured(
    kind: type[Options],
    command: str,
    file: Path,
    tables: Mapping[str, Mapping[str, Any]],
    *,
    kinds: Iterable[type[Options]] = (),
) -> dict[str, Any]:
    """Return the values that the configuration gives to the options of a command.

    A command of several ``kinds`` has the options of all in its table; those of ``kind`` are
    returned. Raises `UsageError` for an option that the command lacks, or a value that it does not
    take.
    """
    own = tables.get(command, {})
    options = _named(kind)
    lacking = set(own).difference(options, *map(_named, kinds))
    if lacking:
        raise UsageError(f"{file}: '{command}' has no option {min(lacking)!r}.")
    values = {**tables.get(COMMON, {}), **own}
    return {
        options[name].name: _value(options[name], name, value, file)
        for name, value in values.items()
        if name in options
    }


def _named(kind: type[Options]) -> dict[str, Field[Any]]:
    """Return the options of a command by their names; no words without a name."""
    return {option_name(one.name): one for one, _ in options_in(kind) if not is_argument(one)}


def _value(one: Field[Any], name: str, value: object, file: Path) -> Any:
    """Read a value as the command line would read it."""
    words = words_of(one)
    if "action" in words:
        if not isinstance(value, bool):
            raise UsageError(f"{file}: {name!r} takes true or false, not {value!r}.")
        return value
    if isinstance(value, bool) and "const" in words:
        return words["const"] if value else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{file}: {name!r} takes text or a number, not {value!r}.")
    if str(value) not in words.get("choices", [str(value)]):
        choices = ", ".join(words["choices"])
        raise UsageError(f"{file}: {name!r} takes one of {choices}, not {value!r}.")
    try:
        return words.get("type", str)(str(value))
    except ArgumentTypeError as error:
        raise UsageError(f"{file}: {name!r} has a wrong value: {error}.") from error
