"""Files are read within bounds and written whole; nothing goes through a link."""

from __future__ import annotations

import errno
import json
import os
import tomllib
from pathlib import Path
from typing import IO, Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from solver.files import (
    KEY_PARTS,
    NESTED,
    append_file,
    check_place,
    fill_file,
    parse_json,
    parse_toml,
    read_file,
    write_file,
)

TEXT = "some text\n"

KEYS = st.text("abc.\"' #[{\\", max_size=6)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False).filter(
        lambda value: abs(value) < 1e300
    ) | st.text("ab[{]}\"'\\#=.\n\u20ac", max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


# ---- read ----------------------------------------------------------------------------------------


def test_a_plain_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_file(file, 5) == b"12345"
    with pytest.raises(OSError, match="larger than"):
        read_file(file, 4)
    with pytest.raises(OSError, match="zero byte"):
        read_file("a\0b", 10)


def test_a_folder_that_the_system_does_not_open_is_named_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows opens no folder: it answers that the permission is denied."""

    def refuse(path: Path, flags: int) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    (tmp_path / "file").touch()
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(OSError, match="it is a folder") as raised:
        read_file(tmp_path, 100)
    assert raised.value.errno == errno.EISDIR
    with pytest.raises(PermissionError):
        read_file(tmp_path / "file", 100)


def test_a_long_name_and_a_file_in_place_of_a_folder_are_named_where_the_system_says_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(path: Path) -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))

    monkeypatch.setattr(Path, "lstat", missing)
    with pytest.raises(OSError, match="too long"):
        check_place(tmp_path / ("a" * 256))
    check_place(tmp_path / ("a" * 255))
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="its folder is a file"):
        check_place(tmp_path / "file" / "a.png")


@pytest.mark.skipif(os.name != "posix", reason="pipes with a name, and devices")
@pytest.mark.timeout(120)
def test_pipes_devices_and_folders_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.symlink("/dev/zero", tmp_path / "endless")
    for name, says in (("pipe", "pipe"), ("endless", "device"), (".", "folder")):
        with pytest.raises(OSError, match=says) as raised:
            read_file(tmp_path / name, 100)
        assert raised.value.strerror


def test_a_link_is_followed_only_where_the_user_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("file")
    assert read_file(tmp_path / "link", 10) == b"1"
    with pytest.raises(OSError, match="link"):
        read_file(tmp_path / "link", 10, links=False)


# ---- written -------------------------------------------------------------------------------------


def test_a_file_is_made_with_its_folder_and_replaced_on_demand(tmp_path: Path) -> None:
    file = tmp_path / "new" / "file"
    write_file(file, TEXT)
    write_file(file, "more", replace=True)
    assert file.read_text("utf-8") == "more"
    assert [path.name for path in file.parent.iterdir()] == ["file"]


def test_only_an_empty_file_is_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    write_file(tmp_path / "file", TEXT)
    assert (tmp_path / "file").read_text("utf-8") == TEXT
    for text in ("precious", f"# Made by minebot\n{TEXT}"):
        (tmp_path / "file").write_text(text)
        with pytest.raises(FileExistsError, match="already"):
            write_file(tmp_path / "file", TEXT)
        assert (tmp_path / "file").read_text("utf-8") == text


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_neither_followed_nor_replaced(tmp_path: Path, there: bool) -> None:
    victim, link = tmp_path / "victim", tmp_path / "link"
    if there:
        victim.write_text(TEXT)
    link.symlink_to("victim")
    for write in (write_file, append_file):
        with pytest.raises(OSError, match="link"):
            write(link, "x")
    assert link.is_symlink()
    assert victim.exists() == there
    assert not there or victim.read_text("utf-8") == TEXT


def test_the_temporary_name_is_unpredictable(tmp_path: Path) -> None:
    seen: list[set[str]] = []

    def note(file: IO[bytes]) -> None:
        seen.append({path.name for path in tmp_path.iterdir()} - {"file"})
        file.write(TEXT.encode())

    for _ in range(2):
        fill_file(tmp_path / "file", note, replace=True)
    assert len(seen[0] | seen[1]) == 2, "each time under another name"


def test_a_write_that_breaks_off_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    write_file(tmp_path / "file", TEXT)

    def full(file: IO[bytes]) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    for path in (tmp_path / "file", tmp_path / "other"):
        with pytest.raises(OSError, match="No space"):
            fill_file(path, full, replace=True)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text("utf-8") == TEXT


@pytest.mark.skipif(os.name != "posix", reason="rights of files")
def test_a_secret_is_for_its_user_alone(tmp_path: Path) -> None:
    write_file(tmp_path / "token", TEXT, mode=0o600)
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600


# ---- parsed --------------------------------------------------------------------------------------


@given(VALUES)
def test_json_is_read_as_the_standard_library_reads_it(value: Any) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        assert parse_json(text) == parse_json(text.encode()) == json.loads(text)


@pytest.mark.slow
@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_toml_is_read_as_the_standard_library_reads_it(value: dict[str, Any]) -> None:
    text = tomli_w.dumps(value)
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 100_000, "nested"),
        ('{"a":' * 100_000, "nested"),
        ("[" * (NESTED + 1) + "]" * (NESTED + 1), "nested"),
        ("1" * 309, "digits"),
        ("-" + "1" * 5000, "digits"),
        ("9223372036854775808", "digits"),
        ("1e400", "too large"),
        ("NaN", "is not a number"),
        ("[-Infinity]", "is not a number"),
        ('"\\ud800"', "half a character"),
        ('{"\\udc00": 1}', "half a character"),
        ("", "not JSON"),
        ('"' + '\\"' * 100_000, "not JSON"),
        ("\ufeff1", "not JSON"),
        (b"\xff\xfe{}", "not text"),
    ],
)
def test_json_beyond_the_bounds_has_one_reason(text: str | bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says) as raised:
        parse_json(text)
    assert len(str(raised.value)) < 60


def test_json_at_its_bounds_is_read() -> None:
    deep = "[" * NESTED + "]" * NESTED
    assert parse_json(deep)
    assert parse_json('["' + "[" * 1000 + '"]') == ["[" * 1000], "brackets within text"
    assert parse_json("9223372036854775807") == 2**63 - 1
    assert parse_json('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 5000, "nested"),
        ("a = " + "{b=" * 5000, "nested"),
        (".".join("a" * 20_000) + " = 1", "parts"),
        ("[" + ".".join("a" * (KEY_PARTS + 1)) + "]", "parts"),
        ("a = {" + '"b" . ' * KEY_PARTS + "c = 1}", "parts"),
        ("a = " + "9" * 400, "digits"),
        ("a = [[{b = [" + "9" * 30 + "]}]]", "digits"),
        ("a = 0x" + "f" * 40, "digits"),
        ("a = " + "9" * 5000, "."),
        ("a = ", "."),
    ],
)
@pytest.mark.timeout(120)
def test_toml_beyond_the_bounds_is_refused_at_once(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_toml(text)


def test_toml_at_its_bounds_is_read() -> None:
    key = ".".join("a" * KEY_PARTS)
    assert parse_toml(f"{key} = 1")
    assert parse_toml("a = [" + "1.5, " * 1000 + "]")
    assert parse_toml('a = "' + "[.a" * 1000 + '"  # ' + "[" * 1000)
