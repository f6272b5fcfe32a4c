"""The command `solve`: encodings, what it prints, and boards too large to count."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cli import main
from bot.commands import solve
from bot.commands.solve import Solve
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
def test_text_of_another_encoding_is_no_screenshot(
    capsys: Capture, tmp_path: Path, data: bytes
) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(data)
    code, (trouble,), _ = run(capsys, "solve", path)
    assert (code, trouble["message"]) == (4, "This is neither UTF-8 nor UTF-16 text.")


def test_a_pipe_that_closes_is_no_trouble_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")

    path = tmp_path / "lines"
    path.write_text('{"board": ["1#"], "mines": 1}\n')
    monkeypatch.setattr("sys.stdout.write", write)
    with pytest.raises(BrokenPipeError):
        solve.run(Solve(lines=str(path)))


@pytest.mark.parametrize("more", [(), ("--candidates", "3"), ("--why", "1,2")])
def test_what_solve_prints_is_a_board_for_solve(
    capsys: Capture, tmp_path: Path, more: tuple[str, ...]
) -> None:
    (tmp_path / "board.txt").write_text("1##\n###\n###\n")
    main(["solve", str(tmp_path / "board.txt"), "--mines", "3", *more])
    (tmp_path / "printed.txt").write_text(capsys.readouterr().out)
    one, other = (
        run(capsys, "solve", tmp_path / name, "--mines", "3")[1][0]["probabilities"]
        for name in ("board.txt", "printed.txt")
    )
    assert one == other
