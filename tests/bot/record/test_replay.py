"""What a replay finds different, in sentences, on pictures and as a report of tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.record.replay import Difference
from bot.record.session import LINES_FILE
from calibration.images import load_image
from tests.bot.command_line import PLAY, Capture, read_lines, run, write_lines

CORNER, RIGHT = ["open", 0, 0], ["open", 0, 1]


@pytest.mark.parametrize(
    ("what", "recorded", "now", "sentence"),
    [
        ("board", ["2#", "F1"], ["##", "F1"], "Turn 2, row 1, column 1: recorded 2, now hidden."),
        ("board", ["##"], ["##", "##"], "board: recorded 1 row of 2 tiles, now 2 rows of 2 tiles."),
        (
            *("moves", [CORNER, RIGHT, ["open", 2, 2]], [CORNER, ["flag", 1, 0]]),
            "moves: recorded open row 1, column 2 and 1 more, now flag row 2, column 1.",
        ),
        (
            *("moves", [CORNER, RIGHT], [RIGHT]),
            "moves: recorded open row 1, column 1, now no other move.",
        ),
        ("moves", [CORNER, RIGHT], [RIGHT, CORNER], "moves: the same in another order."),
        ("survival", 0.799, 0.25, "chance to survive: recorded 79.9 %, now 25.0 %."),
        ("x0", 100.0, 101.5, "left edge of the board: recorded 100 px, now 101.5 px."),
        ("mines_left", 3, None, "mines left: recorded 3, now unknown."),
        ("the result", "no error", "NoGrid", "Turn 2: recorded no error, now NoGrid."),
    ],
)
def test_a_difference_is_a_sentence(what: str, recorded: Any, now: Any, sentence: str) -> None:
    said = Difference(7, what, recorded, now, "turn 2").sentences()
    assert said == [sentence if sentence.startswith("Turn") else f"Turn 2, {sentence}"]


def test_of_many_tiles_the_first_eight_are_named() -> None:
    said = Difference(7, "board", ["#" * 10], ["1" * 10], "turn 2").sentences()
    assert len(said) == 9
    assert said[7:] == [
        "Turn 2, row 1, column 8: recorded hidden, now 1.",
        "Turn 2: 2 more tiles differ.",
    ]


@pytest.mark.slow
def test_replay_names_and_draws_the_turn_and_the_tile(tmp_path: Path, capsys: Capture) -> None:
    """The second turn says another tile and another move than its frame shows."""
    changed = tmp_path / "changed"
    assert main([*PLAY, "--seed", "5", "--record", str(changed)]) == 0
    steps = read_lines(changed / LINES_FILE)
    second = next(step for step in steps if step.get("turn") == 2)
    row = next(row for row, text in enumerate(second["board"]) if "1" in text)
    second["board"][row] = second["board"][row].replace("1", "2", 1)
    second["decision"]["moves"] = [["open", 0, 0]]
    write_lines(changed / LINES_FILE, steps)
    words = ["replay", str(changed), "--agent", "tank"]
    capsys.readouterr()
    assert main(words) == 1
    reported = capsys.readouterr().out
    assert "Turn 2, row " in reported
    assert ": recorded 2, now 1.\n" in reported
    assert "[" not in reported
    code, (first, *_), _ = run(capsys, *words)
    assert (code, first.keys()) == (1, {"step", "what", "recorded", "now", "text"})
    assert first["text"].startswith("Turn 2, row ")
    words += ["--overlay", str(tmp_path / "drawn")]
    assert main(words) == main([*words, "--force"]) == 1
    assert main(words) == 2
    (picture,) = (tmp_path / "drawn").iterdir()
    pixels = load_image(picture).pixels
    assert ((pixels == (230, 30, 140)).all(axis=2)).sum() > 50, "a tile is outlined"
    assert ((pixels == (255, 120, 0)).all(axis=2)).sum() > 50, "the recorded move has a ring"
