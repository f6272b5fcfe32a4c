"""Help commands that run for long: processes, result files, progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

from bot.plain_text import plain
from bot.usage.shared import Work
from solver.arena.runs import Workers


def workers_of(args: Work) -> Workers:
    """Return the workers that the options ask for."""
    return Workers(jobs=args.jobs, scheduler=args.scheduler)


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
