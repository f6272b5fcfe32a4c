"""Looks that play confirmed are kept, offered again, and never trusted over what is seen."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.cli import main
from bot.errors import UsageError
from bot.events import Decided, Event, GameOver, GameResult, Outcome, Turn, each_of
from bot.options import Limits, PlayOptions
from bot.play.player import Player
from bot.record import themes
from bot.record.themes import ThemeKeeper
from bot.simulated import SimulatedDesktop
from bot.terminal.pictures import save_picture
from calibration import Reader, calibrate
from calibration.errors import CalibrationError, StatusUnclear, UnreadableTiles
from calibration.reader import read
from calibration.theme import Theme, builtin_themes, load_themes, themes_named
from solver.agents.base import Action, Decision, Move
from solver.agents.registry import make_agent
from solver.board import Board, Cell, Tile
from solver.game import Rule


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the user's data lie in a folder of the test."""
    monkeypatch.setattr(themes, "user_data_path", lambda *_, **__: tmp_path / "data")
    return tmp_path / "data" / "themes"


def desktop(skin: str, seed: int = 2) -> SimulatedDesktop:
    return SimulatedDesktop(rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=seed, skin=skin)


def play(desk: SimulatedDesktop, observer: Any, **options: Any) -> None:
    agent = make_agent("tank", rule=Rule.ZERO)
    limits = Limits(poll_s=0.01, cover_s=4.5, gone_s=3.0)
    settings = PlayOptions(**{"new_game": "f2", "limits": limits, **options})
    Player(desk.ports, agent, options=settings, observer=observer).play()


def some_theme(name: str) -> Theme:
    return Theme(f"learned/{name}", builtin_themes()[0].appearances)


@pytest.mark.slow
def test_a_look_is_kept_after_a_game_and_used_at_the_next_start(folder: Path) -> None:
    reported: list[str] = []
    play(desktop("dark"), ThemeKeeper(reported.append), games=2)
    (file,) = folder.glob("*.toml")
    assert file.stem == "look-1"
    assert "look-1" in reported[0]
    (theme,) = themes.kept_themes()
    desk = desktop("dark", seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    found = calibrate(desk.grab(), themes=(*builtin_themes(), theme))
    assert found.theme.name == "learned/look-1"
    assert np.array_equal(read(desk.grab(), found).board.tiles, desk.truth_tiles())


@pytest.mark.slow
def test_the_look_of_one_program_is_kept_once(folder: Path) -> None:
    for seed, skin in ((2, "dark"), (5, "dark"), (2, "flat")):
        play(desktop(skin, seed), ThemeKeeper(lambda _: None), games=1)
    assert sorted(file.stem for file in folder.glob("*.toml")) == ["look-1", "look-2"]
    before, after = themes.kept_themes()
    assert before.appearances != after.appearances


@pytest.mark.slow
def test_the_key_for_a_new_game_is_kept_and_used_at_the_next_start(folder: Path) -> None:
    play(desktop("flat"), ThemeKeeper(lambda _: None, new_game="f2"), games=1)
    assert themes.kept_themes()[0].profile.new_game is None  # no second game has begun with it
    play(desktop("flat"), ThemeKeeper(lambda _: None, new_game="f2"), games=2)
    (theme,) = themes.kept_themes()
    assert theme.profile.new_game == "f2"
    play(desktop("flat", seed=5), None, games=2, new_game=None, themes=(theme,))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "kept"),
    [("11F\n###\n000", False), ("01#\n011\n000", True), ("F1#\n#11\n000", False)],
)
def test_flags_that_ended_a_game_are_a_habit(folder: Path, before: str, kept: bool) -> None:
    """Only where all else was open: marks set on the way say nothing."""
    desk, seen = desktop("dark"), _Turns()
    keeper = ThemeKeeper(lambda _: None)
    play(desk, each_of(seen, keeper), games=1)
    board = Board.from_text(before, 1 if kept else None)
    flags = Decision(tuple(Move(cell, Action.FLAG) for cell in board.hidden_cells()), "flags", 1.0)
    last, reading = seen.turns[-1], seen.turns[-1].reading
    for turn in seen.turns:
        keeper(Decided(turn))
    keeper(Decided(replace(last, reading=replace(reading, board=board), decision=flags)))
    flagged = Board.from_text(before.replace("#", "F"))
    result = GameResult(1, Outcome.WON, 1, 1, 0, 1.0, 1.0)
    keeper(GameOver(result, last.frame, replace(reading, board=flagged)))
    assert themes.kept_themes()[0].profile.flags_to_win is kept


class _Turns:
    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def __call__(self, event: Event) -> None:
        if isinstance(event, Decided):
            self.turns.append(event.turn)


def test_a_learned_theme_is_not_trusted_over_what_is_seen() -> None:
    wrong = some_theme("wrong")
    mixed = tuple(
        type(one)((one.tile + 1) % 9 if one.tile >= 0 else one.tile, one.background)
        for one in wrong.appearances
    )
    desk = desktop("classic", seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    try:
        found = calibrate(desk.grab(), themes=(*builtin_themes(), Theme("learned/wrong", mixed)))
        tiles = read(desk.grab(), found).board.tiles
    except CalibrationError:
        return
    assert np.array_equal(tiles, desk.truth_tiles())


@pytest.mark.slow
def test_learn_writes_a_theme_file_that_can_be_used(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    play(desktop("dark"), ThemeKeeper(lambda _: None, path=path), games=1)
    (theme,) = load_themes(path)
    assert {one.tile for one in theme.appearances} >= {0, 1, 2}


def test_themes_are_listed_shown_exported_and_forgotten(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    themes.keep_theme(some_theme("mine"))
    assert main(["themes"]) == 0
    assert "learned/mine" in capsys.readouterr().out
    assert main(["themes", "show", "mine"]) == 0
    assert "background #" in capsys.readouterr().out
    assert main(["themes", "export", "mine", "-o", str(tmp_path / "out.toml")]) == 0
    assert load_themes(tmp_path / "out.toml")[0] == some_theme("mine")
    assert main(["themes", "forget", "mine"]) == 0
    assert themes.kept_themes() == ()
    assert main(["themes", "show", "mine"]) == 2


def test_built_in_themes_are_shown_and_exported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["themes", "show", "winemine"]) == 0
    assert "background #" in capsys.readouterr().out
    assert main(["themes", "export", "kmines/classic", "-o", str(tmp_path / "out.toml")]) == 0
    assert load_themes(tmp_path / "out.toml") == themes_named("kmines/classic")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("list", "mine"), "takes no name"),
        (("show",), "Name a theme"),
        (("export",), "Name a theme"),
        (("forget",), "Name a theme"),
        (("show", "nobody"), "winemine/default"),
        (("show", "kmines"), "kmines/default, kmines/classic"),
        (("forget", "winemine"), "is part of minebot"),
        (("export", "winemine", "-o", "/dev/null/x.toml"), "is a file, not a folder"),
        (("-o", "x.toml"), "-o belongs to 'minebot themes export NAME'"),
        (("show", "winemine", "-o", "x.toml"), "-o belongs to 'minebot themes export NAME'"),
    ],
)
def test_themes_that_are_not_there_are_one_sentence(
    words: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["themes", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert complaint in err


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden"])
def test_a_theme_has_the_name_of_a_file(name: str) -> None:
    with pytest.raises(UsageError):
        themes.theme_file(name)


def test_broken_files_are_reported_and_left_out(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "broken.toml").write_text("no = [toml")
    themes.keep_theme(some_theme("good"))
    reported: list[str] = []
    assert [theme.name for theme in themes.kept_themes(reported.append)] == ["learned/good"]
    assert "broken.toml" in reported[0]


def test_a_damaged_theme_is_named_and_can_be_forgotten(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir(parents=True)
    (folder / "look-2.toml").write_text("no = [toml")
    assert main(["themes", "show", "look-2"]) == 2
    complaint = capsys.readouterr().err
    assert "There is no theme" not in complaint
    assert "look-2.toml" in complaint
    assert main(["themes", "forget", "look-2"]) == 0
    assert not list(folder.iterdir())


def test_only_themes_without_a_given_name_go_of_their_own_accord(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(themes, "MOST_KEPT", 2)
    for name in ("mine", "look-1", "look-2", "look-3"):
        themes.keep_theme(some_theme(name))
    themes.drop_oldest()
    left = {path.stem for path in folder.glob("*.toml")}
    assert "mine" in left
    assert len(left) == 3


def test_teach_takes_a_screenshot_or_the_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert main(["teach"]) == 2
    assert "--screen" in capsys.readouterr().err
    if sys.platform == "linux":
        assert main(["teach", "--screen"]) == 1
        complaint = capsys.readouterr().err
        assert "There is no display" in complaint
        assert "simulated" not in complaint, "only play has a simulated window"


def screenshot_with_a_one(image: Path) -> tuple[SimulatedDesktop, Cell, NDArray[np.uint8]]:
    """Save a screenshot of a game; return its desktop, a cell with a 1, and that tile."""
    desk = desktop("classic", seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    save_picture(desk.grab().pixels, image)
    cell = Cell(*np.argwhere(desk.truth_tiles() == 1)[0].tolist())
    box = desk.truth_grid().box(cell)
    return desk, cell, desk.grab().pixels[box.y0 : box.y1, box.x0 : box.x1].copy()


def test_teach_asks_about_tiles_in_doubt_and_keeps_the_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "screen.png"
    desk, cell, picture = screenshot_with_a_one(image)
    read, doubts = Reader.read, [UnreadableTiles("in doubt", {cell: picture})]

    def doubt_once(self: Reader, *words: Any, **options: Any) -> Any:
        return (doubts.pop(), None) if doubts else read(self, *words, **options)

    monkeypatch.setattr(Reader, "read", doubt_once)
    answers = iter(["nonsense", "1"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert main(["teach", str(image), "--name", "taught", "--pictures", str(tmp_path / "t")]) == 0
    assert 1 in {one.tile for one in themes.kept_theme("taught").appearances}
    assert list((tmp_path / "t").glob("*.png"))
    capsys.readouterr()
    doubt = UnreadableTiles("in doubt", {cell: picture})
    doubt.labels = desk.truth_tiles().astype(np.int8)
    doubt.labels[cell] = Tile.UNKNOWN
    answers, doubts[:] = iter(["8"]), [doubt]
    assert main(["teach", str(image), "--name", "wrong"]) == 2
    assert themes.kept_themes() == (themes.kept_theme("taught"),), "an answer without effect"
    printed = Board.from_text(capsys.readouterr().out)
    assert printed.tiles[cell] == 8, "with every tile named, the answers make a board"
    assert (printed.tiles != doubt.labels).sum() == 1


def test_answers_count_though_the_picture_stays_refused_for_another_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "screen.png"
    desk, cell, picture = screenshot_with_a_one(image)
    unclear = StatusUnclear("It is over.", Board(desk.truth_tiles()))
    outcomes: list[CalibrationError] = [UnreadableTiles("in doubt", {cell: picture}), unclear]
    monkeypatch.setattr(Reader, "read", lambda *_, **__: (outcomes.pop(0), None))
    monkeypatch.setattr("builtins.input", lambda _: "1")
    assert main(["teach", str(image), "--name", "taught"]) == 0
    assert themes.kept_theme("taught").appearances
    assert "It is over." in capsys.readouterr().err
