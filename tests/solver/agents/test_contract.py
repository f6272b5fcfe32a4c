"""What every agent promises, whatever its method; a plug-in as well as a built-in one."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from solver.agents import Action, Agent, Decision, make_agent
from solver.agents.base import Reasoner
from solver.agents.registry import BUILT_IN, agents_that_play
from solver.analysis import analyse
from solver.arena.boards import BoardSet, Size
from solver.arena.matches import carry_out
from solver.board import Board, Tile
from solver.errors import UnknownAgent
from solver.game import Game, Rule, Status

SIZE = Size(8, 9, 12)
ONLY_SIZES = {"dqn-board": Size(15, 15, 30)}
"""The sizes of the agents that play no other."""

EXACT = ("tank", "deep")
"""Agents that count exactly: they open all that is safe, and guess only where they must."""

OWN_AGENTS = Path(__file__).with_name("own_agents.py")
NAMES = (*BUILT_IN, pytest.param(f"{OWN_AGENTS}:Careful", id="plug-in"))
"""The built-in agents and one from a file, which keeps the same promises."""


def size_for(name: str, size: Size = SIZE) -> Size:
    return ONLY_SIZES.get(name, size)


def play(
    name: str, game: Game, *, seed: int = 0, flag_some: bool = False, total: bool = True
) -> list[Decision]:
    """Play a game to its end and check every decision on the way."""
    agent = make_agent(name, seed=seed, rule=game.rule)
    dice = random.Random(seed)
    decisions = []
    while game.status is Status.PLAYING:
        if flag_some and game.started and len(decisions) < 12:
            hidden = game.board.hidden_cells()
            game.flag(dice.choice(hidden))
        board = game.board if total else game.board.with_mines(None)
        decision = agent.decide(board)
        decisions.append(decision)
        check(agent, board, decision, game.rule)
        if not decision.moves:
            assert decision.reason
            break
        for move in decision.moves:
            carry_out(game, move)
        assert (game.board.tiles != board.tiles).any(), "a turn must change something"
    assert len(decisions) <= 2 * game.board.tiles.size
    return decisions


def check(agent: Agent, board: Board, decision: Decision, rule: Rule) -> None:
    assert 0.0 <= decision.survival <= 1.0
    assert "\n" not in decision.reason
    for move in decision.moves:
        if move.action is Action.OPEN:
            assert board[move.cell] in (Tile.HIDDEN, Tile.QUESTION)
        else:
            assert move.action is Action.FLAG
            assert board[move.cell] == Tile.FLAG, "only to take a flag away"
            assert decision.certain
    risks = analyse(board).probabilities
    opened = [move.cell for move in decision.moves if move.action is Action.OPEN]
    if decision.moves and decision.certain:
        spared = rule is not Rule.NONE and board.covered.all() and len(opened) == 1
        assert spared or all(risks[cell] == 0 for cell in opened)
    elif decision.moves:
        assert len(decision.moves) == 1
    if agent.name in EXACT and board.mines is not None and not board.covered.all():
        safe = {cell for cell in board.cells() if risks[cell] == 0}
        assert decision.certain == bool(safe)
        assert all(risks[cell] < 1 for cell in opened)
        assert not safe or board.flags or set(opened) == safe
    if isinstance(agent, Reasoner):
        inference = agent.infer(board)
        assert all(risks[cell] == 0 for cell in inference.safe)
        assert all(risks[cell] == 1 for cell in inference.mines)


@pytest.mark.parametrize("rule", list(Rule))
@pytest.mark.parametrize("name", NAMES)
def test_plays_to_the_end_and_its_certain_moves_are_certain(name: str, rule: Rule) -> None:
    boards = BoardSet(size_for(name), rule, seed=1)
    games = [play(name, boards.game(number), seed=number) for number in range(6)]
    assert play(name, boards.game(5), seed=5) == games[5], "the same seed, the same game"


@pytest.mark.parametrize("name", [*agents_that_play([(9, 9)]), NAMES[-1]])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(1, 1, 0.0, Rule.SAFE, 4)
@example(1, 12, 0.2, Rule.SAFE, 4)
@example(12, 1, 0.2, Rule.SAFE, 4)
@example(2, 2, 0.5, Rule.SAFE, 4)
@given(
    st.integers(1, 8),
    st.integers(1, 8),
    st.floats(0.05, 0.4),
    st.sampled_from(Rule),
    st.integers(0, 10**6),
)
def test_plays_boards_of_any_size_and_density(
    name: str, rows: int, cols: int, share: float, rule: Rule, seed: int
) -> None:
    play(name, Game.random(rows, cols, int(share * rows * cols), rule=rule, seed=seed), seed=seed)


@pytest.mark.parametrize("name", NAMES)
def test_leaves_flagged_cells_closed(name: str) -> None:
    boards = BoardSet(size_for(name), Rule.SAFE, seed=2)
    for number in range(6):
        play(name, boards.game(number), seed=number, flag_some=True)


@pytest.mark.parametrize("name", NAMES)
def test_plays_with_no_mine_total(name: str) -> None:
    size = size_for(name, Size(7, 7, 8))
    play(name, Game.random(size.rows, size.cols, size.mines, seed=5), total=False)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("unknown", r"Known: .*basic"),
        ("single-improved:depth=3", "no option 'depth'"),
        ("single-improved:variables=many", "cannot take 'many'"),
        ("gac:stuck=cry", "stop or guess"),
    ],
)
def test_unknown_agents_and_options_are_refused(name: str, says: str) -> None:
    with pytest.raises(UnknownAgent, match=says):
        make_agent(name)
