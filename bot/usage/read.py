"""``minebot read``: find and read the board on screenshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bot.usage.declaring import argument, option
from bot.usage.shared import Files, Screenshot, Shown, cell_from_one


@dataclass(frozen=True, kw_only=True)
class Read(Screenshot, Files, Shown):
    """Find the Minesweeper board on each screenshot, or on the screen, wherever it is, and read it.

    If an image shows no board, or its board cannot be read with confidence, the error is reported
    and the next image is read. The exit code is that of the first error.

    With --explain, each witness rates what a tile may show by a log-likelihood: higher by 2.3 means
    ten times as likely. The witnesses are 'drawing' (is a digit drawn like the others?), 'network'
    (a small network that sees the tile), 'colour' (of the background), 'relief' (of the border) and
    'known' (a theme).

    examples:
      minebot read screen.png
      minebot read --screen                       what the screen shows now
      minebot read shots/*.png --json
      minebot read screen.png --overlay out/      pictures of what was read, or of what went wrong
      minebot read screen.png --explain 3,7       why the tile in row 3, column 7 was read so
      minebot read shots/*.png --json > labels.json
      minebot read shots/*.png --expect labels.json
      minebot read screen.png --near 640,400      of several boards, the one nearest to this pixel
    """

    images: Sequence[Path] = argument("a screenshot", "IMAGE", count="*")
    overlay: Path | None = option(
        "save in DIR a copy of each image with the grid, the tiles read and their confidence drawn "
        "on it",
        "DIR",
    )
    save_calibration: Path | None = option(
        "save the calibration of the last image (TOML): where the board is, how it is read", "FILE"
    )
    explain: tuple[int, int] | Literal[True] | None = option(
        "show for one tile, or for every appearance, how each witness rates it and what else it "
        "may be; rows and columns count from 1",
        "ROW,COL",
        read=cell_from_one,
        alone=True,
    )
    expect: Path | None = option(
        "compare with labels: a FILE as --json prints it, or DIR/NAME.json for NAME.png; the exit "
        "code is 1 if a tile differs",
        "FILE|DIR",
    )
