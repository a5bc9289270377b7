"""Tell when a file of the author's hides a package of the distribution, as `engine.py` beside a bot does."""

from importlib.util import find_spec

PACKAGES = ("engine", "arena")


def find_hidden_package() -> str | None:
    """Return a sentence on a module that has the name of a package which Pennant needs, or None if there is none."""
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations is None:
            return f"{spec.origin} has the name of a package that Pennant needs: rename it, as in my_{name}.py"
    return None
