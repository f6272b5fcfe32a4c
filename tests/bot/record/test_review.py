"""Reviews: the page of a game, the index, and recordings that are cut or foreign."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import tracemalloc
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from bot.cli import main
from bot.record.games import games_of, judge
from bot.record.pages import LARGEST_PAGE, UNREAD_END_NOTE, IndexedGame, build_index, build_page
from bot.record.session import LINES_FILE, Session
from tests.bot.command_line import Capture, complaint, read_lines, run, said, write_lines
from tests.bot.record.written_games import Step, end, judged, session_of, turn

CODES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Codes for control and for the direction of writing."""


def data_of(html: str) -> dict[str, Any]:
    """Return what a page shows by its script."""
    found = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


def text_of(html: str) -> str:
    """Return the texts of a page, a line each, without its style and scripts."""
    bare = re.sub(r"<(script|style|title)\b.*?</\1>", "", html, flags=re.DOTALL)
    bare = re.sub(r"<tr.*?</tr>", lambda row: " ".join(row[0].split()), bare, flags=re.DOTALL)
    bare = re.sub(r"</?(t[dh]|a|span|img)\b[^>]*>", " ", bare)
    lines = (" ".join(line.split()) for line in unescape(re.sub("<[^>]*>", "\n", bare)).split("\n"))
    return "\n".join(filter(None, lines))


SENT = [{"cell": [0, 1], "point": [0, 0], "button": "left"}]
OPEN_THREE = [("open", row, 1) for row in range(3)]
GAMES: dict[str, list[Step]] = {
    "a certain mine is opened": [
        turn("1# 11", clicks=SENT),
        end("lost", board=["1X", "11"], mines=1, blame="mistake", why_over="The smiley is dead."),
    ],
    "a needless risk, and a safe cell that was sent again": [
        turn("#10 #10 ### ###", ("open", 0, 0), mines=2),
        turn("#10 #10 ### ###", ("open", 2, 2), mines=2, number=2, retry=True),
        end("won", board=["F10", "110", "110", "1F1"], mines=2, seconds=4.5, clicks=3),
    ],
    "a worse guess": [turn("1### #### ####", mines=3), end("lost", blame="bad luck")],
    "no guess": [turn("1# 11", ("flag", 0, 1))],
    "fewer clicks than moves": [
        turn("1## 1## 1##", *OPEN_THREE, mines=2, clicks=SENT),
        turn("11# 11# 1##", ("open", 2, 1), mines=2, number=2),
    ],
    "stopped by watching": [turn("1# ##"), end("stopped", why="You stopped watching.")],
    "stopped by an error": [
        turn("1# ##"),
        {"kind": "noticed", "note": "The window moved."},
        {"kind": "stopped", "game": 1, "result": "stopped", "message": "The window is gone."},
    ],
    "stopped, in a recording of before": [turn("1# ##"), end("stopped")],
    "no layout fits": [turn("3# ##")],
}


def test_what_the_page_of_a_game_shows(compare: Callable[[str, str], None], tmp_path: Path) -> None:
    """Of all but the first page only the lines that others lack are kept."""
    shown, indexed, said_before = list[str](), list[IndexedGame](), set[str]()
    for at, (name, steps) in enumerate(GAMES.items()):
        session = session_of(tmp_path / str(at), *steps, started="2026-01-02T03:04:05")
        (game,) = games_of(session)
        page = build_page(session, judge(game))
        data = data_of(page)
        turns = data.pop("turns")
        texts = text_of(page).split("\n")
        shown += [f"== {name}", *(text for text in texts if text not in said_before)]
        shown += [*(f"  {json.dumps(one, sort_keys=True)}" for one in turns)]
        shown += [f"  {json.dumps(data, sort_keys=True)}"]
        said_before.update(texts[2:])
        indexed.append(IndexedGame(f"game-{at}.html", session, judge(game)))
    compare("review", "\n".join([*shown, "== the index", text_of(build_index(indexed)), ""]))


@pytest.mark.slow
def test_the_page_is_whole_and_small(recorded: Path) -> None:
    session, indexed = Session.load(recorded), list[IndexedGame]()
    for game in games_of(session):
        page = build_page(session, judge(game))
        indexed.append(IndexedGame("a.html", session, judge(game)))
        assert len(page) < LARGEST_PAGE
        assert not re.search(r"(src|href)=[\"']?https?:", page)
        data = data_of(page)
        assert (len(data["turns"]), data["result"]) == (len(game.turns), game.result)
        for one in (*data["turns"], data["final"]):
            assert one["picture"].startswith("data:image/webp")
        assert any(one["proofs"] for one in data["turns"])
        # On the simulated clock no grab takes time: no times are shown rather than "grab 0 ms".
        assert {one["ms"] for one in data["turns"]} == {None}
    assert build_index(indexed).count('<img src="data:image/webp;base64,') == len(indexed) == 2


def test_pages_without_the_last_board_or_some_frames_show_the_rest(
    recorded: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(recorded, tmp_path / "copy"))
    lines = read_lines(folder / LINES_FILE)
    for line in lines:
        if line["kind"] == "game":
            del line["board"]
    write_lines(folder / LINES_FILE, lines)
    first, second = [line["frame"] for line in lines if line["kind"] == "turn"][:2]
    (folder / first).unlink()
    (folder / second).write_bytes(b"no picture")
    session = Session.load(folder)
    for game in games_of(session):
        data = data_of(build_page(session, judge(game)))
        assert data["final"]["notes"] == [UNREAD_END_NOTE]
        assert data["final"]["board"] == data["turns"][-1]["board"]
        pictures = [one["picture"] for one in (*data["turns"], data["final"])]
        missing = 2 if game.number == 1 else 0
        assert pictures[:missing] == [None] * missing
        assert all(pictures[missing:])


def test_the_terminal_names_the_worst_mistakes_of_a_long_game(
    tmp_path: Path, capsys: Capture
) -> None:
    steps = [turn("1##0 #### ####", number=at, mines=2) for at in range(1, 31)]
    steps[20] = turn("#10 #10 ### ###", ("open", 0, 0), number=21, mines=2)
    session_of(tmp_path, *steps)
    found = len(run(capsys, "review", tmp_path)[1][0]["mistakes"])
    assert found > 20
    assert main(["review", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    named = text.count("\n  turn ")
    assert 2 < named < 20
    assert "turn 21: " in text, "it cost most"
    assert f"and {found - named} more mistakes" in text


@pytest.mark.slow
def test_a_recording_cut_short_at_any_byte_shows_what_is_whole(
    recorded: Path, tmp_path: Path, capsys: Capture
) -> None:
    whole = (recorded / LINES_FILE).read_bytes()
    ends = [at for at, byte in enumerate(whole) if byte == ord("\n")]
    around = {at + step for at in ends for step in (-1, 0, 1)}
    shown = set()
    for cut in sorted({0, 1, 100} | around | set(range(0, len(whole), 997))):
        (tmp_path / LINES_FILE).write_bytes(whole[:cut])
        code, games, err = run(capsys, "review", tmp_path)
        turns = sum(line.get("turns", 0) for line in games)
        lines = [json.loads(line) for line in whole.splitlines()[: sum(at <= cut for at in ends)]]
        assert turns == sum(line["kind"] == "turn" for line in lines)
        assert (code == 0, len(err.splitlines())) == (bool(turns), 0 if turns else 1)
        assert run(capsys, "stats", tmp_path)[0] == (0 if turns else 2)
        shown.add(turns)
    assert len(shown) == 1 + sum(b'"kind": "turn"' in line for line in whole.splitlines())


def test_a_recording_cut_within_a_letter(tmp_path: Path) -> None:
    session_of(tmp_path, turn("1# 11"))
    note = {"kind": "noticed", "note": "na\u00efve"}
    with (tmp_path / LINES_FILE).open("ab") as file:
        file.write(json.dumps(note, ensure_ascii=False).encode()[:-4])
    assert len(Session.load(tmp_path).steps) == 1


SESSION: dict[str, Any] = {"kind": "session", "version": 1}


def decided(**changes: Any) -> dict[str, Any]:
    return {"decision": {"moves": [], "reason": "", "survival": 1.0, "win": None} | changes}


@pytest.mark.parametrize(
    "changes",
    [
        *({"board": ["#x"]}, {"board": 5}, {"mines": "many"}, {"mines": 1000}, {"clicks": [5]}),
        *({"ms": "long"}, {"ms": {"grab": "long"}}, {"decision": None}, {"origin": [0]}),
        *(decided(moves=[["open", 9, 9]]), decided(survival="sure"), decided(win=float("nan"))),
        *(decided(reason=[[1]]), {"scale": "1"}),
        {"clicks": [{"cell": ["", 0], "point": [1, 1], "button": "left"}]},
        *({"options": options} for options in (None, "x", {"theme": {"a": 1}}, {"mines": "10"})),
    ],
    ids=str,
)
def test_a_damaged_line_is_one_sentence(
    changes: dict[str, Any], tmp_path: Path, capsys: Capture
) -> None:
    header, step, commands, line = SESSION, turn("1# 11"), ("review", "stats"), "Line 2"
    if "options" in changes:  # they are for a replay only
        header, commands, line = SESSION | changes, ("replay",), "Line 1"
    else:
        step |= changes
    write_lines(tmp_path / LINES_FILE, [header, step])
    for command in commands:
        code, sentence = complaint(capsys, command, tmp_path)
        assert (code, f"{line} of {tmp_path / LINES_FILE}" in sentence) == (2, True)


@pytest.mark.parametrize("header", [{"agent": "x"}, {"agent": None, "started": None}, {}], ids=str)
def test_a_header_that_names_no_agent(
    header: dict[str, Any], tmp_path: Path, capsys: Capture
) -> None:
    write_lines(tmp_path / LINES_FILE, [SESSION | header, turn("1# 11")])
    assert said(capsys, "review", tmp_path)[0] == said(capsys, "stats", tmp_path)[0] == 0
    assert "played by a person" in (tmp_path / "review.html").read_text("utf-8")


def test_a_recording_without_turns_is_refused(tmp_path: Path, capsys: Capture) -> None:
    session_of(tmp_path)
    code, sentence = complaint(capsys, "review", tmp_path)
    assert (code, "nothing was played" in sentence) == (2, True)


def test_a_long_game_shows_the_turns_that_matter(tmp_path: Path) -> None:
    board = " ".join(["1" + "#" * 199] * 200)
    steps = [turn(board, ("open", 9, 9), number=at, mines=2) for at in range(1, 31)]
    steps[3] = turn("1# 11", number=4)
    game = judged(tmp_path, *steps)
    page = build_page(Session.load(tmp_path), game)
    data = data_of(page)
    assert len(page.encode()) < LARGEST_PAGE
    numbers = [one["number"] for one in data["turns"]]
    assert 2 < len(numbers) < 30
    assert {4, 30} <= set(numbers)
    assert numbers == sorted(numbers)
    (mistake,) = [one for one in data["mistakes"] if "certainly a mine" in one["text"]]
    assert numbers[mistake["turn"] - 1] == 4
    assert f"shows {len(numbers)} of them" in page


@pytest.mark.slow
def test_frames_are_in_memory_one_after_another(tmp_path: Path) -> None:
    steps = []
    for at in range(1, 31):
        name = f"{at:05d}.png"
        cv2.imwrite(str(tmp_path / name), np.full((500, 500, 3), at, np.uint8))
        place = {"frame": name, "origin": [0, 0], "scale": 1.0}
        steps.append(turn("1# ##", ("open", 1, 1), number=at, **place))
    game = judged(tmp_path, *steps)
    session = Session.load(tmp_path)
    build_page(session, game)
    tracemalloc.start()
    data = data_of(build_page(session, game))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all(one["picture"] for one in data["turns"])
    assert peak < 15 * 3 * 500 * 500, "thirty frames are larger"


def test_a_page_holds_no_codes_and_runs_no_script_but_its_own(tmp_path: Path) -> None:
    codes = "\x1b]0;x\x07\x9b\u202e\u2066\u200f</script><script>alert(1)</script>"
    hostile = turn("1# ##", ("open", 1, 1))
    hostile["decision"] |= {"reason": codes}
    note = {"kind": "noticed", "note": codes}
    game = judged(tmp_path, note, hostile, agent={"name": codes}, program=codes)
    session = Session.load(tmp_path)
    pages = [
        build_page(session, game),
        build_index([IndexedGame("a.html", session, game)]),
    ]
    texts = [*data_of(pages[0])["turns"][0]["notes"], *pages]
    assert "\\u202e" in texts[0]
    assert not any(CODES.search(text) for text in texts)
    script = re.search(r"<script>(.*?)</script>", pages[0], re.DOTALL)
    assert script
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    for html in pages:
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
        assert policy
        assert f"script-src 'sha256-{digest}'" in unescape(policy[1])
        assert "default-src 'none'" in unescape(policy[1])
