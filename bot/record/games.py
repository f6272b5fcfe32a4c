"""The games of a recorded session: turns with their boards and moves, and how each game ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.errors import BadSession
from bot.record.entries import decision_of
from bot.record.session import LINES_FILE, Session
from solver.agents.base import Decision
from solver.board import Board, Cell
from solver.errors import SolverError

SIMULATED_WINDOW, UNKNOWN_PROGRAM = "simulated window", "unknown program"
"""What was played where no real program is known."""


@dataclass(frozen=True)
class RecordedTurn:
    """One turn: the board before it, what was decided, and what was sent.

    ``step`` is the line of the session, which names the frame; ``place`` is the line that says
    where the board lay on the screen, None where the session holds none. ``notes`` are the
    sentences said since the turn before.
    """

    number: int
    board: Board
    decision: Decision
    clicks: tuple[tuple[Cell, str], ...]
    step: Mapping[str, Any]
    place: Mapping[str, Any] | None
    notes: tuple[str, ...] = ()

    @property
    def retry(self) -> bool:
        """Whether the decision was sent again because the program had not answered."""
        return bool(self.step.get("retry", False))

    @property
    def at_s(self) -> float | None:
        """The seconds since the start of the game, if the file of another program has them."""
        clicks = self.step["clicks"]
        return clicks[0].get("at_s") if clicks else None


@dataclass(frozen=True)
class RecordedGame:
    """One game of a session. ``end`` is the line with its result, None if there is none.

    ``window`` is what was played: the program named in the file, `SIMULATED_WINDOW`, or
    `UNKNOWN_PROGRAM` if only the theme may name the program.
    """

    number: int
    turns: tuple[RecordedTurn, ...]
    end: Mapping[str, Any] | None
    place: Mapping[str, Any] | None
    notes: tuple[str, ...] = ()
    window: str = UNKNOWN_PROGRAM

    @property
    def result(self) -> str:
        """``won``, ``lost``, ``stopped``, or ``unfinished`` where the session breaks off."""
        return str(self.end.get("result", "stopped")) if self.end else "unfinished"

    @property
    def ending(self) -> str:
        """How the game ended, and why where it was not finished."""
        end = self.end or {}
        sentences = {
            "won": "The game was won.",
            "lost": "The game was lost.",
            "stopped": f"The game was not finished. {end.get('message') or end.get('why') or ''}",
            "unfinished": "The recording ends before the game does.",
        }
        return sentences[self.result].strip()

    @property
    def why_over(self) -> str:
        """How the end of the game was recognised; empty if that was not recorded."""
        return str((self.end or {}).get("why_over", ""))

    @property
    def size(self) -> str:
        """Rows, columns and mines, such as ``16x30x99``."""
        board = self.turns[0].board if self.turns else self.final
        return f"{board.rows}x{board.cols}x{board.mines or '?'}" if board else "unknown"

    @property
    def program(self) -> str:
        """The program that was played, as far as its theme names it.

        A simulated window is one whatever program its skin looks like.
        """
        theme = str(self.place["calibration"].get("theme", "learned")) if self.place else "learned"
        known = theme != "learned" and self.window == UNKNOWN_PROGRAM
        return theme.split("/")[0] if known else self.window

    @property
    def final(self) -> Board | None:
        """The last board of the game, None where it could not be read."""
        if self.end is None or "board" not in self.end:
            return None
        return _board(self.end)


def games_of(session: Session) -> tuple[RecordedGame, ...]:
    """Read the games of a session, an unfinished one included. Raises `BadSession`."""
    return tuple(_games(session))


def _games(session: Session) -> Iterator[RecordedGame]:
    place: Mapping[str, Any] | None = None
    turns: list[RecordedTurn] = []
    notes: list[str] = []
    number = 0
    unnamed = SIMULATED_WINDOW if session.header.get("simulated") else UNKNOWN_PROGRAM
    window = str(session.header.get("program") or unnamed)
    for line, step in enumerate(session.steps, start=2):
        try:
            kind = step["kind"]
            if kind == "calibrated":
                place = step
            elif kind == "noticed":
                notes.append(str(step["note"]))
            elif kind == "turn":
                turns.append(_turn(step, place, notes))
                notes = []
                number = int(step["game"])
            elif kind in ("game", "stopped"):
                number = int(step.get("game", number or 1))
                if "board" in step:
                    _board(step)  # it must be one
                yield RecordedGame(number, tuple(turns), step, place, tuple(notes), window)
                turns, notes = [], []
        except KeyError as error:
            raise BadSession(
                f"Line {line} of {session.folder / LINES_FILE} lacks {error}."
            ) from error
        except (AttributeError, TypeError, ValueError, SolverError, BadSession) as error:
            reason = str(error).rstrip(".")
            raise BadSession(
                f"Line {line} of {session.folder / LINES_FILE} cannot be read: {reason}."
            ) from error
    if turns:
        yield RecordedGame(number, tuple(turns), None, place, tuple(notes), window)


def agent_of(session: Session) -> str:
    """Return who played: the agent's name, or ``a person``."""
    agent = session.header.get("agent")
    return str(agent.get("name", "a person")) if isinstance(agent, Mapping) else "a person"


def _turn(
    step: Mapping[str, Any], place: Mapping[str, Any] | None, notes: list[str]
) -> RecordedTurn:
    board, decision = _board(step), decision_of(step["decision"])
    clicks = tuple((Cell(*click["cell"]), str(click["button"])) for click in step["clicks"])
    for cell in [move.cell for move in decision.moves]:
        if not (0 <= cell.row < board.rows and 0 <= cell.col < board.cols):
            raise ValueError(f"{cell.place} lies outside of the board")
    return RecordedTurn(int(step["turn"]), board, decision, clicks, step, place, tuple(notes))


def _board(step: Mapping[str, Any]) -> Board:
    return Board.from_text("\n".join(step["board"]), step.get("mines"))
