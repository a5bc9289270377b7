"""Battalion on the page: armies side by side, their sentences, the way of an attack, and the rules."""

from django.utils.translation import gettext_lazy

from arena.pages.games.battalion.attack import prove
from arena.pages.games.battalion.board import draw
from arena.pages.games.battalion.cards import name_seat
from arena.pages.games.battalion.marks import JUMPS, MEASURED, mark, measure
from arena.pages.games.battalion.plate import lay_plate
from arena.pages.games.battalion.rulebook import explain_rules
from arena.pages.games.battalion.words import say, tell_ending
from arena.pages.games.picture import Picture


def picture(edition: str) -> Picture:
    return Picture(
        folder="battalion",
        name_seat=name_seat,
        say=say,
        draw=draw,
        prove=prove,
        tell_ending=tell_ending,
        explain_rules=lambda: explain_rules(edition),
        start=gettext_lazy("Everybody holds thirteen cards, and nobody has deployed."),
        unseen=gettext_lazy("%(seat)s deploys, unseen by the others"),
        lay_plate=lay_plate,
        mark=mark,
        jumps=JUMPS,
        measure=measure,
        measured=MEASURED,
    )
