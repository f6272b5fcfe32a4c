"""Draw boards in tile sets: ``python -m tests.bench.draw_sets OUT SETS... [--part gate]``.

Writes for each set of a folder with an ``index.csv`` a PNG at six moments of a game (fresh, early,
mid, late, won, lost), on a plain page with words, and a label beside it, as `score_pages` reads
them; lost only if the set has a picture of a mine. A set is drawn at its own size where that is
usual, always the same for the same set.
"""

import csv
import json
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

from calibration.labels import COLUMN_OF, columns_of
from calibration.learning import glyphs
from calibration.learning.boards import SheetPainter
from calibration.learning.happenings import DrawnGame, moment
from calibration.learning.painter import Manner, lay
from calibration.learning.sheets import load_set
from calibration.rules import shows_mines
from solver.board import Board, Tile
from tests.bench.series import parser

SIZES = (9, 9), (9, 9), (8, 8), (16, 16), (10, 10), (12, 14), (16, 30), (9, 12)

MOMENTS = {"fresh": None, "early": 0.15, "mid": 0.45, "late": 0.85, "won": None, "lost": None}

SIDES = 14, 48  # sides of tiles in pixels; others are scaled


def main():
    made = parser(__doc__, part=str, licence=str)
    made.add_argument("out", type=Path)
    made.add_argument("sets", type=Path, nargs="+")
    options = made.parse_args()
    characters = glyphs.characters()
    for folder in options.sets:
        for row in csv.DictReader((folder / "index.csv").read_text("utf-8").splitlines()):
            unstated = row["licence"].startswith("none")
            if options.licence and unstated != (options.licence == "none"):
                continue
            if options.part and row.get("part") != options.part:
                continue
            sheet = load_set(folder / row["look"])
            if sheet is not None and sheet.has[COLUMN_OF[1] : COLUMN_OF[1] + 4].all():
                draw(options.out / row["look"], sheet, characters)


def draw(folder, sheet, characters):
    rng = np.random.default_rng(zlib.crc32(folder.name.encode()))
    side = int(np.clip(sheet.side, *SIDES))
    sheet = sheet.resized(side, 3 if side < sheet.side else 1)
    painter = SheetPainter(rng, characters, sheet)
    painter.manner = Manner()
    rows, cols = SIZES[int(rng.integers(len(SIZES)))]
    folder.mkdir(parents=True, exist_ok=True)
    margin = 3 * side
    for name, share in MOMENTS.items():
        tiles = played(rng, rows, cols, share) if share else moment(rng, rows, cols, name).tiles
        tiles = np.where(shown(sheet.has, tiles), tiles, Tile.HIDDEN).astype(np.int8)
        if name == "lost" and not shows_mines(tiles):
            continue  # a set without a picture of a mine does not show a loss
        page = painter.on_page(painter.paint(tiles), margin)
        canvas = page.astype(np.float32) / 255
        for text in ("Minesweeper", glyphs.words(rng)):
            sign = glyphs.text(painter.theme.font, text, 0.6 * side, rgb=painter.ink)
            lay(canvas, sign, (canvas.shape[1] / 2, margin / 2 if text == "Minesweeper" else
                               canvas.shape[0] - margin / 2))  # fmt: skip
        Image.fromarray((255 * canvas.clip(0, 1)).astype(np.uint8)).save(folder / f"{name}.png")
        status = name if name in ("won", "lost") else "playing"
        label = {
            "rows": rows, "cols": cols, "state": str(Board(tiles)).splitlines(), "status": status,
            "grid": {"x0": margin, "y0": margin, "tile_w": side, "tile_h": side},
        }  # fmt: skip
        (folder / f"{name}.json").write_text(json.dumps(label, indent=1))


def played(rng, rows, cols, share):
    """Return a board in play of which a share is open, with the flags of a usual density."""
    while True:
        game = DrawnGame(rng, rows, cols)
        if 0.1 < game.mines.mean() < 0.22:
            game.start()
            game.play(share)
            if not (game.open | (game.mines == 1)).all():
                break
    tiles = np.where(game.open, game.numbers, Tile.HIDDEN).astype(np.int8)
    near = (game.mines == 1) & (rng.random(tiles.shape) < rng.choice([0.0, 0.3, 0.9]))
    tiles[near & (tiles == Tile.HIDDEN) & (share > 0.3)] = Tile.FLAG
    return tiles


def shown(has, tiles):
    """Mark the tiles that a set can show."""
    return has[np.minimum(columns_of(tiles), len(has) - 1)]


if __name__ == "__main__":
    main()
