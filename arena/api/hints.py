"""Hints in live games against bots: ask for one, and read it."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, FloatField, IntegerField, Serializer, SerializerMethodField

from arena import tasks
from arena.api.examples import response_example
from arena.api.fields import ChoiceField
from arena.api.live_game_examples import EXAMPLE_HINT
from arena.api.live_games import LiveGameResource, SeenSerializer, read_player
from arena.livegames.errors import NotSeated
from arena.livegames.models import LiveGame, LiveHint, LiveSeat
from arena.livegames.players import Player
from arena.livegames.queries.hints import find_hint_asked
from arena.livegames.services.deciding import NO_SEAT, find_own_seat
from arena.livegames.services.hinting import request_hint
from arena.livegames.services.storing import list_seats
from engine.message import message


class HintedActionSerializer(Serializer):
    """An action that a hint names."""

    action = CharField(help_text="A legal action.")
    chance = FloatField(help_text="Your chance to win after it, from 0 to 1, as your seat can know it.")


@response_example("A hint", EXAMPLE_HINT)
class HintSerializer(Serializer):
    """A hint at the decision that you are to make."""

    at = SerializerMethodField(help_text="Number of decisions that you saw when you asked.")
    state = ChoiceField(LiveHint.State.choices, help_text="State of the hint.")
    choices = SerializerMethodField(help_text="The best action and the second best; empty until it is done.")

    @extend_schema_field(IntegerField())
    def get_at(self, hint: LiveHint) -> int:
        """Return the number of decisions before it, the draft included."""
        return hint.number + len(hint.draft)

    @extend_schema_field(HintedActionSerializer(many=True))
    def get_choices(self, hint: LiveHint) -> list[dict[str, Any]]:
        """Return the actions, the best first."""
        return hint.result or []


class LiveGameHint(LiveGameResource):
    """A hint in a live game."""

    permission_classes = [IsAuthenticated]
    serializer_class = HintSerializer

    @extend_schema(operation_id="live_games_hint", summary="Show the hint at your decision")
    def get(self, request: Request, slug: str) -> Response:
        """Return the hint that you have asked for at the decision that you are to make; 404 if there is none."""
        game, player = self.find_game(slug), read_player(request)
        hint = find_hint_asked(game, require_seat(game, player))
        if hint is None:
            raise NotFound(_("You have asked for no hint at this decision: send a POST request to this address."))
        return self.respond(hint)

    @extend_schema(
        operation_id="live_games_hint_request",
        summary="Ask for a hint",
        request=SeenSerializer,
        responses={200: HintSerializer, 202: HintSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Ask for the best action by the value function, from what your seat can know.

        The answer is 202 while it is computed: ask for it again in a second. Only games that were started with
        `has_hints` have hints.
        """
        game, player = self.find_game(slug), read_player(request)
        require_seat(game, player)
        hint = request_hint(game=game, player=player, at=self.read_data(SeenSerializer)["at"])
        tasks.ask_hint(hint)
        return self.respond(hint, status=202 if hint.is_pending else 200)


def require_seat(game: LiveGame, player: Player) -> LiveSeat:
    """Return the seat of a player. Raise NotSeated."""
    own = find_own_seat(list_seats(game), player)
    if own is None:
        raise NotSeated(message(NO_SEAT))
    return own
