"""The board model: what every tile of a grid shows, from the tiles' pictures and what is known.

Each different tile picture goes once through a small convolutional network: the one of
`calibration.classify.tile_network`, which training goes on from. With it go the picture at 6 by 6
pixels, as it is and as it differs from the rest of the board. Then three blocks look around: a
convolution over the grid for the neighbours, and attention between all tiles, whose weights also
depend on how alike two pictures are; so equal tiles are read alike however near in colour others
are. Half a million weights. Needs PyTorch.
"""

from __future__ import annotations

import torch
from torch import nn

from calibration.classify.tile_network.network import NETWORK_FILE
from calibration.learning.examples import LABELS, STATUSES
from calibration.learning.tile_network import layers
from calibration.learning.tile_network.layers import CONVOLUTIONS, LEAST_DEVIATION
from calibration.tiles import SIDE

WIDTH, HEADS, BLOCKS = 96, 4, 3
TILE_CHANNELS = (16, 32, 48, 32)
COARSE_SIDE = 6
LEAST_STRETCHED = 2.0
"""Grey levels: differences on an even board are not stretched more."""

ALIKE = (1.0, 30.0, 900.0)
"""Mean squared differences, in grey levels, at which pictures pass from equal to different."""


class Block(nn.Module):
    """Neighbours, then all tiles, then each tile for itself; each is added to what was there."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.around = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.ask, self.answer = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.alike = nn.Parameter(torch.zeros(HEADS, len(ALIKE)))
        self.each = nn.Sequential(
            nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH)
        )
        with torch.no_grad():
            # Half of the heads begin with looking at equal pictures.
            self.alike[: HEADS // 2] = -0.5

    def forward(self, values, unlike):
        """``values`` is ``(boards, rows, cols, WIDTH)``, ``unlike`` what `Board` makes."""
        boards, rows, cols, _ = values.shape
        near = self.around(self.norms[0](values).permute(0, 3, 1, 2))
        values = values + torch.nn.functional.gelu(near).permute(0, 2, 3, 1)
        tiles = self.norms[1](values).reshape(boards, rows * cols, WIDTH)
        asked = self.ask(tiles).reshape(boards, rows * cols, 3, HEADS, WIDTH // HEADS)
        query, key, value = asked.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(2, 3) / (WIDTH // HEADS) ** 0.5
        for k in range(len(ALIKE)):
            scores = scores + self.alike[:, k].reshape(1, HEADS, 1, 1) * unlike[k].unsqueeze(1)
        seen = (scores.softmax(dim=3) @ value).permute(0, 2, 1, 3)
        values = values + self.answer(seen.reshape(boards, rows, cols, WIDTH))
        return values + self.each(self.norms[2](values))


class BoardNetwork(nn.Module):
    """The layers of the board model."""

    def __init__(self):
        super().__init__()
        widths = (3, *TILE_CHANNELS)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(widths[k], widths[k + 1], 3, padding=1) for k in range(CONVOLUTIONS)
        )
        side = SIDE // 2 ** (CONVOLUTIONS - 1)
        self.looks = nn.Linear(side * side * TILE_CHANNELS[-1] + 3 * COARSE_SIDE**2 + 1, WIDTH)
        self.differs = nn.Linear(3 * COARSE_SIDE**2, WIDTH)
        self.channels = nn.Linear(5, WIDTH)
        self.before = nn.Embedding(len(LABELS) + 1, WIDTH)
        self.known = nn.Embedding(len(LABELS) + 1, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        self.label = nn.Linear(WIDTH, len(LABELS))
        self.status = nn.Linear(2 * WIDTH, len(STATUSES))
        self.board = nn.Linear(2 * WIDTH, 1)

    def forward(self, pictures, which, channels, before, known):
        """Return logits of the labels, of the status, and of being a board.

        ``pictures`` uint8 ``(n, SIDE, SIDE, 3)`` are the different tile pictures, ``which`` int64
        ``(boards, rows, cols)`` says which of them each tile shows; the rest as in `Example`.
        """
        views = pictures.float().permute(0, 3, 1, 2)
        coarse = torch.nn.functional.avg_pool2d(views, SIDE // COARSE_SIDE).flatten(1)
        values, spread = _normalised(views)
        for k, layer in enumerate(self.convolutions):
            values = layer(values).relu()
            if k < CONVOLUTIONS - 1:
                values = torch.nn.functional.max_pool2d(values, 2)
        all_of_it = torch.cat([values.flatten(1), coarse / 128 - 1, spread.log() - 3], dim=1)
        shown = coarse[which]
        values = self.looks(all_of_it)[which] + self.differs(_standing_out(shown))
        values = values + self.channels(channels) + self.before(before) + self.known(known)
        unlike = _unlike(shown.flatten(1, 2))
        for block in self.blocks:
            values = block(values, unlike)
        values = self.norm(values)
        whole = torch.cat([values.mean(dim=(1, 2)), values.amax(dim=(1, 2))], dim=1)
        return self.label(values), self.status(whole), self.board(whole).squeeze(1)


def _normalised(views):
    """Take the mean off each channel and divide by the deviation, as the tile network does."""
    values = views - views.mean(dim=(2, 3), keepdim=True)
    deviation = (values.square().mean(dim=(1, 2, 3)) + 1e-3).sqrt().clamp(min=LEAST_DEVIATION / 4)
    divisor = deviation.clamp(min=LEAST_DEVIATION).reshape(-1, 1, 1, 1)
    return values / divisor, deviation.unsqueeze(1)


def _standing_out(shown):
    """Return how coarse pictures differ from the mean of their board, by its deviation."""
    off = shown - shown.mean(dim=(1, 2), keepdim=True)
    spread = (off.square().mean(dim=(1, 2, 3), keepdim=True) + 1e-3).sqrt()
    return off / spread.clamp(min=LEAST_STRETCHED)


def _unlike(shown):
    """Return how different any two tiles of a board are, at each of the steps of `ALIKE`."""
    shown = (shown - shown.mean(dim=1, keepdim=True)) / shown.shape[2] ** 0.5
    squares = shown.square().sum(dim=2)
    apart = squares.unsqueeze(2) + squares.unsqueeze(1) - 2 * shown @ shown.transpose(1, 2)
    apart = apart.clamp(min=0)
    return [(1 + apart / step).log() for step in ALIKE]


def from_tile_network(network):
    """Let the convolutions begin with the weights of the tile network."""
    weights = layers.read(NETWORK_FILE)
    with torch.no_grad():
        for k, layer in enumerate(network.convolutions):
            layer.weight.copy_(torch.from_numpy(weights[f"conv{k}_w"].transpose(3, 2, 0, 1)))
            layer.bias.copy_(torch.from_numpy(weights[f"conv{k}_b"]))
