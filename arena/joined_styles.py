"""Join style sheets with all that they name: one text for a page on disk, which loads no other file."""

import base64
import posixpath
import re
from collections.abc import Callable, Iterable

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
