"""The interface of the command line: explanations, JSON, configuration, completion, help."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.cli import COMMANDS, main
from bot.config import default_config_path
from bot.record.storage import sessions_folder
from bot.simulated import SimulatedDesktop
from bot.terminal.pictures.overlays import save_picture
from solver.board import Cell

ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]
PLAY = ("play", "--screen", "sim", "--size", "9x9x10", "--agent", "tank")


@pytest.fixture
def certain(tmp_path: Path) -> Path:
    path = tmp_path / "certain.txt"
    path.write_text("###\n121\n000\n")
    return path


@pytest.fixture
def guess(tmp_path: Path) -> Path:
    path = tmp_path / "guess.txt"
    path.write_text("#102##\n#102##\n")
    return path


@pytest.fixture(scope="module")
def screenshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A half-played board on a simulated desktop."""
    desk = SimulatedDesktop(rows=9, cols=9, mines=10, seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    path = tmp_path_factory.mktemp("screens") / "half-played.png"
    save_picture(desk.grab().pixels, path)
    return path


def run(capsys: Capture, *words: str | Path) -> tuple[int, list[Any], str]:
    """Run a command with --json; return exit code, objects on stdout, text on stderr."""
    code = main([str(word) for word in words] + ["--json"])
    captured = capsys.readouterr()
    return code, [json.loads(line) for line in captured.out.splitlines()], captured.err


def said(capsys: Capture, *words: str | Path) -> tuple[int, str]:
    """Run a command without --json; return exit code and text on stdout and stderr."""
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, " ".join((captured.out + captured.err).split())


# ---- why, and candidates ---------------------------------------------------------------------


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
        assert one.keys() == {"cell", "survival", "win", "opens_area", "numbers"}
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
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    code, answers, _ = run(capsys, "solve", "--lines", path)
    assert code == 2
    assert [answer.get("error") for answer in answers] == [
        None, "UsageError", "BadBoardText", "BadBoardText", None,
    ]  # fmt: skip
    assert len(answers[0]["candidates"]) == 2
    assert answers[0]["why"]["cell"] == [0, 1]
    assert answers[4].keys().isdisjoint({"why", "candidates"})


def test_advise_explains_and_lists_certain_cells(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    _, (answer,), _ = run(capsys, "advise", screenshot, "--agent", "tank")
    row, col = answer["safe"][0]
    picture = tmp_path / "heat.png"
    code, text = said(
        capsys, "advise", screenshot, "--agent", "tank", "--why", f"{row + 1},{col + 1}",
        "--candidates", "2", "--heatmap", picture,
    )  # fmt: skip
    assert code == 0
    assert f"Certainly safe ({len(answer['safe'])}): row {row + 1}: column" in text
    assert f"Certainly mines ({len(answer['mines'])}): " in text
    assert f"Row {row + 1}, column {col + 1} is certainly safe: " in text
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize("end", ["won", "lost"])
def test_advise_says_that_a_game_is_over(capsys: Capture, tmp_path: Path, end: str) -> None:
    desk = SimulatedDesktop(rows=9, cols=9, mines=10, seed=5, skin="classic")
    desk.click(desk.cell_point(Cell(4, 4)))
    mines = desk.game.mines
    for cell in desk.game.board.cells():
        if bool(mines[cell]) == (end == "lost") and desk.game.status.value == "playing":
            desk.click(desk.cell_point(cell))
            desk.clock.sleep(0.2)
    desk.clock.sleep(2)
    path = tmp_path / "over.png"
    save_picture(desk.grab().pixels, path)
    code, text = said(capsys, "advise", path, "--agent", "tank", "--mines", "10")
    assert code == 0
    assert f"This game is {end}" in text


# ---- JSON ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "name"),
    [
        (("play", "--games", "0"), 2, "UsageError"),
        (("solve",), 2, "UsageError"),
        (("replay", "nowhere"), 1, "BadSession"),
        (("bench", "--agent", "nobody"), 2, "UnknownAgent"),
        (("bench", "--agent", "tank", "--think", "low"), 2, "UnknownAgent"),
        (("arena", "sweep", "--dim", "wide"), 2, "UsageError"),
        (("advise", "nowhere.png"), 2, "BadImage"),
        (("stats", "--plot", "chart.pdf"), 2, "MissingExtra"),
    ],
)
def test_an_error_is_an_object_too(
    capsys: Capture, words: tuple[str, ...], code: int, name: str
) -> None:
    got, (error,), sentence = run(capsys, *words)
    assert got == code
    assert error["error"] == name
    assert error.keys() == {"error", "message"}
    assert sentence.strip() == error["message"]


def test_no_option_may_be_shortened_or_spelled_twice(capsys: Capture) -> None:
    for words in (
        ("play", "--screen", "sim", "--first-click", "zero"),
        ("play", "--scr", "sim"),
        ("arena", "sweep", "--runs", "3"),
    ):
        assert said(capsys, *words)[0] == 2


def test_events_tell_of_every_turn(capsys: Capture) -> None:
    code, lines, _ = run(capsys, *PLAY, "--seed", "7", "--events")
    assert code == 0
    events = [line for line in lines if "event" in line]
    assert events[0]["event"] == "calibrated"
    decisions = [line for line in events if line["event"] == "decision"]
    turns = [line for line in events if line["event"] == "turn"]
    (game,) = [line for line in lines if "result" in line]
    assert len(decisions) == len(turns) == game["turns"]
    assert sum(len(turn["clicks"]) for turn in turns) == game["clicks"]
    assert [turn["turn"] for turn in turns] == list(range(1, len(turns) + 1))
    assert decisions[0]["move"]["cell"] == decisions[0]["moves"][0]["cell"]
    assert "summary" in lines[-1]
    assert not any("event" in line for line in run(capsys, *PLAY, "--seed", "7")[1])


def test_events_need_json(capsys: Capture) -> None:
    assert said(capsys, *PLAY, "--events")[0] == 2


def keys_of(value: object) -> set[str]:
    """Collect the keys of an object and of all objects in it."""
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    return set()


def test_every_key_is_documented(
    capsys: Capture, tmp_path: Path, certain: Path, screenshot: Path
) -> None:
    session = tmp_path / "session"
    commands: list[tuple[str | Path, ...]] = [
        ("solve", certain, "--mines", "2", "--why", "1,1", "--candidates", "1"),
        ("read", screenshot, certain),
        ("advise", screenshot, "--agent", "tank"),
        (*PLAY, "--record", session, "--events", "--games", "2"),
        ("replay", session),
        ("review", session),
        ("stats", tmp_path),
        ("bench", "--size", "5x5x3", "--games", "3", "--agent", "tank", "--against", "basic"),
        ("arena", "table", "--games", "1", "--agents", "tank", "--boards", "beginner"),
        ("arena", "sweep", "--dim", "5", "--games", "1", "--density", "0.1", "--agents", "basic"),
        ("agents",),
        ("doctor",),
    ]
    page = (ROOT / "docs" / "json.md").read_text("utf-8")
    documented = set(re.findall(r'"(\w+)"', page))
    counted_names = {"bad luck", "mistake", "misread", "misclick", "solver fault", "unknown"}
    for words in commands:
        _, lines, _ = run(capsys, *words)
        assert lines, words
        found = set().union(*map(keys_of, lines)) - counted_names
        assert found <= documented, (words, found - documented)


# ---- recording without a place ---------------------------------------------------------------


def test_play_records_into_the_users_data_only_when_asked(capsys: Capture) -> None:
    run(capsys, *PLAY)
    assert not sessions_folder().exists()
    _, _, notes = run(capsys, *PLAY, "--record")
    (session,) = sessions_folder().iterdir()
    assert str(session) in notes
    assert (session / "session.jsonl").exists()
    run(capsys, *PLAY, "--record")
    assert len(list(sessions_folder().iterdir())) == 2


# ---- configuration ---------------------------------------------------------------------------


def configure(text: str) -> Path:
    path = default_config_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def agent_of_the_bench(capsys: Capture, *words: str | Path) -> tuple[str, int]:
    code, (line, *_), _ = run(capsys, "bench", "--size", "4x4x2", *words)
    assert code == 0
    return line["agent"], line["games"]


def test_the_configuration_gives_defaults_and_the_command_line_comes_first(
    capsys: Capture,
) -> None:
    configure('[common]\nagent = "basic"\nseed = 3\n[bench]\ngames = 2\nno-estimate = true\n')
    assert agent_of_the_bench(capsys) == ("basic", 2)
    assert agent_of_the_bench(capsys, "--agent", "tank", "--games", "1") == ("tank", 1)
    configure('[common]\nagent = "basic"\n[bench]\nagent = "gac"\ngames = 1\n')
    assert agent_of_the_bench(capsys)[0] == "gac"


def test_config_names_another_file(capsys: Capture, tmp_path: Path) -> None:
    configure('[bench]\nagent = "gac"\n')
    path = tmp_path / "mine.toml"
    path.write_text('[bench]\nagent = "basic"\ngames = 1\n')
    assert agent_of_the_bench(capsys, "--config", path) == ("basic", 1)
    assert agent_of_the_bench(capsys, f"--config={path}") == ("basic", 1)
    code = main(["--config", str(path), "bench", "--size", "4x4x2", "--json"])
    assert code == 0
    assert json.loads(capsys.readouterr().out)["agent"] == "basic"
    _, checks, _ = run(capsys, "doctor", "--config", path)
    (line,) = [check for check in checks if check["check"] == "configuration"]
    assert str(path) in line["message"]


def test_json_can_be_configured(capsys: Capture) -> None:
    configure("[common]\njson = true\n")
    assert main(["agents"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["agent"]


def test_record_can_be_configured(capsys: Capture, tmp_path: Path) -> None:
    configure("[play]\nrecord = true\n")
    run(capsys, *PLAY)
    assert len(list(sessions_folder().iterdir())) == 1
    configure(f"[play]\nrecord = {json.dumps(str(tmp_path / 'here'))}\n")
    run(capsys, *PLAY)
    assert (tmp_path / "here" / "session.jsonl").exists()


@pytest.mark.parametrize(
    "text",
    [
        "[bench\n",
        "[nonsense]\n",
        "agent = 'tank'\n",
        "[common]\nflags = true\n",
        "[bench]\nnonsense = 1\n",
        "[bench]\ngames = true\n",
        "[bench]\ngames = 'many'\n",
        "[bench]\nfirst = 'kind'\n",
        "[bench]\nno-estimate = 'yes'\n",
        "[bench]\ngames = [1]\n",
        "[bench]\nconfig = 'x'\n",
    ],
)
def test_a_wrong_configuration_is_one_sentence(capsys: Capture, text: str) -> None:
    configure(text)
    code = main(["bench", "--size", "4x4x2"])
    captured = capsys.readouterr()
    assert code == 2
    assert captured.err.count("\n") == 1


def test_a_configuration_that_is_named_must_be_there(capsys: Capture) -> None:
    assert said(capsys, "agents", "--config", "nowhere.toml")[0] == 2
    assert said(capsys, "agents", "--config")[0] == 2


# ---- completion, help, python -m bot ---------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh", "powershell"])
def test_completion_knows_every_command(capsys: Capture, shell: str) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(command in script for command in COMMANDS)
    assert "candidates" in script


def test_completion_works_in_bash(capsys: Capture, tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "minebot.sh"
    script.write_text(capsys.readouterr().out)
    probe = (
        f"source {script}; COMP_WORDS=(minebot solve --cand); COMP_CWORD=2; "
        '$(complete -p minebot | sed -E "s/.*-F ([^ ]+).*/\\1/") minebot --cand solve; '
        'echo "${COMPREPLY[@]}"'
    )
    try:
        done = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no bash")
    assert done.stdout.split() == ["--candidates"], done.stderr


def test_completion_names_the_shells_it_knows(capsys: Capture) -> None:
    code, text = said(capsys, "completion", "cmd")
    assert code == 2
    assert "bash" in text


def test_python_can_run_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--version"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("minebot ")


@pytest.mark.parametrize(
    "command", ["play", "read", "advise", "solve", "replay", "bench", "arena", "manual"]
)
def test_help_has_examples(capsys: Capture, command: str) -> None:
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert text.count(f"minebot {command} ") >= 2 or command == "replay"
