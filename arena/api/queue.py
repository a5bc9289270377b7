"""What runs, what waits, and for how long."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import IntegerField, Serializer

from arena.api.examples import QUEUE, response_example
from arena.api.frame import Resource
from arena.api.matches import MatchSerializer, WaitingSerializer, add_parts
from arena.bots.models import Bot
from arena.matches.models import Match
from arena.matches.waiting import places_in_queue

SHOWN = 10


class WaitingMatchSerializer(Serializer):
    match = MatchSerializer()
    waiting = WaitingSerializer()


@response_example("One waits", QUEUE)
class QueueSerializer(Serializer):
    running = IntegerField(help_text="How many matches are played now.")
    waiting = IntegerField(help_text="How many are to be played.")
    own = WaitingMatchSerializer(
        many=True, help_text=f"Those of your bots that wait, in the order of the queue: at most {SHOWN}."
    )


class Queue(Resource):
    serializer_class = QueueSerializer
    pagination_class = None

    @extend_schema(operation_id="queue_retrieve", summary="The queue, and where yours stand in it")
    def get(self, request: Request) -> Response:
        own = find_own(request) if request.user.is_authenticated else []
        places = places_in_queue(own)
        return self.respond(
            {
                "running": Match.objects.running().count(),
                "waiting": Match.objects.queued().count(),
                "own": [{"match": match, "waiting": places[match.pk]} for match in own],
            }
        )


def find_own(request: Request) -> list[Match]:
    """Those of the asker's bots; with a token for one bot, those of that."""
    bots = Bot.objects.of(request.user)
    if request.auth is not None and request.auth.bot_id is not None:
        bots = bots.filter(pk=request.auth.bot_id)
    own = list(Match.objects.queued().with_player(version__bot__in=bots).lean()[:SHOWN])
    add_parts(own)
    return own
