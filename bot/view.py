"""What a person sees of play in the terminal: the board, the risk, the reason, the score.

A live picture where standard output is a terminal, plain lines where it is not. Both are
`Watcher` objects and context managers: ``with open_view(games=3, agent="tank") as watcher:``.
"""

from __future__ import annotations

import time
from types import TracebackType

import numpy as np
from rich.align import Align
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from bot.pace import Pace
from bot.turn import GameResult, Outcome, Quiet, Turn
from calibration.calibrate import Calibration
from calibration.frame import Frame
from calibration.reader import Reading
from solver.agents.base import Decision
from solver.analysis import Analysis, analyse
from solver.arena.statistics import wilson
from solver.board import Board, Cell, Tile, count_neighbours
from solver.errors import SolverError

DEMO_GAME_S = 20.0
"""Seconds a demonstration would take if every free cell needed a click of its own; openings
make it about half of that."""

REFRESH_S = 0.05
"""Shortest time between two pictures: more the eye does not follow, and each costs 5 ms."""

_NOTES = 3
_WIDTH = 92

DIGITS = (
    "grey42",
    "dodger_blue1",
    "green3",
    "red1",
    "medium_purple1",
    "orange3",
    "turquoise2",
    "white",
    "grey70",
)
SIGNS = {
    Tile.FLAG: ("⚑", "bold red1"),
    Tile.QUESTION: ("?", "yellow"),
    Tile.MINE: ("✱", "red1"),
    Tile.EXPLODED: ("✱", "bold white on red3"),
    Tile.WRONG_FLAG: ("✗", "bold orange1"),
}
_ASCII = {"⚑": "F", "✱": "*", "✗": "x", "·": "."}


def demo_pace(board_cells: int, mines: int) -> Pace:
    """Return a pace at which a game takes about ten seconds, for a person to follow."""
    return Pace(DEMO_GAME_S / max(1, board_cells - mines))


def open_view(
    *, games: int = 1, agent: str = "", linger_s: float = 0.0, console: Console | None = None
) -> LiveView | PlainView:
    """Return the live view on a terminal, the plain one elsewhere.

    ``linger_s`` is how long a finished board is left to be looked at.
    """
    console = console or Console(highlight=False)
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveView(console, games=games, agent=agent, linger_s=linger_s)
    return PlainView(console)


class PlainView(Quiet):
    """One line for each guess, note and game: for pipes and logs."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> PlainView:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Say where the board is."""
        grid = calibration.grid
        self._say(
            f"Board of {grid.rows} rows and {grid.cols} columns at {grid.x0:.0f},{grid.y0:.0f}."
        )

    def decided(self, turn: Turn) -> None:
        """Say what is guessed; certain moves speak for themselves."""
        if not turn.decision.certain and not turn.retry:
            self._say(f"Game {turn.game}, turn {turn.number}: {_move_line(turn.decision)}")

    def noticed(self, note: str) -> None:
        """Pass the note on."""
        self._say(note)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Say how the game ended."""
        self._say(result_line(result))


class LiveView(Quiet):
    """The board as read, heat over the frontier, what is decided and why, and the score."""

    def __init__(self, console: Console, *, games: int, agent: str, linger_s: float) -> None:
        self._console = console
        self._games, self._agent, self._linger_s = games, agent, linger_s
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="crop")
        self._board: Board | None = None
        self._analysis: Analysis | None = None
        self._turn: Turn | None = None
        self._result: GameResult | None = None
        self._results: list[GameResult] = []
        self._notes: list[str] = []
        self._clicks = self._guesses = 0
        self._own_ms: list[float] = []
        self._drawn_at = self._game_began = 0.0
        self._game = 0

    def __enter__(self) -> LiveView:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._draw(now=True)
        self._live.stop()

    # ---- what is heard -----------------------------------------------------------------------

    def decided(self, turn: Turn) -> None:
        """Show the board and what comes next."""
        if turn.game != self._game:
            self._game, self._clicks, self._guesses = turn.game, 0, 0
            self._game_began = time.monotonic()
        self._turn, self._board, self._result = turn, turn.reading.board, None
        if not turn.decision.certain and not turn.retry:
            self._guesses += 1
        self._draw(now=not turn.decision.certain)

    def played(self, turn: Turn) -> None:
        """Count what was clicked."""
        self._clicks += len(turn.clicks)
        spent = turn.timings
        # Sending is left out: it holds the pauses of the pace.
        self._own_ms.append(spent.grab_ms + spent.read_ms + spent.decide_ms)

    def noticed(self, note: str) -> None:
        """Show the note below the board."""
        self._notes = [*self._notes, note][-_NOTES:]
        self._draw(now=True)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Show the end and keep it for a moment."""
        self._results.append(result)
        self._result = result
        if reading is not None:
            self._board = reading.board
        self._draw(now=True)
        if self._linger_s and result.game < self._games:
            time.sleep(self._linger_s)

    # ---- what is shown -----------------------------------------------------------------------

    def _draw(self, *, now: bool) -> None:
        moment = time.monotonic()
        if not now and moment - self._drawn_at < REFRESH_S:
            return
        self._drawn_at = moment
        self._analysis = self._analyse()
        self._live.update(self.picture(), refresh=True)

    def _analyse(self) -> Analysis | None:
        """Count the risks for the picture; none over a finished or an impossible board."""
        if self._board is None or self._result is not None:
            return None
        try:
            return analyse(self._board)
        except SolverError:
            return None

    def picture(self) -> RenderableType:
        """Compose the picture of this moment."""
        if self._board is None:
            return Panel(Text("Looking for the board…"), title="minebot", expand=False)
        targets = {move.cell for move in self._turn.decision.moves} if self._turn else set()
        if self._result is not None:
            targets = set()
        width = 3 if self._console.width >= 3 * self._board.cols + 4 else 2
        parts: list[RenderableType] = [
            Align.center(
                board_text(
                    self._board,
                    self._analysis,
                    targets=targets,
                    cell_width=width,
                    ascii_only=self._console.options.ascii_only,
                )
            ),
            Text(),
            self._decision_lines(),
            self._score(),
        ]
        parts += [Text(note, style="yellow") for note in self._notes]
        return Panel(
            Group(*parts),
            title=self._title(),
            border_style=self._mood(),
            # One width for the whole session, so that the frame does not breathe.
            width=min(self._console.width, max(_WIDTH, width * self._board.cols + 4)),
        )

    def _title(self) -> str:
        assert self._board is not None
        mines = "mines unknown" if self._board.mines is None else f"{self._board.mines} mines"
        agent = f" · {self._agent}" if self._agent else ""
        return (
            f"minebot · game {max(1, self._game)} of {self._games} · "
            f"{self._board.rows}×{self._board.cols}, {mines}{agent}"
        )

    def _mood(self) -> str:
        if self._result is None:
            return "cyan"
        return {Outcome.WON: "green", Outcome.LOST: "red"}.get(self._result.outcome, "yellow")

    def _decision_lines(self) -> Text:
        """Two lines: what is done, and why; they keep their place so that nothing jumps."""
        if self._result is not None:
            return Text(result_line(self._result) + "\n", style=f"bold {self._mood()}")
        if self._turn is None:
            return Text("\n")
        decision = self._turn.decision
        style = "green" if decision.certain else "bold yellow"
        return Text.assemble((_move_line(decision), style), "\n", no_wrap=True, overflow="ellipsis")

    def _score(self) -> Table:
        """Numbers in columns that do not move."""
        won = sum(result.outcome is Outcome.WON for result in self._results)
        table = Table.grid(padding=(0, 3))
        for _ in range(4):
            table.add_column(no_wrap=True)
        chance = self._turn.chance if self._turn else 1.0
        seconds = self._result.seconds if self._result else time.monotonic() - self._game_began
        own = f"{np.median(self._own_ms):.0f} ms" if self._own_ms else "–"
        table.add_row(
            _fact("this click", percent(self._survival)),
            _fact("this game so far", percent(chance)),
            _fact("guesses", str(self._guesses)),
            _fact("elsewhere", self._elsewhere()),
        )
        table.add_row(
            _fact("won", _wins(won, len(self._results))),
            _fact("time", f"{seconds:.1f} s"),
            _fact("clicks", str(self._clicks)),
            _fact("look and think", own),
        )
        return table

    @property
    def _survival(self) -> float:
        return self._turn.decision.survival if self._turn else 1.0

    def _elsewhere(self) -> str:
        """Write the risk of a hidden cell that touches no number."""
        if self._analysis is None or self._board is None:
            return "–"
        far = self._board.covered & ~frontier(self._board)
        return percent(float(self._analysis.probabilities[far].mean())) if far.any() else "–"


def board_text(
    board: Board,
    analysis: Analysis | None,
    *,
    targets: set[Cell],
    cell_width: int = 2,
    ascii_only: bool = False,
) -> Text:
    """Draw a board with colours: digits, certain mines as flags, heat over the frontier.

    ``targets`` are the cells about to be clicked. In cells three wide the risk of a frontier
    cell is written in percent, in cells two wide only its heat shows.
    """
    edge = frontier(board)
    text = Text(no_wrap=True)
    for row in range(board.rows):
        for col in range(board.cols):
            cell = Cell(row, col)
            risk = None if analysis is None else float(analysis.probabilities[cell])
            sign, style = _cell_look(board[cell], risk, bool(edge[cell]), cell_width)
            if cell in targets:
                sign, style = (sign if sign.strip("·") else "?"), "bold black on bright_cyan"
                if risk == 0.0:
                    sign = "✓" if not ascii_only else "o"
            if ascii_only:
                sign = _ASCII.get(sign, sign)
            text.append(sign.rjust(cell_width - 1) + " ", style)
        if row < board.rows - 1:
            text.append("\n")
    return text


def _cell_look(tile: int, risk: float | None, edge: bool, width: int) -> tuple[str, str]:
    """Return the sign of a cell and its style."""
    if tile >= 0:
        return (str(tile) if tile else " "), f"bold {DIGITS[tile]}"
    if tile not in (Tile.HIDDEN, Tile.QUESTION) or risk is None or np.isnan(risk):
        return SIGNS.get(Tile(tile), ("·", "grey62 on grey19"))
    if risk == 1.0:
        return "⚑", "red1 on grey19"
    if not edge:
        return "·", "grey50 on grey19"
    label = f"{100 * risk:.0f}" if width >= 3 else " "
    return label, f"black on {heat(risk)}"


def frontier(board: Board) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Mask of the covered cells that touch a number."""
    return (count_neighbours(board.open) > 0) & board.covered


def heat(risk: float) -> str:
    """Return a colour from green (safe) over yellow to red (mine)."""
    red = round(255 * min(1.0, 2 * risk))
    green = round(210 * min(1.0, 2 * (1 - risk)))
    return f"rgb({red},{green},70)"


def percent(chance: float) -> str:
    """Write a chance so that only certainty reads 100 % and only impossibility 0 %."""
    if chance in (0.0, 1.0):
        return f"{100 * chance:.0f} %"
    return f"{min(99.9, max(0.1, 100 * chance)):.1f} %"


def result_line(result: GameResult) -> str:
    """Say how a game ended in one line."""
    tail = f" {result.why}" if result.why else ""
    blame = f" ({result.blame.value})" if result.blame else ""
    guesses = "1 guess" if result.guesses == 1 else f"{result.guesses} guesses"
    return (
        f"Game {result.game}: {result.outcome.value}{blame} after {result.seconds:.1f} s, "
        f"{result.clicks} clicks, {guesses}; its chance was {percent(result.chance)}.{tail}"
    )


def _move_line(decision: Decision) -> str:
    """Say what is done and why in one line."""
    if not decision.moves:
        return decision.reason
    if decision.certain:
        count = len(decision.moves)
        what = "1 certain move" if count == 1 else f"{count} certain moves"
        return f"{what}: {decision.reason}"
    cell = decision.moves[0].cell
    win = "" if decision.win is None else f", {percent(decision.win)} to win"
    return (
        f"Guess at row {cell.row + 1}, column {cell.col + 1}: {decision.reason}; "
        f"{percent(decision.survival)} to survive{win}"
    )


def _wins(won: int, games: int) -> str:
    if not games:
        return "–"
    low, high = wilson(won, games).ci95
    return f"{won} of {games} ({100 * low:.0f}–{100 * high:.0f} %)"


def _fact(name: str, value: str) -> Text:
    return Text.assemble((name + " ", "grey62"), (value, "bold"))
