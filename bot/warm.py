"""Getting ready: the solver's compiled kernels, and the one sentence about their first making."""

from __future__ import annotations

import time
from collections.abc import Callable

from solver.agents import Agent
from solver.board import Board
from solver.kernels import is_cached

SMALL = Board.from_text("####\n1211\n0000\n0000", 2)


def warm_up(agent: Agent, tell: Callable[[str], None]) -> None:
    """Load the kernels, or compile them if this is the first time on this machine.

    ``tell`` hears about the compilation before it starts and when it is done. Without this the
    first turn would wait for it with the window in play.
    """
    compile_first = not is_cached()
    if compile_first:
        tell("First run: compiling the solver, once on this machine; this takes about 20 s.")
    start = time.perf_counter()
    agent.decide(SMALL)
    if compile_first:
        tell(f"Compiled in {time.perf_counter() - start:.0f} s; the next start takes under one.")
