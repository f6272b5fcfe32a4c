"""A Minesweeper page in a window of Chromium on a desk, and what the page itself says it shows."""

from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from tests.live.browser import chromium
from tests.live.command import lines_of, run_bot
from tests.live.session import wait_until

PAGES = Path(__file__).parent / "pages"
LOOKS = ("flat", "night", "emoji", "round", "corner")

FLAGS = (
    *("--test-type", "--disable-features=Translate", "--allow-file-access-from-files"),
    *("--password-store=basic", "--force-device-scale-factor=1", "--window-position=160,40"),
)


class PageGame(NamedTuple):
    """A page of `PAGES`, its query, and the width and height of its window.

    All of them report their state by the object ``game``.
    """

    name: str
    page: str
    asked: dict[str, object]
    viewport: tuple[int, int]


def own_page(look, *, end="", zeros=False, polled=False, size=(9, 9, 10), seed=0):
    """Return the page of these tests in one of its `LOOKS`.

    It may ``end`` with a "card" or with "words" over its board, when all mines have "flags", or
    with a "clock" that never stops, be "quiet" until all mines have flags, show nothing and open
    a "menu" at a right click, or count three "lives"; and open ``zeros`` only. A ``polled`` one
    looks only once a frame whether the button is down. The same ``seed`` lays the same mines for
    the same first click; 0 lays others each time.
    """
    asked = dict(zip(("rows", "cols", "mines"), size, strict=True))
    asked |= {"look": look, "end": end, "seed": seed or ""}
    asked |= {"opens": "zeros" * zeros, "press": "polled" * polled}
    return PageGame(f"own {look} {end}".rstrip(), "mines.html", asked, (700, 700))


def random_page(number):
    """Return the page with random looks and behaviour, drawn from a number."""
    return PageGame(f"random {number}", "random.html", {"seed": number}, (1300, 1000))


class Page:
    """A page that is open: clicks reach it through the X server only."""

    def __init__(self, desk, game, driver):
        self.desk, self.game, self.driver = desk, game, driver
        self.pid = int(driver.capabilities["goog:processID"])
        wait_until(lambda: self.js("document.readyState") == "complete", 30, "the page")
        shown = wait_until(lambda: desk.windows("Chromium", "class"), 60, "the window of Chromium")
        self.window = shown[-1]

    def js(self, code):
        return self.driver.execute_script(f"return {code}")

    @property
    def state(self):
        """How the game stands, as the page says; under a dialog of its own it may say nothing."""
        return wait_until(lambda: self.js("game.state()"), 10, "the page's answer")

    def grid(self):
        """Return left, top, width and height of the first tile, in pixels of the screen."""
        left, top, wide, high = self.js("game.grid()")
        x, y = self.js(
            "[screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]"
        )
        return x + left, y + top, wide, high

    def new_game(self):
        self.js("game.newGame()")
        self.desk.wait_stable(0.5, 20)


@contextmanager
def opened(desk, game):
    """Open a page in a window of its own."""
    query = urlencode({name: value for name, value in game.asked.items() if value != ""})
    width, height = game.viewport
    flags = (f"--app={(PAGES / game.page).as_uri()}?{query}", f"--window-size={width},{height}")
    with chromium(*FLAGS, *flags, env=desk.env) as driver:
        yield Page(desk, game, driver)


def play(page, *options, limit_s=200):
    """Let the bot play a page; return the exit code, the reported results and the output."""
    words = ("play", "--screen", "x11", "--json", *options)
    done = run_bot(*words, env=page.desk.env, limit_s=limit_s)
    results = [line["result"] for line in lines_of(done.stdout) if "result" in line]
    return done.returncode, results, done.stderr
