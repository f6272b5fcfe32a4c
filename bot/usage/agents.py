"""``minebot agents``: list the agents that can play."""

from __future__ import annotations

from dataclasses import dataclass

from bot.usage.shared import Json


@dataclass(frozen=True, kw_only=True)
class Agents(Json):
    """List the agents that can play, with their idea and its source."""
