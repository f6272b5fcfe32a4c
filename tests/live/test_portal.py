"""The bot plays through the desktop portals of a real GNOME Shell.

The tests marked ``by_hand`` play. They fail now and then on a busy machine, where GNOME Shell draws
without a graphics card; CI leaves them out: ``pytest tests/live/test_portal.py -m by_hand``.
"""

import os
import signal
import subprocess

import pytest

from tests.live.command import Bot, run_bot
from tests.live.conftest import open_game, require
from tests.live.gnome import GnomeDesk
from tests.live.match import faults, play

FAILED, STOPPED, STUCK = 1, 5, 6


@pytest.fixture
def gnome():
    require("gnome-mines", packages="gnome-mines", on=GnomeDesk)
    with GnomeDesk() as desk:
        yield desk


@pytest.fixture
def mines(gnome, request):
    """Start a game of the size asked for, below the notices of GNOME Shell."""
    return open_game(gnome, "gnome-mines", getattr(request, "param", "beginner"), at=(100, 250))


@pytest.mark.parametrize(
    ("consent", "words"), [("share", "was not allowed"), ("mouse", "remote interaction")]
)
def test_what_a_person_does_not_allow_is_one_sentence(gnome, mines, consent, words):
    with gnome.person(**{consent: False}):
        dry_run = ("play", "--screen", "portal", "--dry-run", "--quiet")
        done = run_bot(*dry_run, env=gnome.env, limit_s=120)
    assert done.returncode == FAILED
    assert words in done.stderr.splitlines()[-1]


@pytest.mark.by_hand
def test_plays_cleanly_through_the_portals(gnome, mines, session):
    with gnome.person():
        assert faults(play(mines, 1, session, limit_s=200)) == []


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
def test_stops_when_the_pictures_do(gnome, mines, trouble, codes, word):
    words = ("play", "--screen", "real", "--quiet", "--pace", "0.2", "--games", "9")
    with gnome.person(), Bot(mines, *words) as bot:
        bot.wait_clicks(4, 120)
        asked = ["pgrep", "-x", "gnome-shell", "-s", str(gnome.shell.pid)]
        shell = int(subprocess.check_output(asked).split()[0])
        try:
            if trouble == "revoked":
                gnome.revoke()
            else:
                os.kill(shell, signal.SIGSTOP if trouble == "stalled" else signal.SIGKILL)
            clicks = len(bot.ledger.presses)
            exit_code, messages = bot.wait(90)
            clicks = len(bot.ledger.presses) - clicks
        finally:
            if trouble == "stalled":
                os.kill(shell, signal.SIGCONT)
    assert (exit_code in codes, clicks) == (True, 0), messages
    assert word in messages.strip().splitlines()[-1]
    assert "Traceback" not in messages
