"""``minebot bench`` and ``minebot arena``, from their arguments to what they print."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.commands.bench import Bench, match_of, print_table
from bot.commands.parsing import parse
from solver.arena.boards import BoardSet, Size
from solver.arena.matches import Match, PlayedGame, standing
from solver.board import Cell
from solver.extras import install_command
from solver.game import Rule


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.slow
def test_bench_is_the_same_with_more_processes(capsys: Any) -> None:
    words = ("bench", "--size", "6x6x6", "--games", "40", "--agent", "basic", "--json")
    one, two = (lines(run(capsys, *words, "--jobs", jobs)[1])[0] for jobs in ("1", "2"))
    assert {**one, "ms_per_game": 0} == {**two, "ms_per_game": 0}


def test_one_board_is_said_in_the_singular(capsys: Any) -> None:
    match = Match(BoardSet(Size(4, 4, 2), Rule.SAFE), ("basic", "gac"), 2)
    won, lost = (PlayedGame(end, False, 0, 1.0, 0.0) for end in (True, False))
    games = {"basic": [won, won], "gac": [won, lost]}
    print_table(match, [standing(name, played) for name, played in games.items()], games)
    assert "basic won 1 board that gac lost; gac won 0 boards that" in capsys.readouterr().out


def test_the_opening_counts_from_1() -> None:
    for text, cell in (("1,1", Cell(0, 0)), ("3,5", Cell(2, 4))):
        _, asked = parse(["bench", "--size", "5x5x3", "--opening", text])
        assert isinstance(asked, Bench)
        assert match_of(asked).first == cell


def test_bench_goes_on_where_it_was(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "results.jsonl"
    words = ("bench", "--size", "5x5x4", "--agent", "basic", "--json", "--results", str(path))
    run(capsys, *words, "--games", "10")
    _, out, _ = run(capsys, *words, "--games", "25")
    rows = [row for row in lines(path.read_text("utf-8")) if "key" in row]
    assert len({row["key"] for row in rows}) == len(rows) == 25
    assert lines(out)[0]["wins"] == sum(row["won"] for row in rows)
    code, _, err = run(capsys, *words, "--games", "10", "--seed", "1")
    assert code == 2
    assert "other settings" in err


@pytest.mark.slow
def test_sweep_prints_saves_and_draws(tmp_path: Path, capsys: Any) -> None:
    table, chart = tmp_path / "sweep.csv", tmp_path / "sweep.svg"
    words = ("arena", "sweep", "--dim", "5", "--density", "0.1:0.3:0.1", "--games", "4")
    code, out, err = run(capsys, *words, "--csv", str(table), "--plot", str(chart), "--json")
    assert code == 0
    assert str(chart) in err
    points = lines(out)
    assert len(points) == 9
    assert {point["density"] for point in points} == {0.1, 0.2, 0.3}
    assert list(points[0])[:7] == ["agent", "rows", "cols", "density", "mines", "first", "games"]
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["score"]) for row in rows] == [point["score"] for point in points]
    assert chart.read_text("utf-8").lstrip().startswith("<?xml")
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert "double-improved over single-improved" in out


def test_no_figure_of_a_table_is_cut_on_a_narrow_terminal(
    capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.terminal.console.PIPE_COLUMNS", 80)
    agents = "basic,gac,single-improved,double-improved"
    words = ("--dim", "5", "--density", "0.1,0.2", "--games", "2", "--agents", agents)
    _, sweep, _ = run(capsys, "arena", "sweep", *words)
    words = ("--size", "5x5x3", "--games", "2", "--agent", "single-improved:variables=12")
    _, bench, _ = run(capsys, "bench", *words)
    assert "…" not in sweep + bench
    # The heading, one line an agent and density, one sentence a pair of neighbours.
    assert len(sweep.splitlines()) == 2 + 4 * 2 + 3


@pytest.mark.slow
def test_table_stands_beside_the_papers(tmp_path: Path, capsys: Any) -> None:
    chart, folder = tmp_path / "table.png", tmp_path / "results"
    words = ("arena", "table", "--games", "3", "--agents", "gac,tank", "--boards", "beginner")
    more = ("--plot", str(chart), "--results", str(folder))
    code, out, _ = run(capsys, *words, *more, "--json")
    assert code == 0
    records = lines(out)
    assert [(r["agent"], r["first"]) for r in records] == [
        (agent, first) for first in ("safe", "zero") for agent in ("gac", "tank")
    ]
    assert records[0]["papers"] == [
        {
            "source": "thesis, table 5.1",
            "win_rate": 0.25,
            "opened_before_loss": None,
            "games": 1000,
        }
    ]
    for rule in ("safe", "zero"):
        assert (tmp_path / f"table-{rule}.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in folder.iterdir()) == [
        "9x9x10-safe.jsonl",
        "9x9x10-zero.jsonl",
    ]
    code, out, _ = run(capsys, *words)
    assert "Stanford" in out
    assert "25 %" in out


def test_charts_say_what_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = run(capsys, "arena", "sweep", "--games", "1", "--plot", "chart.png")
    assert code == 2
    assert f"Charts need the extra 'plots': run {install_command('plots')}." in err


def test_a_cluster_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    words = ("bench", "--size", "5x5x4", "--agent", "basic", "--games", "30")
    code, _, err = run(capsys, *words, "--scheduler", "tcp://127.0.0.1:1")
    assert code == 2
    assert f"run {install_command('dask')}." in err


def test_the_results_folder_of_a_table_is_checked_by_the_files_it_gets(
    tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "4x4x2-zero.jsonl").mkdir()
    words = ("arena", "table", "--boards", "4x4x2", "--agents", "basic", "--games", "1")
    code, out, err = run(capsys, *words, "--results", str(tmp_path))
    assert (code, out) == (2, "")
    assert "4x4x2-zero.jsonl cannot be written" in err
    (tmp_path / "4x4x2-zero.jsonl").rmdir()
    (tmp_path / "games.jsonl").mkdir()
    assert run(capsys, *words, "--results", str(tmp_path))[0] == 0
