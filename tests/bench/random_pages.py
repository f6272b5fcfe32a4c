"""Play pages whose looks and ways are drawn by chance, or take labelled pictures of them.

    python -m tests.bench.random_pages [--first 0] [--pages 50] [--keep DIR]
    python -m tests.bench.random_pages [--first 0] [--pages 50] --pictures DIR

One game a page, as a new user plays it: fresh page, no options. A line a page: won or lost as the
page says, ``stopped`` with the sentence, or ``WRONG`` if another result was reported or the card of
a finished game was clicked. Exit code 1 if anything was wrong. With ``--pictures`` each page is
drawn fresh, half open with flags, and finished; `tests.bench.score_pages` reads such a folder. The
same number gives the same page: `tests/live/pages/random.html`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from tests.bench.series import parser
from tests.live import webpage
from tests.live.browser import Browser, chromium
from tests.live.desk import Desk
from tests.live.session import DeskError, which
from tests.live.webpage import PAGES, opened, random_page

LIMIT_S = 240

OPENED = 0.4
"""Share of the free cells that are open on a picture in mid-game."""


def main() -> int:
    """Play the pages that the command line asks for, or draw them."""
    args = parser(__doc__, first=0, pages=50, keep=Path, pictures=Path).parse_args()
    numbers = range(args.first, args.first + args.pages)
    if args.pictures:
        draw(numbers, args.pictures)
        return 0
    keep = args.keep or Path(tempfile.mkdtemp(prefix="minebot-pages-"))
    results = Counter(play(number, keep / str(number)) for number in numbers)
    print(f"{args.pages} games: " + ", ".join(f"{n} {name}" for name, n in results.most_common()))
    return 1 if results["WRONG"] else 0


def play(number: int, session: Path) -> str:
    """Play one game on a page, print what came of it, and return that in a word."""
    started = time.monotonic()
    reported, clicks = list[str](), 0
    try:
        with Desk() as desk, opened(desk, random_page(number)) as page:
            _, reported, said = webpage.play(page, "--record", str(session), limit_s=LIMIT_S)
            state, clicks = page.state, page.js("game.cardClicks()")
    except (DeskError, subprocess.TimeoutExpired) as error:
        state, said = "unknown", type(error).__name__
    said = "".join(said.strip().splitlines()[-1:])
    if clicks or reported not in ([], [state]):
        result, said = (
            "WRONG",
            f"reported {reported}, is {state}; {clicks} clicks on the card; {said}",
        )
    else:
        result = reported[0] if reported else "stopped"
    print(f"{number:5} {result:8} {time.monotonic() - started:4.0f} s  {said}", flush=True)
    return result


def draw(numbers: range, folder: Path) -> None:
    """Write the pictures of pages with their labels."""
    folder.mkdir(parents=True, exist_ok=True)
    program, driver = (which(name) or name for name in ("chromium", "chromedriver"))
    with (
        tempfile.TemporaryDirectory() as profile,
        chromium(Path(profile), program, driver) as browser,
    ):
        browser.resize(*random_page(0).api["viewport"])
        for number in numbers:
            browser.open(PAGES / "random.html", f"?seed={number}&still=1")
            draw_page(browser, Random(number), folder / f"{number:05}")


def draw_page(browser: Browser, random: Random, path: Path) -> None:
    """Write the pictures of one page: fresh, half open with four flags, and finished."""
    look = browser.run("return game.look()")
    cells = look["rows"] * look["cols"]
    snap(browser, look, path, "fresh")
    browser.run("game.open(arguments[0])", random.randrange(cells))
    mines = browser.run("return game.mines()")
    free = [cell for cell in range(cells) if not mines[cell]]
    random.shuffle(free)
    most = (1 - OPENED) * len(free)
    while state(browser) == "playing" and len(left := hidden(browser, free)) > most:
        browser.run("game.open(arguments[0])", left[0])
    if state(browser) == "playing":
        beside = browser.run("return game.mines().map((mine, i) => mine && game.touched(i))")
        marked = [cell for cell in range(cells) if beside[cell]][:4]
        browser.run("arguments[0].forEach(game.flag)", marked)
        snap(browser, look, path, "mid")
        rest = [cell for cell in range(cells) if mines[cell] and cell not in marked]
        if random.random() < 0.5 or not rest:
            browser.run("arguments[0].forEach(game.open)", hidden(browser, free))
            if state(browser) == "playing":
                browser.run("arguments[0].forEach(game.flag)", rest)
        else:
            if random.random() < 0.5:
                browser.run("game.flag(arguments[0])", hidden(browser, free)[0])
            browser.run("game.open(arguments[0])", random.choice(rest))
    snap(browser, look, path, "end")


def state(browser: Browser) -> str:
    """Return how the game stands."""
    return str(browser.run("return game.state()"))


def hidden(browser: Browser, cells: list[int]) -> list[int]:
    """Return the cells that are not open."""
    found: list[int] = browser.run("return arguments[0].filter(cell => !game.isOpen(cell))", cells)
    return found


def snap(browser: Browser, look: dict[str, Any], path: Path, stage: str) -> None:
    """Write a picture of the page, and what it shows."""
    time.sleep(0.1 + 1.3 * look["fade"] / 1000)
    x0, y0, tile_w, tile_h = browser.run("return game.grid()")
    label = {
        "rows": look["rows"],
        "cols": look["cols"],
        "mines": look["mines"],
        "grid": {"x0": x0, "y0": y0, "tile_w": tile_w, "tile_h": tile_h},
        "state": browser.run("return game.rows()"),
        "status": state(browser),
    }
    browser.driver.save_screenshot(f"{path}_{stage}.png")
    Path(f"{path}_{stage}.json").write_text(json.dumps(label, indent=1))


if __name__ == "__main__":
    sys.exit(main())
