"""Play by a network that `pennant.rl.export_network` wrote, with numpy: large networks answer sooner.

This file goes with the bot, whose requirements.txt names numpy.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.games.battleline.encoding import Encoding

Floats = npt.NDArray[np.float32]


class Network:
    """Fully connected layers with ReLU between them."""

    def __init__(self, file: Path) -> None:
        """Read the file, once at the start."""
        head, _, data = file.read_bytes().partition(b"\n")
        described = json.loads(head)
        self.encoding = Encoding(described["options"])
        sizes: list[int] = described["sizes"]
        numbers = np.frombuffer(data, "<f2").astype(np.float32)
        self.layers: list[tuple[Floats, Floats]] = []
        """By layer: weights, as inputs times outputs, in the last one the other way round; and biases."""
        for number, (inputs, outputs) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
            table, biases, numbers = np.split(numbers, (inputs * outputs, (inputs + 1) * outputs))
            is_last = number == len(sizes) - 2
            self.layers.append((table.reshape((outputs, inputs) if is_last else (inputs, outputs)), biases))
        self.rows = {self.encoding.names[action]: row for row, action in enumerate(described["actions"])}

    def rate(self, view: dict[str, Any], seat: int, legal: list[str]) -> dict[str, float]:
        """Return the output for each legal action that the network knows."""
        values = np.frombuffer(self.encoding.encode_view(view, seat), np.int8).astype(np.float32)
        *hidden, (table, biases) = self.layers
        for weights, start in hidden:
            values = np.maximum(values @ weights + start, 0)
        known = [action for action in legal if action in self.rows]
        rows = [self.rows[action] for action in known]
        rated = table[rows] @ values + biases[rows]
        return dict(zip(known, rated.tolist(), strict=True))
