"""Which signs a terminal shows."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from bot.terminal.console import shows_symbols

UTF_8, CP_437 = (
    Console(file=io.TextIOWrapper(io.BytesIO(), encoding=encoding), force_terminal=True)
    for encoding in ("utf-8", "cp437")
)


@pytest.mark.parametrize(
    ("platform", "console", "environ", "shown"),
    [
        ("linux", UTF_8, {}, True),
        ("linux", CP_437, {}, False),
        ("win32", UTF_8, {}, False),
        ("win32", UTF_8, {"WT_SESSION": "1"}, True),
        ("win32", UTF_8, {"TERM_PROGRAM": "vscode"}, True),
        ("win32", CP_437, {"WT_SESSION": "1"}, False),
        ("darwin", None, {}, True),
    ],
)
def test_signs_are_shown_where_encoding_and_font_have_them(
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    console: Console | None,
    environ: dict[str, str],
    shown: bool,
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert shows_symbols(console, environ) == shown
