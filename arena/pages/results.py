"""Matches as rows of a list: who met whom, how it went, and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext_lazy as _

from arena.bots.models import Bot, BotVersion
from arena.matches.models import LegSeat, Match, Participant
from arena.runner.verdict import Verdict

FAULTS = {
    Verdict.ILLEGAL: ("ban", _("illegal action")),
    Verdict.MALFORMED: ("ban", _("unreadable answer")),
    Verdict.TIMEOUT: ("clock", _("timed out")),
    Verdict.CRASH: ("crash", _("crashed")),
    Verdict.MEMORY: ("crash", _("out of memory")),
    Verdict.OUTPUT: ("crash", _("wrote too much")),
    Verdict.START: ("crash", _("did not start")),
}
"""By verdict: picture and words."""


@dataclass(frozen=True, slots=True)
class Part:
    """One participant of a match in a list."""

    participant: Participant
    legs: str
    """Legs won, a shared place counting a half; empty before the end."""
    result: str
    """A key of RESULTS; empty before the end."""
    faults: list[tuple[str, str]]
    """Picture and words of each kind of fault."""

    @property
    def version(self) -> BotVersion:
        return self.participant.version


@dataclass(frozen=True, slots=True)
class Row:
    match: Match
    parts: list[Part]
    own: Part | None
    """The part of the bot the list is about."""
    others: list[Part]


def with_results(matches: QuerySet[Match]) -> QuerySet[Match]:
    """All that `list_rows` reads, in a fixed number of queries."""
    verdicts = LegSeat.objects.only("participant_id", "verdict")
    return matches.defer("deal", "options", "limits").prefetch_related(
        Prefetch(
            "participants",
            Participant.objects.select_related("version__bot__owner")
            .defer("version__source")
            .prefetch_related(Prefetch("leg_seats", verdicts)),
        )
    )


def list_rows(matches: Iterable[Match], bot: Bot | None = None) -> list[Row]:
    return [read_row(match, bot) for match in matches]


def read_row(match: Match, bot: Bot | None = None) -> Row:
    participants = list(match.participants.all())
    parts = [read_part(participant, participants) for participant in participants]
    own = next((part for part in parts if bot and part.version.bot_id == bot.pk), None)
    return Row(match, parts, own, [part for part in parts if part is not own])


def read_part(participant: Participant, participants: Sequence[Participant]) -> Part:
    points = participant.points
    counted = Counter(seat.verdict for seat in participant.leg_seats.all() if seat.verdict != Verdict.OK)
    faults = [FAULTS[Verdict(verdict)] for verdict in counted]
    if points is None:
        return Part(participant, "", "", faults)
    return Part(participant, f"{points * len(participants):g}", name_result(points), faults)


def name_result(points: float) -> str:
    """What mean points over the legs amount to between two."""
    return "won" if points > 0.5 else "lost" if points < 0.5 else "drawn"
