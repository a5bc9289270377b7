"""One step of a leg as a picture that stands alone: for sharing, and as the preview of a link."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.pages.games.picture import Picture
from arena.pages.matches.replay import Scene
from arena.pages.svg.icons import SHEET

SYMBOL = re.compile(r'<symbol id="([\w-]+)".*?</symbol>', re.DOTALL)
USED = re.compile(r'href="#([\w-]+)"')
VARIABLES = {"ink": "#1E1A14", "seat-0": "#9A5B1E", "seat-1": "#1E5184", "on-seat": "#FFFFFF"}
"""What the sheet of drawings asks of the page's style, which a picture has not."""
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SENTENCE = 88
"""Characters that fit."""
NAMES = {2: (27, 26), 3: (21, 20), 4: (17, 16)}
"""By number of seats: size of the names, and characters that fit."""


def draw_snapshot(scene: Scene, picture: Picture, names: Sequence[str]) -> str | None:
    """The scene as an SVG document of 1200 by 630 without any reference to elsewhere; None where a game has no such
    picture. `names` are the bots by seat. Nothing is in it that the scene's onlooker can't see."""
    if picture.lay_plate is None:
        return None
    size, most = NAMES[len(names)]
    context = {
        "size": size,
        "plate": picture.lay_plate(picture.draw(scene)),
        "seats": list(zip(map(picture.name_seat, range(len(names))), (cut(name, most) for name in names), strict=True)),
        "heading": tell_heading(scene),
        "sentence": cut(tell_step(scene, picture), SENTENCE),
    }
    drawing = render_to_string(f"games/{picture.folder}/snapshot.svg", context)
    symbols = SafeString("".join(read_symbols()[name] for name in sorted(set(USED.findall(drawing)))))
    return NOT_XML.sub("", drawing.replace("<defs/>", f"<defs>{symbols}</defs>", 1).strip())


def tell_heading(scene: Scene) -> str:
    if scene.step.is_opening or not scene.number:
        return _("Opening, step %(number)s of %(last)s") % {"number": scene.number, "last": scene.opening}
    return _("Turn %(number)s of %(last)s") % {"number": scene.turn, "last": scene.turns}


def tell_step(scene: Scene, picture: Picture) -> str:
    """What happened, without markup."""
    if scene.is_over:
        return f"{picture.tell_ending(scene)}."
    if not scene.number:
        return str(picture.start)
    return " ".join(f"{line.plain}." for line in picture.tell(scene.step))


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


@cache
def read_symbols() -> dict[str, str]:
    """The site's drawings by name, as a picture can hold them."""
    sheet = (Path(__file__).parents[1] / "static" / SHEET).read_text()
    for name, colour in VARIABLES.items():
        sheet = sheet.replace(f"var(--{name})", colour)
    return {match[1]: match[0] for match in SYMBOL.finditer(sheet)}
