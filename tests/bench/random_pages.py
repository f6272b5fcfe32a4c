"""Play pages whose looks and ways are drawn by chance.

    python -m tests.bench.random_pages [--first 0] [--pages 50] [--keep DIR]

One game a page, as a new user plays it: fresh page, no options. A line a page: won or lost as the
page says, ``stopped`` with the sentence, or ``WRONG`` if another result was reported or the card of
a finished game was clicked. Exit code 1 if anything was wrong. The same number gives the same page:
`tests/live/pages/random.html`.
"""

import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.bench.series import parser
from tests.live import webpage
from tests.live.desk import Desk
from tests.live.session import DeskError
from tests.live.webpage import opened, random_page

LIMIT_S = 240


def main():
    args = parser(__doc__, first=0, pages=50, keep=Path).parse_args()
    numbers = range(args.first, args.first + args.pages)
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


if __name__ == "__main__":
    sys.exit(main())
