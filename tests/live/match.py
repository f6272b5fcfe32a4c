"""A match: the bot plays some games of a program, and everything it did is checked.

The check trusts the bot in nothing that can be observed otherwise: results come from the umpire,
clicks from the X server, numbers from the mines that a finished board shows.
"""

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import cv2

from tests.live.command import lines_of, run_bot
from tests.live.programs import Running
from tests.live.referee import Witness, watching


@dataclass(frozen=True)
class Match:
    running: Running
    inside: tuple[int, int, int, int]
    games: int
    exit_code: int
    output: str
    results: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    witness: Witness
    session: Path

    @property
    def wins(self):
        return sum(result["result"] == "won" for result in self.results)


def play(running, games, session, *options, limit_s=600):
    desk, inside = running.desk, running.desk.geometry(running.window)
    with watching(running) as witness:
        words = ("play", "--screen", "real", "--games", games, "--json", "--record", session)
        done = run_bot(*words, *options, env=desk.env, limit_s=limit_s)
    if done.returncode and session.exists():
        cv2.imwrite(str(session / "desk-at-the-end.png"), desk.grab()[..., ::-1])
    said = done.stderr + "".join(one for one in done.stdout.splitlines() if one[:1] != "{")
    results = [line for line in lines_of(done.stdout) if "game" in line]
    steps = lines_of((session / "session.jsonl").read_text()) if session.exists() else []
    return Match(running, inside, games, done.returncode, said, results, steps, witness, session)


def faults(match):
    """List everything that went wrong; the list of a clean match is empty."""
    if match.exit_code:
        return [f"exit {match.exit_code}: {match.output.strip()}"]
    starts, found = _follow_clicks(match)
    found += _result_faults(match, starts) + _number_faults(match)
    done = run_bot("replay", match.session)
    return found + [f"replay: {done.stdout.strip()[-500:]} {done.stderr}"] * bool(done.returncode)


def _follow_clicks(match):
    """Check that each click was recorded, and lies in the middle of a tile or starts a new game.

    Returns the time of the first click of each game, and the faults.
    """
    rows, cols, _ = match.running.size
    found: list[str] = []
    planned: list[tuple[int, tuple[int, int]]] = []
    grid: dict[str, Any] = {}
    for step in match.steps:
        if step["kind"] == "calibrated":
            grid = step["calibration"]
            if (grid["rows"], grid["cols"]) != (rows, cols):
                found.append(f"took the board for {grid['rows']}x{grid['cols']}")
        for click in step["clicks"] if step["kind"] == "turn" else ():
            planned.append((step["game"], tuple(click["point"])))
            x, y = (match.running.desk.scale * units for units in click["point"])
            across = (x - grid["x0"]) / grid["tile_w"] - click["cell"][1]
            down = (y - grid["y0"]) / grid["tile_h"] - click["cell"][0]
            if not (0.25 < across < 0.75 and 0.25 < down < 0.75):
                found.append(f"misclick: {click} is off its tile's middle")
    starts: dict[int, float] = {}
    for press in match.witness.ledger.presses:
        if planned and press.button and (press.x, press.y) == planned[0][1]:
            starts.setdefault(planned.pop(0)[0], press.at)
        elif press.button:
            at, smiley = (press.x, press.y), new_game_point(match.running, match.inside)
            if not smiley or max(abs(at[0] - smiley[0]), abs(at[1] - smiley[1])) >= 16:
                found.append(f"stray click at {press.x},{press.y}")
    if planned:
        found.append(f"{len(planned)} recorded clicks never reached the server")
    return starts, found


def _result_faults(match, starts):
    found = []
    if len(match.results) != match.games:
        found.append(f"{len(match.results)} results of {match.games} games")
    for result in match.results:
        game, said = result["game"], result["result"]
        seen = match.witness.seen(starts.get(game, 0), starts.get(game + 1, inf))
        if not seen <= {said}:
            found.append(f"game {game}: reported {said}, the window showed {seen}")
        if said == "lost" and result.get("blame") != "bad luck":
            found.append(f"game {game} lost by {result.get('blame')}: {result.get('why')}")
    return found


def new_game_point(running, inside=None):
    """Return where xdemineur's smiley is; the other programs start a new game by a key."""
    if running.program.name != "xdemineur":
        return None
    left, top, width, _ = inside or running.desk.geometry(running.window)
    return left + width // 2, top + 43


def _number_faults(match):
    found = []
    for result in match.results:
        game = result["game"]
        steps = [step for step in match.steps if step.get("game") == game and "board" in step]
        boards = [step["board"] for step in steps]
        wrong = misread(boards, result["result"], match.running.size[2]) if boards else []
        found += [f"game {game}: {one}" for one in wrong]
    return found


def misread(boards, result, total):
    """Count the mines around every number of a game's boards, if the last shows all mines."""
    shown = "#F?*X" if result == "won" else "*XF"
    mines = {
        (row, col)
        for row, line in enumerate(boards[-1])
        for col, tile in enumerate(line)
        if tile in shown
    }
    if len(mines) != total:
        return []

    def around(row, col):
        return sum(max(abs(row - r), abs(col - c)) == 1 for r, c in mines)

    return [
        f"misread {tile} at {row},{col}, where {count} mines lie around"
        for board in boards
        for row, line in enumerate(board)
        for col, tile in enumerate(line)
        if tile.isdigit() and int(tile) != (count := around(row, col))
    ]
