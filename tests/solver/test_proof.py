"""Proofs of certain cells: sufficient, minimal, and said in one sentence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.analysis import analyse
from solver.board import Board, Cell, Tile
from solver.errors import BadCell, InconsistentBoard
from solver.game import Game, Rule
from solver.proof import Proof, contradiction, explain, prove


def risk_by(board: Board, cell: Cell, numbers: tuple[Cell, ...], uses_total: bool) -> float:
    """Compute the risk of a cell where only ``numbers`` are known."""
    tiles = board.tiles.copy()
    for open_cell in board.cells():
        if board.open[open_cell] and open_cell not in numbers:
            tiles[open_cell] = Tile.WRONG_FLAG
    total = board.mines if uses_total else None
    return float(analyse(Board(tiles, total)).probabilities[cell])


def check(board: Board, proof: Proof) -> None:
    """Check that a proof is enough, and that no part of it can be left out."""
    certain = 1.0 if proof.mine else 0.0
    assert risk_by(board, proof.cell, proof.numbers, proof.uses_total) == certain
    for left_out in proof.numbers:
        rest = tuple(number for number in proof.numbers if number != left_out)
        assert risk_by(board, proof.cell, rest, proof.uses_total) != certain
    if proof.uses_total:
        assert risk_by(board, proof.cell, proof.numbers, False) != certain


def position(rows: int, cols: int, mines: int, seed: int, share: float) -> Board:
    """Draw a position: a random layout with a share of its safe cells open."""
    game = Game.random(rows, cols, mines, rule=Rule.ZERO, seed=seed)
    dice = np.random.default_rng(seed)
    game.open(Cell(rows // 2, cols // 2))
    assert game.mines is not None
    for cell in game.board.cells():
        if not game.mines[cell] and dice.random() < share:
            game.open(cell)
    return game.board


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.0, 0.2, 0.5]))
def test_proofs_are_sufficient_and_minimal(seed: int, share: float) -> None:
    board = position(8, 8, 12, seed, share)
    analysis = analyse(board)
    for cell in (*analysis.safe[:3], *analysis.mines[:3]):
        proof = prove(board, cell)
        assert proof is not None
        check(board, proof)
        assert explain(board, proof).endswith(".")


def test_the_mine_total_is_part_of_a_proof_only_where_it_is_needed() -> None:
    board = Board.from_text("1#\n##", 1)
    assert prove(board, Cell(0, 1)) is None
    corner = Board.from_text("1##\n###", 3)
    assert prove(corner, Cell(0, 2)) == Proof(Cell(0, 2), True, (Cell(0, 0),), uses_total=True)
    full = Board.from_text("##", 2)
    assert prove(full, Cell(0, 0)) == Proof(Cell(0, 0), True, (), uses_total=True)
    empty = Board.from_text("1F#", 1)
    assert prove(empty, Cell(0, 2)) == Proof(Cell(0, 2), False, (Cell(0, 0),), uses_total=True)


@pytest.mark.parametrize(
    ("text", "mines", "cell", "sentence"),
    [
        (
            "1#\n11",
            None,
            Cell(0, 1),
            "The 1 at row 1, column 1 has only 1 cell left for its mines: row 1, column 2.",
        ),
        ("1#\n1#\n0#", None, Cell(2, 1), "The 0 at row 3, column 1 has no mine beside it."),
        (
            "11#\n1##\n###",
            None,
            Cell(1, 2),
            "The 1 at row 1, column 2 has its mine at row 2, column 2 "
            "(shown by the 1 at row 1, column 1).",
        ),
        ("##", 2, Cell(0, 0), "As many covered cells are left as mines, 2 in all."),
        ("##", 0, Cell(0, 0), "All 0 mines are known, so every other covered cell is safe."),
    ],
)
def test_a_proof_is_explained_in_one_sentence(
    text: str, mines: int | None, cell: Cell, sentence: str
) -> None:
    board = Board.from_text(text, mines)
    proof = prove(board, cell)
    assert (proof and explain(board, proof)) == sentence


def test_only_covered_cells_have_proofs() -> None:
    board = Board.from_text("1#\n##")
    for cell in (Cell(0, 0), Cell(5, 0), Cell(0, -1)):
        with pytest.raises(BadCell):
            prove(board, cell)


@pytest.mark.parametrize(
    ("rows", "mines", "named"),
    [
        ("1##\n#1#\n##4", None, "the 4 at row 3, column 3"),
        ("1#\n#1", 1, ""),
        ("F1#\n11#\n###", 1, ""),  # a flag is an opinion
        ("1F#\n11#\n00#", 2, "the 1 at row 2, column 2 and the mine total"),
        ("#2#\n###\n###\n0##\n#1#", None, ""),
        ("###\n###\n###", 3, ""),
        ("0#1", None, "the 0 at row 1, column 1 and the 1 at row 1, column 3"),
    ],
)
def test_the_numbers_that_contradict_each_other_are_named(
    rows: str, mines: int | None, named: str
) -> None:
    assert contradiction(Board.from_text(rows, mines)) == named


def test_a_contradiction_is_found_on_a_large_board() -> None:
    board = position(60, 60, 500, 3, 0.5)
    tiles = board.tiles.copy()
    row, col = np.argwhere(tiles == 1)[40]
    tiles[row, col] = 8
    wrong = Board(tiles, board.mines)
    with pytest.raises(InconsistentBoard):
        analyse(wrong)
    assert f"the 8 at row {row + 1}, column {col + 1}" in contradiction(wrong)
