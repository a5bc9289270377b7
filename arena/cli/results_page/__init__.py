"""Write the results of a tournament on this machine as one page, which opens from disk without a network.

The page has the style sheets of an arena, and draws its tables from the data in it. An arena's own templates need
Django, which authors don't have.
"""

import json
from pathlib import Path
from string import Template
from typing import Any

from arena.joined_styles import join_style_sheets
from arena.runner.data_files import PACKAGE_ROOT
from engine.core import Json

PAGE_FILE = "results.html"
STATIC_FOLDER = PACKAGE_ROOT / "arena" / "pages" / "static"
STYLE_SHEETS = tuple(f"css/{name}.css" for name in ("tokens", "base", "parts", "tournaments"))
OWN_FOLDER = Path(__file__).parent


def write_page(folder: Path, title: str, told: Json, **more: Any) -> None:
    """Write the page into the folder of a tournament. `told` is what `--json` prints. Raise OSError."""
    data = {**told, "format_title": title, **more}
    template = Template((OWN_FOLDER / "page.html").read_text(encoding="utf-8"))
    page = template.substitute(
        title=title,
        style=join_style_sheets(STYLE_SHEETS, lambda path: (STATIC_FOLDER / path).read_bytes()),
        data=escape_script(data),
        script=(OWN_FOLDER / "page.js").read_text(encoding="utf-8"),
    )
    (folder / PAGE_FILE).write_text(page, encoding="utf-8")


def escape_script(data: Any) -> str:
    """Return JSON that no script element ends in, whatever bots are called."""
    text = json.dumps(data, ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
