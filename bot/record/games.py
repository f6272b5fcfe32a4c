"""The games of a recorded session, and the moves that were not the best.

Every move is compared with the best one, and a lost game is explained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import isnan

from bot.mouse.plan import covered_cells
from bot.record.lines import EndLine, NoteLine, PlaceLine, TurnLine
from bot.record.session import Session
from calibration.theme import LEARNED
from solver import Action, Board, Cell, Tile
from solver.analysis import Analysis, analyse_likely
from solver.counting import counted, percent, rounded
from solver.errors import CannotAnalyse
from solver.guesses import Candidate, compare_guesses

SIMULATED_WINDOW, UNKNOWN_PROGRAM = "simulated window", "unknown program"
"""The name of the window if no real program is known."""


@dataclass(frozen=True)
class RecordedTurn(TurnLine):
    """One turn, with facts from the lines before it.

    ``place`` is where the board was on the screen, None if the session does not say. ``notes`` are
    the sentences since the last turn.
    """

    place: PlaceLine | None = None
    notes: tuple[str, ...] = ()

    @property
    def at_s(self) -> float | None:
        """The seconds since the start of the game, if the file of another program has them."""
        return self.clicks[0].at_s if self.clicks else None


@dataclass(frozen=True)
class RecordedGame:
    """One game of a session. ``end`` is the line with its result, None if there is none.

    ``window`` is what was played: the program named in the file, `SIMULATED_WINDOW`, or
    `UNKNOWN_PROGRAM` if only the theme may name the program.
    """

    number: int
    turns: tuple[RecordedTurn, ...]
    end: EndLine | None
    place: PlaceLine | None
    notes: tuple[str, ...] = ()
    window: str = UNKNOWN_PROGRAM

    @property
    def result(self) -> str:
        """``won``, ``lost``, ``stopped``, or ``unfinished`` if the session ends before the game."""
        return self.end.result if self.end else "unfinished"

    @property
    def ending(self) -> str:
        """How the game ended, and why if it was not finished."""
        end = self.end or EndLine()
        sentences = {
            "won": "The game was won.",
            "lost": "The game was lost.",
            "stopped": f"The game was not finished. {end.message or end.why}",
            "unfinished": "The recording ends before the game does.",
        }
        return sentences[self.result].strip()

    @property
    def why_over(self) -> str:
        """How the end of the game was recognised; empty if that was not recorded."""
        return self.end.why_over if self.end else ""

    @property
    def size(self) -> str:
        """Rows, columns and mines, such as ``16x30x99``."""
        board = self.turns[0].board if self.turns else self.final
        return f"{board.rows}x{board.cols}x{board.mines or '?'}" if board else "unknown"

    @property
    def program(self) -> str:
        """The program that was played, if its theme names it.

        A simulated window is not a program, whatever its skin looks like.
        """
        theme = self.place.theme if self.place else LEARNED
        known = theme != LEARNED and self.window == UNKNOWN_PROGRAM
        return theme.split("/")[0] if known else self.window

    @property
    def final(self) -> Board | None:
        """The last board of the game, None if it could not be read."""
        return self.end.board if self.end else None


def games_of(session: Session) -> tuple[RecordedGame, ...]:
    """Return the games of a session, an unfinished one included."""
    return tuple(_games(session))


def _games(session: Session) -> Iterator[RecordedGame]:
    place: PlaceLine | None = None
    turns: list[RecordedTurn] = []
    notes: list[str] = []
    number = 0
    unnamed = SIMULATED_WINDOW if session.header.simulated else UNKNOWN_PROGRAM
    window = session.header.program or unnamed
    for step in session.steps:
        match step:
            case PlaceLine():
                place = step
            case NoteLine(note):
                notes.append(note)
            case TurnLine():
                turns.append(RecordedTurn(**vars(step), place=place, notes=tuple(notes)))
                notes, number = [], step.game
            case EndLine():
                number = number or 1 if step.game is None else step.game
                yield RecordedGame(number, tuple(turns), step, place, tuple(notes), window)
                turns, notes = [], []
    if turns:
        yield RecordedGame(number, tuple(turns), None, place, tuple(notes), window)


WORSE = 0.005
"""A guess is a mistake if it gives away at least this chance to win. The look-ahead's own error
between two guesses is about as large."""

SLOW_S = 2.0
"""A turn that had to be sent again counts as lost time after so many seconds."""


class Kind(Enum):
    """The kinds of mistakes, the worst first."""

    CERTAIN_MINE = "certain mine opened"
    NEEDLESS_RISK = "needless risk"
    WRONG_FLAG = "wrong flag"
    WORSE_GUESS = "worse guess"
    TIME_LOST = "time lost"


@dataclass(frozen=True)
class Mistake:
    """One move that was not the best.

    ``cost`` is the chance to win that it gave away; if that is unknown, the chance to survive
    (``in_survival``); 0 for lost time. ``best`` is the cell that should have been opened.
    """

    turn: int
    kind: Kind
    text: str
    cost: float
    best: Cell | None = None
    in_survival: bool = False

    def __str__(self) -> str:
        what = "survival" if self.in_survival else "chance to win"
        cost = f" ({rounded(100 * self.cost)} points of {what})" if self.cost else ""
        return f"{self.kind.value}: {self.text}{cost}"


@dataclass(frozen=True)
class JudgedTurn:
    """A turn with the analysis of its board.

    ``analysis`` is None if the board as read cannot be analysed. ``candidates`` are given for a
    turn without certain cells; ``win`` is the estimated chance to win before the turn, if known.
    """

    turn: RecordedTurn
    analysis: Analysis | None
    opened: tuple[Cell, ...]
    candidates: tuple[Candidate, ...] = ()
    win: float | None = None
    mistakes: tuple[Mistake, ...] = ()

    @property
    def guess(self) -> bool:
        """Whether the turn opened a cell that was not certain."""
        return self.survival < 1.0

    @property
    def survival(self) -> float:
        """The chance that the riskiest opened cell was safe.

        A first click has the chance that its agent gave it, because the program may protect it.
        """
        if self.analysis is None or not self.turn.board.open.any():
            return self.turn.decision.survival
        return min((1.0 - self.risk(cell) for cell in self.opened), default=1.0)

    def risk(self, cell: Cell) -> float:
        """Return the risk of a cell that was covered before the turn."""
        assert self.analysis is not None
        risk = float(self.analysis.probabilities[cell])
        return 0.0 if isnan(risk) else risk


@dataclass(frozen=True)
class JudgedGame:
    """A game with its judged turns; ``cause`` says in one sentence why it was lost, if it was."""

    game: RecordedGame
    turns: tuple[JudgedTurn, ...]
    cause: str = ""
    chance: float = 1.0
    mistakes: tuple[Mistake, ...] = field(default=())

    @property
    def guesses(self) -> int:
        """The turns that may have hit a mine; one that was sent again counts once."""
        return sum(turn.guess and not turn.turn.retry for turn in self.turns)


def judge(game: RecordedGame) -> JudgedGame:
    """Compare every move of a game with the best one."""
    turns = tuple(judge_turn(turn) for turn in game.turns)
    mistakes = sorted(
        (mistake for turn in turns for mistake in turn.mistakes),
        key=lambda one: (-one.cost, list(Kind).index(one.kind), one.turn),
    )
    chance = 1.0
    for turn in turns:
        chance *= 1.0 if turn.turn.retry else turn.survival
    return JudgedGame(game, turns, _cause(game, turns), chance, tuple(mistakes))


def judge_turn(turn: RecordedTurn) -> JudgedTurn:
    """Analyse the board of a turn, and compare its move with the best one."""
    board = turn.board
    moves = turn.decision.moves
    opened = tuple(dict.fromkeys(cell for move in moves for cell in covered_cells(board, move)))
    try:
        analysis = analyse_likely(board)
    except CannotAnalyse:
        return JudgedTurn(turn, None, opened)
    if analysis.safe or not board.open.any() or not board.covered.any():
        judged = JudgedTurn(turn, analysis, opened, win=turn.decision.win)
    else:
        candidates = compare_guesses(board, also=[cell for cell in opened if board.covered[cell]])
        win = candidates[0].win if candidates else turn.decision.win
        judged = JudgedTurn(turn, analysis, opened, candidates, win)
    mistakes = tuple(_mistakes(judged))
    return JudgedTurn(turn, analysis, opened, judged.candidates, judged.win, mistakes)


def _mistakes(judged: JudgedTurn) -> Iterator[Mistake]:
    """List what was wrong with a turn, at most one mistake about its risk."""
    turn, board = judged.turn, judged.turn.board
    wait_s = 1e-3 * turn.timings.wait_ms if turn.timings else 0.0
    if turn.retry and wait_s >= SLOW_S:
        text = f"the clicks were sent again after {wait_s:.1f} s without an answer"
        yield Mistake(turn.number, Kind.TIME_LOST, text, 0.0)
    if judged.analysis is None or not board.open.any():
        return
    wrong_flags = list(_wrong_flags(judged))
    yield from wrong_flags
    # A chord next to a wrong flag is not a second mistake: the flag already is one.
    moves = {move.cell for move in turn.decision.moves if move.action is Action.OPEN}
    opened = [cell for cell in judged.opened if not wrong_flags or cell in moves]
    if turn.retry or not opened:
        return
    worst = max(opened, key=judged.risk)
    risk = judged.risk(worst)
    if risk == 0.0:
        return
    if risk == 1.0:
        best = judged.analysis.safe[0] if judged.analysis.safe else _best(judged)
        text = f"{worst.place} was certainly a mine"
        cost, known = _worth(judged), judged.win is not None
        yield Mistake(turn.number, Kind.CERTAIN_MINE, text, cost, best, in_survival=not known)
    elif judged.analysis.safe:
        best = judged.analysis.safe[0]
        safe = counted(len(judged.analysis.safe), "cell was", "cells were")
        text = f"{worst.place} had a risk of {percent(risk)} while {safe} safe"
        yield Mistake(turn.number, Kind.NEEDLESS_RISK, text, risk, best, in_survival=True)
    else:
        yield from _worse_guess(judged, worst)


def _worse_guess(judged: JudgedTurn, cell: Cell) -> Iterator[Mistake]:
    """Compare a guess with the best candidate.

    Without win chances no guess counts as worse, because the best one may survive less often.
    """
    best = judged.candidates[0]
    chosen = next((one for one in judged.candidates if one.cell == cell), best)
    if best.win is None or chosen.win is None:
        return
    cost = best.win - chosen.win
    if cost >= WORSE:
        text = (
            f"{cell.place} was guessed; {best.cell.place} wins {percent(best.win)}, this cell "
            f"{percent(chosen.win)}"
        )
        yield Mistake(judged.turn.number, Kind.WORSE_GUESS, text, cost, best.cell)


def _wrong_flags(judged: JudgedTurn) -> Iterator[Mistake]:
    """Find chords that rely on a flag on a cell that is not certainly a mine."""
    board = judged.turn.board
    for move in judged.turn.decision.moves:
        if move.action is not Action.CHORD:
            continue
        for cell in board.neighbours(move.cell):
            if board[cell] == Tile.FLAG and judged.risk(cell) < 1.0:
                text = (
                    f"a chord at {move.cell.place} relied on the flag at {cell.place}, which was "
                    f"a mine with only {percent(judged.risk(cell))}"
                )
                cost = 1.0 - judged.risk(cell)
                yield Mistake(
                    judged.turn.number, Kind.WRONG_FLAG, text, cost, cell, in_survival=True
                )


def _best(judged: JudgedTurn) -> Cell | None:
    return judged.candidates[0].cell if judged.candidates else None


def _worth(judged: JudgedTurn) -> float:
    """Return the best chance to win that was possible; if unknown, the best chance to survive."""
    if judged.win is not None:
        return judged.win
    return judged.candidates[0].survival if judged.candidates else 1.0


def _cause(game: RecordedGame, turns: Sequence[JudgedTurn]) -> str:
    """Say why a game was lost: a misreading, a misclick, a mistake, or bad luck with its chance."""
    if game.result != "lost":
        return ""
    blame, why = (game.end.blame, game.end.why) if game.end else (None, "")
    if blame in ("misread", "misclick", "solver fault") or not turns:
        return f"{str(blame or 'unknown').capitalize()}: {why}" if why else "The cause is unknown."
    last = turns[-1]
    wrong = [one for one in last.mistakes if one.kind is not Kind.TIME_LOST]
    if wrong:
        return f"Mistake in the last turn: {wrong[0].text}."
    if last.survival < 1.0:
        return f"Bad luck: the last guess survives {percent(last.survival)} of the time."
    return why or "The cause is unknown."
