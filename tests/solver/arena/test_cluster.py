"""The same run on a Dask cluster: a real scheduler and real workers, on loopback."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from solver.arena.boards import BoardSet, Size
from solver.arena.matches import Match, PlayedGame, play_match
from solver.arena.runs import Workers
from solver.errors import NoCluster
from solver.game import Rule

distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        local_directory=tmp_path,
    ) as cluster:
        yield cluster.scheduler_address


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
