"""The same run on a Dask cluster: a real scheduler and real workers, on loopback."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from solver.arena.boards import BoardSet, Size
from solver.arena.matches import Match, PlayedGame, play_match
from solver.arena.runs import Workers
from solver.errors import NoCluster
from solver.game import Rule

pytest.importorskip("distributed", reason="needs the extra 'dask'")


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    at = tmp_path / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(at))
    processes = [start("distributed.cli.dask_scheduler", *options)]
    try:
        limit = time.monotonic() + 60
        while not at.exists() or not at.read_text("utf-8"):
            assert time.monotonic() < limit, "the scheduler did not start"
            time.sleep(0.05)
        address = str(json.loads(at.read_text("utf-8"))["address"])
        options = (address, "--nthreads", "1", "--no-dashboard", "--no-nanny")
        folder = ("--local-directory", str(tmp_path))
        processes += [start("distributed.cli.dask_worker", *options, *folder) for _ in range(2)]
        yield address
    finally:
        for process in reversed(processes):  # a worker waits long for a scheduler that has gone
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def timeless(games: dict[str, list[PlayedGame]]) -> dict[str, list[PlayedGame]]:
    return {agent: [replace(game, seconds=0) for game in own] for agent, own in games.items()}


@pytest.mark.slow
def test_a_cluster_plays_the_same_games(scheduler: str, tmp_path: Path) -> None:
    boards = BoardSet(Size(9, 9, 10), Rule.SAFE, seed=1)
    match = Match(boards, ("basic", "two-constraint"), 60, with_chance=False)
    path = tmp_path / "results.jsonl"
    there = play_match(match, path=path, workers=Workers(scheduler=scheduler))
    assert timeless(there) == timeless(play_match(match))
    assert len(path.read_text("utf-8").splitlines()) == 1 + 2 * 60


@pytest.mark.slow
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "no address"])
def test_says_when_no_scheduler_answers(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.arena.runs.CONNECT_S", 0.5)
    match = Match(BoardSet(Size(5, 5, 4), Rule.SAFE), ("basic",), 20, with_chance=False)
    with pytest.raises(NoCluster, match="dask scheduler"):
        play_match(match, workers=Workers(scheduler=address))
