"""``minebot advise``: give the best move for a screenshot."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bot.commands.explaining import (
    add_explanations,
    end_line,
    explained,
    print_advice,
)
from bot.commands.options import add_agent, add_json, add_mines, add_picture, agent_of
from bot.commands.read import read_screenshot
from bot.commands.solve import solve
from bot.outputs import check_not_an_input, check_picture_path
from bot.terminal.output import analysis_json, console, emit, note
from bot.terminal.pictures.overlays import draw_heatmap, draw_values, save_picture
from solver.agents import RatesCells
from solver.counting import counted
from solver.errors import InconsistentBoard

ABOUT = """\
Read the board on a screenshot and print the best move with its chances. Nothing is clicked."""

EXAMPLES = """\
examples:
  minebot advise screen.png
  minebot advise screen.png --heatmap risks.png
  minebot advise screen.png --why 3,7          why row 3, column 7 is certain
  minebot advise screen.png --candidates 5     the five best cells to open
  minebot advise screen.png --think high       think for some seconds about a guess"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "advise",
        help="give the best move for a screenshot",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("image", type=Path, metavar="IMAGE", help="a screenshot")
    add_mines(parser)
    add_picture(parser)
    add_explanations(parser)
    add_agent(parser)
    parser.add_argument(
        "--heatmap",
        type=Path,
        metavar="OUT.png",
        help="save a picture of the board coloured by risk, or by the values of an agent's network",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, analyse and print the move."""
    if args.heatmap is not None:
        check_picture_path(args.heatmap)
        check_not_an_input(args.heatmap, [args.image])
    screenshot = read_screenshot(args.image, args)
    agent = agent_of(args, screenshot.calibration.theme)
    board = screenshot.reading.board
    try:
        analysis, decision, ms = solve(board, agent)
    except InconsistentBoard:
        if args.mines is not None or board.mines is None:
            raise
        note(f"The mine total {board.mines} does not fit the numbers; it is ignored.")
        board = board.with_mines(None)
        analysis, decision, ms = solve(board, agent)
    explanation = explained(board, analysis, decision, count=args.candidates, cell=args.why)
    if args.heatmap is not None:
        grid = screenshot.calibration.grid
        if isinstance(agent, RatesCells):
            picture = draw_values(screenshot.frame, grid, agent.rate(board), decision)
        else:
            picture = draw_heatmap(
                screenshot.frame, grid, analysis, decision, board=board, proof=explanation.proof
            )
        save_picture(picture, args.heatmap)
    if args.json:
        emit(analysis_json(analysis, decision, ms, explanation, end_line(board)))
        return 0
    total = "mine total unknown" if board.mines is None else counted(board.mines, "mine")
    figures = f"{board.rows} x {board.cols}, {total}."
    print_advice(console(), board, analysis, decision, explanation, figures=figures, labels=True)
    return 0
