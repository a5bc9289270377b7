"""The charts of Battle Line in the atlas, in the words of each edition."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.games.battleline.wording import Wording
from arena.pages.games.chart_words import ChartKind, ChartWords
from engine.games.battleline.counting import CLAIMS, FORMATIONS, TACTICS

FLAGS = tuple(map(str, range(1, 10)))


def build_charts(wording: Wording) -> Sequence[ChartWords]:
    """Return the charts with the names of an edition."""
    return (
        ChartWords(
            FORMATIONS,
            ChartKind.MAP,
            gettext_lazy("Which formation wins at which flag"),
            gettext_lazy(
                "Every flag that was won, by the formation that won it. Shares are of the wins at this flag. Where Fog "
                "or a tile lets only the sum count, the formation is the lowest one."
            ),
            row_title=gettext_lazy("Formation"),
            column_title=gettext_lazy("Flag"),
            name_row=wording.formation,
            rows=list(wording.names.formations),
            columns=FLAGS,
        ),
        ChartWords(
            CLAIMS,
            ChartKind.STEPS,
            gettext_lazy("When flags are won"),
            gettext_lazy("By the turn of the claim; the turns of both players count."),
            row_title=gettext_lazy("Turns"),
        ),
        ChartWords(
            TACTICS,
            ChartKind.POINTS,
            gettext_lazy("Tactics and wins"),
            gettext_lazy(
                "How often each card was played, and the share of these legs that who played it won. A good bot makes "
                "any card look good: it tells as much about those who play it."
            ),
            row_title=gettext_lazy("Card"),
            name_row=lambda card: _(wording.names.tactics[card]),
            rows=list(wording.names.tactics),
        ),
    )
