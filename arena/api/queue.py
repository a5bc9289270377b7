"""The queue: how many matches are played and wait, and when yours are due."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import IntegerField, Serializer

from arena.api.auth import find_bot_of_token, is_signed_in
from arena.api.examples import EXAMPLE_QUEUE, response_example
from arena.api.frame import Resource
from arena.api.matches import MatchSerializer, WaitingSerializer, attach_parts
from arena.bots.queries.bots import list_own_bots
from arena.matches.models import Match
from arena.matches.queries.queue import count_queued_matches, count_running_matches, list_queued_matches_of_bots
from arena.matches.waiting import places_in_queue

MAX_OWN_MATCHES_LISTED = 10


class WaitingMatchSerializer(Serializer):
    """A match in the queue."""

    match = MatchSerializer()
    waiting = WaitingSerializer()


@response_example("One waits", EXAMPLE_QUEUE)
class QueueSerializer(Serializer):
    """The queue."""

    running = IntegerField(help_text="Number of matches that are being played.")
    waiting = IntegerField(help_text="Number of matches that wait.")
    own = WaitingMatchSerializer(
        many=True,
        help_text=f"Waiting matches of your bots in the order of the queue, at most {MAX_OWN_MATCHES_LISTED}.",
    )


class Queue(Resource):
    """The queue."""

    serializer_class = QueueSerializer
    pagination_class = None

    @extend_schema(operation_id="queue_retrieve", summary="Show the queue")
    def get(self, request: Request) -> Response:
        """Return the length of the queue, and the matches of your bots in it."""
        own = list_own_matches(request)
        places = places_in_queue(own)
        return self.respond(
            {
                "running": count_running_matches(),
                "waiting": count_queued_matches(),
                "own": [{"match": match, "waiting": places[match.pk]} for match in own],
            }
        )


def list_own_matches(request: Request) -> list[Match]:
    """List the waiting matches of the user's bots, or of the bot that the token is for."""
    if not is_signed_in(request.user):
        return []
    own = list_queued_matches_of_bots(list_own_bots(request.user, find_bot_of_token(request)), MAX_OWN_MATCHES_LISTED)
    attach_parts(own)
    return own
