"""The game under way: its turns, its risks and unanswered clicks, and why it was lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from bot.desktop.ports import Button
from bot.errors import NotPressed, WindowCovered, WindowStuck
from bot.events import Blame, Click, GameResult, Outcome, Timings, Turn
from bot.tracking.game import GameUnderWay, Observation, outcome_of
from calibration.rules import mines_in, only_mines_left
from calibration.verdict import Verdict
from solver import Decision, analyse
from solver.board import Board, Cell, Tile, count_neighbours
from solver.counting import counted, percent
from solver.difficulty import three_bv
from solver.errors import CannotAnalyse

LEAST_EMPTY = 40
"""Number of clicks without any number from which a board is doubted."""

LEAST_DENSITY = 0.1
"""Share of mines that is assumed if the total is unknown; hardly any program uses less."""

UNLIKELY = 0.01
"""Play stops if the chance of having hit no mine so far is below this."""

SEVERAL_TURNS = 2
"""All clicks are gentle after this many turns that were answered only when repeated."""


@dataclass
class Progress(GameUnderWay):
    """A game that the bot plays.

    ``last`` is its last turn, ``seen`` the time at which its board was last read in play.
    ``misses`` counts, for each cell, how many clicks in a row it did not answer.
    ``unchanged_turns`` counts the turns in a row that changed nothing on the board,
    ``repeated_turns`` the turns that changed the board right after an unchanged one.
    """

    seen: float = -inf
    last: Turn | None = None
    misses: dict[Cell, int] = field(default_factory=dict)
    unchanged_turns: int = 0
    repeated_turns: int = 0

    @property
    def gently(self) -> bool:
        """Whether to click gently: quick clicks were lost in the last turn, or in several."""
        return self.unchanged_turns > 0 or self.repeated_turns >= SEVERAL_TURNS

    @property
    def last_board(self) -> Board | None:
        """The board of the last turn, None before the first."""
        return self.last.reading.board if self.last else None

    def begin_turn(
        self, observation: Observation, board: Board, decision: Decision, decide_ms: float
    ) -> Turn:
        """Begin a turn; the risk of a repeated decision counts once."""
        return self.count_turn(
            observation.frame,
            replace(observation.reading, board=board),
            decision,
            retry=self.last is not None and self.last.decision.moves == decision.moves,
            timings=Timings(
                grab_ms=observation.grab_ms, read_ms=observation.read_ms, decide_ms=decide_ms
            ),
        )

    def end_turn(
        self, turn: Turn, clicks: Sequence[Click], *, send_ms: float, wait_ms: float
    ) -> Turn:
        """Add the clicks that were made and how long they took."""
        timings = replace(turn.timings, send_ms=send_ms, wait_ms=wait_ms)
        self.last = replace(turn, clicks=tuple(clicks), timings=timings)
        self.clicks += len(clicks)
        return self.last

    def _misses_of(self, cell: Cell) -> int:
        return self.misses.get(cell, 0)

    def count_misses(self, unanswered: Sequence[Cell], board: Board) -> None:
        """Count the cells that did not answer the last turn, and the turns that changed nothing."""
        assert self.last is not None
        self.misses = {cell: self._misses_of(cell) + 1 for cell in unanswered}
        same = board == self.last.reading.board.with_mines(board.mines)
        self.repeated_turns += int(self.unchanged_turns > 0 and not same)
        self.unchanged_turns = self.unchanged_turns + 1 if same else 0

    def check_stuck(
        self,
        retries: int,
        strange: Sequence[Cell] = (),
        *,
        below_window: Cell | None = None,
        changed: NotPressed | None = None,
        maybe_no_game: bool = False,
    ) -> None:
        """Raise an error that names the likely cause if repeating the clicks does not help.

        After ``retries`` turns without a change, that is `WindowCovered` if the ``strange`` cells
        do not look hidden or another window covers ``below_window``, and `WindowStuck` if a cell
        does not answer. After four times as many turns it is the error ``changed`` of a tile that
        changed before its click. If the board is ``maybe_no_game``, one turn is enough.
        """
        if maybe_no_game and self.unchanged_turns and self.last and self.last.clicks:
            raise WindowStuck(
                "The board did not answer the first click, so it may not be Minesweeper but "
                "something that looks like it: bring the game to the front, or name its board with "
                "--near X,Y. If it is the game, open a cell yourself and start again."
            )
        if below_window is not None and self.unchanged_turns >= retries:
            raise WindowCovered(
                f"{below_window.place.capitalize()} was not clicked: another window lies over it, "
                "perhaps one that cannot be seen. Close that window or move it away, and start "
                "again."
            )
        if strange and self.unchanged_turns >= retries:
            raise WindowCovered(
                f"{strange[0].place.capitalize()} was not clicked: it does not look like a "
                "hidden tile any more. Move away what lies over the board and start again."
            )
        stuck = max(self.misses, key=self._misses_of, default=None)
        if stuck is not None and (
            self.unchanged_turns > retries or self.misses[stuck] > 4 * retries
        ):
            raise WindowStuck(
                f"{stuck.place.capitalize()} does not answer "
                f"{counted(self.misses[stuck], 'click')}: check whether the window is frozen, "
                "paused or waiting for an answer."
            )
        if self.unchanged_turns > 4 * retries:
            raise changed or WindowStuck(
                "The tiles change all the time, so none was clicked: stop the animation over the "
                "board."
            )

    def check_numbers(self, board: Board) -> None:
        """Raise `WindowStuck` if so many cells without a number are unlikely in a real game."""
        mines = LEAST_DENSITY * board.tiles.size if board.mines is None else board.mines
        no_mine = (1 - min(1.0, mines / board.tiles.size)) ** self.clicks
        if self.clicks < LEAST_EMPTY or no_mine >= UNLIKELY or (board.tiles > 0).any():
            return
        raise WindowStuck(
            f"{counted(self.clicks, 'click')} opened cells, and none shows a number, so this may "
            "not be Minesweeper but something that looks like it: bring the game to the front, or "
            "name its board with --near X,Y."
        )

    def sum_up(
        self,
        verdict: Verdict | None,
        now: float,
        final: Board,
        why: str = "",
        *,
        sure: Board | None = None,
    ) -> GameResult:
        """Sum up the game; explain why it was lost if ``final`` is a lost board.

        Without a ``verdict`` the game was stopped, and ``why`` gives the reason. ``sure`` is
        ``final`` without its doubtful tiles, if these are known.
        """
        blame, outcome = None, outcome_of(verdict)
        won, why = outcome is Outcome.WON, why if outcome is Outcome.STOPPED else ""
        if outcome is Outcome.LOST:
            if self.last is None:
                why = "The game was lost before the bot's first click."
            else:
                board = self.last.reading.board
                clicks = self.last.clicks
                blame, why = explain_loss(board, self.last.decision, clicks, sure or final)
        bv = three_bv(~final.open) if won and only_mines_left(final.tiles, final.mines) else None
        return self.result(verdict, now, blame=blame, why=_sentence(why), bv=bv)

    def sum_up_stopped(self, now: float) -> GameResult | None:
        """Sum up a game that an error stopped; None if it has no turn yet, or a result already."""
        if self.ended or self.last_board is None:
            return None
        return self.sum_up(None, now, self.last_board)


def _sentence(reason: str) -> str:
    """Write a reason as a sentence; an empty one stays empty."""
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}." if reason else ""


MINE_TILES = (Tile.MINE, Tile.EXPLODED)

MAY_BE_MINES = (Tile.FLAG, Tile.HIDDEN, Tile.QUESTION, Tile.UNKNOWN)


def explain_loss(
    board: Board, decision: Decision, clicks: Iterable[Click], final: Board
) -> tuple[Blame, str]:
    """Return why a game was lost, and one sentence that explains it.

    ``board`` is the board read before the last turn, with the mine total that was assumed;
    ``final`` is the lost board. Its doubtful tiles are unknown and never count as proof of a
    misreading. If a program shows only the exploded mine, the numbers cannot be checked: it stays
    unknown whether one was misread or the solver was wrong.
    """
    final = _without_crossed_mines(board, final)
    wrong = misread_cell(board, final)
    if wrong is not None:
        return (
            Blame.MISREAD,
            f"{_describe(wrong)} was read as {board[wrong]}, which the mines contradict.",
        )
    opened = {click.cell for click in clicks if click.button is not Button.RIGHT}
    if not opened or _exploded_elsewhere(board, final, opened):
        exploded = [cell for cell in final.cells() if final[cell] == Tile.EXPLODED]
        if exploded or not opened:
            where = _describe(exploded[0]) if exploded else "A cell"
            return Blame.MISCLICK, f"{where} exploded, but the bot did not mean to open it."
        return (
            Blame.MISCLICK,
            "No cell that the bot meant to open is a mine: a click opened another cell, perhaps "
            "because the board moved.",
        )
    if board.covered.all():
        return Blame.BAD_LUCK, "The first click hit a mine: this program does not keep it free."
    if not decision.certain:
        if safe := certainly_safe(board):
            return Blame.MISTAKE, f"{_describe(safe[0])} was certainly safe."
        return Blame.BAD_LUCK, f"The guess had a risk of {percent(1 - decision.survival)}."
    total = int(mines_in(final.tiles).sum())
    if board.mines is not None and total > board.mines:
        return (
            Blame.MISREAD,
            f"The mine total was taken to be {board.mines}, but the program shows "
            f"{counted(total, 'mine')}.",
        )
    hit = any(final[cell] in MINE_TILES for cell in _reached(opened, board))
    if not (hit and _shows_all_mines(board, final)):
        return (
            Blame.UNKNOWN,
            "A cell that was called safe was a mine; the lost board does not show enough to tell "
            "whether a number was misread.",
        )
    return Blame.SOLVER_FAULT, "A cell that the solver called safe was a mine."


def _without_crossed_mines(board: Board, final: Board) -> Board:
    """Return the lost board; a wrong flag that was not a flag before becomes unknown.

    Some programs cross out their mines, which looks like a wrong flag.
    """
    if board.tiles.shape != final.tiles.shape:
        return final
    crossed = (final.tiles == Tile.WRONG_FLAG) & (board.tiles != Tile.FLAG)
    return Board(np.where(crossed, np.int8(Tile.UNKNOWN), final.tiles), final.mines)


def _reached(opened: set[Cell], board: Board) -> set[Cell]:
    """Return the covered cells that clicks on ``opened`` should open, also by chords."""
    chords = (near for cell in opened if board[cell] > 0 for near in board.neighbours(cell))
    return {cell for cell in (*opened, *chords) if not board[cell] >= 0}


def _exploded_elsewhere(board: Board, final: Board, opened: set[Cell]) -> bool:
    """Whether none of the cells that the clicks should open can be the mine that ended the game.

    Either another cell shows the exploded mine, or the visible mines, none of them on these cells,
    explain all numbers: some programs draw all mines alike, or each in another colour.
    """
    tiles, mined = final.tiles, mines_in(final.tiles)
    if board.tiles.shape != tiles.shape or not mined.any():
        return False
    reached = _reached(opened, board)
    if any(mined[cell] or tiles[cell] == Tile.UNKNOWN for cell in reached):
        return False
    left = [cell for cell in reached if tiles[cell] < 0]
    if (tiles == Tile.EXPLODED).any() and (not left or _shows_all_mines(board, final)):
        return True
    # A program may show its mines one after another, and the clicked one last.
    numbers, marked_mines = tiles >= 0, mined | (tiles == Tile.FLAG)
    exact = bool((tiles == count_neighbours(marked_mines))[numbers].all())
    beside = count_neighbours(numbers) > 0
    all_shown = board.mines == int(marked_mines.sum())
    return exact and all(all_shown or beside[cell] for cell in left)


def certainly_safe(board: Board) -> tuple[Cell, ...]:
    """Return the cells that an agent could have opened without a risk."""
    try:
        return analyse(board).safe
    except CannotAnalyse:
        return ()


def _shows_all_mines(board: Board, final: Board) -> bool:
    """Whether every number of ``board`` has as many mines and flags around it on ``final``."""
    return board.tiles.shape == final.tiles.shape and all(
        board[cell]
        == sum(final[near] in (*MINE_TILES, Tile.FLAG) for near in board.neighbours(cell))
        for cell in board.cells()
        if board[cell] >= 0
    )


def misread_cell(board: Board, final: Board) -> Cell | None:
    """Find an open number of ``board`` that the mines on ``final`` contradict; None without one.

    Around a number, ``final`` may show fewer mines than the number says, because flags on mines
    stay flags. But it cannot show more, and mines, flags and covered cells together cannot be
    fewer. A doubtful tile may be anything.
    """
    if board.tiles.shape != final.tiles.shape:
        return None
    for cell in board.cells():
        if board[cell] < 0:
            continue
        around = [final[near] for near in board.neighbours(cell)]
        mines = sum(tile in MINE_TILES for tile in around)
        possible = mines + sum(tile in MAY_BE_MINES for tile in around)
        stays = final[cell] in (board[cell], *MINE_TILES, Tile.UNKNOWN)
        if not (mines <= board[cell] <= possible and stays):
            return cell
    return None


def _describe(cell: Cell) -> str:
    return f"Row {cell.row + 1}, column {cell.col + 1}"
