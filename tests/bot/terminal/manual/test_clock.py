"""The clock of a game by hand, and what it shows at the end."""

from __future__ import annotations

from typing import Any

from bot.terminal.manual.play import ManualPlay, Stopwatch
from solver.arena.boards import Size
from solver.board import Cell
from solver.difficulty import efficiency_text, three_bv
from solver.game import Rule
from tests.bot.terminal.manual.piloting import drive, notes, press, status


class Time:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def timed(size: Size, *, agent: str = "tank") -> tuple[ManualPlay, Time]:
    time = Time()
    play = ManualPlay(size, rule=Rule.ZERO, seed=3, agent=agent, stopwatch=Stopwatch(time))
    return play, time


def test_it_runs_from_the_first_cell_to_the_end_and_again_when_that_is_taken_back() -> None:
    play, time = timed(Size(4, 4, 2))
    play.flag(Cell(3, 3))
    time.now += 5
    play.flag(Cell(3, 3))
    assert play.stopwatch.seconds == 0
    play.open(Cell(0, 0))
    time.now += 7
    assert play.stopwatch.seconds == (0 if play.over else 7)
    mines = play.game.mines
    assert mines is not None
    hit = next(cell for cell in play.board.cells() if mines[cell])
    play.open(hit)
    time.now += 50
    assert (play.over, play.stopwatch.seconds) == (True, 7)
    play.undo()
    time.now += 2
    assert play.stopwatch.seconds == 9
    play.new_game()
    assert play.stopwatch.seconds == 0


def test_a_won_game_shows_its_efficiency_as_play_does() -> None:
    play, time = timed(Size(8, 8, 10))
    assert play.efficiency() == ""
    while not play.over:
        play.make_moves(play.ask())
        time.now += 1
    mines = play.game.mines
    assert mines is not None
    assert play.game.status.value == "won"
    seconds = play.stopwatch.seconds
    assert seconds == len(play.history.turns) - 1
    clicks = sum(len(turn.moves) for turn in play.history.turns)
    assert play.efficiency() == efficiency_text(three_bv(mines), clicks, seconds)


def test_the_screen_shows_the_seconds_and_keeps_them_at_the_end() -> None:
    play, time = timed(Size(8, 8, 10))

    async def script(app: Any, pilot: Any) -> None:
        assert " · 0 s" in status(app)
        await press(app, pilot, "s")
        time.now += 42
        app.show_status()
        assert " · 42 s" in status(app)
        await press(app, pilot, "e")
        assert app.manual.game.status.value == "won"
        time.now += 100
        app.show_status()
        assert " · 42 s" in status(app)
        assert app.manual.efficiency() in notes(app).split("deep: ")[0]
        assert notes(app).startswith("The game is won. 3BV ")  # before what the agent did last

    drive(script, play)
