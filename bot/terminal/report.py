"""What a command found out: one value, told to a person or to a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from rich.console import Console

from bot.terminal.console import console
from bot.terminal.output import emit


class Report(Protocol):
    """What a command found out."""

    def json(self) -> Iterable[Mapping[str, Any]]:
        """Return it as objects, of which each is printed on one line."""

    def show(self, terminal: Console) -> None:
        """Print it for a person."""


def tell(report: Report, *, as_json: bool, colours: str = "") -> None:
    """Print a report on standard output, for a person in these ``colours``."""
    if not as_json:
        report.show(console(colours))
        return
    for line in report.json():
        emit(line)
