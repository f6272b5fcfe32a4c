"""Train the board model: ``python -m calibration.learning.train_board FOLDER [--recipe FILE]``.

The recipe (``board_model.toml``) says how long and at what rate. Every step draws its boards anew
from the seed and its number, so that no board comes twice and none needs to be kept. The folder
gets ``state.pt``, from which training goes on after a stop, ``curve.csv``, a line for every
hundred steps, and at the end ``board.onnx``. One core needs about a third of a second a step.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from calibration.learning import examples, glyphs
from calibration.learning.board_network import BoardNetwork, from_tile_network

RECIPE = Path(__file__).parent / "board_model.toml"

CURVE_COLUMNS = ("step", "boards", "seconds", "rate", "loss", "tiles", "held_loss", "held_tiles",
           "held_boards", "held_status")  # fmt: skip
"""Of the curve: ``tiles`` is the share of tiles right, ``held_boards`` of boards without fault."""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--recipe", type=Path, default=RECIPE)
    parser.add_argument("--export", action="store_true", help="only write what is trained so far")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    examples.prepare()
    training = Training(tomllib.loads(options.recipe.read_text()), options.folder)
    if not options.export:
        training.run()
    export(training.mean.module, options.folder / "board.onnx")


class Training:
    """A run that can be stopped after any report and goes on from there."""

    def __init__(self, recipe, folder):
        self.recipe, self.folder = recipe, folder
        torch.manual_seed(recipe["seed"])
        self.network = BoardNetwork()
        from_tile_network(self.network)
        average = get_ema_multi_avg_fn(recipe["averaged"])
        self.mean = AveragedModel(self.network, multi_avg_fn=average)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=1e-3, weight_decay=recipe["weight_decay"]
        )
        self.step, self.boards, self.seconds = 0, 0, 0.0
        if (folder / "state.pt").exists():
            self._restore(torch.load(folder / "state.pt", weights_only=True))

    def run(self):
        """Train to the end of the last stage."""
        characters, held = glyphs.characters(), self._held_out()
        steps = sum(stage["steps"] for stage in self.recipe["stage"])
        sums, started = [], time.process_time()
        while self.step < steps:
            rng = np.random.default_rng([self.recipe["seed"], self.step])
            sums.append(self._learn(batch_of(self._drawn(rng, characters))))
            self.step += 1
            if self.step % self.recipe["report"] == 0 or self.step == steps:
                now = time.process_time()
                self.seconds, started = self.seconds + now - started, now
                self._report(np.mean(sums, axis=0), held)
                self._save()
                sums, started = [], time.process_time()

    def _drawn(self, rng, characters):
        low, high = self.recipe["sides"]
        rows, cols = (int(n) for n in rng.integers(low, high + 1, 2))
        each = self.recipe["of_a_look"]
        looks = int(np.clip(self.recipe["tiles"] // (rows * cols * each), 1, 8))
        self.boards += looks * each
        return [one for _ in range(looks)
                for one in examples.examples(rng, characters, rows, cols, each)]  # fmt: skip

    def rate(self):
        """Return the rate of the present step."""
        left = self.step
        for stage in self.recipe["stage"]:
            if left < stage["steps"]:
                first, last = stage["rate"]
                return first + (last - first) * left / stage["steps"]
            left -= stage["steps"]
        return 0.0

    def _learn(self, batch):
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        loss, right, _ = losses(self.network, batch, self.recipe)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.mean.update_parameters(self.network)
        return float(loss.detach()), float(right)

    def _held_out(self):
        characters = glyphs.characters(held_out=True)
        rng = np.random.default_rng([self.recipe["seed"], 2**31])
        return [batch_of(examples.examples(rng, characters, 9, 9))
                for _ in range(self.recipe["held_out"])]  # fmt: skip

    @torch.no_grad()
    def _report(self, sums, held):
        results = np.array(
            [
                [float(v) for v in (loss, right, right == 1, status)]
                for loss, right, status in (
                    losses(self.mean.module, batch, self.recipe) for batch in held
                )
            ]
        )
        values = (self.step, self.boards, round(self.seconds), f"{self.rate():.2e}",
                  *(f"{v:.4f}" for v in (*sums, *results.mean(axis=0))))  # fmt: skip
        path = self.folder / "curve.csv"
        new = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([CURVE_COLUMNS, values] if new else [values])
        pairs = zip(CURVE_COLUMNS, values, strict=True)
        print(", ".join(f"{n} {v}" for n, v in pairs), file=sys.stderr, flush=True)

    def _save(self):
        state = {
            "network": self.network.state_dict(), "mean": self.mean.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "progress": [self.step, self.boards, self.seconds],
        }  # fmt: skip
        part = self.folder / "state.part"
        torch.save(state, part)
        part.replace(self.folder / "state.pt")

    def _restore(self, state):
        self.network.load_state_dict(state["network"])
        self.mean.load_state_dict(state["mean"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.boards, self.seconds = state["progress"]


def batch_of(drawn):
    """Return examples of one size as tensors: the inputs of the network, then the truth."""
    drawn = list(drawn)
    pictures, which = examples.different(np.stack([one.views for one in drawn]))
    inputs = (
        torch.from_numpy(pictures), torch.from_numpy(which),
        torch.from_numpy(np.stack([one.channels for one in drawn])),
        *(torch.from_numpy(np.stack([getattr(one, name) for one in drawn]).astype(np.int64))
          for name in ("before", "known")),
    )  # fmt: skip
    labels = torch.from_numpy(np.stack([one.labels for one in drawn]).astype(np.int64))
    status = torch.tensor([one.status for one in drawn])
    return inputs, labels, status, torch.tensor([float(one.is_board) for one in drawn])


def losses(network, batch, recipe):
    """Return the loss, the share of tiles right, and the share of statuses right."""
    inputs, labels, status, is_board = batch
    told, how, board = network(*inputs)
    real = is_board > 0
    loss = recipe["board_weight"] * functional.binary_cross_entropy_with_logits(board, is_board)
    if not real.any():
        return loss, torch.tensor(1.0), torch.tensor(1.0)
    loss = loss + functional.cross_entropy(told[real].flatten(0, 2), labels[real].flatten())
    loss = loss + recipe["status_weight"] * functional.cross_entropy(how[real], status[real])
    right = (told.argmax(dim=3) == labels)[real].float().mean()
    return loss, right, (how.argmax(dim=1) == status)[real].float().mean()


def export(network, path):
    """Write the network as ONNX, for boards of any size."""
    network = network.eval()
    pictures = torch.zeros((5, 24, 24, 3), dtype=torch.uint8)
    which = torch.arange(42).reshape(1, 6, 7) % 5
    told = torch.zeros((1, 6, 7), dtype=torch.int64)
    inputs = pictures, which, torch.zeros(1, 6, 7, 5), told, told
    rows, cols = torch.export.Dim("rows", min=2, max=400), torch.export.Dim("cols", min=2, max=400)
    sizes = {1: rows, 2: cols}
    torch.onnx.export(
        network, inputs, path, dynamo=True, external_data=False,
        input_names=["pictures", "which", "channels", "before", "known"],
        output_names=["labels", "status", "board"],
        dynamic_shapes=({0: torch.export.Dim("n", min=1, max=160000)}, sizes, sizes, sizes, sizes),
    )  # fmt: skip


if __name__ == "__main__":
    main()
