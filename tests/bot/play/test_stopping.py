"""A person stops or steers play: kill switch, Ctrl-C, and a control."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.errors import StoppedByUser, WindowCovered, WindowStuck
from bot.events import Decided, Event, Outcome, Thinking
from bot.options import Pace
from solver.agents import Decision
from solver.agents.tank import Tank
from solver.board import Board, Cell
from solver.engine.calls import ignore_progress
from tests.bot.command_line import PLAY, Capture, run
from tests.bot.play.playing import desktop, play
from tests.simulated import Behaviour, Faults, FaultyDesktop


def as_decided(act: Callable[[], object]) -> Callable[[Event], None]:
    """Return an observer that acts at each decision."""

    def observe(event: Event) -> None:
        if isinstance(event, Decided):
            act()

    return observe


def hide(desk: FaultyDesktop) -> None:
    desk.under_unseen_window = True


@pytest.mark.parametrize(
    "click", [1, 7, *(pytest.param(click, marks=pytest.mark.slow) for click in (2, 20))]
)
@pytest.mark.parametrize(
    ("happening", "error", "words"),
    [
        (FaultyDesktop.slam, StoppedByUser, "corner"),
        (hide, WindowCovered, "another window lies over it"),
    ],
)
def test_no_click_follows_the_kill_switch_or_goes_to_a_window_that_came_unseen(
    click: int, happening: Callable[[FaultyDesktop], None], error: type[Exception], words: str
) -> None:
    desk = desktop(after_click={click: happening})
    with pytest.raises(error, match=words):
        play(desk)
    assert len(desk.clicks) == click


def test_no_click_on_a_window_that_comes_before_the_first_click() -> None:
    desk = desktop()
    with pytest.raises(WindowCovered, match="another window lies over it"):
        play(desk, more=as_decided(lambda: hide(desk)))
    assert not desk.clicks


def test_what_never_answers_gets_four_clicks_though_tiles_of_it_are_open() -> None:
    """It may be the picture of a game, in a viewer."""
    desk = desktop(faults=Faults(least_hold_s=1.0))  # it takes no click of the bot
    desk.click(desk.cell_point(Cell(4, 4)), hold_s=2.0)
    desk.clock.sleep(1.0)
    assert desk.game.board.open.sum() > 9
    with pytest.raises(WindowStuck):
        play(desk)
    assert len(desk.clicks) == 1 + 4


def test_the_kill_switch_stops_a_wait_within_a_twentieth_of_a_second() -> None:
    desk = desktop(behaviour=Behaviour(latency_s=5.0))
    desk.user_moves(lasts_s=0.0)
    slammed: list[float] = []

    def slam() -> None:
        slammed.append(desk.clock.now())
        desk.slam()

    with pytest.raises(StoppedByUser):
        play(desk, more=as_decided(lambda: desk.later(0.3, slam)))
    assert desk.clock.now() - slammed[0] <= 0.05
    assert len(desk.clicks) == 1


def test_the_kill_switch_ends_a_long_thought_and_no_click_follows() -> None:
    desk, heard = desktop(), list[tuple[int, int]]()

    class Thoughtful(Tank):
        on_progress = staticmethod(ignore_progress)

        def decide(self, board: Board) -> Decision:
            for done in range(3):
                if done == 1:
                    desk.slam()
                self.on_progress(done, 3)
            return super().decide(board)

    def listen(event: Event) -> None:
        if isinstance(event, Thinking):
            heard.append((event.done, event.most))

    with pytest.raises(StoppedByUser):
        play(desk, agent=Thoughtful(), more=listen)
    assert heard == [(0, 3)]
    assert desk.clicks == []


def test_the_kill_switch_during_a_pause_stops_before_the_click() -> None:
    desk = desktop()
    desk.later(0.5, desk.slam)
    with pytest.raises(StoppedByUser):
        play(desk, pace=Pace(2.0))
    assert desk.clicks == []


class Steering:
    """A control that counts what it is asked and wants no second game."""

    stop_after_game = True

    def __init__(self) -> None:
        self.turns = self.clicks = 0

    def before_turn(self, wait: Any) -> None:
        self.turns += 1
        wait(0.01)

    def before_click(self, pause_s: float, wait: Any) -> None:
        self.clicks += 1
        wait(pause_s)


@pytest.mark.slow
def test_a_control_is_asked_before_every_turn_and_click_and_ends_play_after_a_game() -> None:
    steering = Steering()
    (result,), notes = play(desktop(), games=3, control=steering)
    assert result.outcome in (Outcome.WON, Outcome.LOST)
    assert steering.turns == len(notes.turns)
    assert steering.clicks >= result.clicks


def test_the_kill_switch_works_while_play_is_paused() -> None:
    class Paused(Steering):
        def before_turn(self, wait: Any) -> None:
            desk.slam()
            while True:
                wait(0.05)

    desk = desktop()
    with pytest.raises(StoppedByUser, match="corner"):
        play(desk, control=Paused())


CTRL_C = """
import sys
from bot.cli import main
sys.exit(main(["play", "--screen", "sim", "--agent", "tank", "--games", "1000", "--json"]))
"""


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.skipif(os.name != "posix", reason="signals to one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_program_at_once_with_exit_code_5(number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CTRL_C], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith('{"game": 1')
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=120)  # a thousand games take minutes
    assert process.returncode == 5
    assert "Traceback" not in err
    assert '"summary"' in out.splitlines()[-1]


def test_the_game_that_ctrl_c_breaks_off_is_counted_as_in_its_recording(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Interrupted(Tank):
        def decide(self, board: Board) -> Decision:
            if board.open.any():
                signal.raise_signal(signal.SIGINT)
            return super().decide(board)

    monkeypatch.setattr("bot.commands.resolve.agent_of", lambda *_: Interrupted())
    code, lines, _ = run(capsys, *PLAY, "--record", tmp_path / "session")
    game, error, summary = lines
    assert (code, error["error"]) == (5, "StoppedByUser")
    assert (game["result"], game["turns"]) == ("stopped", 1)
    assert summary["summary"]["games"] == summary["summary"]["stopped"] == 1
    _, (row,), _ = run(capsys, "stats", tmp_path)
    assert (row["games"], row["stopped"], row["clicks"]) == (1, 1, game["clicks"])
