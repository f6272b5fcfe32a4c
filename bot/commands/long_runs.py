"""What the long commands share: where to run, where to keep results, how to show progress."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
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

from bot.say import note
from bot.warm import warm_up
from solver.arena.engine import Workers


def add_work_options(parser: argparse.ArgumentParser) -> None:
    """Add the options on workers and results files."""
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="J", help="local processes; -1: one a core"
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="play on the Dask cluster at ADDRESS (tcp://host:port; extra 'dask')",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="keep every result in FILE (JSON lines); a cut run goes on from it",
    )


def workers_of(args: argparse.Namespace) -> Workers:
    """Read the workers from the options."""
    return Workers(jobs=args.jobs or 1, scheduler=args.scheduler)


def get_ready() -> None:
    """Load the solver's kernels, with a word to the person if they must be compiled first.

    It happens here, once, before any worker starts: workers then find them compiled.
    """
    warm_up(note)


@contextmanager
def progress_bars() -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Show bars with counts and the time left, on a terminal only.

    Yields what starts a bar by its label and returns what moves it: done of total.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:

        def start(label: str) -> Callable[[int, int], None]:
            task = bars.add_task(label, total=None)
            return lambda done, total: bars.update(task, completed=done, total=total)

        yield start
