"""What stays of the legs of a match: the record for everybody, logs for whom they are of."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated, NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, ChoiceField, DictField, IntegerField, JSONField, Serializer

from arena.api.auth import is_owner
from arena.api.errors import find
from arena.api.etags import respond_unless_known
from arena.api.fields import FaultField
from arena.api.frame import Resource
from arena.comparisons.shared_deals import is_deal_in_play
from arena.errors import NotYours
from arena.matches.models import Leg, LegSeat, Match
from arena.runner.verdict import Verdict

FOREVER = "public, max-age=31536000, immutable"


class RecordSerializer(Serializer):
    """A record as it is played again: see the README for bots. Its fields are those of format arena-replay/1."""

    format = CharField()
    game = CharField()
    edition = CharField()
    options = DictField()
    rules_version = IntegerField()
    seats = JSONField(help_text="Name and version of the bot at each seat.")
    deal = DictField(help_text="All chance of the leg.")
    salt = CharField()
    deal_hash = CharField(help_text="SHA-256 of the deal's canonical JSON and the salt.")
    actions = JSONField(help_text="Every decision, in order.")
    result = DictField()


class LogSerializer(Serializer):
    """How a leg went for one of the asker's bots."""

    seat = IntegerField()
    participant = IntegerField(source="participant.index")
    bot = CharField(source="participant.version.bot.slug")
    version = IntegerField(source="participant.version.number")
    verdict = ChoiceField([(verdict.value, verdict.value) for verdict in Verdict])
    fault = FaultField(
        allow_null=True,
        help_text="Keys: message (what was wrong), sent, request, stderr (the last line of the log).",
    )
    stderr = CharField(help_text="The end of what it wrote there; empty after some weeks.")


def find_leg(match: int, number: int) -> Leg:
    """A leg of a finished match: of others nothing is told. Raises NotFound."""
    legs = Leg.objects.filter(match__state=Match.State.FINISHED).select_related("match").defer("record", "match__deal")
    leg = find(legs, "There is no finished leg of that number.", match=match, number=number)
    if is_deal_in_play(leg.match):
        raise NotFound("Another match with the same deal is still played: come back when it is over.")
    return leg


class Record(Resource):
    """It never changes. Of a match that is not finished there is none."""

    serializer_class = RecordSerializer

    @extend_schema(operation_id="matches_record", summary="The record of a leg")
    def get(self, request: Request, pk: int, number: int) -> HttpResponse:
        leg = find_leg(pk, number)
        return respond_unless_known(request, f"record-{leg.deal_hash}", lambda: self.send(leg))

    def send(self, leg: Leg) -> HttpResponse:
        if leg.record is None:
            raise NotFound("The record of this leg was lost.")
        return HttpResponse(leg.record_json, content_type="application/json", headers={"Cache-Control": FOREVER})


class Logs(Resource):
    serializer_class = LogSerializer
    pagination_class = None

    @extend_schema(
        operation_id="matches_logs",
        summary="What your bots wrote to stderr in a leg, and where they failed",
        responses=LogSerializer(many=True),
    )
    def get(self, request: Request, pk: int, number: int) -> Response:
        if not request.user.is_authenticated:
            raise NotAuthenticated
        leg = find_leg(pk, number)
        seats = LegSeat.objects.filter(leg=leg).select_related("participant__version__bot").order_by("seat")
        seats = seats.defer("participant__version__build_log")
        own = [seat for seat in seats if is_owner(request, seat.participant.version.bot)]
        if not own:
            raise NotYours("None of your bots played in this match.")
        return Response(self.get_serializer(own, many=True).data)
