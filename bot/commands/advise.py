"""``minebot advise``: give the best move for a screenshot."""

from __future__ import annotations

from bot.commands.explaining import (
    end_line,
    explained,
    print_advice,
)
from bot.commands.options import agent_of
from bot.commands.read import note_unknown, read_screenshot
from bot.commands.solve import solve
from bot.outputs import check_not_an_input, check_picture_path
from bot.terminal.console import console
from bot.terminal.descriptions import analysis_json
from bot.terminal.output import emit, note
from bot.terminal.pictures.overlays import draw_heatmap, draw_values, save_picture
from bot.usage.advise import Advise
from solver.agents import RatesCells
from solver.counting import counted
from solver.errors import InconsistentBoard


def run(args: Advise) -> int:
    """Read, analyse and print the move."""
    if args.heatmap is not None:
        check_picture_path(args.heatmap)
        check_not_an_input(args.heatmap, [args.image])
    screenshot = read_screenshot(args.image, args)
    agent = agent_of(args, screenshot.calibration.theme)
    board = screenshot.reading.board
    note_unknown(screenshot.reading)
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
