"""What `doctor` says of a desktop that it can look at."""

from __future__ import annotations

import pytest

from bot.desktop.routes import Route
from bot.doctor import Check, Verdict, check_desktop
from bot.simulated.desktop import SimulatedDesktop


def checks(desktop: SimulatedDesktop, route: Route) -> dict[str, Check]:
    return {check.name: check for check in check_desktop(desktop, route)}


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
