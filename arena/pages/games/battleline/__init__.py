"""Battle Line on the page: its board, its sentences, the proof of a claim, and its rules, by edition."""

from functools import partial

from arena.pages.games.battleline.board import draw
from arena.pages.games.battleline.marks import JUMPS, TACTICS, mark
from arena.pages.games.battleline.plate import lay_plate
from arena.pages.games.battleline.proof import prove
from arena.pages.games.battleline.rulebook import explain_rules
from arena.pages.games.battleline.wording import WORDINGS
from arena.pages.games.battleline.words import say, tell_ending
from arena.pages.games.picture import Picture
from engine.games.battleline.options import edition_options


def picture(edition: str) -> Picture:
    wording = WORDINGS[edition]
    has_tactics = bool(edition_options(edition, {})["tactics"])
    return Picture(
        folder="battleline",
        name_seat=wording.seat,
        say=partial(say, wording),
        draw=partial(draw, wording),
        prove=partial(prove, wording),
        tell_ending=lambda scene: tell_ending(wording, scene.result, scene.options["envelopment"]),
        explain_rules=partial(explain_rules, wording, edition),
        lay_plate=lay_plate,
        mark=partial(mark, wording),
        jumps={kind: says for kind, says in JUMPS.items() if has_tactics or kind != TACTICS},
    )
