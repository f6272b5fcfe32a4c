"""The configuration file: defaults of options, and mistakes in it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot.cli import main
from bot.commands.parsing import COMMANDS, COMMON_OPTIONS, default_config_path, kinds_of, options_in
from bot.outputs import sessions_folder
from tests.bot.command_line import PLAY, ROOT, Capture, run


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


def test_common_takes_what_several_commands_have(capsys: Capture) -> None:
    configure('[common]\nagent = "deep"\nthink = "low"\n')
    assert agent_of_the_bench(capsys, "--games", "1")[0] == "deep:think=low"
    assert agent_of_the_bench(capsys, "--games", "1", "--agent", "basic")[0] == "basic"
    named = agent_of_the_bench(capsys, "--games", "1", "--agent", "deep:think=medium")[0]
    assert named == "deep:think=medium"
    words = ("bench", "--size", "4x4x2", "--games", "1", "--agent", "basic", "--think", "low")
    code, (error,), _ = run(capsys, *words)
    assert (code, error["error"]) == (2, "UnknownAgent")
    commands = options_of_commands()
    for name in COMMON_OPTIONS:
        assert sum(name in options for options in commands.values()) > 1, name
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    listed = page.partition("several commands: ")[2].partition(".")[0]
    assert re.findall(r"`(\w+)`", listed) == sorted(COMMON_OPTIONS)


def options_of_commands() -> dict[str, set[str]]:
    """Return all options of each command."""
    return {
        name: {one.name for kind in kinds_of(name).values() for one, _ in options_in(kind)}
        for name in COMMANDS
    }


def test_a_table_holds_the_options_of_all_kinds_of_a_command(capsys: Capture) -> None:
    configure('[arena]\ndim = "4"\nboards = "4x4x2"\ngames = 1\nagents = "basic"\n')
    assert run(capsys, "arena", "sweep", "--density", "0.1")[1][0]["rows"] == 4
    assert run(capsys, "arena", "table", "--first", "safe")[1][0]["games"] == 1
    checks = {check["check"]: check["verdict"] for check in run(capsys, "doctor")[1]}
    assert checks["configuration"] == "ok"


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


@pytest.mark.slow
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
        "[common]\nrecord = 'here'\n",
        "[bench]\nnonsense = 1\n",
        "[bench]\ngames = true\n",
        "[bench]\ngames = 'many'\n",
        "[bench]\ngames = 0\n",
        "[bench]\nseed = 'x'\n",
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
    assert "config.toml" in captured.err


@pytest.mark.parametrize(
    "text",
    [
        "[play]\nbogus = 1\n",
        "[play]\ngames = 'x'\n",
        "[play]\nseed = 'x'\n",
        "[play]\nnear = 'here'\n",
        "[common]\nagent = 'nobody'\n",
        "[common]\ntheme = 'nobody'\n",
        "[common]\ncalibration = 'nowhere.toml'\n",
    ],
)
def test_doctor_finds_a_configuration_with_which_play_cannot_start(
    capsys: Capture, text: str
) -> None:
    path = configure(text)
    code, checks, _ = run(capsys, "doctor")
    (line,) = [check for check in checks if check["check"] == "configuration"]
    assert (code, line["verdict"]) == (1, "bad")
    assert line["message"].startswith(f"With {path} play cannot start: ")


def test_doctor_notes_a_configuration_with_which_another_command_cannot_start(
    capsys: Capture,
) -> None:
    configure("[bench]\ngames = 'x'\n")
    (line,) = [one for one in run(capsys, "doctor")[1] if one["check"] == "configuration"]
    assert line["verdict"] == "note"
    assert "'bench' cannot start: " in line["message"]
