"""The route to a desktop is chosen rightly, and an obstacle is named."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from bot.desktop import routes
from bot.desktop.routes import DesktopSession, Offer, Route, compositor_name, examine_session
from bot.doctor import CheckStatus, check_session
from bot.errors import NoDesktop, UsageError
from solver.extras import install_command

WAYLAND = {"WAYLAND_DISPLAY": "wayland-nowhere", "XDG_RUNTIME_DIR": "/nowhere", "DISPLAY": ":0"}


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="sockets with a name, and /proc")


def session(wlroots: str | None, portal: str | None) -> DesktopSession:
    return DesktopSession(
        "wayland",
        "sway",
        (
            Offer(Route.WLROOTS, wlroots),
            Offer(Route.PORTAL, portal),
            Offer(Route.X11, automatic=False),
        ),
    )


@pytest.mark.parametrize(
    ("wlroots", "portal", "route"),
    [
        (None, None, Route.WLROOTS),
        ("no screencopy", None, Route.PORTAL),
        (None, "no portal", Route.WLROOTS),
        ("no screencopy", "no portal", Route.PORTAL),
    ],
)
def test_the_best_route_without_an_obstacle_is_taken(
    wlroots: str | None, portal: str | None, route: Route
) -> None:
    assert session(wlroots, portal).choose().route is route


def test_a_named_route_is_taken_even_with_an_obstacle() -> None:
    assert session(None, "no portal").choose(Route.PORTAL).obstacle == "no portal"
    assert session(None, None).choose(Route.X11).route is Route.X11
    with pytest.raises(UsageError, match="native"):
        session(None, None).choose(Route.NATIVE)


@pytest.fixture
def wayland(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session of Wayland without the libraries for it."""
    for name, value in WAYLAND.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "jeepney", None)


@on_linux
@pytest.mark.usefixtures("wayland")
def test_without_x11_there_is_no_overlay_and_no_desktop_is_opened_if_there_is_an_obstacle() -> None:
    with pytest.raises(NoDesktop, match="window of wayland, only under X11"):
        routes.open_overlay()
    with pytest.raises(NoDesktop, match=r"needs the extra 'wayland': run .*wayland"):
        routes.open_desktop()
    offer = examine_session("linux", WAYLAND).choose()
    assert offer.obstacle is not None
    assert f"run {install_command('wayland')}" in offer.obstacle
    assert offer.obstacle.count(". ") == 0


not_on_windows = pytest.mark.skipif(sys.platform == "win32", reason="loads Quartz by its path")


@pytest.mark.parametrize(
    ("platform", "environ", "route"),
    [
        ("linux", {"DISPLAY": ":0"}, Route.X11),
        ("win32", {"WAYLAND_DISPLAY": "wayland-0"}, Route.NATIVE),
        pytest.param("darwin", {}, Route.NATIVE, marks=not_on_windows),
    ],
)
def test_other_sessions_have_one_route(
    platform: str, environ: dict[str, str], route: Route
) -> None:
    session = examine_session(platform, environ)
    assert [offer.route for offer in session.offers] == [route]
    if route is Route.X11:
        assert session.choose().obstacle is None
        with pytest.raises(UsageError, match=r"\(x11\); --screen takes auto, sim or .*: x11\.$"):
            session.choose(Route.WLROOTS)


@on_linux
def test_gstreamer_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "apt-get").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "apt install gstreamer1.0-tools gstreamer1.0-pipewire" in (routes.why_no_frames() or "")


@on_linux
def test_the_compositor_is_named_by_its_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(tmp_path / "wayland-7"))
        server.listen()
        environ = {"XDG_RUNTIME_DIR": str(tmp_path), "WAYLAND_DISPLAY": "wayland-7"}
        assert compositor_name(environ) == Path("/proc/self/comm").read_text("utf-8").strip()
    assert compositor_name(WAYLAND) == ""


def test_doctor_names_the_route_and_why_not_another() -> None:
    checks = list(check_session(session("no screencopy", None), WAYLAND))
    assert [(check.name, check.verdict) for check in checks] == [
        ("session", CheckStatus.OK), ("wlroots", CheckStatus.NOTE), ("portal", CheckStatus.OK),
    ]  # fmt: skip
    assert "sway" in checks[0].message
    assert "no screencopy" in checks[1].message
    *_, last = check_session(session("no screencopy", "no portal"), WAYLAND)
    assert (last.name, last.verdict, last.message) == ("portal", CheckStatus.BAD, "no portal")
