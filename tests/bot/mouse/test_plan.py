"""From decisions to clicks: flags, chords, and how both can go wrong."""

from bot.mouse.plan import ClickEffect, PlannedClick, flag_the_mines, may_win, plan_clicks
from solver.agents.base import Decision, Move
from solver.board import Board, Cell


def opening(*cells: tuple[int, int]) -> Decision:
    return Decision(tuple(Move(Cell(*cell)) for cell in cells), "test", 1.0)


def in_short(planned_clicks: tuple[PlannedClick, ...]) -> list[tuple[str, tuple[int, int]]]:
    return [
        (planned_click.effect.value, tuple(planned_click.cell)) for planned_click in planned_clicks
    ]


def test_all_certain_cells_are_clicked_in_one_batch() -> None:
    board = Board.from_text("###\n#1#\n###")
    assert in_short(plan_clicks(opening((0, 0), (2, 2)), board)) == [
        ("open", (0, 0)),
        ("open", (2, 2)),
    ]


def test_the_last_cells_are_opened_with_as_few_clicks_as_possible() -> None:
    board = Board.from_text("#1###\n11###\n#####", 1)
    safe = ((0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4))
    # One click on the zero opens them all; with one mine more, the last click need not win.
    assert in_short(plan_clicks(opening(*safe), board)) == [("open", (0, 2))]
    assert len(plan_clicks(opening(*safe), board.with_mines(2))) == len(safe)


def test_without_a_total_they_are_the_last_if_all_others_are_certain_mines() -> None:
    """A second click would go to what lies over a board that was won, and start a new game."""
    board = Board.from_text("##221\n#2##1\n1#321")
    last = opening((0, 0), (0, 1), (1, 0))
    assert in_short(plan_clicks(last, board)) == [("open", (0, 0))]
    one_more = Board.from_text("##221#\n#2##1#\n1#321#")
    assert len(plan_clicks(last, one_more)) == 3


def test_cells_that_flooding_does_not_reach_are_clicked() -> None:
    # Mines lie at (0, 1) and (1, 1); the flag is wrong, and flooding does not remove it.
    board = Board.from_text("##2##\n##2##\n##1#F", 2)
    left = ((0, 0), (1, 0), (2, 0), (2, 1))
    right = ((0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4))
    assert in_short(plan_clicks(opening(*left, *right), board)) == [
        ("unflag", (2, 4)),
        ("open", (2, 4)),
        *(("open", cell) for cell in left),
        ("open", (0, 3)),
    ]


def test_flags_only_when_asked_for() -> None:
    board = Board.from_text("#1\n#1")
    mines = [Cell(0, 0)]
    assert in_short(plan_clicks(opening((1, 0)), board, mines=mines)) == [("open", (1, 0))]
    assert in_short(plan_clicks(opening((1, 0)), board, mines=mines, flags=True)) == [
        ("flag", (0, 0)),
        ("open", (1, 0)),
    ]


def test_a_mine_already_flagged_is_not_flagged_again() -> None:
    board = Board.from_text("F1\n#1")
    assert in_short(plan_clicks(opening((1, 0)), board, mines=[Cell(0, 0)], flags=True)) == [
        ("open", (1, 0))
    ]


def test_a_flag_on_a_safe_cell_is_removed_before_the_cell_is_opened() -> None:
    board = Board.from_text("F1\n##")
    planned_clicks = plan_clicks(opening((0, 0)), board)
    assert in_short(planned_clicks) == [("unflag", (0, 0)), ("open", (0, 0))]
    assert [planned_click.after_mark for planned_click in planned_clicks] == [False, True]
    assert planned_clicks[0].unanswered(board) == [Cell(0, 0)]
    assert planned_clicks[0].unanswered(Board.from_text("#1\n##")) == []


def test_beside_a_flag_that_may_be_wrong_one_cell_a_turn_is_opened_first() -> None:
    # Opening one cell may open the other; a second click on that one is then a chord.
    board = Board.from_text("####\n#F##\n####\n####")
    cells = ((0, 0), (0, 1), (3, 3))
    assert in_short(plan_clicks(opening(*cells), board)) == [("open", (0, 0)), ("open", (3, 3))]
    assert in_short(plan_clicks(opening(*cells), board, mines=[Cell(1, 1)])) == [
        ("open", cell) for cell in cells
    ]


def test_a_chord_opens_several_cells_by_one_click() -> None:
    board = Board.from_text("F##\n111\n000\n111\n###")
    # The middle 1 touches the flag and both safe cells.
    planned_clicks = plan_clicks(opening((0, 1), (0, 2)), board, mines=[Cell(0, 0)], chords=True)
    assert in_short(planned_clicks) == [("chord", (1, 1))]
    assert planned_clicks[0].cells == (Cell(0, 1), Cell(0, 2))
    assert planned_clicks[0].unanswered(Board.from_text("F1#\n111\n000\n111\n###")) == [Cell(0, 2)]


def test_no_chord_on_a_flag_that_may_be_wrong() -> None:
    board = Board.from_text("F##\n111\n000")
    effects = {
        planned_click.effect
        for planned_click in plan_clicks(opening((0, 1), (0, 2)), board, chords=True)
    }
    assert effects == {ClickEffect.OPEN}


def test_no_chord_that_opens_more_than_was_decided() -> None:
    board = Board.from_text("F##\n111\n000")
    planned_clicks = plan_clicks(opening((0, 1)), board, mines=[Cell(0, 0)], chords=True)
    assert in_short(planned_clicks) == [("open", (0, 1))]


def test_flags_set_in_the_same_turn_serve_its_chords() -> None:
    board = Board.from_text("###\n111\n000\n111\n###")
    planned_clicks = plan_clicks(
        opening((0, 1), (0, 2)), board, mines=[Cell(0, 0)], flags=True, chords=True
    )
    assert in_short(planned_clicks) == [("flag", (0, 0)), ("chord", (1, 1))]


def test_a_turn_can_win_only_if_it_reaches_all_safe_cells() -> None:
    # Mines in the second and fourth cell; flooding from the right never reaches the first.
    board = Board.from_text("##2#1##", 2)
    right = Decision((Move(Cell(0, 5)),), "test", 1.0)
    both = Decision((Move(Cell(0, 0)), Move(Cell(0, 5))), "test", 1.0)
    assert not may_win(board, right)
    assert may_win(board, both)
    assert may_win(board.with_mines(None), right)


def test_the_last_flags_are_set_on_all_hidden_cells() -> None:
    decision = flag_the_mines(Board.from_text("F#\n1#"))
    assert [tuple(move.cell) for move in decision.moves] == [(0, 1), (1, 1)]
    assert decision.certain
