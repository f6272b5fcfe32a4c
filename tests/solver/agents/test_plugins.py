"""Agents from files and installed packages: found, listed, and named when they misbehave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.cli import main
from solver.agents import agent_names, make_agent
from solver.agents.plugin import PluginAgent
from solver.agents.registry import BUILT_IN
from solver.board import Board, Cell
from solver.errors import AgentFailed, InconsistentBoard, UnknownAgent
from solver.game import Rule
from tests.solver.agents.own_agents import FAULTS

OWN_AGENTS = Path(__file__).with_name("own_agents.py")
BOARD = Board.from_text("###\n#1#\n###", 1)


def faulty(fault: str) -> str:
    return f"{OWN_AGENTS}:Faulty:fault={fault}"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution on the module path that offers agents."""
    (tmp_path / "minebot_careful.py").write_text(OWN_AGENTS.read_text("utf-8"), "utf-8")
    offer(tmp_path, "minebot_careful-1.2", "careful = minebot_careful:Careful", "deep = x:Y")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def offer(folder: Path, distribution: str, *lines: str) -> None:
    """Describe a distribution that offers agents."""
    info = folder / f"{distribution}.dist-info"
    info.mkdir()
    name, _, version = distribution.partition("-")
    info.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: Takes care\n"
    )
    info.joinpath("entry_points.txt").write_text("\n".join(["[minebot.agents]", *lines]) + "\n")


def test_an_agent_from_a_file_takes_settings_and_options() -> None:
    first = make_agent(f"{OWN_AGENTS}:Careful", rule=Rule.NONE)
    last = make_agent(f"{OWN_AGENTS}:Careful:last=yes,depth=3", rule=Rule.NONE)
    assert first.name == f"{OWN_AGENTS}:Careful"
    assert last.name.endswith("last=yes,depth=3")
    assert first.decide(BOARD).moves[0].cell == Cell(0, 0)
    assert last.decide(BOARD).moves[0].cell == Cell(2, 2)
    assert first.decide(Board.from_text("##", 1)).survival == 0.5
    spared = make_agent(f"{OWN_AGENTS}:Careful", rule=Rule.SAFE)
    assert spared.decide(Board.from_text("##", 1)).survival == 1.0


def test_a_flagged_cell_is_never_opened() -> None:
    agent = make_agent(f"{OWN_AGENTS}:Careful")
    decision = agent.decide(Board.from_text("F0\n00", 0))
    assert [move.action.value for move in decision.moves] == ["flag"]


@pytest.mark.parametrize("file", ["own_agents.py", "./own_agents.py", "../agents/own_agents.py"])
def test_a_path_is_as_the_person_types_it(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(OWN_AGENTS.parent)
    agent = make_agent(f"{file}:careful")
    assert agent.name == f"{file}:careful"
    assert agent.decide(BOARD).moves


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nowhere.py:Careful", "no file nowhere.py"),
        (str(OWN_AGENTS), "names no class"),
        (f"{OWN_AGENTS}:", "names no class"),
        (f"{OWN_AGENTS}:Missing", "no Missing in"),
        (f"{OWN_AGENTS}:Careful:speed=3", "no option 'speed'"),
        (f"{OWN_AGENTS}:Careful:depth=deep", "cannot take 'deep'"),
        (f"{OWN_AGENTS}:Careful:last=perhaps", "cannot take 'perhaps'"),
        (f"{OWN_AGENTS}:Careful.decide", "FILE.py:Class"),
        ("unknown", "FILE.py:Class"),
    ],
)
def test_a_missing_agent_is_wrong_usage(
    name: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UnknownAgent, match=complaint):
        make_agent(name)
    assert main(["bench", "--agent", name, "--games", "1"]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.usefixtures("package")
def test_an_installed_agent_is_listed_and_plays(capsys: pytest.CaptureFixture[str]) -> None:
    assert agent_names() == (*BUILT_IN, "careful")
    assert not isinstance(make_agent("deep"), PluginAgent), "a built-in agent keeps its name"
    assert main(["agents", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["agent"] == "careful"
    assert lines[-1]["idea"] == "Takes care"
    assert "minebot_careful 1.2" in lines[-1]["source"]
    for words in (
        "bench --agent careful:depth=2 --games 4 --size beginner",
        "play --screen sim --size beginner --agent careful",
        "arena sweep --agents basic,careful --dim 5 --games 2 --density 0.1",
    ):
        assert main([*words.split(), "--json"]) == 0
    assert "careful" in capsys.readouterr().out


def test_two_packages_with_the_same_agent_are_an_error(package: Path) -> None:
    offer(package, "other-0.1", "careful = other:Careful")
    with pytest.raises(UnknownAgent, match=r"other 0\.1"):
        make_agent("careful")


@pytest.mark.slow
@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("name", ["careful", f"{OWN_AGENTS}:Careful"])
def test_workers_find_a_plugin(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"bench --agent {name} --games 12 --size beginner --json".split()
    assert main(words) == 0
    alone = json.loads(capsys.readouterr().out)
    assert main([*words, "--jobs", "2"]) == 0
    shared = json.loads(capsys.readouterr().out)
    assert (shared["wins"], shared["guesses_per_game"]) == (
        alone["wins"],
        alone["guesses_per_game"],
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_a_plugin_that_misbehaves_is_named_in_one_sentence(fault: str) -> None:
    with pytest.raises(AgentFailed, match=FAULTS[fault][1]) as raised:
        make_agent(faulty(fault)).decide(BOARD)
    sentence = str(raised.value)
    assert "own_agents.py:Faulty" in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_what_is_no_agent_is_named(tmp_path: Path) -> None:
    for attribute, complaint in (("plain", "no method decide"), ("NUMBER", "neither a class")):
        with pytest.raises(AgentFailed, match=complaint):
            make_agent(f"{OWN_AGENTS}:{attribute}")
    broken = tmp_path / "broken.py"
    broken.write_text("import a_module_of_no_package\n")
    with pytest.raises(AgentFailed, match=r"raised ModuleNotFoundError: .*line 1"):
        make_agent(f"{broken}:Agent")
    broken.write_text("import os\n\nclass Agent\n")
    with pytest.raises(AgentFailed, match=r"SyntaxError: expected ':' \(broken.py, line 3\)\."):
        make_agent(f"{broken}:Agent")


LOUD_AGENT = """
from solver import Cell, Decision, Move

class Loud:
    def decide(self, board):
        return Decision((Move(Cell(0, 0)),), "\\x1b[2J" + "x" * 5000, 0.5)
"""


def test_a_reason_is_short_and_holds_no_codes(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(LOUD_AGENT)
    reason = make_agent(f"{tmp_path / 'loud.py'}:Loud").decide(BOARD).reason
    assert reason.isprintable()
    assert len(reason) <= 1000


def test_flags_without_end_are_noticed() -> None:
    agent = make_agent(faulty("flags"))
    for _ in range(2 * BOARD.tiles.size):
        agent.decide(BOARD)
    with pytest.raises(AgentFailed, match="flags without end"):
        agent.decide(BOARD)


def test_an_inconsistent_board_is_not_blamed_on_the_plugin() -> None:
    with pytest.raises(InconsistentBoard, match="No layout"):
        make_agent(faulty("impossible")).decide(BOARD)


def test_files_of_one_name_are_two_agents(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        file = tmp_path / folder / "own.py"
        file.parent.mkdir()
        file.write_text(
            "from solver import give_up\n\nclass Own:\n    def decide(self, board):\n"
            f"        return give_up({folder!r})\n"
        )
        assert make_agent(f"{file}:Own").decide(BOARD).reason == f"gives up: {folder}"


def test_ctrl_c_while_an_agent_thinks_stops_play(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["play", "--screen", "sim", "--size", "beginner", "--agent", faulty("interrupt")]
    assert main([*words, "--json"]) == 5
    assert '"error": "StoppedByUser"' in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        "play --screen sim --size beginner",
        "bench --games 3 --size beginner",
        "bench --games 40 --size beginner --jobs 2",
        "arena table --games 2 --boards beginner",
        "solve {board}",
    ],
)
@pytest.mark.slow
@pytest.mark.parametrize("fault", ["raise", "outside"])
def test_every_command_ends_in_one_sentence(
    fault: str, words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    board = tmp_path / "board.txt"
    board.write_text(f"{BOARD}\n")
    option = "--agents" if words.startswith("arena") else "--agent"
    assert main([*words.format(board=board).split(), option, faulty(fault)]) == 1
    complaint = capfd.readouterr().err
    assert "Traceback" not in complaint
    (sentence,) = (line for line in complaint.splitlines() if "own_agents.py:Faulty" in line)
    assert sentence.startswith(("The agent ", f"{board}: The agent "))


def test_debug_shows_the_traceback_of_the_plugin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--games", "1", "--agent", faulty("raise"), "--debug"]) == 1
    assert "in _raise" in capsys.readouterr().err


def test_what_a_plugin_prints_stays_out_of_the_results(capfd: pytest.CaptureFixture[str]) -> None:
    words = f"bench --games 2 --size beginner --agent {OWN_AGENTS}:Careful --json"
    assert main(words.split()) == 0
    captured = capfd.readouterr()
    assert json.loads(captured.out)["games"] == 2
    assert "thinking" in captured.err
