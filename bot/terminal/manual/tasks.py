"""Start work that the screen does not wait for."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from textual.dom import DOMNode
from textual.worker import Worker


def start(
    node: DOMNode,
    work: Callable[[], Coroutine[Any, Any, None]],
    *,
    group: str,
    name: str = "",
    exclusive: bool = True,
) -> None:
    """Start ``work``; if it is ``exclusive``, it takes the place of what its group does.

    The work is a function, not a coroutine: another key may cancel it before it begins, and a
    coroutine would then never be awaited.
    """
    _: Worker[None] = node.run_worker(work, name=name, group=group, exclusive=exclusive)
