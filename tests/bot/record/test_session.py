"""Recording and replaying: a crash loses nothing, and every change is noticed."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.errors import BadSession, CannotWrite, UsageError
from bot.events import Noticed, Played, Stopped, Turn
from bot.options import PlayOptions
from bot.play.player import Player
from bot.record.replay import replay
from bot.record.session import LINES_FILE, Recorder, Session
from calibration.frame import Frame
from calibration.reading import Reading
from solver.agents import make_agent
from solver.agents.base import Decision, Move
from solver.board import Board, Cell
from solver.game import Status
from tests.bot.command_line import read_lines, write_lines
from tests.simulated import FaultyDesktop

HEADER = {
    "agent": {"name": "tank", "seed": 0, "rule": "safe"},
    "options": {"mines": 10, "flags": False, "chords": False},
}

TURN = Turn(
    game=1,
    number=1,
    frame=Frame(np.zeros((4, 4, 3), np.uint8)),
    reading=Reading(Board.from_text("##\n##", 1), Status.PLAYING, 1.0),
    decision=Decision((Move(Cell(0, 0)),), "a test", 0.75),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games as the recorder writes them."""
    path = tmp_path_factory.mktemp("sessions") / "two-games"
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5, windows=())
    options = PlayOptions(games=2, mines=10, new_game="f2")
    with closing(Recorder(path, HEADER)) as recorder:
        Player(desk.ports, make_agent("tank"), options=options, observer=recorder).play()
    return path


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def lines(folder: Path) -> list[dict[str, Any]]:
    return read_lines(folder / LINES_FILE)


@pytest.mark.slow
def test_a_session_is_a_header_and_one_line_a_step(folder: Path) -> None:
    header, *steps = lines(folder)
    assert (header["kind"], header["agent"]) == ("session", HEADER["agent"])
    kinds = [step["kind"] for step in steps]
    assert (kinds[0], kinds.count("game")) == ("calibrated", 2)
    assert kinds.count("turn") == sum(step.get("turns", 0) for step in steps)
    assert all((folder / step["frame"]).is_file() for step in steps if "frame" in step)
    assert '"/' not in (folder / LINES_FILE).read_text("utf-8"), "it names no place elsewhere"


# ---- replay --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_moved_session_replays_and_every_change_is_found(copy: Path) -> None:
    assert list(replay(Session.load(copy))) == []
    steps = lines(copy)
    place = next(step for step in steps if step["kind"] == "calibrated")
    place["calibration"]["cols"] = 10
    turn = next(step for step in steps if step["kind"] == "turn")
    turn["status"] = "won"
    turn["decision"]["survival"] = 0.25
    write_lines(copy / LINES_FILE, steps)
    found = {(difference.step, difference.what) for difference in replay(Session.load(copy))}
    first_turn = steps.index(turn)
    assert found == {(1, "cols"), (first_turn, "status"), (first_turn, "survival")}


def test_a_repainted_tile_is_found_and_a_lost_frame_is_reported(copy: Path) -> None:
    turns = [step for step in lines(copy) if step["kind"] == "turn"]
    first, second = (copy / str(turn["frame"]) for turn in turns[:2])
    second.write_bytes(first.read_bytes())
    assert any(difference.what == "board" for difference in replay(Session.load(copy)))
    first.unlink()
    with pytest.raises(BadSession, match="cannot be read"):
        list(replay(Session.load(copy)))


def test_a_session_cut_short_is_complete_up_to_its_last_line(folder: Path, copy: Path) -> None:
    text = (copy / LINES_FILE).read_text("utf-8")
    (copy / LINES_FILE).write_text(text[: len(text) - 40])
    session = Session.load(copy)
    assert len(session.steps) == len(lines(folder)) - 2
    (difference,) = replay(session)
    assert difference.sentences() == ["The last line is cut short, and left out."]


# ---- the recorder --------------------------------------------------------------------------------


def begun(folder: Path) -> Recorder:
    """Record a first turn, after a note."""
    recorder = Recorder(folder, HEADER)
    recorder(Noticed("the window moved"))
    recorder(Played(TURN))
    return recorder


def test_every_line_is_on_disk_as_soon_as_it_is_written(tmp_path: Path) -> None:
    with closing(begun(tmp_path / "s")) as recorder:
        assert [line["kind"] for line in lines(tmp_path / "s")] == ["session", "noticed", "turn"]
        recorder(Stopped(BadSession("broken"), None))
    stop = {"kind": "stopped", "error": "BadSession", "message": "broken"}
    assert lines(tmp_path / "s")[-1] == stop


def test_a_start_without_a_turn_leaves_nothing(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "data" / "s", HEADER)
    recorder(Noticed("no board"))
    recorder(Stopped(BadSession("broken"), TURN.frame))
    recorder.close()
    assert not recorder.begun
    assert list(tmp_path.iterdir()) == []


def test_a_recording_removes_no_file_that_is_there(folder: Path, tmp_path: Path) -> None:
    thesis = tmp_path / "s" / "thesis.doc"
    thesis.parent.mkdir()
    thesis.write_text("thesis")
    with pytest.raises(UsageError, match="record to"):
        Recorder(tmp_path / "s", HEADER)
    foreign = [{"kind": "session", "version": 1}, {"kind": "noticed", "frame": "thesis.doc"}]
    write_lines(tmp_path / "s" / LINES_FILE, foreign)
    for place in (tmp_path / "s", folder):
        with pytest.raises(UsageError, match="already holds a session"):
            Recorder(place, HEADER)
    with pytest.raises(UsageError, match=r"thesis\.doc is a file, not a folder"):
        Recorder(thesis, HEADER)
    assert thesis.read_text("utf-8") == "thesis"
    assert lines(tmp_path / "s") == foreign


@pytest.mark.parametrize("empty", [True, False])
def test_recorders_of_one_name_get_a_folder_each(tmp_path: Path, empty: bool) -> None:
    folder = tmp_path / "data" / "s"
    if empty:
        folder.mkdir(parents=True)
    recorders = [Recorder(folder, HEADER) for _ in range(3)]
    for recorder, name in zip(recorders, ("s", "s-2", "s-3"), strict=True):
        recorder(Noticed(f"for {name}"))
        recorder(Played(TURN))
        recorder.close()
        assert recorder.folder.name == name
        assert lines(recorder.folder)[1]["note"] == f"for {name}"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux")
def test_a_full_disk_ends_the_recording_in_one_sentence(tmp_path: Path) -> None:
    recorder = begun(tmp_path / "s")
    assert recorder._lines is not None
    os.dup2(os.open("/dev/full", os.O_WRONLY), recorder._lines.fileno())
    with pytest.raises(CannotWrite, match="No space left"):
        recorder(Noticed("lost"))
    recorder(Stopped(CannotWrite("reported already"), None))
    recorder.close()
    assert [line["kind"] for line in lines(tmp_path / "s")] == ["session", "noticed", "turn"]


# ---- loading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"is empty, .*: nothing was recorded\.$"),
        *((text, LINES_FILE) for text in ("no json\n{}\n", '{"kind": "turn"}\n', "[]")),
        ('{"kind": "session", "version": 99}\n', LINES_FILE),
        (None, "holds no session"),
    ],
)
def test_a_file_that_is_no_session_is_refused(tmp_path: Path, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / LINES_FILE).write_text(text)
    with pytest.raises(BadSession, match=words) as raised:
        Session.load(tmp_path)
    assert str(tmp_path) in str(raised.value)
    assert "Expecting" not in str(raised.value)
