"""Games that other programs saved: what was played is what the file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.errors import BadSession
from bot.record import game_files
from bot.record.game_files import FILE_BYTES, PROGRAMS, is_game_file, load_game_file
from bot.record.games import games_of, judge
from bot.record.pages import build_page
from solver.agents.base import Action, Move
from solver.board import Board, Cell
from tests.bot.command_line import ROOT, Capture, complaint

pytest.importorskip("ms_toollib", reason="needs the extra 'replays'")

GAMES = ROOT / "fixtures" / "games"
"""The commands that read them are in ``kept/commands/others.txt``."""

BEFORE_THE_CHORD = """
F1000000
#2110000
###10000
###11221
########
########
########
########
"""

LOST = """
F1000000
12110000
##X10000
###11221
#####**#
*#######
#**#####
#####***
"""


@pytest.mark.parametrize("kind", [".avf", ".evf", ".rmv", ".rawvf"])
def test_the_moves_of_a_game_are_those_of_its_file(kind: str) -> None:
    session = load_game_file(GAMES / f"lost{kind}")
    (game,) = games_of(session)
    assert (game.program, game.size, session.header.agent) == (PROGRAMS[kind], "8x8x10", "Ada")
    assert session.header.started[:4] == ("" if kind == ".evf" else "2026")
    assert [turn.decision.moves for turn in game.turns] == [
        (Move(Cell(0, 7), Action.OPEN),),
        (Move(Cell(0, 0), Action.FLAG),),
        (Move(Cell(0, 1), Action.CHORD),),
        (Move(Cell(2, 2), Action.OPEN),),
    ]
    assert not game.turns[0].board.open.any()
    assert game.turns[2].board == Board.from_text(BEFORE_THE_CHORD, 10)
    assert game.final == Board.from_text(LOST, 10)
    assert [turn.at_s for turn in game.turns] == pytest.approx([0.01, 0.5, 0.92, 1.51], abs=0.02)
    page = build_page(session, judge(game))
    assert "played by Ada" in page
    assert "After 1.51 s: row 3, column 3 (left)." in page


@pytest.mark.parametrize("kind", [".avf", ".evf"])
def test_a_flag_set_before_the_first_click_is_a_flag(kind: str) -> None:
    (game,) = games_of(load_game_file(GAMES / f"flag-first{kind}"))
    assert game.turns[0].decision.moves == (Move(Cell(0, 0), Action.FLAG),)


# ---- the text format -----------------------------------------------------------------------------

HALVES = """
0.5 lc 2 2 (24 24)
0.6 lr 2 2 (24 24)
1.0 rc 1 1 (8 8)
1.1 rr 1 1 (8 8)
"""
CHORD_WITH_BOTH = """
2.0 lc 2 2 (24 24)
2.1 rc 2 2 (24 24)
2.2 rr 2 2 (24 24)
2.3 lr 3 3 (40 40)
"""
LARGE_TILES = "0 rc 0 0 (10 10)\n0 rr 0 0 (10 10)\n" + "1 lc 1 1 (90 90)\n1 lr 1 1 (90 90)\n" * 2


@pytest.mark.parametrize(
    ("head", "events", "moves", "times", "result", "final"),
    [
        (
            *("", HALVES + CHORD_WITH_BOTH),
            *(["open 1 1", "flag 0 0", "chord 1 1"], [0.6, 1.0, 2.2], "won", "F100 1111 001F"),
        ),
        # Tiles of another size, and a left click on a number that is a chord.
        (
            *("SquareSize: 64\nSuperClick: On\n", LARGE_TILES),
            *(["flag 0 0", "open 1 1", "chord 1 1"], [0.0, 1.0, 1.0], "won", "F100 1111 001F"),
        ),
        # Nothing is played after the end.
        (
            *("", "0.6 lc 1 1\n0.7 lr 1 1\n0.8 lc 4 3\n0.9 lr 4 3\n"),
            *(["open 0 0"], [0.7], "lost", "X### #### ###*"),
        ),
    ],
    ids=["buttons", "superclick", "lost"],
)
def test_the_text_format_is_read_as_its_buttons_say(
    head: str, events: str, moves: list[str], times: list[float], result: str, final: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    path = tmp_path / "game.rawvf"
    about = f"RawVF_Version: Rev6\n{head}Width: 4\nHeight: 3\nBoard:\n*000\n0000\n000*\n"
    path.write_text(f"{about}Events:\n{events}")
    (game,) = games_of(load_game_file(path))
    made = [turn.decision.moves[0] for turn in game.turns]
    assert [f"{one.action.value} {one.cell.row} {one.cell.col}" for one in made] == moves
    assert [turn.at_s for turn in game.turns] == times
    assert (game.result, str(game.final).split()) == (result, final.split())


# ---- files that are no game ----------------------------------------------------------------------

DAMAGED = [
    (f"game{kind}", data, f"cannot be read as a game of {PROGRAMS[kind]}")
    for kind in PROGRAMS
    for data in (b"", b"nothing of the kind", "half")
]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        *DAMAGED,
        ("a.rawvf", b"Board:\n*0\nEvents:\n", "cannot be read as a game of RawVF"),
        ("a.rawvf", b"RawVF_Version: 6\nWidth: 9\nHeight: 9\nBoard:\n*0\n", "cannot be read as"),
        ("a.mvf", b"\x11\x4dold", "0.96, 2006, 2007"),
        ("a.umf", b"?", "nor a game file that is known: .avf, .evf, .mvf, .rawvf, .rmv"),
        ("large.avf", bytes(FILE_BYTES + 1), "larger than"),
        ("nowhere.avf", None, "nowhere.avf"),
    ],
)
def test_what_is_no_game_is_one_sentence_and_leaves_no_file(
    capsys: Capture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    data: bytes | str | None,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    if data == "half":
        whole = GAMES / f"lost{path.suffix if path.suffix != '.mvf' else '.avf'}"
        data = whole.read_bytes()[: whole.stat().st_size // 2]
    if isinstance(data, bytes):
        path.write_bytes(data)
    for command in ("review", "stats"):
        code, sentence = complaint(capsys, command, path)
        assert (code, words in sentence) == (2, True)
    assert [file.name for file in tmp_path.iterdir()] == ([] if data is None else [name])


def test_a_folder_is_a_session_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "folder.avf").mkdir()
    assert not is_game_file(tmp_path / "folder.avf")


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
    """The library may read from a file whatever it holds."""
    game = {"player": "Ada", "mines": 1, "seconds": 1.0, "clicks": 1, "won": False, "moves": []}
    game |= {"final": ["##", "##"], "layout": ["*.", ".."]}
    child = tmp_path / "child.py"
    child.write_text(f"print({json.dumps(json.dumps(game | changes))})")
    monkeypatch.setattr(game_files, "CHILD", child)
    (tmp_path / "game.avf").touch()
    with pytest.raises(BadSession, match="cannot be read as a game of"):
        load_game_file(tmp_path / "game.avf")
