"""Inputs that chance has spoiled end as documented: a few of those of `tests.bench.fuzz`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.bot.command_line import ROOT


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="each input is run in a fork")
def test_spoiled_inputs_end_in_a_sentence_and_change_nothing() -> None:
    words = [sys.executable, "-m", "tests.bench.fuzz", "--count", "300", "--seed", "47"]
    done = subprocess.run(words, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 inputs, 0 failed." in done.stdout
