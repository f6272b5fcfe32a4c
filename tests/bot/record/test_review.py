"""Reviews: mistakes of planted moves, the page, and recordings that are cut or foreign."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import tracemalloc
from html import unescape
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from bot.cli import main
from bot.record.games import Kind, games_of, judge
from bot.record.pages import LARGEST_PAGE, UNREAD_END_NOTE, IndexedGame, build_index, build_page
from bot.record.session import LINES_FILE, Session
from bot.record.statistics import facts_of_game
from solver.difficulty import efficiency_text

CODES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Codes for control and for the direction of writing."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record two games of the simulated window."""
    folder = tmp_path_factory.mktemp("recorded") / "session"
    words = ["play", "--screen", "sim", "--size", "beginner", "--games", "2", "--seed", "2"]
    assert main([*words, "--agent", "tank", "--json", "--record", str(folder)]) == 0
    return folder


def turn(number: int, board: str, moves: list[list[Any]], **changes: Any) -> dict[str, Any]:
    """Describe a turn as a recording holds it."""
    decision = {"moves": moves, "reason": "played by hand", "survival": 1.0, "win": None}
    return {
        "kind": "turn",
        "game": 1,
        "turn": number,
        "board": board.split(),
        "mines": 2,
        "status": "playing",
        "decision": decision,
        "clicks": [],
        "retry": False,
        **changes,
    }


def write_session(folder: Path, *steps: dict[str, Any], **header: Any) -> None:
    """Write a recording of these steps."""
    folder.mkdir(exist_ok=True)
    first = {"kind": "session", "version": 1, "agent": {"name": "a person"}, "started": ""}
    lines = [json.dumps(step) for step in (first | header, *steps)]
    (folder / LINES_FILE).write_text("\n".join(lines) + "\n")


def session_of(folder: Path, *steps: dict[str, Any], **header: Any) -> Session:
    """Write a recording of these steps, and load it."""
    write_session(folder, *steps, **header)
    return Session.load(folder)


def mistakes_of(folder: Path, *steps: dict[str, Any]) -> list[tuple[int, Kind]]:
    """Judge the game of these steps."""
    (game,) = games_of(session_of(folder, *steps))
    return [(one.turn, one.kind) for one in judge(game).mistakes]


def test_a_certain_mine_that_was_opened(tmp_path: Path) -> None:
    opened = turn(1, "1# 11", [["open", 0, 1]], mines=1)
    assert mistakes_of(tmp_path, opened) == [(1, Kind.CERTAIN_MINE)]


def test_a_risk_beside_a_certain_cell_is_needless(tmp_path: Path) -> None:
    # The 0 makes the row below it safe; one of the two cells on the left is a mine.
    board = "#10 #10 ### ###"
    risky = turn(1, board, [["open", 0, 0]], mines=2)
    safe = turn(2, board, [["open", 2, 2]], mines=2)
    assert mistakes_of(tmp_path, risky, safe) == [(1, Kind.NEEDLESS_RISK)]


def test_the_best_guess_is_no_mistake_and_a_dead_one_is(tmp_path: Path) -> None:
    corner = "1### #### #### ####"
    (game,) = games_of(session_of(tmp_path / "a", turn(1, corner, [["open", 3, 3]], mines=3)))
    best = judge(game).turns[0].candidates[0].cell
    again = turn(1, corner, [["open", *best]], mines=3)
    assert mistakes_of(tmp_path / "b", again) == []
    worst = turn(1, corner, [["open", 0, 1]], mines=3)
    assert mistakes_of(tmp_path / "c", worst) == [(1, Kind.WORSE_GUESS)]


def test_a_chord_on_a_wrong_flag(tmp_path: Path) -> None:
    board = "1F# 1## ###"
    assert (1, Kind.WRONG_FLAG) in mistakes_of(tmp_path, turn(1, board, [["chord", 0, 0]]))


@pytest.mark.slow
def test_the_page_is_whole_and_small(recorded: Path) -> None:
    session = Session.load(recorded)
    for game in games_of(session):
        page = build_page(session, judge(game))
        assert len(page) < LARGEST_PAGE
        assert not re.search(r"(src|href)=[\"']?https?:", page)
        data = data_of(page)
        assert len(data["turns"]) == len(game.turns)
        assert all(one["picture"].startswith("data:image/webp") for one in data["turns"])
        assert any(one["proofs"] for one in data["turns"])
        assert data["result"] == game.result
        assert data["final"]["picture"].startswith("data:image/webp")
        # On the simulated clock no grab takes time: no times are shown rather than "grab 0 ms".
        assert {one["ms"] for one in data["turns"]} == {None}


def test_the_page_shows_the_end_of_a_game_whose_last_board_could_not_be_read(
    recorded: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "covered"
    shutil.copytree(recorded, folder)
    lines = [json.loads(line) for line in (folder / LINES_FILE).read_text("utf-8").splitlines()]
    for line in lines:
        if line["kind"] == "game":
            del line["board"]
    (folder / LINES_FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    session = Session.load(folder)
    for game in games_of(session):
        data = data_of(build_page(session, judge(game)))
        assert data["final"]["notes"] == [UNREAD_END_NOTE]
        assert data["final"]["board"] == data["turns"][-1]["board"]
        assert data["final"]["picture"].startswith("data:image/webp")


@pytest.mark.slow
def test_the_command_writes_pages_and_lists_mistakes(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(recorded), "-o", str(tmp_path / "pages")]) == 0
    names = sorted(path.name for path in (tmp_path / "pages").iterdir())
    assert names == ["game-001.html", "game-002.html", "index.html"]
    assert "Game 1: " in capsys.readouterr().out
    assert main(["review", str(recorded), "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["game"] for line in lines] == [1, 2]
    assert {"mistakes", "cause", "chance", "turns", "guesses", "result"} <= lines[0].keys()


def test_the_terminal_names_the_worst_mistakes_of_a_long_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [turn(at, "1##0 #### ####", [["open", 0, 1]], mines=2) for at in range(1, 31)]
    steps[20] |= turn(21, "#10 #10 ### ###", [["open", 0, 0]], mines=2)
    write_session(tmp_path, *steps)
    assert main(["review", str(tmp_path), "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    found = len(json.loads(line)["mistakes"])
    assert found > 20
    assert main(["review", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert 2 < text.count("\n  turn ") < 20
    assert "turn 21: " in text, "it cost most"
    assert f"and {found - text.count(chr(10) + '  turn ')} more mistakes" in text


def test_a_page_that_cannot_be_written_is_one_sentence(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert main(["review", str(recorded), "-o", str(blocked / "pages")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert blocked.read_text("utf-8") == "in the way"


@pytest.mark.slow
def test_a_recording_cut_short_at_any_byte_shows_what_is_whole(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (recorded / LINES_FILE).read_bytes()
    ends = [at for at, byte in enumerate(whole) if byte == ord("\n")]
    around = {at + step for at in ends for step in (-1, 0, 1)}
    shown = set()
    for cut in sorted({0, 1, 100} | around | set(range(0, len(whole), 997))):
        (tmp_path / LINES_FILE).write_bytes(whole[:cut])
        code = main(["review", str(tmp_path), "--json"])
        out, err = capsys.readouterr()
        turns = sum(json.loads(line).get("turns", 0) for line in out.splitlines())
        lines = [json.loads(line) for line in whole.splitlines()[: sum(at <= cut for at in ends)]]
        expected = sum(line["kind"] == "turn" for line in lines)
        assert turns == expected
        assert (code == 0) == bool(expected)
        assert len(err.splitlines()) == (0 if expected else 1)
        assert main(["stats", str(tmp_path), "--json"]) == (0 if turns else 2)
        shown.add(turns)
        capsys.readouterr()
    assert len(shown) == 1 + sum(b'"kind": "turn"' in line for line in whole.splitlines())


def test_a_recording_cut_within_a_letter(tmp_path: Path) -> None:
    note = {"kind": "noticed", "note": "na\u00efve"}
    session_of(tmp_path, turn(1, "1# 11", [["open", 0, 1]], mines=1))
    with (tmp_path / LINES_FILE).open("ab") as file:
        file.write(json.dumps(note, ensure_ascii=False).encode()[:-4])
    assert len(Session.load(tmp_path).steps) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"board": ["#x"]},
        {"board": 5},
        {"mines": "many"},
        {"mines": 1000},
        {"clicks": [5]},
        {"ms": "long"},
        {"ms": {"grab": "long"}},
        {"decision": None},
        {"decision": {"moves": [["open", 9, 9]], "reason": "", "survival": 1.0, "win": None}},
        {"decision": {"moves": [], "reason": "", "survival": "sure", "win": None}},
        {"decision": {"moves": [], "reason": "", "survival": 1.0, "win": float("nan")}},
        {"decision": {"moves": [], "reason": [[1]], "survival": 1.0, "win": None}},
        {"clicks": [{"cell": ["", 0], "point": [1, 1], "button": "left"}]},
        {"origin": [0]},
        {"scale": "1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("command", ["review", "stats"])
def test_a_damaged_line_is_one_sentence(
    command: str, changes: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_session(tmp_path, turn(1, "1# 11", [["open", 0, 1]], mines=1) | changes)
    assert main([command, str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert f"Line 2 of {tmp_path / LINES_FILE}" in err


@pytest.mark.parametrize("options", [None, "x", {"theme": {"a": 1}}, {"mines": "10"}], ids=str)
def test_damaged_options_are_one_sentence(
    options: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_session(tmp_path, turn(1, "1# 11", [["open", 0, 1]], mines=1), options=options)
    assert main(["replay", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"Line 1 of {tmp_path / LINES_FILE} has a wrong options")
    assert len(err.splitlines()) == 1


def test_a_game_without_a_guess_has_no_chance_to_survive_them(tmp_path: Path) -> None:
    session = session_of(tmp_path, turn(1, "10 #0", [["flag", 1, 0]], mines=1))
    (game,) = games_of(session)
    html = build_page(session, judge(game))
    assert "1 turn, 0 guesses; 0 mistakes." in html


@pytest.mark.parametrize(
    ("end", "reported"),
    [
        ({"kind": "game", "why": "You stopped watching."}, "You stopped watching."),
        ({"kind": "stopped", "message": "The window is gone."}, "The window is gone."),
        ({"kind": "game"}, ""),
    ],
    ids=["watched", "played", "of before"],
)
def test_a_game_that_was_not_finished_says_why(
    end: dict[str, Any], reported: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped = {"game": 1, "result": "stopped"} | end
    write_session(tmp_path, turn(1, "1# 11", [["open", 0, 1]], mines=1), stopped)
    assert main(["review", str(tmp_path)]) == 0
    sentence = f"The game was not finished. {reported}".strip()
    assert f'"end":"{sentence}"' in (tmp_path / "review.html").read_text("utf-8")
    assert f"Game 1: stopped. {sentence}\n" in capsys.readouterr().out


def test_a_page_says_why_fewer_clicks_were_sent_than_advised(tmp_path: Path) -> None:
    moves = [["open", 0, 1], ["open", 1, 1], ["open", 2, 1]]
    sent = [{"cell": [0, 1], "point": [0, 0], "button": "left"}]
    session = session_of(
        tmp_path,
        turn(1, "1## 1## 1##", moves, clicks=sent),
        turn(2, "11# 11# 1##", [["open", 2, 1]]),
    )
    (game,) = games_of(session)
    page = build_page(session, judge(game))
    assert "1 sent: row 1, column 2 (left). " in page
    assert "Not sent: row 2, column 2, which another click opened too. " in page
    assert "Left for later: row 3, column 2, which looked changed by then." in page


def test_the_index_sums_the_games_up(recorded: Path, tmp_path: Path) -> None:
    assert main(["review", str(recorded), "-o", str(tmp_path / "pages")]) == 0
    index = (tmp_path / "pages" / "index.html").read_text("utf-8")
    reported = re.search(
        r"2 games: (\d) won, (\d) lost \((\d+) % won; (\S+) wins .*: luck (\S+)\)", index
    )
    assert reported is not None
    assert int(reported[1]) + int(reported[2]) == 2
    assert float(reported[5]) == pytest.approx(int(reported[1]) - float(reported[4]))
    assert index.count('<img src="data:image/webp;base64,') == 2


@pytest.mark.parametrize("header", [{"agent": "x"}, {"agent": None, "started": None}, {}], ids=str)
def test_a_header_that_names_no_agent(header: dict[str, Any], tmp_path: Path) -> None:
    steps = [{"kind": "session", "version": 1} | header, turn(1, "1# 11", [["open", 0, 1]])]
    (tmp_path / LINES_FILE).write_text("\n".join(map(json.dumps, steps)))
    assert main(["review", str(tmp_path)]) == 0
    assert "played by a person" in (tmp_path / "review.html").read_text("utf-8")
    assert main(["stats", str(tmp_path)]) == 0


def test_frames_that_are_missing_or_broken_leave_their_turns_without_pictures(
    recorded: Path, tmp_path: Path
) -> None:
    whole = Session.load(recorded)
    for path in recorded.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    first, second = [turn.frame.name for turn in games_of(whole)[0].turns[:2] if turn.frame]
    (tmp_path / first).unlink()
    (tmp_path / second).write_bytes(b"no picture")
    game = games_of(Session.load(tmp_path))[0]
    html = build_page(Session.load(tmp_path), judge(game))
    pictures = [turn["picture"] for turn in data_of(html)["turns"]]
    assert pictures[:2] == [None, None]
    assert all(pictures[2:])


def test_one_of_several_sessions_cannot_be_read(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(tmp_path / "none"), str(recorded), "-o", str(tmp_path / "p")]) == 2
    out, err = capsys.readouterr()
    assert f"Left out: {tmp_path / 'none'} holds no session" in err
    assert "Game 2: " in out
    assert (tmp_path / "p" / "index.html").exists()


def test_a_long_game_shows_the_turns_that_matter(tmp_path: Path) -> None:
    board = "1" + "#" * 199
    steps = [turn(at, " ".join([board] * 200), [["open", 9, 9]]) for at in range(1, 31)]
    steps[3] |= turn(4, "1# 11", [["open", 0, 1]], mines=1)
    (game,) = games_of(session_of(tmp_path, *steps))
    page = build_page(Session.load(tmp_path), judge(game))
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
    place = {"frame": "00000.png", "origin": [0, 0], "scale": 1.0}
    steps = []
    for at in range(1, 31):
        pixels = np.full((500, 500, 3), at, np.uint8)
        cv2.imwrite(str(tmp_path / f"{at:05d}.png"), pixels)
        moves = [["open", 1, 1]]
        steps.append(turn(at, "1# ##", moves, **(place | {"frame": f"{at:05d}.png"})))
    session = session_of(tmp_path, *steps)
    (game,) = games_of(session)
    judged = judge(game)
    build_page(session, judged)
    tracemalloc.start()
    data = data_of(build_page(session, judged))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all(one["picture"] for one in data["turns"])
    assert peak < 15 * 3 * 500 * 500, "thirty frames are larger"


def test_a_page_holds_no_codes_and_runs_no_script_but_its_own(tmp_path: Path) -> None:
    codes = "\x1b]0;x\x07\x9b\u202e\u2066\u200f</script><script>alert(1)</script>"
    hostile = turn(1, "1# ##", [["open", 1, 1]])
    hostile["decision"] |= {"reason": codes}
    note = {"kind": "noticed", "note": codes}
    write_session(tmp_path, note, hostile, agent={"name": codes}, program=codes)
    session = Session.load(tmp_path)
    (game,) = games_of(session)
    judged = judge(game)
    pages = [
        build_page(session, judged),
        build_index([IndexedGame("a.html", session, judged)]),
    ]
    texts = [*data_of(pages[0])["turns"][0]["notes"], *pages]
    assert "\\u202e" in texts[0]
    assert not any(CODES.search(text) for text in texts)
    script = re.search(r"<script>(.*?)</script>", pages[0], re.S)
    assert script
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    for html in pages:
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
        assert policy
        assert f"script-src 'sha256-{digest}'" in unescape(policy[1])
        assert "default-src 'none'" in unescape(policy[1])


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'id="data">(.*?)</script>', html, re.S)
    assert found
    return dict(json.loads(found[1]))


def test_a_recording_without_turns_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session_of(tmp_path)
    assert main(["review", str(tmp_path)]) == 2
    assert "nothing was played" in capsys.readouterr().err


def test_the_page_says_what_showed_that_the_game_was_over(tmp_path: Path) -> None:
    end = {"kind": "game", "game": 1, "result": "lost", "board": ["X1"], "mines": 1}
    opened = turn(1, "##", [["open", 0, 0]], mines=1)
    for name, why, reported in (
        ("new", {"why_over": "The smiley is dead."}, "Recognised by: The smiley is dead."),
        ("old", {}, ""),
    ):
        session = session_of(tmp_path / name, opened, end | why)
        (game,) = games_of(session)
        data = data_of(build_page(session, judge(game)))
        assert data["end"].startswith(f"The game was lost. {reported}".rstrip())
        assert ("Recognised by" in data["end"]) == bool(reported)


def test_the_page_words_the_efficiency_as_play_does(recorded: Path) -> None:
    session = Session.load(recorded)
    won = next(game for game in games_of(session) if game.result == "won")
    assert won.end is not None
    facts = facts_of_game(won, "tank")
    words = efficiency_text(facts.bv, won.end.clicks, won.end.seconds)
    assert words.startswith("3BV ")
    assert words in build_page(session, judge(won))
