"""Boards as text with colours; risks as colours and in percent."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from operator import itemgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from bot.terminal.board_text import VisiblePart, board_text, frontier, heat, short_percent
from bot.terminal.console import PALETTES
from solver.analysis import Analysis, analyse
from solver.board import TEXT_OF_TILE, Board, Cell
from solver.counting import percent
from solver.errors import SolverError
from solver.game import Game, Rule
from solver.proof import Proof

BOARD = Board.from_text("####\n1221\n0000", mines=2)
EVERY = Board.from_text("#F?*XW\n012345\n678...")
WIDE = Board.from_text("\n".join("#" * 30 for _ in range(16)), mines=3)
GUESS = Board.from_text("##?#F\n12221\n00000", mines=3)


def test_how_boards_are_drawn(compare: Callable[[str, str], None]) -> None:
    """Each line of signs is followed by their styles, from left to right."""
    certain, targets = analyse(BOARD), {Cell(0, 0)}
    proof = Proof(Cell(0, 0), False, (Cell(1, 0), Cell(1, 1)))
    part = VisiblePart(range(4, 8), range(18, 28))
    drawn = {
        "every tile": board_text(EVERY),
        "certain cells": board_text(BOARD, certain, targets=targets, cell_width=3),
        "in ASCII": board_text(BOARD, certain, targets=targets, cell_width=3, letters=True),
        "risks": board_text(GUESS, analyse(GUESS), cell_width=3),
        "risks in two characters": board_text(GUESS, analyse(GUESS), cell_width=2),
        "the last click": board_text(BOARD, last=[Cell(1, 0)]),
        "a proof": board_text(BOARD, proof=proof),
        "a part": board_text(WIDE, cell_width=3, labels=True, window=part),
    }
    compare("boards", "\n".join(f"{name}\n{with_styles(text)}\n" for name, text in drawn.items()))


def with_styles(text: Text) -> str:
    """Return the lines of a text, each with the styles of its parts."""
    lines = []
    for line in text.split("\n"):
        runs = groupby(
            sorted((one.start, one.end, str(one.style)) for one in line.spans), itemgetter(2)
        )
        lines += [
            line.plain.rstrip(),
            "    " + ", ".join(f"{len([*run])} {style}" for style, run in runs),
        ]
    return "\n".join(lines)


def test_the_frontier_is_what_touches_a_number() -> None:
    board = Board.from_text("###1\n###1\n####")
    assert frontier(board).astype(int).tolist() == [[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 1]]


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


@settings(max_examples=60)
@given(
    positions(),
    st.sampled_from([2, 3]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["plain", "framed", "coloured"]),
)
def test_every_board_that_is_drawn_is_read_back(
    position: tuple[Board, Analysis | None, list[Cell]],
    cell_width: int,
    letters: bool,
    analysed: bool,
    how: str,
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
    if how == "coloured":
        console = Console(
            theme=Theme(PALETTES["dark"]), force_terminal=True, color_system="truecolor", width=200
        )
        with console.capture() as sent:
            console.print(drawn)
        text = sent.get()
    elif how == "framed":
        lines = text.split("\n")
        width = max(map(len, lines)) + 2
        text = f"╭{'─' * width}╮\n" + "\n".join(f"│ {one:{width - 2}} │" for one in lines)
        text += f"\n╰{'─' * width}╯"
    assert Board.from_text(f"Board of the game\n{text}\nOpen row 1", board.mines) == board


@settings(max_examples=60)
@given(
    st.integers(1, 40).flatmap(
        lambda cols: st.lists(st.lists(TILES, min_size=cols, max_size=cols), min_size=1)
    ),
    st.sampled_from([2, 3]),
)
def test_any_tiles_with_labels_are_read_back(rows: list[list[int]], cell_width: int) -> None:
    board = Board(rows)
    assert Board.from_text(board_text(board, cell_width=cell_width, labels=True).plain) == board


@pytest.mark.parametrize(
    ("chance", "text", "whole", "tenths"),
    [
        (0.0, "0 %", "0", "0"),
        (1e-9, "under 0.0001 %", "1", "0.1"),
        (0.000109, "0.011 %", "1", "0.1"),
        (0.034, "3.4 %", "3", "3.4"),
        (0.104, "10.4 %", "10", "10"),
        (0.794, "79.4 %", "79", "79"),
        (0.9999, "99.990 %", "99", "99"),
        (1 - 1e-12, "99.9999 %", "99", "99"),
        (1.0, "100 %", "100", "100"),
    ],
)
def test_only_certainty_reads_0_or_100_percent(
    chance: float, text: str, whole: str, tenths: str
) -> None:
    assert percent(chance) == text
    assert (short_percent(chance), short_percent(chance, tenths=True)) == (whole, tenths)


def test_heat_runs_from_green_over_yellow_to_red() -> None:
    assert [heat(risk) for risk in (0.0, 1 / 3, 1.0)] == [
        (70, 200, 90),
        (250, 230, 80),
        (225, 60, 50),
    ]
