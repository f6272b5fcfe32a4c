"""``minebot manual``: play by hand on the terminal, with an agent's help."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.commands.options import (
    agent_name_of,
    agents_of,
)
from bot.errors import UsageError
from bot.streams import is_terminal
from bot.terminal.manual.play import ManualPlay
from bot.usage.manual import Manual
from solver.arena.boards import Size
from solver.errors import MissingExtra
from solver.game import Rule

if TYPE_CHECKING:
    from bot.terminal.manual.app import ManualApp


def run(args: Manual) -> int:
    """Play until the person quits."""
    manual = manual_play_of(args)
    try:
        from bot.terminal.manual.app import ManualApp  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("Manual play needs", "manual") from error
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
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


def manual_play_of(args: Manual) -> ManualPlay:
    """Return manual play with the game that the options describe.

    Raises `UsageError` for options that do not go together. A mine total or a size that stands in
    the configuration may be left unused: it is meant for other commands too.
    """
    if args.load is None and "mines" in args.typed:
        raise UsageError("--mines belongs to --load FILE; --size ROWSxCOLSxMINES sets a new game.")
    if args.load is not None and "mines" in args.typed and "size" in args.typed:
        raise UsageError(
            "--size and --mines both give the mine total of the position of --load: leave one out."
        )
    seed = random.SystemRandom().randrange(1_000_000) if args.seed is None else args.seed
    rule = Rule(args.first)
    manual = ManualPlay(Size.parse(args.size), rule=rule, seed=seed, agent=agent_name_of(args))
    if args.load:
        manual.load(args.load, None if "size" in args.typed else args.mines)
    return manual
