"""Find one kind of sandbox on this machine, with Python only, be it the best or not."""

from arena.runner.sandbox.base import NoSandboxError, advise_on_bwrap
from arena.runner.sandbox.detection import CANDIDATES, Search, SecureSandbox
from engine.message import join_messages

FINDERS = dict(CANDIDATES)
"""The original candidates, which tests may replace in CANDIDATES."""


def find_bwrap() -> SecureSandbox:
    """Return a sandbox of bubblewrap. Raises NoSandboxError."""
    return _find("bwrap")


def find_landlock() -> SecureSandbox:
    """Return a sandbox of Landlock. Raises NoSandboxError."""
    return _find("landlock")


def _find(name: str) -> SecureSandbox:
    search = Search()
    search.try_candidates(FINDERS[name]({}))
    if search.found is None:
        raise NoSandboxError(join_messages(advise_on_bwrap(is_installed=bool(search.reasons)), *search.reasons))
    return search.found


SANDBOXES = {"bwrap": find_bwrap, "landlock": find_landlock}
