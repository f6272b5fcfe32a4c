"""Measure every agent anew, for the figures that `minebot agents` shows.

python -m tests.bench.agent_strength [--games 1000] [--seconds 600] [--results FOLDER]

Each agent plays expert, first click safe; one that cannot play this board plays its own. One that
is too slow for all games in ``--seconds`` plays as many as fit, at least 50. With ``--results`` an
interrupted run goes on.
"""

import csv
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path

from solver.agents.registry import BUILT_IN, STRENGTH_FILE, Strength, agents_that_play
from solver.arena.boards import NAMED_SIZES, BoardSet, Size
from solver.arena.matches import Match, play_match, standing
from solver.game import Rule
from tests.bench.series import parser

FEWEST = 50
EXPERT, OWN = NAMED_SIZES["expert"], Size(15, 15, 40)


def main():
    args = parser(__doc__, games=1000, seconds=600.0, results=Path).parse_args()
    today = datetime.now(UTC).date().isoformat()
    lines = [measure(name, today, args) for name in BUILT_IN]
    with STRENGTH_FILE.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [one.name for one in fields(Strength)], lineterminator="\n")
        table.writeheader()
        table.writerows(map(asdict, lines))


def measure(name, today, args):
    """Play a few games, and as many more as there is time for."""
    size = EXPERT if name in agents_that_play([(EXPERT.rows, EXPERT.cols)]) else OWN
    few = played(name, size, min(FEWEST, args.games), args.results)
    fitting = int(1000 * args.seconds / few.ms_per_game)
    sums = played(name, size, min(args.games, max(FEWEST, fitting)), args.results)
    print(name, sums.games, sums.win_rate, f"{sums.ms_per_game:.3g} ms", flush=True)
    ms = float(f"{sums.ms_per_game:.3g}")
    return Strength(name, str(size), Rule.SAFE.value, sums.games, sums.wins, ms, today)


def played(name, size, games, folder):
    """Play the first boards of a size, or take what the folder has of them."""
    match = Match(BoardSet(size, Rule.SAFE), (name,), games, with_chance=False)
    path = None if folder is None else folder / f"{size}-safe.jsonl"
    return standing(name, play_match(match, path=path)[name])


if __name__ == "__main__":
    main()
