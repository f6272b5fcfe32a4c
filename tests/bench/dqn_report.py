"""The DQN report again: its figures 6 to 8, its conclusions, and section 5.3 as a table.

    python -m tests.bench.dqn_report train DIR [--only NAME,...] [--seeds 1,2]    resumable
    python -m tests.bench.dqn_report figures DIR OUT.png              figures 6-8, conclusions
    python -m tests.bench.dqn_report switches DIR [--games 500]       section 5.3 on the same boards
    python -m tests.bench.dqn_report rules [--games 3000]             what plain rules score

The figures are of the report's own game, which opens no numbers around a zero. Their runs end after
as many games as the report's. A run lies in ``DIR/NAME-SEED``.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from solver.arena.boards import Size
from solver.arena.charts import pyplot, save_figure
from solver.arena.statistics import compare_values, mean_estimate
from solver.arena.training import make_learner
from solver.game import Rule
from solver.learning.boards import PLAYING_CODE, WON_CODE, Boards
from solver.learning.training.loop import train
from solver.learning.weights import Recipe, load_weights, read_archive, write_archive
from tests.bench.side_by_side import play, window_choice

GAMES_A_MEAN = 200

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
    parser.add_argument("what", choices=("train", "figures", "switches", "rules"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path("runs"))
    parser.add_argument("out", type=Path, nargs="?", default=Path("scores.png"))
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--games", type=int, default=500)
    args = parser.parse_args()
    if args.what == "train":
        names = args.only.split(",") if args.only else [*RUNS, *SWITCHES]
        if unknown := {*names} - {*RUNS, *SWITCHES}:
            parser.error(f"there is no run named {', '.join(sorted(unknown))}")
        for name in names:
            for seed in args.seeds.split(","):
                run(args.folder / f"{name}-{seed}", name, int(seed))
    elif args.what == "figures":
        figures(args.folder, args.out)
    elif args.what == "switches":
        switches(args.folder, args.games)
    else:
        rules(args.games)


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


def plot_scores(runs: Sequence[tuple[str, np.ndarray]], path: Path) -> None:
    """Draw the score of every game and two means, one panel a run: the DQN report's figures 6-8.

    A run is a title and the scores of its games in order. The means are over all games so far, as
    in the report, and over the last `GAMES_A_MEAN`.
    """
    figure, panels = pyplot().subplots(
        1, len(runs), figsize=(5 * len(runs), 4.2), sharey=True, squeeze=False, layout="constrained"
    )
    for axes, (title, scores) in zip(panels[0], runs, strict=True):
        games = np.arange(1, len(scores) + 1)
        axes.plot(games, scores, ".", color="#56b4e9", ms=1.5, alpha=0.5, label="score")
        axes.plot(games, np.cumsum(scores) / games, color="#e69f00", label="mean so far")
        axes.plot(games, moving_mean(scores), color="#d55e00", lw=1, label="mean of the last 200")
        axes.set(title=title, xlabel="games")
        axes.grid(alpha=0.3)
    panels[0][0].set_ylim(bottom=0)  # for all panels, once all are drawn
    panels[0][0].set_ylabel("score")
    panels[0][0].legend(frameon=False, markerscale=4)
    save_figure(figure, path)


def moving_mean(scores: np.ndarray) -> np.ndarray:
    """Return the mean of each score and those before it, over at most `GAMES_A_MEAN` games."""
    sums = np.concatenate([[0.0], np.cumsum(scores)])
    ends = np.arange(1, len(scores) + 1)
    starts = np.maximum(ends - GAMES_A_MEAN, 0)
    means: np.ndarray = (sums[ends] - sums[starts]) / (ends - starts)
    return means


def figures(folder: Path, out: Path) -> None:
    """Draw figures 6 to 8 and test what the report concludes from them, seed by seed."""
    games = {name: games_of(folder, name) for name in RUNS}
    plot_scores([(title, games[name][0][:, 0]) for name, title in FIGURES.items()], out)
    for name, seeds in games.items():
        for number, own in enumerate(seeds, 1):
            means = " ".join(interval(part[:, 0]) for part in np.array_split(own, 5))
            last = own[-len(own) // 5 :]
            print(f"{name} {number}: {len(own)} games; mean of each fifth: {means}")
            print(
                f"  mean of all {own[:, 0].mean():.0f}; last fifth: below {LOW} "
                f"{share(last[:, 0] < LOW)}, best {last[:, 0].max():.0f}; moves on open tiles "
                f"{last[:, 2].sum() / last[:, 1].sum():.1%}, at first "
                f"{own[:1000, 2].sum() / own[:1000, 1].sum():.1%}"
            )
            print(f"  last over first fifth: {difference(last, own[: len(own) // 5])}")
            print(f"  last over second fifth: {difference(last, np.array_split(own, 5)[1])}")
    for first, second in (("board_safe", "board_tiles"), ("winrep", "board_safe")):
        for number, (a, b) in enumerate(zip(games[first], games[second], strict=False), 1):
            count = min(len(a), len(b))
            for words, part in (("first", slice(count // 2)), ("second", slice(count // 2, count))):
                low = (a[part, 0] < LOW).mean() - (b[part, 0] < LOW).mean()
                print(
                    f"{first} over {second}, seed {number}, {words} half of {count} games: "
                    f"{difference(a[part], b[part])}; share below {LOW}: {low:+.1%}"
                )


def interval(scores: np.ndarray) -> str:
    return f"{scores.mean():.0f}±{1.96 * scores.std() / np.sqrt(len(scores)):.0f}"


def difference(first: np.ndarray, second: np.ndarray) -> str:
    a, b = first[:, 0], second[:, 0]
    error = 1.96 * np.sqrt(a.var() / len(a) + b.var() / len(b))
    return f"{a.mean() - b.mean():+.0f}±{error:.0f}"


def share(true: np.ndarray) -> str:
    found = mean_estimate([float(one) for one in true])
    return f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%})"


def switches(folder: Path, count: int) -> None:
    """Play every switch, trained with every seed, on the same boards; compare it with the base."""
    won = {}
    for name in SWITCHES:
        paths = sorted(folder.glob(f"{name}-*/dqn-window.npz"))
        if paths:
            won[name] = np.array([wins(path, count) for path in paths])
    for name, own in won.items():
        rates = own.mean(1)
        both = zip(own.mean(0), won["base"].mean(0), strict=True)
        paired = compare_values(*zip(*both, strict=True))
        low, high = paired.difference.ci95
        print(
            f"{name:8} {rates.mean():6.1%}, each {' '.join(f'{rate:.1%}' for rate in rates)}; "
            f"over base {100 * paired.difference.value:+.1f} ({100 * low:+.1f} to "
            f"{100 * high:+.1f}), p over boards {paired.p_value:.2g}, over trainings "
            f"{over_trainings(rates, won['base'].mean(1)):.2g}",
            flush=True,
        )


def wins(path: Path, count: int) -> np.ndarray:
    """Return which of the boards are won with some weights."""
    about, arrays = load_weights(path)
    boards = play(window_choice(Recipe(**about), arrays), Size(9, 9, 10), Rule.ZERO, count, 5300)
    return boards.status == WON_CODE


def over_trainings(first: np.ndarray, second: np.ndarray) -> float:
    """Return the p-value of Student's t-test of two groups of trainings, by plain summation."""
    freedom = len(first) + len(second) - 2
    spread = (len(first) * first.var() + len(second) * second.var()) / freedom
    found = abs(first.mean() - second.mean())
    t = found / np.sqrt(spread * (1 / len(first) + 1 / len(second))) if spread else np.inf
    steps = np.linspace(-1, 1, 2_000_001)[1:-1]  # x = s / (1 - s²) covers all numbers
    x = steps / (1 - steps**2)
    density = (1 + x**2 / freedom) ** (-(freedom + 1) / 2) * (1 + steps**2) / (1 - steps**2) ** 2
    return float(density[np.abs(x) >= t].sum() / density.sum())


def rules(count: int) -> None:
    """Print what two plain rules score in the report's game, with 40 mines and as laid there.

    The program draws 40 cells, some of them twice.
    """
    rng = np.random.default_rng(0)
    drawn = np.array([np.unique(rng.integers(0, 225, 40)).size for _ in range(count)])
    for words, mines in (("40 mines", np.full(count, 40)), ("as in the program", drawn)):
        print(f"{words}: {mines.mean():.1f} mines")
        for beside in (False, True):
            scores = np.concatenate(
                [
                    plain_scores(int(many), int((mines == many).sum()), beside, rng)
                    for many in np.unique(mines)
                ]
            )[:, None]
            rule = "beside a zero" if beside else "at random"
            print(f"  {rule}: {interval(scores)}, {scores.min():.0f} to {scores.max():.0f}")


def plain_scores(mines: int, count: int, beside: bool, rng: np.random.Generator) -> np.ndarray:
    """Open covered tiles at random; with ``beside`` those beside a zero, while there are any."""
    boards = Boards(count, 15, 15, mines, Rule.NONE, seed=mines, report_game=True)
    while (boards.status == PLAYING_CODE).any():
        tiles = boards.tiles
        zero = np.pad(tiles == 0, ((0, 0), (1, 1), (1, 1)))
        near = np.lib.stride_tricks.sliding_window_view(zero, (3, 3), (1, 2)).any((3, 4))
        marks = rng.random(tiles.shape) + (near & beside)
        boards.open(np.where(tiles < 0, marks, -1.0).reshape(count, -1).argmax(1))
    return np.asarray(100 * (225 - mines - boards.left))


if __name__ == "__main__":
    main()
