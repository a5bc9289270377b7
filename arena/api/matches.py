"""Matches: played, running and queued, with records and logs, one by one or many at once."""

import threading
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import orjson
from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import NotFound, Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    JSONField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena.api.frame import (
    ARCHIVE_TYPE,
    BINARY_RESPONSE,
    AuthorsField,
    ChangedOptionsField,
    ChoiceField,
    FaultField,
    HtmlUrlField,
    MessageText,
    OptionsField,
    Resource,
    SeriesSerializer,
    VariantField,
    build_absolute_url,
    operation,
    respond_unless_known,
)
from arena.api.ladders import season_or_404
from arena.api.requests import CountedRequests, bot_or_404, is_owner, require_row, require_user
from arena.contests.comparisons.services import is_deal_in_play, list_matches_with_deal_in_play
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.ladders.queries import (
    fetch_ladder_matches,
    fetch_rating_steps,
    keep_rated_between,
    list_editions,
)
from arena.core.errors import NotYours
from arena.core.http import HeldStream, forbid_caching
from arena.core.messages import gettext as _
from arena.matches import queries
from arena.matches.filters import FAULTS, RATED, RESULTS, MatchFilter
from arena.matches.models import Leg, Match, Participant
from arena.matches.queries import OTHER_PURPOSE, PURPOSES
from arena.matches.queue import place_in_queue
from arena.matches.services import explain_missing_record
from arena.runner.program import Verdict
from engine.message import gettext_noop, message

# Matches: played, running and queued. Nothing of what lies on the table is shown before a match is finished.

VERDICTS = [verdict.value for verdict in Verdict]


class RatingChangeSerializer(Serializer):
    """A match's change of a rating."""

    before = FloatField(help_text="Rating before the match, in Elo.")
    after = FloatField(help_text="Rating after the match, in Elo.")
    deviation = FloatField(help_text="Standard deviation of the rating after the match, in Elo.")


class ParticipantSerializer(Serializer):
    """A version that plays in a match."""

    index = IntegerField(help_text="Number that refers to it in the legs' `seating`.")
    bot = CharField(source="version.bot.slug", help_text="The bot's slug.")
    name = CharField(source="version.bot.name", help_text="The bot's name.")
    authors = AuthorsField(source="version.bot")
    version = IntegerField(source="version.number", help_text="Version number, starting at 1.")
    points = FloatField(
        read_only=True,
        allow_null=True,
        help_text="Mean over the legs of the share of opponents placed behind it; ties count half. "
        "In a series, 1 for the leader, 0.5 each if level. Null until finished.",
    )
    series_score = FloatField(
        read_only=True,
        allow_null=True,
        help_text="Sum of its scores in a series' games; null until finished, and if the match isn't a series.",
    )
    rating = RatingChangeSerializer(
        source="rating_change",
        read_only=True,
        allow_null=True,
        help_text="Change of its rating by this match, as shown at the time; null without one.",
    )

    def to_representation(self, participant: Participant) -> dict[str, Any]:
        """Return the participant; before its match is finished without its points."""
        shown: dict[str, Any] = super().to_representation(participant)
        return shown if is_finished(participant.match) else shown | {"points": None, "series_score": None}


class RatedSerializer(Serializer):
    """A match's place in a ladder's ledger."""

    game = CharField(source="ladder.game", help_text="Key of the game.")
    edition = CharField(source="ladder.edition", help_text="Key of the edition.")
    clock = CharField(
        source="ladder.clock", help_text="Clock of an open ladder: open or slow; empty for ladders of sandboxed bots."
    )
    season = IntegerField(source="ladder.season", help_text="Season number, starting at 1.")
    group = CharField(
        source="ladder.group.slug",
        default=None,
        allow_null=True,
        help_text="Slug of the ladder's group; null for a public ladder.",
    )
    number = IntegerField(
        allow_null=True, help_text="Number of the match in its season, starting at 1. Its deal is derived from it."
    )
    sequence = IntegerField(allow_null=True, help_text="Ledger line that counts the match; null until then.")
    is_cancelled = SerializerMethodField(help_text="Whether a later ledger line cancelled the match.")

    def get_is_cancelled(self, row: LadderMatch) -> bool:
        """Return whether the match was cancelled."""
        return row.void_sequence is not None


class MatchSerializer(Serializer):
    """A match."""

    id = IntegerField(source="pk", help_text="The match's id.")
    html_url = HtmlUrlField()
    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    changed_options = ChangedOptionsField()
    variant = VariantField()
    state = ChoiceField(Match.State.choices, help_text="The match's state; void means no result.")
    state_reason = MessageText(source="void_reason", help_text="Why it has no result; empty if it has or can get one.")
    kind = ChoiceField([*PURPOSES.values(), OTHER_PURPOSE], help_text="Purpose of the match.")
    ladder = RatedSerializer(
        source="rated", allow_null=True, help_text="Place in a ladder's ledger; null for an unrated match."
    )
    series = SeriesSerializer(
        source="series_length",
        allow_null=True,
        help_text="Length of a series of games with their own deals, where each game's winner starts "
        "the next; null if every participant plays the same deal once from every seat.",
    )
    cancelled_at = DateTimeField(
        allow_null=True, help_text="When it was cancelled; null otherwise, also if the arena failed to play it."
    )
    created_at = DateTimeField(help_text="When the match was queued.")
    started_at = DateTimeField(allow_null=True, help_text="When it was started, or null.")
    finished_at = DateTimeField(allow_null=True, help_text="When it ended, or null.")
    participants = ParticipantSerializer(source="taking_part", many=True, help_text="The participants.")


class SeatSerializer(Serializer):
    """A seat's result in a leg."""

    seat = IntegerField(help_text="Seat number, starting at 0.")
    participant = IntegerField(source="participant.index", help_text="The participant's index.")
    place = IntegerField(help_text="Place in the leg; ties share a place.")
    score = FloatField(help_text="Score in the game.")
    verdict = ChoiceField(VERDICTS, help_text="Verdict on the bot: ok, or its fault.")


class LegSerializer(Serializer):
    """A match's leg."""

    number = IntegerField(help_text="Leg number, starting at 1.")
    seating = ListField(
        child=IntegerField(),
        help_text="Index of the participant at each seat; empty for a series' later games until it's finished.",
    )
    deal_hash = CharField(
        help_text="SHA-256 of the deal and a salt, public before the first move; both are in the record."
    )
    record_hash = CharField(
        read_only=True,
        allow_null=True,
        help_text="SHA-256 of the record, for `pennant verify --hash`; null until the match is finished.",
    )
    reason = CharField(
        read_only=True, allow_null=True, help_text="How the leg ended; null until the match is finished."
    )
    decisions = IntegerField(
        read_only=True, allow_null=True, help_text="Number of decisions by all seats; null until the match is finished."
    )
    seats = SeatSerializer(
        many=True, read_only=True, help_text="Each seat's result; empty until the match is finished."
    )
    record = SerializerMethodField(
        help_text="Address of the record; null until the match is finished. In a field comparison, "
        "it's missing until the other match with the same deal has finished too.",
    )
    analysis = SerializerMethodField(
        help_text="Address of the leg's analysis, which might have to be requested first; null until finished.",
    )

    def get_record(self, leg: Leg) -> str | None:
        """Return the address of the record of a finished match."""
        return self._link("api_record", leg)

    def get_analysis(self, leg: Leg) -> str | None:
        """Return the address of the analysis of a finished match's leg."""
        return self._link("api_analysis", leg)

    def _link(self, name: str, leg: Leg) -> str | None:
        address = reverse(name, args=[leg.match_id, leg.number])
        return build_absolute_url(self.context["request"], address) if is_finished(leg.match) else None

    def to_representation(self, leg: Leg) -> dict[str, Any]:
        """Return the leg; before its match is finished without anything that was played."""
        shown: dict[str, Any] = super().to_representation(leg)
        hidden: dict[str, Any] = {"record_hash": None, "reason": None, "decisions": None, "seats": []}
        return shown if is_finished(leg.match) else shown | hidden


class WaitingSerializer(Serializer):
    """A match's place in the queue."""

    ahead = IntegerField(help_text="Number of matches ahead of it.")
    seconds = FloatField(allow_null=True, help_text="Estimated seconds until it starts, or null.")
    reason = CharField(help_text="What it's waiting for, in the reader's language.")


class MatchDetailSerializer(MatchSerializer):
    """A match, with its legs."""

    options = OptionsField()
    rules_version = IntegerField(help_text="Version of the rules.")
    limits = JSONField(help_text="Each bot's limits: times in milliseconds, sizes in bytes.")
    waiting = SerializerMethodField(help_text="Place in the queue; null unless queued.")
    legs = LegSerializer(many=True, help_text="The match's legs.")

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
    purposes, rated, changes = queries.fetch_purposes(keys), fetch_ladder_matches(keys), fetch_rating_steps(keys)
    participants = queries.list_participants(keys)
    participant: Any
    for match in matches:
        match.kind, match.rated, match.taking_part = purposes[match.pk], rated.get(match.pk), participants[match.pk]
        for participant in match.taking_part:
            participant.match = match
            participant.rating_change = changes.get(match.pk, {}).get(participant.version_id)


class MatchQuery(Serializer):
    """Filters for the list of matches."""

    state = ChoiceField(Match.State.choices, required=False, help_text="Only matches in this state.")
    game = SlugField(required=False, help_text="Only matches of the game with this key.")
    edition = SlugField(required=False, help_text="Only matches of the edition with this key.")
    bot = SlugField(required=False, help_text="Only matches of the bot with this slug.")
    opponent = SlugField(required=False, help_text="Only matches of `bot` against the bot with this slug.")
    result = ChoiceField(list(RESULTS), required=False, help_text="Only matches with this result for `bot`.")
    fault = ChoiceField(
        list(FAULTS), required=False, help_text="Only matches with this fault, by `bot` if given, otherwise by any bot."
    )
    rated = ChoiceField(list(RATED), required=False, help_text="Only rated matches, or only unrated ones.")


# Records of legs for everybody, logs of legs for the owners of the bots.

CACHE_FOREVER_HEADER = "public, max-age=31536000, immutable"


class RecordSerializer(Serializer):
    """A record in the format arena-replay/1, from which a leg can be replayed. See the README for bots."""

    format = CharField(help_text="The format's name.")
    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    options = DictField(help_text="All rule options in force.")
    changed_options = JSONField(
        required=False, help_text="Names of the options that differ from the edition's; absent if none do."
    )
    rules_version = IntegerField(help_text="Version of the rules.")
    arena = CharField(required=False, help_text="Version of the arena; absent in older records.")
    seats = JSONField(
        help_text="Name and version of the bot at each seat, or name and kind of a person. A sample "
        "bot that played at a special level, such as the strongest on ladders, has `level`."
    )
    deal = DictField(help_text="All random values of the leg.")
    salt = CharField(help_text="Salt for the deal's hash.")
    deal_hash = CharField(help_text="SHA-256 of the deal's canonical JSON and the salt.")
    actions = JSONField(help_text="All decisions in order.")
    result = DictField(help_text="How the leg ended.")


class LogSerializer(Serializer):
    """Your bot's log in a leg."""

    seat = IntegerField(help_text="Seat number, starting at 0.")
    participant = IntegerField(source="participant.index", help_text="The participant's index.")
    bot = CharField(source="participant.version.bot.slug", help_text="The bot's slug.")
    version = IntegerField(source="participant.version.number", help_text="Version number, starting at 1.")
    verdict = ChoiceField(VERDICTS, help_text="Verdict on the bot: ok, or its fault.")
    fault = FaultField(
        allow_null=True,
        help_text="Keys: message (what was wrong), sent, request, stderr (last line of the log); null without a fault.",
    )
    stderr = CharField(help_text="End of the bot's stderr output; deleted after some weeks.")


def leg_or_404(request: Request, match: int, number: int) -> Leg:
    """Return a leg of a finished match. Raise NotFound, also while its deal is in play elsewhere."""
    leg = require_row(
        queries.find_finished_leg(request.user, match, number, with_record=False),
        _("There's no finished leg with that number."),
    )
    if not leg.match.is_public:
        forbid_caching(request)
    if is_deal_in_play(leg.match):
        raise NotFound(_("Another match with the same deal is still being played: come back when it's finished."))
    return leg


class Matches(Resource):
    """Matches."""

    filter: MatchFilter | None = None

    @operation("matches_list", "List matches", [MatchSerializer], query=MatchQuery)
    def list(self, request: Request) -> Response:
        """List matches, newest first."""
        for name in {"bot", "opponent"} & self.query.keys():
            bot_or_404(request, self.query[name])
        visible = queries.list_visible_matches(request.user)
        self.filter = MatchFilter(self.query, visible, reader=request.user)
        unknown = {"game", "edition"} & self.filter.form.errors.keys()
        if not self.filter.is_valid() and not unknown:
            raise ValidationError(self.filter.form.errors)
        return self.respond_page(visible.none() if unknown else self.filter.qs, attach=attach_parts)

    def narrow(self, matches: QuerySet[Match], size: int, backwards: bool, key: int | None) -> QuerySet[Match]:
        """Return the matches in which a page is found: for a bot alone, its newest are enough."""
        if self.filter is None or self.query.keys() != {"bot"}:
            return matches
        versions = self.filter.own_versions
        end = (
            queries.find_scan_limit(versions, size, after=key)
            if backwards
            else queries.find_scan_limit(versions, size, before=key)
        )
        if end is None:
            return matches
        here, there = ("match__gt", "match__lte") if backwards else ("match__lt", "match__gte")
        bounds = {there: end} if key is None else {here: key, there: end}
        return queries.list_matches_by_key(queries.list_participations(versions, **bounds))

    @operation("matches_retrieve", "Show a match", MatchDetailSerializer)
    def show(self, request: Request, pk: int) -> Response:
        """Return a match and its legs."""
        match = queries.find_match_with_legs(request.user, pk)
        match = require_row(match, _("Match %(number)d doesn't exist.") % {"number": pk})
        if not match.is_public:
            forbid_caching(request)
        attach_parts([match])
        return self.respond(match)

    @operation("matches_record", "Download a leg's record", RecordSerializer)
    def show_record(self, request: Request, pk: int, number: int) -> HttpResponseBase:
        """Return a leg's record, or 404 until the match is finished. Records are immutable."""
        leg = leg_or_404(request, pk, number)

        def send() -> HttpResponse:
            if leg.record is None:
                raise NotFound(explain_missing_record(leg.match, _("This leg's record was lost.")))
            headers = {"Cache-Control": CACHE_FOREVER_HEADER}
            return HttpResponse(leg.record_json, content_type="application/json", headers=headers)

        return respond_unless_known(request, f"record-{leg.deal_hash}", send)

    @operation("matches_logs", "Show your bots' logs from a leg", [LogSerializer], paging=None)
    def list_logs(self, request: Request, pk: int, number: int) -> Response:
        """Return your bots' stderr output and faults from a leg."""
        require_user(request)
        seats = queries.list_seats([leg_or_404(request, pk, number)])
        own = [seat for seat in seats if is_owner(request, seat.participant.version.bot)]
        if not own:
            raise NotYours(message(gettext_noop("None of your bots played in this match.")))
        return Response(self.get_serializer(own, many=True).data)


# Download many records at once, as compressed JSON lines.

MAX_RECORDS_PER_EXPORT = 5_000
MAX_EXPORTS_AT_ONCE = 2
"""In one web process: each takes one of its threads."""
BUSY_RETRY_AFTER_S = 10
GZIP_WINDOW_BITS = 31
"""Makes zlib write the header and the checksum of gzip."""
COMPRESSION_LEVEL = 3
free_exports = threading.BoundedSemaphore(MAX_EXPORTS_AT_ONCE)


class ExportsPerHour(CountedRequests):
    """Allow as many exports per hour as the setting EXPORTS_PER_HOUR says, for each user, token or address."""

    def read_rate(self) -> str:
        """Return the limit and its unit."""
        return f"{settings.EXPORTS_PER_HOUR}/hour"

    def scope_of(self, request: Request) -> str:
        """Return the name under which exports are counted."""
        return "exports"


class ExportQuery(Serializer):
    """Which records to export, and from where."""

    bot = SlugField(required=False, help_text="Only matches of the bot with this slug.")
    opponent = SlugField(
        required=False, help_text="Only matches of `bot` against the bot with this slug. Requires `bot`."
    )
    game = SlugField(required=False, help_text="Only matches of the game with this key.")
    edition = SlugField(required=False, help_text="Only matches of the edition with this key.")
    result = ChoiceField(
        list(RESULTS), required=False, help_text="Only matches with this result for `bot`. Requires `bot`."
    )
    fault = ChoiceField(
        list(FAULTS), required=False, help_text="Only matches with this fault, or with any fault; by `bot` if given."
    )
    min_rating = IntegerField(
        required=False,
        help_text="Only rated matches in which no bot was rated lower than this beforehand; with `bot`, none of "
        "the other bots.",
    )
    max_rating = IntegerField(
        required=False,
        help_text="Only rated matches in which no bot was rated higher than this beforehand; with `bot`, none "
        "of the other bots.",
    )
    season = IntegerField(
        required=False, min_value=1, help_text="Only rated matches in this season. Requires `game` and `edition`."
    )
    clock = ChoiceField(
        Ladder.Clock.choices,
        required=False,
        help_text="Only matches of open ladders with this clock; `season` is then one of theirs.",
    )
    since = DateTimeField(required=False, help_text="Only matches that ended at or after this time.")
    until = DateTimeField(required=False, help_text="Only matches that ended before this time.")
    after = IntegerField(
        required=False,
        min_value=0,
        default=0,
        help_text="Of the matches that ended exactly at `since`, only those with a higher id. To get the rest, "
        "send the last line's `since` and `after`.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check that a season is named whole."""
        if "season" in attrs and not {"game", "edition"} <= attrs.keys():
            raise ValidationError({"season": [_("Specify the game and edition, too.")]})
        for name in ("opponent", "result"):
            if name in attrs and "bot" not in attrs:
                raise ValidationError({name: [_("Specify the bot, too.")]})
        return attrs


class RecordExport(Resource):
    """The records of many matches."""

    throttle_classes = [ExportsPerHour]

    @operation("records_export", "Download many matches' records", query=ExportQuery, responses=BINARY_RESPONSE)
    def export(self, request: Request) -> StreamingHttpResponse:
        """Return records as gzipped JSON lines, in the order in which the matches ended.

        Each line is `{"match", "leg", "finished_at", "record_hash", "record"}`. The last line is `{"end": true,
        "next"}`: without it, the file was cut off. `next` is null, or after 5,000 records has `since` and `after` for
        the next request. Matches whose deal is still in play elsewhere and removed records are left out.
        """
        query = self.query
        matches = self.select_matches(request, query)
        if not free_exports.acquire(blocking=False):
            raise Throttled(BUSY_RETRY_AFTER_S)
        lines = write_lines(matches, query.get("since"), query["after"], query.get("until"))
        headers = {"Content-Disposition": 'attachment; filename="records.jsonl.gz"', "Cache-Control": "no-store"}
        return StreamingHttpResponse(
            HeldStream(compress_lines(lines), free_exports.release), content_type=ARCHIVE_TYPE, headers=headers
        )

    def select_matches(self, request: Request, query: dict[str, Any]) -> QuerySet[Match]:
        """Return the matches that the reader may see and asked for. Raise NotFound."""
        matches: QuerySet[Match] = queries.list_visible_matches(request.user)
        if "season" in query:
            ladder = season_or_404(query["game"], query["edition"], query["season"], clock=query.get("clock", ""))
            matches = matches.filter(ladder_match__ladder=ladder)
        elif "game" in query or "edition" in query:
            filters = {name: query[name] for name in ("game", "edition") if name in query}
            check_edition(**filters)
            matches = matches.filter(**filters)
        if "clock" in query:
            matches = matches.filter(ladder_match__ladder__clock=query["clock"])
        for name in ("bot", "opponent"):
            if name in query:
                bot_or_404(request, query[name])
        matches = keep_rated_between(matches, query.get("min_rating"), query.get("max_rating"), query.get("bot", ""))
        chosen = {name: query[name] for name in ("bot", "opponent", "result", "fault") if name in query}
        filters = MatchFilter(chosen, matches, reader=request.user)
        if not filters.is_valid():
            raise ValidationError(filters.form.errors)
        found: QuerySet[Match] = filters.qs
        return found


def check_edition(game: str = "", edition: str = "") -> None:
    """Raise NotFound with those there are, unless there are such a game and edition; an empty key stands for any."""
    known = list_editions()
    if any(key == (game or key[0], edition or key[1]) for key in known):
        return
    asked = "/".join(filter(None, (game, edition)))
    listed = ", ".join("/".join(key) for key in known)
    raise NotFound(_("Edition %(asked)s doesn't exist. Choose one of: %(known)s.") % {"asked": asked, "known": listed})


def write_lines(
    matches: QuerySet[Match], since: datetime | None, after: int, until: datetime | None
) -> Iterator[bytes]:
    """Yield a line for each record, then the last one."""
    count = 0
    while ended := queries.list_ended_matches(matches, since, after, until):
        times = dict(ended)
        hidden = list_matches_with_deal_in_play(times)
        for leg in queries.list_legs_of([pk for pk in times if pk not in hidden]):
            count += 1
            head = {"match": leg.match_id, "leg": leg.number, "finished_at": times[leg.match_id].isoformat()}
            yield orjson.dumps(
                head | {"record_hash": leg.record_hash, "record": orjson.Fragment(leg.record_json)},
                option=orjson.OPT_APPEND_NEWLINE,
            )
        after, since = ended[-1]
        if count >= MAX_RECORDS_PER_EXPORT:
            yield orjson.dumps({"end": True, "next": {"since": since.isoformat(), "after": after}}) + b"\n"
            return
    yield b'{"end":true,"next":null}\n'


def compress_lines(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines compressed by gzip."""
    packer = zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, GZIP_WINDOW_BITS)
    for line in lines:
        if chunk := packer.compress(line):
            yield chunk
    yield packer.flush()
