"""Play the agents of the published papers on the same boards; test the order the papers claim.

    python tests/bench/paper_order.py [--boards 2000] [--jobs 2] [--results DIR]

Three papers, each with its agents from the weakest to the strongest: the report, by its own score
at its own ten densities and by games won; the thesis, on its hard board; the article, on the
advanced board of Windows 7, where the first click opens an area. For each agent and the next
stronger one, prints the paired difference, its 95 % interval and its p-value.
"""

import argparse
from itertools import pairwise
from pathlib import Path

from solver.arena.boards import NAMED_SIZES, BoardSet
from solver.arena.matches import Match, compare, play_match, standing
from solver.arena.runs import Workers
from solver.arena.statistics import PairedDifference
from solver.arena.sweep import Sweep, compare_sweep, play_sweep
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
    compare_by_score(10, args)
    compare_by_wins("intermediate", Rule.ZERO, REPORT, args)
    compare_by_wins("intermediate", Rule.SAFE, REPORT, args)
    compare_by_wins("thesis-hard", Rule.SAFE, THESIS, args)
    compare_by_wins("expert", Rule.ZERO, ARTICLE, args)
    compare_by_wins("expert", Rule.SAFE, ARTICLE, args)


def compare_by_score(dim: int, args: argparse.Namespace) -> None:
    runs = args.boards // len(DENSITIES)
    sweep = Sweep(dim, dim, DENSITIES, runs, REPORT)
    path = args.results and args.results / f"sweep-{dim}.jsonl"
    points = play_sweep(sweep, path=path, workers=Workers(args.jobs))
    print(f"\n{dim}x{dim}, the report's score, {runs} boards at each of {len(DENSITIES)} densities")
    for weaker, stronger in pairwise(REPORT):
        print_difference(stronger, weaker, compare_sweep(points, stronger, weaker))


def compare_by_wins(
    size: str, rule: Rule, agents: tuple[str, ...], args: argparse.Namespace
) -> None:
    match = Match(BoardSet(NAMED_SIZES[size], rule), agents, args.boards, weigh=False)
    path = args.results and args.results / f"{'-'.join(agents)}-{size}-{rule.value}.jsonl"
    games = play_match(match, path=path, workers=Workers(args.jobs))
    print(f"\n{NAMED_SIZES[size]}, first click {rule.value}, games won, {args.boards} boards")
    for agent in agents:
        line = standing(agent, games[agent])
        low, high = line.win_rate.ci95
        print(f"  {agent:16} {line.win_rate.value:7.2%} ({low:.2%} to {high:.2%})", end="")
        print(f"  {line.guesses_per_game:.2f} guesses, {line.ms_per_game:.1f} ms a game")
    for weaker, stronger in pairwise(agents):
        print_difference(stronger, weaker, compare(games[stronger], games[weaker])[0])


def print_difference(stronger: str, weaker: str, paired: PairedDifference) -> None:
    low, high = paired.difference.ci95
    print(
        f"  {stronger} over {weaker}: {100 * paired.difference.value:+.2f} points "
        f"({100 * low:+.2f} to {100 * high:+.2f}), p = {paired.p_value:.2g}"
    )


if __name__ == "__main__":
    main()
