"""Options that several commands share."""

from __future__ import annotations

import pytest

from tests.bot.command_line import Capture, complaint


@pytest.mark.parametrize(
    "command",
    ["play", "advise a.png", "solve a.txt", "bench", "arena sweep", "train dqn-window", "manual"],
)
@pytest.mark.parametrize(
    ("seed", "words"), [("x", "'x' is not a whole number"), ("-1", "-1 is below 0")]
)
def test_a_seed_is_a_whole_number_from_0(
    command: str, seed: str, words: str, capsys: Capture
) -> None:
    code, message = complaint(capsys, *command.split(), "--seed", seed)
    assert code == 2
    assert words in message
