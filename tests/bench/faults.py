"""Play real programs and pages under random faults, and judge what the bot did.

    python -m tests.bench.faults [--games 100] [--seed 0] [--pages DIR] [--only NAME]
        [--faults A,B] [--keep DIR]

Each game is one run of ``minebot play`` on a private X server, with one fault of
`tests.live.mischief` at a random moment. A referee sees every click that reached the server, how
the game ended by the window or the page itself, and the mines that a finished board shows.
DIR holds pages, each with its description in ``clone.json`` (see `tests.live.webpage`).

A fault counts as *recovered* (the reported result is the true one), *typed stop* (exit code 3 to 6
and one sentence) or *wrong* (anything else: a result that is not true, a click beside the board or
on what lay over it, a number misread, a traceback). Exit code 1 if anything was wrong.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import cv2

from tests.bench.series import Table, parser
from tests.live.command import ROOT, RUN_BOT
from tests.live.desk import Desk
from tests.live.faulty import Ground, Played, grounds
from tests.live.ledger import Ledger, Press
from tests.live.match import around, layout
from tests.live.mischief import FAULTS, FROM_THE_START, MUST_STOP, Scene
from tests.live.session import wait_until

GAMES_A_WINDOW = 6
"""Games played in one window before the next program's turn."""

REACTION_S = 0.4
"""Time after which no click may follow a fault that must stop the bot."""

SIGHT_S = 0.25
"""Time after which what lies over the board must have been seen."""

LIMIT_S = 240
"""Longest time that a game may take on a busy machine."""


KINDS = "recovered", "typed stop", "wrong"


@dataclass
class Verdict:
    """What became of one game: the program, the fault, its class, and why it is wrong."""

    program: str
    fault: str
    kind: str
    why: str = ""
    reported: str = ""
    chance: float | None = None


def main() -> int:
    """Play the games that the command line asks for, and print the table."""
    defaults = {"games": 100, "seed": 0, "pages": Path, "only": "", "keep": Path}
    args = parser(__doc__, faults=",".join(FAULTS), **defaults).parse_args()
    random, verdicts = Random(args.seed), list[Verdict]()
    fields = [ground for ground in grounds(args.pages) if args.only in ground.name]
    # Ended early, it ends what it started, and prints what it has.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        for ground in cycle(fields):
            if len(verdicts) >= args.games:
                break
            count = min(GAMES_A_WINDOW, args.games - len(verdicts))
            try:
                play_some(ground, count, args.faults.split(","), random, args.keep, verdicts)
            except Exception as error:  # a program that does not start says nothing of the bot
                print(f"  {ground.name}: {type(error).__name__}: {error}", flush=True)
    finally:
        print_table(verdicts)
    return 1 if any(verdict.kind == "wrong" for verdict in verdicts) else 0


def play_some(
    ground: Ground,
    count: int,
    faults: list[str],
    random: Random,
    keep: Path | None,
    verdicts: list[Verdict],
) -> None:
    """Play some games in one window; a program that was ended or hangs is opened again."""
    with Desk() as desk, ExitStack() as stack:
        played = stack.enter_context(ground.open(desk))
        ledger = Ledger(desk.env["DISPLAY"])
        stack.callback(ledger.close)
        for _ in range(count):
            fault = random.choice(faults)
            with tempfile.TemporaryDirectory() as folder:
                session = (keep or Path(folder)) / f"{len(verdicts):04d} {ground.name} {fault}"
                verdict = play_one(ground, played, ledger, fault, random, session)
                if verdict.kind != "recovered" and session.exists():
                    cv2.imwrite(str(session / "desk.png"), desk.grab()[..., ::-1])
            verdicts.append(verdict)
            said = " ".join((verdict.reported, verdict.why))
            print(f"{verdict.program:16} {fault:17} {verdict.kind:10} {said}", flush=True)
            if fault == "killed":
                stack.close()
                return


def play_one(
    ground: Ground, played: Played, ledger: Ledger, fault: str, random: Random, session: Path
) -> Verdict:
    """Play one game with one fault in it."""
    played.begin()
    desk, begun = played.desk, time.monotonic()
    desk.xdotool("mousemove", 1700, 1000)
    first = len(ledger.presses)
    scene = Scene(
        desk, played.window, played.pid, ledger, played.board(), played.tile, random,
        switch_look=played.switch_look, kill_game=played.kill,
    )  # fmt: skip
    watch = Watch(played, scene, first)
    with ExitStack() as stack:
        if fault in FROM_THE_START:
            stack.enter_context(FAULTS[fault](scene))
        bot = start_bot(desk, session)
        scene.bot_pid = bot.pid
        try:
            wait_until(
                lambda: len(ledger.presses) > first or bot.poll() is not None, LIMIT_S, "a click"
            )
            time.sleep(random.uniform(0, 1.5))
            watch.look()
            at = time.monotonic()
            if fault not in FROM_THE_START:
                stack.enter_context(FAULTS[fault](scene))
            watch.look()
            out, err = bot.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            bot.send_signal(signal.SIGKILL)
            said = " ".join(bot.communicate()[1].split())[-200:]
            why = f"no end after {LIMIT_S} s; it said: {said}"
            return Verdict(ground.name, fault, "wrong", why)
    watch.look()
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    result = next((line for line in lines if "result" in line), {})
    why = watch.stray_clicks()
    if fault in MUST_STOP:
        late = sum(one.button > 0 and one.at > at + REACTION_S for one in ledger.presses[first:])
        why += [f"{late} clicks after {fault}"] if late else []
    why += played.wrong_result(result.get("result"), begun) + misread(session, played.mines)
    return judge(ground.name, fault, bot.returncode, result, err, why)


def start_bot(desk: Desk, session: Path) -> subprocess.Popen[str]:
    """Let the bot play a game on a desk, recorded in a folder."""
    return subprocess.Popen(
        [*RUN_BOT, "play", "--screen", "x11", "--json", "--pace", "0.03", "--agent", "tank",
         "--record", str(session)],
        env=desk.env, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def judge(
    name: str, fault: str, code: int, result: dict[str, Any], err: str, why: list[str]
) -> Verdict:
    """Sum one game up; ``why`` lists what is wrong with it so far."""
    sentences = err.strip().splitlines()
    reported = str(result.get("result", "")) or (sentences[-1] if sentences else "")
    if "Traceback" in err or "Unexpected" in err or code in (1, 2) or code < 0:
        full = fault == "disk full" and code == 1 and "Unexpected" not in err
        why += [] if full else [f"exit {code}: {reported}"]
    if why:
        return Verdict(name, fault, "wrong", "; ".join(why), reported)
    if result.get("result") in ("won", "lost") and code == 0:
        return Verdict(name, fault, "recovered", "", reported, result.get("chance"))
    return Verdict(name, fault, "typed stop", "", reported)


@dataclass
class Watch:
    """Remembers where the board lay and what lay over it, to judge the clicks of one game."""

    played: Played
    scene: Scene
    first: int
    places: list[tuple[int, int, int, int]] = field(default_factory=list)

    def look(self) -> None:
        """Note where the window is now, if it is there."""
        box = self.played.window_box()
        if box is not None:
            self.places.append(box)

    def stray_clicks(self) -> list[str]:
        """List the clicks outside of every place where the window was, and those on covers."""
        clicks = [press for press in self.scene.ledger.presses[self.first :] if press.button]
        stray = [one for one in clicks if not any(_inside(one, box) for box in self.places)]
        stray += self.played.clicked_overlay()
        stray += [
            one
            for one in clicks
            for since, until, box in self.scene.covers
            if since + SIGHT_S < one.at < until and _inside(one, box)
        ]
        return [f"stray click at {press.x},{press.y}" for press in stray]


def _inside(press: Press, box: tuple[int, int, int, int]) -> bool:
    left, top, width, height = box
    return left <= press.x < left + width and top <= press.y < top + height


def misread(session: Path, total: int) -> list[str]:
    """Count the mines around every number that was read, if the end shows all mines."""
    file, steps = session / "session.jsonl", []
    with suppress(ValueError, FileNotFoundError):  # a disk that was full cuts the last line
        for line in file.read_text("utf-8", "replace").splitlines():
            steps.append(json.loads(line))
    boards = [step["board"] for step in steps if "board" in step]
    end = next((step for step in steps if step.get("kind") == "game" and "board" in step), None)
    # An end reported without its board, for instance under a dialog, shows no mine.
    mines = layout(end["board"], end["result"], total) if end else None
    if mines is None:
        return []
    return [
        f"misread {tile} at {row},{col}"
        for board in boards
        for row, line in enumerate(board)
        for col, tile in enumerate(line)
        if tile.isdigit() and int(tile) != around(mines, row, col)
    ][:3]


def print_table(verdicts: list[Verdict]) -> None:
    """Print a line a fault and a line a program, with counts, and the sums."""
    for title, of in (("fault", lambda v: v.fault), ("program", lambda v: v.program)):
        counts = Counter((of(verdict), verdict.kind) for verdict in verdicts)
        table = Table(f"\n{title}", "games", *KINDS)
        for name in dict.fromkeys(of(verdict) for verdict in verdicts):
            kinds = [counts[name, kind] for kind in KINDS]
            table.line(name, sum(kinds), *kinds)
    ended = [verdict for verdict in verdicts if verdict.chance is not None]
    won = sum(verdict.reported == "won" for verdict in ended)
    expected = sum(verdict.chance or 0.0 for verdict in ended)
    print(
        f"\n{len(verdicts)} games, {len(ended)} with a result, {won} won, {expected:.1f} expected; "
        f"{sum(verdict.kind == 'wrong' for verdict in verdicts)} wrong"
    )


if __name__ == "__main__":
    raise SystemExit(main())
