"""The command `solve`: probabilities, moves, proofs and candidates; an engine on lines of JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.cli import main
from bot.commands import solve
from bot.commands.solve import Solve
from tests.bot.command_line import TOO_LARGE, Capture, run, said


def test_solve_answers_with_probabilities_and_a_move(capsys: Capture, certain: Path) -> None:
    code, (answer,), _ = run(capsys, "solve", certain, "--mines", "2")
    assert code == 0
    assert answer["probabilities"] == [[1, 0, 1], [None] * 3, [None] * 3]
    assert answer["safe"] == [[0, 1]]
    assert answer["mines"] == [[0, 0], [0, 2]]
    assert answer["move"]["cell"] == [0, 1]
    assert answer["move"]["survival"] == 1.0
    assert answer.keys() >= {"solutions_log10", "exact", "ms"}


@pytest.mark.parametrize(
    ("rows", "mines", "over"),
    [
        ("1X\n11\n", "1", "lost: a mine exploded at row 1, column 2"),
        ("1#\n11\n", "1", "won"),
        ("1#\n##\n", "1", None),
        ("1#\n11\n", None, "won"),
        ("F1\n11\n", None, "won"),
        ("00\n00\n", None, "won"),
        ("1##\n###\n###\n", None, None),
    ],
)
def test_solve_gives_no_move_once_the_game_is_over(
    capsys: Capture, tmp_path: Path, rows: str, mines: str | None, over: str | None
) -> None:
    (tmp_path / "board.txt").write_text(rows)
    total = [] if mines is None else ["--mines", mines]
    code, (answer,), _ = run(capsys, "solve", tmp_path / "board.txt", *total)
    assert code == 0
    assert (over or "") in (answer["over"] or "")
    assert (answer["move"] is None) == (answer["over"] is not None) == (over is not None)


@pytest.mark.parametrize("rows", ["X##\n1##\n###\n", "1#\n11\n"])
def test_a_finished_board_gets_no_advice(capsys: Capture, tmp_path: Path, rows: str) -> None:
    (tmp_path / "board.txt").write_text(rows)
    words = ("solve", tmp_path / "board.txt", "--mines", "1", "--candidates", "2")
    _, (answer,), _ = run(capsys, *words)
    assert (answer["candidates"], answer["safe"]) == ([], [])
    _, text = said(capsys, *words)
    assert "survives" not in text
    assert "Certainly" not in text


@pytest.mark.parametrize(("rows", "action"), [("1F\n##\n", "flag"), ("1#\n##\n", "open")])
def test_a_move_names_its_action(capsys: Capture, tmp_path: Path, rows: str, action: str) -> None:
    (tmp_path / "board.txt").write_text(rows)
    _, (answer,), _ = run(capsys, "solve", tmp_path / "board.txt", "--mines", "1")
    assert answer["move"]["action"] == action
    assert ("its flag is removed" in answer["move"]["reason"]) == (action == "flag")


def test_solve_goes_on_after_a_missing_file(capsys: Capture, certain: Path, tmp_path: Path) -> None:
    code, answers, _ = run(capsys, "solve", tmp_path / "missing", certain, "--mines", "2")
    assert code == 2
    assert [answer.get("error") for answer in answers] == ["UsageError", None]


def test_solve_names_a_contradiction(capsys: Capture, certain: Path) -> None:
    code, (answer,), _ = run(capsys, "solve", certain, "--mines", "1")
    assert code == 4
    assert answer["error"] == "InconsistentBoard"
    assert "look at the " in answer["message"]


def test_a_flag_that_marks_no_mine_is_named(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("F1#\n1##\n###\n")
    _, text = said(capsys, "solve", path, "--mines", "3")
    assert "Wrong flag (1), without a mine below: row 1: column 1." in text
    _, text = said(capsys, "solve", path, "--mines", "2")
    assert "Wrong flag" not in text


@pytest.mark.slow
def test_a_board_too_large_to_count_is_like_one_that_cannot_be_read(
    capsys: Capture, tmp_path: Path
) -> None:
    path = tmp_path / "large.txt"
    path.write_text(TOO_LARGE)
    code, (answer,), _ = run(capsys, "solve", path)
    assert (code, answer["error"]) == (4, "TooManyPlacements")
    assert "give a smaller board" in answer["message"]


def test_solve_goes_on_after_a_bad_board(capsys: Capture, certain: Path, tmp_path: Path) -> None:
    ragged = tmp_path / "ragged.txt"
    ragged.write_text("##\n#\n")
    code, answers, _ = run(capsys, "solve", ragged, certain, "--mines", "2")
    assert code == 4
    assert [answer.get("error") for answer in answers] == ["BadBoardText", None]


def test_solve_says_that_a_picture_is_not_text(
    capsys: Capture, certain: Path, screenshot: Path
) -> None:
    code, (trouble, answer), _ = run(capsys, "solve", screenshot, certain, "--mines", "2")
    assert code == 4
    hint = "'minebot advise' takes a screenshot"
    assert trouble["message"] == f"This is neither UTF-8 nor UTF-16 text; {hint}."
    nameless = certain.with_name("screen")
    nameless.write_bytes(screenshot.read_bytes())
    assert hint in said(capsys, "solve", nameless)[1]
    assert "move" in answer


@pytest.mark.parametrize("data", ["##\n11\n".encode("utf-32"), b"##\n1\xe4\n"])
def test_text_of_another_encoding_is_no_screenshot(
    capsys: Capture, tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(data)
    code, (trouble,), _ = run(capsys, "solve", path)
    assert (code, trouble["message"]) == (4, "This is neither UTF-8 nor UTF-16 text.")


def test_a_mark_of_utf_8_before_the_board_is_left_out(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("1#\n##\n", "utf-8-sig")
    code, (answer,), _ = run(capsys, "solve", tmp_path / "board.txt", "--mines", "1")
    assert (code, "move" in answer) == (0, True)
    (tmp_path / "lines").write_text('{"board": ["1#"], "mines": 1}\n', "utf-8-sig")
    assert run(capsys, "solve", "--lines", tmp_path / "lines")[0] == 0


def test_a_pipe_that_closes_is_no_trouble_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def emit(line: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    path = tmp_path / "lines"
    path.write_text('{"board": ["1#"], "mines": 1}\n')
    monkeypatch.setattr("bot.terminal.console.emit", emit)
    with pytest.raises(BrokenPipeError):
        solve.run(Solve(lines=str(path)))


def test_one_likely_mine_is_said_in_the_singular(capsys: Capture, tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1##\n###\n###\n")
    assert "unknown, 1 is likely" in said(capsys, "solve", board)[1]


def test_solve_refuses_an_impossible_total(capsys: Capture, certain: Path) -> None:
    code, (answer,), _ = run(capsys, "solve", certain, "--mines", "10")
    assert code == 2
    assert answer["error"] == "BadMineTotal"


def test_solve_is_an_engine_on_standard_input(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        '{"board": ["1#1"], "mines": 1}',
        "",
        '{"board": ["1#2"], "mines": null}',
        "garbage",
        '{"board": "1#1"}',
        '{"board": ["1#1"], "mines": true}',
        '{"board": ["1#1"]}',
    ]
    monkeypatch.setattr("sys.stdin", iter(line + "\n" for line in lines))
    code = main(["solve", "--lines", "-"])
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 4
    assert [answer.get("error") for answer in answers] == [
        None,
        "InconsistentBoard",
        "BadBoardText",
        "BadBoardText",
        "BadBoardText",
        None,
    ]
    assert answers[0]["mines"] == [[0, 1]]
    assert answers[0]["move"] is None


@pytest.fixture
def guess(tmp_path: Path) -> Path:
    path = tmp_path / "guess.txt"
    path.write_text("#102##\n#102##\n")
    return path


def test_why_names_the_numbers_that_prove_a_cell(capsys: Capture, certain: Path) -> None:
    code, text = said(capsys, "solve", certain, "--mines", "2", "--why", "1,2")
    assert code == 0
    assert "Row 1, column 2 is certainly safe: " in text
    code, (answer,), _ = run(capsys, "solve", certain, "--mines", "2", "--why", "1,2")
    assert code == 0
    why = answer["why"]
    assert why.keys() == {"cell", "mine", "numbers", "uses_total", "text"}
    assert (why["cell"], why["mine"]) == ([0, 1], False)
    assert all(row == 1 for row, _ in why["numbers"])
    assert "candidates" not in answer


def test_why_says_that_a_cell_is_not_certain(capsys: Capture, guess: Path) -> None:
    _, (answer,), _ = run(capsys, "solve", guess, "--mines", "3", "--why", "1,1")
    assert answer["why"]["mine"] is None
    assert answer["why"]["numbers"] == []
    assert "not certain: its risk is 50.0 %" in answer["why"]["text"]


@pytest.mark.parametrize("cell", ["0,1", "1", "one,two", "9,9", "2,1"])
def test_why_refuses_what_is_no_covered_cell(capsys: Capture, certain: Path, cell: str) -> None:
    code, text = said(capsys, "solve", certain, "--mines", "2", "--why", cell)
    assert code == 2
    assert "from 1" in text


def test_candidates_are_compared_best_first(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("##1\n111\n...\n")
    code, (answer,), _ = run(capsys, "solve", path, "--candidates", "3")
    assert code == 0
    for one in answer["candidates"]:
        assert one.keys() == {"cell", "survival", "win", "opens_area", "safe_after", "numbers"}
        assert len(one["numbers"]) == 9
        assert sum(one["numbers"]) == pytest.approx(one["survival"])
        assert one["opens_area"] == one["numbers"][0]
    survivals = [one["survival"] for one in answer["candidates"]]
    assert survivals == sorted(survivals, reverse=True)


def test_candidates_on_any_board(capsys: Capture, tmp_path: Path, guess: Path) -> None:
    _, (answer,), _ = run(capsys, "solve", guess, "--mines", "3", "--candidates", "9")
    assert {tuple(one["cell"]) for one in answer["candidates"]} == {(0, 5), (1, 5)}
    fresh = tmp_path / "fresh.txt"
    fresh.write_text("####\n####\n")
    _, (answer,), _ = run(capsys, "solve", fresh, "--mines", "2", "--candidates", "2")
    assert len(answer["candidates"]) == 2
    assert answer["candidates"][0]["cell"] == answer["move"]["cell"]
    done = tmp_path / "done.txt"
    done.write_text("000\n000\n")
    _, (answer,), _ = run(capsys, "solve", done, "--mines", "0", "--candidates", "2")
    assert answer["candidates"] == []
    code, text = said(capsys, "solve", guess, "--mines", "3", "--candidates", "2")
    assert code == 0
    assert "may show" in text


def test_without_a_mine_total_risks_are_those_of_the_move(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("001######\n112######\n##2######" + 6 * "\n#########")
    _, (answer,), _ = run(capsys, "solve", path, "--candidates", "5", "--agent", "tank")
    row, col = answer["move"]["cell"]
    assert answer["probabilities"][row][col] == pytest.approx(1 - answer["move"]["survival"])
    assert len(answer["candidates"]) == 5
    assert not answer["exact"]


def test_lines_take_both_questions(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lines.jsonl"
    lines = [
        {"board": ["##", "11"], "mines": 1, "candidates": 2, "why": [0, 1]},
        {"board": ["##", "11"], "mines": 1, "why": [1, 1]},
        {"board": ["##", "11"], "mines": 1, "why": "here"},
        {"board": ["##", "11"], "mines": 1, "candidates": 0},
        {"board": ["##", "11"], "mines": 1},
        {"board": ["##", "11"], "mines": 1, "why": [5, 6]},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    code, answers, _ = run(capsys, "solve", "--lines", path)
    assert code == 2
    assert [answer.get("error") for answer in answers] == [
        None, "UsageError", "BadBoardText", "BadBoardText", None, "UsageError",
    ]  # fmt: skip
    assert answers[1]["message"].startswith("The cell at row 1, column 1 is open")
    assert answers[5]["message"].startswith("There is no row 5, column 6 on this board")
    assert all("count from 0" in answers[at]["message"] for at in (1, 5))
    assert len(answers[0]["candidates"]) == 2
    assert answers[0]["why"]["cell"] == [0, 1]
    assert answers[4].keys().isdisjoint({"why", "candidates"})


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_may_come_from_windows(capsys: Capture, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "board.txt").write_bytes("1 #\r\n# #\r\n".encode(encoding))
    code, (answer,), _ = run(capsys, "solve", tmp_path / "board.txt", "--mines", "1")
    assert (code, answer["probabilities"][0][0]) == (0, None)
    (tmp_path / "lines").write_bytes('{"board": ["1#"], "mines": 1}\r\n'.encode(encoding))
    code, (answer,), _ = run(capsys, "solve", "--lines", tmp_path / "lines")
    assert (code, answer["mines"]) == (0, [[0, 1]])


@pytest.mark.parametrize("more", [(), ("--candidates", "3"), ("--why", "1,2")])
def test_what_solve_prints_is_a_board_for_solve(
    capsys: Capture, tmp_path: Path, more: tuple[str, ...]
) -> None:
    (tmp_path / "board.txt").write_text("1##\n###\n###\n")
    main(["solve", str(tmp_path / "board.txt"), "--mines", "3", *more])
    (tmp_path / "printed.txt").write_text(capsys.readouterr().out)
    one, other = (
        run(capsys, "solve", tmp_path / name, "--mines", "3")[1][0]["probabilities"]
        for name in ("board.txt", "printed.txt")
    )
    assert one == other


def test_one_guess_has_one_figure(capsys: Capture, tmp_path: Path) -> None:
    rows = ["#" * 30] * 13 + ["3" + "#" * 29, "2" + "#" * 29, "1" + "#" * 29]
    (tmp_path / "board.txt").write_text("\n".join(rows))
    _, (answer,), _ = run(
        capsys, "solve", tmp_path / "board.txt", "--mines", "99", "--candidates", "3"
    )
    first = answer["candidates"][0]
    assert (first["cell"], first["win"]) == (answer["move"]["cell"], answer["move"]["win"])


def test_a_finished_board_is_measured(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("1110\n1*10\n1110\n")
    _, (answer,), _ = run(capsys, "solve", tmp_path / "board.txt")
    assert answer["solutions_log10"] == 0.0
    assert answer["difficulty"] == {
        "bv": 6,
        "openings": 1,
        "islands": 1,
        "zini": 4,
        "human_zini": 5,
    }
    assert (
        "3BV 6, openings 1, islands 1, ZiNi 4" in said(capsys, "solve", tmp_path / "board.txt")[1]
    )
