"""Print the advice of `solve` and `advise`, with what ``--candidates`` and ``--why`` ask for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from bot.commands.options import check_on_board, place_from
from bot.errors import UsageError
from bot.terminal.board_text import board_text, cell_width_for
from bot.terminal.explanations import (
    Explanation,
    best_line,
    candidates_table,
    explain_position,
)
from bot.terminal.sentences import decision_line
from solver.agents import Decision
from solver.analysis import Analysis
from solver.board import Board, Cell, Tile
from solver.proof import Proof


def explained(
    board: Board,
    analysis: Analysis,
    decision: Decision,
    *,
    count: int | None,
    cell: tuple[int, int] | None,
    start: int = 1,
) -> Explanation:
    """Explain what was asked for. Raises `UsageError` for a cell that cannot be explained.

    The error counts rows and columns from ``start``, as the person or program that asks does. A
    game that is over has no candidates.
    """
    if cell is not None:
        cell = Cell(*cell)
        check_on_board(cell, board.rows, board.cols, start=start)
        if not board.covered[cell]:
            raise UsageError(
                f"The cell at {place_from(cell, start)} is open, so there is nothing to explain; "
                f"rows and columns count from {start} at the top left."
            )
    if count is not None and end_line(board):
        explanation = explain_position(board, analysis, decision, cell=cell)
        return replace(explanation, candidates=())
    return explain_position(board, analysis, decision, count=count, cell=cell)


def print_advice(
    console: Console,
    board: Board,
    analysis: Analysis,
    decision: Decision,
    explanation: Explanation,
    *,
    figures: str,
    labels: bool,
) -> None:
    """Print the board with the best move, what is certain, ``figures``, and what was asked for.

    A terminal shows in the board what is certain, and the risks; elsewhere it is listed. Once the
    game is over, nothing is advised.
    """
    over = end_line(board)
    moves = [move.cell for move in decision.moves if not over]
    if console.is_terminal and not over:
        drawn = on_terminal(console, board, analysis, moves, explanation.proof)
    else:
        drawn = board_text(
            board, targets=moves[:1], proof=explanation.proof, letters=True, labels=labels
        )
    console.print(drawn, end="\n\n")
    console.print(over or decision_line(decision, board))
    for line in () if over or console.is_terminal else certain_lines(analysis):
        console.print(line)
    console.print(figures)
    _print_explanation(console, board, explanation)


def on_terminal(
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
        letters=console.options.ascii_only,
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


def end_line(board: Board) -> str:
    """Say that a board is won or lost; return an empty text while the game goes on."""
    exploded = [cell for cell in board.cells() if board[cell] == Tile.EXPLODED]
    if exploded:
        return f"This game is lost: a mine exploded at {exploded[0].place}."
    mines = sum(board[cell] in (Tile.MINE, Tile.WRONG_FLAG) for cell in board.cells())
    if mines:
        return "This game is over: the board shows its mines."
    if board.unknown.any():
        return ""
    covered = int(board.covered.sum())
    if board.open.any() and covered == (board.mines or 0) and (covered or board.mines == 0):
        return "This game is won: every safe cell is open."
    return ""


def certain_lines(analysis: Analysis) -> list[str]:
    """List all certain cells with their places, one line for the safe ones, one for the mines."""
    return [
        f"Certainly {name} ({len(cells)}): {_places(cells)}."
        for name, cells in (("safe", analysis.safe), ("mines", analysis.mines))
        if cells
    ]


def _places(cells: Sequence[Cell]) -> str:
    """Write cells row by row: ``row 1: columns 2, 5; row 3: column 1``."""
    rows: dict[int, list[int]] = {}
    for cell in cells:
        rows.setdefault(cell.row + 1, []).append(cell.col + 1)
    return "; ".join(
        f"row {row}: {'column' if len(cols) == 1 else 'columns'} {', '.join(map(str, cols))}"
        for row, cols in rows.items()
    )
