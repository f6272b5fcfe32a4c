"""What `doctor` says of a desktop that it can look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import NoReturn

import pytest

from bot.desktop import native, routes
from bot.desktop.ports import Desktop, Fact
from bot.desktop.routes import DesktopSession, Offer, Route
from bot.doctor import check_board, check_desktop, check_session
from bot.errors import NoDesktop
from calibration.grid import ScreenPoint
from tests.simulated import FaultyDesktop


def black() -> Desktop:
    desktop = FaultyDesktop()
    desktop.go_black()
    return desktop.ports


def with_ports(**changes: object) -> Callable[[], Desktop]:
    return lambda: replace(FaultyDesktop().ports, **changes)  # type: ignore[arg-type]


def stiff(scale: float) -> Callable[[], Desktop]:
    """A desktop on which the pointer goes somewhere else than it is sent to."""

    class StiffMouse(FaultyDesktop):
        def move(self, point: ScreenPoint) -> None:
            if scale:
                super().move(ScreenPoint(round(point.x * scale), point.y))

    return lambda: StiffMouse().ports


FACTS = (Fact("scale", "The scale is 150%."), Fact("dpi awareness", "None.", good=False))
UNLOCK = "unlock it, open the game"


@pytest.mark.parametrize(
    ("desktop", "route", "platform", "check", "verdict", "words"),
    [
        (with_ports(), Route.X11, "linux", "monitors", "ok", ["1 monitor: "]),
        (with_ports(), Route.X11, "linux", "screenshot", "ok", ["pixels per mouse unit: 1."]),
        # A black screen is a fault only where pictures can be forbidden.
        (black, Route.X11, "linux", "screenshot", "note", [UNLOCK, "nothing may be open yet"]),
        (black, Route.NATIVE, "win32", "screenshot", "note", [UNLOCK, "nothing may be open yet"]),
        (black, Route.NATIVE, "darwin", "screenshot", "bad", [UNLOCK, "allow screen recording"]),
        (black, Route.PORTAL, "linux", "screenshot", "bad", [UNLOCK, "allow screen recording"]),
        # The pointer is proved before the first click.
        (stiff(1.0), Route.X11, "linux", "pointer", "ok", ["moves to each of 2 places"]),
        (
            *(stiff(1.5), Route.X11, "linux", "pointer", "bad"),
            ["was sent to 480,270 and went to 720,270"],
        ),
        (stiff(0.0), Route.X11, "linux", "pointer", "bad", ["does not move"]),
        (
            with_ports(held_keys=lambda: ("Shift", "Ctrl")),
            *(Route.X11, "linux", "keys", "note", ["Held down: Shift, Ctrl"]),
        ),
        # How presses and keys keep to the board.
        (with_ports(), Route.PORTAL, "linux", "windows", "ok", ["whose window gets it"]),
        (
            with_ports(window_at=lambda point: None),
            *(Route.PORTAL, "linux", "windows", "note", ["nor which one has the keyboard"]),
        ),
        (
            with_ports(window_at=lambda point: None, focused=lambda: 7),
            *(Route.PORTAL, "linux", "windows", "note", ["it says which one has the keyboard"]),
        ),
        # What the system says of itself.
        (with_ports(facts=lambda: FACTS), Route.NATIVE, "linux", "scale", "ok", ["150%"]),
        (with_ports(facts=lambda: FACTS), Route.NATIVE, "linux", "dpi awareness", "note", []),
        (
            with_ports(refusal_at=lambda point: f"It takes no clicks, {point.x},{point.y}."),
            *(Route.NATIVE, "linux", "rights", "note", ["At 902,508: It takes no clicks, 902,508"]),
        ),
    ],
)
def test_a_check_says_what_is_the_case(
    desktop: Callable[[], Desktop],
    route: Route,
    platform: str,
    check: str,
    verdict: str,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.doctor.sys.platform", platform)
    found = {one.name: one for one in check_desktop(desktop(), route)}
    assert found[check].verdict.value == verdict
    assert [word for word in words if word not in found[check].message] == [], found[check].message
    assert check == "rights" or "rights" not in found


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_no_word_of_x11_where_there_is_none(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    def fail(*_: object) -> NoReturn:
        raise OSError("no desktop")

    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(native, "import_module", fail)
    session = DesktopSession("Windows", "", (Offer(Route.NATIVE),))
    said = [check.message for check in check_session(session, {"DISPLAY": ":7"})]
    for open_it in (
        native._load_pyautogui,
        partial(native.RealScreen, SimpleNamespace(MSS=fail)),
        routes.open_overlay,
    ):
        with pytest.raises(NoDesktop) as raised:
            open_it()
        said.append(str(raised.value))
    assert not [text for text in said if "DISPLAY" in text or "X11" in text or ":7" in text]


def test_doctor_looks_for_a_game_and_says_how_to_get_it_in_sight() -> None:
    desktop = FaultyDesktop(rows=9, cols=9, mines=10, windows=())
    check = check_board(desktop.ports)
    words = "9x9 of a program without a theme; 10 mines; new games start with smiley."
    assert (check.verdict.value, check.message) == ("ok", words)
    desktop.minimise()
    check = check_board(desktop.ports)
    assert check.verdict.value == "note"
    assert check.message.startswith("No board is in sight: start a game")
