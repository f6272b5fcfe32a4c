"""Files from elsewhere run nothing, reach no file beside their own, and overwrite none."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.cli import main
from bot.record.session import LINES_FILE
from calibration.errors import BadCalibration
from calibration.theme import KEYS_OF_FILES, ProgramProfile, builtin_themes, load_themes
from solver.agents.registry import may_be_recorded
from tests.bot.command_line import ROOT, Capture, complaint, read_lines, run, said, write_lines

CODE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
HOSTILE = "[/x]\x1b]0;PWN\x07\x1b[2J\x9b\u202e"

POSIX = pytest.mark.skipif(os.name != "posix", reason="pipes with a name, and devices")


@pytest.fixture
def gift(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording from elsewhere, in the folder of the process; beside it a file of the user."""
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "notes.py").write_text("open('RAN', 'w').close()\nclass A: pass\n")
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(recorded, tmp_path / "gift"))


def change(folder: Path, **header: object) -> None:
    """Change the header of a recording."""
    first, *rest = read_lines(folder / LINES_FILE)
    write_lines(folder / LINES_FILE, [first | header, *rest])


# ---- what hostile recordings do ------------------------------------------------------------------

Spoil = Callable[[Path], object]


def agent(name: str) -> Spoil:
    return lambda gift: change(gift, agent={"name": name, "seed": 0, "rule": "safe"})


def line(text: str) -> Spoil:
    def spoil(gift: Path) -> None:
        with (gift / LINES_FILE).open("a") as file:
            file.write(f"{text}\n")

    return spoil


def link(name: str, to: str) -> Spoil:
    def spoil(gift: Path) -> None:
        (gift / name).unlink(missing_ok=True)
        (gift / name).symlink_to(to)

    return spoil


def pipe(name: str) -> Spoil:
    def spoil(gift: Path) -> None:
        (gift / name).unlink(missing_ok=True)
        os.mkfifo(gift / name)

    return spoil


def theme_is_a_pipe(gift: Path) -> None:
    pipe("pipe.toml")(gift)
    change(gift, options={"mines": None, "theme": str(gift / "pipe.toml")})


FRAME = "00001.png"
NO_AGENT, DAMAGED = "moves are not compared", "Line "

READERS = ("replay", "review", "stats")
RECORDINGS: list[tuple[str, Spoil, str, int, str]] = [
    # No code runs, and no other agent plays than a built-in one.
    *(
        ("code", agent(name), command, 0, NO_AGENT if command == "replay" else "")
        for name in ("notes.py:A", "./notes.py:A:x=1", "gift/../notes.py:A")
        for command in READERS
    ),
    # No file is read but its own: neither a theme, nor through links, pipes and devices.
    ("theme", theme_is_a_pipe, "replay", 0, "0 differences"),
    *(
        ("frame", spoil, command, code, words)
        for spoil in (link(FRAME, "../victim"), link(FRAME, "/dev/zero"), pipe(FRAME))
        for command, code, words in (("replay", 2, "cannot be read"), ("review", 0, "Game 1"))
    ),
    *(
        ("lines", spoil, command, 2, "")
        for spoil in (link(LINES_FILE, "/dev/zero"), pipe(LINES_FILE))
        for command in READERS
    ),
    # Nothing is written through links.
    ("part of a page", link("review.html.part", "../victim"), "review --game 1", 0, "Game 1"),
    ("page", link("review.html", "../victim"), "review --game 1", 2, "it is a link"),
    ("folder of pages", link("review", ".."), "review", 2, ""),
    # A damaged line is bad data, no failure.
    *(
        ("damaged", line(text), command, 2, DAMAGED)
        for text in ('{"kind": 1' + "0" * 400 + "}", "[" * 5000, '"\\ud800"', "{}")
        for command in READERS
    ),
]


@POSIX
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("name", "spoil", "command", "code", "words"),
    RECORDINGS,
    ids=[f"{name}-{command}" for name, _, command, *_ in RECORDINGS],
)
def test_a_hostile_recording_does_no_harm(
    name: str, spoil: Spoil, command: str, code: int, words: str, gift: Path, capsys: Capture
) -> None:
    spoil(gift)
    beside = {path.name for path in gift.parent.iterdir()}
    kind, *options = command.split()
    found, reported = said(capsys, kind, "gift", *options)
    assert (found, words in reported) == (code, True), reported
    assert "Unexpected" not in reported
    assert "Traceback" not in reported
    assert (gift.parent / "victim").read_text("utf-8") == "precious"
    assert {path.name for path in gift.parent.iterdir()} == beside, "nothing ran, nothing is new"


def test_a_frame_is_no_link_out_of_the_recording(gift: Path) -> None:
    """The picture that it leads to could be one of the user's."""

    def pictures() -> int:
        assert main(["review", "gift", "--game", "1", "-o", "page.html", "--force"]) == 0
        return Path("page.html").read_text("utf-8").count("data:image/webp")

    before = pictures()
    frame = next(one["frame"] for one in read_lines(gift / LINES_FILE) if one["kind"] == "turn")
    shutil.move(gift / frame, "private.png")
    (gift / frame).symlink_to(Path("private.png").resolve())
    assert pictures() == before - 1


def test_one_bad_recording_is_named_and_the_others_are_counted(gift: Path, capsys: Capture) -> None:
    bad = gift.parent / "bad"
    bad.mkdir()
    (bad / LINES_FILE).write_text("[" * 100_000 + "\n{}\n")
    code, (row,), reported = run(capsys, "stats", gift.parent)
    assert (code, row["games"]) == (2, 2)
    assert reported.startswith("Left out:")


def test_a_recording_takes_an_empty_folder(tmp_path: Path, capsys: Capture) -> None:
    folder, victim = tmp_path / "photos", tmp_path / "victim"
    folder.mkdir()
    victim.write_text("precious")
    (folder / FRAME).symlink_to(victim)
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--record")
    code, reported = complaint(capsys, *words, folder)
    assert (code, "holds other files" in reported) == (2, True)
    assert victim.read_text("utf-8") == "precious"
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    assert complaint(capsys, *words, tmp_path / "link")[0] == 2


def test_a_table_holds_no_formula(gift: Path, tmp_path: Path) -> None:
    change(gift, agent={"name": "=cmd|'/c calc'!A1"})
    assert main(["stats", str(gift), "--csv", str(tmp_path / "out.csv")]) == 0
    assert ",'=cmd" in (tmp_path / "out.csv").read_text("utf-8")


# ---- the agent of a replay -----------------------------------------------------------------------


@pytest.mark.slow
def test_the_user_names_the_agent_of_a_replay(
    gift: Path, own_folders: Path, capsys: Capture
) -> None:
    for table in ("common", "replay"):
        file = own_folders / "config" / "minebot" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'[{table}]\nagent = "basic"\n')
        assert run(capsys, "replay", gift)[0] == 0, "tank was recorded, and is built in"
    change(gift, agent={"name": "own.py:A", "seed": 0, "rule": None})
    code, (*differences, summary), reported = run(capsys, "replay", gift, "--agent", "basic")
    assert (code, reported) == (1, "")
    assert summary["differences"] == len(differences) > 0
    assert run(capsys, "replay", gift, "--agent", "tank")[0] == 0


@pytest.mark.parametrize(
    ("name", "may_be"),
    [
        *((name, True) for name in ("deep", "tank", "deep:think=high", "gac:stuck=guess")),
        *((name, False) for name in ("x.py:A", "/x.py:A", "~/x.py:A:o=1", "deep.py:think=low")),
        *((name, False) for name in ("nobody", "", "a person", "csp-dqn:weights=x.npz")),
        *(("dqn-window:weights=/dev/zero", False), ("deep:think=low,weights=x", False)),
        *((name, False) for name in ("relational-3:k=9", "single-improved:variables=60")),
        ("periphery:largest=99", False),
    ],
)
def test_a_recording_may_name_a_built_in_agent_but_no_code_files_or_work_without_end(
    name: str, may_be: bool
) -> None:
    assert may_be_recorded(name) == may_be


# ---- themes: keys and clicks ---------------------------------------------------------------------


WRONG_KEYS = (
    *("alt+f4", "ctrl+w", "ctrl+q", "win", "super+l", "Alt + F4", "ctrl+shift+w", "tab"),
    *("100,200", "delete", "a", "ctrlleft+w", "", "f2+alt", "ctrl+n+w", "f\n2", "ctrl+ n r"),
)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        *(({"new_game": key}, repr(key)) for key in WRONG_KEYS),
        *(({"close_won": [key]}, repr(key)) for key in (*WRONG_KEYS, "smiley")),
        *(({"close_lost": [key]}, repr(key)) for key in WRONG_KEYS),
        # A smiley lies above its board.
        *(({"smiley": at}, "smiley") for at in ([3, 25], [0.5, 0.1], [0.5, -4.5])),
        *(({"smiley": at}, "smiley") for at in ([-0.1, -1], [1.1, -1])),
    ],
    ids=str,
)
def test_a_file_has_no_such_key_pressed_or_place_clicked(
    entries: dict[str, object], words: str
) -> None:
    with pytest.raises(BadCalibration, match=re.escape(words)):
        ProgramProfile.from_data(entries)


def test_a_file_may_have_the_usual_keys_pressed() -> None:
    for key in (*KEYS_OF_FILES, "F2", "Ctrl+N", "ctrl + r", "Return", "Escape", "Space"):
        ProgramProfile.from_data({"new_game": key, "close_won": [key], "close_lost": [key]})
    assert ProgramProfile.from_data({"new_game": "smiley"}).new_game == "smiley"
    for theme in builtin_themes():
        assert ProgramProfile.from_data(theme.profile.to_data()) == theme.profile


@pytest.mark.parametrize("name", ["../x", "a/b", "x\x1b", "", ".x", "a\nb", "x" * 200])
def test_a_theme_has_a_name_that_can_be_a_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / "gift.toml"
    file.write_text(f'program = "gift"\n[[theme]]\nname = {json.dumps(name)}\n')
    with pytest.raises(BadCalibration, match="cannot be called"):
        load_themes(file)


# ---- names, streams and options ------------------------------------------------------------------


@pytest.mark.slow
def test_names_of_any_form_are_shown_as_text_by_every_command(
    gift: Path, screenshot: Path, tmp_path: Path, capsys: Capture
) -> None:
    change(gift, agent={"name": HOSTILE}, minebot=HOSTILE, started=HOSTILE)
    session, picture = tmp_path / f"s{HOSTILE}".replace("/", ""), tmp_path / "p[red]\x1b[2J.png"
    shutil.move(gift, session)
    shutil.copy(screenshot, picture)
    for words in (
        *(["stats", str(session)], ["review", str(session)], ["replay", str(session)]),
        *(["read", str(picture)], ["read", str(picture), "--json"], ["read", f"{picture}x"]),
        *(["solve", str(picture)], ["play", "--screen", "sim", "--theme", HOSTILE]),
        *(["bench", "--agent", HOSTILE], ["themes", "show", HOSTILE]),
        *(["--config", HOSTILE, "agents"], [HOSTILE]),
    ):
        main(words)
        captured = capsys.readouterr()
        assert not CODE.search(captured.out + captured.err), words
        assert "Unexpected" not in captured.err
        assert captured.out + captured.err


def test_one_bad_line_for_the_engine_answers_for_itself(tmp_path: Path, capsys: Capture) -> None:
    good = '{"board": ["1#"], "mines": 1}'
    bad = ("[" * 100_000, '{"board": ["1#"], "mines": 1' + "0" * 400 + "}", "1" * 3_000_000, "\\")
    file = tmp_path / "lines"
    file.write_text("\n".join([good, *(f"{line}\n{good}" for line in bad)]))
    code, answers, _ = run(capsys, "solve", "--agent", "tank", "--lines", file)
    assert code == 4
    assert ["error" in answer for answer in answers] == [False, *[True, False] * len(bad)]


UNWRITTEN = r"The standard output cannot be written \(.*\)\.\n"
COMMANDS_THAT_PRINT = ("agents", "agents --json", "--help", "completion bash")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
@pytest.mark.parametrize(
    ("line", "code", "reported"),
    [
        *((f"{one} >/dev/full", 1, UNWRITTEN) for one in COMMANDS_THAT_PRINT),
        *((f"{one} >&-", 1, UNWRITTEN) for one in COMMANDS_THAT_PRINT),
        ("solve - <&-", 4, ""),
        ("solve --lines - --agent basic <&-", 0, ""),
        ("play --screen sim --step <&-", 2, ""),
        ("agents 2>&-", 0, ""),
        ("read nowhere 2>&-", 2, ""),
        ("solve - < /dev/zero", 4, ""),
        ("solve --lines - < /dev/zero", 2, ""),
    ],
)
def test_closed_full_and_endless_streams_end_a_command(line: str, code: int, reported: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m bot {line}"],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code
    assert not reported or re.fullmatch(reported, done.stderr)
    assert "Traceback" not in done.stderr
    assert "Unexpected" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        *(("read", "{}"), ("stats", "{}"), ("review", "{}"), ("replay", "{}"), ("solve", "{}")),
        *(("solve", "x", "--agent", "{}.py:A"), ("bench", "--boards", "{}")),
        *(("--config", "{}", "agents"), ("bench", "--games", "1", "--results", "{}")),
        *(("read", "x", "--overlay", "{}"), ("play", "--screen", "sim", "--record", "{}")),
    ],
)
def test_a_name_that_is_too_long_is_wrong_usage(words: tuple[str, ...], capsys: Capture) -> None:
    code, reported = complaint(capsys, *(word.format("a" * 5000) for word in words))
    assert code == 2
    assert "too long" in reported or os.name != "posix"  # Windows says that there is no such file


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="each input is run in a fork")
def test_inputs_that_chance_has_spoiled_end_in_a_sentence_and_change_nothing() -> None:
    words = [sys.executable, "-m", "tests.bench.fuzz", "--count", "300", "--seed", "47"]
    done = subprocess.run(words, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 inputs, 0 failed." in done.stdout
