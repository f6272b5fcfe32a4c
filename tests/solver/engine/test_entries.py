"""What any caller may do to the engine: impossible boards, many threads, interrupts."""

import random
import signal
import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from solver.analysis import analyse
from solver.board import Board, Tile
from solver.engine import calls
from solver.engine.calls import NoLayout, PolicyKind, TooLarge
from solver.errors import SolverError
from solver.levels import LEVELS, SearchLimits

LATTICE = "\n".join(
    "".join("1" if row % 2 and col % 2 else "#" for col in range(28)) for row in range(28)
)


@pytest.mark.parametrize(
    "tiles",
    [np.full((2, 2), 9), np.full((2, 2), -8), np.zeros((0, 3)), np.zeros((401, 1))],
    ids=["nine", "minus eight", "empty", "too long"],
)
def test_invalid_boards_are_refused(tiles: np.ndarray) -> None:
    with pytest.raises(ValueError, match="refused"):
        calls.risks(tiles.astype(np.int8), None)


def test_what_no_game_has_is_refused() -> None:
    with pytest.raises(ValueError, match="refused"):  # more mines than cells
        calls.risks(np.full((2, 2), -1, np.int8), 5)
    with pytest.raises(ValueError, match="refused"):  # nothing is hidden
        calls.decide(np.array([[1, -4]], np.int8), 1, PolicyKind.DEEP, LEVELS["none"])
    with pytest.raises(ValueError, match="refused"):  # a mine on the first cell
        calls.play(np.eye(3, dtype=bool), (1, 1), PolicyKind.TANK, LEVELS["none"])


SIZES = [(1, 1), (1, 9), (9, 1), (2, 2), (3, 4), (5, 5), (8, 8), (9, 9), (16, 30), (1, 60)]


def random_tiles(rng: random.Random) -> NDArray[np.int8]:
    """Draw a board: true numbers, some of them spoiled, or tiles at random."""
    rows, cols = rng.choice(SIZES)
    draw = np.random.default_rng(rng.getrandbits(32))
    if rng.random() < 0.15:
        return draw.integers(-6, 9, (rows, cols)).astype(np.int8)
    mined = draw.random((rows, cols)) < rng.choice([0.0, 0.1, 0.2, 0.4, 0.9, 1.0])
    padded = np.pad(mined.astype(np.int8), 1)
    numbers = sum(padded[r : r + rows, c : c + cols] for r in range(3) for c in range(3))
    shown = ~mined & (draw.random((rows, cols)) < rng.random())
    tiles = np.where(shown, numbers, -1).astype(np.int8)
    marks = draw.random((rows, cols)) < 0.05
    tiles[marks] = draw.integers(-6, 0, int(marks.sum()))
    if rng.random() < 0.3:
        spoiled = draw.random((rows, cols)) < 0.03
        tiles[spoiled] = draw.integers(0, 9, int(spoiled.sum()))
    return tiles


def try_input(rng: random.Random) -> None:
    """Draw one input and one entry; anything but an answer or a typed error raises."""
    tiles = random_tiles(rng)
    cells = tiles.size
    mines = rng.choice([None, rng.randint(0, cells), int(cells * 0.2), int((tiles == -1).sum())])
    limits = SearchLimits(
        layouts=rng.choice([0, 1, 50, 500]),
        positions=rng.choice([0, 10, 2_000]),
        worlds=rng.choice([0, 1, 4]),
        work=rng.choice([0, 20_000]),
    )
    entry = rng.choice(["risks", "totals", "draw", "decide", "first", "play"])
    try:
        if entry == "risks":
            risk, _ = calls.risks(tiles, mines)
            covered = (tiles < 0) & (tiles >= -3)
            assert ((risk[covered] >= 0) & (risk[covered] <= 1)).all()
        elif entry == "totals":
            calls.totals(tiles, rng.choice([1e-6, 0.2, 0.999]))
        elif entry == "draw":
            drawn = calls.draw(tiles, mines, rng.randint(0, 3), rng.getrandbits(64))
            assert mines is None or (drawn.sum(axis=(1, 2)) == mines).all()
        elif entry == "decide":
            player, also = rng.choice(list(PolicyKind)), [rng.randrange(cells) for _ in range(3)]
            settings = {"compared": rng.randint(0, 40), "estimated": rng.randint(0, 3), "sample": 2}
            total = mines or 0
            guess = calls.decide(tiles, total, player, limits, also=also, **settings)
            assert -3 <= tiles.ravel()[guess.cell] < 0
        elif entry == "first":
            rows, cols = tiles.shape
            calls.first_click(rows, cols, mines or 0, rng.randrange(3), limits)
        else:
            mined = tiles < -1
            first = (rng.randrange(tiles.shape[0]), rng.randrange(tiles.shape[1]))
            player = rng.choice(list(PolicyKind))
            played = calls.play(mined, first, player, limits, rng.choice([None, 7]))
            assert 0 <= played.chance <= 1
    except (NoLayout, TooLarge, ValueError):
        return


def test_random_input_gives_a_result_or_a_typed_error() -> None:
    for seed in range(400):
        try_input(random.Random(seed))


def test_threads_work_side_by_side() -> None:
    boards = [
        Board(np.where(np.random.default_rng(seed).random((8, 8)) < 0.1, 1, Tile.HIDDEN), 12)
        for seed in range(24)
    ]

    def answer(board: Board) -> object:
        try:
            return analyse(board).probabilities.tobytes()
        except SolverError as error:
            return str(error)

    expected = [answer(board) for board in boards]
    found: dict[int, list[object]] = {}

    def work(thread: int) -> None:
        found[thread] = [answer(board) for board in boards for _ in range(5)]

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[at] == [one for one in expected for _ in range(5)] for at in range(4))


def analyse_for_ever(board: Board) -> None:
    while True:
        with pytest.raises(SolverError):
            analyse(board)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="a signal at a set time")
def test_an_interrupt_ends_a_long_count() -> None:
    """A signal in the waiting thread raises there, and the count ends well before it would."""

    class Interrupted(Exception):
        pass

    def interrupt(number: int, frame: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    board = Board.from_text(LATTICE, 100)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Interrupted):
            analyse_for_ever(board)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert analyse(Board.from_text("1#", 1)).mines, "the work space can be used again"
