"""Events as JSON, and the lines of a recording read back as values."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from bot.events import BoardFound, Decided, Event, Played, each_of
from bot.options import PlayOptions
from bot.play.player import Player
from bot.record.games import games_of
from bot.record.lines import (
    EndLine,
    NoteLine,
    OtherLine,
    PlaceLine,
    TurnLine,
    WrongEntry,
    event_json,
    line_of,
)
from bot.record.session import LINES_FILE, Recorder, Session
from solver.agents import make_agent
from solver.board import Cell
from solver.game import Rule
from tests.bot.command_line import read_lines
from tests.bot.play.playing import desktop
from tests.bot.record.written_games import turn

KEPT = Path(__file__).parents[3] / "fixtures" / "sessions" / "version-1"
"""A recording as version 0.2.0 wrote it: a lost game, a window that moved, a game broken off."""


def test_a_recording_of_before_is_read_in_full() -> None:
    """What commands make of it is in ``kept/commands/others.txt``."""
    session = Session.load(KEPT)
    header = session.header
    found = (header.agent, header.rule, header.mines, header.simulated)
    assert found == ("tank", Rule.ZERO, 12, True)
    assert [type(step) for step in session.steps] == [
        *(PlaceLine, *[TurnLine] * 3, NoteLine, TurnLine, PlaceLine, TurnLine, EndLine),
        *(*[TurnLine] * 2, EndLine),
    ]
    first, second = games_of(session)
    assert first.end is not None
    assert first.final is not None
    assert (first.end.blame, first.end.clicks) == ("bad luck", 15)
    assert second.ending.endswith("Stopped: the pointer is in a corner of the screen.")
    moved = first.turns[-1]
    assert moved.place is not None
    assert moved.place.grid.x0 == pytest.approx(159.45, abs=0.01)
    assert moved.clicks[0].cell == moved.decision.moves[0].cell
    assert moved.timings is not None
    assert moved.timings.wait_ms > 0
    (noted,) = [turn for turn in first.turns if turn.notes]
    assert noted.notes == ("The window moved; the board is found again.",)


def test_a_recording_has_the_words_of_the_events(tmp_path: Path) -> None:
    events: list[Event] = []
    with closing(Recorder(tmp_path / "s", {})) as recorder:
        options = PlayOptions(mines=10, new_game="f2")
        observer = each_of(events.append, recorder)
        desk = desktop(rule=Rule.ZERO)
        Player(desk.ports, make_agent("tank"), options=options, observer=observer).play()
    turns = [line for line in read_lines(tmp_path / "s" / LINES_FILE) if line["kind"] == "turn"]
    decided = [event_json(event) for event in events if isinstance(event, Decided)]
    played = [event_json(event) for event in events if isinstance(event, Played)]
    assert len(turns) > 0
    for line, decision, clicks in zip(turns, decided, played, strict=True):
        assert line.items() >= (decision | clicks).items()
        assert isinstance(line_of(line), TurnLine)
    (found,) = [event for event in events if isinstance(event, BoardFound)]
    (place,) = [step for step in Session.load(tmp_path / "s").steps if isinstance(step, PlaceLine)]
    assert {"calibration": place.to_json(), "kind": "calibrated"} == event_json(found)


def test_a_line_of_another_kind_is_kept_and_what_may_be_absent_has_a_default() -> None:
    assert line_of({"kind": "weather", "rain": True}) == OtherLine("weather")
    least = turn("1#")
    del least["mines"], least["status"], least["retry"]
    line = line_of(least)
    assert isinstance(line, TurnLine)
    assert (line.frame, line.status, line.retry, line.timings) == (None, None, False, None)
    assert line.decision.moves[0].cell == Cell(0, 1)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        *(("chance", value) for value in (10**309, 1e308, -0.5, 1.5)),
        ("ms", {"grab": 1, "read": 1}),
        ("clicks", [{"cell": [0, 10**30], "point": [0, 0], "button": "left"}]),
    ],
)
def test_figures_that_cannot_be_are_named(entry: str, value: object) -> None:
    with pytest.raises(WrongEntry, match=entry):
        line_of(turn("1#") | {entry: value})
