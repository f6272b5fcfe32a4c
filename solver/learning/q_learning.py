"""Deep Q-learning of the report's two networks, with each idea of its section 5.3 as a switch.

Source: "Minesweeper AI Using Neural Networks", A. Knutsson and J. Unnebaeck, 2022. Parameters that
the text does not give are taken from the authors' program: gamma 0.9, Adam at 0.001, and -100 for
opening an open tile. The mine total, 40, follows from the highest score, 18,500.

Differences: many boards are played in parallel, and the network learns from one batch after each
move on all of them, not one after each move and 1,000 after each game. The largest value of the
next position is the one computed when the next move was chosen. Rewards are in hundreds. A game
ends after `MOST_MOVES` moves, because a network may open an open tile again and again. The last
safe tile is rewarded as any other, where the program gives 1,000.

The switches: ``edge`` (a plane of the cells outside), ``radius`` (7x7: 3, 9x9: 4), ``passes`` (the
risks of the last pass as a plane), ``flag_above`` (flags in that plane), ``diverse`` (a mine does
not end a game, and batches are balanced over stages and rare numbers until the rate falls),
``tries`` (the number of cells tried in each position; needs gamma 0), ``symmetries`` (windows or
boards are rotated and mirrored at random), ``masked`` (only covered tiles can be opened). Two more
are closer to the authors' program: ``report_game`` (its rules, see `boards`) and ``latest`` (the
latest moves are in every batch, as the program learns from each move immediately).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.learning.boards import HIT, LOST_CODE, PLAYING_CODE, Boards
from solver.learning.nets import (
    COVERED,
    MINE_REWARD,
    SAFE_REWARD,
    DenseWeights,
    WindowView,
    board_values,
    codes_of,
    square_symmetries,
)
from solver.learning.networks import Fitting, code_count, dense_shape
from solver.learning.training import ReplayMemory, strata_of
from solver.learning.weights import Arrays, Recipe, dense_weights

OPEN_TILE_REWARD = -1.0
"""The reward, in hundreds, of opening an open tile."""

MOST_MOVES = 500

GAME = ("score", "moves", "on_open_tiles", "won")
"""What is recorded of each finished game."""


class QLearner:
    """Plays boards with the current network, and learns from the rewards of its moves."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.slots, self.outputs = dense_shape(recipe)
        self.boards = Boards(
            recipe.boards,
            recipe.rows,
            recipe.cols,
            recipe.mines,
            recipe.rule,
            recipe.seed,
            report_game=recipe.report_game,
        )
        self.fit = Fitting(recipe, _squared_error)
        plane = self.slots if recipe.plane else 0
        tried = (recipe.tries,) if recipe.network == "board" and recipe.tries > 1 else ()
        self.memory = ReplayMemory(
            recipe.memory,
            {
                "codes": ((self.slots,), np.int8),
                "plane": ((plane,), np.float32),
                "output": (tried, np.int32),
                "target": (tried, np.float32),
                "stratum": ((), np.int8),
            },
        )
        self.games = np.zeros((0, len(GAME)))
        self._current = np.zeros((recipe.boards, len(GAME)))
        self._begin_games(np.ones(recipe.boards, np.bool_))
        self._pending: Arrays = {}
        self._round = 0
        self._turns = square_symmetries(
            recipe.rows if recipe.network == "board" else 2 * recipe.radius + 1
        )
        self._backs = np.argsort(self._turns, 1).astype(np.int32)

    def step(self) -> dict[str, float]:
        """Make one move on every board, then learn from one batch; return figures of progress."""
        recipe = self.recipe
        rng = np.random.default_rng([recipe.seed, self._round])
        moves = self._see(rng)
        self._settle(moves["best"])
        share = self._share_open()
        self._try_others(moves, share, rng)
        opened = self.boards.open(moves["cell"])
        self._remember(moves, opened, share)
        self._end_games(opened)
        loss = math.nan
        if self.memory.count >= recipe.batch:
            loss = self.fit.update(self._batch(rng), recipe.rate_at(self._round))
        self._round += 1
        recent = self.games[-500:]
        return {"loss": loss, "score": float(recent[:, 0].mean()) if len(recent) else math.nan}

    def weights(self) -> Arrays:
        """Return the weights by name.

        Inputs that never occurred in the memory, such as an 8, still have their initial weights;
        they are set to 0, which takes no space in a file.
        """
        arrays = self.fit.arrays()
        codes = self.memory.rows["codes"][: self.memory.count]
        kernel = arrays["inner.kernel"].copy()
        count = code_count(self.recipe)
        for slot in range(self.slots):
            unseen = np.setdiff1d(np.arange(count), codes[:, slot])
            kernel[slot * count + unseen] = 0.0
        return arrays | {"inner.kernel": kernel}

    def state(self) -> Arrays:
        """Return everything the next step depends on, as arrays."""
        own = {
            "round": np.array(self._round),
            "games": self.games,
            "current": self._current,
        }
        pending = {f"pending.{name}": part for name, part in self._pending.items()}
        return own | self.boards.state() | pending | self.memory.state() | self.fit.state()

    def restore(self, state: Arrays) -> None:
        """Restore the result of `state`."""
        self._round, self.games = int(state["round"]), state["games"]
        self._current = state["current"]
        self.boards.restore(state)
        self._pending = {
            name.partition(".")[2]: part
            for name, part in state.items()
            if name.startswith("pending.")
        }
        self.memory.restore(state)
        self.fit.restore(state)

    # ---- one move ------------------------------------------------------------------------

    def _see(self, rng: np.random.Generator) -> Arrays:
        """Choose a move on every board: its cell, the output, and the input of the network.

        ``best`` is the largest value of each board.
        """
        recipe = self.recipe
        net = dense_weights(self.fit.arrays(), self.slots, code_count(recipe))
        at_random = rng.random(recipe.boards) >= self._round / max(1, recipe.random_moves)
        if recipe.network == "window":
            return self._see_windows(net, at_random, rng)
        codes = codes_of(self.boards.tiles).reshape(recipe.boards, -1)
        values = board_values(net, codes, recipe.rows, symmetries=False)
        allowed = (codes == COVERED) | (not recipe.masked)
        marks = np.where(at_random[:, None], rng.random(values.shape), values)
        output = np.where(allowed, marks, -np.inf).argmax(1)
        return {
            "cell": output,
            "output": output,
            "codes": codes,
            "plane": np.zeros((recipe.boards, 0), np.float32),
            "best": np.where(allowed, values, -np.inf).max(1),
        }

    def _see_windows(
        self, net: DenseWeights, at_random: NDArray[np.bool_], rng: np.random.Generator
    ) -> Arrays:
        recipe = self.recipe
        view = WindowView(net, self.boards.tiles, recipe.radius)
        view.run(int(rng.integers(1, recipe.passes + 1)), recipe.flag_above)
        marks = np.where(at_random[view.boards], rng.random(view.cells.size), view.values)
        first = np.searchsorted(view.boards, np.arange(recipe.boards))
        order = np.lexsort((-marks, view.boards))
        chosen = order[first]
        return {
            "cell": view.cells[chosen],
            "output": np.zeros(recipe.boards, np.int32),
            "codes": view.codes[chosen],
            "plane": view.planes[chosen],
            "best": np.maximum.reduceat(view.values, first),
            "boards": view.boards,
            "cells": view.cells,
            "all_codes": view.codes,
            "all_planes": view.planes,
        }

    @property
    def _mined(self) -> NDArray[np.bool_]:
        """The mines ``(boards, cells)``."""
        return self.boards.mined.reshape(len(self.boards), -1)

    def _share_open(self) -> NDArray[np.float64]:
        safe = self.recipe.rows * self.recipe.cols - self.recipe.mines
        return 1.0 - self.boards.left / safe

    def _try_others(
        self, moves: Arrays, share: NDArray[np.float64], rng: np.random.Generator
    ) -> None:
        """Add the rewards of other cells, without opening them.

        Windows with a number become new samples; cells of a whole board become further outputs of
        the move's sample.
        """
        extra = self.recipe.tries - 1
        if not extra:
            return
        if self.recipe.network == "board":
            moves["others"] = self._covered_others(moves["codes"], extra, rng)
            return
        seen = np.flatnonzero((moves["all_codes"] <= 8).sum(1) > 0)
        laid = self.boards.laid[moves["boards"][seen]]
        seen = seen[laid]
        seen = rng.permutation(seen)[: extra * self.recipe.boards]
        boards, cells = moves["boards"][seen], moves["cells"][seen]
        codes = moves["all_codes"][seen]
        self.memory.add(
            codes=codes,
            plane=moves["all_planes"][seen],
            output=np.zeros(seen.size, np.int32),
            target=np.where(self._mined[boards, cells], MINE_REWARD, SAFE_REWARD),
            stratum=strata_of(share[boards], codes),
        )

    def _covered_others(
        self, codes: NDArray[np.int8], extra: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Draw covered cells of each board; -1 if there are no more, or no mines yet."""
        marks = np.where(codes == COVERED, rng.random(codes.shape), -1.0)
        others = np.argsort(-marks, 1)[:, :extra]
        known = np.take_along_axis(marks, others, 1) >= 0
        return np.where(known & self.boards.laid[:, None], others, -1)

    def _remember(self, moves: Arrays, opened: NDArray[np.int32], share: Any) -> None:
        """Keep the moves until the values of their next positions are known."""
        gain = opened.astype(np.float64) if self.recipe.reward == "tiles" else SAFE_REWARD
        reward = np.where(opened > 0, gain, np.where(opened == HIT, MINE_REWARD, OPEN_TILE_REWARD))
        output = moves["output"]
        if "others" in moves:
            others = moves["others"]
            values = np.where(
                np.take_along_axis(self._mined, np.maximum(others, 0), 1), MINE_REWARD, SAFE_REWARD
            )
            values = np.where(others < 0, reward[:, None], values)
            others = np.where(others < 0, output[:, None], others)
            output = np.concatenate([output[:, None], others], 1)
            reward = np.concatenate([reward[:, None], values], 1)
        self._pending = {
            "codes": moves["codes"].copy(),
            "plane": moves["plane"].copy(),
            "output": output.astype(np.int32),
            "reward": reward,
            "goes_on": self.boards.status == PLAYING_CODE,
            "stratum": strata_of(share, moves["codes"]),
        }
        tiles = 100.0 * np.maximum(opened, 0)
        self._current += np.stack(
            [tiles, np.ones_like(tiles), opened == 0, self.boards.left == 0], 1
        )

    def _settle(self, best: NDArray[np.float32]) -> None:
        """Put the last moves into the memory, with the largest values of the current positions."""
        if not self._pending:
            return
        later = np.where(self._pending["goes_on"], self.recipe.gamma * best, 0.0)
        if self._pending["reward"].ndim > 1:
            later = later[:, None]
        self.memory.add(
            codes=self._pending["codes"],
            plane=self._pending["plane"],
            output=self._pending["output"],
            target=self._pending["reward"] + later,
            stratum=self._pending["stratum"],
        )

    def _end_games(self, opened: NDArray[np.int32]) -> None:
        """Start new games where one is over; with ``diverse`` a mine does not end a game."""
        over = (self.boards.status != PLAYING_CODE) | (self._current[:, 1] >= MOST_MOVES)
        if self.recipe.diverse:
            lost = self.boards.status == LOST_CODE
            self.boards.survive(lost)
            over &= self.boards.status != PLAYING_CODE
        self.games = np.concatenate([self.games, self._current[over]])
        self.boards.deal(over)
        self._begin_games(over)

    def _begin_games(self, new: NDArray[np.bool_]) -> None:
        """Reset the figures of new games; tiles shown before the first move count."""
        shown = self.recipe.rows * self.recipe.cols - self.recipe.mines - self.boards.left
        self._current[new] = 0.0
        self._current[new, 0] = 100.0 * shown[new]

    def _batch(self, rng: np.random.Generator) -> Arrays:
        evenly = self.recipe.diverse and self.recipe.rate_at(self._round) == self.recipe.rate
        newest = self.recipe.boards if self.recipe.latest else 0
        batch = self.memory.draw(self.recipe.batch - newest, rng, evenly=evenly)
        if newest:
            now = self.memory.latest(newest)
            batch = {name: np.concatenate([now[name], rows]) for name, rows in batch.items()}
        if self.recipe.symmetries:
            way = rng.integers(8)
            turn = self._turns[way]
            batch["codes"] = batch["codes"][:, turn]
            batch["plane"] = batch["plane"][:, turn] if self.recipe.plane else batch["plane"]
            if self.recipe.network == "board":
                batch["output"] = self._backs[way][batch["output"]]
        del batch["stratum"]
        return batch


def _squared_error(network: Any, batch: Any) -> Any:
    values = network(batch["codes"], batch["plane"])
    output = batch["output"]
    rows = np.arange(len(output)).reshape(-1, *(1,) * (output.ndim - 1))
    chosen = values[rows, output]
    return ((chosen - batch["target"]) ** 2).mean()
