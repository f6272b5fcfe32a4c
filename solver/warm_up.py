"""Compiling the kernels before they are needed, part by part.

A kernel compiles when it is first called, so a part is compiled by a rehearsal: its functions are
called on a small board. Each kernel is stored as soon as it is compiled. A rehearsal that was
interrupted therefore goes on, at the next start, where it stopped.

    python -m solver.warm_up guesses thinking    compiles parts in a process of its own
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib import import_module
from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.exact import cache
from solver.exact.cache import Part
from solver.exact.codes import FREE, HIDDEN
from solver.search.limit import Limit

MODULES: Final = {
    Part.ANALYSIS: (
        "exact.arrays",
        "exact.constraints",
        "exact.elimination_order",
        "exact.forward_pass",
        "exact.mine_totals",
        "exact.probability",
    ),
    Part.GUESSES: (
        "search.cell_net",
        "search.endgame.best_play",
        "search.first_click",
        "search.game_state",
        "search.guess",
        "search.endgame.layout_sets",
        "search.endgame.layouts",
        "search.lookahead",
        "search.endgame.memo",
        "search.endgame.small_sets",
        "search.value_net",
    ),
    Part.GAMES: ("exact.sampling", "search.whole_games"),
    Part.THINKING: ("thinking.playouts",),
    Part.LEARNED: (),
}
"""Where the kernels of each part stand."""


def compile_part(
    part: Part,
    *,
    on_kernel: Callable[[str], None] = lambda name: None,
    on_wait: Callable[[], None] = lambda: None,
) -> float:
    """Load the kernels of a part, or compile those not compiled yet; return the seconds it took.

    ``on_kernel`` is called with the name of each kernel as its compilation begins, ``on_wait``
    once if another process compiles the part, which is then waited for.
    """
    start = time.perf_counter()
    if cache.is_compiled(part):
        _REHEARSALS[part]()
    else:
        with cache.compiling(part, on_wait):
            from solver.exact.kernels import watching  # noqa: PLC0415  numba loads when needed

            with watching(on_kernel):
                _REHEARSALS[part]()
    return time.perf_counter() - start


def compile_parts(parts: Sequence[Part]) -> None:
    """Compile parts in their order, having reserved all of them first: who needs one waits."""
    reserved = {part: ExitStack() for part in parts}
    with ExitStack() as all_reserved:
        for part, right in reserved.items():
            all_reserved.push(right)
            right.enter_context(cache.compiling(part))
        for part, right in reserved.items():
            _REHEARSALS[part]()
            right.close()


def kernels_of(part: Part) -> set[str]:
    """Return the names of the kernels of a part."""
    from solver.exact import kernels  # noqa: PLC0415  numba loads when needed

    return kernels.kernels_of(*map(_module, MODULES[part]))


def _module(name: str) -> ModuleType:
    return import_module(f"solver.{name}")


def _field(*rows: str) -> NDArray[np.int8]:
    """Return the field of a board drawn with ``#`` for hidden cells and digits."""
    codes = [[HIDDEN if tile == "#" else int(tile) for tile in row] for row in rows]
    return np.pad(np.array(codes, np.int8), 1, constant_values=FREE).ravel()


def _rehearse_analysis() -> None:
    from solver.exact.mine_totals import weigh_totals  # noqa: PLC0415  numba loads when needed
    from solver.exact.probability import mine_risks  # noqa: PLC0415

    field = _field("#####", "#1###", "#3###", "#####")
    mine_risks(field, 5, 5)
    weigh_totals(field, 5, 0.2)


def _rehearse_guesses() -> None:
    from solver.search.cell_net import best_at_sight  # noqa: PLC0415  numba loads when needed
    from solver.search.first_click import search_first_clicks  # noqa: PLC0415
    from solver.search.game_state import begin_state, study_state  # noqa: PLC0415
    from solver.search.guess import choose  # noqa: PLC0415
    from solver.search.value_net import load_net  # noqa: PLC0415

    net = load_net()
    state = begin_state(_field("###", "#1#", "###"), 3, 2)
    best_at_sight(net.cells, state, study_state(state))
    search_first_clicks(_field("###", "###", "###"), 3, 2, Limit(), 0)
    few_layouts = ("#####", "#1###", "#3###", "#####")
    closed_region = (
        "0012####",
        "111#####",
        "#123####",
        "112#####",
        "223#3###",
        "##33####",
        "#6#5####",
        "########",
    )
    for rows, mines, limit in (
        (few_layouts, 5, Limit()),
        (few_layouts, 5, Limit(layouts=1)),
        (closed_region, 20, Limit()),
    ):
        state = begin_state(_field(*rows), len(rows[0]), mines)
        choose(state, study_state(state), net, limit)


def _rehearse_games() -> None:
    from solver.exact.sampling import draw_layout, draw_layouts  # noqa: PLC0415  numba loads when needed
    from solver.search import whole_games  # noqa: PLC0415
    from solver.search.cell_net import load_cell_net  # noqa: PLC0415
    from solver.search.game_state import begin_state, study_state  # noqa: PLC0415

    field = whole_games.untouched_field(4, 4)
    random = np.array([1], np.uint64)
    draw_layouts(field, 4, 5, 1, random)
    state, start = begin_state(field, 4, 5), begin_state(field, 4, 5)
    whole_games.copy_state(state, start)
    whole_games.lay_mines(state, np.arange(15, -1, -1, dtype=np.int32), 4, 7, 5, False)
    whole_games.open_cell(state, 7)
    whole_games.finish_tank(state)
    whole_games.finish_at_sight(state, load_cell_net())
    draw_layout(start.field, study_state(start), random, start.mined)


def _rehearse_thinking() -> None:
    from solver.search.game_state import begin_state, study_state  # noqa: PLC0415  numba loads when needed
    from solver.search.value_net import load_net  # noqa: PLC0415
    from solver.thinking.think import think  # noqa: PLC0415

    state = begin_state(_field("#####", "#1###", "#3###", "#####"), 5, 5)
    think(state, study_state(state), load_net(), Limit(layouts=1, worlds=1), threads=1)


_REHEARSALS: Final[dict[Part, Callable[[], None]]] = {
    Part.ANALYSIS: _rehearse_analysis,
    Part.GUESSES: _rehearse_guesses,
    Part.GAMES: _rehearse_games,
    Part.THINKING: _rehearse_thinking,
    Part.LEARNED: lambda: None,
}


if __name__ == "__main__":
    compile_parts([Part(name) for name in sys.argv[1:]])
