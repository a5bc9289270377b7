"""Stream long answers of which only some may be written at a time."""

from collections.abc import Callable, Iterator


class HeldStream:
    """A stream that gives its place back once it ends or its reader is gone."""

    def __init__(self, chunks: Iterator[bytes], release: Callable[[], object]) -> None:
        self.chunks = chunks
        self.release = release
        self.is_held = True

    def __iter__(self) -> Iterator[bytes]:
        """Yield the chunks."""
        return self.chunks

    def close(self) -> None:
        """Give the place back, once."""
        if self.is_held:
            self.is_held = False
            self.release()
