"""A Minesweeper page in a window of Chromium on a desk, and what the page itself says it shows.

A page is described by a JSON object (``clone.json`` in a folder of its own): the file to open, the
size of its window, its boards, and JavaScript expressions for the truth: ``truth_js`` (rows of
text), ``state_js`` (playing, won, lost), ``grid_js`` (left, top, width and height of a tile in the
page) and ``new_game_js``.
"""

from __future__ import annotations

import json
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from subprocess import Popen
from typing import Any

import websocket

from tests.live.command import lines_of, run_bot
from tests.live.desk import Desk
from tests.live.session import wait_until

PAGES = Path(__file__).parent / "pages"
LOOKS = ("flat", "night", "emoji", "round", "corner")

FLAGS = (
    "--no-sandbox",
    "--test-type",
    "--no-first-run",
    "--disable-gpu",
    "--remote-allow-origins=*",
    "--remote-debugging-port=0",
    "--disable-features=Translate",
    "--allow-file-access-from-files",
    "--password-store=basic",
    "--force-device-scale-factor=1",
    "--disable-background-networking",
    "--disable-component-update",
    "--window-position=160,40",
)
WINDOW_CLASS = "Chromium"


@dataclass(frozen=True)
class PageGame:
    """A page that can be played: its file, and the script calls that return its state."""

    name: str
    folder: Path
    api: dict[str, Any]


def own_page(
    look: str,
    *,
    end: str = "",
    zeros: bool = False,
    polled: bool = False,
    size: tuple[int, int, int] = (9, 9, 10),
    seed: int = 0,
) -> PageGame:
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


def random_page(number: int) -> PageGame:
    """Return the page with random looks and behaviour, drawn from a number."""
    return _page(f"random {number}", f"random.html?seed={number}", (1300, 1000), {"setup_js": ""})


def _page(name: str, page: str, viewport: tuple[int, int], board: dict[str, Any]) -> PageGame:
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


def pages_in(folder: Path) -> list[PageGame]:
    """Return the pages described in the folders of ``folder``."""
    return [
        PageGame(path.parent.name, path.parent, json.loads(path.read_text("utf-8")))
        for path in sorted(folder.glob("*/clone.json"))
    ]


class Page:
    """A page that is open: clicks reach it through the X server only."""

    def __init__(self, desk: Desk, game: PageGame, process: Popen[bytes], port: str) -> None:
        self.desk, self.game, self.process = desk, game, process
        tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
        self._socket = websocket.create_connection(address, timeout=40)
        self._ids = count(1)
        self.call("Page.enable")
        self._wait_loaded()
        self.window = wait_until(
            lambda: desk.windows(WINDOW_CLASS, "class"), 60, "the window of Chromium"
        )[-1]
        self._set_up()

    @property
    def board(self) -> dict[str, Any]:
        """The first board that the page offers."""
        board: dict[str, Any] = self.game.api["boards"][0]
        return board

    def call(self, method: str, **params: Any) -> Any:
        """Call a method of the DevTools protocol; dialogs that open meanwhile are answered.

        They are accepted, unless the page's description says ``accept`` false: its question starts
        a new game, and then the page no longer knows how the last one ended.
        """
        number = self._send(method, params)
        while (answer := json.loads(self._socket.recv())).get("id") != number:
            if answer.get("method") == "Page.javascriptDialogOpening":
                self._send(
                    "Page.handleJavaScriptDialog", {"accept": self.game.api.get("accept", True)}
                )
        return answer.get("result", answer)

    def _send(self, method: str, params: dict[str, Any]) -> int:
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        return number

    def js(self, code: str) -> Any:
        """Return the value of an expression."""
        answer = self.call(
            "Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True
        )
        return answer.get("result", {}).get("value")

    @property
    def state(self) -> str:
        """How the game stands, as the page says; under a dialog of its own it may say nothing."""
        return str(wait_until(lambda: self.js(self.game.api["state_js"]), 10, "the page's answer"))

    def grid(self) -> tuple[float, float, float, float]:
        """Return left, top, width and height of the first tile, in pixels of the screen."""
        left, top, wide, high = self.js(self.game.api["grid_js"])
        x, y = self.js(
            "[screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]"
        )
        return x + left, y + top, wide, high

    def _wait_loaded(self) -> None:
        wait_until(lambda: self.js("document.readyState") == "complete", 30, "the page")

    def _set_up(self) -> None:
        """Choose the first board that the page offers."""
        if setup := self.board["setup_js"]:
            self.js(f"{setup}\n;0")
            wait_until(lambda: self.js(self.game.api["grid_js"]), 30, "the board")

    def new_game(self) -> None:
        """Start a new game."""
        if code := self.game.api["new_game_js"]:
            self.js(f"{code}\n;0")
        else:
            self.call("Page.reload")
            self._wait_loaded()
            self._set_up()
        self.desk.wait_stable(0.5, 20)

    def close(self) -> None:
        """End the connection."""
        with suppress(Exception):
            self._socket.close()


@contextmanager
def opened(desk: Desk, game: PageGame) -> Iterator[Page]:
    """Open a page in a window of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        file, _, query = game.api["page"].partition("?")
        url = (game.folder / file).resolve().as_uri() + (f"?{query}" if query else "")
        width, height = game.api["viewport"]
        process = desk.start(
            ["chromium", *FLAGS, f"--app={url}", f"--user-data-dir={profile}",
             f"--window-size={width},{height}"]
        )  # fmt: skip
        port_file = Path(profile) / "DevToolsActivePort"
        port = wait_until(
            lambda: port_file.exists() and port_file.read_text().split(), 60, "Chromium"
        )
        page = Page(desk, game, process, port[0])
        try:
            yield page
        finally:
            page.close()
            process.terminate()
            process.wait(20)


def play(page: Page, *options: str, limit_s: float = 200) -> tuple[int, list[str], str]:
    """Let the bot play a page; return the exit code, the reported results and the output."""
    words = ("play", "--screen", "x11", "--json", *options)
    done = run_bot(*words, env=page.desk.env, limit_s=limit_s)
    results = [line["result"] for line in lines_of(done.stdout) if "result" in line]
    return done.returncode, results, done.stderr
