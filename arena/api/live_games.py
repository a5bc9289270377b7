"""Live games: a person, or a client of one, plays against bots and people."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
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

from arena import tasks
from arena.api.auth import find_bot_of_token, is_signed_in, require_unrestricted_token
from arena.api.errors import require_row
from arena.api.examples import request_example, response_example
from arena.api.fields import ChoiceField, MessageText
from arena.api.frame import Resource, build_absolute_url
from arena.api.live_game_examples import EXAMPLE_LIVE_GAME, EXAMPLE_NEW_LIVE_GAME
from arena.api.records import RecordSerializer
from arena.api.references import HtmlUrlField, version_or_404
from arena.api.rules import NewOptionsField, SeriesSerializer
from arena.client_address import find_client_network
from arena.livegames.models import LiveGame, LiveSeat
from arena.livegames.players import Player
from arena.livegames.queries.games import find_live_game, list_sample_games
from arena.livegames.seat_view import read_seat_view
from arena.livegames.services.deciding import find_own_seat, resign, take_step, undo_step
from arena.livegames.services.starting import Person, SeatChoice, Sitting, start_live_game, swap_seats, take_seat
from arena.livegames.services.storing import list_seats

ME, LINK = Person.ME.value, Person.LINK.value


class LiveSeatSerializer(Serializer):
    """A seat of a live game."""

    seat = IntegerField(help_text="Number of the seat, starting at 0.")
    bot = CharField(
        source="version.bot.slug", default=None, allow_null=True, help_text="Slug of the bot; null for a person."
    )
    version = IntegerField(source="version.number", default=None, allow_null=True, help_text="Its version.")
    person = SerializerMethodField(help_text="User name of a person; null for bots, guests and free seats.")
    is_free = BooleanField(help_text="Whether the seat waits for somebody with its link.")
    place = IntegerField(allow_null=True, help_text="1 is first; null until the game is over.")
    score = FloatField(allow_null=True, help_text="Null until the game is over.")
    verdict = CharField(help_text="Verdict on a bot: ok, or its fault.")

    @extend_schema_field(CharField(allow_null=True))
    def get_person(self, seat: LiveSeat) -> str | None:
        """Return the name of the user who sits there."""
        return seat.user.username if seat.user else None


class LiveGameSerializer(Serializer):
    """A live game."""

    slug = CharField(help_text="Random part of its address.")
    html_url = HtmlUrlField()
    game = SlugField(help_text="Key of the game.")
    edition = SlugField(help_text="Key of the edition.")
    changed_options = JSONField(help_text="Rule options that differ from the edition's.")
    state = ChoiceField(LiveGame.State.choices, help_text="State of the game.")
    state_reason = MessageText(source="void_reason", help_text="Why there is no result; empty if there is one.")
    created_at = DateTimeField(help_text="When it began.")
    finished_at = DateTimeField(allow_null=True, help_text="When it ended.")
    has_hints = BooleanField(help_text="Whether you may ask for hints; such a game counts as practice.")
    seat_to_act = IntegerField(allow_null=True, help_text="Who is to decide; null when it is over.")
    reason = CharField(help_text="Why it ended, as in its record; empty before that.")
    seats = SerializerMethodField(help_text="Who sits where.")

    @extend_schema_field(LiveSeatSerializer(many=True))
    def get_seats(self, game: LiveGame) -> list[dict[str, Any]]:
        """Return the seats in order."""
        return list(LiveSeatSerializer(game.seats.all(), many=True).data)


@response_example("Your turn", EXAMPLE_LIVE_GAME)
class LiveGameDetailSerializer(LiveGameSerializer):
    """A live game as you see it: what your seat may see, or what everybody sees."""

    seat = IntegerField(allow_null=True, help_text="Your seat; null if you look on.")
    at = IntegerField(help_text="Number of decisions that you see; send it with your next action.")
    view = JSONField(allow_null=True, help_text="Your view, as bots get it; null if you look on.")
    events = ListField(child=JSONField(), help_text="Everything you were told since the deal, as bots get it.")
    legal = ListField(child=CharField(), help_text="Your legal actions; empty while another seat is to decide.")
    open = CharField(allow_null=True, help_text="Grammar of further actions; null where all are listed.")
    draft = ListField(child=CharField(), help_text="Your steps that can still be taken back, oldest first.")
    links = ListField(
        child=CharField(), help_text="Links to free seats, for whoever sits at the table. Each works once."
    )


@request_example("Against Heron, who moves second", EXAMPLE_NEW_LIVE_GAME)
class NewLiveGameSerializer(Serializer):
    """A live game to be started."""

    game = SlugField(help_text="Key of the game.")
    edition = SlugField(required=False, help_text="Key of the edition; the first one of the game if omitted.")
    options = NewOptionsField()
    seats = ListField(
        child=SlugField(),
        min_length=2,
        max_length=8,
        help_text='Who sits where, in order: "me" once, "link" for a person with a link, or the slug of a bot.',
    )
    series = SeriesSerializer(required=False, allow_null=True, help_text="Length of a series; null for a single game.")
    has_hints = BooleanField(
        required=False, help_text="Whether you may ask for hints, in a game against bots; it counts as practice then."
    )
    is_public = BooleanField(required=False, help_text="Whether the replay is listed once the game is over.")


class NewActionSerializer(Serializer):
    """An action in a live game."""

    action = CharField(max_length=1000, help_text="One of the legal actions, or another of the grammar.")
    at = IntegerField(
        min_value=0, help_text="`at` of the game as you saw it: an action that is sent twice counts once."
    )


class SeenSerializer(Serializer):
    """The point up to which a live game was seen."""

    at = IntegerField(min_value=0, help_text="`at` of the game as you saw it.")


class NothingSerializer(Serializer):
    """An empty body."""


class LiveGameResource(Resource):
    """A resource of one live game."""

    serializer_class: type[Serializer] | None = LiveGameDetailSerializer

    def find_game(self, slug: str) -> LiveGame:
        """Return the game. Raise NotFound."""
        return require_row(find_live_game(slug), _("There is no live game at this address."))

    def respond_game(self, request: Request, game: LiveGame, status: int = 200) -> Response:
        """Return the game as the reader sees it."""
        return Response(describe_game(request, game, self.get_serializer_context()), status=status)

    def respond_changed(self, request: Request, game: LiveGame, status: int | None = None) -> Response:
        """Have the bot decide whose turn it is now, if it is a bot's, and return the game.

        The status is 202 while a bot decides, unless it is given.
        """
        tasks.ask_bot(game)
        return self.respond_game(request, game, status or (200 if game.bot_to_act_id is None else 202))


class LiveGameList(LiveGameResource):
    """Your live games."""

    is_list = True
    permission_classes = [IsAuthenticated]
    serializer_class = NewLiveGameSerializer

    @extend_schema(
        operation_id="live_games_list", summary="List your live games", responses=LiveGameSerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        """List your live games, newest first."""
        return self.respond_page(list_sample_games(read_player(request)), LiveGameSerializer)

    @extend_schema(
        operation_id="live_games_create", summary="Start a live game", responses={201: LiveGameDetailSerializer}
    )
    def post(self, request: Request) -> Response:
        """Start a live game against bots, or against people with a link. It is unrated."""
        player, sent = read_player(request), self.read_data()
        sitting = Sitting(
            game=sent["game"],
            seats=[read_seat(request, word) for word in sent["seats"]],
            edition=sent.get("edition", ""),
            options=sent.get("options"),
            series=sent.get("series"),
            is_public=sent.get("is_public", False),
            has_hints=sent.get("has_hints", False),
        )
        game = start_live_game(player=player, sitting=sitting, address=find_client_network(request))
        return self.respond_changed(request, game, 201)


class LiveGameDetail(LiveGameResource):
    """One live game."""

    @extend_schema(operation_id="live_games_retrieve", summary="Show a live game")
    def get(self, request: Request, slug: str) -> Response:
        """Show a live game as your seat sees it. Ask again while a bot decides; an unchanged game is a 304."""
        return self.respond_game(request, self.find_game(slug))


class LiveGameActions(LiveGameResource):
    """Actions in a live game."""

    @extend_schema(
        operation_id="live_games_act",
        summary="Take a step in a live game",
        request=NewActionSerializer,
        responses={200: LiveGameDetailSerializer, 202: LiveGameDetailSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Take a step. 202 says that a bot is to decide now: ask for the game again in a moment."""
        player, sent = read_player(request), self.read_data(NewActionSerializer)
        game = take_step(game=self.find_game(slug), player=player, action=sent["action"], at=sent["at"])
        return self.respond_changed(request, game)


class LiveGameUndo(LiveGameResource):
    """Taking back a step."""

    @extend_schema(
        operation_id="live_games_undo",
        summary="Take back a step",
        request=SeenSerializer,
        responses={200: LiveGameDetailSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Take back your last step, if it has shown you nothing and is nobody else's turn."""
        player, sent = read_player(request), self.read_data(SeenSerializer)
        return self.respond_game(request, undo_step(game=self.find_game(slug), player=player, at=sent["at"]))


class LiveGameResign(LiveGameResource):
    """Leaving a live game."""

    @extend_schema(
        operation_id="live_games_resign",
        summary="Resign a live game",
        request=NothingSerializer,
        responses={200: LiveGameDetailSerializer, 204: None},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Resign. A game that nobody has joined yet is removed."""
        game = resign(game=self.find_game(slug), player=read_player(request))
        if game.pk is None:
            return Response(status=204)
        return self.respond_changed(request, game)


class LiveGameSwap(LiveGameResource):
    """The same deal with swapped seats."""

    @extend_schema(
        operation_id="live_games_swap",
        summary="Play the same deal with swapped seats",
        request=NothingSerializer,
        responses={201: LiveGameDetailSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a game with the deal of one of yours that is over, and every seat moved on by one."""
        game = swap_seats(game=self.find_game(slug), player=read_player(request), address=find_client_network(request))
        return self.respond_changed(request, game, 201)


class LiveGameSeat(LiveGameResource):
    """A free seat of a live game."""

    @extend_schema(
        operation_id="live_games_join",
        summary="Take the seat of a link",
        request=NothingSerializer,
        responses={200: LiveGameDetailSerializer},
    )
    def post(self, request: Request, link: str) -> Response:
        """Take the free seat that the link is for. A link works once."""
        game = take_seat(link=link, player=read_player(request))
        return self.respond_changed(request, game, 200)


class LiveGameRecord(LiveGameResource):
    """The record of a live game."""

    serializer_class = RecordSerializer

    @extend_schema(operation_id="live_games_record", summary="Download the record of a live game")
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Return the record of a finished game; 404 before that."""
        game = self.find_game(slug)
        if game.record is None:
            raise NotFound(_("This game is not over, so it has no record yet."))
        return HttpResponse(game.record_json, content_type="application/json")


def read_player(request: Request) -> Player:
    """Return the player who asks. Raise NotAuthenticated, or NotYours for a token for one bot, which can't play."""
    return Player(require_unrestricted_token(request))


def read_onlooker(request: Request) -> Player:
    """Return the player who reads; the public and a token for one bot look on."""
    if is_signed_in(request.user) and find_bot_of_token(request) is None:
        return Player(request.user)
    return Player()


def read_seat(request: Request, word: str) -> SeatChoice:
    """Return who is to sit there. Raise NotFound."""
    return Person(word) if word in (ME, LINK) else version_or_404(request, {"bot": word})


def describe_game(request: Request, game: LiveGame, context: dict[str, Any]) -> dict[str, Any]:
    """Return a live game as the reader sees it."""
    seats = list_seats(game)
    own = find_own_seat(seats, read_onlooker(request))
    described: dict[str, Any] = dict(LiveGameSerializer(game, context=context).data)
    described |= {"seat": own.seat if own else None, "at": 0, "view": None, "events": [], "legal": [], "open": None}
    described |= {"draft": [], "links": []}
    if game.state == LiveGame.State.SEATING:
        free = [seat.link for seat in seats if own and seat.link]
        described["links"] = [build_absolute_url(request, f"/play/seats/{link}/") for link in free]
    else:
        seen = read_seat_view(game, seats, own)
        described |= {name: getattr(seen, name) for name in seen.__slots__}
    return described
