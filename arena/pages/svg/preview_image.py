"""One step of a leg as an image that stands alone: for sharing, and as the preview of a link."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.template import Context, Engine
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.pages.games.presentation import Presentation
from arena.pages.matches.replay import Scene
from arena.pages.svg.icons import ICON_SHEET_PATH

SYMBOL_ELEMENT = re.compile(r'<symbol id="([\w-]+)".*?</symbol>', re.DOTALL)
SYMBOL_REFERENCE = re.compile(r'href="#([\w-]+)"')
STYLE_VARIABLES = {"ink": "#1E1A14", "seat-0": "#9A5B1E", "seat-1": "#1E5184", "on-seat": "#FFFFFF"}
"""Variables of the page's style that the icons use; an image has no style sheet."""
NON_XML_CHARACTER = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MAX_SENTENCE_LENGTH = 88
"""With the name of the rules, which stands in the same line."""
MAX_RULES_LENGTH = 40
WITHOUT_TABLE = "games/preview_image.svg"
"""The template for games that have none of their own: names and the sentence, without the table."""
NAME_SIZES_BY_SEATS = {2: (27, 26), 3: (21, 20), 4: (17, 16)}
"""Font size of the names and number of characters that fit, by number of seats."""


def draw_preview_image(scene: Scene, presentation: Presentation, names: Sequence[str], rules: str = "") -> str:
    """Return the scene as an SVG document of 1200 by 630 without any reference to elsewhere.

    `names` are the bots by seat, `rules` the name of the edition or variant. Nothing is in it that the scene's onlooker
    can't see.
    """
    size, max_length = NAME_SIZES_BY_SEATS[len(names)]
    shown_rules = shorten_text(rules, MAX_RULES_LENGTH)
    context = {
        "size": size,
        "preview": presentation.lay_out_preview(presentation.build_board(scene)),
        "seats": list(
            zip(
                map(presentation.name_seat, range(len(names))),
                (shorten_text(name, max_length) for name in names),
                strict=True,
            )
        ),
        "heading": format_turn_heading(scene),
        "rules": shown_rules,
        "sentence": shorten_text(describe_scene(scene, presentation), MAX_SENTENCE_LENGTH - len(shown_rules)),
    }
    template = Engine.get_default().select_template([f"games/{presentation.folder}/preview_image.svg", WITHOUT_TABLE])
    drawing = template.render(Context(context, use_l10n=False))  # a decimal comma would be read as two numbers
    symbols = SafeString("".join(read_icon_symbols()[name] for name in sorted(set(SYMBOL_REFERENCE.findall(drawing)))))
    return NON_XML_CHARACTER.sub("", drawing.replace("<defs/>", f"<defs>{symbols}</defs>", 1).strip())


def format_turn_heading(scene: Scene) -> str:
    """Return which turn is shown."""
    if scene.step.is_opening or not scene.number:
        return _("Opening, step %(number)s of %(last)s") % {"number": scene.number, "last": scene.opening}
    return _("Turn %(number)s of %(last)s") % {"number": scene.turn, "last": scene.turns}


def describe_scene(scene: Scene, presentation: Presentation) -> str:
    """Return what happened, without markup."""
    if scene.is_over:
        return f"{presentation.describe_ending(scene)}."
    if not scene.number:
        return str(presentation.start_text)
    return " ".join(f"{line}." for line in presentation.describe_step(scene.step))


def shorten_text(text: str, max_length: int) -> str:
    """Return the text, cut off with an ellipsis where it is longer."""
    return text if len(text) <= max_length else f"{text[: max_length - 1].rstrip()}…"


@cache
def read_icon_symbols() -> dict[str, str]:
    """Return the site's icons by name, as an image can hold them."""
    sheet = (Path(__file__).parents[1] / "static" / ICON_SHEET_PATH).read_text()
    for name, colour in STYLE_VARIABLES.items():
        sheet = sheet.replace(f"var(--{name})", colour)
    return {match[1]: match[0] for match in SYMBOL_ELEMENT.finditer(sheet)}
