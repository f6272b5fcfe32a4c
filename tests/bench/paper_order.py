"""Play the papers' agents on paired boards and test the order the papers put them in.

    python tests/bench/paper_order.py [--boards 2000] [--jobs 2] [--results DIR]

Three ladders: the report's, by its own score over its own ten densities and by games won; the
thesis's on its hard board; the article's on the advanced board of Windows 7, where the first click
opens an area. Prints each step's paired difference, its 95 % interval and its p-value.
"""

import argparse
from itertools import pairwise
from pathlib import Path

from solver.arena.boards import SIZES, BoardSet
from solver.arena.engine import Workers
from solver.arena.statistics import Paired
from solver.arena.sweep import Sweep, compare_sweep, play_sweep
from solver.arena.tournament import Match, compare, play_match, standing
from solver.game import Rule

REPORT = ("basic", "single-improved", "double-improved")
THESIS = ("gac", "two-constraint", "contradiction")
ARTICLE = ("straightforward", "tank-no-endgame", "tank")
DENSITIES = tuple(round(0.05 * step, 2) for step in range(1, 11))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path)
    args = parser.parse_args()
    if args.results:
        args.results.mkdir(parents=True, exist_ok=True)
    sweep_ladder(10, args)
    match_ladder("intermediate", Rule.ZERO, REPORT, args)
    match_ladder("intermediate", Rule.SAFE, REPORT, args)
    match_ladder("thesis-hard", Rule.SAFE, THESIS, args)
    match_ladder("expert", Rule.ZERO, ARTICLE, args)
    match_ladder("expert", Rule.SAFE, ARTICLE, args)


def sweep_ladder(dim: int, args: argparse.Namespace) -> None:
    runs = args.boards // len(DENSITIES)
    sweep = Sweep(dim, dim, DENSITIES, runs, REPORT)
    path = args.results and args.results / f"sweep-{dim}.jsonl"
    points = play_sweep(sweep, path=path, workers=Workers(args.jobs))
    print(f"\n{dim}x{dim}, the report's score, {runs} boards at each of {len(DENSITIES)} densities")
    for weaker, stronger in pairwise(REPORT):
        show(stronger, weaker, compare_sweep(points, stronger, weaker))


def match_ladder(size: str, rule: Rule, agents: tuple[str, ...], args: argparse.Namespace) -> None:
    match = Match(BoardSet(SIZES[size], rule), agents, args.boards, weigh=False)
    path = args.results and args.results / f"{'-'.join(agents)}-{size}-{rule.value}.jsonl"
    games = play_match(match, path=path, workers=Workers(args.jobs))
    print(f"\n{SIZES[size]}, first click {rule.value}, games won, {args.boards} boards")
    for agent in agents:
        line = standing(agent, games[agent])
        low, high = line.win_rate.ci95
        print(f"  {agent:16} {line.win_rate.value:7.2%} ({low:.2%} to {high:.2%})", end="")
        print(f"  {line.guesses_per_game:.2f} guesses, {line.ms_per_game:.1f} ms a game")
    for weaker, stronger in pairwise(agents):
        show(stronger, weaker, compare(games[stronger], games[weaker])[0])


def show(stronger: str, weaker: str, paired: Paired) -> None:
    low, high = paired.difference.ci95
    print(
        f"  {stronger} over {weaker}: {100 * paired.difference.value:+.2f} points "
        f"({100 * low:+.2f} to {100 * high:+.2f}), p = {paired.p_value:.2g}"
    )


if __name__ == "__main__":
    main()
