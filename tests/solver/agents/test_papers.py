"""Each paper's agent on positions that show its method."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.agents import make_agent
from solver.agents.base import Reasoner
from solver.agents.constraints import SumConstraint, merge_solutions
from solver.arena.boards import BoardSet, Size
from solver.board import Board, Cell
from solver.errors import InconsistentBoard
from solver.game import Rule, Status


def reasoner(name: str) -> Reasoner:
    agent = make_agent(name)
    assert isinstance(agent, Reasoner)
    return agent


def positions(count: int) -> list[Board]:
    """Collect boards of games played on by a strong agent, one a turn."""
    boards = []
    for number in range(count):
        game = BoardSet(Size(10, 10, 18), Rule.ZERO, seed="positions").game(number)
        agent = make_agent("relational-3", seed=number)
        while game.status is Status.PLAYING:
            boards.append(game.board)
            for move in agent.decide(game.board).moves:
                game.open(move.cell)
    return boards


SINGLE, TOGETHER = "straightforward basic gac relational-1", "two-constraint relational-2"
BEYOND = "relational-3 single-improved single-improved:variables=4 tank-no-endgame"


@pytest.mark.parametrize("name", f"{SINGLE} {TOGETHER} {BEYOND}".split())
def test_only_two_numbers_together_solve_one_two_two_one(name: str) -> None:
    agent = reasoner(name)
    assert agent.infer(Board.from_text("1#\n11")).mines == (Cell(0, 1),)
    mines = agent.infer(Board.from_text("####\n1221")).mines
    assert mines == (() if name in SINGLE.split() else (Cell(0, 1), Cell(0, 2)))


def test_how_papers_start_and_give_up() -> None:
    blank = Board.from_text("#####\n#####\n#####", 2)
    starts = {"gac": (0, 0), "straightforward": (1, 2), "tank-no-endgame": (1, 2)}
    assert {name: make_agent(name).decide(blank).moves[0].cell for name in starts} == starts
    stuck = make_agent("gac").decide(Board.from_text("##\n11", 1))
    assert stuck.moves == ()
    assert "gives up" in stuck.reason
    assert len(make_agent("gac:stuck=guess").decide(Board.from_text("##\n11", 1)).moves) == 1
    blind = make_agent("tank-no-endgame")
    assert len({blind.decide(Board.from_text("#1\n#1\n#1", mines)) for mines in (1, 2)}) == 1


def test_the_single_number_rules_are_the_same_in_every_paper() -> None:
    agents = [reasoner(name) for name in ("straightforward", "gac", "relational-1")]
    basic = reasoner("basic")  # enters no cell as safe before it is open, so it needs more turns
    for board in positions(25):
        assert len({agent.infer(board) for agent in agents}) == 1
        safe = set(basic.infer(board).safe)
        assert safe <= set(agents[0].infer(board).safe)
        assert bool(safe) == bool(agents[0].infer(board).safe)


@pytest.mark.slow
def test_each_method_of_the_thesis_adds_to_the_one_before() -> None:
    ladder = [reasoner(name) for name in ("gac", "two-constraint", "relational-3:stuck=stop")]
    more = {1: 0, 2: 0}
    for board in positions(60):
        proven = [{*agent.infer(board).safe, *agent.infer(board).mines} for agent in ladder]
        for level in (1, 2):
            assert proven[level - 1] <= proven[level]
            more[level] += len(proven[level]) > len(proven[level - 1])
    assert more[1] > 10
    assert more[2] > 0


def test_two_constraints_and_relational_two_prove_the_same() -> None:
    pair, relational = reasoner("two-constraint"), reasoner("relational-2")
    for board in positions(25):
        assert pair.infer(board).safe == relational.infer(board).safe
        assert pair.infer(board).mines == relational.infer(board).mines


@pytest.mark.slow
def test_contradiction_finds_what_pairs_do_not() -> None:
    pairs, flags = reasoner("two-constraint"), reasoner("contradiction")
    found = 0
    for board in positions(150):
        if not pairs.infer(board).safe:
            found += bool(flags.infer(board).safe)
        else:
            assert flags.infer(board).safe == pairs.infer(board).safe
    assert found >= 3


def test_double_improved_opens_the_cell_mined_in_the_fewest_solutions() -> None:
    board = Board.from_text("###\n#3#\n#1#")
    decision = make_agent("double-improved").decide(board)
    # Two mines in the top row, one beside the numbers: the four side cells are mined in
    # 1 of 4 ways each, the top ones in 2 of 3.
    assert decision.moves[0].cell in {Cell(1, 0), Cell(1, 2), Cell(2, 0), Cell(2, 2)}
    assert decision.survival == pytest.approx(3 / 4)
    assert "3 of 12" in decision.reason


@pytest.mark.parametrize("name", f"straightforward gac contradiction periphery {BEYOND}".split())
def test_says_when_no_layout_fits(name: str) -> None:
    with pytest.raises(InconsistentBoard):
        make_agent(name).decide(Board.from_text("#1\n13"))


@pytest.mark.parametrize("name", ["tank", "deep"])
@pytest.mark.parametrize(("text", "mines"), [("#1\n13", None), ("1#", 0), ("0#", 1)])
def test_agents_that_count_say_when_the_total_fits_no_layout(
    name: str, text: str, mines: int | None
) -> None:
    with pytest.raises(InconsistentBoard):
        make_agent(name).decide(Board.from_text(text, mines))


@st.composite
def sums_over_cells(draw: st.DrawFn) -> tuple[list[int], list[SumConstraint]]:
    cells = list(range(draw(st.integers(1, 7))))
    sums = []
    for _ in range(draw(st.integers(0, 4))):
        part = draw(st.lists(st.sampled_from(cells), unique=True, min_size=1))
        low = draw(st.integers(0, len(part)))
        sums.append(SumConstraint(tuple(part), low, draw(st.integers(low, len(part)))))
    return cells, sums


@given(sums_over_cells())
def test_merged_solutions_are_those_of_plain_enumeration(
    problem: tuple[list[int], list[SumConstraint]],
) -> None:
    cells, sums = problem
    fitting = [
        values
        for values in itertools.product((0, 1), repeat=len(cells))
        if all(s.low <= sum(values[cell] for cell in s.cells) <= s.high for s in sums)
    ]
    merged = merge_solutions(cells, sums)
    assert merged.solutions == len(fitting)
    assert list(merged.mine_counts.values()) == [sum(v[c] for v in fitting) for c in cells]
