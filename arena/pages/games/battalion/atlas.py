"""The charts of Battalion in the atlas."""

from django.utils.translation import gettext_lazy, ngettext

from arena.pages.games.battalion.cards import CARD_NAMES_HIGH_TO_LOW
from arena.pages.games.chart_words import ChartKind, ChartWords
from engine.games.battalion.counting import ATTACKS, FALLS, SIZES

ATTACK_RESULT_LABELS = {
    "wins": gettext_lazy("target dies"),
    "tie": gettext_lazy("both die"),
    "loses": gettext_lazy("attacker dies"),
    "emperor": gettext_lazy("emperor falls"),
    "look": gettext_lazy("Jack looks"),
    "strike": gettext_lazy("King strikes"),
}
"""By result of an attack."""


def name_size(cells: str) -> str:
    """Return the size of a formation."""
    return ngettext("%(count)s cell", "%(count)s cells", int(cells)) % {"count": cells}


CHARTS = (
    ChartWords(
        ATTACKS,
        ChartKind.MAP,
        gettext_lazy("What attacks come to"),
        gettext_lazy("Every attack by the card that attacks. Shares are of the attacks of this card."),
        row_title=gettext_lazy("Result"),
        column_title=gettext_lazy("Attacker"),
        name_row=lambda result: str(ATTACK_RESULT_LABELS[result]),
        rows=list(ATTACK_RESULT_LABELS),
        columns=CARD_NAMES_HIGH_TO_LOW,
    ),
    ChartWords(
        SIZES,
        ChartKind.POINTS,
        gettext_lazy("Sizes of formations"),
        gettext_lazy("How many cells were deployed, the guard's left out, and the points of who did."),
        row_title=gettext_lazy("Cells"),
        name_row=name_size,
        rows=list(map(str, range(1, 13))),
    ),
    ChartWords(
        FALLS,
        ChartKind.STEPS,
        gettext_lazy("When emperors fall"),
        gettext_lazy("By round, whether a leg went on afterwards or not."),
        row_title=gettext_lazy("Rounds played"),
    ),
)
