"""``minebot advise``: give the best move for a screenshot.

``minebot solve`` prints the same report on a board, with ``--candidates`` and ``--why``, too.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.parsing import argument, option
from bot.commands.shared import AgentChoice, Explanations, Files, Screenshot, Shown
from bot.errors import UsageError
from bot.outputs import check_not_an_input, check_picture_path
from bot.streams import note
from solver.counting import counted
from solver.errors import InconsistentBoard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console
    from rich.text import Text

    from bot.commands.pictures import ScreenshotReading
    from bot.terminal.words import Why
    from solver import Agent, Analysis, Board, Cell, Decision
    from solver.difficulty import Difficulty
    from solver.guesses import Candidate
    from solver.proof import Proof


@dataclass(frozen=True, kw_only=True)
class Advise(Screenshot, Explanations, AgentChoice, Files, Shown):
    """Read the board on a screenshot, or on the screen, and print the best move with its chances.
    Nothing is clicked.

    examples:
      minebot advise screen.png
      minebot advise --screen                      for the game that is open
      minebot advise screen.png --heatmap risks.png
      minebot advise screen.png --why 3,7          why row 3, column 7 is certain
      minebot advise screen.png --candidates 5     the five best cells to open
      minebot advise screen.png --think high       think longer about a guess
    """

    image: Path | None = argument("a screenshot", "IMAGE", count="?")
    heatmap: Path | None = option(
        "save a picture of the board coloured by risk, or by the values of an agent's network",
        "OUT.png",
    )


def run(args: Advise) -> int:
    """Read, analyse and print the move."""
    from bot.commands.pictures import note_unknown, read_screenshot, shots_of, sought_of
    from bot.commands.resolve import agent_of
    from bot.terminal.console import print_answer
    from bot.terminal.pictures import save_picture

    images = [] if args.image is None else [args.image]
    if args.heatmap is not None:
        check_not_an_input(args.heatmap, images)
        check_picture_path(args.heatmap, replace=args.force)
    sought = sought_of(args)
    agent_of(args)  # an unknown agent is refused before the screen is opened
    (shot,) = shots_of(images, sought, screen=args.screen)
    screenshot = read_screenshot(shot, sought)
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
    print_answer(replace(advice, figures=figures), as_json=args.json, colours=args.colours)
    return 0


def _heatmap(
    screenshot: ScreenshotReading, advice: AdviceReport, agent: Agent
) -> NDArray[np.uint8]:
    """Draw the values that an agent gives to the cells, or the risks."""
    from bot.terminal.pictures import draw_heatmap, draw_values
    from solver.agents import RatesCells

    frame, grid = screenshot.frame, screenshot.calibration.grid
    decision = None if advice.over else advice.decision
    if isinstance(agent, RatesCells):
        return draw_values(frame, grid, agent.rate(advice.board), decision)
    return draw_heatmap(
        frame, grid, advice.analysis, decision, board=advice.board, proof=advice.proof
    )


@dataclass(frozen=True)
class AdviceReport:
    """The report on a board: its analysis, the best move, and the explanations asked for.

    ``figures`` is a sentence for people. ``labels`` says whether to number rows and columns.
    """

    board: Board
    analysis: Analysis
    decision: Decision
    ms: float
    candidates: tuple[Candidate, ...] | None = None
    why: Why | None = None
    figures: str = ""
    labels: bool = True

    @property
    def over(self) -> str:
        """A sentence that says whether the game is won or lost; empty while it is in play."""
        return _end_line(self.board, self.analysis)

    @property
    def proof(self) -> Proof | None:
        """The proof to highlight, if there is one."""
        return self.why.proof if self.why else None

    def json(self) -> Iterator[Mapping[str, Any]]:
        """Describe the report; there is no advice once the game is over."""
        from bot.terminal.words import analysis_json, explanation_json

        over = self.over
        difficulty = _difficulty(self.board) if over else None
        found = analysis_json(self.analysis, self.decision, self.ms, over, difficulty)
        yield found | explanation_json(self.candidates, self.why)

    def show(self, terminal: Console) -> None:
        """Print the board with the best move, the certain cells, and the explanations asked for.

        A terminal shows certain cells and risks on the board; elsewhere they are listed. There is
        no advice once the game is over.
        """
        from bot.terminal.words import decision_line

        over = self.over
        terminal.print(self._drawn(terminal, over=bool(over)), end="\n\n")
        terminal.print(over or decision_line(self.decision, self.board))
        for line in () if over or terminal.is_terminal else _certain_lines(self.analysis):
            terminal.print(line)
        if not over and (line := _wrong_flags_line(self.board, self.analysis)):
            terminal.print(line)
        if over and (difficulty := _difficulty(self.board)) is not None:
            terminal.print(f"{difficulty}.")
        terminal.print(self.figures)
        self._explain(terminal)

    def _drawn(self, terminal: Console, *, over: bool) -> Text:
        from bot.terminal.board_text import board_text

        moves = [] if over else [move.cell for move in self.decision.moves]
        if terminal.is_terminal and not over:
            return _on_terminal(terminal, self.board, self.analysis, moves, self.proof)
        return board_text(
            self.board, targets=moves[:1], proof=self.proof, letters=True, labels=self.labels
        )

    def _explain(self, terminal: Console) -> None:
        """Print the proof and the candidates, if they were asked for."""
        from bot.terminal.words import best_line, candidates_table

        if self.why is not None:
            terminal.print(self.why.text)
        if self.candidates:
            terminal.print(candidates_table(self.candidates))
            if line := best_line(self.board, self.candidates):
                terminal.print(line)
        elif self.candidates is not None:
            terminal.print("There is nothing to compare.")


def advice_on(
    board: Board,
    agent: Agent,
    *,
    count: int | None = None,
    cell: tuple[int, int] | None = None,
    start: int = 1,
) -> AdviceReport:
    """Analyse a board, ask the agent, and add the explanations asked for.

    Raises `UsageError` for a cell that cannot be explained; the error counts rows and columns from
    ``start``, like the question. Raises `InconsistentBoard` with the numbers that contradict each
    other. A finished game has no candidates.
    """
    from bot.commands.resolve import check_on_board, place_from
    from bot.terminal.words import candidates_of, why_certain
    from solver.agents.tank import decide
    from solver.analysis import analyse_likely
    from solver.board import Cell
    from solver.proof import contradiction

    if cell is not None:
        cell = Cell(*cell)
        check_on_board(cell, board.rows, board.cols, start=start)
        if not board.covered[cell]:
            raise UsageError(
                f"The cell at {place_from(cell, start)} is open, so there is nothing to explain; "
                f"rows and columns count from {start} at the top left."
            )
    began = time.perf_counter()
    try:
        analysis = analyse_likely(board)
    except InconsistentBoard as error:
        named = contradiction(board)
        if not named:
            raise
        raise InconsistentBoard(f"{str(error).rstrip('.')}: look at {named}.") from error
    decision = decide(agent, board)
    ms = 1e3 * (time.perf_counter() - began)
    candidates: tuple[Candidate, ...] | None = None if count is None else ()
    if count is not None and not _end_line(board, analysis):
        candidates = candidates_of(board, analysis, decision, count)
    why = None if cell is None else why_certain(board, analysis, cell)
    return AdviceReport(board, analysis, decision, ms, candidates, why)


def _on_terminal(
    console: Console,
    board: Board,
    analysis: Analysis,
    moves: Collection[Cell],
    proof: Proof | None,
) -> Text:
    """Draw a board with its risks, if the terminal is wide enough."""
    from bot.terminal.board_text import board_text, cell_width_for
    from bot.terminal.console import shows_symbols

    return board_text(
        board,
        analysis,
        targets=moves,
        proof=proof,
        cell_width=cell_width_for(board, console.width),
        letters=not shows_symbols(console),
        labels=True,
    )


def _end_line(board: Board, analysis: Analysis | None = None) -> str:
    """Say that a board is won or lost; return an empty text while the game is in play.

    Without a mine total, the ``analysis`` may show that only mines are left.
    """
    from solver.board import Tile

    exploded = next((cell for cell in board.cells() if board[cell] == Tile.EXPLODED), None)
    if exploded is not None:
        return f"This game is lost: a mine exploded at {exploded.place}."
    if any(board[cell] in (Tile.MINE, Tile.WRONG_FLAG) for cell in board.cells()):
        return "This game is over: the board shows its mines."
    mines = board.mines
    if mines is None and analysis is not None:
        mines = len(analysis.mines)
    all_open = board.open.any() and not board.unknown.any() and board.covered.sum() == mines
    return "This game is won: every safe cell is open." if all_open else ""


def _difficulty(board: Board) -> Difficulty | None:
    """Measure a finished board; None if it does not show all its mines."""
    from solver.difficulty import difficulty_of, mines_of

    mines = mines_of(board)
    return None if mines is None else difficulty_of(mines)


def _certain_lines(analysis: Analysis) -> list[str]:
    """List all certain cells: one line for the safe ones, one for the mines."""
    return [
        f"Certainly {name} ({len(cells)}): {_places(cells)}."
        for name, cells in (("safe", analysis.safe), ("mines", analysis.mines))
        if cells
    ]


def _wrong_flags_line(board: Board, analysis: Analysis) -> str:
    """Say which flags are certainly wrong; empty if there are none."""
    from solver.board import Tile

    wrong = [cell for cell in analysis.safe if board[cell] == Tile.FLAG]
    names = f"Wrong flag{'s' if len(wrong) > 1 else ''} ({len(wrong)})"
    return f"{names}, without a mine below: {_places(wrong)}." if wrong else ""


def _places(cells: Sequence[Cell]) -> str:
    """Write cells row by row: ``row 1: columns 2, 5; row 3: column 1``."""
    rows: dict[int, list[int]] = {}
    for cell in cells:
        rows.setdefault(cell.row + 1, []).append(cell.col + 1)
    return "; ".join(
        f"row {row}: {'column' if len(cols) == 1 else 'columns'} {', '.join(map(str, cols))}"
        for row, cols in rows.items()
    )
