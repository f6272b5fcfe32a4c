"""Events as JSON, and the lines of a recording read back as values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.events import BoardFound, Decided, Event, Played
from bot.options import PlayOptions
from bot.play.player import Player
from bot.record.games import games_of, judge
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
from bot.record.replay import replay
from bot.record.session import LINES_FILE, Recorder, Session
from bot.record.statistics import facts_of
from bot.terminal.printers import print_event
from solver.agents import make_agent
from solver.board import Cell
from solver.game import Rule
from tests.bot.command_line import read_lines
from tests.bot.play.playing import desktop
from tests.bot.record.written_games import turn

KEPT = Path(__file__).parents[3] / "fixtures" / "sessions" / "version-1"
"""A recording as version 0.2.0 wrote it: a lost game, a window that moved, a game broken off."""


def test_a_recording_of_before_is_read_in_full() -> None:
    session = Session.load(KEPT)
    header = session.header
    found = (header.agent, header.rule, header.mines, header.simulated)
    assert found == ("tank", Rule.ZERO, 12, True)
    assert [type(step) for step in session.steps] == [
        *(PlaceLine, *[TurnLine] * 3, NoteLine, TurnLine, PlaceLine, TurnLine, EndLine),
        *(*[TurnLine] * 2, EndLine),
    ]
    first, second = games_of(session)
    assert [len(first.turns), len(second.turns)] == [5, 2]
    assert first.end is not None
    assert (first.result, first.end.blame, first.end.clicks) == ("lost", "bad luck", 15)
    assert first.ending == "The game was lost."
    assert first.why_over
    assert first.final is not None
    assert (second.result, second.end and second.end.by_error) == ("stopped", True)
    assert second.ending.endswith("Stopped: the pointer is in a corner of the screen.")
    moved = first.turns[-1]
    assert moved.place is not None
    assert moved.place.grid.x0 == pytest.approx(159.45, abs=0.01)
    assert moved.place.mines == 12
    assert moved.clicks[0].cell == moved.decision.moves[0].cell
    assert moved.timings is not None
    assert moved.timings.wait_ms > 0
    (noted,) = [turn for turn in first.turns if turn.notes]
    assert noted.notes == ("The window moved; the board is found again.",)


def test_a_recording_of_before_is_replayed_judged_and_counted() -> None:
    session = Session.load(KEPT)
    assert list(replay(session)) == []
    lost, stopped = map(judge, games_of(session))
    assert lost.guesses == 1
    assert stopped.game.final is None
    found = [(one.result, one.clicks, one.guesses) for one in facts_of(session)]
    assert found == [("lost", 15, 1), ("stopped", 5, 0)]


def test_a_recording_and_the_printed_events_have_the_same_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events: list[Event] = []
    recorder = Recorder(tmp_path / "s", {})

    def observe(event: Event) -> None:
        events.append(event)
        recorder(event)
        print_event(event)

    desk = desktop(rule=Rule.ZERO)
    options = PlayOptions(mines=10, new_game="f2")
    Player(desk.ports, make_agent("tank"), options=options, observer=observe).play()
    recorder.close()
    recorded = read_lines(tmp_path / "s" / LINES_FILE)
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    turns = [line for line in recorded if line["kind"] == "turn"]
    decided = [event_json(event) for event in events if isinstance(event, Decided)]
    played = [event_json(event) for event in events if isinstance(event, Played)]
    assert len(turns) == len(decided) == len(played) > 0
    for line, decision, clicks in zip(turns, decided, played, strict=True):
        assert line.items() >= (decision | clicks).items()
    for kind, expected in (("decision", decided), ("turn", played)):
        lines = [line for line in printed if line["event"] == kind]
        for line, one in zip(lines, expected, strict=True):
            assert line.items() >= {k: one[k] for k in one.keys() - {"kind", "decision"}}.items()
    assert [type(line_of(line)) for line in recorded[1:]].count(TurnLine) == len(turns)
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
