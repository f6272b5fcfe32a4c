"""Games that other programs saved: what was played is what the file says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.errors import BadSession
from bot.record import game_files
from bot.record.game_files import FILE_BYTES, PROGRAMS, is_game_file, load_game_file
from bot.record.games import Kind, games_of, judge
from bot.record.statistics import facts_of
from solver.agents.base import Action, Move
from solver.board import Cell, Tile
from tests.bot.command_line import Capture, complaint, run, said
from tests.bot.record.written_games import (
    BV,
    MINES,
    Event,
    avf,
    both,
    evf,
    left,
    right,
    rmv,
)

pytest.importorskip("ms_toollib", reason="needs the extra 'replays'")

Write = Callable[..., bytes]
WRITERS: dict[str, Write] = {".avf": avf, ".evf": evf, ".rmv": rmv}
LOST = [*left(0, 0, 7), *right(500, 0, 0), *both(900, 0, 1), *left(1500, 2, 2)]
"""An area, a flag, a chord, and a click on a mine that was certain."""


def won() -> list[Event]:
    """A left click on each cell without a mine."""
    free = [(row, col) for row in range(8) for col in range(8) if (row, col) not in MINES]
    return [one for at, cell in enumerate(free) for one in left(100 * at, *cell)]


@pytest.fixture(params=WRITERS)
def kind(request: pytest.FixtureRequest) -> str:
    """A kind of file."""
    return str(request.param)


def saved(folder: Path, kind: str, events: list[Event]) -> Path:
    """Write a game."""
    path = folder / f"game{kind}"
    path.write_bytes(WRITERS[kind](events))
    return path


def test_the_moves_of_a_game_are_those_of_its_file(tmp_path: Path, kind: str) -> None:
    session = load_game_file(saved(tmp_path, kind, LOST))
    (game,) = games_of(session)
    assert (game.program, game.size, session.header.agent) == (PROGRAMS[kind], "8x8x10", "Ada")
    assert [turn.decision.moves[0] for turn in game.turns] == [
        (Cell(0, 7), Action.OPEN),
        (Cell(0, 0), Action.FLAG),
        (Cell(0, 1), Action.CHORD),
        (Cell(2, 2), Action.OPEN),
    ]
    first, second, third, last = (turn.board for turn in game.turns)
    assert not first.open.any()
    assert second[Cell(0, 0)] == Tile.HIDDEN
    assert third[Cell(0, 0)] == Tile.FLAG
    assert (third[Cell(1, 0)], last[Cell(1, 0)]) == (Tile.HIDDEN, 1)
    assert [turn.at_s for turn in game.turns] == pytest.approx([0.01, 0.5, 0.92, 1.51], abs=0.02)
    assert game.result == "lost"
    assert game.final is not None
    shown = [cell for cell in game.final.cells() if game.final[cell] in (Tile.MINE, Tile.FLAG)]
    assert sorted([*shown, (2, 2)]) == MINES
    assert game.final[Cell(2, 2)] == Tile.EXPLODED


def test_a_game_is_judged_as_a_recording_is(tmp_path: Path, kind: str) -> None:
    (game,) = games_of(load_game_file(saved(tmp_path, kind, LOST)))
    judged = judge(game)
    found = {one.turn: one.kind for one in judged.mistakes}
    assert found == {3: Kind.WRONG_FLAG, 4: Kind.CERTAIN_MINE}, "the flag was not certain yet"
    assert all(one.best is not None for one in judged.mistakes)
    assert "row 3, column 3 was certainly a mine" in judged.cause


def test_a_game_that_was_won_has_a_3bv(tmp_path: Path, kind: str) -> None:
    (facts,) = facts_of(load_game_file(saved(tmp_path, kind, won())))
    assert (facts.result, facts.program) == ("won", PROGRAMS[kind])
    assert (facts.bv, facts.clicks) == (BV, 64 - len(MINES))
    assert facts.seconds > 0


def test_a_game_that_was_left_is_not_finished(tmp_path: Path, kind: str) -> None:
    (game,) = games_of(load_game_file(saved(tmp_path, kind, LOST[:2])))
    assert game.result == "stopped"
    assert game.ending == "The game was not finished. The file ends before the game does."


def test_review_makes_a_page_beside_the_file_and_replaces_no_game(
    tmp_path: Path, kind: str, capsys: Capture
) -> None:
    path = saved(tmp_path, kind, LOST)
    assert said(capsys, "review", path)[0] == 0
    code, (line,), _ = run(capsys, "review", path)
    assert (code, line["result"], line["turns"], line["session"]) == (0, "lost", 4, str(path))
    page = (tmp_path / "game.html").read_text("utf-8")
    parts = (PROGRAMS[kind], "played by Ada", "After 1.51 s: row 3, column 3 (left).", "3BV ")
    assert [part for part in parts if part not in page] == []
    before = path.read_bytes()
    assert complaint(capsys, "review", path, "-o", path)[0] == 2
    assert path.read_bytes() == before


def test_games_of_several_programs_make_an_index_and_are_counted(
    tmp_path: Path, capsys: Capture
) -> None:
    paths = [saved(tmp_path, kind, LOST) for kind in WRITERS]
    assert said(capsys, "review", *paths, "-o", tmp_path / "pages")[0] == 0
    index = (tmp_path / "pages" / "index.html").read_text("utf-8")
    assert [name for name in (*WRITERS, "game-003.html") if name not in index] == []
    won_game = tmp_path / "other" / "won.rawvf"
    won_game.parent.mkdir()
    won_game.write_text(RAWVF)
    code, rows, _ = run(capsys, "stats", tmp_path)
    assert (code, sum(row["games"] for row in rows)) == (0, len(WRITERS) + 1)
    code, (row,), _ = run(capsys, "stats", won_game)
    assert (code, row["wins"], row["zini"]) == (0, 1, 1)


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("damage", ["", "nothing of the kind", "half"])
def test_a_damaged_file_is_one_sentence(
    kind: str, damage: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"game{kind}"
    whole = WRITERS.get(kind, avf)(LOST)
    path.write_bytes(whole[: len(whole) // 2] if damage == "half" else damage.encode())
    code, sentence = complaint(capsys, "review", path)
    assert code == 2
    assert f"{path} cannot be read as a game of {PROGRAMS[kind]}" in sentence
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_files_that_are_no_game_are_refused(tmp_path: Path, capsys: Capture) -> None:
    assert complaint(capsys, "review", tmp_path / "nowhere.avf")[0] == 2
    large = tmp_path / "large.avf"
    large.write_bytes(bytes(FILE_BYTES + 1))
    assert "larger than" in complaint(capsys, "review", large)[1]
    (tmp_path / "folder.avf").mkdir()
    assert not is_game_file(tmp_path / "folder.avf"), "a folder is a session, whatever its name"


@pytest.mark.parametrize(
    "changes",
    [
        {"moves": [{"at_s": 0, "button": "lr", "cell": [9, 9], "board": ["##", "##"]}]},
        {"moves": [{"at_s": 0, "button": "lr", "cell": [0, 0], "board": ["##", "#"]}]},
        {"moves": [{"at_s": 0, "button": "lr", "cell": [0, 0], "board": ["#" * 2000]}]},
        {"mines": None},
        {"final": 3},
    ],
    ids=str,
)
def test_what_no_game_holds_is_refused(
    changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child.py"
    found = {
        "player": "Ada",
        "started_us": "1",
        "mines": 1,
        "seconds": 1.0,
        "clicks": 1,
        "won": False,
        "moves": [],
        "final": ["##", "##"],
        "layout": ["*.", ".."],
    }
    child.write_text(f"print({json.dumps(json.dumps(found | changes))})")
    monkeypatch.setattr(game_files, "CHILD", child)
    (tmp_path / "game.avf").touch()
    with pytest.raises(BadSession, match="cannot be read as a game of"):
        load_game_file(tmp_path / "game.avf")


def test_a_game_lost_at_its_first_click_was_bad_luck(tmp_path: Path, kind: str) -> None:
    session = load_game_file(saved(tmp_path, kind, left(0, 2, 2)))
    (game,) = games_of(session)
    judged = judge(game)
    assert judged.cause == "Bad luck: the last guess survives 84.4 % of the time."
    assert (judged.guesses, judged.chance) == (1, pytest.approx(1 - 10 / 64))
    assert not session.header.started.startswith("1970")


@pytest.mark.parametrize("kind", [".avf", ".evf"])
def test_a_flag_set_before_the_first_click_is_a_flag(tmp_path: Path, kind: str) -> None:
    events = [*right(0, 0, 0), *left(500, 0, 7), *left(900, 2, 2)]
    (game,) = games_of(load_game_file(saved(tmp_path, kind, events)))
    assert game.turns[0].decision.moves == (Move(Cell(0, 0), Action.FLAG),)


RAWVF = """RawVF_Version: Rev6
Program: Minesweeper
Player: Ada
Width: 4
Height: 3
Mines: 1
Timestamp: 2024-05-01 10:20:30
Board:
*000
0000
0000
Events:
0.000 start
0.000 lc 4 3 (56 40)
0.100 mv 3 3 (40 40)
0.100 lr 4 3 (56 40)
0.100 won
"""


def raw(path: Path, events: str, head: str = "") -> Path:
    """Write a game of RawVF on a board with two mines, in two corners."""
    board = "*000\n0000\n000*\n"
    path.write_text(
        f"RawVF_Version: Rev6\n{head}Width: 4\nHeight: 3\nBoard:\n{board}Events:\n{events}"
    )
    return path


def test_the_text_format_is_read_as_its_buttons_say(tmp_path: Path) -> None:
    events = """
0.5 lc 2 2 (24 24)
0.6 lr 2 2 (24 24)
1.0 rc 1 1 (8 8)
1.1 rr 1 1 (8 8)
2.0 lc 2 2 (24 24)
2.1 rc 2 2 (24 24)
2.2 rr 2 2 (24 24)
2.3 lr 3 3 (40 40)
"""
    (game,) = games_of(load_game_file(raw(tmp_path / "a.rawvf", events)))
    moves = [turn.decision.moves[0] for turn in game.turns]
    assert moves == [
        (Cell(1, 1), Action.OPEN),
        (Cell(0, 0), Action.FLAG),
        (Cell(1, 1), Action.CHORD),
    ]
    assert [turn.at_s for turn in game.turns] == [0.6, 1.0, 2.2]
    assert (game.result, str(game.final)) == ("won", "F100\n1111\n001F")
    lost = raw(tmp_path / "b.rawvf", "0.6 lc 1 1\n0.7 lr 1 1\n0.8 lc 4 3\n0.9 lr 4 3\n")
    (game,) = games_of(load_game_file(lost))
    assert (game.result, str(game.final), len(game.turns)) == ("lost", "X###\n####\n###*", 1)


def test_other_tile_sizes_and_clicks_that_are_chords_by_themselves(tmp_path: Path) -> None:
    events = "0 rc 0 0 (10 10)\n0 rr 0 0 (10 10)\n1 lc 1 1 (90 90)\n1 lr 1 1 (90 90)\n"
    events += "2 lc 1 1 (90 90)\n2 lr 1 1 (90 90)\n"
    path = raw(tmp_path / "a.rawvf", events, "SquareSize: 64\nSuperClick: On\n")
    (game,) = games_of(load_game_file(path))
    assert [turn.decision.moves[0].action for turn in game.turns] == [
        Action.FLAG,
        Action.OPEN,
        Action.CHORD,
    ]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.rawvf", b"Board:\n*0\nEvents:\n", "cannot be read as a game of RawVF"),
        ("a.rawvf", b"RawVF_Version: 6\nWidth: 9\nHeight: 9\nBoard:\n*0\n", "cannot be read as"),
        ("a.mvf", b"\x11\x4dold", "0.96, 2006, 2007"),
        ("a.umf", b"?", "nor a game file that is known: .avf, .evf, .mvf, .rawvf, .rmv"),
        ("large.avf", bytes(FILE_BYTES + 1), "larger than"),
        ("nowhere.avf", None, "nowhere.avf"),
    ],
)
def test_what_is_no_game_is_one_sentence(
    capsys: Capture, tmp_path: Path, name: str, data: bytes | None, words: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.avf").mkdir()
    assert not is_game_file(tmp_path / "folder.avf"), "a folder is a session, whatever its name"
    for command in ("review", "stats"):
        code, said = complaint(capsys, command, tmp_path / name)
        assert code == 2
        assert words in said
