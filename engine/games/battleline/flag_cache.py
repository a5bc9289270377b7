"""Keep what was computed of a flag until something changes there."""

from typing import Any


class FlagCache:
    """Hold the view of a flag and its numbers for learners, each once it was computed."""

    __slots__ = ("blocks", "view")

    def __init__(self) -> None:
        self.view: dict[str, Any] | None = None
        """The part of a view that describes this flag, the same for both seats."""
        self.blocks: list[bytes | None] = [None, None]
        """The part of a vector that describes it, by seat (see `vectors`)."""
