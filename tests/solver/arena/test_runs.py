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


def squares(rows: dict[str, Row]) -> list[int]:
    return [rows[task.key]["square"] for task in TASKS]


EXPECTED = [number * number for number in range(60)]


def test_a_run_that_is_stopped_or_torn_goes_on(tmp_path: Path) -> None:
    path, played = tmp_path / "results.jsonl", list[int]()

    def work(number: int, stop: int | None = None) -> Row:
        played.append(number)
        if number == stop:
            raise KeyboardInterrupt
        return square(number)

    with pytest.raises(KeyboardInterrupt):
        run(TASKS, partial(work, stop=40), Results({"seed": 1}, path))
    before, seen = len(played), list[tuple[int, int]]()
    rows = run(TASKS, work, Results({"seed": 1}, path), on_done=lambda *n: seen.append(n))
    assert squares(rows) == EXPECTED
    kept = 60 - (len(played) - before)
    assert (seen[0][0], seen[-1]) == (kept, (60, 60))
    assert 0 <= before - 1 - kept <= 7, "at most the chunk in hand is lost"
    path.write_bytes(path.read_bytes()[:-9])
    played.clear()
    assert squares(run(TASKS, work, Results({"seed": 1}, path))) == EXPECTED
    assert played == [59]
    header, *_ = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert header["settings"] == {"seed": 1}
    assert {"python", "minebot", "numpy"} <= header["versions"].keys()
    with pytest.raises(BadResults, match="seed"):
        Results({"seed": 2}, path)


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


def test_processes_give_the_same_rows() -> None:
    rows = run(TASKS, square, Results({}), workers=Workers(jobs=2))
    assert squares(rows) == EXPECTED
    assert {row["pid"] for row in rows.values()} - {os.getpid()}
