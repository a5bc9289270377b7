"""Matches: played, running and queued. Nothing of what lies on the table is shown before a match is finished."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    CharField,
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
from arena.api.errors import require_row
from arena.api.examples import EXAMPLE_MATCH, EXAMPLE_MATCH_DETAIL, response_example
from arena.api.fields import ChoiceField, MessageText
from arena.api.frame import Resource
from arena.api.references import AuthorsField, HtmlUrlField
from arena.api.rules import ChangedOptionsField, OptionsField, SeriesSerializer, VariantField
from arena.ladders.models import LadderMatch
from arena.ladders.queries.rated_matches import RatingStep, fetch_ladder_matches, fetch_rating_steps
from arena.matches.filters import FAULTS, RATED, RESULTS, MatchFilter
from arena.matches.models import Leg, Match, Participant
from arena.matches.queries.lists import (
    OTHER_PURPOSE,
    PURPOSES,
    fetch_purposes,
    find_match_with_legs,
    list_matches_by_key,
    list_visible_matches,
)
from arena.matches.queries.participants import list_participants, list_participations
from arena.matches.queries.scan import find_scan_limit
from arena.matches.waiting import place_in_queue
from arena.private_responses import forbid_caching
from arena.runner.verdict import Verdict

VERDICTS = [verdict.value for verdict in Verdict]


class RatingChangeSerializer(Serializer):
    """The change of a rating by a match."""

    before = FloatField(help_text="Rating before the match, in Elo.")
    after = FloatField(help_text="Rating after the match, in Elo.")
    deviation = FloatField(help_text="Standard deviation of the rating after the match, in Elo.")


class ParticipantSerializer(Serializer):
    """A version that takes part in a match."""

    index = IntegerField(help_text="Number by which `seating` of the legs refers to it.")
    bot = CharField(source="version.bot.slug", help_text="Slug of the bot.")
    name = CharField(source="version.bot.name", help_text="Name of the bot.")
    authors = AuthorsField(source="version.bot")
    version = IntegerField(source="version.number", help_text="Version number, starting at 1.")
    points = SerializerMethodField(
        help_text="Mean over the legs of the share of opponents left behind, ties count half; of a series 1 for who is "
        "ahead, 0.5 for each if level; null until finished."
    )
    series_score = SerializerMethodField(
        help_text="Sum of its scores in the games of a series; null until finished, and where the match is none."
    )
    rating = SerializerMethodField(
        help_text="Change of its rating by this match, as shown at the time; null where there was none."
    )

    def get_points(self, participant: Participant) -> float | None:
        """Return the points of a finished match."""
        return participant.points if is_finished(participant.match) else None

    def get_series_score(self, participant: Participant) -> float | None:
        """Return the series score of a finished series."""
        return participant.series_score if is_finished(participant.match) else None

    @extend_schema_field(RatingChangeSerializer(allow_null=True))
    def get_rating(self, participant: Any) -> dict[str, Any] | None:
        """Return the change that was attached."""
        step: RatingStep | None = participant.rating_change
        return None if step is None else dict(RatingChangeSerializer(step).data)


class RatedSerializer(Serializer):
    """The place of a match in the ledger of a ladder."""

    game = CharField(source="ladder.game", help_text="Key of the game.")
    edition = CharField(source="ladder.edition", help_text="Key of the edition.")
    season = IntegerField(source="ladder.season", help_text="Season number, starting at 1.")
    group = CharField(
        source="ladder.group.slug",
        default=None,
        allow_null=True,
        help_text="Slug of the group whose ladder it is; null: it is public.",
    )
    number = IntegerField(
        allow_null=True, help_text="Number of the match in its season, which its deal comes from; starts at 1."
    )
    sequence = IntegerField(allow_null=True, help_text="Line of the ledger that counts the match; null until then.")
    is_cancelled = SerializerMethodField(help_text="Whether a later line of the ledger cancelled the match.")

    def get_is_cancelled(self, row: LadderMatch) -> bool:
        """Return whether the match was cancelled."""
        return row.void_sequence is not None


@response_example("A rated match", EXAMPLE_MATCH)
class MatchSerializer(Serializer):
    """A match."""

    id = IntegerField(source="pk", help_text="Id of the match.")
    html_url = HtmlUrlField()
    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    changed_options = ChangedOptionsField()
    variant = VariantField()
    state = ChoiceField(Match.State.choices, help_text="State of the match; void: there will be no result.")
    state_reason = MessageText(source="void_reason", help_text="Why there is no result; empty where there may be one.")
    kind = ChoiceField([*PURPOSES.values(), OTHER_PURPOSE], help_text="What the match was made for.")
    ladder = RatedSerializer(
        source="rated", allow_null=True, help_text="Place in a ladder's ledger; null for an unrated match."
    )
    series = SeriesSerializer(
        source="series_length",
        allow_null=True,
        help_text="Length of a series of games with a deal each, where the winner of one starts the next; null where "
        "every participant plays the same deal on every seat once.",
    )
    cancelled_at = DateTimeField(
        allow_null=True, help_text="When it was cancelled; null where it was not, or where the arena failed to play it."
    )
    created_at = DateTimeField(help_text="When the match was queued.")
    started_at = DateTimeField(allow_null=True, help_text="When it was started; null before.")
    finished_at = DateTimeField(allow_null=True, help_text="When it ended; null before.")
    participants = ParticipantSerializer(source="taking_part", many=True, help_text="Who takes part.")


class SeatSerializer(Serializer):
    """The result of a seat in a leg."""

    seat = IntegerField(help_text="Number of the seat, starting at 0.")
    participant = IntegerField(source="participant.index", help_text="Index of the participant.")
    place = IntegerField(help_text="Place in the leg; ties share a place.")
    score = FloatField(help_text="Score as the game counts it.")
    verdict = ChoiceField(VERDICTS, help_text="Verdict on the bot: ok, or its fault.")


class LegSerializer(Serializer):
    """A leg of a match."""

    number = IntegerField(help_text="Number of the leg, starting at 1.")
    seating = ListField(
        child=IntegerField(),
        help_text="Index of the participant at each seat; empty for the later games of a series until it is finished.",
    )
    deal_hash = CharField(
        help_text="SHA-256 of the deal and a salt, public before the first move; both are in the record."
    )
    record_hash = SerializerMethodField(
        help_text="SHA-256 of the record, checked by `pennant verify --hash`; null until the match is finished."
    )
    reason = SerializerMethodField(help_text="How the leg ended; null until the match is finished.")
    decisions = SerializerMethodField(help_text="Number of decisions of all seats; null until the match is finished.")
    seats = SerializerMethodField(help_text="Result of each seat; empty until the match is finished.")
    record = SerializerMethodField(
        help_text="Address of the record; null until the match is finished. In a field comparison it is missing until "
        " the other match with the same deal is over, too."
    )

    analysis = SerializerMethodField(
        help_text="Address of the analysis of the leg, which somebody may have to request first; null until finished."
    )

    def get_record_hash(self, leg: Leg) -> str | None:
        """Return the hash of a finished match's record."""
        return leg.record_hash if is_finished(leg.match) else None

    def get_reason(self, leg: Leg) -> str | None:
        """Return the ending of a finished match."""
        return leg.reason if is_finished(leg.match) else None

    def get_decisions(self, leg: Leg) -> int | None:
        """Return the number of decisions of a finished match."""
        return leg.decisions if is_finished(leg.match) else None

    @extend_schema_field(SeatSerializer(many=True))
    def get_seats(self, leg: Leg) -> list[dict[str, Any]]:
        """Return the seats of a finished match."""
        return list(SeatSerializer(leg.seats.all(), many=True).data) if is_finished(leg.match) else []

    def get_record(self, leg: Leg) -> str | None:
        """Return the address of the record of a finished match."""
        if not is_finished(leg.match):
            return None
        return str(self.context["request"].build_absolute_uri(reverse("api_record", args=[leg.match_id, leg.number])))

    def get_analysis(self, leg: Leg) -> str | None:
        """Return the address of the analysis of a finished match's leg."""
        if not is_finished(leg.match):
            return None
        return str(self.context["request"].build_absolute_uri(reverse("api_analysis", args=[leg.match_id, leg.number])))


class WaitingSerializer(Serializer):
    """The place of a match in the queue."""

    ahead = IntegerField(help_text="Number of matches to be played before it.")
    seconds = FloatField(allow_null=True, help_text="Estimated seconds until it is started; null where unknown.")
    reason = CharField(help_text="Sentence in the reader's language that says what it waits for.")


@response_example("With its first leg", EXAMPLE_MATCH_DETAIL)
class MatchDetailSerializer(MatchSerializer):
    """A match with its legs."""

    options = OptionsField()
    rules_version = IntegerField(help_text="Version of the rules.")
    limits = JSONField(help_text="Limits of each bot: times in milliseconds, sizes in bytes.")
    waiting = SerializerMethodField(help_text="Place in the queue; null unless the match is queued.")
    legs = LegSerializer(many=True, help_text="Legs of the match.")

    @extend_schema_field(WaitingSerializer(allow_null=True))
    def get_waiting(self, match: Match) -> dict[str, Any] | None:
        """Return the place of a queued match."""
        return WaitingSerializer(place_in_queue(match)).data if match.state == Match.State.QUEUED else None


def is_finished(match: Match) -> bool:
    """Return whether the result may be shown. That there is one in the tables is not enough."""
    return match.state == Match.State.FINISHED


def attach_parts(matches: Sequence[Any]) -> None:
    """Read what `MatchSerializer` shows of each match: its kind, its row in a ledger, its participants."""
    keys = [match.pk for match in matches]
    purposes, rated, changes = fetch_purposes(keys), fetch_ladder_matches(keys), fetch_rating_steps(keys)
    participants = list_participants(keys)
    participant: Any
    for match in matches:
        match.kind, match.rated, match.taking_part = purposes[match.pk], rated.get(match.pk), participants[match.pk]
        for participant in match.taking_part:
            participant.match = match
            participant.rating_change = changes.get(match.pk, {}).get(participant.version_id)


class MatchQuery(Serializer):
    """Filters of the list of matches."""

    state = ChoiceField(Match.State.choices, required=False, help_text="Only matches in this state.")
    game = SlugField(required=False, help_text="Only matches of the game with this key.")
    edition = SlugField(required=False, help_text="Only matches of the edition with this key.")
    bot = SlugField(required=False, help_text="Only matches of the bot with this slug.")
    opponent = SlugField(required=False, help_text="Only matches of `bot` against the bot with this slug.")
    result = ChoiceField(list(RESULTS), required=False, help_text="Only matches that ended like this for `bot`.")
    fault = ChoiceField(
        list(FAULTS), required=False, help_text="Only matches with this fault, of `bot` or otherwise of any bot."
    )
    rated = ChoiceField(list(RATED), required=False, help_text="Only rated matches, or only unrated ones.")


class MatchList(Resource):
    """All matches."""

    is_list = True
    serializer_class = MatchSerializer
    query_class = MatchQuery
    filter: MatchFilter

    @extend_schema(
        operation_id="matches_list",
        summary="List matches",
        parameters=[MatchQuery],
        responses=MatchSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List matches, newest first."""
        for name in {"bot", "opponent"} & self.query.keys():
            bot_or_404(request, self.query[name])
        visible = list_visible_matches(request.user)
        self.filter = MatchFilter(self.query, visible, reader=request.user)
        unknown = {"game", "edition"} & self.filter.form.errors.keys()
        if not self.filter.is_valid() and not unknown:
            raise ValidationError(self.filter.form.errors)
        return self.respond_page(visible.none() if unknown else self.filter.qs, attach=attach_parts)

    def narrow(self, matches: QuerySet[Match], size: int, backwards: bool, key: int | None) -> QuerySet[Match]:
        """Return the matches in which a page is found: for a bot alone, its newest are enough."""
        if self.query.keys() != {"bot"}:
            return matches
        versions = self.filter.own_versions
        end = find_scan_limit(versions, size, after=key) if backwards else find_scan_limit(versions, size, before=key)
        if end is None:
            return matches
        here, there = ("match__gt", "match__lte") if backwards else ("match__lt", "match__gte")
        bounds = {there: end} if key is None else {here: key, there: end}
        return list_matches_by_key(list_participations(versions, **bounds))


class MatchDetail(Resource):
    """One match."""

    serializer_class = MatchDetailSerializer

    @extend_schema(operation_id="matches_retrieve", summary="Show a match")
    def get(self, request: Request, pk: int) -> Response:
        """Return a match with its legs."""
        match = find_match_with_legs(request.user, pk)
        match = require_row(match, _("There is no match %(number)d.") % {"number": pk})
        if match.group_id is not None:
            forbid_caching(request)
        attach_parts([match])
        return self.respond(match)
