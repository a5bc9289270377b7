"""Read uploads of bots, for pages and API alike."""

from typing import Protocol

from arena.bots.archive import MAX_UPLOAD_BYTES, read_upload
from arena.matches.languages import check_language
from arena.runner.languages import find_language


class SentFile(Protocol):
    """An uploaded file, as Django has it."""

    name: str | None

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes."""


def parse_upload(sent: SentFile) -> dict[str, bytes]:
    """Return a bot's files by path, in a language that some worker runs. Raises ArenaError.

    No more is read of the file than shows that it is too big.
    """
    files = read_upload(sent.name or "", sent.read(MAX_UPLOAD_BYTES + 1))
    check_language(find_language(files).key)
    return files
