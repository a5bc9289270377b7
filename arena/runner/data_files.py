"""Find the files of the distribution that are not modules of it.

A wheel has three packages at its top level, so the folders of a checkout that are none lie inside these.
"""

from pathlib import Path

PACKAGE_ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the packages arena and engine."""


def find_folder(in_checkout: str, in_wheel: str) -> Path:
    """Return the folder at the place that it has in a checkout, or else at the one that it has in a wheel."""
    folder = PACKAGE_ROOT / in_checkout
    return folder if folder.is_dir() else PACKAGE_ROOT / in_wheel


KIT_FOLDER = find_folder("bots/kit", "pennant/kit")
SAMPLES_FOLDER = find_folder("bots/samples", "pennant/samples")
STARTERS_FOLDER = find_folder("bots/starters", "pennant/starters")
TEMPLATES_FOLDER = find_folder("templates", "arena/templates")
AUTHORS_GUIDE = KIT_FOLDER.parent / "README.md"
DOCS_FOLDER = find_folder("docs", "arena/docs")
ENGINE_GUIDE = PACKAGE_ROOT / "engine" / "README.md"
