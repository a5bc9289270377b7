"""Find the files of the distribution that are not modules of it, and join style sheets to one text."""

import base64
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

# Find the files of the distribution that are not modules of it.
#
# A wheel has three packages at its top level, so the folders of a checkout that are none lie inside these.

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
PACKAGES_LIST = KIT_FOLDER.parent / "packages.txt"
"""The packages for bots that an operator installs unless another list is named."""
AUTHORS_GUIDE = KIT_FOLDER.parent / "README.md"
DOCS_FOLDER = find_folder("docs", "arena/docs")
ENGINE_GUIDE = PACKAGE_ROOT / "engine" / "README.md"


# Find the folder of the packages for bots, which processes without settings look for, too.

PACKAGES_VARIABLE, DATA_VARIABLE = "PENNANT_BOT_PACKAGES", "PENNANT_DATA"
CURRENT_SET = "current"
"""Link to the current set of packages, which is named after its hash."""


def find_packages_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of all sets of packages: the one that is named, or one in the data folder, or the user's."""
    if named := environment.get(PACKAGES_VARIABLE):
        return Path(named).expanduser().absolute()
    if data := environment.get(DATA_VARIABLE):
        return Path(data).expanduser().absolute() / "packages"
    if (PACKAGE_ROOT / "manage.py").is_file():
        return PACKAGE_ROOT / ".pennant" / "packages"
    home = environment.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser()
    return Path(home, "pennant", "packages")


def find_current_hash(folder: Path | None = None) -> str:
    """Return the hash of the current set in the folder of all sets; empty where there is none."""
    try:
        return os.path.basename(os.readlink((folder or find_packages_folder()) / CURRENT_SET))
    except OSError:
        return ""


# Join style sheets with all that they name: one text for a page on disk, which loads no other file.

CSS_IMPORT = re.compile(r"""@import url\(["']?([^"')]+)["']?\);""")
CSS_FILE = re.compile(r"""url\(["']?(?!data:)([^"')#]+)["']?\)""")
MEDIA_TYPES = {".woff2": "font/woff2", ".svg": "image/svg+xml", ".png": "image/png"}
ReadFile = Callable[[str], bytes]
"""Returns a static file by its path."""


def join_style_sheets(paths: Iterable[str], read: ReadFile) -> str:
    """Return style sheets as one, with their imports, fonts and pictures inside."""
    return "".join(_join(path, read) for path in paths)


def _join(path: str, read: ReadFile) -> str:
    folder, text = posixpath.dirname(path), read(path).decode()
    text = CSS_IMPORT.sub(lambda found: _join(_resolve(folder, found[1]), read), text)
    return CSS_FILE.sub(lambda found: f"url({_encode_as_data_address(_resolve(folder, found[1]), read)})", text)


def _resolve(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name))


def _encode_as_data_address(path: str, read: ReadFile) -> str:
    """Return a file as a data address."""
    content = base64.b64encode(read(path)).decode()
    return f"data:{MEDIA_TYPES[posixpath.splitext(path)[1]]};base64,{content}"
