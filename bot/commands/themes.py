"""``minebot themes``: list, show, forget and export the themes learned in play."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.declaring import argument, option
from bot.commands.shared import Files, Json
from bot.errors import UsageError
from bot.outputs import check_writable, write_output
from bot.plain_text import plain
from bot.terminal.output import emit, note

if TYPE_CHECKING:
    from calibration.theme import Theme


@dataclass(frozen=True, kw_only=True)
class Themes(Files, Json):
    """The themes that play has learned are kept among your data and tried at the next start. What
    is seen decides: a theme that does not fit is not used.

    examples:
      minebot themes                                all themes
      minebot themes show look-1                    how its tiles look
      minebot themes export winemine -o my.toml     a file to change and to use with --theme
      minebot themes forget look-1
    """

    what: str = argument(
        None, None, count="?", default="list", choices=("list", "show", "forget", "export")
    )
    name: str | None = argument(
        "name of a theme; only learned ones can be forgotten", "NAME", count="?"
    )
    output: Path | None = option("file of export (default: print it)", "FILE", short="-o")


def run(args: Themes) -> int:
    """Do what is asked for."""
    from bot.record.themes import forget_theme, theme_called

    if args.output is not None and args.what != "export":
        raise UsageError("-o belongs to 'minebot themes export NAME'; nothing else writes a file.")
    if args.what == "list":
        if args.name is not None:
            raise UsageError("'themes list' takes no name: 'minebot themes show NAME' shows one.")
        _list(as_json=args.json)
    elif args.name is None:
        raise UsageError(
            f"Name a theme: 'minebot themes {args.what} NAME'; 'minebot themes' lists them."
        )
    elif args.what == "show":
        _show(theme_called(args.name), as_json=args.json)
    elif args.what == "export":
        _export(theme_called(args.name), args.output, replace=args.force)
    else:
        forget_theme(args.name)
        note(f"The theme {args.name} is forgotten.")
    return 0


def _list(*, as_json: bool) -> None:
    from bot.record.themes import kept_themes, themes_folder
    from bot.terminal.console import console, plain_table
    from calibration.theme import builtin_themes

    themes = (*kept_themes(note), *builtin_themes())
    if as_json:
        for theme in themes:
            emit(_summary(theme))
        return
    table = plain_table("", "theme", "tiles", "new game")
    for theme in themes:
        table.add_row(theme.name, tiles_of(theme), theme.profile.new_game or "-")
    console().print(table)
    console().print(f"Learned themes are in {themes_folder()}.")


def _summary(theme: Theme) -> dict[str, Any]:
    from bot.record.themes import theme_file
    from calibration.theme import LEARNED

    learned = theme.program == LEARNED
    file = str(theme_file(theme.name)) if learned else None
    return {"theme": theme.name, "tiles": tiles_of(theme), "learned": learned, "file": file}


def tiles_of(theme: Theme) -> str:
    """Return the kinds of tiles that a theme describes, as text."""
    from solver.board import TEXT_OF_TILE

    return "".join(sorted({TEXT_OF_TILE[one.tile] for one in theme.appearances}))


def _show(theme: Theme, *, as_json: bool) -> None:
    from bot.terminal.console import console
    from solver.board import TEXT_OF_TILE

    if as_json:
        emit(theme.to_data())
        return
    for one in theme.appearances:
        ink = f", ink {one.ink}" if one.ink else ""
        console().print(
            f"{TEXT_OF_TILE[one.tile]}  background {one.background}{ink}, bevel {one.bevel}",
        )
        for row in one.shape:
            console().print(f"     {row}")


def _export(theme: Theme, output: Path | None, *, replace: bool) -> None:
    from bot.record.themes import theme_text

    if output is None:
        sys.stdout.write(plain(theme_text(theme)))
    else:
        check_writable(output, replace=replace)
        write_output(output, theme_text(theme), replace=replace)
        note(f"The theme is in {output}; use it with --theme {output}.")
