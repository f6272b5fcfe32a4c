"""A match: the bot plays some games of a program, and everything it did is checked.

The check trusts the bot in nothing that can be observed otherwise: results come from the umpire,
clicks from the X server, numbers from the mines that a finished board shows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import cv2

from tests.live.command import lines_of, run_bot
from tests.live.ledger import Press
from tests.live.programs import Running
from tests.live.referee import Witness, watching


@dataclass(frozen=True)
class Match:
    """The outcome of a match."""

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
    def wins(self) -> int:
        """The number of games that the bot says it won."""
        return sum(result["result"] == "won" for result in self.results)


def play(running: Running, games: int, session: Path, *options: str, limit_s: float = 600) -> Match:
    """Let the bot play ``games`` games, and watch it."""
    desk, inside = running.desk, running.desk.geometry(running.window)
    with watching(running) as witness:
        done = run_bot(
            *("play", "--screen", "real", "--games", games, "--json", "--record", session),
            *options,
            env=desk.env,
            limit_s=limit_s,
        )
    if done.returncode and session.exists():
        cv2.imwrite(str(session / "desk-at-the-end.png"), desk.grab()[..., ::-1])
    written = (session / "session.jsonl").read_text().splitlines() if session.exists() else []
    return Match(
        running,
        inside,
        games,
        done.returncode,
        done.stderr + "".join(line for line in done.stdout.splitlines() if line[:1] != "{"),
        [line for line in lines_of(done.stdout) if "game" in line],
        [json.loads(line) for line in written],
        witness,
        session,
    )


def faults(match: Match) -> list[str]:
    """List everything that went wrong; the list of a clean match is empty."""
    if match.exit_code:
        return [f"exit {match.exit_code}: {match.output.strip()}"]
    starts, click_faults = _follow_clicks(match)
    return [
        *click_faults,
        *_result_faults(match, starts),
        *_number_faults(match),
        *_replay_faults(match),
    ]


def _follow_clicks(match: Match) -> tuple[dict[int, float], list[str]]:
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
        elif press.button and not new_game_control(match, press):
            found.append(f"stray click at {press.x},{press.y}")
    if planned:
        found.append(f"{len(planned)} recorded clicks never reached the server")
    return starts, found


def _result_faults(match: Match, starts: dict[int, float]) -> list[str]:
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


def new_game_control(match: Match, press: Press) -> bool:
    """Whether a click is on xdemineur's smiley; the other programs start a new game by a key."""
    smiley = new_game_point(match.running, match.inside)
    return smiley is not None and all(
        abs(at - wanted) < 16 for at, wanted in zip((press.x, press.y), smiley, strict=True)
    )


def new_game_point(
    running: Running, inside: tuple[int, int, int, int] | None = None
) -> tuple[int, int] | None:
    """Return where to click for a new game, None for a program with a key for it."""
    if running.program.name != "xdemineur":
        return None
    left, top, width, _ = inside or running.desk.geometry(running.window)
    return left + width // 2, top + 43


def _number_faults(match: Match) -> list[str]:
    """Count the mines around every number that was read, in games whose end shows all mines."""
    found = []
    for result in match.results:
        boards = [
            step["board"]
            for step in match.steps
            if step.get("game") == result["game"] and "board" in step
        ]
        mines = layout(boards[-1], result["result"], match.running.size[2]) if boards else None
        if mines is None:
            continue
        found += [
            f"game {result['game']}: misread {tile} at {row},{col}, where {count} mines lie around"
            for board in boards
            for row, line in enumerate(board)
            for col, tile in enumerate(line)
            if tile.isdigit() and int(tile) != (count := around(mines, row, col))
        ]
    return found


def layout(board: list[str], result: str, total: int) -> set[tuple[int, int]] | None:
    """Return the mines of a finished board, None if it does not show all of them."""
    shown = "#F?*X" if result == "won" else "*XF"
    mines = {
        (row, col)
        for row, line in enumerate(board)
        for col, tile in enumerate(line)
        if tile in shown
    }
    return mines if len(mines) == total else None


def around(mines: set[tuple[int, int]], row: int, col: int) -> int:
    """Count the mines that touch a cell."""
    return sum(
        (row + down, col + right) in mines for down in (-1, 0, 1) for right in (-1, 0, 1)
    ) - ((row, col) in mines)


def _replay_faults(match: Match) -> list[str]:
    done = run_bot("replay", match.session)
    return [] if done.returncode == 0 else [f"replay: {done.stdout.strip()[-500:]} {done.stderr}"]
