"""``minebot manual``: play by hand on the terminal, with an agent's help."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands import shared
from bot.commands.parsing import option
from bot.errors import UsageError
from bot.streams import is_terminal
from solver.errors import MissingExtra

if TYPE_CHECKING:
    from bot.terminal.manual_app import ManualApp
    from bot.terminal.manual_game import ManualGame


@dataclass(frozen=True, kw_only=True)
class Manual(shared.NamedAgent):
    """Play on the terminal with mouse or keys. An agent can help you or play for you. Mistakes are
    reported as they happen, and every move can be taken back.

    left click, space  open the cell; on a number whose flags are set, open its other neighbours
    right click, f     set or remove a flag
    middle click, c    chord: open the other neighbours of a number
    arrow keys         move the cursor
    u                  take the last change back
    a, w               ask the agent for a move; say why a cell is safe or a mine
    s, p               let the agent play one turn; play on (p stops it)
    tab, shift+tab     choose the next or the previous agent
    h                  show or hide the risks
    n                  start a new game
    q, ctrl+c          quit
    ?                  list all keys

    examples:
      minebot manual --size beginner
      minebot manual --load position.txt --mines 40
    """

    size: str = option(shared.SIZE_HELP, "S", default="intermediate")
    seed: int | None = option("seed of the board (default: random)", "S")
    first: str = option(shared.FIRST_CLICK_HELP, choices=shared.FIRST_CLICK_RULES, default="safe")
    agent: str = option("agent to ask at the start", "NAME", default=shared.DEFAULT_AGENT)
    load: Path | None = option("start from a position in text form", "FILE")
    mines: int | None = option("mine total of the loaded position", "M")


def run(args: Manual) -> int:
    """Play until the person quits."""
    manual = manual_game_of(args)
    try:
        from bot.terminal.manual_app import ManualApp
    except ImportError as error:
        raise MissingExtra("Manual play needs", "manual") from error
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        raise UsageError("Manual play needs a terminal; run it without pipes.")
    app = ManualApp(manual)
    asyncio.run(run_until_stopped(app))
    return app.return_code or 0


async def run_until_stopped(app: ManualApp) -> None:
    """Run the app; at Ctrl-C or a SIGINT end it properly, then raise `KeyboardInterrupt`.

    The app receives Ctrl-C as a key. A signal handler that raises could interrupt the app anywhere;
    it would then stay on the terminal and no longer react.
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


def manual_game_of(args: Manual) -> ManualGame:
    """Return manual play with the game that the options describe.

    Raises `UsageError` for options that do not go together. A mine total or a size from the
    configuration may be unused, because it is meant for other commands, too.
    """
    from bot.commands.resolve import agent_name_of
    from bot.terminal.manual_game import ManualGame
    from solver.arena.boards import Size
    from solver.game import Rule

    if args.load is None and "mines" in args.typed:
        raise UsageError("--mines belongs to --load FILE; --size ROWSxCOLSxMINES sets a new game.")
    if args.load is not None and "mines" in args.typed and "size" in args.typed:
        raise UsageError(
            "--size and --mines both give the mine total of the position of --load: leave one out."
        )
    seed = random.SystemRandom().randrange(1_000_000) if args.seed is None else args.seed
    rule = Rule(args.first)
    manual = ManualGame(Size.parse(args.size), rule=rule, seed=seed, agent=agent_name_of(args))
    if args.load:
        manual.load(args.load, None if "size" in args.typed else args.mines)
    return manual
