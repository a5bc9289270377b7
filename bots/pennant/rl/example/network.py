"""Play by a network that `pennant.rl.export_network` wrote. Standard library and engine alone.

This file goes with the bot.
"""

import json
from operator import mul
from pathlib import Path
from struct import iter_unpack, unpack
from typing import Any

from engine.games.battleline.encoding import Encoding

Row = tuple[float, ...]
BYTES_PER_NUMBER = 2


class Network:
    """Fully connected layers with ReLU between them."""

    def __init__(self, file: Path) -> None:
        """Read the file, once at the start: it takes less than 0.1 s for a million weights."""
        head, _, data = file.read_bytes().partition(b"\n")
        described = json.loads(head)
        self.encoding = Encoding(described["options"])
        sizes: list[int] = described["sizes"]
        self.layers: list[tuple[list[Row], Row]] = []
        """By layer: a row of weights for each input, or for each action in the last one; and the biases."""
        for number, (inputs, outputs) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
            width = inputs if number == len(sizes) - 2 else outputs
            table, data = split(data, inputs * outputs)
            biases, data = split(data, outputs)
            self.layers.append((list(iter_unpack(f"<{width}e", table)), unpack(f"<{outputs}e", biases)))
        self.rows = {self.encoding.names[action]: row for row, action in enumerate(described["actions"])}

    def rate(self, view: dict[str, Any], seat: int, legal: list[str]) -> dict[str, float]:
        """Return the output for each legal action that the network knows."""
        values: list[float] = list(self.encoding.encode_view(view, seat))
        *hidden, (table, biases) = self.layers
        for weights, start in hidden:
            values = [max(0.0, value) for value in add_rows(weights, start, values)]
        rows = {action: self.rows[action] for action in legal if action in self.rows}
        return {action: biases[row] + sum(map(mul, table[row], values)) for action, row in rows.items()}


def split(data: bytes, count: int) -> tuple[bytes, bytes]:
    """Return the bytes of so many numbers, and the rest."""
    return data[: count * BYTES_PER_NUMBER], data[count * BYTES_PER_NUMBER :]


def add_rows(rows: list[Row], start: Row, values: list[float]) -> list[float]:
    """Return the sum of the rows, each times its value. Most values of a position are 0, and cost nothing."""
    total = list(start)
    for row, value in zip(rows, values, strict=True):
        if value == 1:
            total = [old + weight for old, weight in zip(total, row, strict=True)]
        elif value:
            total = [old + value * weight for old, weight in zip(total, row, strict=True)]
    return total
