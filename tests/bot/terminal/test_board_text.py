"""Boards drawn for the terminal: symbols, letters, risks and targets."""

from __future__ import annotations

import pytest

from bot.terminal.board_text import LAST_STYLE, Window, board_text, frontier
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.proof import Proof

BOARD = Board.from_text(
    """
    ####
    1221
    0000
    """,
    mines=2,
)


def test_certain_mines_are_flags_and_frontier_risks_are_percents() -> None:
    text = board_text(BOARD, analyse(BOARD), cell_width=3).plain
    assert text.splitlines()[0].split() == ["0", "⚑", "⚑", "0"]
    even = Board.from_text("##\n11", mines=1)
    text = board_text(even, analyse(even), cell_width=3).plain
    assert text.splitlines()[0].split() == ["50", "50"]


def test_targets_stand_out() -> None:
    text = board_text(BOARD, analyse(BOARD), targets={Cell(0, 0)}, cell_width=3)
    assert text.plain.split()[0] == "✓"
    assert any("bright_cyan" in str(span.style) for span in text.spans)


def test_every_tile_has_a_symbol() -> None:
    every = Board.from_text("#F?*XW\n012345\n678...")
    lines = board_text(every).plain.splitlines()
    assert lines[0].split() == ["·", "⚑", "?", "✱", "✱", "✗"]
    assert lines[2].split() == ["6", "7", "8"]


def test_letters_are_those_of_the_text_form() -> None:
    every = Board.from_text("#F?*XW\n012345\n678...", mines=5)
    text = board_text(every, letters=True, targets=[Cell(0, 0)]).plain
    assert text.isascii()
    assert Board.from_text(text.replace(" ", ""), mines=5) == every


def test_letters_show_certain_cells_in_ascii_too() -> None:
    text = board_text(BOARD, analyse(BOARD), targets={Cell(0, 0)}, cell_width=3, letters=True)
    assert text.plain.isascii()
    assert text.plain.splitlines()[0].split() == ["o", "F", "F", "0"]


def test_the_frontier_is_what_touches_a_number() -> None:
    board = Board.from_text("###1\n###1\n####")
    assert frontier(board).tolist() == [
        [False, False, True, False],
        [False, False, True, False],
        [False, False, True, True],
    ]


def test_rows_and_columns_are_numbered_from_1() -> None:
    wide = Board.from_text("\n".join("#" * 12 for _ in range(10)), mines=3)
    lines = board_text(wide, cell_width=3, labels=True).plain.splitlines()
    assert lines[0].split() == [str(col) for col in range(1, 13)]
    assert [line.split()[0] for line in lines[1:]] == [str(row) for row in range(1, 11)]
    assert lines[0].index("12") + 1 == lines[1].rindex("·")
    narrow = board_text(wide, cell_width=2, labels=True).plain.splitlines()
    assert narrow[0].split() == ["1", "5", "10"]
    assert narrow[0].index("10") + 1 == narrow[1].index("·") + 2 * 9


def test_a_window_shows_a_part_of_a_board_with_its_own_numbers() -> None:
    wide = Board.from_text("\n".join("#" * 30 for _ in range(16)), mines=3)
    window = Window(range(4, 8), range(18, 28))
    lines = board_text(wide, cell_width=3, labels=True, window=window).plain.splitlines()
    assert lines[0].split() == [str(col) for col in range(19, 29)]
    assert [line.split()[0] for line in lines[1:]] == ["5", "6", "7", "8"]


def test_the_last_click_and_a_proof_stand_out() -> None:
    text = board_text(BOARD, last=[Cell(1, 0)])
    assert any(LAST_STYLE in str(span.style) for span in text.spans)
    proof = Proof(Cell(0, 0), False, (Cell(1, 0), Cell(1, 1)))
    styles = [str(span.style) for span in board_text(BOARD, proof=proof).spans]
    assert sum("bright_yellow" in style for style in styles) == 2
    assert sum("bright_magenta" in style for style in styles) == 1


@pytest.mark.parametrize("cell_width", [2, 3])
@pytest.mark.parametrize("letters", [False, True])
def test_without_colours_no_covered_cell_looks_like_an_opened_zero(
    cell_width: int, letters: bool
) -> None:
    board = Board.from_text(
        """
        ##?#F
        12221
        00000
        """,
        mines=3,
    )
    text = board_text(board, analyse(board), cell_width=cell_width, letters=letters).plain
    covered, _, zeros = text.split("\n")
    symbols = [covered[at : at + cell_width].strip() for at in range(0, 5 * cell_width, cell_width)]
    assert all(symbols)
    assert zeros[:cell_width].strip() not in symbols
