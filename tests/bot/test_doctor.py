"""What `doctor` says of a desktop that it can look at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.desktop.ports import Desktop
from bot.desktop.routes import Route
from bot.doctor import Check, Verdict, check_desktop
from bot.simulated.desktop import SimulatedDesktop
from calibration.points import ScreenPoint


def checks(desktop: SimulatedDesktop | Desktop, route: Route) -> dict[str, Check]:
    ports = desktop if isinstance(desktop, Desktop) else desktop.ports
    return {check.name: check for check in check_desktop(ports, route)}


def test_a_single_monitor_is_told_in_the_singular() -> None:
    found = checks(SimulatedDesktop(), Route.X11)
    assert found["monitors"].message.startswith("1 monitor: ")
    assert found["screenshot"].verdict is Verdict.OK
    assert found["screenshot"].message.endswith("pixels per mouse unit: 1.")


@pytest.mark.parametrize(
    ("route", "verdict", "hint"),
    [
        (Route.X11, Verdict.NOTE, "nothing may be open yet"),
        (Route.NATIVE, Verdict.BAD, "allow screen recording"),
        (Route.PORTAL, Verdict.BAD, "allow screen recording"),
    ],
)
def test_a_black_screen_is_a_fault_only_where_pictures_can_be_forbidden(
    route: Route, verdict: Verdict, hint: str
) -> None:
    desktop = SimulatedDesktop()
    desktop.go_black()
    check = checks(desktop, route)["screenshot"]
    assert check.verdict is verdict
    assert "unlock it, open the game" in check.message
    assert hint in check.message


class StiffMouse(SimulatedDesktop):
    """A desktop on which the pointer goes somewhere else than it is sent to."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self._wrong_scale = scale

    def move(self, point: ScreenPoint) -> None:
        if self._wrong_scale:
            super().move(ScreenPoint(round(point.x * self._wrong_scale), point.y))


@pytest.mark.parametrize(
    ("scale", "verdict", "told"),
    [
        (1.0, Verdict.OK, "moves to each of 2 places"),
        (1.5, Verdict.BAD, "was sent to 480,270 and went to 720,270"),
        (0.0, Verdict.BAD, "does not move"),
    ],
)
def test_the_pointer_is_proved_before_the_first_click(
    scale: float, verdict: Verdict, told: str
) -> None:
    check = checks(StiffMouse(scale), Route.X11)["pointer"]
    assert (check.verdict, told in check.message) == (verdict, True), check.message


def test_a_held_key_is_worth_knowing() -> None:
    ports = replace(SimulatedDesktop().ports, held_keys=lambda: ("Shift", "Ctrl"))
    found = checks(ports, Route.X11)
    assert found["keys"].verdict is Verdict.NOTE
    assert "Held down: Shift, Ctrl" in found["keys"].message
