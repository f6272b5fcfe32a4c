"""A Minesweeper page in a window of Chromium on a desk, and what the page itself says it shows.

A page is described by a JSON object (``clone.json`` in a folder of its own): the file to open, the
size of its window, its boards, and JavaScript expressions for the truth: ``truth_js`` (rows of
text), ``state_js`` (playing, won, lost), ``grid_js`` (left, top, width and height of a tile in the
page) and ``new_game_js``.
"""

import json
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.live.browser import chromium
from tests.live.command import lines_of, run_bot
from tests.live.session import wait_until

PAGES = Path(__file__).parent / "pages"
LOOKS = ("flat", "night", "emoji", "round", "corner")

FLAGS = (
    "--test-type",
    "--disable-features=Translate",
    "--allow-file-access-from-files",
    "--password-store=basic",
    "--force-device-scale-factor=1",
    "--window-position=160,40",
)


@dataclass(frozen=True)
class PageGame:
    """A page that can be played: its file, and the script calls that return its state."""

    name: str
    folder: Path
    api: dict[str, Any]


def own_page(
    look,
    *,
    end="",
    zeros=False,
    polled=False,
    size=(9, 9, 10),
    seed=0,
):
    """Return the page of these tests in one of its `LOOKS`.

    It may ``end`` with a "card" or with "words" over its board, when all mines have "flags", or
    with a "clock" that never stops, be "quiet" until all mines have flags, show nothing and open
    a "menu" at a right click, or count three "lives"; and open ``zeros`` only. A ``polled`` one
    looks only once a frame whether the button is down. The same ``seed`` lays the same mines for
    the same first click; 0 lays others each time.
    """
    rows, cols, mines = size
    options = (f"&end={end}" if end else "") + ("&opens=zeros" if zeros else "")
    options += ("&press=polled" if polled else "") + (f"&seed={seed}" if seed else "")
    query = f"look={look}&rows={rows}&cols={cols}&mines={mines}{options}"
    board = {"rows": rows, "cols": cols, "mines": mines, "setup_js": ""}
    return _page(f"own {look} {end}".rstrip(), f"mines.html?{query}", (700, 700), board)


def random_page(number):
    return _page(f"random {number}", f"random.html?seed={number}", (1300, 1000), {"setup_js": ""})


def _page(name, page, viewport, board):
    """Describe a page of `PAGES`; all of them report their state by the object ``game``."""
    api = {
        "page": page,
        "viewport": list(viewport),
        "boards": [board],
        "new_game_js": "game.newGame()",
        "truth_js": "game.rows()",
        "state_js": "game.state()",
        "grid_js": "game.grid()",
    }
    return PageGame(name, PAGES, api)


def pages_in(folder):
    """Return the pages described in the folders of ``folder``."""
    return [
        PageGame(path.parent.name, path.parent, json.loads(path.read_text("utf-8")))
        for path in sorted(folder.glob("*/clone.json"))
    ]


class Page:
    """A page that is open: clicks reach it through the X server only.

    Its questions are accepted, unless its description says ``accept`` false: then a question starts
    a new game, after which the page no longer knows how the last one ended.
    """

    def __init__(self, desk, game, driver):
        self.desk, self.game, self.driver = desk, game, driver
        self.pid = int(driver.capabilities["goog:processID"])
        self.board: dict[str, Any] = game.api["boards"][0]
        self._wait_loaded()
        self.window = wait_until(
            lambda: desk.windows("Chromium", "class"), 60, "the window of Chromium"
        )[-1]
        self._set_up()

    def js(self, code):
        return self.driver.execute_script(f"return {code}")

    @property
    def state(self):
        """How the game stands, as the page says; under a dialog of its own it may say nothing."""
        return str(wait_until(lambda: self.js(self.game.api["state_js"]), 10, "the page's answer"))

    def grid(self):
        """Return left, top, width and height of the first tile, in pixels of the screen."""
        left, top, wide, high = self.js(self.game.api["grid_js"])
        x, y = self.js(
            "[screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]"
        )
        return x + left, y + top, wide, high

    def _wait_loaded(self):
        wait_until(lambda: self.js("document.readyState") == "complete", 30, "the page")

    def _set_up(self):
        """Choose the first board that the page offers."""
        if setup := self.board["setup_js"]:
            self.driver.execute_script(setup)
            wait_until(lambda: self.js(self.game.api["grid_js"]), 30, "the board")

    def new_game(self):
        if code := self.game.api["new_game_js"]:
            self.driver.execute_script(code)
        else:
            self.driver.refresh()
            self._wait_loaded()
            self._set_up()
        self.desk.wait_stable(0.5, 20)


@contextmanager
def opened(desk, game):
    file, _, query = game.api["page"].partition("?")
    url = (game.folder / file).resolve().as_uri() + (f"?{query}" if query else "")
    width, height = game.api["viewport"]
    flags = (*FLAGS, f"--app={url}", f"--window-size={width},{height}")
    prompts = "accept" if game.api.get("accept", True) else "dismiss"
    with chromium(*flags, env=desk.env, prompts=prompts) as driver:
        yield Page(desk, game, driver)


def play(page, *options, limit_s=200):
    """Let the bot play a page; return the exit code, the reported results and the output."""
    words = ("play", "--screen", "x11", "--json", *options)
    done = run_bot(*words, env=page.desk.env, limit_s=limit_s)
    results = [line["result"] for line in lines_of(done.stdout) if "result" in line]
    return done.returncode, results, done.stderr
