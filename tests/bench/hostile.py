"""Play among windows that play tricks, and count what reached another window than the board's.

    python -m tests.bench.hostile [--presses 200] [--scenes A,B] [--seed N] [--sway]

Each scene of `tests.live.adversary` runs on a private X server with a window manager, or in
Xwayland on a private sway, where nothing says whose window lies at a point. The bot plays game
after game, and starts again when it stops, until so many presses were made, or for LIMIT_S. The
variable BOT names another checkout whose bot plays. A press that the game's own window did not get
went elsewhere, wherever that is. One line a scene: presses, presses elsewhere, keys, keys
elsewhere, how often the bot stopped, how games ended and the first sentence of a stop. Exit code 1
if anything went elsewhere, or the bot ended without a sentence.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.live.adversary import scenes
from tests.live.desk import Desk
from tests.live.match import ROOT
from tests.live.referee import Ledger
from tests.live.session import DeskError, wait_until
from tests.live.sway import SwayDesk

BOT = Path(os.environ.get("BOT", ROOT))
"""The checkout whose bot plays."""

LIMIT_S = 600
"""Longest time for one scene: where the board hides from the pointer, few presses are made."""

KEYS = "thief", "claim", "grab"
"""Scenes whose new games are asked for by a key; the others take the face above the board."""


LOOP = """
import json, sys
from bot.cli import main
code = 0
while code != 5:
    code = main(sys.argv[1:])
    print(json.dumps({"exit": code}), flush=True)
"""
"""Plays again and again in one process, until it is stopped."""

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

    def count(self, ledger: Ledger, log: Path) -> bool:
        """Count the presses and keys, and what became of them; return whether all are known."""
        self.presses = sum(press.button > 0 for press in ledger.presses)
        self.keys = len(ledger.presses) - self.presses
        self.got = Counter(line.rpartition(" ")[0] for line in log.read_text().splitlines())
        return self.got.total() == len(ledger.presses)

    @property
    def strayed(self) -> tuple[int, int]:
        """How many presses and keys the game's window did not get."""
        return self.presses - self.got["game press"], self.keys - self.got["game key"]

    @property
    def is_clean(self) -> bool:
        """Whether nothing went elsewhere, and the bot always said why it stopped."""
        return self.strayed == (0, 0) and not self.broken


def play_scene(
    scene: str, presses: int, seed: int, limit_s: float = LIMIT_S, *, on_sway: bool = False
) -> Account:
    """Let the bot play in a scene until so many presses were made."""
    account, end = Account(scene), time.monotonic() + limit_s
    with SwayDesk() if on_sway else Desk() as desk:
        log = desk.home / "log"
        adversary = [sys.executable, "-m", "tests.live.adversary", scene, str(log)]
        desk.start(["env", f"PYTHONPATH={ROOT}", "XAUTHORITY=/dev/null", *adversary,
                    "--seed", str(seed)])  # fmt: skip
        wait_until(log.exists, 60, "the adversary")
        time.sleep(1.5)
        with desk.as_user() if isinstance(desk, SwayDesk) else nullcontext():
            ledger = Ledger(desk.env["DISPLAY"])
        try:
            _play(desk, ledger, presses, account, end)
            with suppress(DeskError):  # a busy machine gives the adversary little time
                wait_until(lambda: account.count(ledger, log), 15, "all presses")
        finally:
            ledger.close()
    return account


def _play(
    desk: Desk | SwayDesk, ledger: Ledger, presses: int, account: Account, end: float
) -> None:
    """Let the bot play until enough presses were made."""
    control = "f2" if account.scene in KEYS else "smiley"
    with tempfile.TemporaryFile("w+") as reported, tempfile.TemporaryFile("w+") as errors:
        bot = subprocess.Popen(
            [sys.executable, "-c", LOOP, "play", "--screen", "real", "--json", "--agent", "tank",
             "--games", "1000", "--new-game", control],
            env=desk.env | {"PYTHONPATH": str(BOT)}, cwd=BOT, stdin=subprocess.DEVNULL,
            stdout=reported, stderr=errors, text=True,
        )  # fmt: skip
        while bot.poll() is None and time.monotonic() < end:
            if sum(press.button > 0 for press in ledger.presses) >= presses:
                break
            time.sleep(0.05)
        while bot.poll() is None:  # a signal between two runs stops only one of them
            bot.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                bot.wait(10)
        for stream in (reported, errors):
            stream.seek(0)
        lines = [json.loads(line) for line in reported if line.startswith("{")]
        err = errors.read()
    account.results.update(line["result"] for line in lines if "result" in line)
    account.stops = sum(line.get("exit", 0) in (3, 4, 6) for line in lines)
    account.said = next(
        (
            one["message"]
            for one in lines
            if one.get("error") != "StoppedByUser" and "message" in one
        ),
        "",
    )
    account.broken = [f"exit {line['exit']}" for line in lines if line.get("exit", 0) not in CODES]
    if "Traceback" in err or "Unexpected" in err:
        account.broken.append(err.strip()[-300:])


def main() -> int:
    """Play the scenes that the command line names, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=200)
    parser.add_argument("--scenes", default=",".join(scenes()))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sway", action="store_true")
    args = parser.parse_args()
    clean = True
    print("scene      presses  elsewhere  keys  elsewhere  stops  games, first sentence")
    for scene in args.scenes.split(","):
        account = play_scene(scene, args.presses, args.seed, on_sway=args.sway)
        games = ", ".join(f"{count} {result}" for result, count in account.results.items())
        presses, keys = account.strayed
        print(
            f"{scene:10} {account.presses:7} {presses:10} {account.keys:5} {keys:10} "
            f"{account.stops:6}  {games}. {account.said}",
            flush=True,
        )
        for why in account.broken:
            print(f"           {why}", flush=True)
        clean = clean and account.is_clean
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
