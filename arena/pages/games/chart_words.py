"""What the charts of the atlas are called, how they are drawn, and what stands at their rows and columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from django.utils.functional import Promise

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext
from engine.replay import ENDINGS, FAULT, LENGTH, SEATS


class ChartKind(Enum):
    """What a chart says."""

    MAP = "map"
    """How a column divides among the rows: formations at each flag."""
    POINTS = "points"
    """How many points who did it made: tactics, seats."""
    STEPS = "steps"
    """When it happened: rows are numbers, which are put together to some columns."""
    PARTS = "parts"
    """How the whole divides among the rows."""
    ENDINGS = "endings"
    """How legs were won and lost: columns are how a seat fared."""


@dataclass(frozen=True, slots=True)
class ChartWords:
    """The texts of a chart in the atlas."""

    key: str
    kind: ChartKind
    title: str | Promise
    note: str | Promise = ""
    """One or two sentences that explain what is counted."""
    row_title: str | Promise = ""
    """The heading of the rows, such as "Turn"."""
    column_title: str | Promise = ""
    name_row: Callable[[str], str] = str
    name_column: Callable[[str], str] = str
    rows: Sequence[str] = ()
    """The rows in order. Any others follow in the order in which they were counted."""
    columns: Sequence[str] = ()
    """The columns, ordered in the same way."""


def name_number_of_players(seats: str) -> str:
    """Return how many play: "3 players"."""
    return ngettext("%(count)s player", "%(count)s players", int(seats)) % {"count": seats}


def build_common_charts(
    name_seat: Callable[[int], str],
    ending_labels: Mapping[str, str | Promise],
    counts: str | None,
    seat_count: int,
) -> list[ChartWords]:
    """Return the words of the charts that every game has, endings first, for legs of at most so many seats."""

    def name_ending(reason: str) -> str:
        return str({FAULT: _("fault"), **ending_labels}.get(reason, reason))

    units = {
        "turn": (gettext_lazy("Turns per leg"), gettext_lazy("Turns")),
        "round": (gettext_lazy("Rounds per leg"), gettext_lazy("Rounds played")),
    }
    title, row_title = units.get(counts or "", (gettext_lazy("Decisions per leg"), gettext_lazy("Decisions")))
    return [
        ChartWords(
            ENDINGS,
            ChartKind.ENDINGS,
            gettext_lazy("How legs end"),
            gettext_lazy("Shares of all wins, or of all losses. A drawn leg counts for every seat tied for first."),
            row_title=gettext_lazy("Ending"),
            name_row=name_ending,
            rows=[*ending_labels, FAULT],
        ),
        ChartWords(
            SEATS,
            ChartKind.POINTS,
            gettext_lazy("Who starts"),
            gettext_lazy(
                "Points per seat in legs without a fault; the seat listed first starts. Every bot plays "
                "every seat on each deal, so any deviation from an even score is due to the seat."
            ),
            row_title=gettext_lazy("Seat"),
            name_row=lambda seat: name_seat(int(seat)),
            name_column=name_number_of_players,
            rows=list(map(str, range(seat_count))),
        ),
        ChartWords(
            LENGTH,
            ChartKind.STEPS,
            title,
            gettext_lazy("Legs without a fault."),
            row_title=row_title,
        ),
    ]
