"""Files from elsewhere run nothing, reach no file beside their own, and overwrite none."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import main
from bot.record.lines import WrongEntry, line_of
from bot.record.session import LINES_FILE
from calibration.errors import BadCalibration
from calibration.theme import KEYS_OF_FILES, ProgramProfile, builtin_themes, load_themes
from solver.agents.registry import may_be_recorded
from tests.bot.command_line import ROOT, Capture, complaint, run, said

CODE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
HOSTILE = "[/x]\x1b]0;PWN\x07\x1b[2J\x9b\u202e"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "session"
    words = ["play", "--screen", "sim", "--size", "9x9x10", "--seed", "2", "--agent", "tank"]
    assert main([*words, "--json", "--record", str(folder)]) == 0
    return folder


@pytest.fixture
def gift(recorded: Path, tmp_path: Path) -> Path:
    """A recording from elsewhere."""
    return Path(shutil.copytree(recorded, tmp_path / "gift"))


def change(folder: Path, **header: object) -> None:
    """Change the header of a recording."""
    first, *rest = (folder / LINES_FILE).read_text("utf-8").splitlines()
    lines = [json.dumps(json.loads(first) | header), *rest, ""]
    (folder / LINES_FILE).write_text("\n".join(lines), "utf-8")


# ---- nothing runs --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_recording_runs_no_code(
    gift: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (gift / "notes.py").write_text("open('RAN', 'w').close()\nclass A: pass\n")
    monkeypatch.chdir(gift.parent)
    for name in ("gift/notes.py:A", str(gift / "notes.py:A"), "./gift/notes.py:A:x=1"):
        change(gift, agent={"name": name, "seed": 0, "rule": "safe"})
        code, reported = said(capsys, "replay", gift)
        assert code == 0
        assert "moves are not compared" in reported
        assert "0 differences" in reported
        for command in ("review", "stats"):
            assert main([command, "gift"]) == 0
    assert not list(gift.parent.rglob("RAN"))


@pytest.mark.slow
def test_the_user_names_the_agent_of_a_replay(gift: Path, capsys: Capture) -> None:
    change(gift, agent={"name": "own.py:A", "seed": 0, "rule": None})
    code, (*differences, summary), reported = run(capsys, "replay", gift, "--agent", "basic")
    assert (code, reported) == (1, "")
    assert summary["differences"] == len(differences) > 0
    assert run(capsys, "replay", gift, "--agent", "tank")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("where", ["common", "replay"])
def test_the_configuration_trusts_the_agent_that_was_recorded(
    gift: Path, own_folders: Path, capsys: Capture, where: str
) -> None:
    file = own_folders / "config" / "minebot" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'[{where}]\nagent = "basic"\n')
    assert run(capsys, "replay", gift)[0] == 0, "tank was recorded, and is built in"


@pytest.mark.parametrize(
    "name",
    [
        *("x.py:A", "/x.py:A", "~/x.py:A:o=1", "nobody", "", "a person", "deep.py:think=low"),
        *("dqn-window:weights=/dev/zero", "csp-dqn:weights=x.npz", "relational-3:k=9"),
        *("single-improved:variables=60", "periphery:largest=99", "deep:think=low,weights=x"),
    ],
)
def test_a_recording_may_not_name_code_files_or_work_without_end(name: str) -> None:
    assert not may_be_recorded(name)


@pytest.mark.parametrize("name", ["deep", "tank", "deep:think=high", "gac:stuck=guess"])
def test_a_recording_may_name_a_built_in_agent(name: str) -> None:
    assert may_be_recorded(name)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes with a name")
def test_a_theme_that_a_recording_names_is_not_read(gift: Path, capsys: Capture) -> None:
    os.mkfifo(gift / "pipe.toml")
    change(gift, options={"mines": None, "theme": str(gift / "pipe.toml")})
    assert run(capsys, "replay", gift)[0] == 0


def test_a_table_holds_no_formula(gift: Path, tmp_path: Path, capsys: Capture) -> None:
    change(gift, agent={"name": "=cmd|'/c calc'!A1"})
    assert main(["stats", str(gift), "--csv", str(tmp_path / "out.csv")]) == 0
    assert ",'=cmd" in (tmp_path / "out.csv").read_text("utf-8")


# ---- keys and clicks -----------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ["new_game", "close_won", "close_lost"])
@pytest.mark.parametrize(
    "key",
    [
        *("alt+f4", "ctrl+w", "ctrl+q", "win", "super+l", "Alt + F4", "ctrl+shift+w", "tab"),
        *("100,200", "delete", "a", "ctrlleft+w", "", "f2+alt", "ctrl+n+w", "f\n2", "ctrl+ n r"),
    ],
)
def test_a_file_has_no_such_key_pressed(entry: str, key: str) -> None:
    value = key if entry == "new_game" else [key]
    with pytest.raises(BadCalibration, match=re.escape(repr(key))):
        ProgramProfile.from_data({entry: value})


def test_a_file_may_have_the_usual_keys_pressed() -> None:
    for key in (*KEYS_OF_FILES, "F2", "Ctrl+N", "ctrl + r", "Return", "Escape", "Space"):
        ProgramProfile.from_data({"new_game": key, "close_won": [key], "close_lost": [key]})
    assert ProgramProfile.from_data({"new_game": "smiley"}).new_game == "smiley"
    with pytest.raises(BadCalibration):
        ProgramProfile.from_data({"close_won": ["smiley"]})


@pytest.mark.parametrize("place", [[3, 25], [0.5, 0.1], [0.5, -4.5], [-0.1, -1], [1.1, -1]])
def test_a_smiley_lies_above_its_board(place: list[float]) -> None:
    with pytest.raises(BadCalibration, match="smiley"):
        ProgramProfile.from_data({"smiley": place})


def test_the_built_in_themes_keep_within_these_limits() -> None:
    for theme in builtin_themes():
        assert ProgramProfile.from_data(theme.profile.to_data()) == theme.profile


@pytest.mark.parametrize("name", ["../x", "a/b", "x\x1b", "", ".x", "a\nb", "x" * 200])
def test_a_theme_has_a_name_that_can_be_a_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / "gift.toml"
    file.write_text(f'program = "gift"\n[[theme]]\nname = {json.dumps(name)}\n')
    with pytest.raises(BadCalibration, match="cannot be called"):
        load_themes(file)


# ---- no link is followed -------------------------------------------------------


def test_a_review_is_not_written_through_links(gift: Path, tmp_path: Path, capsys: Capture) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (gift / "review.html.part").symlink_to(victim)
    assert main(["review", str(gift)]) == 0
    assert (gift / "review.html").is_file()
    (gift / "review.html").unlink()
    (gift / "review.html").symlink_to(victim)
    capsys.readouterr()
    code, reported, *_ = (*said(capsys, "review", gift),)
    assert code == 2
    assert "it is a link" in reported
    assert victim.read_text("utf-8") == "precious"


def test_pages_of_several_games_are_not_written_through_a_folder_that_is_a_link(
    gift: Path, recorded: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (gift / "review").symlink_to(tmp_path / "elsewhere")
    assert main(["review", str(gift), str(recorded)]) == 2
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_recording_takes_an_empty_folder(tmp_path: Path, capsys: Capture) -> None:
    folder, victim = tmp_path / "photos", tmp_path / "victim"
    folder.mkdir()
    victim.write_text("precious")
    (folder / "00001.png").symlink_to(victim)
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--record")
    code, reported = complaint(capsys, *words, folder)
    assert code == 2
    assert "holds other files" in reported
    assert victim.read_text("utf-8") == "precious"
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("empty")
    assert complaint(capsys, *words, tmp_path / "link")[0] == 2


def test_a_frame_is_no_link_out_of_the_recording(gift: Path, tmp_path: Path) -> None:
    steps = [json.loads(line) for line in (gift / LINES_FILE).read_text("utf-8").splitlines()]
    frames = [step["frame"] for step in steps if step["kind"] == "turn"]
    before = pictures_of(gift, tmp_path / "before.html")
    assert before == len(frames) + 1
    private = tmp_path / "private.png"
    shutil.move(gift / frames[0], private)
    (gift / frames[0]).symlink_to(private)
    assert pictures_of(gift, tmp_path / "after.html") == before - 1
    assert main(["replay", str(gift)]) == 2


def pictures_of(session: Path, page: Path) -> int:
    assert main(["review", str(session), "-o", str(page)]) == 0
    return page.read_text("utf-8").count("data:image/webp")


@pytest.mark.timeout(240)
@pytest.mark.skipif(os.name != "posix", reason="pipes with a name, and devices")
@pytest.mark.parametrize("file", [LINES_FILE, "00001.png"])
@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_pipes_and_devices_in_a_recording_are_no_files(
    gift: Path, file: str, kind: str, tmp_path: Path
) -> None:
    (gift / file).unlink()
    if kind == "pipe":
        os.mkfifo(gift / file)
    else:
        (gift / file).symlink_to("/dev/zero")
    codes = {main([command, str(gift)]) for command in ("stats", "replay")}
    codes.add(main(["review", str(gift), "-o", str(tmp_path / "page.html")]))
    assert codes <= {0, 2}
    assert 2 in codes


# ---- bad data ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        *(("chance", value) for value in (10**309, 1e308, -0.5, 1.5)),
        ("ms", {"grab": 1, "read": 1}),
        ("clicks", [{"cell": [0, 10**30], "point": [0, 0], "button": "left"}]),
    ],
)
def test_figures_that_cannot_be_are_one_sentence(gift: Path, entry: str, value: object) -> None:
    lines = [json.loads(line) for line in (gift / LINES_FILE).read_text("utf-8").splitlines()]
    turn = next(line for line in lines if line["kind"] == "turn")
    line_of(turn)
    turn[entry] = value
    with pytest.raises(WrongEntry, match=entry):
        line_of(turn)


@pytest.mark.parametrize("command", ["stats", "review", "replay"])
@pytest.mark.parametrize("line", ['{"kind": 1' + "0" * 400 + "}", "[" * 5000, '"\\ud800"', "{}"])
def test_a_damaged_recording_is_bad_data_not_a_failure(
    gift: Path, command: str, line: str, capsys: Capture
) -> None:
    with (gift / LINES_FILE).open("a") as file:
        file.write(f"{line}\n")
    code, reported = complaint(capsys, command, gift)
    assert code == 2
    assert "Line" in reported


def test_one_bad_recording_is_named_and_the_others_are_counted(
    gift: Path, recorded: Path, capsys: Capture
) -> None:
    bad = gift.parent / "bad"
    bad.mkdir()
    (bad / LINES_FILE).write_text("[" * 100_000 + "\n{}\n")
    code, (row,), reported = run(capsys, "stats", gift.parent)
    assert (code, row["games"]) == (2, 1)
    assert reported.startswith("Left out:")


@pytest.mark.slow
def test_names_of_any_form_are_shown_as_text_by_every_command(
    gift: Path, screenshot: Path, tmp_path: Path, capsys: Capture
) -> None:
    change(gift, agent={"name": HOSTILE}, minebot=HOSTILE, started=HOSTILE)
    session, picture = tmp_path / f"s{HOSTILE}".replace("/", ""), tmp_path / "p[red]\x1b[2J.png"
    shutil.move(gift, session)
    shutil.copy(screenshot, picture)
    for words in (
        ["stats", str(session)],
        ["review", str(session)],
        ["replay", str(session)],
        ["read", str(picture)],
        ["read", str(picture), "--json"],
        ["read", f"{picture}x"],
        ["solve", str(picture)],
        ["play", "--screen", "sim", "--theme", HOSTILE],
        ["bench", "--agent", HOSTILE],
        ["themes", "show", HOSTILE],
        ["--config", HOSTILE, "agents"],
        [HOSTILE],
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


# ---- the program's own streams and options -------------------------------------------------------


def in_shell(line: str) -> subprocess.CompletedProcess[str]:
    python = f"{sys.executable} -m bot"
    return subprocess.run(
        ["bash", "-c", line.replace("minebot", python)],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
@pytest.mark.parametrize("command", ["agents", "agents --json", "--help", "completion bash"])
@pytest.mark.parametrize("output", ["/dev/full", "&-"])
def test_an_output_that_cannot_be_written_is_one_sentence(command: str, output: str) -> None:
    done = in_shell(f"minebot {command} >{output}")
    assert done.returncode == 1
    assert re.fullmatch(r"The standard output cannot be written \(.*\)\.\n", done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("minebot solve - <&-", 4),
        ("minebot solve --lines - --agent basic <&-", 0),
        ("minebot play --screen sim --step <&-", 2),
        ("minebot agents 2>&-", 0),
        ("minebot read nowhere 2>&-", 2),
        ("minebot solve - < /dev/zero", 4),
        ("minebot solve --lines - < /dev/zero", 2),
    ],
)
def test_closed_and_endless_streams_end_a_command(line: str, code: int) -> None:
    done = in_shell(line)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "Unexpected" not in done.stderr


@pytest.mark.parametrize("option", ["--agent", "--mines", "--why", "--lines"])
def test_two_dashes_are_no_value(option: str, capsys: Capture) -> None:
    assert complaint(capsys, "solve", "b.txt", f"{option}=--")[0] == 2


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
