"""What is kept of a flag between two looks at it."""

from typing import Any


class FlagCache:
    """What is the same of a flag until something changes there."""

    __slots__ = ("blocks", "view")

    def __init__(self) -> None:
        self.view: dict[str, Any] | None = None
        """What all may see (see `view`)."""
        self.blocks: list[bytes | None] = [None, None]
        """The same as numbers, by seat (see `vectors`)."""
