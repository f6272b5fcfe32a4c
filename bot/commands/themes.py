"""``minebot themes``: list, show, forget and export the themes learned in play."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from bot.commands.bench import plain_table
from bot.errors import UsageError
from bot.outputs import check_writable, write_output
from bot.plain_text import plain
from bot.record.themes import (
    forget_theme,
    kept_themes,
    theme_called,
    theme_file,
    theme_text,
    themes_folder,
)
from bot.terminal.console import console
from bot.terminal.output import emit, note
from bot.usage.themes import Themes
from calibration.theme import LEARNED, Theme, builtin_themes
from solver.board import TEXT_OF_TILE


def run(args: Themes) -> int:
    """Do what is asked for."""
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
    learned = theme.program == LEARNED
    file = str(theme_file(theme.name)) if learned else None
    return {"theme": theme.name, "tiles": tiles_of(theme), "learned": learned, "file": file}


def tiles_of(theme: Theme) -> str:
    """Return the kinds of tiles that a theme describes, as text."""
    return "".join(sorted({TEXT_OF_TILE[one.tile] for one in theme.appearances}))


def _show(theme: Theme, *, as_json: bool) -> None:
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
    if output is None:
        sys.stdout.write(plain(theme_text(theme)))
    else:
        check_writable(output, replace=replace)
        write_output(output, theme_text(theme), replace=replace)
        note(f"The theme is in {output}; use it with --theme {output}.")
