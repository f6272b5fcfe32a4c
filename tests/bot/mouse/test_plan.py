"""From decisions to clicks: flags, chords, and the danger of both."""

from bot.plan import Aim, Stroke, plan
from solver.agents.base import Decision, Move
from solver.board import Board, Cell


def opening(*cells: tuple[int, int]) -> Decision:
    return Decision(tuple(Move(Cell(*cell)) for cell in cells), "test", 1.0)


def drawn(strokes: tuple[Stroke, ...]) -> list[tuple[str, tuple[int, int]]]:
    return [(stroke.aim.value, tuple(stroke.cell)) for stroke in strokes]


def test_all_certain_cells_are_clicked_in_one_batch() -> None:
    board = Board.from_text("###\n#1#\n###")
    assert drawn(plan(opening((0, 0), (2, 2)), board)) == [("open", (0, 0)), ("open", (2, 2))]


def test_cells_that_win_are_opened_by_as_few_clicks_as_it_takes() -> None:
    board = Board.from_text("#1###\n11###\n#####", 1)
    free = ((0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4))
    # A zero floods all but itself; with a mine more on the board the last click need not win.
    assert drawn(plan(opening(*free), board)) == [("open", (0, 2))]
    assert len(plan(opening(*free), board.with_mines(2))) == len(free)


def test_what_a_flood_does_not_reach_is_clicked() -> None:
    # Mines lie at (0, 1) and (1, 1); the flag is wrong, and no flood takes it away.
    board = Board.from_text("##2##\n##2##\n##1#F", 2)
    left = ((0, 0), (1, 0), (2, 0), (2, 1))
    right = ((0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4))
    assert drawn(plan(opening(*left, *right), board)) == [
        ("unflag", (2, 4)),
        ("open", (2, 4)),
        *(("open", cell) for cell in left),
        ("open", (0, 3)),
    ]


def test_flags_only_when_asked_for() -> None:
    board = Board.from_text("#1\n#1")
    mines = [Cell(0, 0)]
    assert drawn(plan(opening((1, 0)), board, mines=mines)) == [("open", (1, 0))]
    assert drawn(plan(opening((1, 0)), board, mines=mines, flags=True)) == [
        ("flag", (0, 0)),
        ("open", (1, 0)),
    ]


def test_a_mine_already_flagged_is_not_flagged_again() -> None:
    board = Board.from_text("F1\n#1")
    assert drawn(plan(opening((1, 0)), board, mines=[Cell(0, 0)], flags=True)) == [("open", (1, 0))]


def test_a_flag_on_a_free_cell_is_taken_away_before_it_is_opened() -> None:
    board = Board.from_text("F1\n##")
    strokes = plan(opening((0, 0)), board)
    assert drawn(strokes) == [("unflag", (0, 0)), ("open", (0, 0))]
    assert [stroke.after_mark for stroke in strokes] == [False, True]
    assert strokes[0].missing(board) == [Cell(0, 0)]
    assert strokes[0].missing(Board.from_text("#1\n##")) == []


def test_next_to_a_flag_that_may_be_wrong_one_cell_a_turn_comes_first() -> None:
    # Opening one may open the other, and a second click on it then chords.
    board = Board.from_text("####\n#F##\n####\n####")
    cells = ((0, 0), (0, 1), (3, 3))
    assert drawn(plan(opening(*cells), board)) == [("open", (0, 0)), ("open", (3, 3))]
    assert drawn(plan(opening(*cells), board, mines=[Cell(1, 1)])) == [
        ("open", cell) for cell in cells
    ]


def test_a_chord_opens_several_cells_by_one_click() -> None:
    board = Board.from_text("F##\n111\n000")
    # The middle 1 touches the flag and both free cells.
    strokes = plan(opening((0, 1), (0, 2)), board, mines=[Cell(0, 0)], chords=True)
    assert drawn(strokes) == [("chord", (1, 1))]
    assert strokes[0].cells == (Cell(0, 1), Cell(0, 2))
    assert strokes[0].missing(Board.from_text("F1#\n111\n000")) == [Cell(0, 2)]


def test_no_chord_on_a_flag_that_may_be_wrong() -> None:
    board = Board.from_text("F##\n111\n000")
    aims = {stroke.aim for stroke in plan(opening((0, 1), (0, 2)), board, chords=True)}
    assert aims == {Aim.OPEN}


def test_no_chord_that_opens_more_than_was_decided() -> None:
    board = Board.from_text("F##\n111\n000")
    strokes = plan(opening((0, 1)), board, mines=[Cell(0, 0)], chords=True)
    assert drawn(strokes) == [("open", (0, 1))]


def test_flags_set_in_the_same_turn_serve_its_chords() -> None:
    board = Board.from_text("###\n111\n000")
    strokes = plan(opening((0, 1), (0, 2)), board, mines=[Cell(0, 0)], flags=True, chords=True)
    assert drawn(strokes) == [("flag", (0, 0)), ("chord", (1, 1))]
