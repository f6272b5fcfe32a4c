"""Sum up several games: wins with an interval, and why games were lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.events import GameResult, Outcome
from solver.arena.statistics import wilson


def summary_json(results: Sequence[GameResult]) -> dict[str, Any]:
    """Count the games. ``ci95`` is the 95 % Wilson interval of the win rate.

    Stopped games count neither for the rate nor for the interval; both are None if no game was
    won or lost.
    """
    won = sum(result.outcome is Outcome.WON for result in results)
    lost = sum(result.outcome is Outcome.LOST for result in results)
    rate = wilson(won, won + lost) if won + lost else None
    blames = [result.blame.value for result in results if result.blame is not None]
    return {
        "games": len(results),
        "wins": won,
        "losses": lost,
        "stopped": len(results) - won - lost,
        "win_rate": None if rate is None else rate.value,
        "ci95": None if rate is None else list(rate.ci95),
        "seconds": round(sum(result.seconds for result in results), 3),
        "blame": {blame: blames.count(blame) for blame in dict.fromkeys(blames)},
    }


def summary_line(results: Sequence[GameResult]) -> str:
    """Return the summary as one sentence."""
    data = summary_json(results)
    line = f"{data['wins']} won, {data['losses']} lost"
    if data["stopped"]:
        line += f", {data['stopped']} not finished"
    if data["ci95"] is not None and data["wins"] + data["losses"] > 1:
        low, high = data["ci95"]
        line += (
            f": {100 * data['win_rate']:.1f} % ({100 * low:.1f} % to {100 * high:.1f} % with 95 % "
            "confidence)"
        )
    if data["blame"]:
        line += "; lost by " + ", ".join(f"{kind} {n}x" for kind, n in data["blame"].items())
    return line + "."
