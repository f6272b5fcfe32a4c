"""Screenshots with the reading, the risks, a refusal, or the differences of a replay.

Small boards are enlarged, so that labels can be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from bot.errors import UsageError
from bot.failures import sentence_for
from bot.outputs import write_output
from bot.record.replay import Difference
from bot.terminal.board_text import (
    Colour,
    blend,
    frontier,
    heat,
    short_percent,
    value_colour,
    value_shares,
)
from calibration import Frame, Grid, PixelBox, PixelPoint
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import recognise
from calibration.classify.refusals import TILE_NAMES
from calibration.errors import BadImage, CalibrationError, SeveralGrids, Unreadable
from calibration.locate.crosses import find_lattices
from solver import Action, Analysis, Decision
from solver.board import TEXT_OF_TILE, Board, Cell, Tile
from solver.counting import percent
from solver.proof import Proof

CONFIDENT: Colour = (20, 170, 60)

DOUBTFUL: Colour = (230, 30, 140)

_CERTAIN_SAFE: Colour = (0, 120, 30)

_CERTAIN_MINE: Colour = (130, 0, 0)

_OPEN_MOVE: Colour = (0, 60, 255)

_OTHER_MOVE: Colour = (255, 120, 0)

_PROOF: Colour = (240, 190, 0)

_PROVED: Colour = (200, 0, 200)

FRONTIER_TINT = 0.8
"""Strength of the tint of cells that touch a number."""

FAR_TINT = 0.3
"""Strength of the tint of the others, which share one risk."""


def draw_reading(
    frame: Frame,
    grid: Grid,
    board: Board,
    *,
    confidence: NDArray[np.float64] | None = None,
    note: str = "",
) -> Picture:
    """Draw the grid, the tile that was read in each cell, and the confidence of the reading.

    ``confidence``, an array of 0..1 in the shape of the board, colours the labels from pink
    (doubtful) to green. Hidden cells get no label.
    """
    canvas = Canvas(frame, grid)
    canvas.draw_grid()
    for cell in board.cells():
        if board[cell] == Tile.HIDDEN:
            continue
        confident = 1.0 if confidence is None else float(confidence[cell])
        canvas.label(cell, TEXT_OF_TILE[board[cell]], blend(DOUBTFUL, CONFIDENT, confident))
    samples = [
        (GRID_LINE, "outline", "grid"),
        (CONFIDENT, "fill", "tile read with confidence"),
        (DOUBTFUL, "fill", "doubtful"),
    ]
    picture = add_legend(canvas.with_cell_labels(), samples, canvas.text_px)
    geometry = (
        f"{grid.rows} x {grid.cols} at ({grid.x0:.1f}, {grid.y0:.1f}), "
        f"pitch {grid.tile_w:.2f} x {grid.tile_h:.2f} px"
    )
    return caption(picture, [geometry, note], canvas.text_px)


def draw_heatmap(
    frame: Frame,
    grid: Grid,
    analysis: Analysis,
    decision: Decision | None = None,
    *,
    board: Board | None = None,
    proof: Proof | None = None,
) -> Picture:
    """Draw the risk of every covered cell, as a colour and in percent, and the moves proposed.

    Green is safe, red is a mine; certain cells have an outline. A ring marks each move, and the
    reason is below the picture. With ``board``, flags stay visible, and cells that touch no number
    have a light tint; the legend gives their common risk. The numbers of a ``proof`` are outlined.
    """
    canvas = Canvas(frame, grid, margin_tiles=0.6)
    far = _far_cells(analysis, board)
    for row, col in np.argwhere(~np.isnan(analysis.probabilities)).tolist():
        _draw_risk(canvas, Cell(row, col), analysis, board, far=bool(far[row, col]))
    width = max(2, round(0.05 * canvas.tile_px))
    for cells, colour in ((analysis.safe, _CERTAIN_SAFE), (analysis.mines, _CERTAIN_MINE)):
        for cell in cells:
            canvas.outline(cell, colour, width)
    for move in decision.moves if decision else ():
        canvas.ring(move.cell, _OPEN_MOVE if move.action is Action.OPEN else _OTHER_MOVE)
    if proof is not None:
        for cell in proof.numbers:
            canvas.outline(cell, _PROOF, 2 * width)
        canvas.outline(proof.cell, _PROVED, 2 * width)
    samples = _heatmap_legend(analysis, decision, proof, far)
    picture = add_legend(canvas.with_cell_labels(), samples, canvas.text_px)
    return caption(picture, [_sentence(decision)] if decision else [], canvas.text_px)


def draw_values(
    frame: Frame, grid: Grid, values: NDArray[np.float64], decision: Decision | None = None
) -> Picture:
    """Draw how an agent rates every covered cell: bright red is the best, black the lowest.

    ``values`` is an array of the board's shape, NaN on open cells. A ring marks each move.
    """
    canvas = Canvas(frame, grid, margin_tiles=0.6)
    shares = value_shares(values)
    for row, col in np.argwhere(~np.isnan(values)).tolist():
        canvas.tint(Cell(row, col), value_colour(float(shares[row, col])), FRONTIER_TINT)
        canvas.write_in_centre(Cell(row, col), f"{values[row, col]:.2f}", WHITE)
    for move in decision.moves if decision else ():
        canvas.ring(move.cell, _OPEN_MOVE if move.action is Action.OPEN else _OTHER_MOVE)
    samples = [
        (value_colour(1.0), "fill", "the best value"),
        (value_colour(0.0), "fill", "the least value"),
    ]
    picture = add_legend(canvas.with_cell_labels(), samples, canvas.text_px)
    return caption(picture, [_sentence(decision)] if decision else [], canvas.text_px)


def _sentence(decision: Decision) -> str:
    """Write the reason with a capital and a full stop."""
    reason = decision.reason
    return f"{reason[:1].upper()}{reason[1:]}{'' if reason.endswith('.') else '.'}"


def _far_cells(analysis: Analysis, board: Board | None) -> NDArray[np.bool_]:
    """Return the mask of the covered cells that touch no number and are not certain."""
    risks = analysis.probabilities
    if board is None:
        return np.zeros(risks.shape, bool)
    return ~np.isnan(risks) & ~frontier(board) & (risks > 0.0) & (risks < 1.0)


def _draw_risk(
    canvas: Canvas, cell: Cell, analysis: Analysis, board: Board | None, *, far: bool
) -> None:
    """Draw the risk of one cell; a flag stays visible, with a number only if it is not certain."""
    risk = float(analysis.probabilities[cell])
    if board is not None and board[cell] == Tile.FLAG:
        if risk < 1.0:
            canvas.label(cell, short_percent(risk), _CERTAIN_MINE)
        return
    canvas.tint(cell, heat(risk), FAR_TINT if far else FRONTIER_TINT)
    if not far:
        canvas.write_in_centre(cell, short_percent(risk, tenths=True), BLACK)


def _heatmap_legend(
    analysis: Analysis, decision: Decision | None, proof: Proof | None, far: NDArray[np.bool_]
) -> list[tuple[Colour, str, str]]:
    """Return the samples for the colours that the picture shows."""
    samples: list[tuple[Colour, str, str]] = [(BLACK, "scale", "risk 0 to 100 %")]
    if analysis.safe:
        samples.append((_CERTAIN_SAFE, "outline", "certainly safe"))
    if analysis.mines:
        samples.append((_CERTAIN_MINE, "outline", "certain mine"))
    if far.any():
        risk = float(analysis.probabilities[far].mean())
        samples.append(
            (blend((255, 255, 255), heat(risk), 0.5), "fill", f"other cells {percent(risk)}")
        )
    if decision is not None and decision.moves:
        colours = {
            _OPEN_MOVE if move.action is Action.OPEN else _OTHER_MOVE for move in decision.moves
        }
        samples += [
            (colour, "ring", "move" if colour == _OPEN_MOVE else "flag or chord")
            for colour in sorted(colours)
        ]
    if proof is not None:
        if proof.numbers:
            samples.append((_PROOF, "outline", "numbers of the proof"))
        samples.append((_PROVED, "outline", "the cell proved"))
    return samples


MOST_LATTICES = 6
"""How many lattices are shown on a frame without a board."""

MOST_TILES = 8
"""How many doubtful tiles are described."""


def draw_refusal(frame: Frame, error: CalibrationError, grid: Grid | None = None) -> Picture:
    """Draw the cause of an error on its frame, which is searched again.

    ``grid`` is the place of the board, if it was found: then the doubtful tiles are outlined. If
    not, the boards to choose from are drawn, or the lattices that are not boards.
    """
    sentence = sentence_for(error, live=False)
    if isinstance(error, Unreadable) and grid is not None:
        return draw_doubtful(frame, grid, error.tiles, sentence)
    if isinstance(error, SeveralGrids):
        return draw_candidates(frame, error.grids, sentence)
    found = [one.grid for one in islice(find_lattices(frame), MOST_LATTICES)]
    note = (
        "These lattices of equally spaced lines were found; none is a board that can be read."
        if found
        else "No lattice of equally spaced lines was found."
    )
    return draw_candidates(frame, found, sentence, note)


def draw_candidates(frame: Frame, grids: Sequence[Grid], *notes: str) -> Picture:
    """Draw the whole frame, darkened, with each grid in ``grids`` bright, outlined and numbered."""
    pixels = (frame.pixels * np.float32(0.6)).astype(np.uint8)
    text_px = max(MIN_TEXT_PX, round(frame.width / 90))
    for grid in grids:
        x0, y0, x1, y1 = grid.bounds
        pixels[max(0, y0) : y1, max(0, x0) : x1] = frame.pixels[max(0, y0) : y1, max(0, x0) : x1]
    for number, grid in enumerate(grids, start=1):
        x0, y0, x1, y1 = grid.bounds
        cv2.rectangle(pixels, (x0 - 2, y0 - 2), (x1 + 2, y1 + 2), DOUBTFUL, 3)
        title = f"{number}: {grid.rows} × {grid.cols}"
        height, width = text_px + text_px // 2, text_width(title, text_px) + text_px
        x, y = max(0, min(x0 - 3, frame.width - width)), max(height, y0 - 3)
        cv2.rectangle(pixels, (x, y - height), (x + width, y), DOUBTFUL, -1)
        write(pixels, title, (x + text_px // 2, y - text_px // 4), text_px, WHITE)
    return caption(pixels, notes, text_px)


def draw_doubtful(frame: Frame, grid: Grid, tiles: Iterable[Cell], sentence: str) -> Picture:
    """Draw the board with the doubtful tiles outlined, and write what each may be."""
    canvas, cells = Canvas(frame, grid), list(tiles)
    canvas.draw_grid()
    for cell in cells:
        canvas.outline(cell, DOUBTFUL, max(3, round(0.1 * canvas.tile_px)))
    samples = [(GRID_LINE, "outline", "grid"), (DOUBTFUL, "outline", "doubtful tile")]
    picture = add_legend(canvas.with_cell_labels(), samples, canvas.text_px)
    lines = [sentence]
    if cells:
        seen = recognise(frame, grid)
        for cell in cells[:MOST_TILES]:
            label, rival = (TILE_NAMES[int(of[cell])] for of in (seen.tiles, seen.rivals))
            sure = f"sure {seen.confidence[cell]:.2f} of 1, at least {MARGIN:g} is needed"
            lines.append(f"{cell.place}: {label}, or {rival} ({sure}).")
    return caption(picture, lines, canvas.text_px)


TILE_COLOUR: Colour = (230, 30, 140)

RECORDED: Colour = (255, 120, 0)

NOW: Colour = (0, 60, 255)

LINES_PX = 14
"""Height of the letters below a frame that shows no board."""


def draw_differences(frame: Frame, grid: Grid | None, differences: Sequence[Difference]) -> Picture:
    """Outline the tiles that were read differently, ring the moves, and write the sentences below.

    If there is no grid within the frame, the frame stays unchanged.
    """
    sentences = [line for one in differences for line in one.sentences()]
    if grid is None or not lies_on(frame, grid):
        return caption(frame.pixels, sentences, LINES_PX)
    canvas = Canvas(frame, grid)
    samples: list[tuple[Colour, str, str]] = []
    tiles = [tile for one in differences for tile in one.tiles]
    for tile in tiles:
        if tile.cell.row < grid.rows and tile.cell.col < grid.cols:
            canvas.outline(tile.cell, TILE_COLOUR, max(2, round(0.08 * canvas.tile_px)))
            canvas.label(tile.cell, f"{tile.before}>{tile.now}", TILE_COLOUR)
    if tiles:
        samples.append((TILE_COLOUR, "outline", "tile: recorded > now"))
    if moves := [one for one in differences if one.what == "moves"]:
        for colour, cells in ((RECORDED, moves[0].recorded), (NOW, moves[0].now or [])):
            for _, row, col in cells:
                if row < grid.rows and col < grid.cols:
                    canvas.ring(Cell(row, col), colour)
        samples += [(RECORDED, "ring", "move recorded"), (NOW, "ring", "move now")]
    picture = canvas.with_cell_labels()
    if samples:
        picture = add_legend(picture, samples, canvas.text_px)
    return caption(picture, sentences, canvas.text_px)


def lies_on(frame: Frame, grid: Grid) -> bool:
    """Whether the whole board is in the frame."""
    x0, y0, x1, y1 = grid.bounds
    return min(x0, y0) >= 0 and x1 <= frame.width and y1 <= frame.height


Picture = NDArray[np.uint8]

GRID_LINE: Colour = (0, 200, 255)

BLACK: Colour = (20, 20, 20)

GREY: Colour = (110, 110, 110)

WHITE: Colour = (250, 250, 250)

MIN_TILE_PX = 36
"""Least size of a tile on a picture; smaller ones are enlarged by a whole number."""

MIN_TEXT_PX = 11
"""Least height of a capital letter; smaller ones cannot be read."""

MOST_PX = 50_000_000
"""An enlarged picture has at most so many pixels: twice the largest that can be read."""

CAPITAL = 0.72
"""Height of a capital letter of Pillow's font, as a share of the font size."""

LACKING = str.maketrans({"×": "x", "–": "-", "→": ">"})
"""Replacements for signs that this font does not have."""


class Canvas:
    """An enlarged part of the frame around the board, to draw on by cell or by frame pixel.

    ``pixels`` is the picture, ``box`` the part of the frame, ``zoom`` how much it is enlarged.
    """

    def __init__(self, frame: Frame, grid: Grid, *, margin_tiles: float = 1.5) -> None:
        bounds = grid.bounds
        margin = round(margin_tiles * max(grid.tile_w, grid.tile_h))
        self.box = PixelBox(
            max(0, bounds.x0 - margin),
            max(0, bounds.y0 - margin),
            min(frame.width, bounds.x1 + margin),
            min(frame.height, bounds.y1 + margin),
        )
        cut = frame.pixels[self.box.y0 : self.box.y1, self.box.x0 : self.box.x1]
        most = max(1, int((MOST_PX / max(1, cut.shape[0] * cut.shape[1])) ** 0.5))
        self.zoom = min(most, int(np.ceil(MIN_TILE_PX / min(grid.tile_w, grid.tile_h))))
        self.pixels: Picture = np.ascontiguousarray(
            cut.repeat(self.zoom, axis=0).repeat(self.zoom, axis=1)
        )
        self.grid = grid

    @property
    def tile_px(self) -> float:
        """The size of a tile on the picture."""
        return self.zoom * min(self.grid.tile_w, self.grid.tile_h)

    @property
    def text_px(self) -> int:
        """The height of the letters next to and below the board."""
        return max(MIN_TEXT_PX, round(0.3 * self.tile_px))

    def point(self, point: PixelPoint) -> tuple[int, int]:
        """Return the canvas pixel of a point in the frame."""
        return (
            round((point.x - self.box.x0) * self.zoom),
            round((point.y - self.box.y0) * self.zoom),
        )

    def corners(self, cell: Cell, inset_px: int = 0) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the top left and the bottom right corner of a cell, in canvas pixels."""
        x_lines, y_lines = self.grid.x_lines, self.grid.y_lines
        x0, y0 = self.point(PixelPoint(x_lines[cell.col], y_lines[cell.row]))
        x1, y1 = self.point(PixelPoint(x_lines[cell.col + 1], y_lines[cell.row + 1]))
        return (x0 + inset_px, y0 + inset_px), (x1 - inset_px, y1 - inset_px)

    def tint(self, cell: Cell, colour: Colour, strength: float) -> None:
        """Mix a colour into a cell."""
        (x0, y0), (x1, y1) = self.corners(cell, 1)
        part = self.pixels[y0:y1, x0:x1]
        part[:] = ((1 - strength) * part + strength * np.array(colour)).astype(np.uint8)

    def outline(self, cell: Cell, colour: Colour, width_px: int) -> None:
        """Draw a border inside a cell."""
        cv2.rectangle(self.pixels, *self.corners(cell, 1 + width_px // 2), colour, width_px)

    def ring(self, cell: Cell, colour: Colour) -> None:
        """Draw a ring in a cell."""
        (x0, y0), (x1, y1) = self.corners(cell)
        centre, radius = ((x0 + x1) // 2, (y0 + y1) // 2), int(0.44 * min(x1 - x0, y1 - y0))
        width = max(3, round(0.07 * self.tile_px))
        cv2.circle(self.pixels, centre, radius, WHITE, width + 2, cv2.LINE_AA)
        cv2.circle(self.pixels, centre, radius, colour, width, cv2.LINE_AA)

    def label(self, cell: Cell, text: str, colour: Colour) -> None:
        """Write a few letters on a coloured label in the top left corner of a cell."""
        (x0, y0), (x1, _) = self.corners(cell, 2)
        height = max(8, round(0.24 * (x1 - x0)))
        width = text_width(text, height)
        cv2.rectangle(self.pixels, (x0, y0), (x0 + width + 4, y0 + height + 4), colour, -1)
        write(self.pixels, text, (x0 + 2, y0 + height + 2), height, WHITE)

    def write_in_centre(self, cell: Cell, text: str, colour: Colour) -> None:
        """Write in the centre of a cell, as large as three letters fit."""
        (x0, y0), (x1, y1) = self.corners(cell)
        height = round(0.3 * (x1 - x0))
        while text_width(text, height) > 0.86 * (x1 - x0) and height > 6:
            height -= 1
        origin = ((x0 + x1 - text_width(text, height)) // 2, (y0 + y1 + height) // 2)
        write(self.pixels, text, origin, height, colour)

    def draw_grid(self) -> None:
        """Draw the lines of the grid."""
        x_lines, y_lines = self.grid.x_lines, self.grid.y_lines
        for x in x_lines:
            ends = self.point(PixelPoint(x, y_lines[0])), self.point(PixelPoint(x, y_lines[-1]))
            cv2.line(self.pixels, *ends, GRID_LINE, 1)
        for y in y_lines:
            ends = self.point(PixelPoint(x_lines[0], y)), self.point(PixelPoint(x_lines[-1], y))
            cv2.line(self.pixels, *ends, GRID_LINE, 1)

    def with_cell_labels(self) -> Picture:
        """Return the picture with the numbers of rows and columns, from 1, on a white border."""
        height = self.text_px
        left = text_width(str(self.grid.rows), height) + height
        top = 2 * height
        picture = np.full(
            (self.pixels.shape[0] + top, self.pixels.shape[1] + left, 3), WHITE, np.uint8
        )
        picture[top:, left:] = self.pixels
        for row in range(self.grid.rows):
            (_, y0), (_, y1) = self.corners(Cell(row, 0))
            name = str(row + 1)
            x = left - height // 2 - text_width(name, height)
            write(picture, name, (x, top + (y0 + y1 + height) // 2), height, GREY)
        widest = text_width(str(self.grid.cols), height)
        step = 1 if widest + height // 2 < self.zoom * self.grid.tile_w else 5
        for col in range(self.grid.cols):
            if step > 1 and col and (col + 1) % step:
                continue
            (x0, _), (x1, _) = self.corners(Cell(0, col))
            name = str(col + 1)
            x = left + (x0 + x1 - text_width(name, height)) // 2
            write(picture, name, (x, top - height // 2), height, GREY)
        return picture


def caption(picture: Picture, lines: Sequence[str], text_px: int) -> Picture:
    """Return the picture with lines of text below it, wrapped to its width."""
    room = picture.shape[1] - 2 * text_px
    wrapped = [row for line in lines if line for row in wrap(line, room, text_px)]
    if not wrapped:
        return picture
    step = round(1.9 * text_px)
    band = np.full((step * len(wrapped) + text_px, picture.shape[1], 3), WHITE, np.uint8)
    for index, row in enumerate(wrapped):
        write(band, row, (text_px, step * (index + 1)), text_px, BLACK)
    return np.vstack([picture, band])


def wrap(line: str, room: int, text_px: int) -> list[str]:
    """Break a line into rows at most ``room`` pixels wide."""
    rows, row = list[str](), ""
    for word in line.split():
        longer = f"{row} {word}" if row else word
        if row and text_width(longer, text_px) > room:
            rows.append(row)
            row = word
        else:
            row = longer
    return [*rows, row]


def add_legend(
    picture: Picture, samples: Sequence[tuple[Colour, str, str]], text_px: int
) -> Picture:
    """Return the picture with a legend below it.

    A sample is a colour, how it is drawn (``fill``, ``outline`` or ``ring``) and its meaning. A
    ``scale`` shows the colours of risk from 0 to 100 % in place of one colour.
    """
    side, gap = round(1.4 * text_px), round(0.5 * text_px)
    spans = [SCALE_SIDES * text_px if kind == "scale" else side for _, kind, _ in samples]
    needs = [
        span + gap + text_width(meaning, text_px)
        for span, (_, _, meaning) in zip(spans, samples, strict=True)
    ]
    width = max(picture.shape[1], *(need + 2 * text_px for need in needs))
    band = np.full((0, width, 3), WHITE, np.uint8)
    x = width
    for (colour, kind, meaning), span, need in zip(samples, spans, needs, strict=True):
        if x + need > width - text_px:
            band = np.vstack([band, np.full((round(2.2 * text_px), width, 3), WHITE, np.uint8)])
            x = text_px
        y = band.shape[0] - side - gap // 2
        _draw_sample(band, colour, kind, PixelBox(x, y, x + span, y + side))
        baseline = band.shape[0] - gap // 2 - (side - text_px) // 2
        write(band, meaning, (x + span + gap, baseline), text_px, BLACK)
        x += need + 4 * gap
    wider = np.full((picture.shape[0], width, 3), WHITE, np.uint8)
    wider[:, : picture.shape[1]] = picture
    return np.vstack([wider, band])


SCALE_SIDES = 8
"""Length of the colours of risk, in heights of the letters."""


def _draw_sample(band: Picture, colour: Colour, kind: str, box: PixelBox) -> None:
    (x0, y0, x1, y1), width = box, max(2, (box.y1 - box.y0) // 8)
    if kind == "scale":
        for x in range(x0, x1):
            band[y0:y1, x] = heat((x - x0) / (x1 - x0))
    elif kind == "fill":
        cv2.rectangle(band, (x0, y0), (x1, y1), colour, -1)
    elif kind == "outline":
        by = width // 2
        cv2.rectangle(band, (x0 + by, y0 + by), (x1 - by, y1 - by), colour, width)
    else:
        centre, radius = ((x0 + x1) // 2, (y0 + y1) // 2), (y1 - y0) // 2 - width // 2
        cv2.circle(band, centre, radius, colour, width, cv2.LINE_AA)


def save_picture(picture: Picture, path: str | Path, *, replace: bool = False) -> None:
    """Write a picture as PNG and make its folders; ``replace`` an existing one.

    Raises `BadImage` if the file cannot be written, `CannotWrite` if the disk is full.
    """
    _, data = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    try:
        write_output(Path(path), data.tobytes(), replace=replace)
    except UsageError as error:
        raise BadImage(f"The picture {error}") from error


@cache
def _font(text_px: int) -> ImageFont.FreeTypeFont:
    """Return the font whose capitals are ``text_px`` high."""
    font = ImageFont.load_default(text_px / CAPITAL)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def text_width(text: str, text_px: int) -> int:
    """Return the width of a line of text whose capitals are ``text_px`` high."""
    return round(_font(text_px).getlength(text.translate(LACKING)))


def write(
    pixels: Picture, text: str, origin: tuple[int, int], text_px: int, colour: Colour
) -> None:
    """Write a line of text. ``origin`` is the bottom left corner of its first letter."""
    font, text, (x, y) = _font(text_px), text.translate(LACKING), origin
    left, top, right, bottom = map(round, font.getbbox(text, anchor="ls"))
    x0, y0 = max(0, x + left), max(0, y + top)
    part = pixels[y0 : y + bottom, x0 : x + right]
    if part.size:
        image = Image.fromarray(part)
        ImageDraw.Draw(image).text((x - x0, y - y0), text, colour, font, anchor="ls")
        part[:] = np.asarray(image)
