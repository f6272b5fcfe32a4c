"""Recording and replaying: a crash loses nothing, and every change is noticed."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path

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


def desktop(seed: int) -> FaultyDesktop:
    return FaultyDesktop(rows=9, cols=9, mines=10, seed=seed, windows=())


def record(folder: Path, *, games: int = 2, seed: int = 5) -> None:
    options = PlayOptions(games=games, mines=10, new_game="f2")
    with closing(Recorder(folder, HEADER)) as recorder:
        Player(desktop(seed).ports, make_agent("tank"), options=options, observer=recorder).play()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sessions") / "two-games"
    record(path)
    return path


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / LINES_FILE).read_text("utf-8").splitlines()]


def rewrite(folder: Path, steps: list[dict[str, object]]) -> None:
    (folder / LINES_FILE).write_text("".join(json.dumps(step) + "\n" for step in steps))


def copy_of(folder: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


@pytest.mark.slow
def test_a_session_is_a_header_and_one_line_a_step(folder: Path) -> None:
    header, *steps = lines(folder)
    assert header["kind"] == "session"
    assert header["agent"] == HEADER["agent"]
    kinds = [step["kind"] for step in steps]
    assert kinds.count("game") == 2
    assert kinds[0] == "calibrated"
    assert kinds.count("turn") == sum(step.get("turns", 0) for step in steps)
    for step in steps:
        if "frame" in step:
            assert (folder / str(step["frame"])).is_file()


def test_a_session_names_no_place_outside_its_folder(folder: Path) -> None:
    text = (folder / LINES_FILE).read_text("utf-8")
    assert str(folder) not in text
    assert '"/' not in text


@pytest.mark.slow
def test_a_turn_records_what_was_read_decided_and_clicked(folder: Path) -> None:
    turn = next(step for step in lines(folder) if step["kind"] == "turn")
    assert turn.keys() >= {"board", "status", "decision", "clicks", "ms", "chance", "retry"}
    assert turn["decision"]["moves"][0][0] == "open"  # type: ignore[index]
    assert turn["clicks"][0].keys() == {"cell", "point", "button"}  # type: ignore[index]


@pytest.mark.slow
def test_the_replay_of_an_unchanged_session_has_no_differences(folder: Path) -> None:
    assert list(replay(Session.load(folder))) == []


@pytest.mark.slow
def test_a_moved_session_replays(folder: Path, tmp_path: Path) -> None:
    assert list(replay(Session.load(copy_of(folder, tmp_path)))) == []


@pytest.mark.slow
def test_every_kind_of_difference_is_found(folder: Path, tmp_path: Path) -> None:
    copy = copy_of(folder, tmp_path)
    steps = lines(copy)
    calibrated = next(step for step in steps if step["kind"] == "calibrated")
    calibrated["calibration"]["cols"] = 10  # type: ignore[index]
    turn = next(step for step in steps if step["kind"] == "turn")
    turn["status"] = "won"
    turn["decision"]["survival"] = 0.25  # type: ignore[index]
    rewrite(copy, steps)
    found = {(difference.step, difference.what) for difference in replay(Session.load(copy))}
    first_turn = steps.index(turn)
    assert found == {(1, "cols"), (first_turn, "status"), (first_turn, "survival")}


def test_a_repainted_tile_is_found(folder: Path, tmp_path: Path) -> None:
    copy = copy_of(folder, tmp_path)
    turns = [step for step in lines(copy) if step["kind"] == "turn"]
    first, second = (copy / str(turn["frame"]) for turn in turns[:2])
    second.write_bytes(first.read_bytes())
    assert any(difference.what == "board" for difference in replay(Session.load(copy)))


def test_a_session_cut_short_is_complete_up_to_its_last_line(folder: Path, tmp_path: Path) -> None:
    copy = copy_of(folder, tmp_path)
    text = (copy / LINES_FILE).read_text("utf-8")
    cut = len(text) - 40
    (copy / LINES_FILE).write_text(text[:cut])
    session = Session.load(copy)
    assert len(session.steps) == len(lines(folder)) - 2
    (difference,) = replay(session)
    assert difference.sentences() == ["The last line is cut short, and left out."]


def begun(folder: Path) -> Recorder:
    """Record a first turn, after a note."""
    recorder = Recorder(folder, HEADER)
    recorder(Noticed("the window moved"))
    recorder(Played(TURN))
    return recorder


def test_every_line_is_on_disk_as_soon_as_it_is_written(tmp_path: Path) -> None:
    recorder = begun(tmp_path / "s")
    assert [line["kind"] for line in lines(tmp_path / "s")] == ["session", "noticed", "turn"]
    recorder.close()


def test_a_start_without_a_turn_leaves_nothing(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "data" / "s", HEADER)
    recorder(Noticed("no board"))
    recorder(Stopped(BadSession("broken"), TURN.frame))
    recorder.close()
    assert not recorder.begun
    assert list(tmp_path.iterdir()) == []


def test_a_recording_removes_no_file_that_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "thesis.doc").write_text("thesis")
    foreign = [{"kind": "session", "version": 1}, {"kind": "noticed", "frame": "thesis.doc"}]
    for present in ([], foreign):
        if present:
            rewrite(folder, present)
        before = {file.name: file.read_bytes() for file in folder.iterdir()}
        with pytest.raises(UsageError, match="record to"):
            Recorder(folder, HEADER)
        assert before == {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize("empty", [True, False])
def test_recorders_of_one_name_get_a_folder_each(tmp_path: Path, empty: bool) -> None:
    folder = tmp_path / "data" / "s"
    if empty:
        folder.mkdir(parents=True)
    recorders = [Recorder(folder, HEADER) for _ in range(3)]
    for number, recorder in enumerate(recorders):
        recorder(Noticed(f"number {number}"))
        recorder(Played(TURN))
        recorder.close()
    assert [one.folder.name for one in recorders] == ["s", "s-2", "s-3"]
    for number, recorder in enumerate(recorders):
        assert [line.get("note") for line in lines(recorder.folder)][1] == f"number {number}"


def test_a_stop_is_recorded_with_its_reason(tmp_path: Path) -> None:
    recorder = begun(tmp_path / "s")
    recorder(Stopped(BadSession("broken"), None))
    recorder.close()
    assert lines(tmp_path / "s")[-1] == {
        "kind": "stopped",
        "error": "BadSession",
        "message": "broken",
    }


def test_a_folder_with_a_session_is_not_written_over(folder: Path) -> None:
    with pytest.raises(UsageError, match="already holds a session"):
        Recorder(folder, HEADER)


def test_a_file_is_no_folder_to_record_to(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("#")
    with pytest.raises(UsageError, match=r"board\.txt is a file, not a folder"):
        Recorder(tmp_path / "board.txt", HEADER)


@pytest.mark.parametrize(
    "text",
    ["", "no json\n{}\n", '{"kind": "turn"}\n', '{"kind": "session", "version": 99}\n', "[]"],
)
def test_a_file_that_is_no_session_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / LINES_FILE).write_text(text)
    with pytest.raises(BadSession, match=LINES_FILE) as raised:
        Session.load(tmp_path)
    assert str(tmp_path) in str(raised.value)
    assert "Expecting" not in str(raised.value)


def test_a_session_in_which_nothing_was_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / LINES_FILE).touch()
    with pytest.raises(BadSession, match=r"is empty, .*: nothing was recorded\.$"):
        Session.load(tmp_path)


def test_a_missing_session_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSession, match="holds no session"):
        Session.load(tmp_path / "nowhere")


def test_a_lost_frame_is_reported(folder: Path, tmp_path: Path) -> None:
    copy = copy_of(folder, tmp_path)
    turn = next(step for step in lines(copy) if step["kind"] == "turn")
    (copy / str(turn["frame"])).unlink()
    with pytest.raises(BadSession, match="cannot be read"):
        list(replay(Session.load(copy)))


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
