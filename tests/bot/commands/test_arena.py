"""``minebot bench`` and ``minebot arena``: files, processes and openings."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bot.commands.bench import Bench, match_of, print_table
from bot.commands.parsing import parse
from solver.arena.boards import BoardSet, Size
from solver.arena.matches import Match, PlayedGame, standing
from solver.board import Cell
from solver.game import Rule
from tests.bot.command_line import Capture, complaint, run


@pytest.mark.slow
def test_bench_is_the_same_with_more_processes(capsys: Capture) -> None:
    words = ("bench", "--size", "6x6x6", "--games", "40", "--agent", "basic", "--jobs")
    one, two = (run(capsys, *words, jobs)[1][0] for jobs in ("1", "2"))
    assert {**one, "ms_per_game": 0} == {**two, "ms_per_game": 0}


def test_one_board_is_said_in_the_singular(capsys: Capture) -> None:
    match = Match(BoardSet(Size(4, 4, 2), Rule.SAFE), ("basic", "gac"), 2)
    won, lost = (PlayedGame(end, False, 0, 1.0, 0.0) for end in (True, False))
    games = {"basic": [won, won], "gac": [won, lost]}
    print_table(match, [standing(name, played) for name, played in games.items()], games)
    assert "basic won 1 board that gac lost; gac won 0 boards that" in capsys.readouterr().out


@pytest.mark.parametrize(("text", "cell"), [("1,1", Cell(0, 0)), ("3,5", Cell(2, 4))])
def test_the_opening_counts_from_1(text: str, cell: Cell) -> None:
    _, asked = parse(["bench", "--size", "5x5x3", "--opening", text])
    assert isinstance(asked, Bench)
    assert match_of(asked).first == cell


@pytest.mark.slow
def test_sweep_saves_and_draws(tmp_path: Path, capsys: Capture) -> None:
    table, chart = tmp_path / "sweep.csv", tmp_path / "sweep.svg"
    words = ("arena", "sweep", "--dim", "5", "--density", "0.1:0.3:0.1", "--games", "4")
    code, points, err = run(capsys, *words, "--csv", table, "--plot", chart)
    assert (code, str(chart) in err) == (0, True)
    assert [point["density"] for point in points] == [0.1, 0.2, 0.3] * 3
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["score"]) for row in rows] == [point["score"] for point in points]
    assert chart.read_text("utf-8").lstrip().startswith("<?xml")


@pytest.mark.slow
def test_table_draws_a_chart_and_keeps_results_for_each_rule(
    tmp_path: Path, capsys: Capture
) -> None:
    words = ("arena", "table", "--games", "3", "--agents", "gac,tank", "--boards", "beginner")
    more = ("--plot", tmp_path / "table.png", "--results", tmp_path / "results")
    assert run(capsys, *words, *more)[0] == 0
    for rule in ("safe", "zero"):
        assert (tmp_path / f"table-{rule}.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / "results" / f"9x9x10-{rule}.jsonl").is_file()


def test_the_results_folder_of_a_table_is_checked_by_the_files_it_gets(
    tmp_path: Path, capsys: Capture
) -> None:
    words = ("arena", "table", "--boards", "4x4x2", "--agents", "basic", "--games", "1")
    (tmp_path / "games.jsonl").mkdir()
    assert run(capsys, *words, "--results", tmp_path)[0] == 0
    (tmp_path / "4x4x2-zero.jsonl").unlink()
    (tmp_path / "4x4x2-zero.jsonl").mkdir()
    code, sentence = complaint(capsys, *words, "--results", tmp_path)
    assert (code, "4x4x2-zero.jsonl cannot be written" in sentence) == (2, True)
