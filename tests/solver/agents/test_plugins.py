"""Agents from files and installed packages: found, listed, and stopped when they misbehave."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bot.cli import main
from bot.terminal.manual.play import ManualPlay
from solver.agents import agent_names, make_agent
from solver.agents.plugins.client import PluginAgent
from solver.agents.registry import BUILT_IN
from solver.arena.boards import Size
from solver.board import Board, Cell
from solver.errors import AgentFailed, InconsistentBoard, UnknownAgent
from solver.game import Rule

pytestmark = pytest.mark.slow  # every test starts processes

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


# ---- found ---------------------------------------------------------------------------------------


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


def test_a_function_that_returns_an_agent_works_like_a_class() -> None:
    assert make_agent(f"{OWN_AGENTS}:careful").decide(BOARD).moves


def test_a_path_is_as_the_person_types_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(OWN_AGENTS.parent)
    for file in ("own_agents.py", "./own_agents.py", "../agents/own_agents.py"):
        agent = make_agent(f"{file}:Careful")
        assert agent.name == f"{file}:Careful"
        assert agent.decide(BOARD).moves


def test_a_flagged_cell_is_never_opened() -> None:
    agent = make_agent(f"{OWN_AGENTS}:Careful")
    decision = agent.decide(Board.from_text("F0\n00", 0))
    assert [move.action.value for move in decision.moves] == ["flag"]


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


@pytest.mark.usefixtures("package")
def test_a_built_in_agent_keeps_its_name() -> None:
    assert not isinstance(make_agent("deep"), PluginAgent)


def test_two_packages_with_the_same_agent_are_an_error(package: Path) -> None:
    offer(package, "other-0.1", "careful = other:Careful")
    with pytest.raises(UnknownAgent, match=r"other 0\.1"):
        make_agent("careful")


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


def test_manual_play_comes_back_to_an_agent_from_a_file() -> None:
    name = f"{OWN_AGENTS}:Careful"
    manual = ManualPlay(Size(5, 5, 3), agent=name)
    assert manual.ask().moves
    assert manual.agent_after(1) == BUILT_IN[0]
    assert manual.agent_after(-1) == BUILT_IN[-1]
    manual.choose_agent(BUILT_IN[-1])
    assert manual.agent_after(1) == name


# ---- stopped -------------------------------------------------------------------------------------

FAULTS = {
    "constructor": r"raised OSError: the disk is gone \(own_agents.py, line \d+\)",
    "raise": r"raised ValueError: the cat sat on it \(own_agents.py, line \d+\)",
    "loop": "did not answer within 1 s",
    "sleep": "did not answer within 1 s",
    "exit": "ended with exit code 7",
    "leave": "raised SystemExit: bye",
    "none": "returned None and not a Decision",
    "text": "as its moves",
    "half": "as a move",
    "pairs": "as a move",
    "off": "row 3, column 0.*not on the 3x3 board",
    "before": "row 0, column -1.*not on the 3x3 board",
    "open": "row 1, column 1.*not covered",
    "chord": "not an open number",
    "twice": "names a cell twice",
    "nothing": "makes no move while 8 cells are covered",
    "likely": "1.5 as its survival",
    "nan": "nan as its win",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_plugin_that_misbehaves_is_named_in_one_sentence(fault: str) -> None:
    with pytest.raises(AgentFailed, match=FAULTS[fault]) as raised:
        make_agent(faulty(fault)).decide(BOARD)
    sentence = str(raised.value)
    assert "own_agents.py:Faulty" in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("attribute", "complaint"),
    [
        ("plain", "no method decide"),
        ("NUMBER", "neither a class"),
        ("Careful.decide", "FILE.py:Class"),
    ],
)
def test_an_invalid_agent_is_named(attribute: str, complaint: str) -> None:
    with pytest.raises((AgentFailed, UnknownAgent), match=complaint):
        make_agent(f"{OWN_AGENTS}:{attribute}")


def test_a_file_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import a_module_of_no_package\n")
    with pytest.raises(AgentFailed, match=r"raised ModuleNotFoundError: .*line 1"):
        make_agent(f"{broken}:Agent")
    broken.write_text("import os\n\nclass Agent\n")
    with pytest.raises(AgentFailed, match=r"SyntaxError: expected ':' \(broken.py, line 3\)\."):
        make_agent(f"{broken}:Agent")


HOSTILE_AGENTS = """
import faulthandler, json, os, time
from solver.agents.base import Decision, Move
from solver.board import Cell

def write(text):
    for pipe in range(3, 20):
        try:
            os.write(pipe, text)
        except OSError:
            pass

class Hostile:
    decision_limit_s = 1.0

    def __init__(self, way=""):
        self.way = way

    def decide(self, board):
        getattr(self, self.way)()

    def fork(self):
        os.fork()
        time.sleep(100)

    def silent(self):
        faulthandler.cancel_dump_traceback_later()
        time.sleep(100)

    def forged(self):
        for number in range(9):
            answer = {"number": number, "moves": [[99, 99, "open"]], "reason": "x"}
            write(json.dumps(answer | {"survival": 1.0, "win": None}).encode() + b"\\n")
        time.sleep(100)

    def deep(self):
        write(b"[" * 100_000 + b"\\n")
        time.sleep(100)

    def figures(self):
        write(b'{"number": 1, "moves": 3}\\n')
        time.sleep(100)

class Loud:
    def decide(self, board):
        return Decision((Move(Cell(0, 0)),), "\\x1b[2J" + "x" * 5000, 0.5)
"""


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("way", "says"),
    [
        ("fork", "did not answer within 1 s"),
        ("silent", "did not answer within 1 s"),
        ("forged", "row 99, column 99.*not on the 3x3 board"),
        ("deep", "wrote among its answers what is none"),
        ("figures", "answered what is no decision"),
    ],
)
def test_a_hostile_plugin_is_ended_with_all_it_started(way: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.py"
    file.write_text(HOSTILE_AGENTS)
    agent = make_agent(f"{file}:Hostile:way={way}")
    process = agent._process._process  # type: ignore[attr-defined]
    with pytest.raises(AgentFailed, match=says):
        agent.decide(BOARD)
    if way in ("fork", "silent", "deep"):
        deadline = time.monotonic() + 10.0  # killed, but it may take the system a moment
        while running_in_group(process.pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not running_in_group(process.pid)


def running_in_group(group: int) -> list[str]:
    """Return the states of the processes of a group that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            state, _, its_group, *_ = path.read_text("utf-8").rpartition(")")[2].split()
            found += [state] if int(its_group) == group and state != "Z" else []
    return found


def test_a_reason_is_short_and_holds_no_codes(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(HOSTILE_AGENTS)
    reason = make_agent(f"{tmp_path / 'loud.py'}:Loud").decide(BOARD).reason
    assert reason.isprintable()
    assert len(reason) <= 1000


def test_flags_without_end_are_noticed() -> None:
    agent = make_agent(faulty("flags"))
    for _ in range(2 * BOARD.tiles.size):
        agent.decide(BOARD)
    with pytest.raises(AgentFailed, match="flags without end"):
        agent.decide(BOARD)


def test_giving_up_is_explicit() -> None:
    decision = make_agent(faulty("up")).decide(BOARD)
    assert (decision.moves, decision.reason) == ((), "gives up: it has enough")


def test_an_inconsistent_board_is_not_blamed_on_the_plugin() -> None:
    with pytest.raises(InconsistentBoard, match="No layout"):
        make_agent(faulty("impossible")).decide(BOARD)


def test_after_a_fault_the_next_question_is_answered() -> None:
    stuck, well = make_agent(faulty("loop")), make_agent(faulty("up"))
    for _ in range(2):
        with pytest.raises(AgentFailed, match="did not answer"):
            stuck.decide(BOARD)
        assert well.decide(BOARD).reason.startswith("gives up")


def test_many_agents_of_one_plugin_share_a_process() -> None:
    make_agent(f"{OWN_AGENTS}:Careful")
    start = time.perf_counter()
    agents = [make_agent(f"{OWN_AGENTS}:Careful", seed=seed) for seed in range(40)]
    assert all(agent.decide(BOARD).moves for agent in agents)
    assert time.perf_counter() - start < 20, "forty processes would take longer"


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
@pytest.mark.parametrize("fault", ["raise", "loop", "off"])
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


def test_what_a_plugin_prints_stays_out_of_the_results(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN_AGENTS.read_text("utf-8"), "utf-8")
    words = f"bench --games 2 --size beginner --agent {file}:Careful --json"
    assert main(words.split()) == 0
    captured = capfd.readouterr()
    assert json.loads(captured.out)["games"] == 2
    assert "thinking" in captured.err


def test_a_plugin_process_imports_the_same_program() -> None:
    assert make_agent(f"{OWN_AGENTS}:Careful").decide(BOARD).moves
    assert "minebot_plugin_own_agents" not in sys.modules, "its code runs elsewhere only"
