"""Battalion on the page: armies side by side, their sentences, the way of an attack, and the rules."""

from django.utils.translation import gettext_lazy

from arena.pages.games.battalion.atlas import CHARTS
from arena.pages.games.battalion.attack_proof import build_proof
from arena.pages.games.battalion.board import build_board
from arena.pages.games.battalion.cards import name_seat
from arena.pages.games.battalion.descriptions import ENDING_LABELS, describe_ending, describe_events
from arena.pages.games.battalion.marks import JUMP_LABELS, MEASURE_LABEL, count_cards_standing, list_marks
from arena.pages.games.battalion.play import build_play
from arena.pages.games.battalion.preview_image import lay_out_preview
from arena.pages.games.battalion.rulebook import build_rules, draw_first_formation
from arena.pages.games.presentation import Presentation
from engine.core import Json


def present_edition(edition: str, options: Json | None = None) -> Presentation:
    """Return the presentation of an edition; it is the same with other options than its own."""
    return Presentation(
        folder="battalion",
        name_seat=name_seat,
        describe_events=describe_events,
        build_board=build_board,
        build_proof=build_proof,
        describe_ending=describe_ending,
        ending_labels=ENDING_LABELS,
        emblem="emperor",
        build_rules=lambda: build_rules(edition),
        build_edition_picture=draw_first_formation,
        seats_note=gettext_lazy(
            "In Battalion an early seat is a handicap at three and four seats; in every match each bot takes every "
            "seat once, so it evens out."
        ),
        pages={"formations": gettext_lazy("Library of formations")},
        start_text=gettext_lazy("Everybody holds thirteen cards, and nobody has deployed."),
        unseen_text=gettext_lazy("%(seat)s deploys, unseen by the others"),
        lay_out_preview=lay_out_preview,
        list_marks=list_marks,
        jump_labels=JUMP_LABELS,
        measure=count_cards_standing,
        measure_label=MEASURE_LABEL,
        build_play=build_play,
        charts=CHARTS,
    )
