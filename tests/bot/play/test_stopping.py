"""A person stops play: kill switch and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import StoppedByUser, WindowCovered, WindowStuck
from bot.events import Decided, Event, Thinking
from bot.options import Pace, PlayOptions
from bot.play.player import Player
from solver.agents import Decision, make_agent
from solver.agents.tank import Tank
from solver.board import Board, Cell
from solver.engine.calls import ignore_progress
from tests.bot.command_line import PLAY, Capture, run
from tests.bot.play.playing import desktop, play
from tests.simulated import Faults, FaultyDesktop


@pytest.mark.sampled(3)
@pytest.mark.parametrize("click", [1, 2, 7])
def test_no_click_after_the_pointer_is_pushed_into_a_corner(click: int) -> None:
    desk = desktop(after_click={click: lambda desk: desk.slam()})
    with pytest.raises(StoppedByUser):
        play(desk)
    assert len(desk.clicks) == click


def hide(desk: FaultyDesktop) -> None:
    desk.under_unseen_window = True


def test_no_click_on_a_window_that_lies_over_the_board_unseen() -> None:
    desk = desktop(after_click={3: hide})
    with pytest.raises(WindowCovered, match="another window lies over it"):
        play(desk)
    assert len(desk.clicks) == 3


def test_no_click_on_a_window_that_comes_before_the_first_click() -> None:
    desk = desktop()

    def hide_it(event: Event) -> None:
        if isinstance(event, Decided):
            hide(desk)

    options = PlayOptions(mines=10)
    with pytest.raises(WindowCovered, match="another window lies over it"):
        Player(desk.ports, make_agent("tank"), options=options, observer=hide_it).play()
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
    desk = desktop(latency_s=5.0)
    desk.user_moves(lasts_s=0.0)
    slammed: list[float] = []

    def slam(event: Event) -> None:
        if isinstance(event, Decided):
            desk._world.later(0.3, lambda: (slammed.append(desk.clock.now()), desk.slam()))

    options = PlayOptions(mines=10)
    with pytest.raises(StoppedByUser):
        Player(desk.ports, make_agent("tank"), options=options, observer=slam).play()
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

    player = Player(desk.ports, Thoughtful(), options=PlayOptions(mines=10), observer=listen)
    with pytest.raises(StoppedByUser):
        player.play()
    assert heard == [(0, 3)]
    assert desk.clicks == []


def test_the_kill_switch_during_a_pause_stops_before_the_click() -> None:
    desk = desktop()
    desk._world.later(0.5, desk.slam)
    with pytest.raises(StoppedByUser):
        play(desk, pace=Pace(2.0))
    assert desk.clicks == []


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
