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
from math import inf
from pathlib import Path

import pytest

from tests.live.conftest import skip
from tests.live.session import wait_until, which
from tests.live.windows.wine import HERE, WINEMINE_KEY, contradicted

pytestmark = pytest.mark.timeout(1500)

STOPPED = 5  # the exit code of a program that its user stopped


def check_ends(outcome):
    """Check that games were reported as they ended, as far as it was seen: the last one was."""
    assert outcome["results"], outcome
    assert not contradicted(outcome["results"], outcome["ends"]), outcome
    assert outcome["ends"][-1:] == outcome["results"][-1:], outcome


def check_reported(outcome, games):
    """Check that all games were reported as they ended, and that every press was on the board."""
    assert outcome.get("exit") == 0, outcome
    check_ends(outcome)
    assert len(outcome["results"]) == games
    assert len(outcome["presses"]) >= games
    assert outcome["stray"] == []


@pytest.mark.parametrize(("level", "games"), [("beginner", 2), ("intermediate", 1)])
def test_games_are_reported_as_they_ended(windows, tmp_path, level, games):
    outcome = windows.play_winemine(tmp_path / level, level, "--games", str(games))
    check_reported(outcome, games)


NOT_KNOWN = """
import runpy
from calibration import theme
read = theme.themes_of_file
theme.themes_of_file = lambda text: () if 'program = "winemine"' in text else read(text)
runpy.run_module("bot", run_name="__main__", alter_sys=True)
"""
"""The bot without the look of winemine, and with that without the key that closes its dialog."""


def test_the_dialog_of_a_program_that_is_not_known_ends_no_series(windows, tmp_path):
    windows.set_numbers(WINEMINE_KEY, Time1=999)  # each game won asks for a name
    options = ("--games", "2", "--new-game", "f2")
    place = tmp_path / "own"
    outcome = windows.play_winemine(place, "beginner", *options, start=["-c", NOT_KNOWN])
    check_reported(outcome, 2)
    assert "winemine" not in (place / "session" / "session.jsonl").read_text("utf-8")
    assert outcome["dialogs"] or outcome["results"][0] == "lost"


def test_a_game_at_144_dpi(windows, tmp_path):
    windows.set_dpi(144)
    try:
        checks = {line["check"]: line for line in windows.minebot("doctor", "--json").lines}
        assert checks["scale"]["message"] == "The scale of each monitor: 150%."
        check_reported(windows.play_winemine(tmp_path / "dpi", "beginner"), 1)
    finally:
        windows.set_dpi(96)


@pytest.mark.parametrize(
    ("deed", "after", "code", "late_s"),
    [
        ("corner", 3, STOPPED, 0.6),
        ("ctrl_c", 2, STOPPED, 0.5),
        ("moves", 2, 0, 1.0),
        ("shift", 2, 0, 1.0),
        ("cover", 2, 0, 1.0),
    ],
)
def test_a_person_at_the_mouse_or_the_keys(windows, tmp_path, deed, after, code, late_s):
    level = "intermediate" if code else "beginner"
    words = {"deed": deed, "after": after}
    outcome = windows.play_winemine(tmp_path / deed, level, "--pace", "0.5", **words)
    if outcome.get("exit") != code:
        # A window over the board at the end of a game may be taken for the program's own.
        assert (deed, outcome.get("exit")) == ("cover", 6), outcome
    assert outcome["stray"] == []
    late, last = outcome["deed_at"] + late_s, inf if code else outcome["deed_done"]
    assert [at for at, *_ in outcome["presses"] if late < at < last] == []
    assert "Traceback" not in outcome["err"]
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
    windows.close()
    with left_monitor(tmp_path) as name:
        there = replace(windows, display=name)
        checks = {line["check"]: line for line in there.minebot("doctor", "--json").lines}
        assert checks["monitors"]["message"].startswith("2 monitors")
        outcome = there.play_winemine(tmp_path, "beginner", desktop=None, at=[-800, -150])
        there.close()
    assert outcome["inside"][0] < 0
    assert all(x < 0 for _, x, _, _ in outcome["presses"])
    check_reported(outcome, 1)


@pytest.mark.parametrize(
    ("name", "title"),
    [("pygame-minesweeper", "Pygame - Minesweeper"), ("minesweeper-python", "Minesweeper")],
)
def test_programs_of_the_package_index(windows, tmp_path, name, title):
    ends, programs = tmp_path / "ends.txt", windows.home / "programs"
    words = (windows.python, HERE / "clone.py", programs / name, name, ends)
    program = [windows.path(word) if isinstance(word, Path) else word for word in words]
    outcome = windows.stage(tmp_path / name, {"program": program, "title": title})
    assert outcome.get("exit") == 0, outcome
    assert outcome["results"] == [ends.read_text("utf-8")]
    assert outcome["stray"] == []
    assert outcome["presses"]
