"""Matches as rows of a list: who met whom, how it went, and why."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from arena.baked import baked
from arena.bots.models import Bot, BotVersion
from arena.ladders.models import LadderMatch
from arena.matches.models import LegSeat, Match, Participant
from arena.pages.appearance import FAULTS, Appearance
from arena.runner.verdict import Verdict

DUEL = 2
"""Participants of a match in which one wins and the other loses."""
SHOWN = ("version__number", "version__language", "version__bot__name", "version__bot__slug", "version__bot__owner")
"""What is read of a participant's version."""
DIGITS = 6
"""Points are means of thirds and halves: what differs only behind these is equal."""


@dataclass(frozen=True, slots=True)
class Finish:
    """Where a participant came in, among all of its match."""

    place: int
    """1 is first; equal places are shared."""
    is_shared: bool
    participants: int

    @property
    def is_duel(self) -> bool:
        return self.participants == DUEL

    @property
    def is_first(self) -> bool:
        """Alone in the first place."""
        return self.place == 1 and not self.is_shared


@dataclass(frozen=True, slots=True)
class Change:
    """What a rated match did to a rating."""

    elo: float
    is_taken_back: bool
    """The match was made void later."""

    @property
    def way(self) -> str:
        """In which direction, as far as is shown: `up`, `down` or `even`."""
        rounded = round(self.elo)
        return "up" if rounded > 0 else "down" if rounded else "even"


Changes = dict[int, dict[int, Change]]
"""By match, of those that are played for a ladder; then by version."""
Faults = dict[int, list[Verdict]]
"""By participant, of its legs that ended by one."""


@dataclass(frozen=True, slots=True)
class Part:
    """One participant of a match in a list."""

    participant: Participant
    score: str
    """How many of the others it left behind, summed over the legs, sharing counting half; with two participants these
    are the legs it won. Empty before the end."""
    finish: Finish | None
    """None before the end."""
    faults: list[Appearance]
    """One for each kind of fault."""
    change: Change | None = None
    """None where the match is not rated, or not yet."""

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
    is_rated: bool = False
    """It was played for a ladder."""

    @property
    def is_duel(self) -> bool:
        return len(self.parts) == DUEL

    @property
    def best_score(self) -> int:
        """What a participant would have that came first in every leg."""
        return len(self.parts) * (len(self.parts) - 1)


def signed(number: float) -> str:
    """A change of a rating: whole, with its sign."""
    rounded = round(number)
    return f"+{rounded}" if rounded > 0 else f"−{-rounded}" if rounded else "±0"


def list_rows(matches: Iterable[Match], bot: Bot | None = None) -> list[Row]:
    """Each with what it did to ratings, in as many queries for many as for few."""
    found = list(matches)
    return read_rows(found, bot, find_changes([match.pk for match in found if match.is_over]))


def read_row(match: Match) -> Row:
    """Without what it did to ratings."""
    return read_rows([match])[0]


def read_rows(matches: Sequence[Match], bot: Bot | None = None, changes: Changes | None = None) -> list[Row]:
    participants = ask_participants([match.pk for match in matches])
    of_matches: dict[int, list[Participant]] = {match.pk: [] for match in matches}
    for one in participants:
        of_matches[one.match_id].append(one)
    faults: Faults = {}
    for pk, verdict in ask_faults([one.pk for one in participants]):
        faults.setdefault(pk, []).append(Verdict(verdict))
    return [make_row(match, of_matches[match.pk], faults, bot, (changes or {}).get(match.pk)) for match in matches]


@baked
def ask_participants(matches: Sequence[int]) -> QuerySet[Participant]:
    participants = Participant.objects.filter(match__in=matches).select_related("version__bot")
    return participants.only("match", "index", "points", *SHOWN).order_by("match_id", "index")


@baked
def ask_faults(participants: Sequence[int]) -> QuerySet:
    seats = LegSeat.objects.filter(participant__in=participants).exclude(verdict=Verdict.OK)
    return seats.order_by("leg_id").values_list("participant", "verdict")


@baked
def ask_changes(matches: Sequence[int]) -> QuerySet:
    return LadderMatch.objects.filter(match__in=matches).values_list(
        "match", "void_sequence", "changes__entry__version", "changes__before", "changes__after"
    )


def find_changes(matches: Collection[int]) -> Changes:
    changes: Changes = {}
    for match, void, version, before, after in ask_changes(matches):
        of_match = changes.setdefault(match, {})
        if version is not None:
            of_match[version] = Change(after - before, void is not None)
    return changes


def make_row(
    match: Match,
    participants: Sequence[Participant],
    faults: Faults,
    bot: Bot | None,
    changes: dict[int, Change] | None,
) -> Row:
    """`changes` by version; None of a match that is not rated."""
    parts = [make_part(one, participants, faults.get(one.pk, []), changes or {}) for one in participants]
    own = next((part for part in parts if bot and part.version.bot_id == bot.pk), None)
    return Row(match, parts, own, [part for part in parts if part is not own], changes is not None)


def make_part(
    participant: Participant, participants: Sequence[Participant], verdicts: list[Verdict], changes: dict[int, Change]
) -> Part:
    points = participant.points
    faults = [FAULTS[verdict] for verdict in dict.fromkeys(verdicts)]
    if points is None:
        return Part(participant, "", None, faults)
    others, legs = len(participants) - 1, len(participants)
    score = f"{points * others * legs:.3g}"
    return Part(participant, score, finish_of(participant, participants), faults, changes.get(participant.version_id))


def finish_of(participant: Participant, participants: Sequence[Participant]) -> Finish | None:
    """None where the match has no result."""
    if participant.points is None:
        return None
    points = [round(one.points or 0, DIGITS) for one in participants]
    own = round(participant.points, DIGITS)
    return Finish(1 + sum(one > own for one in points), points.count(own) > 1, len(participants))
