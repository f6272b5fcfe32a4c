"""Runs that are cut go on where they were; workers change nothing but the time."""

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from solver.arena.runs import NUMBER, Results, Row, Task, Workers, run
from solver.errors import BadResults

TASKS = [Task(f"t{number}", number) for number in range(60)]


def square(number: int) -> Row:
    return {"square": number * number, "pid": os.getpid()}


def log_and_square(log: Path, number: int) -> Row:
    with log.open("a") as file:
        file.write(f"{number}\n")
    if number == 40:
        raise KeyboardInterrupt
    return square(number)


def squares(rows: dict[str, Row]) -> list[int]:
    return [rows[task.key]["square"] for task in TASKS]


EXPECTED = [number * number for number in range(60)]


def test_a_stopped_run_resumes(tmp_path: Path) -> None:
    path, log = tmp_path / "results.jsonl", tmp_path / "log"
    with pytest.raises(KeyboardInterrupt):
        run(TASKS, partial(log_and_square, log), Results({"seed": 1}, path))
    before = len(log.read_text("utf-8").splitlines())
    seen: list[tuple[int, int]] = []
    played: list[int] = []

    def work(number: int) -> Row:
        played.append(number)
        return square(number)

    rows = run(TASKS, work, Results({"seed": 1}, path), on_done=lambda *n: seen.append(n))
    assert squares(rows) == EXPECTED
    assert seen[0][0] == 60 - len(played) > 0
    assert seen[-1] == (60, 60)
    assert before - 1 - seen[0][0] <= 7, "at most the chunk in hand is lost"


def test_a_torn_last_line_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    run(TASKS, square, Results({}, path))
    path.write_bytes(path.read_bytes()[:-9])
    played: list[int] = []

    def work(number: int) -> Row:
        played.append(number)
        return square(number)

    assert squares(run(TASKS, work, Results({}, path))) == EXPECTED
    assert played == [59]
    for line in path.read_text("utf-8").splitlines():
        json.loads(line)


def test_the_header_carries_settings_and_versions(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    Results({"seed": 4, "cell": (1, 2)}, path)
    header = json.loads(path.read_text("utf-8").splitlines()[0])
    assert header["settings"] == {"seed": 4, "cell": [1, 2]}
    assert {"python", "minebot", "numpy"} <= header["versions"].keys()
    Results({"seed": 4, "cell": (1, 2)}, path)


@pytest.mark.parametrize("text", ["not json\n", '{"some": "thing"}\n', "[]\n", "\n"])
def test_refuses_a_file_with_other_content(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(BadResults):
        Results({}, path)
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize(
    "row",
    [
        {"key": "b"},
        {"key": ["b"], "value": 1, "won": True},
        {"key": "b", "value": "1", "won": True},
        {"key": "b", "value": 1, "won": 1},
        {"key": "b", "value": float("nan"), "won": True},
        {"key": "b", "value": 1, "won": True, "lost": False},
        ["key"],
        "key",
        3,
    ],
)
def test_refuses_a_damaged_line(tmp_path: Path, row: Any) -> None:
    path, columns = tmp_path / "results.jsonl", {"value": NUMBER, "won": (bool,)}
    Results({}, path, columns).add({"a": {"value": 0.5, "won": False}})
    whole = path.read_text("utf-8")
    with path.open("a") as file:
        file.write(json.dumps(row) + "\n")
    with pytest.raises(BadResults, match=r"^Line 3 of .*results\.jsonl is damaged"):
        Results({}, path, columns)
    path.write_text(whole)
    assert Results({}, path, columns).rows == {"a": {"value": 0.5, "won": False}}


def test_refuses_results_of_other_settings(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    Results({"seed": 1}, path)
    with pytest.raises(BadResults, match="seed"):
        Results({"seed": 2}, path)


def test_processes_give_the_same_rows() -> None:
    rows = run(TASKS, square, Results({}), workers=Workers(jobs=2))
    assert squares(rows) == EXPECTED
    assert {row["pid"] for row in rows.values()} - {os.getpid()}


def test_warms_up_here_before_any_work() -> None:
    calls: list[str] = []

    def work(number: int) -> Row:
        calls.append("work")
        return square(number)

    run(TASKS[:3], work, Results({}), warm=lambda: calls.append("warm"))
    assert calls[0] == "warm"
    run([], work, Results({}), warm=lambda: calls.append("needless"))
    assert "needless" not in calls
