"""Say a place, a decision or a result in one line, the same way in every command."""

from __future__ import annotations

from bot.events import Blame, GameResult
from solver.agents.base import Decision
from solver.analysis import Analysis
from solver.board import Board
from solver.counting import counted, percent
from solver.difficulty import efficiency_text


def decision_line(decision: Decision, board: Board) -> str:
    """Say a decision: its first move, how many more follow, the chances of a guess, the reason.

    >>> from solver import Board, Cell
    >>> from solver.agents.base import Move
    >>> guess = Decision((Move(Cell(0, 1)),), "the least risk", survival=0.75, win=0.5)
    >>> decision_line(guess, Board.from_text("1#"))
    'Guess at row 1, column 2 (75.0 % to survive, 50.0 % to win): the least risk'
    """
    if not decision.moves:
        return f"No move: {decision.reason}"
    first, *others = decision.moves
    more = f" and {len(others)} more" if others else ""
    if decision.certain:
        return f"{first.words(board)}{more}: {decision.reason}"
    win = "" if decision.win is None else f", {percent(decision.win)} to win"
    chances = f"{percent(decision.survival)} to survive{win}"
    return f"Guess at {first.cell.place}{more} ({chances}): {decision.reason}"


def result_line(result: GameResult) -> str:
    """Say how a game ended."""
    why = f" {result.why}" if result.why else ""
    blame = f" ({result.blame.value})" if result.blame else ""
    them = "it" if result.guesses == 1 else "them"
    chance = f"; the chance to survive {them} was {percent(result.chance)}"
    # Where the one guess hit a mine, the reason states its risk.
    one_guess = result.guesses == 1 and result.blame is Blame.BAD_LUCK and "risk" in result.why
    efficiency = efficiency_text(result.bv, result.clicks, result.seconds)
    return (
        f"Game {result.game}: {result.outcome.value}{blame} after {result.seconds:.1f} s, "
        f"{counted(result.clicks, 'click')}, {counted(result.guesses, 'guess', 'guesses')}"
        f"{chance if result.guesses and not one_guess else ''}.{why}"
        f"{' ' if efficiency else ''}{efficiency}"
    )


def fitting_text(log10: float) -> str:
    """Say how many layouts fit, given as a decimal logarithm; a large one as a power of ten."""
    count = f"{round(10**log10):,}" if log10 < 6 else f"10^{log10:.1f}"
    return "1 layout fits" if count == "1" else f"{count} layouts fit"


def analysis_text(analysis: Analysis) -> str:
    """Say what is certain on a board.

    >>> from solver import Board, analyse
    >>> analysis_text(analyse(Board.from_text("1##", mines=1)))
    '1 layout fits; 1 cell certainly safe, 1 certainly a mine.'
    """
    fitting, safe = fitting_text(analysis.solutions_log10), counted(len(analysis.safe), "cell")
    mines = len(analysis.mines)
    kind = "a mine" if mines == 1 else "mines"
    return f"{fitting}; {safe} certainly safe, {mines} certainly {kind}."
