"""From decisions to clicks: flags, chords, and how both can go wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.mouse.plan import ClickEffect, PlannedClick, flag_the_mines, may_win, plan_clicks
from solver.agents import make_agent
from solver.agents.base import Action, Decision, Move
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.game import Game, Rule, Status


def opening(*cells: tuple[int, int]) -> Decision:
    return Decision(tuple(Move(Cell(*cell)) for cell in cells), "test", 1.0)


def in_short(planned_clicks: tuple[PlannedClick, ...]) -> list[tuple[str, tuple[int, int]]]:
    return [
        (planned_click.effect.value, tuple(planned_click.cell)) for planned_click in planned_clicks
    ]


def test_a_flag_on_a_safe_cell_is_removed_and_the_cell_opened_in_one_turn() -> None:
    """As the last cells of a game, which a person flagged by mistake."""
    board = Board.from_text("0F1#\n0011\n0000", 1)
    decision = make_agent("tank").decide(board)
    assert decision.moves == (Move(Cell(0, 1), Action.FLAG),)
    assert in_short(plan_clicks(decision, board)) == [("unflag", (0, 1)), ("open", (0, 1))]


def test_an_agent_may_correct_a_flag_without_opening_the_cell() -> None:
    board = Board.from_text("F1\n##", 1)
    decision = Decision((Move(Cell(0, 0), Action.FLAG),), "test", 1.0)
    assert in_short(plan_clicks(decision, board)) == [("unflag", (0, 0))]


def test_all_certain_cells_that_touch_a_mine_are_clicked_in_one_batch() -> None:
    rows = ["#########"] * 9
    rows[1] = "#1#######"
    board = Board.from_text("\n".join(rows))
    assert in_short(plan_clicks(opening((0, 0), (0, 2)), board, mines=[Cell(0, 1)])) == [
        ("open", (0, 0)),
        ("open", (0, 2)),
    ]


@settings(deadline=None)
@given(
    size=st.tuples(st.integers(4, 10), st.integers(4, 10)),
    density=st.floats(0.05, 0.25),
    known=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_no_click_follows_one_that_wins(
    size: tuple[int, int], density: float, known: bool, seed: int
) -> None:
    """It would go to what lies over a board that was won, and start a new game."""
    agent, total = make_agent("tank"), max(1, int(size[0] * size[1] * density))
    game = Game.random(*size, total, rule=Rule.ZERO, seed=seed)
    game.open(Cell(size[0] // 2, size[1] // 2))
    while game.status is Status.PLAYING:
        board = game.board.with_mines(total if known else None)
        decision = agent.decide(board)
        if not decision.certain:
            break
        clicks = plan_clicks(decision, board, mines=analyse(board).mines)
        assert clicks
        for planned_click in clicks:
            assert game.status is Status.PLAYING
            game.open(planned_click.cell)


@pytest.mark.parametrize("total", [2, None])
def test_cells_that_flooding_may_open_are_left_to_the_next_turn(total: int | None) -> None:
    board = Board.from_text("1#1##1#1", total)
    assert in_short(plan_clicks(opening((0, 3), (0, 4)), board)) == [("open", (0, 3))]


def test_a_cell_beside_all_places_of_a_mine_is_no_zero() -> None:
    """The mine of the 1 is at its left or right; either end may be a zero that opens no more."""
    board = Board.from_text("#####\n##1##")
    assert in_short(plan_clicks(opening((0, 1), (0, 2), (0, 3)), board)) == [
        ("open", (0, 2)),
        ("open", (0, 1)),
        ("open", (0, 3)),
    ]


def test_no_click_goes_to_a_cell_that_another_opened() -> None:
    """A page that counted these cells twice never reported a win."""
    agent = make_agent("tank")
    for seed in range(20):
        game = Game.random(16, 16, 40, rule=Rule.ZERO, seed=seed)
        game.open(Cell(8, 8))
        while game.status is Status.PLAYING:
            board = game.board
            clicks = plan_clicks(agent.decide(board), board, mines=analyse(board).mines)
            assert clicks
            for click in clicks:
                assert game.board.covered[click.cell]
                game.open(click.cell)


def test_a_mine_that_is_shown_makes_no_other_cell_a_mine() -> None:
    """On a page with lives a number may have its mine: what it touches may still be a zero."""
    shown = Board.from_text("X1###\n11###\n00###")
    assert len(plan_clicks(opening((0, 2), (0, 3)), shown)) == 1
    assert may_win(Board.from_text("X1##\n11##", 1), opening((0, 2)), ())


def test_a_cell_that_a_chord_or_an_unmarked_cell_may_open_waits() -> None:
    board = Board.from_text("F1##\n11##\n####\n####")
    decision = opening((0, 2), (1, 2), (2, 0), (2, 1), (2, 2), (3, 3))
    clicks = plan_clicks(decision, board, mines=[Cell(0, 0)], chords=True)
    assert [click.effect for click in clicks] == [ClickEffect.CHORD]
    board = Board.from_text("?###\n####\n####\n###?")
    clicks = plan_clicks(opening((0, 0), (3, 3)), board)
    assert in_short(clicks) == [("unmark", (0, 0)), ("open", (0, 0))]


def test_flags_are_set_before_any_cell_is_opened() -> None:
    """The opening may win the game, and a flag would go to what the program opens then."""
    clicks = plan_clicks(opening((0, 0)), Board.from_text("?##1#"), mines=[Cell(0, 4)], flags=True)
    assert in_short(clicks) == [("flag", (0, 4)), ("unmark", (0, 0)), ("open", (0, 0))]


def test_cells_that_did_not_answer_come_first_but_after_those_that_are_no_zeros() -> None:
    board = Board.from_text("#####\n##1##")
    decision = opening((0, 1), (0, 2), (0, 3))
    clicks = plan_clicks(decision, board, misses={Cell(0, 3): 1})
    assert in_short(clicks) == [("open", (0, 2)), ("open", (0, 3)), ("open", (0, 1))]


def test_a_cell_that_may_open_an_area_comes_first_when_it_went_unanswered_for_long() -> None:
    """A page that lost the last clicks of each turn never opened it, and play gave up."""
    board = Board.from_text("#####\n##1##")
    decision = opening((0, 0), (0, 2), (0, 4))
    last = plan_clicks(decision, board, misses={Cell(0, 4): 1})
    assert in_short(last)[0] == ("open", (0, 2))
    first = plan_clicks(decision, board, misses={Cell(0, 4): 3})
    assert in_short(first)[0] == ("open", (0, 4))


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
    rows = ["#########"] * 9
    rows[1] = "#F#######"
    board = Board.from_text("\n".join(rows))
    cells = ((0, 0), (0, 1), (8, 8))
    clicks = plan_clicks(opening(*cells), board, mines=[Cell(1, 0)])
    assert in_short(clicks) == [("open", (0, 0)), ("open", (8, 8))]
    clicks = plan_clicks(opening(*cells), board, mines=[Cell(1, 0), Cell(1, 1)])
    assert in_short(clicks) == [("open", cell) for cell in cells]


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
    mines = analyse(board).mines
    assert not may_win(board, right, mines)
    assert may_win(board, both, mines)
    assert may_win(board.with_mines(None), right, mines)


def test_the_last_flags_are_set_on_all_hidden_cells() -> None:
    decision = flag_the_mines(Board.from_text("F#\n1#"))
    assert [tuple(move.cell) for move in decision.moves] == [(0, 1), (1, 1)]
    assert decision.certain
