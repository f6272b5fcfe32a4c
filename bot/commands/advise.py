"""``minebot advise``: the best move for a screenshot."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bot.commands.options import add_agent, add_json, add_mines, add_picture, agent_of
from bot.commands.read import read_sheet
from bot.commands.solve import solve
from bot.exit_codes import exit_code_of
from bot.say import analysis_json, board_text, decision_line, emit, error_json, note, out
from bot.warm import warm_up
from calibration.errors import CalibrationError
from calibration.overlay import draw_heatmap, save_picture
from solver.errors import InconsistentBoard, SolverError

ABOUT = """\
Read the board on a screenshot and say the best move, with its chances. Nothing is clicked."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "advise", help="say the best move for a screenshot", description=ABOUT
    )
    parser.add_argument("image", type=Path, metavar="IMAGE", help="a screenshot")
    add_mines(parser)
    add_picture(parser)
    add_agent(parser)
    parser.add_argument(
        "--heatmap", type=Path, metavar="OUT.png", help="draw the chance of a mine on each cell"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Advise; with ``--json`` an error of the eyes or the solver is an object like the rest."""
    try:
        return _advise(args)
    except (CalibrationError, SolverError) as error:
        if not args.json:
            raise
        emit(error_json(error))
        return exit_code_of(error) or 1


def _advise(args: argparse.Namespace) -> int:
    """Read, analyse and print the move."""
    sheet = read_sheet(args.image, args)
    agent = agent_of(args, sheet.calibration.theme)
    warm_up(note)
    board = sheet.reading.board
    try:
        analysis, decision, ms = solve(board, agent)
    except InconsistentBoard:
        if args.mines is not None or board.mines is None:
            raise
        note(f"{board.mines} mines do not fit the numbers; going on without a total.")
        board = board.with_mines(None)
        analysis, decision, ms = solve(board, agent)
    if args.heatmap is not None:
        grid = sheet.calibration.grid
        save_picture(draw_heatmap(sheet.frame, grid, analysis, decision), args.heatmap)
    if args.json:
        emit(analysis_json(analysis, decision, ms))
        return 0
    out().print(board_text(board, decision.moves[0].cell if decision.moves else None))
    total = "an unknown number of" if board.mines is None else str(board.mines)
    out().print(decision_line(decision), markup=False)
    out().print(
        f"{board.rows} x {board.cols}, {total} mines; {len(analysis.safe)} certainly safe, "
        f"{len(analysis.mines)} certain mines."
    )
    return 0
