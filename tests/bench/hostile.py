"""Play among windows that play tricks, and count what reached another window than the board's.

    python -m tests.bench.hostile [--presses 200] [--scenes A,B] [--seed N]

Each scene of `tests.live.adversary` runs on a private X server with a window manager. The bot plays
game after game, and starts again when it stops, until so many presses were made, or for LIMIT_S. A
press that the game's own window did not get went elsewhere, wherever that is. One line a scene:
presses, presses elsewhere, keys, keys elsewhere, how often the bot stopped; then how games ended
and the first sentence of a stop. Exit code 1 if anything went elsewhere, or the bot ended without a
sentence.
"""

import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from tests.bench.series import Table, parser
from tests.live.adversary import scenes
from tests.live.command import ROOT, Bot, lines_of
from tests.live.desk import Desk
from tests.live.programs import Running
from tests.live.session import DeskError, wait_until

LIMIT_S = 600
"""Longest time for one scene: where the board hides from the pointer, few presses are made."""

KEYS = "thief", "claim", "grab"
"""Scenes whose new games are asked for by a key; the others take the face above the board."""

LOOP = """
import json, sys
from bot.cli import main
for _ in range(int(sys.argv[1])):
    code = main(sys.argv[2:])
    print(json.dumps({"exit": code}), flush=True)
    if code == 5:
        break
"""
"""Plays again and again in one process, until it is stopped."""

RUNS = {"neighbour": 4}
"""In this scene there is no second game: the bot tries to start one a few times."""

CODES = (0, 3, 4, 5, 6)
"""Exit codes of a bot that ended its games, was stopped, or said why it stopped."""


@dataclass
class Account:
    """What became of the presses and keys in a scene, and how the bot ended its games."""

    scene: str
    presses: int = 0
    keys: int = 0
    got: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    stops: int = 0
    said: str = ""
    broken: list[str] = field(default_factory=list)

    def count(self, ledger, log):
        """Count the presses and keys, and what became of them; return whether all are known."""
        self.presses = sum(press.button > 0 for press in ledger.presses)
        self.keys = len(ledger.presses) - self.presses
        self.got = Counter(line.rpartition(" ")[0] for line in log.read_text().splitlines())
        return self.got.total() == len(ledger.presses)

    @property
    def strayed(self):
        """How many presses and keys the game's window did not get."""
        return self.presses - self.got["game press"], self.keys - self.got["game key"]


def play_scene(scene, presses, seed, limit_s=LIMIT_S):
    """Let the bot play in a scene until so many presses were made."""
    account, end = Account(scene), time.monotonic() + limit_s
    control = "f2" if scene in KEYS else "smiley"
    words = ("--json", "--agent", "tank", "--games", 1000, "--new-game", control)
    loop = [sys.executable, "-c", LOOP, str(RUNS.get(scene, 1_000_000))]
    with Desk() as desk:
        log = open_scene(desk, scene, "--seed", str(seed))
        game = Running(None, desk, None, 0, ())
        with Bot(game, "play", "--screen", "real", *words, start=loop) as bot:
            while bot.process.poll() is None and time.monotonic() < end:
                if sum(press.button > 0 for press in bot.ledger.presses) >= presses:
                    break
                time.sleep(0.05)
            while bot.process.poll() is None:  # a signal between two runs stops only one of them
                bot.process.send_signal(signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    bot.process.wait(10)
            with suppress(DeskError):  # a busy machine gives the adversary little time
                wait_until(lambda: account.count(bot.ledger, log), 15, "all presses")
        lines, err = lines_of(bot.out), bot.err
    account.results.update(line["result"] for line in lines if "result" in line)
    codes = [line["exit"] for line in lines if "exit" in line]
    account.stops = sum(code in (3, 4, 6) for code in codes)
    stops = [one for one in lines if one.get("error") != "StoppedByUser" and "message" in one]
    account.said = stops[0]["message"] if stops else ""
    account.broken = [f"exit {code}" for code in codes if code not in CODES]
    if "Traceback" in err or "Unexpected" in err:
        account.broken.append(err.strip()[-300:])
    return account


def open_scene(desk, scene, *options):
    """Start the adversary; return its log."""
    log = desk.home / "log"
    words = [sys.executable, "-m", "tests.live.adversary", scene, str(log), *options]
    desk.start(["env", f"PYTHONPATH={ROOT}", "XAUTHORITY=/dev/null", *words])
    wait_until(log.exists, 60, "the adversary")
    time.sleep(1.5)
    return log


def main():
    args = parser(__doc__, presses=200, scenes=",".join(scenes()), seed=0).parse_args()
    table, clean = Table("scene", "presses", "elsewhere", "keys", "elsewhere", "stops"), True
    for scene in args.scenes.split(","):
        account = play_scene(scene, args.presses, args.seed)
        presses, keys = account.strayed
        table.line(scene, account.presses, presses, account.keys, keys, account.stops)
        games = ", ".join(f"{count} {result}" for result, count in account.results.items())
        table.note([f"{games}. {account.said}", *account.broken])
        clean = clean and account.strayed == (0, 0) and not account.broken
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
