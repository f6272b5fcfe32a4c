"""The bot plays through the desktop portals of a real GNOME Shell.

The tests marked ``by_hand`` play. They fail now and then on a busy machine, where GNOME Shell draws
without a graphics card; CI leaves them out: ``pytest tests/live/test_portal.py -m by_hand``.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.conftest import require_gnome
from tests.live.gnome import GnomeDesk
from tests.live.match import ROOT, RUN_BOT, faults, play
from tests.live.programs import PROGRAMS, Running, start
from tests.live.session import wait_until
from tests.live.wayland_referee import NativeLedger

FAILED, STOPPED, STUCK = 1, 5, 6


@pytest.fixture
def gnome() -> Iterator[GnomeDesk]:
    """A desktop of its own for each test."""
    require_gnome("gnome-mines", packages="gnome-mines")
    with GnomeDesk() as desk:
        yield desk


@pytest.fixture
def mines(gnome: GnomeDesk, request: pytest.FixtureRequest) -> Running:
    """Start a game of the size asked for, below the notices of GNOME Shell."""
    program = PROGRAMS["gnome-mines"]
    size = getattr(request, "param", "beginner")
    return start(gnome, program, program.sizes[size], at=(100, 250))


def dry_run(desk: GnomeDesk) -> tuple[int, str]:
    """Find the board and decide, without a click."""
    done = subprocess.run(
        [*RUN_BOT, "play", "--screen", "portal", "--dry-run", "--quiet"],
        env=desk.env,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_refusal_is_one_sentence(gnome: GnomeDesk, mines: Running) -> None:
    with gnome.person(share=False):
        code, messages = dry_run(gnome)
    assert code == FAILED
    assert "was not allowed" in messages.splitlines()[-1]


def test_a_screen_without_a_mouse_is_refused(gnome: GnomeDesk, mines: Running) -> None:
    with gnome.person(mouse=False):
        code, messages = dry_run(gnome)
    assert code == FAILED
    assert "remote interaction" in messages.splitlines()[-1]


@pytest.mark.by_hand
def test_plays_cleanly_through_the_portals(
    gnome: GnomeDesk, mines: Running, tmp_path: Path
) -> None:
    with gnome.person():
        match = play(mines, 1, tmp_path / "session", limit_s=200)
    assert faults(match) == []


def stopped_by(desk: GnomeDesk, mines: Running, trouble: str) -> tuple[int, str, int]:
    """Play until the trouble; return the exit code, the messages and the number of later clicks."""
    ledger = NativeLedger(mines)
    with desk.person():
        bot = subprocess.Popen(
            [*RUN_BOT, "play", "--screen", "real", "--quiet", "--pace", "0.2", "--games", "9"],
            env=desk.env,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            wait_until(lambda: len(ledger.presses) >= 4 or bot.poll() is not None, 120, "clicks")
            assert bot.poll() is None, bot.communicate()
            if trouble == "revoked":
                desk.revoke()
            else:
                os.kill(shell_pid(desk), signal.SIGSTOP if trouble == "stalled" else signal.SIGKILL)
            clicks = len(ledger.presses)
            out, err = bot.communicate(timeout=90)
            return bot.returncode, out + err, len(ledger.presses) - clicks
        finally:
            bot.kill()
            bot.communicate()
            ledger.close()
            if trouble == "stalled":
                os.kill(shell_pid(desk), signal.SIGCONT)


def shell_pid(desk: GnomeDesk) -> int:
    """Return the process of this desk's GNOME Shell."""
    return next(
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit()
        and (entry / "comm").read_text().strip() == "gnome-shell"
        and os.getsid(int(entry.name)) == os.getsid(desk.shell.pid)
    )


@pytest.mark.by_hand
@pytest.mark.parametrize("mines", ["intermediate"], indirect=True)
@pytest.mark.parametrize(
    ("trouble", "codes", "word"),
    [
        ("revoked", {STOPPED}, "ended the sharing"),
        ("stalled", {STUCK}, "PipeWire has sent no picture"),
        # The portal may report the end of its session before the bus ends with the desktop.
        ("killed", {STOPPED, STUCK}, ""),
    ],
)
def test_stops_when_the_pictures_do(
    gnome: GnomeDesk, mines: Running, trouble: str, codes: set[int], word: str
) -> None:
    exit_code, messages, clicks = stopped_by(gnome, mines, trouble)
    assert (exit_code in codes, clicks) == (True, 0), messages
    assert word in messages.strip().splitlines()[-1]
    assert "Traceback" not in messages
