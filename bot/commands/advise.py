"""``minebot advise``: give the best move for a screenshot."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bot.commands.advice import Advice, advice_on
from bot.commands.options import agent_of
from bot.commands.screenshots import ScreenshotReading, note_unknown, read_screenshot, shots_of
from bot.outputs import check_not_an_input, check_picture_path
from bot.terminal.output import note
from bot.terminal.pictures.overlays import draw_heatmap, draw_values, save_picture
from bot.terminal.report import tell
from bot.usage.advise import Advise
from solver.agents import Agent, RatesCells
from solver.counting import counted
from solver.errors import InconsistentBoard


def run(args: Advise) -> int:
    """Read, analyse and print the move."""
    images = [] if args.image is None else [args.image]
    if args.heatmap is not None:
        check_not_an_input(args.heatmap, images)
        check_picture_path(args.heatmap, replace=args.force)
    (shot,) = shots_of(images, screen=args.screen)
    screenshot = read_screenshot(shot, args)
    agent = agent_of(args, screenshot.calibration.theme)
    board = screenshot.reading.board
    note_unknown(screenshot.reading)
    ask = partial(advice_on, agent=agent, count=args.candidates, cell=args.why)
    try:
        advice = ask(board)
    except InconsistentBoard:
        if args.mines is not None or board.mines is None:
            raise
        note(f"The mine total {board.mines} does not fit the numbers; it is ignored.")
        board = board.with_mines(None)
        advice = ask(board)
    if args.heatmap is not None:
        save_picture(_heatmap(screenshot, advice, agent), args.heatmap, replace=args.force)
    unread = "the number of mines is not read: give it with --mines"
    total = unread if board.mines is None else counted(board.mines, "mine")
    figures = f"{board.rows} x {board.cols}, {total}."
    tell(replace(advice, figures=figures), as_json=args.json, colours=args.colours)
    return 0


def _heatmap(screenshot: ScreenshotReading, advice: Advice, agent: Agent) -> NDArray[np.uint8]:
    """Draw the values that an agent gives to the cells, or the risks."""
    frame, grid = screenshot.frame, screenshot.calibration.grid
    decision = None if advice.over else advice.decision
    if isinstance(agent, RatesCells):
        return draw_values(frame, grid, agent.rate(advice.board), decision)
    proof = advice.explanation.proof
    return draw_heatmap(frame, grid, advice.analysis, decision, board=advice.board, proof=proof)
