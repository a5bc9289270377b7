"""Write a trained network to a file that a bot reads without packages, or with numpy."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.games.battleline.encoding import Encoding

Layer = tuple[npt.ArrayLike, npt.ArrayLike]
"""Weights, as inputs times outputs, and biases; `(linear.weight.T, linear.bias)`, detached, of a layer of PyTorch."""


def export_network(
    file: Path | str, encoding: Encoding, layers: Sequence[Layer], actions: Sequence[int] | None = None
) -> None:
    """Write a network of fully connected layers with ReLU between them, in half precision.

    It takes the vectors of `encoding` and has an output for each of `actions`, numbers of the encoding; None means all.
    Raises ValueError where the layers don't fit together.
    """
    numbers = list(range(len(encoding.names))) if actions is None else list(actions)
    arrays = [(np.asarray(weights, dtype=np.float64), np.asarray(biases)) for weights, biases in layers]
    sizes = [encoding.size, *(biases.size for _, biases in arrays)]
    shapes = [weights.shape for weights, _ in arrays]
    expected = list(zip(sizes[:-1], sizes[1:], strict=True))
    if shapes != expected or sizes[-1] != len(numbers):
        raise ValueError(f"layers of {shapes} for {encoding.size} inputs and {len(numbers)} actions")
    head: dict[str, Any] = {"options": encoding.options, "sizes": sizes, "actions": numbers}
    # The weights of an action lie next to each other, and so do those of an input: a bot reads only what it needs.
    tables = [weights.T if number == len(arrays) - 1 else weights for number, (weights, _) in enumerate(arrays)]
    with open(file, "wb") as opened:
        opened.write(json.dumps(head).encode() + b"\n")
        for table, (_, biases) in zip(tables, arrays, strict=True):
            opened.write(table.astype("<f2").tobytes() + biases.astype("<f2").tobytes())
