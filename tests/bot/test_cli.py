"""The command line: exit codes, errors in one sentence, JSON output without other text."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.cli import COMMANDS, main
from bot.simulated import SimulatedDesktop
from bot.terminal.pictures.overlays import save_picture
from calibration.images import load_image
from solver.board import Cell

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def screenshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A half-played board on a simulated desktop."""
    desk = SimulatedDesktop(rows=9, cols=9, mines=10, seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    path = tmp_path_factory.mktemp("screens") / "half-played.png"
    save_picture(desk.grab().pixels, path)
    return path


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text("###\n121\n000\n")
    return path


def run(capsys: Capture, *words: str | Path) -> tuple[int, list[Any], str]:
    """Run a command with --json; return exit code, objects on stdout, text on stderr."""
    code = main([str(word) for word in words] + ["--json"])
    captured = capsys.readouterr()
    return code, [json.loads(line) for line in captured.out.splitlines()], captured.err


def complaint(capsys: Capture, *words: str | Path) -> tuple[int, str]:
    """Run a command that fails; return its exit code and its sentence."""
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert captured.err.count("\n") == 1
    assert captured.err.strip().endswith((".", "'."))
    return code, captured.err


# ---- usage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("nonsense",),
        ("play", "--games", "0"),
        ("play", "--games", "many"),
        ("play", "--pace", "fast", "--screen", "sim"),
        ("play", "--near", "here", "--screen", "sim"),
        ("play", "--size", "9x9x81", "--screen", "sim"),
        ("play", "--size", "1x1x0", "--screen", "sim"),
        ("play", "--size", "5x5x0", "--screen", "sim"),
        ("bench", "--games", "1", "--agent", "tank", "--results", "/nowhere/results.jsonl"),
        ("play", "--theme", "nobody", "--screen", "sim"),
        ("play", "--agent", "nobody", "--screen", "sim"),
        ("play", "--new-game", "1,2,3", "--screen", "sim"),
        ("play", "--calibration", "nowhere.toml", "--screen", "sim"),
        ("solve",),
        ("solve", "nowhere.txt"),
        ("solve", "--lines", "nowhere.jsonl"),
        ("read",),
        ("read", "nowhere.png"),
        ("bench", "--games", "0"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(capsys: Capture, words: tuple[str]) -> None:
    code, _ = complaint(capsys, *words)
    assert code == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(capsys: Capture, command: str) -> None:
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"minebot {command}" in text
    assert len(text) > 200


def test_help_names_every_command_and_the_exit_codes(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(command in text for command in COMMANDS)
    assert "exit codes" in text


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys; from bot.cli import main; main(['--help']);"
        "heavy = {'numpy', 'cv2', 'numba', 'pyautogui', 'mss', 'rich'} & sys.modules.keys();"
        "sys.exit(' '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unexpected_error_is_one_sentence_too(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the roof\nis on fire")

    monkeypatch.setattr("bot.cli.build_parser", fail)
    code, sentence = complaint(capsys, "agents")
    assert code == 1
    assert "the roof is on fire" in sentence
    assert "--debug" in sentence


# ---- solve ---------------------------------------------------------------------------------------


def test_solve_answers_with_probabilities_and_a_move(capsys: Capture, board: Path) -> None:
    code, (answer,), _ = run(capsys, "solve", board, "--mines", "2")
    assert code == 0
    assert answer["probabilities"] == [[1, 0, 1], [None] * 3, [None] * 3]
    assert answer["safe"] == [[0, 1]]
    assert answer["mines"] == [[0, 0], [0, 2]]
    assert answer["move"]["cell"] == [0, 1]
    assert answer["move"]["survival"] == 1.0
    assert answer.keys() >= {"solutions_log10", "exact", "ms"}


def test_solve_names_a_contradiction(capsys: Capture, board: Path) -> None:
    code, (answer,), _ = run(capsys, "solve", board, "--mines", "1")
    assert code == 4
    assert answer["error"] == "InconsistentBoard"


def test_solve_goes_on_after_a_bad_board(capsys: Capture, board: Path, tmp_path: Path) -> None:
    ragged = tmp_path / "ragged.txt"
    ragged.write_text("##\n#\n")
    code, answers, _ = run(capsys, "solve", ragged, board, "--mines", "2")
    assert code == 4
    assert [answer.get("error") for answer in answers] == ["BadBoardText", None]


def test_solve_refuses_an_impossible_total(capsys: Capture, board: Path) -> None:
    code, (answer,), _ = run(capsys, "solve", board, "--mines", "10")
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


# ---- read and advise -----------------------------------------------------------------------------


def test_read_explains_tiles(capsys: Capture, screenshot: Path) -> None:
    code, (answer,), _ = run(capsys, "read", screenshot, "--explain")
    board = answer["board"]
    assert code == 0
    assert sum(len(one["cells"]) for one in answer["explain"]) == sum(map(len, board))
    for one in answer["explain"]:
        assert {board[row][col].replace(".", "0") for row, col in one["cells"]} == {
            one["tile"].replace(".", "0")
        }
        assert one["rival"] != one["tile"]
    row, col = answer["explain"][0]["cells"][0]
    main(["read", str(screenshot), "--explain", f"{row + 1},{col + 1}"])
    assert f"Row {row + 1}, column {col + 1}" in capsys.readouterr().out
    code, message = complaint(capsys, "read", screenshot, "--explain", "3;7")
    assert code == 2
    assert "ROW,COL" in message


def test_read_describes_the_board(capsys: Capture, screenshot: Path, tmp_path: Path) -> None:
    code, (answer,), _ = run(capsys, "read", screenshot, "--overlay", tmp_path / "drawn")
    assert code == 0
    assert answer["image"] == str(screenshot)
    assert (answer["rows"], answer["cols"]) == (9, 9)
    assert len(answer["board"]) == 9
    assert answer["status"] == "playing"
    assert answer["mines_left"] in (10, None)
    assert 0.5 <= answer["confidence"] <= 1
    assert answer["ms"].keys() == {"calibrate", "read"}
    assert answer["grid"].keys() == {"x0", "y0", "tile_w", "tile_h"}
    assert (tmp_path / "drawn" / "half-played.png").stat().st_size > 1000


def test_read_goes_on_after_an_error_and_returns_its_code(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.png"
    save_picture(np.full((600, 800, 3), 90, np.uint8), empty)
    text = tmp_path / "text.png"
    text.write_text("no picture")
    code, lines, _ = run(capsys, "read", empty, text, screenshot)
    assert code == 3
    assert [line.get("error") for line in lines] == ["NoGrid", "BadImage", None]
    assert all(line["message"].endswith(".") for line in lines[:2])


def test_a_calibration_is_saved_and_used_again(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "board.toml"
    _, (first,), _ = run(capsys, "read", screenshot, "--save-calibration", saved)
    code, (second,), _ = run(capsys, "read", screenshot, "--calibration", saved)
    assert code == 0
    assert first["board"] == second["board"]
    assert all(math.isclose(first["grid"][key], second["grid"][key]) for key in first["grid"])


def test_nothing_is_read_where_a_calibration_finds_no_board(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    saved, elsewhere = tmp_path / "board.toml", tmp_path / "elsewhere.png"
    run(capsys, "read", screenshot, "--save-calibration", saved)
    pixels = load_image(screenshot).pixels
    save_picture(np.roll(pixels, (-200, 300), axis=(0, 1)), elsewhere)
    code, (line,), _ = run(capsys, "read", elsewhere, "--calibration", saved)
    assert code in (3, 4)
    assert "board" not in line
    plain = tmp_path / "plain.png"
    save_picture(np.full((1080, 1920, 3), 90, np.uint8), plain)
    code, (line,), _ = run(capsys, "read", plain, "--calibration", saved)
    assert (code, line["error"]) == (3, "NoGrid")


def test_advise_says_a_move_and_draws_the_risks(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "heat.png"
    code, (advice,), _ = run(capsys, "advise", screenshot, "--heatmap", picture, "--agent", "tank")
    assert code == 0
    assert advice["move"]["cell"] in advice["safe"]
    assert picture.stat().st_size > 1000


def test_a_picture_that_gives_no_advice_is_an_object_or_a_sentence(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.png"
    empty.touch()
    code, (trouble,), _ = run(capsys, "advise", empty)
    assert (code, trouble["error"]) == (2, "BadImage")
    code, (trouble,), _ = run(capsys, "advise", screenshot, "--mines", "72")
    assert (code, trouble["error"]) == (4, "InconsistentBoard")
    assert complaint(capsys, "read", empty) == (
        2,
        f"{empty} is empty: save the screenshot again.\n",
    )


# ---- play ----------------------------------------------------------------------------------------


def test_play_prints_a_line_a_game_and_a_summary(capsys: Capture) -> None:
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--games", "2", "--agent", "tank")
    code, lines, _ = run(capsys, *words)
    assert code == 0
    *games, summary = lines
    assert [game["game"] for game in games] == [1, 2]
    for game in games:
        assert game.keys() >= {"game", "result", "clicks", "guesses", "seconds", "chance"}
        assert game["result"] in ("won", "lost")
        assert (game["result"] == "lost") == ("blame" in game)
    assert summary["summary"]["games"] == 2
    low, high = summary["summary"]["ci95"]
    assert 0 <= low <= summary["summary"]["win_rate"] <= high <= 1


def test_play_is_the_same_game_for_the_same_seed(capsys: Capture) -> None:
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--seed", "7", "--agent", "tank")
    _, first, _ = run(capsys, *words)
    _, second, _ = run(capsys, *words)
    assert first == second


def test_a_dry_run_says_the_first_move_and_plays_no_game(capsys: Capture) -> None:
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--dry-run", "--agent", "tank")
    assert main([*words]) == 0
    assert capsys.readouterr().out.endswith("Open row 1, column 1: first click.\n")
    code, (advice, summary), _ = run(capsys, *words)
    assert code == 0
    assert advice["move"]["cell"] == [0, 0]
    assert advice["moves"] == [{"cell": [0, 0], "action": "open"}]
    assert summary["summary"]["games"] == 0


def test_play_records_what_replay_replays(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "session"
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--record", folder, "--agent", "tank")
    assert run(capsys, *words)[0] == 0
    code, (summary,), _ = run(capsys, "replay", folder)
    assert code == 0
    assert summary["differences"] == 0
    assert summary["turns"] > 0
    assert complaint(capsys, *words)[0] == 2  # the folder holds a session now


def test_replay_of_nothing_is_a_failure(capsys: Capture, tmp_path: Path) -> None:
    assert complaint(capsys, "replay", tmp_path)[0] == 1


def test_play_without_a_display_says_so(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    code, sentence = complaint(capsys, "play", "--screen", "real", "--agent", "tank")
    assert code == 1
    assert "DISPLAY" in sentence


# ---- doctor and agents ---------------------------------------------------------------------------


def test_doctor_finds_a_missing_display(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    code, checks, _ = run(capsys, "doctor")
    assert code == 1
    verdicts = {check["check"]: check["verdict"] for check in checks}
    assert verdicts["session"] == "bad"
    assert verdicts["python"] == "ok"


def test_agents_are_listed(capsys: Capture) -> None:
    code, agents, _ = run(capsys, "agents")
    assert code == 0
    assert {"tank", "straightforward"} <= {agent["agent"] for agent in agents}
    assert all(agent["idea"] and agent["source"] for agent in agents)
