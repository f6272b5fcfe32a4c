"""Getting ready: the solver's kernels are loaded, or compiled the first time, before play.

Play needs the analysis only, so it begins as soon as that is compiled; a second process compiles
the guesses meanwhile. A guess that comes sooner waits for it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import solver
from solver.agents import Agent, KernelPlayer
from solver.exact.cache import Part, is_being_compiled, is_compiled
from solver.warm_up import compile_part, kernels_of

START_S: Final = 5.0
"""Longest wait for the second process to begin; it takes about 0.2 s."""


def parts_of(agent: Agent, *, games: bool = False) -> tuple[Part, ...]:
    """Return what an agent needs compiled; with ``games``, also to play games inside the kernels.

    An agent that needs more than the analysis says so in its attribute ``parts``.
    """
    parts: tuple[Part, ...] = getattr(agent, "parts", (Part.ANALYSIS,))
    return (*parts, Part.GAMES) if games and isinstance(agent, KernelPlayer) else parts


def warm_up(
    tell: Callable[[str], None], parts: tuple[Part, ...] = (Part.ANALYSIS, Part.GUESSES)
) -> None:
    """Load the kernels of ``parts``, or compile them if this is their first use.

    ``tell`` hears of a compilation before it starts and when it is done. Ctrl-C keeps the kernels
    that are compiled by then: the next start goes on from there.
    """
    missing = [part for part in parts if not is_compiled(part)]
    if missing:
        tell(
            "Compiling the parts of the solver that are used for the first time; this takes about "
            f"{20 * len(missing)} seconds. Ctrl-C keeps what is done."
        )
    took = sum(_warm_up_part(tell, part) for part in parts)
    if missing:
        tell(f"Compiled in {took:.0f} s, and kept: these parts are not compiled again.")


@contextmanager
def warm_up_for_play(tell: Callable[[str], None], agent: Agent) -> Iterator[None]:
    """Warm up the analysis; compile what else ``agent`` needs beside the play within.

    ``tell`` also hears of a guess that has to wait. On leaving, the second process ends; what it
    compiled is kept.
    """
    warm_up(tell, (Part.ANALYSIS,))
    later = [part for part in parts_of(agent) if not is_compiled(part)]
    if not later:
        warm_up(tell, parts_of(agent))
        yield
        return
    tell("Play begins; the rest of the solver is compiled meanwhile.")
    beside = _compile_beside(later)
    try:
        with _told_of_waits(tell):
            yield
    finally:
        beside.terminate()
        beside.wait()


def _warm_up_part(tell: Callable[[str], None], part: Part) -> float:
    """Load or compile one part, with a bar on a terminal; return the seconds it took."""
    if is_compiled(part):
        return compile_part(part)
    console = Console(stderr=True)
    columns = (
        TextColumn("Compiling"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    names = kernels_of(part)
    begun: set[str] = set()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(part.value, total=len(names))

        def show(name: str) -> None:
            begun.update(names & {name})
            bar.update(task, completed=len(begun), description=f"{part.value}: {name}")

        def say_wait() -> None:
            tell("Another process compiles the solver; waiting for it.")

        return compile_part(part, on_kernel=show, on_wait=say_wait)


def _compile_beside(parts: Sequence[Part]) -> subprocess.Popen[bytes]:
    """Start a process that compiles parts in their order, and wait until it has begun."""
    root = str(Path(solver.__file__).parents[1])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        [sys.executable, "-m", "solver.warm_up", *(part.value for part in parts)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < deadline:
        if all(is_being_compiled(part) or is_compiled(part) for part in parts):
            break
        time.sleep(0.02)
    return process


class _Teller(logging.Handler):
    """Passes log messages on to a person."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(record.getMessage())


@contextmanager
def _told_of_waits(tell: Callable[[str], None]) -> Iterator[None]:
    log = logging.getLogger("solver.exact.cache")
    teller = _Teller(tell)
    log.addHandler(teller)
    try:
        yield
    finally:
        log.removeHandler(teller)
