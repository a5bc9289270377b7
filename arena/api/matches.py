"""Matches: what was played, is played and waits. Of one that is not over nothing of what lies on the table."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    CharField,
    ChoiceField,
    DateTimeField,
    FloatField,
    IntegerField,
    JSONField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena.api.auth import bot_or_404
from arena.api.errors import find
from arena.api.examples import MATCH, MATCH_DETAIL, response_example
from arena.api.fields import MessageText
from arena.api.frame import Resource
from arena.api.references import HtmlUrlField
from arena.baked import baked
from arena.ladders.models import LadderMatch, RatingChange
from arena.matches.filters import FAULTS, RATED, RESULTS, MatchFilter, find_reach
from arena.matches.models import Leg, LegSeat, Match, Participant
from arena.matches.waiting import place_in_queue
from arena.runner.verdict import Verdict

KINDS = {"trial": "trial", "ladder_match": "ladder", "challenge": "challenge", "comparison_match": "comparison"}
"""What a match was made for, by the row that says so."""
OTHER = "other"

SHOWN = (
    "match",
    "index",
    "points",
    "version__number",
    "version__bot__slug",
    "version__bot__name",
    "version__bot__owner__username",
)
"""Columns of participants that are told: lists are long."""


class RatingChangeSerializer(Serializer):
    before = FloatField(help_text="Elo.")
    after = FloatField()
    deviation = FloatField(help_text="Standard deviation of the rating afterwards, Elo.")


class ParticipantSerializer(Serializer):
    index = IntegerField(help_text="What `seating` of the legs names it by.")
    bot = CharField(source="version.bot.slug")
    name = CharField(source="version.bot.name")
    owner = CharField(source="version.bot.owner.username")
    version = IntegerField(source="version.number")
    points = SerializerMethodField(
        help_text="Mean over the legs of the share of the others left behind, a shared place half; null until finished."
    )
    rating = SerializerMethodField(
        help_text="What this match did to its rating, as it was shown then; null where it did nothing."
    )

    def get_points(self, participant: Participant) -> float | None:
        return participant.points if is_finished(participant.match) else None

    @extend_schema_field(RatingChangeSerializer(allow_null=True))
    def get_rating(self, participant: Participant) -> dict[str, Any] | None:
        change = participant.match.changes.get(participant.version_id)
        return change and dict(zip(("before", "after", "deviation"), change, strict=True))


class RatedSerializer(Serializer):
    """Where in a ladder's ledger a match stands."""

    game = CharField(source="ladder.game")
    edition = CharField(source="ladder.edition")
    season = IntegerField(source="ladder.season")
    number = IntegerField(allow_null=True, help_text="Which of the season's matches: its deal comes from that.")
    sequence = IntegerField(allow_null=True, help_text="The line of the ledger that counts it; null until then.")
    is_void = SerializerMethodField(help_text="Whether a later line took it back.")

    def get_is_void(self, row: LadderMatch) -> bool:
        return row.void_sequence is not None


@response_example("A rated match", MATCH)
class MatchSerializer(Serializer):
    id = IntegerField(source="pk")
    page = HtmlUrlField()
    game = CharField()
    edition = CharField()
    state = ChoiceField(Match.State.choices)
    kind = ChoiceField([*KINDS.values(), OTHER])
    ladder = RatedSerializer(
        source="rated", allow_null=True, help_text="Null where it is played for no ladder, so never rated."
    )
    void_reason = MessageText(help_text="Why it will have no result; empty where it may have one.")
    created_at = DateTimeField()
    started_at = DateTimeField(allow_null=True)
    finished_at = DateTimeField(allow_null=True)
    participants = ParticipantSerializer(source="taking_part", many=True)


class SeatSerializer(Serializer):
    seat = IntegerField()
    participant = IntegerField(source="participant.index")
    place = IntegerField(help_text="1 is first; equal places are shared.")
    score = FloatField(help_text="By the game's own count.")
    verdict = ChoiceField([(verdict.value, verdict.value) for verdict in Verdict])


class LegSerializer(Serializer):
    number = IntegerField()
    seating = ListField(child=IntegerField(), help_text="Index of the participant at each seat.")
    deal_hash = CharField(
        help_text="SHA-256 of the deal and a salt, public before the first move; both are in the record."
    )
    reason = SerializerMethodField(help_text="How it ended; null until the match is finished.")
    decisions = SerializerMethodField(help_text="Number of decisions of all seats; null until the match is finished.")
    seats = SerializerMethodField(help_text="How it ended for each seat; empty until the match is finished.")
    record = SerializerMethodField(
        help_text="Where its record is; null until the match is finished. In a comparison's field it isn't there before"
        " the other match with the same deal is over, too."
    )

    def get_reason(self, leg: Leg) -> str | None:
        return leg.reason if is_finished(leg.match) else None

    def get_decisions(self, leg: Leg) -> int | None:
        return leg.decisions if is_finished(leg.match) else None

    @extend_schema_field(SeatSerializer(many=True))
    def get_seats(self, leg: Leg) -> list[dict[str, Any]]:
        return SeatSerializer(leg.seats.all(), many=True).data if is_finished(leg.match) else []

    def get_record(self, leg: Leg) -> str | None:
        if not is_finished(leg.match):
            return None
        return self.context["request"].build_absolute_uri(reverse("api_record", args=[leg.match_id, leg.number]))


class WaitingSerializer(Serializer):
    """Where a match stands in the queue."""

    ahead = IntegerField(help_text="Matches to be played before it.")
    seconds = FloatField(allow_null=True, help_text="Until it begins, about; null where nobody can tell.")
    reason = CharField(help_text="Why it waits, in a sentence.")


@response_example("With its first leg", MATCH_DETAIL)
class MatchDetailSerializer(MatchSerializer):
    options = JSONField(help_text="Every rule option in force.")
    rules_version = IntegerField()
    limits = JSONField(help_text="What each bot may take: milliseconds, bytes.")
    waiting = SerializerMethodField(help_text="Null once it is played.")
    legs = LegSerializer(many=True)

    @extend_schema_field(WaitingSerializer(allow_null=True))
    def get_waiting(self, match: Match) -> dict[str, Any] | None:
        return WaitingSerializer(place_in_queue(match)).data if match.state == Match.State.QUEUED else None


def is_finished(match: Match) -> bool:
    """Whether anybody may know how it went. A result in the tables is not enough."""
    return match.state == Match.State.FINISHED


def add_parts(matches: Sequence[Match]) -> None:
    """What `MatchSerializer` reads beside each match: what it was made for, its line in a ledger, who takes part, and
    by version what it did to ratings."""
    of_match = {match.pk: match for match in matches}
    keys = list(of_match)
    for match in matches:
        match.kind, match.rated, match.taking_part, match.changes = OTHER, None, [], {}
    for pk, *rows in ask_made_for(keys):
        of_match[pk].kind = next((kind for kind, row in zip(KINDS.values(), rows, strict=True) if row), OTHER)
    for row in ask_rated(keys):
        of_match[row.match_id].rated = row
    for participant in ask_taking_part(keys):
        participant.match = of_match[participant.match_id]
        participant.match.taking_part.append(participant)
    for pk, version, *change in ask_changes(keys):
        of_match[pk].changes[version] = change


@baked
def ask_made_for(matches: Sequence[int]) -> QuerySet:
    return Match.objects.filter(pk__in=matches).values_list("pk", *(f"{row}__pk" for row in KINDS))


@baked
def ask_rated(matches: Sequence[int]) -> QuerySet[LadderMatch]:
    return LadderMatch.objects.filter(match__in=matches).select_related("ladder").defer("ladder__secret")


@baked
def ask_taking_part(matches: Sequence[int]) -> QuerySet[Participant]:
    participants = Participant.objects.filter(match__in=matches).select_related("version__bot__owner").only(*SHOWN)
    return participants.order_by("match_id", "index")


@baked
def ask_changes(matches: Sequence[int]) -> QuerySet:
    changes = RatingChange.objects.filter(ladder_match__match__in=matches).order_by()
    return changes.values_list("ladder_match__match", "entry__version", "before", "after", "deviation")


def with_legs(matches: QuerySet[Match]) -> QuerySet[Match]:
    """What `MatchDetailSerializer` reads of its legs. Deals, records, logs and salts stay in the tables."""
    seats = LegSeat.objects.select_related("participant").defer("stderr", "fault")
    legs = Leg.objects.defer("record", "salt").prefetch_related(Prefetch("seats", seats))
    return matches.defer("deal").prefetch_related(Prefetch("legs", legs))


class MatchQuery(Serializer):
    state = ChoiceField(Match.State.choices, required=False)
    game = SlugField(required=False)
    edition = SlugField(required=False)
    bot = SlugField(required=False, help_text="Only those that this bot plays in.")
    opponent = SlugField(required=False, help_text="Only those of `bot` that this one plays in, too.")
    result = ChoiceField(list(RESULTS), required=False, help_text="How they ended for `bot`.")
    fault = ChoiceField(
        list(FAULTS), required=False, help_text="With a fault, or with one of this kind: of `bot`, or else of anybody."
    )
    rated = ChoiceField(list(RATED), required=False, help_text="Played for a ladder or not.")


class MatchList(Resource):
    """Newest first."""

    serializer_class = MatchSerializer
    query_class = MatchQuery

    @extend_schema(
        operation_id="matches_list",
        summary="Matches",
        parameters=[MatchQuery],
        responses=MatchSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        for name in {"bot", "opponent"} & self.query.keys():
            bot_or_404(self.query[name])
        self.chosen = MatchFilter(self.query, Match.objects.lean())
        unknown = {"game", "edition"} & self.chosen.form.errors.keys()
        if not self.chosen.is_valid() and not unknown:
            raise ValidationError(self.chosen.form.errors)
        return self.respond_page(Match.objects.none() if unknown else self.chosen.qs, attach=add_parts)

    def near(self, matches: QuerySet[Match], size: int, backwards: bool, key: int | None) -> QuerySet[Match]:
        """Not all matches of a bot are looked at where a page of its newest is wanted, and nothing else."""
        if self.query.keys() != {"bot"}:
            return matches
        versions = self.chosen.own_versions
        end = find_reach(versions, size, after=key) if backwards else find_reach(versions, size, before=key)
        if end is None:
            return matches
        here, there = ("match__gt", "match__lte") if backwards else ("match__lt", "match__gte")
        span = {there: end} if key is None else {here: key, there: end}
        own = Participant.objects.filter(version__in=versions, **span)
        return Match.objects.lean().filter(pk__in=own.values("match"))


class MatchDetail(Resource):
    serializer_class = MatchDetailSerializer

    @extend_schema(operation_id="matches_retrieve", summary="One match, with its legs")
    def get(self, request: Request, pk: int) -> Response:
        match = find(with_legs(Match.objects.all()), f"There is no match {pk}.", pk=pk)
        add_parts([match])
        return self.respond(match)
