"""Boards as text with colours; risks as colours and in percent."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.theme import Theme

from bot.terminal.board_text import LAST, VisiblePart, board_text, frontier, heat, short_percent
from bot.terminal.console import PALETTES
from solver.analysis import Analysis, analyse
from solver.board import TEXT_OF_TILE, Board, Cell
from solver.counting import percent
from solver.errors import SolverError
from solver.game import Game, Rule
from solver.proof import Proof

BOARD = Board.from_text(
    """
    ####
    1221
    0000
    """,
    mines=2,
)


def test_targets_stand_out() -> None:
    text = board_text(BOARD, analyse(BOARD), targets={Cell(0, 0)}, cell_width=3)
    assert text.plain.split()[0] == "✓"
    assert any(span.style == "tile.target" for span in text.spans)


def test_every_tile_has_a_symbol() -> None:
    every = Board.from_text("#F?*XW\n012345\n678...")
    lines = board_text(every).plain.splitlines()
    assert lines[0].split() == ["·", "⚑", "?", "✱", "X", "✗"]
    assert lines[2].split(" ")[:3] == ["6", "7", "8"]


def test_letters_show_certain_cells_in_ascii_too() -> None:
    text = board_text(BOARD, analyse(BOARD), targets={Cell(0, 0)}, cell_width=3, letters=True)
    assert text.plain.isascii()
    assert text.plain.splitlines()[0].split() == ["v", "!", "!", "v"]


def test_the_frontier_is_what_touches_a_number() -> None:
    board = Board.from_text("###1\n###1\n####")
    assert frontier(board).tolist() == [
        [False, False, True, False],
        [False, False, True, False],
        [False, False, True, True],
    ]


def test_a_window_shows_a_part_of_a_board_with_its_own_numbers() -> None:
    wide = Board.from_text("\n".join("#" * 30 for _ in range(16)), mines=3)
    window = VisiblePart(range(4, 8), range(18, 28))
    lines = board_text(wide, cell_width=3, labels=True, window=window).plain.splitlines()
    assert lines[0].split() == [str(col) for col in range(19, 29)]
    assert [line.split()[0] for line in lines[1:]] == ["5", "6", "7", "8"]


def test_the_last_click_and_a_proof_stand_out() -> None:
    text = board_text(BOARD, last=[Cell(1, 0)])
    assert any(span.style == LAST for span in text.spans)
    proof = Proof(Cell(0, 0), False, (Cell(1, 0), Cell(1, 1)))
    styles = [str(span.style) for span in board_text(BOARD, proof=proof).spans]
    assert sum(style == "tile.proof" for style in styles) == 2
    assert sum(style == "tile.proved" for style in styles) == 1


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


TILES = st.sampled_from(sorted(TEXT_OF_TILE))


@st.composite
def positions(draw: st.DrawFn) -> tuple[Board, Analysis | None, list[Cell]]:
    """A game broken off somewhere, with marks, its analysis, and some cells."""
    size = draw(st.sampled_from([(1, 1, 0), (1, 12, 3), (5, 5, 4), (9, 9, 10), (12, 31, 70)]))
    game = Game.random(*size, rule=Rule.SAFE, seed=draw(st.integers(0, 10**6)))
    cells = list(game.board.cells())
    picked = draw(st.lists(st.sampled_from(cells), max_size=12))
    for cell in picked:
        draw(st.sampled_from([game.open, game.open, game.open, game.flag]))(cell)
    try:
        return game.board, analyse(game.board), picked
    except SolverError:  # a lost game
        return game.board, None, picked


@settings(deadline=None, max_examples=60)
@given(
    positions(),
    st.sampled_from([2, 3]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_every_board_that_is_drawn_is_read_back(
    position: tuple[Board, Analysis | None, list[Cell]],
    cell_width: int,
    letters: bool,
    analysed: bool,
    framed: bool,
    coloured: bool,
) -> None:
    """Risks, certain cells, moves and the last click are drawn over tiles and change none.

    A text that was kept as the terminal got it has colours between the tiles.
    """
    board, analysis, picked = position
    drawn = board_text(
        board,
        analysis if analysed else None,
        targets=picked[:3],
        last=picked[3:],
        cell_width=cell_width,
        letters=letters,
        labels=True,
    )
    text = drawn.plain
    if coloured:
        console = Console(
            theme=Theme(PALETTES["dark"]), force_terminal=True, color_system="truecolor", width=200
        )
        with console.capture() as sent:
            console.print(drawn)
        text = sent.get()
    elif framed:
        lines = text.split("\n")
        width = max(map(len, lines)) + 2
        text = f"╭{'─' * width}╮\n" + "\n".join(f"│ {one:{width - 2}} │" for one in lines)
        text += f"\n╰{'─' * width}╯"
    assert Board.from_text(f"Board of the game\n{text}\nOpen row 1", board.mines) == board


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 40).flatmap(
        lambda cols: st.lists(st.lists(TILES, min_size=cols, max_size=cols), min_size=1)
    )
)
def test_any_tiles_with_labels_are_read_back(rows: list[list[int]]) -> None:
    board = Board(rows)
    for cell_width in (2, 3):
        assert Board.from_text(board_text(board, cell_width=cell_width, labels=True).plain) == board


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (1.0, "100 %"),
        (0.0, "0 %"),
        (0.9999, "99.990 %"),
        (0.000109, "0.011 %"),
        (1e-9, "under 0.0001 %"),
        (1 - 1e-12, "99.9999 %"),
        (0.794, "79.4 %"),
    ],
)
def test_only_certainty_reads_a_hundred_percent(chance: float, text: str) -> None:
    assert percent(chance) == text


def test_heat_runs_from_green_over_yellow_to_red() -> None:
    assert heat(1 / 3) == (250, 230, 80)
    assert heat(0.0) == (70, 200, 90)
    assert heat(1.0) == (225, 60, 50)


@pytest.mark.parametrize(
    ("risk", "whole", "tenths"),
    [
        (0.0, "0", "0"),
        (0.0001, "1", "0.1"),
        (0.034, "3", "3.4"),
        (0.104, "10", "10"),
        (0.9999, "99", "99"),
        (1.0, "100", "100"),
    ],
)
def test_a_cell_reads_0_or_100_only_where_it_is_certain(
    risk: float, whole: str, tenths: str
) -> None:
    assert short_percent(risk) == whole
    assert short_percent(risk, tenths=True) == tenths
