"""The command `solve`: encodings, and boards too large to count."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bot.command_line import TOO_LARGE, Capture, run


@pytest.mark.slow
def test_a_board_too_large_to_count_is_like_one_that_cannot_be_read(
    capsys: Capture, tmp_path: Path
) -> None:
    path = tmp_path / "large.txt"
    path.write_text(TOO_LARGE)
    code, (answer,), _ = run(capsys, "solve", path)
    assert (code, answer["error"]) == (4, "TooManyPlacements")
    assert "give a smaller board" in answer["message"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_may_come_from_windows(capsys: Capture, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "board.txt").write_bytes("1 #\r\n# #\r\n".encode(encoding))
    code, (answer,), _ = run(capsys, "solve", tmp_path / "board.txt", "--mines", "1")
    assert (code, answer["probabilities"][0][0]) == (0, None)
    (tmp_path / "lines").write_bytes('{"board": ["1#"], "mines": 1}\r\n'.encode(encoding))
    code, (answer,), _ = run(capsys, "solve", "--lines", tmp_path / "lines")
    assert (code, answer["mines"]) == (0, [[0, 1]])


@pytest.mark.parametrize("data", ["##\n11\n".encode("utf-32"), b"##\n1\xe4\n"])
def test_text_of_another_encoding_is_refused(capsys: Capture, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "board.txt").write_bytes(data)
    code, (trouble,), _ = run(capsys, "solve", tmp_path / "board.txt")
    assert (code, trouble["message"]) == (4, "This is neither UTF-8 nor UTF-16 text.")
