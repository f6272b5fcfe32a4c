"""Play among windows that play tricks, and count what reached another window than the board's.

    python -m tests.bench.hostile [--presses 200] [--scenes A,B] [--seed N] [--sway]

Each scene of `tests.live.adversary` runs on a private X server with a window manager, or in
Xwayland on a private sway, where nothing says whose window lies at a point. The bot plays game
after game, and starts again when it stops, until so many presses were made, or for LIMIT_S. The
variable BOT names another checkout whose bot plays. A press that the game's own window did not get
went elsewhere, wherever that is. One line a scene: presses, presses elsewhere, keys, keys
elsewhere, how often the bot stopped; then how games ended and the first sentence of a stop. Exit
code 1 if anything went elsewhere, or the bot ended without a sentence.
"""

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

from tests.bench.series import Table, parser
from tests.live.adversary import scenes
from tests.live.command import ROOT
from tests.live.desk import Desk
from tests.live.ledger import Ledger
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

    @property
    def is_clean(self):
        """Whether nothing went elsewhere, and the bot always said why it stopped."""
        return self.strayed == (0, 0) and not self.broken


def play_scene(scene, presses, seed, limit_s=LIMIT_S, *, on_sway=False):
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


def _play(desk, ledger, presses, account, end):
    """Let the bot play until enough presses were made."""
    control = "f2" if account.scene in KEYS else "smiley"
    options = ["--json", "--agent", "tank", "--games", "1000", "--new-game", control]
    with tempfile.TemporaryFile("w+") as reported, tempfile.TemporaryFile("w+") as errors:
        bot = subprocess.Popen(
            [sys.executable, "-c", LOOP, "play", "--screen", "real", *options],
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
    codes = [line["exit"] for line in lines if "exit" in line]
    account.stops = sum(code in (3, 4, 6) for code in codes)
    stops = [one for one in lines if one.get("error") != "StoppedByUser" and "message" in one]
    account.said = stops[0]["message"] if stops else ""
    account.broken = [f"exit {code}" for code in codes if code not in CODES]
    if "Traceback" in err or "Unexpected" in err:
        account.broken.append(err.strip()[-300:])


def main():
    """Play the scenes that the command line names, and print the table."""
    args = parser(__doc__, presses=200, scenes=",".join(scenes()), seed=0, sway=False).parse_args()
    table, clean = Table("scene", "presses", "elsewhere", "keys", "elsewhere", "stops"), True
    for scene in args.scenes.split(","):
        account = play_scene(scene, args.presses, args.seed, on_sway=args.sway)
        presses, keys = account.strayed
        table.line(scene, account.presses, presses, account.keys, keys, account.stops)
        games = ", ".join(f"{count} {result}" for result, count in account.results.items())
        table.note([f"{games}. {account.said}", *account.broken])
        clean = clean and account.is_clean
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
