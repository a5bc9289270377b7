"""Capabilities of workers for tests."""

from arena.bots.running import WorkerCapabilities


def able(*languages: str, level: str | None = "A") -> WorkerCapabilities:
    """Return the capabilities of a worker at a level; it runs Python unless languages are given."""
    return WorkerCapabilities.of_report({"level": level}, languages or ("python",))
