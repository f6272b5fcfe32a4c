"""What led to a failure is kept, saved and made into a report."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from bot.cli import main
from bot.commands import play as play_command
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


def desktop(event: Callable[[FaultyDesktop], None] | None, **changes: Any) -> FaultyDesktop:
    """A desktop on which something happens after the third click."""
    after = {} if event is None else {3: event}
    size = {"rows": 9, "cols": 9, "mines": 10, "seed": 5, "scale": 1.5, "click_s": 0.025}
    return FaultyDesktop(**(size | {"after_click": after, "windows": ()} | changes))


def fail(desk: FaultyDesktop, error: type[Exception] = WindowTrouble) -> list[str]:
    """Play until an error comes; return what was reported, and the notes of the error."""
    reported: list[str] = []
    watcher = TroubleWatcher(desk.ports.screen, desk.ports.clock, HEADER, reported.append)
    ports = replace(desk.ports, screen=watcher.screen)
    player = Player(ports, make_agent("tank"), options=PlayOptions(), observer=watcher)
    with pytest.raises(error) as raised, watcher.watching():
        player.play()
    return reported + getattr(raised.value, "__notes__", [])


def contents(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]], list[NDArray[np.uint8]]]:
    """Read the details, the events and the pictures of a report."""
    with zipfile.ZipFile(path) as file:
        details = json.loads(file.read("trouble.json"))
        events = [json.loads(line) for line in file.read("events.jsonl").splitlines()]
        pictures = []
        for one in details["frames"]:
            data = np.frombuffer(file.read(one["frame"]), np.uint8)
            pictures.append(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))[:, :, ::-1])
        assert set(file.namelist()) == {
            "report.txt",
            "trouble.json",
            "events.jsonl",
            *(one["frame"] for one in details["frames"]),
        }
    return details, events, pictures


@pytest.mark.slow
def test_a_window_that_is_gone_leaves_a_report(tmp_path: Path, capsys: Capture) -> None:
    reported = fail(desktop(lambda desk: desk.minimise()))
    assert "minebot report" in reported[0]
    file = tmp_path / "report.zip"
    code, (line,), _ = run(capsys, "report", "-o", file)
    assert code == 0
    details, events, pictures = contents(file)
    assert line["cause"] == details["error"] == "WindowGone"
    assert line["text"] == details["message"]
    assert line["frames"] == len(pictures)
    assert 0 < len(pictures) <= 60
    assert details["monitors"] == [list(desktop(None).monitors()[0])]
    assert {frame["scale"] for frame in details["frames"]} == {1.0}
    assert details["versions"]["numpy"] == np.__version__
    assert [event["kind"] for event in events][-1] == "turn"
    assert any("decision" in event for event in events)
    assert run(capsys, "report", "-o", file, "--force")[0] == 0


def hide_all_else(desk: FaultyDesktop) -> None:
    """Show a secret wherever the desktop does not show the game's window."""
    with_window = desk.grab().pixels
    twin = desktop(None)
    twin.minimise()
    secret = (with_window == twin.grab().pixels).all(axis=2)
    rows, cols = (np.flatnonzero(~secret.all(axis=axis)) for axis in (1, 0))
    secret[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1] = False
    real = desk.grab

    def grab(box: PixelBox | None = None) -> Frame:
        frame = real(box)
        part = secret if box is None else secret[box.y0 : box.y1, box.x0 : box.x1]
        pixels = frame.pixels.copy()
        pixels[part] = SECRET
        return replace(frame, pixels=pixels)

    desk.grab = grab  # type: ignore[method-assign]


@pytest.mark.slow
@pytest.mark.parametrize("whole_window", [False, True])
def test_nothing_else_of_the_screen_is_in_the_report(whole_window: bool, tmp_path: Path) -> None:
    desk = desktop(lambda desk: desk.minimise())
    hide_all_else(desk)
    fail(desk)
    report = make_report(trouble_file(), whole_window=whole_window)
    (tmp_path / "report.zip").write_bytes(report.data)
    details, _, pictures = contents(tmp_path / "report.zip")
    assert any(len(one["shown"]) == 2 for one in details["frames"]), "the counter is shown, too"
    assert any((picture == SECRET).all(axis=2).any() for picture in pictures) == whole_window
    for one, picture in zip(details["frames"], pictures, strict=True):
        for x0, y0, x1, y1 in one["shown"]:
            assert picture[y0:y1, x0:x1].std() > 20, "what is shown is not plain"


@pytest.mark.slow
@pytest.mark.parametrize("whole_window", [False, True])
def test_of_a_window_over_the_board_only_the_shape_is_left(
    whole_window: bool, tmp_path: Path
) -> None:
    """The dialog has text on it; its tiles and their border have one colour each in the report."""
    desk = desktop(lambda desk: desk.popup(share=0.9))
    fail(desk, WindowCovered)
    popup = desk.grab().pixels
    report = make_report(trouble_file(), whole_window=whole_window)
    (tmp_path / "report.zip").write_bytes(report.data)
    details, _, pictures = contents(tmp_path / "report.zip")
    assert not details["frames"][0]["covers"]
    covered = [
        (one, picture)
        for one, picture in zip(details["frames"], pictures, strict=True)
        if one["covers"]
    ]
    assert covered
    for one, picture in covered:
        left, top = one["origin"]
        there = popup[top : top + picture.shape[0], left : left + picture.shape[1]]
        for x0, y0, x1, y1 in one["covers"]:
            part = picture[y0:y1, x0:x1]
            plain = (part == part[0, 0]).all()
            assert (part == there[y0:y1, x0:x1]).all() if whole_window else plain
    with zipfile.ZipFile(tmp_path / "report.zip") as file:
        assert (b"only the shape" in file.read("report.txt")) != whole_window


@pytest.mark.parametrize(
    ("blame", "kept"), [(Blame.MISREAD, True), (Blame.MISTAKE, False), (Blame.BAD_LUCK, False)]
)
def test_a_game_that_is_lost_by_a_fault_of_the_program_leaves_a_report(
    blame: Blame, kept: bool, tmp_path: Path
) -> None:
    desk, reported = desktop(None), list[str]()
    watcher = TroubleWatcher(desk.ports.screen, desk.ports.clock, HEADER, reported.append)
    ports = replace(desk.ports, screen=watcher.screen)
    (result,) = Player(ports, make_agent("tank"), options=PlayOptions(), observer=watcher).play()
    lost = replace(result, outcome=Outcome.LOST, blame=blame, why="Row 1 was read as 2.")
    watcher(GameOver(lost, desk.grab(), None))
    assert trouble_file().exists() == bool(reported) == kept
    if kept:
        report = make_report(trouble_file(), whole_window=False)
        assert report.message == "Lost by misread: Row 1 was read as 2."
        assert report.frames > 0


def test_a_run_that_found_no_board_asks_for_a_picture(tmp_path: Path) -> None:
    desk = desktop(None)
    desk.minimise()
    fail(desk, NoGrid)
    report = make_report(trouble_file(), whole_window=False)
    (tmp_path / "report.zip").write_bytes(report.data)
    with zipfile.ZipFile(tmp_path / "report.zip") as file:
        assert NO_BOARD_SEEN in file.read("report.txt").decode()


@pytest.mark.slow
def test_what_shows_in_the_place_of_a_closed_window_is_not_kept(tmp_path: Path) -> None:
    """Another window comes up where the board was."""

    def close(desk: FaultyDesktop) -> None:
        desk.minimise()
        real = desk.grab
        desk.grab = lambda box=None: replace(  # type: ignore[method-assign]
            (shown := real(box)), pixels=np.full(shown.pixels.shape, SECRET, np.uint8)
        )

    fail(desktop(close))
    (tmp_path / "report.zip").write_bytes(make_report(trouble_file(), whole_window=True).data)
    _, _, pictures = contents(tmp_path / "report.zip")
    assert pictures
    assert not any((picture == SECRET).all(axis=2).any() for picture in pictures)


def test_the_first_frame_of_another_place_must_look_like_the_window() -> None:
    """A picture of a larger part of the screen, with the board gone, does not show the window."""
    calibration = Calibration(Grid(20, 20, 10, 10, 3, 3), Theme(LEARNED, ()))
    window = np.full((100, 100, 3), (192, 192, 192), np.uint8)
    gone = np.full_like(window, SECRET)
    frames = [Frame(window[:70, :70]), Frame(gone), Frame(window), Frame(gone[:70, :70])]
    film = [FilmedFrame(0.0, png_of(one), one.origin, Frame(window), calibration) for one in frames]
    kept = [moment for moment, _ in of_the_window(film)]
    assert kept == [film[0], film[2]]


def test_an_error_of_the_program_itself_is_kept_with_its_place(tmp_path: Path) -> None:
    def break_down(_: FaultyDesktop) -> None:
        raise RuntimeError(f"it broke in {Path.home() / 'secret'}")

    fail(desktop(break_down), RuntimeError)
    (tmp_path / "report.zip").write_bytes(make_report(trouble_file(), whole_window=False).data)
    details, _, _ = contents(tmp_path / "report.zip")
    assert "break_down" in details["traceback"]
    assert str(Path.home()) not in json.dumps(details)
    assert details["message"] == f"it broke in {Path('~') / 'secret'}"


def test_a_run_that_a_person_ends_leaves_nothing() -> None:
    def stop(_: FaultyDesktop) -> None:
        raise StoppedByUser("Stopped at your request.")

    assert fail(desktop(stop), StoppedByUser) == []
    assert not trouble_file().exists()


def test_a_reader_that_closes_the_pipe_replaces_no_evidence() -> None:
    """As in ``minebot play --json | head``."""

    def break_down(_: FaultyDesktop) -> None:
        raise RuntimeError("it broke")

    def close(_: FaultyDesktop) -> None:
        raise BrokenPipeError

    fail(desktop(break_down), RuntimeError)
    kept = trouble_file().read_bytes()
    assert fail(desktop(close), BrokenPipeError) == []
    assert trouble_file().read_bytes() == kept


def test_a_run_that_ends_well_leaves_nothing(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a report that was made in the checkout changes nothing
    assert main([*PLAY, "--json"]) == 0
    assert not trouble_file().exists()
    capsys.readouterr()
    code, sentence = complaint(capsys, "report")
    assert code == 2
    assert "there is no report" in sentence


@pytest.mark.slow
def test_play_keeps_its_last_failure(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        play_command,
        "desktop_of",
        lambda args, options: (desktop(lambda desk: desk.minimise()).ports, options),
    )
    code, lines, reported = run(capsys, *PLAY, "--record", tmp_path / "session")
    assert code == 6
    assert "'minebot report' makes a file of it" in reported
    assert run(capsys, "report", "-o", tmp_path / "report.zip")[0] == 0
    details, _, _ = contents(tmp_path / "report.zip")
    assert details["run"]["agent"]["name"] == "tank"
    assert details["error"] == next(line["error"] for line in lines if "error" in line)


def test_a_report_that_is_damaged_is_one_sentence(capsys: Capture, tmp_path: Path) -> None:
    trouble_file().parent.mkdir(parents=True, exist_ok=True)
    trouble_file().write_bytes(b"PK nothing")
    code, sentence = complaint(capsys, "report", "-o", tmp_path / "report.zip")
    assert code == 2
    assert "is damaged" in sentence


@pytest.mark.slow
def test_a_report_replaces_no_file_of_others(capsys: Capture, tmp_path: Path) -> None:
    fail(desktop(lambda desk: desk.minimise()))
    other = tmp_path / "other.zip"
    other.write_bytes(b"PK")
    assert complaint(capsys, "report", "-o", other)[0] == 2
    assert other.read_bytes() == b"PK"


def test_a_bad_picture_is_trouble_too() -> None:
    def break_picture(_: FaultyDesktop) -> None:
        raise BadImage("half a picture")

    assert fail(desktop(break_picture), BadImage)
    assert trouble_file().exists()
