"""``minebot themes``: list, show and export the themes of known programs."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.parsing import argument, option
from bot.commands.shared import Files, Json
from bot.errors import UsageError
from bot.outputs import check_writable, write_output
from bot.streams import emit, note, plain

if TYPE_CHECKING:
    from calibration.theme import Theme


@dataclass(frozen=True, kw_only=True)
class Themes(Files, Json):
    """A theme says how the tiles of a program look and how it starts a new game. Programs without
    one can be read, too. A theme is used only if it fits the picture.

    examples:
      minebot themes                                all themes
      minebot themes show winemine                  how its tiles look
      minebot themes export winemine -o my.toml     a file to change and to use with --theme
    """

    what: str = argument(None, None, count="?", default="list", choices=("list", "show", "export"))
    name: str | None = argument("name of a theme", "NAME", count="?")
    output: Path | None = option("file of export (default: print it)", "FILE", short="-o")


def run(args: Themes) -> int:
    """List, show or export themes."""
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
        _show(_theme_called(args.name), as_json=args.json)
    else:
        _export(_theme_called(args.name), args.output, replace=args.force)
    return 0


def _theme_called(name: str) -> Theme:
    """Return the only theme of a name or a program. Raises `UsageError` if there are others."""
    from bot.commands.pictures import themes_of

    found = themes_of(name) or ()
    if len(found) == 1:
        return found[0]
    names = ", ".join(theme.name for theme in found)
    raise UsageError(f"{name} has several themes, name one of them: {names}.")


def _list(*, as_json: bool) -> None:
    from bot.terminal.console import console, plain_table
    from calibration.theme import builtin_themes

    if as_json:
        for theme in builtin_themes():
            emit({"theme": theme.name, "tiles": tiles_of(theme)})
        return
    table = plain_table("", "theme", "tiles", "new game")
    for theme in builtin_themes():
        table.add_row(theme.name, tiles_of(theme), theme.profile.new_game or "-")
    console().print(table)


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
    if output is None:
        sys.stdout.write(plain(theme_text(theme)))
    else:
        check_writable(output, replace=replace)
        write_output(output, theme_text(theme), replace=replace)
        note(f"The theme is in {output}; use it with --theme {output}.")


def theme_text(theme: Theme) -> str:
    """Return the text of a theme file that holds this theme."""
    import tomli_w

    program, _, name = theme.name.partition("/")
    text = tomli_w.dumps({"program": program, "theme": [replace(theme, name=name).to_data()]})
    return f"# A theme of minebot\n{text}"
