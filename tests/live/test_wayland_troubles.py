"""What a person or a desktop can do while the bot plays on a Wayland desktop."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from calibration.grid import ScreenPoint
from tests.live.conftest import require_sway
from tests.live.match import ROOT, RUN_BOT, Play
from tests.live.programs import PROGRAMS, start
from tests.live.sway import Screen, SwayDesk
from tests.live.wayland_referee import NativeLedger

STUCK, STOPPED = 6, 5
SENTENCES = 4
"""Most lines of output: the error, the summary, where its report is and where its recording."""

REACTION_S = 0.3
"""No click may come later than this after a trouble."""


@dataclass
class RecordedPlay(Play):
    """A game under way on a Wayland desktop, recorded."""

    desk: SwayDesk
    session: Path

    def replays(self) -> bool:
        """Whether the recording is whole."""
        done = subprocess.run(
            [*RUN_BOT, "replay", str(self.session)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return done.returncode == 0


@contextmanager
def game(session: Path, *screens: Screen, size: str = "expert") -> Iterator[RecordedPlay]:
    program = PROGRAMS["sgt-mines"]
    require_sway(program.name, "swaylock", packages=f"{program.package} swaylock")
    with SwayDesk(*screens) as desk:
        running = start(desk, program, program.sizes[size], at=(300, 200))
        ledger = NativeLedger(running)
        command = [*RUN_BOT, "play", "--screen", "wlroots", "--pace", "0.05", "--quiet"]
        bot = subprocess.Popen(
            [*command, "--record", str(session)],
            env=desk.env,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            play = RecordedPlay(running, ledger, bot, desk, session)
            play.wait_clicks(8)
            yield play
        finally:
            bot.kill()
            bot.communicate()
            ledger.close()


class Person:
    """A person at the mouse: a virtual pointer that is not the bot's."""

    def __init__(self, desk: SwayDesk) -> None:
        from bot.desktop.wlroots.client import Connection, Outputs
        from bot.desktop.wlroots.desktop import WlrPointer, seat_of

        path = Path(desk.env["XDG_RUNTIME_DIR"]) / desk.env["WAYLAND_DISPLAY"]
        self.connection = Connection(str(path))
        self._pointer = WlrPointer(
            self.connection, Outputs(self.connection), seat_of(self.connection)
        )

    def moves(self, x: int, y: int) -> None:
        """Move the pointer."""
        self._pointer.move(ScreenPoint(x, y))

    def moves_for(self, seconds: float) -> None:
        """Move the pointer again and again, beside the window."""
        end = time.monotonic() + seconds
        for step in count():
            self.moves(1500 + 3 * (step % 30), 900)
            time.sleep(0.05)
            if time.monotonic() > end:
                break


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return tmp_path / "session"


def test_stops_at_the_kill_switch(session: Path) -> None:
    with game(session) as play:
        person = Person(play.desk)
        person.moves(1919, 1079)
        moment = time.monotonic()
        code, messages = play.end()
        person.connection.close()
        assert code == STOPPED, messages
        assert play.clicks_after(moment + 0.02) == 0
        assert play.replays()


def test_yields_to_a_person_who_moves_the_mouse(session: Path) -> None:
    with game(session, size="intermediate") as play:
        person = Person(play.desk)
        # The bot notices the person in the pause before a click, or when it has parked the pointer.
        person.moves_for(1.0)
        clicks = len(play.ledger.presses)
        person.moves_for(1.5)
        clicks = len(play.ledger.presses) - clicks
        person.connection.close()
        code, messages = play.end(120)
        assert clicks == 0
        assert code == 0, messages
        assert "1 won" in messages


def kill_sway(desk: SwayDesk) -> None:
    os.kill(int(desk.env["SWAYSOCK"].split(".")[-2]), signal.SIGKILL)


def resize(desk: SwayDesk) -> None:
    desk.sway_does("output HEADLESS-1 resolution 1600x900")


def rescale(desk: SwayDesk) -> None:
    desk.sway_does("output HEADLESS-1 scale 1.25")


def turn(desk: SwayDesk) -> None:
    desk.sway_does("output HEADLESS-2 transform 90")


def lock(desk: SwayDesk) -> None:
    desk.start(["swaylock", "-c", "336699"])


@pytest.mark.parametrize("trouble", [kill_sway, resize, rescale, turn, lock])
def test_stops_when_the_screen_is_not_what_it_was(
    trouble: Callable[[SwayDesk], None], session: Path
) -> None:
    with game(session, Screen(), Screen(800, 600, left=1920)) as play:
        trouble(play.desk)
        moment = time.monotonic()
        code, messages = play.end()
        assert code == STUCK, messages
        assert play.clicks_after(moment + REACTION_S) == 0
        assert len(messages.strip().splitlines()) <= SENTENCES
        assert "Traceback" not in messages
        assert play.replays()
        if trouble is lock:
            time.sleep(0.2)
            last = max(play.desk.logs)
            assert b"wl_pointer" not in b"".join(
                line
                for line in play.desk.logs[last].read_bytes().splitlines()
                if b".button(" in line
            )
