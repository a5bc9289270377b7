"""Records of legs for everybody, logs of legs for the owners of the bots."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DictField, IntegerField, JSONField, Serializer

from arena.api.auth import is_owner, require_user
from arena.api.errors import require_row
from arena.api.etags import respond_unless_known
from arena.api.fields import ChoiceField, FaultField
from arena.api.frame import Resource
from arena.api.matches import VERDICTS
from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.errors import NotYours
from arena.matches.models import Leg
from arena.matches.queries.replays import find_finished_leg, list_seats
from arena.matches.retention import explain_missing_record
from arena.private_responses import forbid_caching
from engine.message import gettext_noop, message

CACHE_FOREVER_HEADER = "public, max-age=31536000, immutable"


class RecordSerializer(Serializer):
    """A record in the format arena-replay/1, from which a leg can be replayed: see the README for bots."""

    format = CharField(help_text="Name of the format.")
    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    options = DictField(help_text="All rule options in force.")
    changed_options = JSONField(
        required=False, help_text="Names of the options that differ from the edition's; absent if none does."
    )
    rules_version = IntegerField(help_text="Version of the rules.")
    arena = CharField(required=False, help_text="Version of the arena; absent in older records.")
    seats = JSONField(help_text="Name and version of the bot at each seat, or name and kind of a person.")
    deal = DictField(help_text="All chance of the leg.")
    salt = CharField(help_text="Salt of the deal's hash.")
    deal_hash = CharField(help_text="SHA-256 of the deal's canonical JSON and the salt.")
    actions = JSONField(help_text="All decisions in order.")
    result = DictField(help_text="How the leg ended.")


class LogSerializer(Serializer):
    """The log of one of your bots in a leg."""

    seat = IntegerField(help_text="Number of the seat, starting at 0.")
    participant = IntegerField(source="participant.index", help_text="Index of the participant.")
    bot = CharField(source="participant.version.bot.slug", help_text="Slug of the bot.")
    version = IntegerField(source="participant.version.number", help_text="Version number, starting at 1.")
    verdict = ChoiceField(VERDICTS, help_text="Verdict on the bot: ok, or its fault.")
    fault = FaultField(
        allow_null=True,
        help_text="Keys: message (what was wrong), sent, request, stderr (last line of the log); null without a fault.",
    )
    stderr = CharField(help_text="End of what the bot wrote to stderr; deleted after some weeks.")


def leg_or_404(request: Request, match: int, number: int) -> Leg:
    """Return a leg of a finished match. Raise NotFound, also while its deal is in play elsewhere."""
    leg = require_row(
        find_finished_leg(request.user, match, number, with_record=False),
        _("There is no finished leg of that number."),
    )
    if leg.match.group_id is not None:
        forbid_caching(request)
    if is_deal_in_play(leg.match):
        raise NotFound(_("Another match with the same deal is still being played: come back when it is over."))
    return leg


class Record(Resource):
    """The record of a leg."""

    serializer_class = RecordSerializer

    @extend_schema(operation_id="matches_record", summary="Download the record of a leg")
    def get(self, request: Request, pk: int, number: int) -> HttpResponseBase:
        """Return the record of a finished match; 404 before that. Records are immutable."""
        leg = leg_or_404(request, pk, number)
        return respond_unless_known(request, f"record-{leg.deal_hash}", lambda: self.send(leg))

    def send(self, leg: Leg) -> HttpResponse:
        """Return the record. Raise NotFound where it was lost or removed."""
        if leg.record is None:
            raise NotFound(explain_missing_record(leg.match, _("The record of this leg was lost.")))
        return HttpResponse(
            leg.record_json, content_type="application/json", headers={"Cache-Control": CACHE_FOREVER_HEADER}
        )


class Logs(Resource):
    """The logs of a leg."""

    serializer_class = LogSerializer
    pagination_class = None

    @extend_schema(
        operation_id="matches_logs",
        summary="Show the logs of your bots in a leg",
        responses=LogSerializer(many=True),
    )
    def get(self, request: Request, pk: int, number: int) -> Response:
        """Return what your bots wrote to stderr in a leg, and their faults."""
        require_user(request)
        seats = list_seats([leg_or_404(request, pk, number)])
        own = [seat for seat in seats if is_owner(request, seat.participant.version.bot)]
        if not own:
            raise NotYours(message(gettext_noop("None of your bots played in this match.")))
        return Response(self.get_serializer(own, many=True).data)
