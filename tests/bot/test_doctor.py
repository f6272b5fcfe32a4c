"""What `doctor` says of a desktop that it can look at."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from bot.desktop import native, routes
from bot.desktop.ports import Desktop, Fact
from bot.desktop.routes import DesktopSession, Offer, Route
from bot.doctor import Check, CheckStatus, check_board, check_desktop, check_session
from bot.errors import NoDesktop
from calibration.grid import ScreenPoint
from tests.simulated import FaultyDesktop


def checks(desktop: FaultyDesktop | Desktop, route: Route) -> dict[str, Check]:
    ports = desktop if isinstance(desktop, Desktop) else desktop.ports
    return {check.name: check for check in check_desktop(ports, route)}


def test_a_single_monitor_is_reported_in_the_singular() -> None:
    found = checks(FaultyDesktop(), Route.X11)
    assert found["monitors"].message.startswith("1 monitor: ")
    assert found["screenshot"].verdict is CheckStatus.OK
    assert found["screenshot"].message.endswith("pixels per mouse unit: 1.")


@pytest.mark.parametrize(
    ("route", "platform", "verdict", "hint"),
    [
        (Route.X11, "linux", CheckStatus.NOTE, "nothing may be open yet"),
        (Route.NATIVE, "win32", CheckStatus.NOTE, "nothing may be open yet"),
        (Route.NATIVE, "darwin", CheckStatus.BAD, "allow screen recording"),
        (Route.PORTAL, "linux", CheckStatus.BAD, "allow screen recording"),
    ],
)
def test_a_black_screen_is_a_fault_only_where_pictures_can_be_forbidden(
    monkeypatch: pytest.MonkeyPatch, route: Route, platform: str, verdict: CheckStatus, hint: str
) -> None:
    monkeypatch.setattr("bot.doctor.sys.platform", platform)
    desktop = FaultyDesktop()
    desktop.go_black()
    check = checks(desktop, route)["screenshot"]
    assert check.verdict is verdict
    assert "unlock it, open the game" in check.message
    assert hint in check.message


class StiffMouse(FaultyDesktop):
    """A desktop on which the pointer goes somewhere else than it is sent to."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self._wrong_scale = scale

    def move(self, point: ScreenPoint) -> None:
        if self._wrong_scale:
            super().move(ScreenPoint(round(point.x * self._wrong_scale), point.y))


@pytest.mark.parametrize(
    ("scale", "verdict", "reported"),
    [
        (1.0, CheckStatus.OK, "moves to each of 2 places"),
        (1.5, CheckStatus.BAD, "was sent to 480,270 and went to 720,270"),
        (0.0, CheckStatus.BAD, "does not move"),
    ],
)
def test_the_pointer_is_proved_before_the_first_click(
    scale: float, verdict: CheckStatus, reported: str
) -> None:
    check = checks(StiffMouse(scale), Route.X11)["pointer"]
    assert (check.verdict, reported in check.message) == (verdict, True), check.message


def test_a_held_key_is_worth_knowing() -> None:
    ports = replace(FaultyDesktop().ports, held_keys=lambda: ("Shift", "Ctrl"))
    found = checks(ports, Route.X11)
    assert found["keys"].verdict is CheckStatus.NOTE
    assert "Held down: Shift, Ctrl" in found["keys"].message


@pytest.mark.parametrize(
    ("changes", "verdict", "reported"),
    [
        ({}, CheckStatus.OK, "whose window gets it"),
        ({"window_at": lambda point: None}, CheckStatus.NOTE, "nor which one has the keyboard"),
        (
            {"window_at": lambda point: None, "focused": lambda: 7},
            CheckStatus.NOTE,
            "it says which one has the keyboard",
        ),
    ],
)
def test_it_is_said_how_presses_and_keys_keep_to_the_board(
    changes: dict[str, Any], verdict: CheckStatus, reported: str
) -> None:
    check = checks(replace(FaultyDesktop().ports, **changes), Route.PORTAL)["windows"]
    assert (check.verdict, reported in check.message) == (verdict, True), check.message


def test_what_the_system_says_of_itself_is_shown() -> None:
    facts = (Fact("scale", "The scale is 150%."), Fact("dpi awareness", "None.", good=False))
    found = checks(replace(FaultyDesktop().ports, facts=lambda: facts), Route.NATIVE)
    assert found["scale"].verdict is CheckStatus.OK
    assert found["dpi awareness"].verdict is CheckStatus.NOTE


def test_a_window_that_takes_no_clicks_is_named_with_its_place() -> None:
    desktop = FaultyDesktop()
    assert "rights" not in checks(desktop, Route.NATIVE)
    ports = replace(desktop.ports, refusal_at=lambda point: "It runs as an administrator.")
    check = checks(ports, Route.NATIVE)["rights"]
    assert check.verdict is CheckStatus.NOTE
    here = desktop.position()
    assert check.message == f"At {here.x},{here.y}: It runs as an administrator."


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_no_word_of_x11_where_there_is_none(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
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


def fail(*_: object) -> NoReturn:
    raise OSError("no desktop")


def test_doctor_looks_for_a_game() -> None:
    check = check_board(FaultyDesktop(rows=9, cols=9, mines=10, windows=()).ports)
    words = "9x9 of a program without a theme; 10 mines; new games start with smiley."
    assert (check.verdict, check.message) == (CheckStatus.OK, words)


def test_doctor_says_how_to_get_a_board_in_sight() -> None:
    desktop = FaultyDesktop(rows=9, cols=9, mines=10, windows=())
    desktop.minimise()
    check = check_board(desktop.ports)
    assert check.verdict is CheckStatus.NOTE
    assert check.message.startswith("No board is in sight: start a game")
