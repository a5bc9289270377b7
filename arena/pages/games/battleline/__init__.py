"""Battle Line on the page: its board, its sentences, the proof of a claim, and its rules, by edition."""

from functools import partial

from arena.pages.games.battleline.board import build_board
from arena.pages.games.battleline.claim_proof import build_proof
from arena.pages.games.battleline.descriptions import describe_ending, describe_events
from arena.pages.games.battleline.marks import JUMP_LABELS, TACTICS, list_marks
from arena.pages.games.battleline.preview_image import lay_out_preview
from arena.pages.games.battleline.rulebook import build_rules
from arena.pages.games.battleline.wording import WORDINGS
from arena.pages.games.presentation import Presentation
from engine.games.battleline.options import edition_options


def present_edition(edition: str) -> Presentation:
    """Return the presentation of an edition."""
    wording = WORDINGS[edition]
    has_tactics = bool(edition_options(edition, {})["tactics"])
    return Presentation(
        folder="battleline",
        name_seat=wording.seat,
        describe_events=partial(describe_events, wording),
        build_board=partial(build_board, wording),
        build_proof=partial(build_proof, wording),
        describe_ending=lambda scene: describe_ending(wording, scene.final_result, scene.options["envelopment"]),
        build_rules=partial(build_rules, wording, edition),
        lay_out_preview=lay_out_preview,
        list_marks=partial(list_marks, wording),
        jump_labels={kind: label for kind, label in JUMP_LABELS.items() if has_tactics or kind != TACTICS},
    )
