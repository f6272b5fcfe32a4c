"""What holds of every agent in every game: nothing called safe is a mine."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver.agents import make_agent
from solver.agents.registry import agents_that_play
from solver.analysis import analyse
from solver.board import Cell
from solver.game import Game, Rule, Status

EXACT = ("tank", "deep")
OWN_AGENTS = Path(__file__).with_name("agents") / "own_agents.py"
NAMES = (*agents_that_play([(9, 9)]), pytest.param(f"{OWN_AGENTS}:Careful", id="plug-in"))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(1, 8),
    st.integers(1, 8),
    st.floats(0.05, 0.4),
    st.sampled_from(Rule),
    st.integers(0, 10**6),
)
def test_nothing_called_safe_is_a_mine(
    name: str, rows: int, cols: int, share: float, rule: Rule, seed: int
) -> None:
    """Agents that count exactly also open no certain mine, and guess only where they must."""
    mines = int(share * rows * cols)
    agent = make_agent(name, seed=seed, rule=rule)
    game = Game.random(rows, cols, mines, rule=rule, seed=seed)
    game.open(Cell(rows // 2, cols // 2))
    while game.status is Status.PLAYING:
        board, truth = game.board, game.mines
        decision = agent.decide(board)
        assert truth is not None
        if decision.certain:
            assert not any(truth[move.cell] for move in decision.moves)
        if name in EXACT:
            known = analyse(board)
            assert decision.certain == bool(known.safe)
            assert {move.cell for move in decision.moves}.isdisjoint(known.mines)
            if known.safe:
                assert {move.cell for move in decision.moves} == set(known.safe)
        if not decision.moves:
            break
        for move in decision.moves:
            game.open(move.cell)
