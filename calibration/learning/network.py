"""The layers of the board reader (torch). Trained by `train`, exported as ONNX.

Encoder: three convolutions over a tile's view and over its close-up, with the same weights.
Context: blocks of a 3x3 convolution over the grid, attention between all tiles, and a small layer.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from calibration.labels import LABELS
from calibration.learning.atlas import CHANNELS
from calibration.read.network import HINTS, MARGIN, VIEW_SIDE

WIDTH, HEADS, BLOCKS = 96, 4, 3
"""Values of an encoded tile, heads of the attention, and blocks of the context."""

CONVOLUTIONS = 24, 48, 80

NUMBERS = 10
"""Plain numbers beside a view: its median and the board's mean, and how much it varies."""

LEAST_DEVIATION = 0.03


class Encoder(nn.Module):
    """Encodes tiles, one by one, and names each as well as it can by itself."""

    def __init__(self):
        super().__init__()
        first, second, third = CONVOLUTIONS
        self.layers = nn.Sequential(
            *_convolution(6, first, 5, 2), *_convolution(first, second, 3, 1), nn.MaxPool2d(2),
            *_convolution(second, third, 3, 1), nn.MaxPool2d(2), nn.Flatten(),
        )  # fmt: skip
        side = VIEW_SIDE // 8
        self.out = nn.Linear(2 * third * side * side + NUMBERS + HINTS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.names = nn.Linear(WIDTH, len(LABELS))

    def forward(self, views, close_ups, hints, mean):
        """Encode uint8 views and close-ups; ``mean`` ``(n, 3)`` is the mean colour of the board."""
        count = views.shape[0]
        pictures = torch.cat([views, close_ups]).permute(0, 3, 1, 2).float() / 255
        inner = pictures[:, :, MARGIN:-MARGIN, MARGIN:-MARGIN].flatten(2)
        median = inner.topk(inner.shape[2] // 2 + 1, 2).values[:, :, -1]
        deviation = inner.std(2).amax(1).clamp(min=LEAST_DEVIATION)
        means = torch.cat([mean, mean])
        by_board = (pictures - means[:, :, None, None]) * 2
        by_tile = (pictures - median[:, :, None, None]) / deviation[:, None, None, None] / 2
        found = self.layers(torch.cat([by_board, by_tile.clamp(-3, 3)], 1))
        numbers = torch.cat([median[:count] - mean, median[:count] - 0.5, mean - 0.5,
                             deviation[:count, None].log() / 2], 1)  # fmt: skip
        both = torch.cat([found[:count], found[count:], numbers, hints], 1)
        encoded = self.norm(self.out(both))
        return encoded, self.names(encoded)


def _convolution(inputs, outputs, size, stride):
    layer = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
    return layer, nn.BatchNorm2d(outputs), nn.ReLU()


class Block(nn.Module):
    """Mixes the tiles of a board: neighbours, all tiles, and each tile by itself."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.around = nn.Conv2d(WIDTH, WIDTH, 3, 1, 1)
        self.attend, self.attended = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, board):
        """Take and return ``(boards, rows, cols, WIDTH)``."""
        boards, rows, cols, _ = board.shape
        near = self.around(self.norms[0](board).permute(0, 3, 1, 2))
        board = board + functional.gelu(near).permute(0, 2, 3, 1)
        parts = self.attend(self.norms[1](board))
        parts = parts.reshape(boards, rows * cols, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value)
        seen = seen.transpose(1, 2).reshape(boards, rows, cols, WIDTH)
        board = board + self.attended(seen)
        return board + self.narrow(functional.gelu(self.wide(self.norms[2](board))))


class BoardReader(nn.Module):
    """Names the tiles of boards, and says of each cell whether it is a tile of the board."""

    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.enter = nn.Linear(WIDTH + len(LABELS) + CHANNELS, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        self.names, self.is_tile = nn.Linear(WIDTH, len(LABELS)), nn.Linear(WIDTH, 1)

    def context(self, encoded, named, channels):
        """Return logits ``(boards, rows, cols, 16)`` and ``(boards, rows, cols)``."""
        board = self.enter(torch.cat([encoded, named.float().softmax(-1), channels], -1))
        for block in self.blocks:
            board = block(board)
        board = self.norm(board)
        return self.names(board), self.is_tile(board)[..., 0]

    def forward(self, views, close_ups, hints, which, board_of, channels):
        """Read boards whose cells ``which`` names; ``board_of`` says whose each tile is."""
        inner = views[:, MARGIN:-MARGIN, MARGIN:-MARGIN].float().mean((1, 2)) / 255
        mean = inner[which].mean((1, 2))[board_of]
        encoded, named = self.encoder(views, close_ups, hints, mean)
        names, is_tile = self.context(encoded[which], named[which], channels)
        return names, is_tile, named
