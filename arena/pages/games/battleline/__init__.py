"""Battle Line on the page: its board, its sentences, the proof of a claim, and its rules, by edition."""

from dataclasses import replace
from functools import partial

from arena.pages.games.battleline.atlas import build_charts
from arena.pages.games.battleline.board import build_board
from arena.pages.games.battleline.choices import MISTAKE_LABELS, name_choice
from arena.pages.games.battleline.claim_proof import build_proof
from arena.pages.games.battleline.close_call import tell_close_call
from arena.pages.games.battleline.descriptions import ENDING_LABELS, describe_ending, describe_events
from arena.pages.games.battleline.examples import build_line_example
from arena.pages.games.battleline.marks import JUMP_LABELS, TACTICS_MARK, list_marks
from arena.pages.games.battleline.play import build_play
from arena.pages.games.battleline.preview_image import lay_out_preview
from arena.pages.games.battleline.rulebook import build_rules
from arena.pages.games.battleline.wording import WORDINGS_BY_EDITION, Wording, name_seats
from arena.pages.games.presentation import Presentation
from engine.core import Json
from engine.games.battleline.options import PRESETS, Rules, edition_options

RULING_EDITIONS = {"BL-11": "long", "BL-23": "medieval", "BL-69": "terrain", "BL-70": "hundred-years"}
"""Where rulings stand that are not in the rules of the standard edition, of those that options refer to."""

EMBLEMS = {
    "standard": "wedge",
    "advanced": "phalanx",
    "short": "spade",
    "long": "club",
    "medieval": "leader",
    "terrain": "tile-hills",
    "hundred-years": "tile-castle",
}
"""By edition, the icon that stands for it."""


def present_edition(edition: str, options: Json | None = None) -> Presentation:
    """Return the presentation of an edition, perhaps with other options than its own."""
    return present_wording(WORDINGS_BY_EDITION[edition], edition, options)


def present_wording(wording: Wording, edition: str, options: Json | None) -> Presentation:
    """Return the presentation of an edition in this wording."""
    has_tactics = bool((options or edition_options(edition, {}))["tactics"])
    return Presentation(
        folder="battleline",
        name_seat=wording.seat,
        describe_events=partial(describe_events, wording),
        build_board=partial(build_board, wording),
        build_proof=partial(build_proof, wording),
        describe_ending=lambda scene: describe_ending(wording, scene.final_result, scene.options["envelopment"]),
        build_rules=partial(build_rules, wording, edition),
        ruling_editions=RULING_EDITIONS,
        lay_out_preview=lay_out_preview,
        build_picture=lambda scene: replace(build_board(wording, scene), shows_cards=False),
        build_edition_picture=lambda: build_line_example(
            wording, Rules.read(edition_options(edition, options or {})), list(PRESETS).index(edition)
        ),
        tell_close_call=partial(tell_close_call, wording),
        name_choice=partial(name_choice, wording),
        emblem=EMBLEMS[edition],
        ending_labels=ENDING_LABELS,
        mistake_labels=MISTAKE_LABELS,
        list_marks=partial(list_marks, wording),
        jump_labels={kind: label for kind, label in JUMP_LABELS.items() if has_tactics or kind != TACTICS_MARK},
        build_play=partial(build_play, wording),
        charts=build_charts(wording),
        name_players=lambda players, reader: present_wording(
            name_seats(WORDINGS_BY_EDITION[edition], players, reader), edition, options
        ),
    )
