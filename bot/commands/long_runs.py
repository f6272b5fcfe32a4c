"""Help commands that run for long: processes, result files, progress bars."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from bot.commands.options import positive_number
from bot.plain_text import plain
from bot.terminal.output import note
from bot.warm_up import parts_of, warm_up
from solver.agents import make_agent
from solver.arena.engine import Workers
from solver.exact.cache import Part


def add_work_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where games run and where their results are kept."""
    parser.add_argument(
        "--jobs",
        type=jobs_number,
        default=1,
        metavar="J",
        help="number of local processes; -1 is one for each core (default: 1)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run on the Dask cluster at ADDRESS (tcp://host:port); needs the extra 'dask'",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="keep every result in FILE (JSON lines); an interrupted run continues from it",
    )


def jobs_number(text: str) -> int:
    """Read a number of processes: 1 or more, or -1 for one for each core; for `argparse`."""
    if text.strip() == "-1":
        return -1
    try:
        return positive_number(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}: give 1 or more, or -1 for one a core") from None


def workers_of(args: argparse.Namespace) -> Workers:
    """Return the workers that the options ask for."""
    return Workers(jobs=args.jobs, scheduler=args.scheduler)


def load_solver(agents: Iterable[str]) -> None:
    """Load the kernels that agents need; print a note if they must be compiled first.

    Call it before any worker starts, so that the workers find the kernels compiled.
    """
    needed = {part for name in agents for part in parts_of(make_agent(name), games=True)}
    warm_up(note, tuple(part for part in Part if part in needed))


@contextmanager
def progress_bars() -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Show progress bars with counts and the time left, only on a terminal.

    Yields a function that starts a bar with a label and returns a second function, which sets the
    bar to ``done`` of ``total``.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:

        def start_bar(label: str) -> Callable[[int, int], None]:
            task = bars.add_task(plain(label), total=None)
            return lambda done, total: bars.update(task, completed=done, total=total)

        yield start_bar
