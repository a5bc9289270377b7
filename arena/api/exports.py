"""Download many records at once, as compressed JSON lines."""

import threading
import zlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import orjson
from django.conf import settings
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound, Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.serializers import DateTimeField, IntegerField, Serializer, SlugField

from arena.api.auth import bot_or_404
from arena.api.frame import ARCHIVE_TYPE, Resource
from arena.api.seasons import season_or_404
from arena.api.throttles import CountedRequests
from arena.comparisons.queries.shared_deals import list_matches_with_deal_in_play
from arena.held_streams import HeldStream
from arena.ladders.queries.ladders import list_editions
from arena.matches.models import Match
from arena.matches.queries.export import keep_matches_of, list_ended_matches, list_legs_of
from arena.matches.queries.lists import list_visible_matches

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
    """Which records are exported, and from where."""

    bot = SlugField(required=False, help_text="Only matches of the bot with this slug.")
    game = SlugField(required=False, help_text="Only matches of the game with this key.")
    edition = SlugField(required=False, help_text="Only matches of the edition with this key.")
    season = IntegerField(
        required=False, min_value=1, help_text="Only rated matches of this season; needs `game` and `edition`."
    )
    since = DateTimeField(required=False, help_text="Only matches that ended then or later.")
    until = DateTimeField(required=False, help_text="Only matches that ended before.")
    after = IntegerField(
        required=False,
        min_value=0,
        default=0,
        help_text="Of the matches that ended exactly at `since`, only those with a higher id. `since` and `after` of "
        "the last line lead to the rest.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check that a season is named whole."""
        if "season" in attrs and not {"game", "edition"} <= attrs.keys():
            raise ValidationError({"season": [_("Say of which game and edition.")]})
        return attrs


class RecordExport(Resource):
    """The records of many matches."""

    query_class = ExportQuery
    throttle_classes = [ExportsPerHour]

    @extend_schema(
        operation_id="records_export",
        summary="Download the records of many matches",
        parameters=[ExportQuery],
        responses={(200, ARCHIVE_TYPE): OpenApiTypes.BINARY},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """Return JSON lines, compressed by gzip, in the order in which matches ended.

        A line is `{"match", "leg", "finished_at", "record_hash", "record"}`. The last one is `{"end": true, "next"}`: a
        file without it is cut off. `next` is null, or has `since` and `after` for the next request, after 5,000
        records. Left out are matches whose deal is still in play elsewhere, and records that were removed.
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
        matches: QuerySet[Match] = list_visible_matches(request.user)
        if "season" in query:
            ladder = season_or_404(query["game"], query["edition"], query["season"])
            matches = matches.filter(ladder_match__ladder=ladder)
        elif "game" in query or "edition" in query:
            filters = {name: query[name] for name in ("game", "edition") if name in query}
            check_edition(**filters)
            matches = matches.filter(**filters)
        if "bot" in query:
            matches = keep_matches_of(matches, bot_or_404(request, query["bot"]))
        return matches


def check_edition(game: str = "", edition: str = "") -> None:
    """Raise NotFound with those there are, unless there are such a game and edition; an empty key stands for any."""
    known = list_editions()
    if any(key == (game or key[0], edition or key[1]) for key in known):
        return
    asked = "/".join(filter(None, (game, edition)))
    listed = ", ".join("/".join(key) for key in known)
    raise NotFound(_("There is no edition %(asked)s. There are: %(known)s.") % {"asked": asked, "known": listed})


def write_lines(
    matches: QuerySet[Match], since: datetime | None, after: int, until: datetime | None
) -> Iterator[bytes]:
    """Yield a line for each record, then the last one."""
    count = 0
    while ended := list_ended_matches(matches, since, after, until):
        times = dict(ended)
        hidden = list_matches_with_deal_in_play(times)
        for leg in list_legs_of([pk for pk in times if pk not in hidden]):
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
