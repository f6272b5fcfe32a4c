"""Play pages whose looks and ways are drawn by chance, or take labelled pictures of them.

    python -m tests.bench.random_pages [--first 0] [--pages 50] [--keep DIR]
    python -m tests.bench.random_pages [--first 0] [--pages 50] --pictures DIR

One game a page, as a new user plays it: fresh page, no options. A line a page: won or lost as the
page says, ``stopped`` with the sentence, or ``WRONG`` if another result was reported or the card of
a finished game was clicked. Exit code 1 if anything was wrong. With ``--pictures`` each page is
drawn fresh, half open with flags, and finished; `tests.bench.score_pages` reads such a folder. The
same number gives the same page: `tests/live/pages/random.html`.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from tests.bench.series import parser
from tests.live import webpage
from tests.live.browser import headless
from tests.live.desk import Desk
from tests.live.session import DeskError
from tests.live.webpage import PAGES, opened, random_page

LIMIT_S = 240

OPENED = 0.4
"""Share of the free cells that are open on a picture in mid-game."""


def main():
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


def play(number, session):
    """Play one game on a page, print what came of it, and return that in a word."""
    started = time.monotonic()
    reported, clicks = list[str](), 0
    try:
        with Desk() as desk, opened(desk, random_page(number)) as page:
            _, reported, said = webpage.play(page, "--record", str(session), limit_s=LIMIT_S)
            state, clicks = page.state, page.js("game.cardClicks()")
    except (DeskError, subprocess.TimeoutExpired) as error:
        state, said = "unknown", type(error).__name__
    said, result = "".join(said.strip().splitlines()[-1:]), "".join(reported) or "stopped"
    if clicks or reported not in ([], [state]):
        said = f"reported {reported}, is {state}; {clicks} clicks on the card; {said}"
        result = "WRONG"
    print(f"{number:5} {result:8} {time.monotonic() - started:4.0f} s  {said}", flush=True)
    return result


def draw(numbers, folder):
    """Write the pictures of pages with their labels."""
    folder.mkdir(parents=True, exist_ok=True)
    with headless() as browser:
        browser.resize(*random_page(0).api["viewport"])
        for number in numbers:
            browser.open(PAGES / "random.html", f"?seed={number}&still=1")
            draw_page(browser, Random(number), folder / f"{number:05}")


def draw_page(browser, random, path):
    """Write the pictures of one page: fresh, half open with four flags, and finished."""
    look, run = browser.run("return game.look()"), browser.run
    cells = look["rows"] * look["cols"]
    snap(browser, look, path, "fresh")
    run("game.open(arguments[0])", random.randrange(cells))
    mines = run("return game.mines()")
    free = [cell for cell in range(cells) if not mines[cell]]
    random.shuffle(free)

    def hidden():
        return run("return arguments[0].filter(cell => !game.isOpen(cell))", free)

    def is_playing():
        return run("return game.state()") == "playing"

    most = (1 - OPENED) * len(free)
    while is_playing() and len(left := hidden()) > most:
        run("game.open(arguments[0])", left[0])
    if is_playing():
        beside = run("return game.mines().map((mine, i) => mine && game.touched(i))")
        marked = [cell for cell in range(cells) if beside[cell]][:4]
        run("arguments[0].forEach(game.flag)", marked)
        snap(browser, look, path, "mid")
        rest = [cell for cell in range(cells) if mines[cell] and cell not in marked]
        if random.random() < 0.5 or not rest:
            run("arguments[0].forEach(game.open)", hidden())
            if is_playing():
                run("arguments[0].forEach(game.flag)", rest)
        else:
            if random.random() < 0.5:
                run("game.flag(arguments[0])", hidden()[0])
            run("game.open(arguments[0])", random.choice(rest))
    snap(browser, look, path, "end")


def snap(browser, look, path, stage):
    """Write a picture of the page, and what it shows."""
    time.sleep(0.1 + 1.3 * look["fade"] / 1000)
    x0, y0, tile_w, tile_h = browser.run("return game.grid()")
    label = {name: look[name] for name in ("rows", "cols", "mines")} | {
        "grid": {"x0": x0, "y0": y0, "tile_w": tile_w, "tile_h": tile_h},
        "state": browser.run("return game.rows()"),
        "status": browser.run("return game.state()"),
    }
    browser.driver.save_screenshot(f"{path}_{stage}.png")
    Path(f"{path}_{stage}.json").write_text(json.dumps(label, indent=1))


if __name__ == "__main__":
    sys.exit(main())
