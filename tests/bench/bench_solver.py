"""Measure the solver: probabilities, and games of the agents that play in the engine.

    python -m tests.bench.bench_solver [--positions FILE] [--boards DIR] [--games N] [--wins]
        [--think LEVEL]

All times are processor time, which other programs change little. ``--positions`` takes lines like
those of fixtures/positions/expert.jsonl, ``--boards`` a folder of board files like fixtures/boards.
Without boards, games are drawn from a seed: 40 by default, enough for times; strength needs 5,000.
With ``--wins`` the games end at the first mine: no survival, in half the time.
"""

import json
from functools import partial
from pathlib import Path

import numpy as np

from solver.agents import EnginePlayer, make_agent
from solver.analysis import analyse
from solver.arena.boards import NAMED_SIZES, BoardSet, read_boards
from solver.board import Board
from solver.game import Rule
from solver.levels import DEFAULT
from tests.bench.series import parser, spread, time_ms

STANDARD = {name: NAMED_SIZES[name] for name in ("beginner", "intermediate", "expert")}
EXPERT_POSITIONS = Path(__file__).parents[2] / "fixtures" / "positions" / "expert.jsonl"


def bench_positions(path):
    """Time exact probabilities and compare them with the figures in the file."""
    times_ms, worst = [], 0.0
    for line in path.read_text().splitlines():
        position = json.loads(line)
        board = Board.from_text("\n".join(position["board"]), position["mines"])
        times_ms.append(min(time_ms(partial(analyse, board)) for _ in range(9)))
        expected = np.array(position["probabilities"], float)
        worst = max(worst, float(np.nanmax(abs(analyse(board).probabilities - expected))))
    spread("exact probabilities, analyse(board), best of 9", times_ms)
    print(f"largest difference from the file: {worst:.1e}")


def board_sets(folder):
    """Return the boards of a folder of files, or boards of our own from a seed."""
    if folder is not None:
        return {path.stem: read_boards(path) for path in sorted(folder.glob("*.json"))}
    return {
        f"{name} {rule.value}": BoardSet(size, rule, seed=1)
        for name, size in STANDARD.items()
        for rule in (Rule.SAFE, Rule.ZERO)
    }


def bench_games(name, boards, games, survive, level):
    """Let the agents that play inside the engine play the same boards."""
    results = []
    for agent in ("tank", "glance", f"deep:think={level}"):
        player = make_agent(agent, rule=boards.rule)
        assert isinstance(player, EnginePlayer)
        results.append(play_all(f"{name} {agent}", player, boards, games, survive))
    above = results[2] - results[1]
    error = 1.96 * float(np.std(above)) / len(above) ** 0.5
    how = "survival" if survive else "wins"
    print(f"deep above glance by {how}, paired: {np.mean(above):.2%} ± {error:.2%}")


def play_all(name, player, boards, games, survive):
    """Print wins with their interval, the survival estimate, if any, and the time.

    Returns the chance survived of each game: its mean is the win rate, with less noise. Where games
    end at the first mine, returns which are won.
    """
    played, times_ms = [], []
    for number in range(games if not boards.orders else min(games, len(boards))):
        game = boards.game(number)
        first = boards.first or player.decide(game.board).moves[0].cell
        play = partial(player.play, game.lay(first), first, number if survive else None)
        times_ms.append(time_ms(lambda: played.append(play())))  # noqa: B023
    won = np.array([one.won for one in played], float)
    chance = np.array([one.chance for one in played])
    error, smooth = (1.96 * float(np.std(one)) / len(one) ** 0.5 for one in (won, chance))
    survived = f"by survival {np.mean(chance):.2%} ± {smooth:.2%}; " if survive else ""
    print(
        f"{name}: {np.mean(won):.2%} ± {error:.2%} of {len(won)} won; {survived}"
        f"{np.mean([one.guesses for one in played]):.2f} guesses; "
        f"mean {np.mean(times_ms):.3g} ms a game",
        flush=True,
    )
    return chance if survive else won


def main():
    options = parser(
        __doc__, positions=EXPERT_POSITIONS, boards=Path, games=40, wins=False, think=DEFAULT
    ).parse_args()
    bench_positions(options.positions)
    for name, boards in board_sets(options.boards).items():
        bench_games(name, boards, options.games, not options.wins, options.think)


if __name__ == "__main__":
    main()
