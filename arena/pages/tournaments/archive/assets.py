"""Style sheets, scripts and icons in one piece each: browsers load neither modules nor fonts from files on disk."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.utils.safestring import SafeString
from rcssmin import cssmin
from rjsmin import jsmin

from arena.joined_styles import join_style_sheets
from arena.pages.svg.icons import ICON_SHEET_PATH

STYLE_SHEETS = ("css/site.css", "css/watch.css")
PAGE_SCRIPTS = ("js/archive.js", "js/copy.js")
REPLAY_MODULES = ("js/motion.js", "js/replay_player.js", "js/replay.js")
"""The viewer's modules, each after those that it imports."""
JS_IMPORT = re.compile(r"""^import \{[\w, ]+\} from "[\w./]+";\n""", re.MULTILINE)
JS_EXPORT = re.compile(r"^export ", re.MULTILINE)


def read_static_file(path: str) -> bytes:
    """Return a static file as it is in the source."""
    found = finders.find(path)
    if not isinstance(found, str):
        raise FileNotFoundError(path)
    return Path(found).read_bytes()


@cache
def build_style_sheet() -> str:
    """Return all style sheets as one, with fonts and pictures inside."""
    sheet: str = cssmin(join_style_sheets(STYLE_SHEETS, read_static_file))
    return sheet


@cache
def build_script(modules: Sequence[str]) -> str:
    """Return modules, each after those that it imports, as one classic script."""
    parts = [JS_EXPORT.sub("", JS_IMPORT.sub("", read_static_file(path).decode())) for path in modules]
    script: str = jsmin('(() => {\n"use strict";\n' + "\n".join(parts) + "\n})();\n")
    return script


@cache
def read_icon_sheet() -> SafeString:
    """Return the icons, to stand in each page: browsers take none from another file on disk."""
    return SafeString(read_static_file(ICON_SHEET_PATH).decode())
