"""``minebot manual``: play by hand on the terminal, with an agent's help."""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.arena import agents_of
from bot.commands.options import (
    DEFAULT_AGENT,
    FIRST_CLICK_HELP,
    SIZE_HELP,
    add_think,
    agent_name_of,
    whole_number,
)
from bot.errors import UsageError
from bot.terminal.manual.play import ManualPlay
from solver.arena.boards import Size
from solver.errors import MissingExtra
from solver.game import Rule

if TYPE_CHECKING:
    from bot.terminal.manual.app import ManualApp

ABOUT = """\
Play on the terminal with mouse or keys. Agents can help you or play for you; a mistake is named as
it happens, and every move can be taken back. The editor (d) paints and analyses any position.

left click, space  open the cell; on a number whose flags are complete, open its other neighbours
right click, f     set or remove a flag
middle click, c    chord: open the other neighbours of a number
arrow keys         move the cursor
u                  take the last change back
a, w               ask the agent for a move; say why a cell is safe or a mine
k                  compare the best guesses
v                  show several agents' advice side by side
s, p, e            let the agent play one turn; play on (p stops it); play to the end at once
tab, shift+tab     choose the next or the previous agent
h                  show or hide the risk of every cell
m, r               show or hide mistakes as they happen; review the game
d                  draw and analyse any position
n                  start a new game
q, ctrl+c          quit
ctrl+s, ctrl+o     save or load the position as text
?                  list all keys"""

EXAMPLES = """\
examples:
  minebot manual --size beginner
  minebot manual --agents deep,tank,gac          their advice side by side (v)
  minebot manual --load position.txt --mines 40"""


SIDE_AGENTS = "deep,tank,double-improved,gac"


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "manual",
        help="play by hand on the terminal, with an agent's help",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--size",
        default="intermediate",
        metavar="S",
        help=f"{SIZE_HELP} (default: intermediate)",
    )
    parser.add_argument(
        "--seed", type=whole_number, metavar="S", help="seed of the board (default: random)"
    )
    parser.add_argument(
        "--first",
        choices=[rule.value for rule in Rule],
        default=Rule.SAFE.value,
        help=f"{FIRST_CLICK_HELP} (default: safe)",
    )
    parser.add_argument(
        "--agent",
        default=DEFAULT_AGENT,
        metavar="NAME",
        help=f"agent to ask at the start (default: {DEFAULT_AGENT})",
    )
    add_think(parser)
    parser.add_argument(
        "--agents",
        default=SIDE_AGENTS,
        metavar="A,B,...",
        help=f"agents whose advice the side panel shows (default: {SIDE_AGENTS})",
    )
    parser.add_argument(
        "--load", type=Path, metavar="FILE", help="start from a position in text form"
    )
    parser.add_argument(
        "--mines", type=whole_number, metavar="M", help="mine total of the loaded position"
    )
    parser.set_defaults(run=run, default_of=parser.get_default)


def run(args: argparse.Namespace) -> int:
    """Play until the person quits."""
    manual = manual_play_of(args)
    try:
        from bot.terminal.manual.app import ManualApp  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("Manual play needs an extra: pip install 'minebot[manual]'.") from error
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("Manual play needs a terminal; run it without pipes.")
    app = ManualApp(manual, advisers=agents_of(args.agents))
    asyncio.run(run_until_stopped(app))
    return app.return_code or 0


async def run_until_stopped(app: ManualApp) -> None:
    """Run the app; end it in order at Ctrl-C or a SIGINT, and raise `KeyboardInterrupt` then.

    The terminal gives Ctrl-C to the app as a key. A signal handler that raises would do so
    anywhere in the app, which then stays on the terminal and reacts no more.
    """
    running = asyncio.ensure_future(app.run_async())

    def stop() -> None:
        app.action_stop()
        if not app.is_running:
            running.cancel()

    with suppress(NotImplementedError):  # on Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop)
    with suppress(asyncio.CancelledError):
        await running
    if app.stopped:
        raise KeyboardInterrupt


def manual_play_of(args: argparse.Namespace) -> ManualPlay:
    """Return manual play with the game that the options describe.

    Raises `UsageError` for options that do not go together. A mine total or a size that stands in
    the configuration may be left unused: it is meant for other commands too.
    """
    if args.load is None and _is_typed(args, "mines"):
        raise UsageError("--mines belongs to --load FILE; --size ROWSxCOLSxMINES sets a new game.")
    if args.load is not None and _is_typed(args, "mines") and _is_typed(args, "size"):
        raise UsageError(
            "--size and --mines both give the mine total of the position of --load: leave one out."
        )
    seed = random.SystemRandom().randrange(1_000_000) if args.seed is None else args.seed
    rule = Rule(args.first)
    manual = ManualPlay(Size.parse(args.size), rule=rule, seed=seed, agent=agent_name_of(args))
    if args.load:
        manual.load(args.load, None if _is_typed(args, "size") else args.mines)
    return manual


def _is_typed(args: argparse.Namespace, name: str) -> bool:
    """Tell whether an option has another value than its own default or the configuration's."""
    return str(getattr(args, name)) != str(args.default_of(name))
