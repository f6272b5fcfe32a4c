"""Whole games in windows of Windows programs, as a hook of Windows and the programs saw them.

Wine's own faults, for which limits of time are wide and which the tests allow: the pointer may stay
a second or two where it was (the bot then waits, since a person might hold the mouse), starting a
Python takes seconds, and winemine's window is not raised without a window manager (so a desktop of
Wine's own is used).
"""

import subprocess
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.live.conftest import skip
from tests.live.session import wait_until, which
from tests.live.windows.wine import (
    HERE,
    WINEMINE_KEY,
    beside_the_board,
    contradicted,
    ends_of,
    results_of,
)

pytestmark = pytest.mark.timeout(1500)

STOPPED = 5
"""The exit code of a program that its user stopped."""

PLAY = ("play", "--screen", "real", "--json", "--record", "session")


def winemine(*options, **plan):
    """Return the plan of games of winemine."""
    own = {"program": ["winemine.exe"], "title": "WineMine", "bot": [*PLAY, *options]}
    return own | plan


def check_ends(outcome):
    """Check that games were reported as they ended, as far as it was seen: the last one was."""
    reported, shown = results_of(outcome), ends_of(outcome)
    assert not contradicted(reported, shown), outcome
    assert reported, outcome
    assert shown[-1:] == reported[-1:], outcome


def check_reported(place, outcome, games):
    """Check that all games were reported as they ended, and that every press was on the board."""
    assert outcome.get("exit") == 0, outcome
    check_ends(outcome)
    assert len(results_of(outcome)) == games
    assert len(outcome["presses"]) >= games
    assert beside_the_board(place / "session", outcome["presses"]) == []


def test_games_of_two_sizes_are_reported_as_they_ended(windows, tmp_path):
    for level, games in (("beginner", 2), ("intermediate", 1)):
        windows.set_size(level)
        outcome = windows.stage(tmp_path / level, winemine("--games", str(games)))
        check_reported(tmp_path / level, outcome, games)


NOT_KNOWN = """
import runpy
from calibration import theme
read = theme.themes_of_file
theme.themes_of_file = lambda text: () if 'program = "winemine"' in text else read(text)
runpy.run_module("bot", run_name="__main__", alter_sys=True)
"""
"""The bot without the look of winemine, and with that without the key that closes its dialog."""


def test_the_dialog_of_a_program_that_is_not_known_ends_no_series(windows, tmp_path):
    windows.set_size("beginner")
    windows.set_numbers(WINEMINE_KEY, Time1=999)  # each game won asks for a name
    outcome = windows.stage(
        tmp_path / "own", winemine("--games", "2", "--new-game", "f2", start=["-c", NOT_KNOWN])
    )
    check_reported(tmp_path / "own", outcome, 2)
    assert "winemine" not in (tmp_path / "own" / "session" / "session.jsonl").read_text("utf-8")
    assert outcome["dialogs"] or results_of(outcome)[0] == "lost"


@pytest.fixture
def dpi_144(windows):
    """Screens at 150 % for what starts meanwhile."""
    windows.set_dpi(144)
    try:
        yield
    finally:
        windows.set_dpi(96)


@pytest.mark.usefixtures("dpi_144")
def test_a_game_at_144_dpi(windows, tmp_path):
    checks = {line["check"]: line for line in windows.minebot("doctor", "--json").lines}
    assert checks["scale"]["message"] == "The scale of each monitor: 150%."
    windows.set_size("beginner")
    check_reported(tmp_path / "dpi", windows.stage(tmp_path / "dpi", winemine()), 1)


@pytest.mark.parametrize(
    ("deed", "after", "code"),
    [("corner", 3, STOPPED), ("moves", 2, 0), ("shift", 2, 0), ("cover", 2, 0)],
)
def test_a_person_at_the_mouse_or_the_keys(windows, tmp_path, deed, after, code):
    windows.set_size("intermediate" if code else "beginner")
    place = tmp_path / deed
    outcome = windows.stage(place, winemine("--pace", "0.5", deed=deed, after=after))
    if outcome.get("exit") != code:
        # A window over the board at the end of a game may be taken for the program's own.
        assert (deed, outcome.get("exit")) == ("cover", 6), outcome
    presses = outcome["presses"]
    assert beside_the_board(place / "session", presses) == []
    first, last = outcome["deed_at"], outcome["deed_done"]
    late = first + (0.6 if code else 1.0)
    assert [at for at, *_ in presses if late < at < (last if not code else float("inf"))] == []
    if outcome["exit"] == 0:
        check_ends(outcome)


BUTTONS = """
import ctypes, time, tkinter
from bot.desktop.ports import Button
from bot.desktop.windows import WindowsPointer
from calibration.grid import ScreenPoint
root = tkinter.Tk()
root.geometry("300x300+50+50")
for number in (1, 3):
    root.bind(f"<Button-{number}>", lambda event, number=number: print(number, flush=True))
root.update()
for swapped in (False, True):
    ctypes.windll.user32.SwapMouseButton(swapped)
    for button in (Button.LEFT, Button.RIGHT):
        WindowsPointer().click(ScreenPoint(200, 200), button, 0.05)
        end = time.monotonic() + 2
        while time.monotonic() < end:
            root.update()
            time.sleep(0.02)
ctypes.windll.user32.SwapMouseButton(False)
"""


def test_swapped_buttons(windows):
    """Where the buttons are swapped, the other one is pressed; Windows swaps it back.

    Wine's own fault: it does not swap what is sent, so that the window gets the button that was
    pressed, and a game with swapped buttons cannot be played there.
    """
    said = windows.run("-c", BUTTONS)
    assert said.out.split() == ["1", "3", "3", "1"], said


def test_ctrl_c_in_the_console_ends_play_in_order(windows, tmp_path):
    windows.set_size("intermediate")
    place = tmp_path / "stopped"
    outcome = windows.stage(place, winemine("--pace", "1", deed="ctrl_c", after=2))
    assert outcome.get("exit") == STOPPED, outcome
    assert [at for at, *_ in outcome["presses"] if at > outcome["deed_at"] + 0.5] == []
    assert "Traceback" not in outcome["err"]


@contextmanager
def left_monitor(folder):
    """Start an X server with a second monitor, left of and above the primary one."""
    if which("Xorg") is None or which("xrandr") is None:
        skip("needs Xorg: apt install xserver-xorg-core xserver-xorg-video-dummy x11-xserver-utils")
    config = folder / "dummy.conf"
    config.write_text(
        'Section "Device"\n Identifier "card"\n Driver "dummy"\n VideoRam 65536\nEndSection\n'
        'Section "Screen"\n Identifier "screen"\n Device "card"\n DefaultDepth 24\n'
        ' SubSection "Display"\n  Depth 24\n  Virtual 2600 1300\n EndSubSection\nEndSection\n'
    )
    name = next(
        f":{number}" for number in range(141, 199) if not Path(f"/tmp/.X11-unix/X{number}").exists()
    )
    options = ("-config", str(config), "-noreset", "-nolisten", "tcp", "-logfile", folder / "log")
    server = subprocess.Popen(["Xorg", name, *options], stderr=subprocess.DEVNULL)
    left = ("--output", "DUMMY1", "--mode", "1024x768", "--pos", "0x0")
    primary = ("--output", "DUMMY0", "--mode", "1024x768", "--pos", "1024x200", "--primary")

    def does(*words):
        command = ["xrandr", "-d", name, *words]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    try:
        # Until outputs are asked for, one that got a mode counts as not connected, and Wine
        # leaves it out.
        for words in (("--addmode", "DUMMY1", "1024x768"), (*left, *primary), ("--query",)):
            wait_until(partial(does, *words), 60, "the second monitor", every_s=0.5)
        yield name
    finally:
        server.terminate()
        server.wait(20)


def test_a_game_on_a_monitor_at_negative_coordinates(windows, tmp_path):
    windows.set_size("beginner")
    windows.close()
    with left_monitor(tmp_path) as name:
        there = replace(windows, display=name)
        checks = {line["check"]: line for line in there.minebot("doctor", "--json").lines}
        assert checks["monitors"]["message"].startswith("2 monitors")
        outcome = there.stage(tmp_path / "left", winemine(at=[-800, -150]), desktop=None)
        there.close()
    assert outcome["inside"][0] < 0
    assert all(x < 0 for _, x, _, _ in outcome["presses"])
    check_reported(tmp_path / "left", outcome, 1)


@pytest.mark.parametrize(
    ("name", "title"),
    [("pygame-minesweeper", "Pygame - Minesweeper"), ("minesweeper-python", "Minesweeper")],
)
def test_programs_of_the_package_index(windows, tmp_path, name, title):
    place, ends = tmp_path / name, tmp_path / "ends.txt"
    folder = windows.path(windows.home / "programs" / name)
    words = [windows.path(one) for one in (windows.python, HERE / "clone.py")]
    program = [*words, folder, name, windows.path(ends)]
    outcome = windows.stage(place, {"program": program, "title": title, "bot": list(PLAY)})
    assert outcome.get("exit") == 0, outcome
    (reported,) = results_of(outcome)
    assert reported == ends.read_text("utf-8")
    assert beside_the_board(place / "session", outcome["presses"]) == []
    assert outcome["presses"]
