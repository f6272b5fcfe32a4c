"""The route through the portals, against a fake portal on a real D-Bus."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.desktop.ports import Button, Desktop, Monitor
from bot.errors import BotError, NoDesktop, ScreenGone, StoppedByUser, UsageError
from calibration.grid import PixelBox, ScreenPoint

pytest.importorskip("jeepney")
if sys.platform != "linux" or shutil.which("dbus-daemon") is None:
    pytest.skip("needs D-Bus: apt install dbus", allow_module_level=True)

from bot.desktop import portal as route
from bot.desktop.portal import REFUSED_SENTENCE, TokenFile, open_portal, why_no_portal
from tests.bot.desktop.fake_portal import FakePortal, Painter, session_bus

pytestmark = pytest.mark.slow  # a portal on a real D-Bus for every test

UNITS = (60, 40)
"""Size of the shared monitor, in mouse units."""


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address


@pytest.fixture
def portal(bus: str) -> Iterator[FakePortal]:
    fake = FakePortal(bus, size=UNITS)
    yield fake
    fake.close()


@pytest.fixture
def painter(tmp_path: Path) -> Painter:
    painter = Painter(tmp_path)
    painter.paint(*UNITS, 10)
    return painter


@pytest.fixture
def opened(portal: FakePortal, painter: Painter) -> Iterator[Callable[[], Desktop]]:
    """Return what opens a desktop, which is closed in the end."""
    desktops: list[Desktop] = []

    def open_one() -> Desktop:
        desktops.append(open_portal())
        return desktops[-1]

    yield open_one
    for desktop in desktops:
        desktop.screen._sharing.close()  # type: ignore[attr-defined]


@pytest.fixture
def desktop(opened: Callable[[], Desktop]) -> Desktop:
    return opened()


def wait_shade(desktop: Desktop, shade: int) -> None:
    """Wait until the newest picture has a shade."""
    end = time.monotonic() + 60
    while desktop.screen.grab().pixels[0, 0, 0] != shade:
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_picture_lies_where_the_monitor_lies(desktop: Desktop) -> None:
    whole = desktop.screen.grab()
    assert (whole.width, whole.height, whole.scale) == (*UNITS, 1.0)
    assert whole.origin == (100, 50)
    assert desktop.screen.monitors() == (Monitor(100, 50, 160, 90),)
    part = desktop.screen.grab(PixelBox(8, 4, 20, 16))
    assert (part.width, part.height, part.origin) == (12, 12, (108, 54))
    assert (part.pixels == 10).all()


@pytest.mark.parametrize(
    ("units", "pixels", "scale"),
    [
        ((33, 21), (33, 21), 1.0),  # GStreamer pads rows to four bytes
        (UNITS, (90, 60), 1.5),
        (UNITS, (120, 80), 1.0),  # from scale 2 on, pictures are reduced by a whole number
        (UNITS, (150, 100), 1.25),
    ],
)
def test_pictures_of_all_sizes_are_read_and_their_scale_is_measured(
    units: tuple[int, int],
    pixels: tuple[int, int],
    scale: float,
    portal: FakePortal,
    tmp_path: Path,
    opened: Callable[[], Desktop],
) -> None:
    portal.size = units
    Painter(tmp_path).paint(*pixels, 77)
    frame = opened().screen.grab()
    assert frame.scale == scale
    assert (frame.width, frame.height) == (scale * units[0], scale * units[1])
    assert (frame.pixels == 77).all()


def test_a_click_is_a_movement_a_press_and_a_release(
    desktop: Desktop, portal: FakePortal, painter: Painter
) -> None:
    desktop.pointer.click(ScreenPoint(130, 70), Button.RIGHT)
    *_, node, x, y = portal.last("NotifyPointerMotionAbsolute")
    assert (node, x, y) == (42, 30.5, 20.5)
    presses = [body[2:] for name, body in portal.calls if name == "NotifyPointerButton"]
    assert presses == [(0x111, 1), (0x111, 0)]
    assert desktop.pointer.position() == (130, 70)


def test_a_chord_is_pressed_and_released_in_order(desktop: Desktop, portal: FakePortal) -> None:
    desktop.keyboard.press("ctrl+n")
    keys = [body[2:] for name, body in portal.calls if name == "NotifyKeyboardKeysym"]
    assert keys == [(0xFFE3, 1), (0x6E, 1), (0x6E, 0), (0xFFE3, 0)]
    with pytest.raises(UsageError):
        desktop.keyboard.press("hyper+n")


def test_a_picture_is_never_older_than_the_last_movement(
    desktop: Desktop, painter: Painter
) -> None:
    desktop.pointer.move(ScreenPoint(120, 60))
    painter.paint(*UNITS, 20)
    assert desktop.screen.grab().pixels[0, 0, 0] == 20


def test_consent_is_asked_for_once(
    portal: FakePortal, opened: Callable[[], Desktop], tmp_path: Path
) -> None:
    for _ in range(2):
        opened()
    first, second = (body[1] for name, body in portal.calls if name == "SelectDevices")
    assert "restore_token" not in first
    assert first["persist_mode"] == ("u", 2)
    kept = tmp_path / "data" / "minebot" / "portal-token"
    # A token can be used once; each start gets a new one.
    assert second["restore_token"][1] != kept.read_text("utf-8").strip()
    assert second["restore_token"][1].startswith("token-")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    portal.version = 1
    opened()
    assert "persist_mode" not in portal.last("SelectDevices")[1], "an older one knows no tokens"


def test_a_token_that_cannot_be_stored_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "minebot").write_text("a file in the folder's place")
    tokens = TokenFile(tmp_path / "minebot" / "portal-token")
    tokens.write("secret")
    assert tokens.read() == ""


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("refuse", REFUSED_SENTENCE),
        ("silence", "was not answered"),
        ("fail", "ended Start with an error"),
        ("no mouse", "not the mouse"),
        ("no stream", "No screen was chosen"),
    ],
)
def test_what_the_user_does_not_grant_is_one_sentence(
    answer: str,
    words: str,
    portal: FakePortal,
    painter: Painter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if answer == "silence":
        monkeypatch.setattr(route, "CONSENT_S", 0.3)
    portal.answer = answer
    with pytest.raises(NoDesktop, match=words):
        open_portal()


def test_no_click_follows_a_revocation(desktop: Desktop, portal: FakePortal) -> None:
    portal.revoke()
    with pytest.raises(StoppedByUser):
        wait_shade(desktop, 200)  # the bus brings the news in its own time
    presses = portal.count("NotifyPointerButton")
    for act in (
        lambda: desktop.pointer.click(ScreenPoint(130, 70)),
        lambda: desktop.pointer.move(ScreenPoint(130, 70)),
        desktop.pointer.position,
        lambda: desktop.keyboard.press("f2"),
        desktop.screen.grab,
    ):
        with pytest.raises(StoppedByUser):
            act()
    assert portal.count("NotifyPointerButton") == presses


def test_a_stalled_stream_is_noticed(
    desktop: Desktop, painter: Painter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(route, "STALL_S", 0.3)
    desktop.screen.grab()  # nothing moved, so no picture need come
    desktop.pointer.move(ScreenPoint(120, 60))
    with pytest.raises(ScreenGone, match="no picture"):
        desktop.screen.grab()


def test_a_picture_is_returned_twice_only_if_no_other_comes(
    desktop: Desktop, painter: Painter
) -> None:
    painter.paint(*UNITS, 40)
    wait_shade(desktop, 40)
    begun = time.monotonic()
    painter.paint(*UNITS, 50)
    assert desktop.screen.grab().pixels[0, 0, 0] == 50
    desktop.screen.grab()
    assert time.monotonic() - begun >= route.QUIET_S


@pytest.mark.parametrize(
    ("line", "words"),
    [("120 90 50", "changed its size"), ("end", "has ended"), ("error", "has ended")],
)
def test_a_stream_that_changes_or_ends_is_noticed(
    line: str, words: str, desktop: Desktop, painter: Painter
) -> None:
    painter.write(line)
    with pytest.raises(ScreenGone, match=words):
        wait_shade(desktop, 50)


def test_a_stream_that_never_starts_says_why(portal: FakePortal, tmp_path: Path) -> None:
    Painter(tmp_path).write("error")
    with pytest.raises(NoDesktop, match="target not found"):
        open_portal()


@pytest.mark.parametrize(
    ("dies", "words"),
    [(True, "portal is gone"), (False, "refuses NotifyPointerMotionAbsolute")],
)
def test_a_portal_that_dies_or_refuses_an_event_is_noticed(
    desktop: Desktop, portal: FakePortal, dies: bool, words: str
) -> None:
    portal.answer = "broken"
    if dies:
        portal.close()
    with pytest.raises(ScreenGone, match=words):
        desktop.pointer.click(ScreenPoint(130, 70))


def test_a_session_without_portals_says_what_to_install(bus: str, portal: FakePortal) -> None:
    assert why_no_portal() is None
    portal.close()
    reason = why_no_portal()
    assert reason is not None
    assert "xdg-desktop-portal" in reason


def test_a_session_without_a_bus_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    assert "D-Bus does not answer" in (why_no_portal() or "")
    with pytest.raises(BotError):
        open_portal()
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    assert "(DBUS_SESSION_BUS_ADDRESS is not set)" in (why_no_portal() or "")
