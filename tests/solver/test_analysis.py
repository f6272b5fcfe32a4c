"""Exact probabilities: against brute force, independent figures, and what must hold of any."""

import random
import re
from collections import Counter
from math import comb, log10

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.agents import make_agent
from solver.agents.tank import decide
from solver.analysis import (
    analyse,
    certain_cells,
    layouts_by_total,
    number_chances,
    sample_layouts,
    what_follows,
)
from solver.board import Board, Cell, Tile, count_neighbours
from solver.errors import BadCell, InconsistentBoard, TooManyPlacements
from tests.solver.brute import expert_positions, layouts, random_board


@pytest.mark.slow
@pytest.mark.parametrize("mines", [None, 100])
def test_a_board_too_large_to_count_is_refused(mines: int | None) -> None:
    rows = ["".join("1" if row % 2 and col % 2 else "#" for col in range(28)) for row in range(28)]
    board = Board.from_text("\n".join(rows), mines=mines)
    with pytest.raises(TooManyPlacements, match="too many placements"):
        analyse(board)
    certain = certain_cells(board.tiles)  # it does not take more than a moment, and says nothing
    assert certain is not None
    assert not np.any(certain)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("unknown", [False, True])
def test_brute_force_agrees(seed: int, unknown: bool) -> None:
    """An unknown cell may be a mine, has no risk, and is not opened."""
    rng = random.Random(seed)
    for _ in range(10 if unknown else 50):
        board = random_board(rng, most_covered=10)
        if unknown:
            tiles = board.tiles.copy()
            tiles[rng.randrange(board.rows), rng.randrange(board.cols)] = Tile.UNKNOWN
            board = Board(tiles, board.mines)
        found, any_total = certain_cells(board.tiles), layouts(board.with_mines(None))
        assert (found is not None) == bool(any_total)
        if found is not None:
            assert (found[0] == (board.covered & np.all(any_total, axis=0))).all()
            assert (found[1] == (board.covered & ~np.any(any_total, axis=0))).all()
        fitting = layouts(board)
        if not fitting:
            with pytest.raises(InconsistentBoard):
                analyse(board)
            continue
        known = analyse(board)
        expected = np.where(board.covered, np.mean(fitting, axis=0), np.nan)
        np.testing.assert_allclose(known.probabilities, expected, atol=1e-12)
        assert known.solutions_log10 == pytest.approx(log10(len(fitting)), abs=1e-9)
        assert set(known.safe) == {c for c in board.cells() if expected[c] == 0}
        assert set(known.mines) == {c for c in board.cells() if expected[c] == 1}
        assert known.exact
        if unknown:
            opened = [move.cell for move in decide(make_agent("deep"), board).moves]
            assert all(board.covered[cell] for cell in opened)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_number_chances_equal_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    board = random_board(rng, most_covered=10)
    covered = [cell for cell in board.cells() if board.covered[cell]]
    if not covered:
        return
    cell = rng.choice(covered)
    fitting = layouts(board)
    if not fitting:
        with pytest.raises(InconsistentBoard):
            number_chances(board, cell)
        return
    following: dict[int, list] = {}
    for mined in fitting:
        if not mined[cell]:
            number = sum(mined[near] for near in board.neighbours(cell))
            following.setdefault(number, []).append(mined)
    expected, safe = np.zeros(9), np.zeros(9)
    for number, kept in following.items():
        expected[number] = len(kept) / len(fitting)
        safe[number] = (board.covered & ~np.any(kept, axis=0)).sum() - 1  # less the open cell
    chances, safe_then = what_follows(board, cell)
    np.testing.assert_allclose(chances, expected, atol=1e-12)
    np.testing.assert_array_equal(chances, number_chances(board, cell))
    np.testing.assert_array_equal(safe_then, safe)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_layouts_of_each_total_as_brute_force_counts_them(seed: int) -> None:
    board = random_board(random.Random(seed), most_covered=10).with_mines(None)
    counts = np.bincount([m.sum() for m in layouts(board)], minlength=board.tiles.size + 1)
    if not counts.any():
        with pytest.raises(InconsistentBoard, match=r"^No layout of mines fits the numbers"):
            layouts_by_total(board)
        return
    logs = layouts_by_total(board)
    np.testing.assert_array_equal(np.isfinite(logs), counts > 0)
    np.testing.assert_allclose(np.exp(logs - logs.max()), counts / counts.max(), atol=1e-9)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_drawn_layouts_are_among_those_of_brute_force(seed: int) -> None:
    board = random_board(random.Random(seed), most_covered=10)
    fitting = {mined.tobytes() for mined in layouts(board)}
    if not fitting:
        with pytest.raises(InconsistentBoard):
            sample_layouts(board, 1, seed=seed)
        return
    drawn = sample_layouts(board, 40, seed=seed)
    assert drawn.shape == (40, board.rows, board.cols)
    assert {mined.tobytes() for mined in drawn} <= fitting
    assert (drawn == sample_layouts(board, 40, seed=seed)).all()


@pytest.mark.parametrize("mines", [4, None])
def test_drawn_layouts_are_equally_likely(mines: int | None) -> None:
    board = Board.from_text("1F###\n##2##", mines)
    fitting = [mined.tobytes() for mined in layouts(board)]
    drawn = Counter(mined.tobytes() for mined in sample_layouts(board, 500 * len(fitting)))
    chi = sum((drawn[mined] - 500) ** 2 / 500 for mined in fitting)
    freedom = len(fitting) - 1
    assert freedom > 3
    assert chi < freedom + 5 * (2 * freedom) ** 0.5  # five sigmas over the mean


@pytest.mark.parametrize(
    "cell", [(0, 0), (-1, 1), (1, -1), (0, 2), (2, 0), (2, 2), (1, 2), (1, 0), (1, 1)]
)
def test_only_covered_cells_have_number_chances(cell: tuple[int, int]) -> None:
    board = Board.from_text("1#\nW*", 2)
    assert number_chances(board.with_mines(None), Cell(0, 1)).tolist()[1:] == [1.0] + [0.0] * 7
    with pytest.raises(BadCell, match=re.escape(f"({cell[0]}, {cell[1]}) is not")):
        number_chances(board, Cell(*cell))


def test_agrees_with_independent_figures() -> None:
    for board, position in expert_positions():
        known = analyse(board)
        expected = np.array(position["probabilities"], dtype=float)
        np.testing.assert_allclose(known.probabilities, expected, atol=1e-6)
        assert known.solutions_log10 == pytest.approx(position["solutions_log10"], abs=1e-5)


@pytest.mark.parametrize(
    ("text", "mines"),
    [
        ("1#", 0),  # the number needs a mine
        ("0#", 1),  # the zero forbids it
        ("2#", 2),  # more than there is room for
        ("#1#\n###\n#5#", None),
        ("1#1#1", 1),
        ("3##\n###\n##3", 3),
        ("*1#", 0),  # a shown mine over the total
        ("#1#", 2),
    ],
)
def test_contradictions_are_reported(text: str, mines: int | None) -> None:
    what = {None: "mines", 1: "1 mine"}.get(mines, f"{mines} mines")
    with pytest.raises(InconsistentBoard, match=f"^No layout of {what} fits the numbers"):
        analyse(Board.from_text(text, mines))


def half_open(rows: int, cols: int, mines: int, seed: int) -> Board:
    """Open the free cells of the left half."""
    rng = np.random.default_rng(seed)
    mined = np.zeros(rows * cols, bool)
    mined[rng.choice(rows * cols, mines, replace=False)] = True
    mined = mined.reshape(rows, cols)
    left_half = np.arange(cols) < cols // 2
    return Board(np.where(left_half & ~mined, count_neighbours(mined), Tile.HIDDEN), mines)


@pytest.mark.parametrize(("side", "mines"), [(100, 2000), (200, 8000)])
def test_huge_boards(side: int, mines: int) -> None:
    board = half_open(side, side, mines, seed=1)
    known = analyse(board)
    assert np.nansum(known.probabilities) == pytest.approx(mines, rel=1e-9)
    assert np.nanmin(known.probabilities) >= 0
    assert np.nanmax(known.probabilities) <= 1


@pytest.mark.parametrize("second", [0, 1, 2, 250, 499, 500])
def test_extreme_totals_lose_no_weight(second: int) -> None:
    """500 regions hold one mine or two each: the weights of far totals differ by 10^150."""
    regions = 500
    text = "\n".join(["#1#1#W" * 50, "W" * 300] * (regions // 50))
    known = analyse(Board.from_text(text, regions + second))
    assert known.solutions_log10 == pytest.approx(log10(comb(regions, second)), abs=1e-8)
    assert known.probabilities[0, 0] == pytest.approx(second / regions, abs=1e-12)
    assert known.probabilities[0, 2] == pytest.approx(1 - second / regions, abs=1e-12)
    assert len(known.safe) == {0: 2 * regions, regions: regions}.get(second, 0)
