"""Boards from seeds and files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.arena.boards import BoardSet, Size, read_boards
from solver.board import Cell
from solver.errors import BadBoards
from solver.game import Rule


def boards_file(path: Path, **changes: Any) -> Path:
    data = {
        "rows": 2,
        "cols": 3,
        "mines": 1,
        "rule": "safe",
        "first": [0, 1],
        "boards": [{"order": [1, 5, 0, 2, 3, 4]}, {"order": [4, 1, 0, 2, 3, 5]}],
    }
    path.write_text(json.dumps(data | changes))
    return path


@pytest.mark.parametrize(
    ("text", "size"),
    [("expert", Size(16, 30, 99)), ("5x7x9", Size(5, 7, 9)), ("thesis-hard", Size(16, 30, 85))],
)
def test_sizes_read(text: str, size: Size) -> None:
    assert Size.parse(text) == size
    assert Size.parse(str(size)) == size


@pytest.mark.parametrize("text", ["huge", "5x5", "axbxc", "0x5x1", "401x5x1", "5x5x-1"])
def test_invalid_sizes(text: str) -> None:
    with pytest.raises(BadBoards):
        Size.parse(text)
    with pytest.raises(BadBoards, match=r"^1 mine leaves no safe cell on a 1x1 board"):
        Size(1, 1, 1)


def test_one_order_serves_any_first_click(tmp_path: Path) -> None:
    boards = read_boards(boards_file(tmp_path / "boards.json"))
    for first, mine in [(Cell(0, 1), Cell(1, 2)), (Cell(1, 2), Cell(0, 1))]:
        game = boards.game(0)
        game.open(first)
        assert game.mines is not None
        assert np.argwhere(game.mines).tolist() == [list(mine)]
    assert boards.first == Cell(0, 1)
    assert len(boards) == 2
    assert read_boards(tmp_path / "boards.json", Rule.ZERO).rule is Rule.ZERO


def test_a_seeded_board_depends_on_its_number_alone() -> None:
    boards = BoardSet(Size(6, 6, 9), Rule.SAFE, seed=5)
    again = BoardSet(Size(6, 6, 9), Rule.SAFE, seed=5)
    assert [boards.order(k) for k in (3, 1)] == [again.order(k) for k in (3, 1)]
    assert boards.order(1) != boards.order(2)
    assert boards.order(1) != BoardSet(Size(6, 6, 9), Rule.SAFE, seed=6).order(1)
    with pytest.raises(TypeError):
        len(boards)


@pytest.mark.parametrize(
    "changes",
    [
        {"boards": []},
        {"boards": [{"order": [1, 2]}]},
        {"boards": [{"order": [0, 0, 1, 2, 3, 4]}]},
        {"boards": [{"order": [0, 1, 2, 3, 4, 6]}]},
        {"boards": [{}]},
        {"rule": "kind"},
        {"rows": "two"},
        {"rows": 2.0},
        {"boards": [{"order": [0, 1, 2, 3, 4, float("inf")]}]},
        {"boards": [[0, 1]]},
        {"boards": 5},
        {"first": ["", 0]},
        {"first": [0, 9]},
    ],
)
def test_refuses_an_invalid_file_of_boards(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(BadBoards, match=r"boards\.json"):
        read_boards(boards_file(tmp_path / "boards.json", **changes))


def test_refuses_what_is_no_file_of_boards(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("###\n")
    with pytest.raises(BadBoards, match=r"board\.txt is not a file of boards: it is not JSON\.$"):
        read_boards(tmp_path / "board.txt")
    with pytest.raises(BadBoards, match="No such file"):
        read_boards(tmp_path / "none.json")
