"""Find one kind of sandbox on this machine, with Python only, be it the best or not."""

from arena.runner.sandbox import NoSandboxError
from arena.runner.sandbox.advice import advice
from arena.runner.sandbox.detection import CANDIDATES, Search, SecureSandbox

FINDERS = dict(CANDIDATES)
"""As they are, whatever a test puts in their place."""


def find_bwrap() -> SecureSandbox:
    """Return a sandbox of bubblewrap. Raises NoSandboxError."""
    return _find("bwrap")


def find_landlock() -> SecureSandbox:
    """Return a sandbox of Landlock. Raises NoSandboxError."""
    return _find("landlock")


def _find(name: str) -> SecureSandbox:
    search = Search()
    search.try_out(FINDERS[name]({}))
    if search.found is None:
        raise NoSandboxError(f"{advice(search.reasons)} {'; '.join(search.reasons)}")
    return search.found


SANDBOXES = {"bwrap": find_bwrap, "landlock": find_landlock}
