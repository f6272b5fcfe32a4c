"""What led to a failure is kept, saved and made into a report."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from bot.cli import main
from bot.errors import StoppedByUser, WindowCovered, WindowTrouble
from bot.events import Blame, GameOver, Outcome
from bot.options import PlayOptions
from bot.outputs import trouble_file
from bot.play.player import Player
from bot.record.session import png_of
from bot.record.trouble import (
    NO_BOARD_SEEN,
    FilmedFrame,
    TroubleWatcher,
    make_report,
    of_the_window,
)
from calibration.calibration import Calibration
from calibration.errors import BadImage, NoGrid
from calibration.frame import Frame
from calibration.grid import Grid, PixelBox
from calibration.theme import LEARNED, Theme
from solver.agents import make_agent
from tests.bot.command_line import PLAY, Capture, complaint, run
from tests.simulated import FaultyDesktop

HEADER = {"minebot": "0", "agent": {"name": "tank"}}

SECRET = (201, 13, 177)
"""A colour that nothing in the simulated window has."""

Event = Callable[[FaultyDesktop], None]


def desktop(event: Event | None) -> FaultyDesktop:
    """A desktop on which something happens after the third click."""
    size = {"rows": 9, "cols": 9, "mines": 10, "seed": 5, "scale": 1.5, "click_s": 0.025}
    return FaultyDesktop(after_click={3: event} if event else {}, windows=(), **size)  # type: ignore[arg-type]


def gone() -> FaultyDesktop:
    """A desktop whose window goes away."""
    return desktop(lambda desk: desk.minimise())


def raising(error: BaseException) -> Event:
    def happen(desk: FaultyDesktop) -> None:
        raise error

    return happen


def watched(desk: FaultyDesktop, reported: list[str]) -> tuple[TroubleWatcher, Player]:
    watcher = TroubleWatcher(desk.ports.screen, desk.ports.clock, HEADER, reported.append)
    ports = replace(desk.ports, screen=watcher.screen)
    return watcher, Player(ports, make_agent("tank"), options=PlayOptions(), observer=watcher)


def fail(desk: FaultyDesktop, error: type[Exception] = WindowTrouble) -> list[str]:
    """Play until an error comes; return what was reported, and the notes of the error."""
    reported: list[str] = []
    watcher, player = watched(desk, reported)
    with pytest.raises(error) as raised, watcher.watching():
        player.play()
    return reported + getattr(raised.value, "__notes__", [])


class Contents(NamedTuple):
    """What is in a report."""

    details: dict[str, Any]
    events: list[dict[str, Any]]
    pictures: list[NDArray[np.uint8]]
    text: str


def contents(data: bytes | None = None, *, whole_window: bool = False) -> Contents:
    """Read a report: the one given, or else that of the last failure."""
    if data is None:
        data = make_report(trouble_file(), whole_window=whole_window).data
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        details = json.loads(file.read("trouble.json"))
        names = [one["frame"] for one in details["frames"]]
        expected = {"report.txt", "trouble.json", "events.jsonl", *names}
        assert set(file.namelist()) == expected
        pngs = [np.frombuffer(file.read(name), np.uint8) for name in names]
        pictures = [np.asarray(cv2.imdecode(png, cv2.IMREAD_COLOR))[:, :, ::-1] for png in pngs]
        events = [json.loads(line) for line in file.read("events.jsonl").splitlines()]
        return Contents(details, events, pictures, file.read("report.txt").decode())


@pytest.mark.slow
def test_play_leaves_a_report_of_its_last_failure(
    tmp_path: Path, capsys: Capture, on_screen: Callable[[FaultyDesktop], None]
) -> None:
    on_screen(gone())
    words = ("play", "--screen", "real", "--agent", "tank", "--record", tmp_path / "session")
    code, lines, reported = run(capsys, *words)
    assert (code, "'minebot report' makes a file of it" in reported) == (6, True)
    file = tmp_path / "report.zip"
    code, (line,), _ = run(capsys, "report", "-o", file)
    assert code == 0
    details, events, pictures, _ = contents(file.read_bytes())
    assert details["run"]["agent"]["name"] == "tank"
    assert line["cause"] == details["error"] == lines[-2]["error"] == "WindowGone"
    assert line["text"] == details["message"]
    assert 0 < line["frames"] == len(pictures) <= 60
    assert details["monitors"] == [list(desktop(None).monitors()[0])]
    assert details["versions"]["numpy"] == np.__version__
    assert events[-1]["kind"] == "turn"
    assert any("decision" in event for event in events)
    assert run(capsys, "report", "-o", file, "--force")[0] == 0
    file.write_bytes(b"PK")
    assert complaint(capsys, "report", "-o", file)[0] == 2
    assert file.read_bytes() == b"PK", "a file of others is not replaced"


# ---- what of the screen is in it -----------------------------------------------------------------


def hide_all_else(desk: FaultyDesktop) -> None:
    """Show a secret wherever the desktop does not show the game's window."""
    with_window = desk.grab().pixels
    twin = desktop(None)
    twin.minimise()
    secret = (with_window == twin.grab().pixels).all(axis=2)
    rows, cols = (np.flatnonzero(~secret.all(axis=axis)) for axis in (1, 0))
    secret[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1] = False
    paint_over(desk, secret)


def paint_over(desk: FaultyDesktop, secret: NDArray[np.bool_]) -> None:
    """Show a secret on some pixels of the desktop from now on."""
    real = desk.grab

    def grab(box: PixelBox | None = None) -> Frame:
        frame = real(box)
        part = secret if box is None else secret[box.y0 : box.y1, box.x0 : box.x1]
        pixels = frame.pixels.copy()
        pixels[part] = SECRET
        return replace(frame, pixels=pixels)

    desk.grab = grab  # type: ignore[method-assign]


def shows_secret(picture: NDArray[np.uint8]) -> bool:
    return bool((picture == SECRET).all(axis=2).any())


@pytest.mark.slow
@pytest.mark.parametrize("whole_window", [False, True])
def test_nothing_else_of_the_screen_is_in_the_report(whole_window: bool) -> None:
    desk = gone()
    hide_all_else(desk)
    fail(desk)
    details, _, pictures, _ = contents(whole_window=whole_window)
    assert any(len(one["shown"]) == 2 for one in details["frames"]), "the counter is shown, too"
    assert any(map(shows_secret, pictures)) == whole_window
    for one, picture in zip(details["frames"], pictures, strict=True):
        for x0, y0, x1, y1 in one["shown"]:
            assert picture[y0:y1, x0:x1].std() > 20, "what is shown is not plain"


@pytest.mark.slow
@pytest.mark.parametrize("whole_window", [False, True])
def test_of_a_window_over_the_board_only_the_shape_is_left(whole_window: bool) -> None:
    """The dialog has text on it; its tiles and their border have one colour each in the report."""
    desk = desktop(lambda desk: desk.popup(share=0.9))
    fail(desk, WindowCovered)
    popup = desk.grab().pixels
    x0, y0, x1, y1 = desk.truth_grid().bounds
    inset = round(0.06 * (x1 - x0))  # a little more than the popup leaves of the board
    inside = PixelBox(x0 + inset, y0 + inset, x1 - inset, y1 - inset)
    details, _, pictures, text = contents(whole_window=whole_window)
    assert not details["frames"][0]["covers"]
    frames = zip(details["frames"], pictures, strict=True)
    covered = [(one, picture) for one, picture in frames if one["covers"]]
    assert covered
    for one, picture in covered:
        left, top = one["origin"]
        high, wide = picture.shape[:2]
        seen = np.zeros((high, wide), np.bool_)
        for x0, y0, x1, y1 in one["covers"]:
            seen[y0:y1, x0:x1] = True
            part = picture[y0:y1, x0:x1]
            assert whole_window or (part == part[0, 0]).all()
        seen[: inside.y0 - top] = seen[inside.y1 - top :] = False
        seen[:, : inside.x0 - left] = seen[:, inside.x1 - left :] = False
        there = popup[top : top + high, left : left + wide]
        assert seen.any()
        assert (picture[seen] == there[seen]).all() == whole_window
    assert ("only the shape" in text) != whole_window


@pytest.mark.slow
def test_what_shows_in_the_place_of_a_closed_window_is_not_kept() -> None:
    """Another window comes up where the board was."""

    def close(desk: FaultyDesktop) -> None:
        desk.minimise()
        paint_over(desk, np.ones(desk.grab().pixels.shape[:2], bool))

    fail(desktop(close))
    pictures = contents(whole_window=True).pictures
    assert pictures
    assert not any(map(shows_secret, pictures))


def test_the_first_frame_of_another_place_must_look_like_the_window() -> None:
    """A picture of a larger part of the screen, with the board gone, does not show the window."""
    calibration = Calibration(Grid(20, 20, 10, 10, 3, 3), Theme(LEARNED, ()))
    window = np.full((100, 100, 3), (192, 192, 192), np.uint8)
    lost = np.full_like(window, SECRET)
    frames = [Frame(window[:70, :70]), Frame(lost), Frame(window), Frame(lost[:70, :70])]
    film = [FilmedFrame(0.0, png_of(one), one.origin, Frame(window), calibration) for one in frames]
    assert [moment for moment, _ in of_the_window(film)] == [film[0], film[2]]


# ---- what leaves a report ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blame", "kept"), [(Blame.MISREAD, True), (Blame.MISTAKE, False), (Blame.BAD_LUCK, False)]
)
def test_a_game_that_is_lost_by_a_fault_of_the_program_leaves_a_report(
    blame: Blame, kept: bool
) -> None:
    desk, reported = desktop(None), list[str]()
    watcher, player = watched(desk, reported)
    (result,) = player.play()
    lost = replace(result, outcome=Outcome.LOST, blame=blame, why="Row 1 was read as 2.")
    watcher(GameOver(lost, desk.grab(), None))
    assert trouble_file().exists() == bool(reported) == kept
    if kept:
        report = make_report(trouble_file(), whole_window=False)
        assert report.message == "Lost by misread: Row 1 was read as 2."
        assert report.frames > 0


def test_a_run_that_found_no_board_asks_for_a_picture() -> None:
    desk = desktop(None)
    desk.minimise()
    fail(desk, NoGrid)
    assert NO_BOARD_SEEN in contents().text


def test_an_error_of_the_program_itself_is_kept_with_its_place() -> None:
    fail(desktop(raising(RuntimeError(f"it broke in {Path.home() / 'secret'}"))), RuntimeError)
    details = contents().details
    assert "happen" in details["traceback"]
    assert str(Path.home()) not in json.dumps(details)
    assert details["message"] == f"it broke in {Path('~') / 'secret'}"


def test_neither_a_stop_nor_a_closed_pipe_replaces_the_evidence(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in ``minebot play --json | head``."""
    stop = StoppedByUser("Stopped at your request.")
    assert fail(desktop(raising(stop)), StoppedByUser) == []
    assert not trouble_file().exists()
    assert fail(desktop(raising(BadImage("half a picture"))), BadImage), "this is trouble, too"
    kept = trouble_file().read_bytes()
    assert fail(desktop(raising(BrokenPipeError())), BrokenPipeError) == []
    monkeypatch.chdir(tmp_path)  # a report that was made in the checkout changes nothing
    assert main([*PLAY, "--json"]) == 0
    assert trouble_file().read_bytes() == kept


def test_a_report_that_is_damaged_is_one_sentence(capsys: Capture, tmp_path: Path) -> None:
    trouble_file().parent.mkdir(parents=True, exist_ok=True)
    trouble_file().write_bytes(b"PK nothing")
    code, sentence = complaint(capsys, "report", "-o", tmp_path / "report.zip")
    assert (code, "is damaged" in sentence) == (2, True)
