"""Watch scripted games on real programs, and count the mistakes that the reviews name.

    python -m tests.bench.watch_games [--games 20] [--programs xdemineur,sgt-mines] [--seed 1]
        [--keep DIR]

One line a watch of five games: games, mistakes planted, found and invented, and clicks or keys
that did not come from the script. Exit code 1 if a mistake was missed or invented.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.live.desk import Desk
from tests.live.person import PLANTS, Person, Watch, compare
from tests.live.programs import PROGRAMS, start

GAMES_A_WATCH = 5


def main() -> int:
    """Play the games that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--programs", default="xdemineur,sgt-mines")
    parser.add_argument("--size", default="intermediate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="keep the recorded sessions in this folder")
    args = parser.parse_args()
    folder = args.keep or Path(tempfile.mkdtemp(prefix="minebot-watch-"))
    names = args.programs.split(",")
    print("program      games  planted  found  invented  foreign clicks or keys")
    clean = True
    for number in range(-(-args.games // GAMES_A_WATCH)):
        games = min(GAMES_A_WATCH, args.games - GAMES_A_WATCH * number)
        name = names[number % len(names)]
        session = folder / f"{name}-{number}"
        clean = watch_games(name, args.size, games, args.seed + number, session) and clean
    return 0 if clean else 1


def watch_games(name: str, size: str, games: int, seed: int, session: Path) -> bool:
    """Play some games of one program, watched; print what came of it."""
    random = Random(seed)
    with Desk() as desk:
        running = start(desk, PROGRAMS[name], PROGRAMS[name].sizes[size], at=(160, 90))
        person = Person(running, seed)
        watch = Watch(running, session)
        for _ in range(games):
            plan = random.choices(list(PLANTS), weights=(4, 2, 2, 4), k=random.randrange(5))
            person.play(plan, most_clicks=random.randrange(10, 28), by_two=random.random() < 0.3)
        if seed % 2:
            running.process.terminate()
        else:
            watch.interrupt()
        code, said, reviews = watch.end()
    missed, invented = compare(person, reviews)
    foreign = abs(len(watch.ledger.presses) - len(person.clicks) - person.keys)
    planted = len(person.planted)
    print(
        f"{name:12} {games:5} {planted:8} {planted - len(missed):6} {len(invented):9} {foreign:8}",
        flush=True,
    )
    for fault in missed:
        print(f"    missed: {fault}", flush=True)
    for fault in invented:
        print(f"    invented: {fault}", flush=True)
    if code:
        print(f"    exit {code}: {said}", flush=True)
    return not (code or missed or invented or foreign)


if __name__ == "__main__":
    sys.exit(main())
