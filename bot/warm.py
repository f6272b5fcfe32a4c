"""Getting ready: the solver's compiled kernels, and the one sentence about their first making."""

from __future__ import annotations

from collections.abc import Callable

from solver import kernels


def warm_up(tell: Callable[[str], None]) -> None:
    """Load the kernels, or compile them if this is the first time on this machine.

    ``tell`` hears about the compilation before it starts and when it is done. Without this the
    first turn would wait for it with the window in play.
    """
    if kernels.is_cached():
        kernels.warm_up()
        return
    tell("First run: compiling the solver, once on this machine; this takes about a minute.")
    tell(f"Compiled in {kernels.warm_up():.0f} s; the next start takes about one.")
