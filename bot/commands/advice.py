"""Print the advice of `solve` and `advise`, with what ``--candidates`` and ``--why`` ask for."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console
from rich.text import Text

from bot.commands.options import check_on_board, place_from
from bot.errors import UsageError
from bot.terminal.board_text import board_text, cell_width_for
from bot.terminal.console import shows_symbols
from bot.terminal.descriptions import analysis_json
from bot.terminal.explanations import (
    Explanation,
    best_line,
    candidates_table,
    explain_position,
)
from bot.terminal.sentences import decision_line
from solver.agents import Agent, Decision
from solver.agents.tank import decide
from solver.analysis import Analysis
from solver.board import Board, Cell, Tile
from solver.difficulty import Difficulty, difficulty_of, mines_of
from solver.errors import InconsistentBoard
from solver.mine_total import analyse_likely
from solver.proof import Proof, contradiction


@dataclass(frozen=True)
class Advice:
    """The report on a board: its analysis, the best move, and what was asked for beside them.

    ``figures`` is a sentence for people; ``labels`` tells whether rows and columns are numbered.
    """

    board: Board
    analysis: Analysis
    decision: Decision
    explanation: Explanation
    ms: float
    figures: str = ""
    labels: bool = True

    @property
    def over(self) -> str:
        """Says that the game is won or lost; empty while it goes on."""
        return _end_line(self.board)

    def json(self) -> Iterator[Mapping[str, Any]]:
        """Describe it; once the game is over, nothing is advised."""
        over = self.over
        difficulty = _difficulty(self.board) if over else None
        yield analysis_json(
            self.analysis, self.decision, self.ms, self.explanation, over, difficulty
        )

    def show(self, terminal: Console) -> None:
        """Print the board with the best move, what is certain, and what was asked for.

        A terminal shows in the board what is certain, and the risks; elsewhere it is listed. Once
        the game is over, nothing is advised.
        """
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
        _print_explanation(terminal, self.board, self.explanation)

    def _drawn(self, terminal: Console, *, over: bool) -> Text:
        moves = [] if over else [move.cell for move in self.decision.moves]
        proof = self.explanation.proof
        if terminal.is_terminal and not over:
            return _on_terminal(terminal, self.board, self.analysis, moves, proof)
        return board_text(
            self.board, targets=moves[:1], proof=proof, letters=True, labels=self.labels
        )


def advice_on(
    board: Board,
    agent: Agent,
    *,
    count: int | None = None,
    cell: tuple[int, int] | None = None,
    start: int = 1,
) -> Advice:
    """Analyse a board, ask the agent, and explain what was asked for.

    Raises `UsageError` for a cell that cannot be explained. The error counts rows and columns from
    ``start``, as the person or program that asks does. Raises `InconsistentBoard`, with the numbers
    that contradict each other. A game that is over has no candidates.
    """
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
    compared = None if _end_line(board) else count
    explanation = explain_position(board, analysis, decision, count=compared, cell=cell)
    if count is not None and compared is None:
        explanation = replace(explanation, candidates=())
    return Advice(board, analysis, decision, explanation, ms)


def _on_terminal(
    console: Console,
    board: Board,
    analysis: Analysis,
    moves: Collection[Cell],
    proof: Proof | None,
) -> Text:
    """Draw a board with its risks, as wide as the terminal lets it be."""
    return board_text(
        board,
        analysis,
        targets=moves,
        proof=proof,
        cell_width=cell_width_for(board, console.width),
        letters=not shows_symbols(console),
        labels=True,
    )


def _print_explanation(console: Console, board: Board, explanation: Explanation) -> None:
    """Print the proof and the candidates, if they were asked for."""
    if explanation.why is not None:
        console.print(explanation.why.text)
    if explanation.candidates is not None:
        if explanation.candidates:
            console.print(candidates_table(explanation.candidates))
            if line := best_line(board, explanation.candidates):
                console.print(line)
        else:
            console.print("There is nothing to compare.")


def _end_line(board: Board) -> str:
    """Say that a board is won or lost; return an empty text while the game goes on."""
    exploded = next((cell for cell in board.cells() if board[cell] == Tile.EXPLODED), None)
    if exploded is not None:
        return f"This game is lost: a mine exploded at {exploded.place}."
    if any(board[cell] in (Tile.MINE, Tile.WRONG_FLAG) for cell in board.cells()):
        return "This game is over: the board shows its mines."
    all_open = board.open.any() and not board.unknown.any() and board.covered.sum() == board.mines
    return "This game is won: every safe cell is open." if all_open else ""


def _difficulty(board: Board) -> Difficulty | None:
    """Measure a finished board; None where it does not show all its mines."""
    mines = mines_of(board)
    return None if mines is None else difficulty_of(mines)


def _certain_lines(analysis: Analysis) -> list[str]:
    """List all certain cells with their places, one line for the safe ones, one for the mines."""
    return [
        f"Certainly {name} ({len(cells)}): {_places(cells)}."
        for name, cells in (("safe", analysis.safe), ("mines", analysis.mines))
        if cells
    ]


def _wrong_flags_line(board: Board, analysis: Analysis) -> str:
    """Say which flags of a person mark no mine; empty if none is certainly wrong."""
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
