"""Prepare the rows of a ladder's standings: rank, rating, trend of the last month and last match of each bot."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.safestring import SafeString
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.bots.models import BotVersion
from arena.ladders.models import Entry, Ladder
from arena.ladders.queries.ratings import list_ratings_of_bots
from arena.ladders.rank_eligibility import MIN_RANKED_MATCHES, MIN_RANKED_OPPONENTS
from arena.matches.models import Match, Participant
from arena.matches.queries.participants import fetch_fault_verdicts, list_participants
from arena.pages.appearance import FAULT_APPEARANCES
from arena.pages.matches.results import Finish, finish_of, name_direction
from arena.pages.svg.ratings import Axis, draw_rating_interval, draw_rating_trend
from arena.runner.verdict import Verdict

RATING_TREND_PERIOD = timedelta(days=30)
MIN_RATING_TREND_ELO = 5


@dataclass(frozen=True, slots=True)
class Trend:
    """The change of a bot's rating in a month, over all of its versions."""

    ratings: tuple[float, ...]
    """One rating for each day with matches, oldest first; the last is the current one."""

    @property
    def elo(self) -> float:
        """Return the change of the rating."""
        return self.ratings[-1] - self.ratings[0]

    @property
    def direction(self) -> str:
        """Return `up`, `down` or `even`."""
        return "even" if abs(self.elo) < MIN_RATING_TREND_ELO else name_direction(self.elo)

    @property
    def picture(self) -> SafeString:
        """Return a drawing of the ratings."""
        return draw_rating_trend(self.ratings)

    @property
    def icon(self) -> str:
        """Return the name of the icon of the direction."""
        return {"up": "up", "down": "down", "even": "dash"}[self.direction]


@dataclass(frozen=True, slots=True)
class Last:
    """A bot's last rated match."""

    match: Match
    finish: Finish | None
    cause: str
    """The fault that decided the match, in words; mostly empty."""
    others: list[BotVersion]

    @property
    def opponent(self) -> BotVersion | None:
        """Return the opponent, if there was only one."""
        return self.others[0] if len(self.others) == 1 else None


@dataclass(frozen=True, slots=True)
class Place:
    """One row of the standings."""

    rank: int | None
    """None until the rating is certain enough."""
    entry: Entry
    interval: SafeString
    """Drawing of the rating's 95 % interval."""
    trend: Trend | None
    """None if the bot has played on one day only."""
    last: Last | None
    is_own: bool

    @property
    def finish(self) -> Finish | None:
        """Return how the bot finished its last match."""
        return self.last.finish if self.last else None

    @property
    def cause(self) -> str:
        """Return the fault that decided the last match, or an empty string."""
        return self.last.cause if self.last else ""

    @property
    def win_rate(self) -> float | None:
        """Return the mean points of its rated matches, from 0 to 1; None before the first."""
        return self.entry.points / self.entry.matches if self.entry.matches else None

    @property
    def played(self) -> str:
        """Return the number of rated matches in words."""
        matches = self.entry.matches
        return ngettext("%(count)s match", "%(count)s matches", matches) % {"count": intcomma(matches)}

    @property
    def meter(self) -> str:
        """Return the win rate as the value of a meter, with a point in all languages."""
        return f"{self.win_rate or 0:.3f}"

    @property
    def missing(self) -> str:
        """Return what the bot needs for a rank."""
        if self.entry.matches < MIN_RANKED_MATCHES:
            return _("%(played)d of %(wanted)d matches") % {"played": self.entry.matches, "wanted": MIN_RANKED_MATCHES}
        if self.entry.opponents < MIN_RANKED_OPPONENTS:
            return _("%(met)d of %(wanted)d opponents") % {"met": self.entry.opponents, "wanted": MIN_RANKED_OPPONENTS}
        return _("± %(margin)d is not sure enough") % {"margin": round(self.entry.margin_95)}


@dataclass(frozen=True, slots=True)
class Block:
    """Rows shown together: a group of bots of equal strength within the margins, or those without a rank."""

    group: int | None
    is_ranked: bool
    places: list[Place] = field(default_factory=list)


def find_rating_trends(ladder: Ladder, entries: Iterable[Entry]) -> dict[int, Trend]:
    """Return trends by entry, which include former versions of the bots."""
    of_bot = {entry.version.bot_id: entry for entry in entries}
    today = localdate(ladder.closed_at)
    days: dict[int, dict[object, float]] = {}
    for bot, day, rating in list_ratings_of_bots(ladder, list(of_bot), today - RATING_TREND_PERIOD, today):
        days.setdefault(bot, {})[day] = rating
    return {of_bot[bot].pk: Trend((*ratings.values(), of_bot[bot].rating)) for bot, ratings in days.items()}


def find_last_matches(entries: Iterable[Entry]) -> dict[int, Last]:
    """Return the last match of each entry that has one, by entry."""
    matches = [entry.last_match_id for entry in entries if entry.last_match_id]
    participants = list_participants(matches)
    faults = fetch_fault_verdicts([one.pk for taken in participants.values() for one in taken])
    found = {
        entry.pk: build_last_match(entry, participants.get(entry.last_match_id or 0, []), faults) for entry in entries
    }
    return {pk: last for pk, last in found.items() if last}


def build_last_match(
    entry: Entry, participants: Sequence[Participant], faults: Mapping[int, list[Verdict]]
) -> Last | None:
    """Return the last match of an entry from its participants and their faults."""
    own = next((one for one in participants if one.version_id == entry.version_id), None)
    if own is None:
        return None
    finish, others = finish_of(own, participants), [one for one in participants if one is not own]
    cause = find_deciding_fault(finish, own, others, faults)
    return Last(Match(pk=own.match_id), finish, cause, [participant.version for participant in others])


def find_deciding_fault(
    finish: Finish | None,
    own_participant: Participant,
    other_participants: list[Participant],
    faults: Mapping[int, list[Verdict]],
) -> str:
    """Return the fault that decided a match between two bots, or an empty string."""
    if finish is None or not finish.is_duel or finish.is_shared:
        return ""
    if not finish.is_first and own_participant.pk in faults:
        return str(FAULT_APPEARANCES[faults[own_participant.pk][0]].label)
    if finish.is_first and other_participants[0].pk in faults:
        return _("opponent %(fault)s") % {"fault": FAULT_APPEARANCES[faults[other_participants[0].pk][0]].label}
    return ""


def build_standings_rows(
    ladder: Ladder, entries: Sequence[Entry], ranks: dict[int, int], axis: Axis, reader: int | None
) -> Iterator[Place]:
    """Yield the rows of these entries."""
    trends, lasts = find_rating_trends(ladder, entries), find_last_matches(entries)
    for entry in entries:
        yield Place(
            rank=ranks.get(entry.pk),
            entry=entry,
            interval=draw_rating_interval(axis, entry.rating, entry.margin_95),
            trend=trends.get(entry.pk),
            last=lasts.get(entry.pk),
            is_own=reader in entry.version.bot.author_keys,
        )


def divide_into_groups(places: Iterable[Place]) -> list[Block]:
    """Divide places into groups, in order.

    A group begins at its first bot; a bot that has moved into another group since groups were computed is shown there.
    """
    blocks: list[Block] = []
    for place in places:
        entry = place.entry
        last = blocks[-1] if blocks else None
        group = entry.group if entry.is_ranked else None
        if last is None or last.is_ranked != entry.is_ranked or (group or 0) > (last.group or 0):
            last = Block(group, entry.is_ranked)
            blocks.append(last)
        last.places.append(place)
    return blocks
