"""The DQN report again: its figures 6 to 8, its conclusions, and section 5.3 as a table.

    python -m tests.bench.dqn_report train DIR [--only NAME,...] [--seeds 1,2]    resumable
    python -m tests.bench.dqn_report figures DIR OUT.png              figures 6-8, conclusions
    python -m tests.bench.dqn_report switches DIR [--games 500]       section 5.3 on the same boards

The figures are of the report's own game, which opens no numbers around a zero. Their runs end after
as many games as the report's. A run lies in ``DIR/NAME-SEED``.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from solver.arena.boards import BoardSet, Size
from solver.arena.statistics import mean_estimate
from solver.arena.tournament import Match, compare, play_match, standing
from solver.arena.training.curves import plot_scores
from solver.arena.training.learners import make_learner
from solver.game import Rule
from solver.learning.archives import read_archive, write_archive
from solver.learning.recipe import Recipe
from solver.learning.training.loop import train

FIGURES = {
    "board_tiles": "figure 6: board, 100 for each tile",
    "board_safe": "figure 7: board, 100 for a safe move",
    "winrep": "figure 8: window, 100 for a safe move",
}
_BOARD = Recipe(
    "dqn-board",
    "board",
    15,
    15,
    40,
    rounds=1_000_000,
    boards=8,
    batch=64,
    memory=100_000,
    averaging=0.0,
    hidden=2048,
    random_moves=25,
    masked=False,
    report_game=True,
    latest=True,
    bits=4,
)
_WINDOW = _BOARD.changed(agent="dqn-window", network="window", hidden=1280, masked=True, bits=16)
RUNS = {
    "board_tiles": _BOARD.changed(reward="tiles"),
    "board_safe": _BOARD,
    "board_masked": _BOARD.changed(masked=True),
    "winrep": _WINDOW,
}
GAMES = {"board_tiles": 13_000, "board_safe": 13_000, "board_masked": 13_000, "winrep": 4200}
"""After how many games a run ends; the report's second run had 12,000."""

_BASE = Recipe(
    "dqn-window",
    "window",
    9,
    9,
    10,
    first="zero",
    rounds=800,
    batch=256,
    memory=20_000,
    averaging=0.99,
    gamma=0.0,
    random_moves=20,
)
SWITCHES = {
    "base": _BASE,
    "gamma": _BASE.changed(gamma=0.9),
    "edge": _BASE.changed(edge=True),
    "r7": _BASE.changed(radius=3),
    "r9": _BASE.changed(radius=4),
    "passes": _BASE.changed(passes=3),
    "flags": _BASE.changed(passes=3, flag_above=0.9),
    "diverse": _BASE.changed(diverse=True),
    "all": _BASE.changed(edge=True, radius=3, passes=3, diverse=True, symmetries=True, tries=8),
}
LOW = 4000
"""What the report calls a really low score: 2,000 to 4,000."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("train", "figures", "switches"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=Path("scores.png"))
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--games", type=int, default=500)
    args = parser.parse_args()
    if args.what == "train":
        for name in args.only.split(",") if args.only else (*RUNS, *SWITCHES):
            for seed in args.seeds.split(","):
                run(args.folder / f"{name}-{seed}", name, int(seed))
    elif args.what == "figures":
        figures(args.folder, args.out)
    else:
        switches(args.folder, args.games)


class EnoughGames(Exception):
    """A run has played as many games as the report's."""


def run(folder: Path, name: str, seed: int) -> None:
    """Train to the end of the recipe, or until enough games are played; keep the games."""
    if (folder / "games.npz").exists():
        return
    began = time.process_time()
    learner = make_learner((RUNS | SWITCHES)[name].changed(seed=seed))
    wanted = GAMES.get(name)

    def look(done: int, total: int, figures: dict[str, float]) -> None:
        if wanted and len(learner.games) >= wanted:
            raise EnoughGames

    try:
        train(learner, folder, every=5000, on_round=look)
    except EnoughGames:
        write_archive(folder / "games.npz", {"games": learner.games[:wanted]})
        (folder / f"{learner.recipe.agent}.checkpoint.npz").unlink(missing_ok=True)
    print(f"{name}, seed {seed}: {time.process_time() - began:.0f} s of processor time", flush=True)


def games_of(folder: Path, name: str) -> list[np.ndarray]:
    """Return score, moves, moves on open tiles and won of each game, for every seed of a run."""
    found = sorted(folder.glob(f"{name}-*/games.npz"))
    return [read_archive(path)["games"] for path in found]


def figures(folder: Path, out: Path) -> None:
    """Draw figures 6 to 8 and test what the report concludes from them."""
    games = {name: games_of(folder, name) for name in RUNS if (folder / name).exists()}
    plot_scores([(title, games[name][:, 0]) for name, title in FIGURES.items()], out)
    for name, own in games.items():
        fifths = np.array_split(own, 5)
        means = " ".join(interval(part[:, 0]) for part in fifths)
        clicks = own[-len(own) // 5 :]
        print(f"{name}: {len(own)} games; mean score of each fifth: {means}")
        print(f"  last fifth: below {LOW}: {share(clicks[:, 0] < LOW)}")
        print(f"  moves on open tiles: {clicks[:, 2].sum() / clicks[:, 1].sum():.1%}")
    for first, second in (("board_safe", "board_tiles"), ("winrep", "board_safe")):
        count = min(len(games[first]), len(games[second]))
        for words, part in (("first", slice(0, count // 2)), ("second", slice(count // 2, count))):
            a, b = games[first][part, 0], games[second][part, 0]
            error = 1.96 * np.sqrt(a.var() / len(a) + b.var() / len(b))
            low = (a < LOW).mean() - (b < LOW).mean()
            print(
                f"{first} over {second}, {words} half of {count} games: {a.mean() - b.mean():+.0f}"
                f" (±{error:.0f}); share below {LOW}: {low:+.1%}"
            )


def interval(scores: np.ndarray) -> str:
    return f"{scores.mean():.0f}±{1.96 * scores.std() / np.sqrt(len(scores)):.0f}"


def share(true: np.ndarray) -> str:
    found = mean_estimate([float(one) for one in true])
    return f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%})"


def switches(folder: Path, count: int) -> None:
    """Play every switch on the same boards, and compare it with the base."""
    boards = BoardSet(Size(9, 9, 10), Rule.ZERO, seed="switches")
    agents = {
        name: f"dqn-window:weights={folder / name / 'dqn-window.npz'}"
        for name in SWITCHES
        if (folder / name / "dqn-window.npz").exists()
    }
    played = play_match(Match(boards, tuple(agents.values()), count, with_chance=False))
    for name, agent in agents.items():
        line = standing(agent, played[agent]).win_rate
        paired, _ = compare(played[agent], played[agents["base"]])
        low, high = paired.difference.ci95
        print(
            f"{name:8} {line.value:6.1%} ({line.low:.1%} to {line.high:.1%}); over base "
            f"{100 * paired.difference.value:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}), "
            f"p = {paired.p_value:.2g}"
        )


if __name__ == "__main__":
    main()
