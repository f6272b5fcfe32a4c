"""Whether a game is over, and how it ended: from two signs, also where a dialog hides the board."""

from __future__ import annotations

from collections.abc import Sequence

from bot.errors import WindowTrouble
from bot.manners import Manners
from bot.options import Limits
from bot.sight import Sight
from bot.signs import View, plausible
from bot.turn import Outcome, Turn, Watcher
from calibration.errors import BoardCovered, UnreadableTiles
from calibration.rules import count_around
from solver.agents.base import Action
from solver.analysis import analyse
from solver.board import Board, Cell, Tile
from solver.game import Status

HIDDEN_BOARD = (WindowTrouble, BoardCovered, UnreadableTiles)
"""What lasts when a program opens a dialog over its board."""

CAME_OVER = "Something came over the board as the game ended: close it, if it is the program's."


class Ending:
    """Tells the end of a game. ``mines`` and ``flags_to_win`` are what is known of the program.

    ``flags_to_win`` is None for a program without a theme until an end has shown it.
    """

    def __init__(self, sight: Sight, manners: Manners, *, watcher: Watcher, limits: Limits) -> None:
        self._sight = sight
        self._manners = manners
        self._watcher = watcher
        self._limits = limits
        self.mines: int | None = None
        self.flags_to_win: bool | None = None

    def of(self, view: View) -> tuple[Outcome, View] | None:
        """Tell whether the game is over, from two signs; None while it is under way.

        The program's word must come twice, or once if then a dialog hides the board. A board
        with no free cell left is won even if the program never says so in a way we can read.
        """
        if not view.over and (self.flags_to_win or not self.all_open(view)):
            return None
        lost = view.reading.status is Status.LOST
        dialog = self._manners.dialog_keys(may_win=not lost, may_lose=lost)
        try:
            last = self._sight.wait_over(view, after=view.board, dialog=dialog)
            if self.flags_to_win is None and self.all_open(last):
                last = self._sight.wait_more(last, dialog=dialog)
        except HIDDEN_BOARD:
            if not (view.over and plausible(view)):
                raise
            self._watcher.noticed(CAME_OVER)
            return (Outcome.LOST if lost else Outcome.WON), view
        if self.lacks_flags(last):
            return None
        if last.reading.status is Status.LOST:
            return Outcome.LOST, last
        if last.reading.status is Status.WON or self.all_open(last):
            return Outcome.WON, last
        return None

    def all_open(self, view: View) -> bool:
        """Whether only mines are left closed, by their known number and by every number open.

        The total alone will not do: it may be a person's mistake.
        """
        closed = ~view.board.open
        fits = (count_around(closed) == view.board.tiles) | closed
        return int(closed.sum()) == self.mines and bool(fits.all())

    def lacks_flags(self, view: View) -> bool:
        """Whether the program wants the mines of this opened-up board flagged.

        Its theme knew at the start; a program without one wants it if its clock goes on running.
        """
        hidden = view.board.tiles == Tile.HIDDEN
        if not (self.all_open(view) and hidden.any()) or view.reading.status is Status.LOST:
            return False
        if self.flags_to_win is None:
            self.flags_to_win = self._sight.wait_clock(self._limits.clock_s)
            if self.flags_to_win:
                self._watcher.noticed("This program wants all mines flagged at the end.")
        return self.flags_to_win

    def of_nothing_to_do(self, board: Board) -> Outcome:
        """Without a known total, a board whose closed cells are all certain mines is won."""
        done = int((~board.open).sum()) == len(analyse(board).mines)
        return Outcome.WON if done else Outcome.STOPPED


def opened_all(turn: Turn, clicked: Sequence[Cell]) -> bool:
    """Whether these clicks, all certain, opened every free cell that was left.

    One that was passed over had been flooded: it lies beside another that was opened.
    """
    board, moves = turn.reading.board, turn.decision.moves
    free = {move.cell for move in moves if move.action is Action.OPEN}
    left = None if board.mines is None else int((~board.open).sum()) - board.mines
    if not turn.decision.certain or left != len(free):
        return False
    reached = set(clicked)
    while beside := {cell for cell in free - reached if reached & set(board.neighbours(cell))}:
        reached |= beside
    return free <= reached
