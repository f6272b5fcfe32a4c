"""Draw on screenshots: the grid found, the tiles read, the risk of each cell.

Every function returns a new RGB array ``(height, width, 3)`` of uint8 and does not change its
frame. A picture of a board is cut out around the board and enlarged until a tile has room for
text; rows and columns are numbered from 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bot.terminal.board_text import frontier
from bot.terminal.pictures.canvas import (
    BLACK,
    GRID_LINE,
    WHITE,
    Canvas,
    Picture,
    add_legend,
    caption,
    save_picture,
)
from bot.terminal.risks import (
    Colour,
    blend,
    heat,
    short_percent,
    value_colour,
    value_shares,
)
from calibration.frame import Frame
from calibration.grid import Grid
from solver.agents.base import Action, Decision
from solver.analysis import Analysis
from solver.board import TEXT_OF_TILE, Board, Cell, Tile
from solver.counting import percent
from solver.proof import Proof

__all__ = ["Picture", "draw_heatmap", "draw_reading", "draw_values", "save_picture"]

CONFIDENT: Colour = (20, 170, 60)
DOUBTFUL: Colour = (230, 30, 140)
_CERTAIN_SAFE: Colour = (0, 120, 30)
_CERTAIN_MINE: Colour = (130, 0, 0)
_OPEN_MOVE: Colour = (0, 60, 255)
_OTHER_MOVE: Colour = (255, 120, 0)
_PROOF: Colour = (240, 190, 0)
_PROVED: Colour = (200, 0, 200)

FRONTIER_TINT, FAR_TINT = 0.8, 0.3
"""Strength of the tint. Cells that touch no number all have the same risk and stay quiet."""


def draw_reading(
    frame: Frame,
    grid: Grid,
    board: Board,
    *,
    confidence: NDArray[np.float64] | None = None,
    note: str = "",
) -> Picture:
    """Draw the grid, the tile read in each cell and the confidence of the reading.

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
    picture = add_legend(canvas.with_cell_labels(), samples, canvas.text_px, scale=False)
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
    reason stands below the picture. With ``board``, flags stay visible, and the cells that touch
    no number are tinted lightly, their common risk named in the legend. The numbers of a
    ``proof`` are outlined.
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
    picture = add_legend(canvas.with_cell_labels(), samples, canvas.text_px, scale=True)
    return caption(picture, [_sentence(decision)] if decision else [], canvas.text_px)


def draw_values(
    frame: Frame, grid: Grid, values: NDArray[np.float64], decision: Decision | None = None
) -> Picture:
    """Draw how an agent rates every covered cell: bright red the best, black the least.

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
    picture = add_legend(canvas.with_cell_labels(), samples, canvas.text_px, scale=False)
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
    """Draw the risk of one cell; a flag is left visible, and named only where it is not certain."""
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
    """Return the samples of what the picture shows, and of nothing else."""
    samples: list[tuple[Colour, str, str]] = []
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
