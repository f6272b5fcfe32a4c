"""No code in a text reaches the terminal, whatever prints it."""

from __future__ import annotations

import io
import json
import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from bot.cli import print_error
from bot.streams import emit, note, plain
from bot.terminal.console import PipeConsole

HOSTILE = "a\x1b]0;PWN\x07\x1b[2J\x9b31m\x7f\u202eb[/x][red]c[link=http://x]:smile: {{7*7}}"
CODE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@given(st.text())
def test_what_is_written_out_reads_back_in_json_and_toml(text: str) -> None:
    shown = plain(text)
    assert not CODE.search(shown)
    if "\\" not in text and '"' not in text and text.isprintable() is False:
        quoted = shown.replace("\t", "\\t").replace("\n", "\\n")
        assert json.loads(f'"{quoted}"') == text
        if not re.search("[\ud800-\udfff]", text):
            assert tomllib.loads(f'a = "{quoted}"')["a"] == text


def test_plain_text_stays_as_it_is() -> None:
    text = "Zürich, 扫雷, יום, 👩‍👧, \\[x]\ttab\n"
    assert plain(text) == text


@pytest.mark.parametrize("colours", [True, False])
def test_a_console_prints_names_as_they_are_and_no_codes(colours: bool) -> None:
    out = io.StringIO()
    system = "standard" if colours else None
    console = PipeConsole(file=out, width=400, force_terminal=colours, color_system=system)
    table = Table(HOSTILE)
    table.add_row(HOSTILE)
    table.add_row(Text(HOSTILE, style="red"))
    console.print(HOSTILE)
    console.print(table)
    console.print(Panel(Text(HOSTILE), title=Text(HOSTILE)))
    shown = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()) if colours else out.getvalue()
    assert not CODE.search(shown)
    assert shown.count("[/x][red]c[link=http://x]:smile:") == 6
    assert shown.count("PWN") == 6


def test_a_console_prints_a_string_in_one_line() -> None:
    out = io.StringIO()
    console = PipeConsole(file=out, width=400)
    table = Table(title="of\nGame 1: won.")
    table.add_column("name")
    table.add_row("a\nGame 2: won.")
    console.print("shot\nGame 3: won.png: nothing")
    console.print(table)
    console.print(Text("two\nlines"))
    lines = out.getvalue().splitlines()
    assert not [line for line in lines if line.startswith("Game")]
    assert "shot\\nGame 3: won.png: nothing" in lines
    assert {"two", "lines"} < set(lines)


def test_sentences_errors_and_json_hold_no_codes(capsys: pytest.CaptureFixture[str]) -> None:
    note(f"{HOSTILE}\nGame 1: won.")
    print_error("BadImage", HOSTILE, as_json=True)
    emit({HOSTILE: [HOSTILE]})
    captured = capsys.readouterr()
    assert not CODE.search(captured.err + captured.out)
    assert captured.err.count("\n") == 2
    error, emitted = map(json.loads, captured.out.splitlines())
    assert (error["message"], emitted) == (HOSTILE, {HOSTILE: [HOSTILE]})
