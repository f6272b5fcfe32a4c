"""``minebot manual``: play by hand on the terminal, with an agent's help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import option
from bot.usage.shared import (
    DEFAULT_AGENT,
    FIRST_CLICK_HELP,
    FIRST_CLICK_RULES,
    SIZE_HELP,
    NamedAgent,
)


@dataclass(frozen=True, kw_only=True)
class Manual(NamedAgent):
    """Play on the terminal with mouse or keys. Agents can help you or play for you; a mistake is
    named as it happens, and every move can be taken back.

    left click, space  open the cell; on a number whose flags are set, open its other neighbours
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
    n                  start a new game
    q, ctrl+c          quit
    ctrl+s, ctrl+o     save or load the position as text
    ?                  list all keys

    examples:
      minebot manual --size beginner
      minebot manual --agents deep,tank,gac          their advice side by side (v)
      minebot manual --load position.txt --mines 40
    """

    size: str = option(SIZE_HELP, "S", default="intermediate")
    seed: int | None = option("seed of the board (default: random)", "S")
    first: str = option(FIRST_CLICK_HELP, choices=FIRST_CLICK_RULES, default="safe")
    agent: str = option("agent to ask at the start", "NAME", default=DEFAULT_AGENT)
    agents: str = option(
        "agents whose advice the side panel shows",
        "A,B,...",
        default="deep,tank,double-improved,gac",
    )
    load: Path | None = option("start from a position in text form", "FILE")
    mines: int | None = option("mine total of the loaded position", "M")
