"""Matches as rows of a list: who met whom, how it went, and why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.analysis.queries.turning_points import TurningPoint, fetch_turning_points
from arena.bots.models import Bot, BotVersion
from arena.ladders.queries.rated_matches import RatingStep, fetch_rating_steps
from arena.matches.models import Match, Participant
from arena.matches.queries.lists import OTHER_PURPOSE, fetch_purposes
from arena.matches.queries.participants import fetch_fault_verdicts, fetch_leg_reasons, list_participants
from arena.pages.appearance import FAULT_APPEARANCES, Appearance
from arena.pages.games import find_presentation
from arena.runner.verdict import Verdict
from engine.registry import GAMES
from engine.series import SeriesLength

DUEL = 2
"""Number of participants of a match in which one wins and the other loses."""
PURPOSE_LABELS: dict[str, str | Promise] = {
    "trial": gettext_lazy("trial"),
    "ladder": gettext_lazy("unrated"),
    "challenge": gettext_lazy("challenge"),
    "comparison": gettext_lazy("comparison"),
    OTHER_PURPOSE: gettext_lazy("unrated"),
}
"""By purpose of a match, what lists call one that is not rated."""
POINTS_DIGITS = 6
"""Points are means of thirds and halves: those that are equal when rounded to so many digits are equal."""
RatingSteps = Mapping[int, Mapping[int, RatingStep]]
"""Changes of ratings by match, of those that are played for a ladder, and version."""


@dataclass(frozen=True, slots=True)
class RatingChange:
    """The change of a rating by a match, as lists show it."""

    elo: float
    is_taken_back: bool
    """Whether the match was excluded from the ratings later."""

    @property
    def tone(self) -> str:
        """Return the class of its style: `void` where it is taken back, else its direction as far as is shown."""
        return "void" if self.is_taken_back else name_direction(self.elo)


@dataclass(frozen=True, slots=True)
class Finish:
    """The place of a participant among all of its match."""

    place: int
    """1 is first; equal places are shared."""
    is_shared: bool
    participants: int

    @property
    def is_duel(self) -> bool:
        """Return whether one wins and the other loses."""
        return self.participants == DUEL

    @property
    def is_first(self) -> bool:
        """Return whether it is alone in the first place."""
        return self.place == 1 and not self.is_shared


@dataclass(frozen=True, slots=True)
class Part:
    """One participant of a match in a list."""

    participant: Participant
    score: str
    """Number of opponents it left behind, summed over the legs, ties counting half; with two participants, the number
    of legs it won; of a series its series score. Empty before the end."""
    finish: Finish | None
    """None before the end."""
    faults: list[Appearance]
    """One for each kind of fault."""
    change: RatingChange | None = None
    """None where the match is not rated, or not yet."""

    @property
    def version(self) -> BotVersion:
        """Return the version that took part."""
        return self.participant.version


@dataclass(frozen=True, slots=True)
class Row:
    """A match in a list."""

    match: Match
    parts: list[Part]
    own: Part | None
    """The part of the bot the list is about."""
    others: list[Part]
    is_rated: bool = False
    """Whether it was played for a ladder."""
    purpose: str = ""
    """What a finished match that is not rated was played for; empty where the list doesn't show it."""
    endings: list[str] = field(default_factory=list)
    """In a word or two, for what its legs ended, faults apart."""
    turning_point: TurningPoint | None = None
    """Where an analysis found that it turned."""

    @property
    def is_duel(self) -> bool:
        """Return whether it is a match between two."""
        return len(self.parts) == DUEL

    @property
    def series_name(self) -> str:
        """Return what kind of series it is; empty where it is none."""
        length = self.match.series_length
        return "" if length is None else name_series(length)

    @property
    def is_finished(self) -> bool:
        """Return whether it has been played to its end."""
        return self.match.state == Match.State.FINISHED

    @property
    def has_result(self) -> bool:
        """Return whether there are points to show."""
        return bool(self.parts and self.parts[0].score)

    @property
    def time(self) -> datetime:
        """Return when the match ended, or before that when it was queued."""
        return self.match.finished_at or self.match.created_at

    @property
    def best_score(self) -> int:
        """Return what a participant would have that came first in every leg."""
        return len(self.parts) * (len(self.parts) - 1)


def name_series(length: SeriesLength) -> str:
    """Return what a series of this length is called."""
    if length.games is not None:
        return ngettext("series of %(count)d game", "series of %(count)d games", length.games) % {"count": length.games}
    return _("series to %(points)d points") % {"points": length.points}


def name_direction(elo: float) -> str:
    """Return `up`, `down` or `even` for a change of a rating, which is shown as a whole number."""
    rounded = round(elo)
    return "up" if rounded > 0 else "down" if rounded else "even"


def signed(number: float) -> str:
    """Return the change of a rating: whole, with its sign."""
    rounded = round(number)
    return f"+{rounded}" if rounded > 0 else f"−{-rounded}" if rounded else "±0"


def list_rows(matches: Iterable[Match], bot: Bot | None = None) -> list[Row]:
    """Return the rows of a list, each with what the match did to ratings and why it ended, in some queries in all."""
    found = list(matches)
    over = [match.pk for match in found if match.is_over]
    rows = read_rows(found, bot, fetch_rating_steps(over))
    purposes = fetch_purposes([row.match.pk for row in rows if row.is_finished and not row.is_rated])
    reasons, turning_points = fetch_leg_reasons(over), fetch_turning_points(over)
    return [
        replace(
            row,
            purpose=str(PURPOSE_LABELS[purposes[row.match.pk]]) if row.match.pk in purposes else "",
            endings=name_endings(row.match, reasons.get(row.match.pk, [])),
            turning_point=turning_points.get(row.match.pk),
        )
        for row in rows
    ]


def name_endings(match: Match, reasons: Sequence[str]) -> list[str]:
    """Return in a word or two for what legs ended, each once; faults stand with who made them."""
    labels = find_presentation(match.game, match.edition).ending_labels if match.game in GAMES else {}
    return [str(labels[reason]) for reason in dict.fromkeys(reasons) if reason in labels]


def read_rated_row(match: Match) -> Row:
    """Return the row of one match with what it did to ratings, and nothing else that lists say of it."""
    return read_rows([match], steps=fetch_rating_steps([match.pk]))[0]


def read_row(match: Match) -> Row:
    """Return the row of one match, without what it did to ratings."""
    return read_rows([match])[0]


def read_rows(matches: Sequence[Match], bot: Bot | None = None, steps: RatingSteps | None = None) -> list[Row]:
    """Return the rows of matches that are read already; `steps` by match, none where the list doesn't show them."""
    participants = list_participants([match.pk for match in matches])
    faults = fetch_fault_verdicts([one.pk for of_match in participants.values() for one in of_match])
    return [make_row(match, participants[match.pk], faults, bot, (steps or {}).get(match.pk)) for match in matches]


def make_row(
    match: Match,
    participants: Sequence[Participant],
    faults: Mapping[int, list[Verdict]],
    bot: Bot | None,
    steps: Mapping[int, RatingStep] | None,
) -> Row:
    """Return the row of a match; `steps` by version, None where the match is not rated."""
    by_version = steps or {}
    parts = [
        make_part(one, participants, faults.get(one.pk, []), by_version.get(one.version_id)) for one in participants
    ]
    own = next((part for part in parts if bot and part.version.bot_id == bot.pk), None)
    return Row(match, parts, own, [part for part in parts if part is not own], steps is not None)


def make_part(
    participant: Participant,
    participants: Sequence[Participant],
    verdicts: list[Verdict],
    step: RatingStep | None,
) -> Part:
    """Return one participant of a row."""
    points = participant.points
    faults = [FAULT_APPEARANCES[verdict] for verdict in dict.fromkeys(verdicts)]
    if points is None:
        return Part(participant, "", None, faults)
    others, legs = len(participants) - 1, len(participants)
    counted = points * others * legs if participant.series_score is None else participant.series_score
    score = f"{counted:.3g}"
    change = RatingChange(step.after - step.before, step.is_taken_back) if step else None
    return Part(participant, score, finish_of(participant, participants), faults, change)


def finish_of(participant: Participant, participants: Sequence[Participant]) -> Finish | None:
    """Return where a participant came in; None where the match has no result."""
    if participant.points is None:
        return None
    points = [round(one.points or 0, POINTS_DIGITS) for one in participants]
    own = round(participant.points, POINTS_DIGITS)
    return Finish(1 + sum(one > own for one in points), points.count(own) > 1, len(participants))
