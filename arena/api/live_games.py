"""Live games: a person, or a client of one, plays against bots and people, with hints and analyses."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
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
    URLField,
)

from arena.api.frame import (
    ChoiceField,
    HtmlUrlField,
    MessageText,
    NewOptionsField,
    Resource,
    SeriesSerializer,
    build_absolute_url,
    operation,
    version_or_404,
)
from arena.api.matches import RecordSerializer, leg_or_404
from arena.api.requests import find_bot_of_token, is_signed_in, own_bot_or_404, require_row, require_unrestricted_token
from arena.contests.analysis.models import LegAnalysis
from arena.contests.analysis.queries import Subject, count_ahead, estimate_seconds, find_analyses
from arena.contests.analysis.services import (
    request_analyses_of_losses,
    request_analysis,
    request_live_analysis,
)
from arena.contests.ladders.queries import fetch_ratings_of_versions
from arena.core.http import find_client_network
from arena.core.messages import gettext as _
from arena.matches.livegames import playing
from arena.matches.livegames.models import LiveGame, LiveHint, LiveSeat
from arena.matches.livegames.playing import NO_SEAT, PersonSeat, SeatChoice, Sitting
from arena.matches.livegames.position import LivePlayer, LiveTable, NotSeated, list_seats
from arena.matches.livegames.queries import (
    find_hint_asked,
    find_live_game,
    is_live_deal_in_play,
    list_opponents,
    list_sample_games,
)
from arena.matches.queries import fetch_record
from engine.analysis.grading import JUDGEMENTS
from engine.analysis.leg import COARSE, FULL
from engine.core import PUBLIC_ONLOOKER
from engine.message import message
from engine.registry import GAMES, find_game

# Live games: a person, or a client of one, plays against bots and people.

ME, LINK = PersonSeat.ME.value, PersonSeat.LINK.value


class LiveSeatSerializer(Serializer):
    """A live game's seat."""

    seat = IntegerField(help_text="Seat number, starting at 0.")
    bot = CharField(
        source="version.bot.slug", default=None, allow_null=True, help_text="The bot's slug; null for a person."
    )
    version = IntegerField(source="version.number", default=None, allow_null=True, help_text="The bot's version.")
    person = CharField(
        source="user.username",
        read_only=True,
        allow_null=True,
        help_text="The person's username; null for bots, guests and open seats.",
    )
    is_free = BooleanField(help_text="Whether the seat is open for a person with its link.")
    place = IntegerField(allow_null=True, help_text="Place, where 1 is first; null until the game has ended.")
    score = FloatField(allow_null=True, help_text="Score; null until the game has ended.")
    verdict = CharField(help_text="Verdict on a bot: ok, or its fault.")


class LiveGameSerializer(Serializer):
    """A live game."""

    slug = CharField(help_text="Random part of the game's address.")
    html_url = HtmlUrlField()
    game = SlugField(help_text="Key of the game.")
    edition = SlugField(help_text="Key of the edition.")
    changed_options = JSONField(help_text="Rule options that differ from the edition's.")
    state = ChoiceField(LiveGame.State.choices, help_text="The game's state.")
    state_reason = MessageText(source="void_reason", help_text="Why it has no result; empty otherwise.")
    created_at = DateTimeField(help_text="When it began.")
    finished_at = DateTimeField(allow_null=True, help_text="When it ended.")
    has_hints = BooleanField(help_text="Whether you can ask for hints. A game with hints is practice.")
    seat_to_act = IntegerField(allow_null=True, help_text="Seat that decides next; null after the game.")
    reason = CharField(help_text="Why it ended, as in its record; empty before.")
    seats = LiveSeatSerializer(many=True, read_only=True, help_text="The seats.")


class LiveGameDetailSerializer(LiveGameSerializer):
    """A live game as you see it: your seat's view, or the public view."""

    seat = IntegerField(allow_null=True, help_text="Your seat; null if you're watching.")
    at = IntegerField(help_text="Number of decisions you've seen; send it with your next action.")
    view = JSONField(allow_null=True, help_text="Your view, as bots get it; null if you're watching.")
    events = ListField(child=JSONField(), help_text="All your events since the deal, as bots get them.")
    legal = ListField(child=CharField(), help_text="Your legal actions; empty while another seat decides.")
    open = CharField(allow_null=True, help_text="Grammar of further actions; null if all are listed.")
    draft = ListField(child=CharField(), help_text="Your actions that you can still undo, oldest first.")
    links = ListField(child=CharField(), help_text="Links to open seats, for players at the table. Each works once.")


class NewLiveGameSerializer(Serializer):
    """A live game to start."""

    game = SlugField(help_text="Key of the game.")
    edition = SlugField(required=False, help_text="Key of the edition. Defaults to the game's first edition.")
    options = NewOptionsField()
    seats = ListField(
        child=SlugField(),
        min_length=2,
        max_length=8,
        help_text='The seats, in order: "me" (once), "link" for a person with a link, or the slug of a bot.',
    )
    series = SeriesSerializer(
        required=False, allow_null=True, help_text="Length of a series. Defaults to null: a single game."
    )
    has_hints = BooleanField(
        required=False,
        help_text="Whether you can ask for hints, in a game against bots. A game with hints is practice.",
    )
    is_public = BooleanField(required=False, help_text="Whether to list the replay publicly after the game.")


class NewActionSerializer(Serializer):
    """An action in a live game."""

    action = CharField(
        max_length=1000, help_text="One of the legal actions, or another action that matches the grammar."
    )
    at = IntegerField(
        min_value=0, help_text="The game's `at` as you last saw it, so that an action sent twice counts only once."
    )


class OpponentQuery(Serializer):
    """Whose opponents to list."""

    game = ChoiceField(list(GAMES), help_text="Key of the game.")
    edition = SlugField(
        required=False, help_text="Key of the edition that ratings are for. Defaults to the game's first edition."
    )


class OpponentSerializer(Serializer):
    """A bot that you can play against."""

    bot = CharField(source="bot.slug", help_text="The bot's slug, for `seats`.")
    name = CharField(source="bot.name", help_text="The bot's name.")
    version = IntegerField(source="number", help_text="The version that plays: the newest accepted one.")
    is_sample = BooleanField(source="bot.owner.is_house", help_text="Whether it's one of the arena's sample bots.")
    playing_style = CharField(source="bot.style", help_text="How it plays, in its authors' words; may be empty.")
    rating = FloatField(allow_null=True, help_text="Its rating on the edition's ladder; null if it isn't on it.")


class SeenSerializer(Serializer):
    """How much of a live game you've seen."""

    at = IntegerField(min_value=0, help_text="The game's `at` as you last saw it.")


class LiveGames(Resource):
    """Live games."""

    def find_game(self, slug: str) -> LiveGame:
        """Return the game. Raise NotFound."""
        return require_row(find_live_game(slug), _("There's no live game at this address."))

    def read_table(self, game: LiveGame) -> LiveTable:
        """Return the table as the reader sees it."""
        return playing.read_live_table(game, read_onlooker(self.request))

    def respond_table(self, table: LiveTable, status: int = 200) -> Response:
        """Return the game as the reader of the table sees it."""
        playing.see_end(game=table.game, own=table.own)
        return Response(describe_table(table, self.get_serializer_context()), status=status)

    def respond_changed(self, table: LiveTable, status: int | None = None) -> Response:
        """Return a game that has changed: the status is 202 while a bot decides, unless it is given."""
        return self.respond_table(table, status or (200 if table.game.bot_to_act_id is None else 202))

    @operation("live_games_retrieve", "Show a live game", LiveGameDetailSerializer)
    def show(self, request: Request, slug: str) -> Response:
        """Return a live game as your seat sees it. Poll while a bot decides; the status is 304 if nothing changed."""
        return self.respond_table(self.read_table(self.find_game(slug)))

    @operation(
        "live_games_act",
        "Play an action in a live game",
        LiveGameDetailSerializer,
        status=(200, 202),
        reads=NewActionSerializer,
    )
    def act(self, request: Request, slug: str) -> Response:
        """Play an action. If a bot decides next, the status is 202: poll the game."""
        player, sent = read_player(request), self.read_data()
        with naming_missing_game():
            table = playing.take_step(slug=slug, player=player, **sent)
        return self.respond_changed(table)

    @operation("live_games_undo", "Undo an action", LiveGameDetailSerializer, reads=SeenSerializer)
    def undo(self, request: Request, slug: str) -> Response:
        """Undo your last action, if it showed you nothing new and it's still your turn."""
        player, sent = read_player(request), self.read_data()
        with naming_missing_game():
            table = playing.undo_step(slug=slug, player=player, **sent)
        return self.respond_table(table)

    @operation("live_games_resign", "Resign from a live game", responses={200: LiveGameDetailSerializer, 204: None})
    def resign(self, request: Request, slug: str) -> Response:
        """Resign from a live game. A game that no one has joined is deleted."""
        table = playing.resign(game=self.find_game(slug), player=read_player(request))
        return Response(status=204) if table.game.pk is None else self.respond_changed(table)

    @operation("live_games_swap", "Play the same deal with swapped seats", LiveGameDetailSerializer, status=201)
    def swap(self, request: Request, slug: str) -> Response:
        """Start a game with the same deal as one of your finished games, with all seats shifted by one."""
        game = playing.swap_seats(
            game=self.find_game(slug), player=read_player(request), address=find_client_network(request)
        )
        return self.respond_changed(self.read_table(game), 201)

    @operation("live_games_rematch", "Start a rematch", LiveGameDetailSerializer, status=201)
    def rematch(self, request: Request, slug: str) -> Response:
        """Start a rematch of one of your games that has a result, with a new deal and all seats shifted by one.

        If a rematch exists, it's returned. A series can have a rematch only once it's finished.
        """
        game = playing.rematch(
            game=self.find_game(slug), player=read_player(request), address=find_client_network(request)
        )
        return self.respond_changed(self.read_table(game), 201)

    @operation("live_games_join", "Take an open seat", LiveGameDetailSerializer)
    def join(self, request: Request, link: str) -> Response:
        """Take the open seat that the link is for. Each link works once."""
        game = playing.take_seat(link=link, player=read_player(request))
        return self.respond_changed(self.read_table(game), 200)

    @operation("live_games_record", "Download a live game's record", RecordSerializer)
    def show_record(self, request: Request, slug: str) -> HttpResponse:
        """Return a finished game's record, or 404 before it ends or while its deal is played with swapped seats."""
        game = self.find_game(slug)
        if game.record is None:
            raise NotFound(_("This game isn't finished, so it has no record yet."))
        refuse_deal_in_play(game)
        return HttpResponse(game.record_json, content_type="application/json")


def refuse_deal_in_play(game: LiveGame) -> None:
    """Raise NotFound while the deal of a game is played with other seats."""
    if is_live_deal_in_play(game):
        raise NotFound(
            _("This game's deal is being played again with swapped seats. Come back when that game is finished.")
        )


@contextmanager
def naming_missing_game() -> Iterator[None]:
    """Raise NotFound where a game doesn't exist."""
    try:
        yield
    except LiveGame.DoesNotExist:
        raise NotFound(_("There's no live game at this address.")) from None


def read_player(request: Request) -> LivePlayer:
    """Return the player who asks. Raise NotAuthenticated, or NotYours for a token for one bot, which can't play."""
    return LivePlayer(require_unrestricted_token(request))


def read_onlooker(request: Request) -> LivePlayer:
    """Return the player who reads; the public and a token for one bot look on."""
    if is_signed_in(request.user) and find_bot_of_token(request) is None:
        return LivePlayer(request.user)
    return LivePlayer()


def read_seat(request: Request, word: str) -> SeatChoice:
    """Return who is to sit there. Raise NotFound."""
    return PersonSeat(word) if word in (ME, LINK) else version_or_404(request, {"bot": word})


def describe_table(table: LiveTable, context: dict[str, Any]) -> dict[str, Any]:
    """Return a live game as the reader of its table sees it."""
    game, own = table.game, table.own
    described: dict[str, Any] = dict(LiveGameSerializer(game, context=context).data)
    described |= {"seat": own.seat if own else None, "at": 0, "view": None, "events": [], "legal": [], "open": None}
    described |= {"draft": [], "links": []}
    if game.state == LiveGame.State.SEATING:
        free = [seat.link for seat in table.seats if own and seat.link]
        described["links"] = [build_absolute_url(context["request"], f"/play/seats/{link}/") for link in free]
        return described
    state = table.state
    is_own_turn = own is not None and state.to_act == own.seat
    return described | {
        "at": len(table.entries),
        "view": state.view(own.seat) if own else None,
        "events": state.events(own.seat if own else PUBLIC_ONLOOKER),
        "legal": list(state.actions()) if is_own_turn else [],
        "open": state.open_grammar if is_own_turn else None,
        "draft": [entry["action"] for entry in table.draft],
    }


# Hints in live games against bots: ask for one, and read it.


class HintedActionSerializer(Serializer):
    """An action suggested by a hint."""

    action = CharField(help_text="A legal action.")
    chance = FloatField(help_text="Your chance of winning after it, from 0 to 1, from what your seat can know.")


class HintSerializer(Serializer):
    """A hint for your current decision."""

    at = SerializerMethodField(help_text="Number of decisions you had seen when you asked.")
    state = ChoiceField(LiveHint.State.choices, help_text="The hint's state.")
    choices = SerializerMethodField(help_text="The best and second-best action; empty until done.")

    @extend_schema_field(IntegerField())
    def get_at(self, hint: LiveHint) -> int:
        """Return the number of decisions before it, the draft included."""
        return hint.number + len(hint.draft)

    @extend_schema_field(HintedActionSerializer(many=True))
    def get_choices(self, hint: LiveHint) -> list[dict[str, Any]]:
        """Return the actions, the best first."""
        return hint.result or []


class OwnLiveGames(LiveGames):
    """Your live games, and hints in them."""

    permission_classes = [IsAuthenticated]

    @operation("live_games_list", "List your live games", [LiveGameSerializer])
    def list(self, request: Request) -> Response:
        """List your live games, newest first."""
        return self.respond_page(list_sample_games(read_player(request)))

    @operation(
        "live_games_create", "Start a live game", LiveGameDetailSerializer, status=201, reads=NewLiveGameSerializer
    )
    def create(self, request: Request) -> Response:
        """Start an unrated live game against bots, or against people you send a link to."""
        player, sent = read_player(request), self.read_data()
        sent["seats"] = [read_seat(request, word) for word in sent["seats"]]
        game = playing.start_live_game(player=player, sitting=Sitting(**sent), address=find_client_network(request))
        return self.respond_changed(self.read_table(game), 201)

    @operation("live_games_opponents", "List your opponents", [OpponentSerializer], query=OpponentQuery)
    def list_opponents(self, request: Request) -> Response:
        """List the bots that you can play against."""
        player, game, edition = read_player(request), self.query["game"], self.query.get("edition")

        def attach_ratings(shown: Sequence[Any]) -> None:
            chosen = edition or next(iter(find_game(game).editions))
            ratings = fetch_ratings_of_versions([version.pk for version in shown], game, chosen)
            for version in shown:
                version.rating = ratings.get(version.pk)

        return self.respond_page(list_opponents(player, game), ("pk",), attach_ratings)

    @operation("live_games_hint", "Show the hint for your decision", HintSerializer)
    def show_hint(self, request: Request, slug: str) -> Response:
        """Return the hint you requested for your current decision, or 404 if there isn't one."""
        game, player = self.find_game(slug), read_player(request)
        hint = find_hint_asked(game, require_seat(game, player))
        if hint is None:
            raise NotFound(_("You haven't requested a hint for this decision: send a POST request to this address."))
        return self.respond(hint)

    @operation("live_games_hint_request", "Ask for a hint", HintSerializer, status=(200, 202), reads=SeenSerializer)
    def ask_for_hint(self, request: Request, slug: str) -> Response:
        """Request the best action according to the value function, based on what your seat can know.

        The status is 202 while the hint is being computed: ask again after a second. Only games started with
        `has_hints` have hints.
        """
        game, player = self.find_game(slug), read_player(request)
        require_seat(game, player)
        hint = playing.request_hint(game=game, player=player, **self.read_data())
        return self.respond(hint, 202 if hint.is_pending else 200)


def require_seat(game: LiveGame, player: LivePlayer) -> LiveSeat:
    """Return the seat of a player. Raise NotSeated."""
    own = playing.find_own_seat(list_seats(game), player)
    if own is None:
        raise NotSeated(message(NO_SEAT))
    return own


# Analyses of legs and live games: request one, follow its progress, and read it.

JUDGEMENT_NAMES = [name for _least, name in JUDGEMENTS]


class FunctionSerializer(Serializer):
    """An analysis's value function."""

    version = CharField(source="function_version", help_text="Version of the value function.")
    hash = CharField(source="function_hash", help_text="SHA-256 of its weights.")


class SeatBalanceSerializer(Serializer):
    """A seat's luck and skill, which add up to its result minus its chance at the start."""

    start = FloatField(help_text="Chance of winning before the first move, from 0 to 1.")
    result = FloatField(help_text="1 for a win, 0.5 for a draw, 0 for a loss.")
    luck = FloatField(help_text="Sum of the luck of both seats' draws, as this seat's chance of winning.")
    skill = FloatField(help_text="Result minus start and luck.")
    accuracy = FloatField(allow_null=True, help_text="Accuracy of its decisions, as a percentage; null without any.")
    given_away = FloatField(help_text="Total chance of winning that its decisions lost.")
    decisions = IntegerField(help_text="Number of its graded decisions.")
    draws = IntegerField(help_text="Number of its own draws.")
    draw_luck = FloatField(help_text="Total luck of its own draws.")
    draw_luck_squares = FloatField(help_text="Sum of the squared luck of its own draws.")


class KnownChancesSerializer(Serializer):
    """Both seats' chances, as each could know them."""

    number = IntegerField(help_text="Index in the record of the action they follow.")
    chances = ListField(child=FloatField(), help_text="Chance of winning, by seat.")


class DecisionSerializer(Serializer):
    """A graded decision. Claims aren't graded unless one provably gives something away."""

    number = IntegerField(help_text="Index of the action in the record.")
    seat = IntegerField(help_text="Seat that decided.")
    action = CharField(help_text="Action that was played.")
    chance = FloatField(help_text="Mean chance of winning after it, over redeals of what the seat couldn't know.")
    best_chance = FloatField(help_text="The same after the best action.")
    loss = FloatField(help_text="Chance of winning that it lost; 0 within two standard errors.")
    standard_error = FloatField(help_text="Standard error of the difference between the two.")
    judgement = ChoiceField(
        JUDGEMENT_NAMES, allow_null=True, help_text="Grade of the loss; null below five points of winning chance."
    )
    better = CharField(required=False, help_text="The best action; only with a judgement.")
    kind = CharField(required=False, help_text="Kind of mistake, as a word of the game; only with a judgement.")
    choices = DictField(
        child=FloatField(),
        required=False,
        help_text="Mean chance after each action (in a coarse analysis, each compared action); only with a judgement.",
    )
    given_up = ChoiceField(
        ["win", "draw"], required=False, help_text="What it provably gave away; only in a solved position."
    )


class SolvedPositionSerializer(Serializer):
    """A position with a proved result. Both decks are empty, so nothing is hidden from either seat."""

    number = IntegerField(help_text="Index in the record of the first action after it.")
    winner = IntegerField(allow_null=True, help_text="Seat that wins with best play; null for a draw.")


class ExpectedPositionSerializer(Serializer):
    """A position's mean over every hand and deck order that fits what the seat to act could see. It isn't proved."""

    number = IntegerField(help_text="Index in the record of the first action after it.")
    seat = IntegerField(help_text="Seat to act.")
    chance = FloatField(
        help_text="Its mean chance of winning after its best action, if both sides then see every card; "
        "a draw counts as half."
    )
    cases = IntegerField(help_text="Number of different hands and deck orders, all of them equally likely.")


class DrawSerializer(Serializer):
    """A draw's luck."""

    number = IntegerField(help_text="Index of the action in the record.")
    seat = IntegerField(help_text="Seat that drew.")
    luck = FloatField(help_text="Chance of winning after it minus the mean over the possible cards.")


class AnalysisResultSerializer(Serializer):
    """An analysis in the format pennant-analysis/1."""

    format = CharField(help_text="The format's name.")
    record_hash = CharField(help_text="SHA-256 of the analysed record.")
    function = FunctionSerializer(help_text="Value function used.")
    redeals = IntegerField(help_text="Number of redeals used to compare choices.")
    seats = SeatBalanceSerializer(many=True, help_text="Each seat's balance.")
    chances = ListField(
        child=FloatField(),
        help_text="Seat 0's chance of winning with open cards, before the first action and after each.",
    )
    known = KnownChancesSerializer(
        many=True, help_text="Chances as the seats could know them, at the end of each turn."
    )
    decisions = DecisionSerializer(many=True, help_text="Graded decisions in order.")
    draws = DrawSerializer(many=True, help_text="Draws in order.")
    solved = SolvedPositionSerializer(
        many=True, required=False, help_text="Positions with a proved result; absent from older analyses."
    )
    expected = ExpectedPositionSerializer(
        many=True,
        required=False,
        help_text="Late positions with few hidden cards; absent from coarse and older analyses.",
    )

    def get_fields(self) -> dict[str, Any]:
        """Add the field whose name is a word of Python."""
        text = "`coarse` in a coarse analysis, which estimates the full one; absent otherwise."
        return {**super().get_fields(), "pass": ChoiceField([COARSE], required=False, help_text=text)}


class AnalysisSerializer(Serializer):
    """A leg's analysis, or its progress."""

    state = ChoiceField(LegAnalysis.State.choices, help_text="The analysis's state.")
    progress = FloatField(help_text="Share of the leg analysed so far, from 0 to 1.")
    ahead = SerializerMethodField(help_text="Number of analyses ahead of it; 0 once done.")
    is_automatic = BooleanField(help_text="Whether the arena chose the match without a request.")
    error = MessageText(help_text="Why it failed; empty otherwise.")
    created_at = DateTimeField(help_text="When it was requested.")
    finished_at = DateTimeField(allow_null=True, help_text="When it finished or failed, or null.")
    function = FunctionSerializer(source="*", read_only=True, help_text="Value function it uses.")
    result = SerializerMethodField(help_text="The analysis itself; null until done.")
    expected_seconds = SerializerMethodField(
        help_text="Estimated seconds until the next result, coarse or full, or null."
    )
    coarse_result = SerializerMethodField(
        help_text="Result of the coarse pass, an estimate. Null before it, after the full pass, and "
        "if the arena chose the match without a request."
    )

    def get_fields(self) -> dict[str, Any]:
        """Add the field whose name is a word of Python."""
        text = "Current or next pass; full once done."
        return {**super().get_fields(), "pass": ChoiceField([COARSE, FULL], source="current_pass", help_text=text)}

    def get_ahead(self, analysis: LegAnalysis) -> int:
        """Return the number of analyses before it."""
        return count_ahead(analysis) if analysis.is_pending else 0

    def get_expected_seconds(self, analysis: LegAnalysis) -> float | None:
        """Return the seconds until the next result."""
        seconds = estimate_seconds(analysis)
        return None if seconds is None else round(seconds, 1)

    @extend_schema_field(AnalysisResultSerializer(allow_null=True))
    def get_coarse_result(self, analysis: LegAnalysis) -> dict[str, Any] | None:
        """Return the content of a coarse analysis."""
        return analysis.coarse_data

    @extend_schema_field(AnalysisResultSerializer(allow_null=True))
    def get_result(self, analysis: LegAnalysis) -> dict[str, Any] | None:
        """Return the content of a finished analysis."""
        return analysis.result_data if analysis.is_done else None


MAX_LOSSES_PER_REQUEST = 50


class LossesSerializer(Serializer):
    """How many lost legs to analyse."""

    losses = IntegerField(
        required=False,
        default=20,
        min_value=1,
        max_value=MAX_LOSSES_PER_REQUEST,
        help_text="Number of lost legs to analyse.",
    )


class LossAnalysisSerializer(Serializer):
    """A lost leg, with its analysis's progress."""

    match = IntegerField(source="leg.match_id", help_text="The match's id.")
    leg = IntegerField(source="leg.number", help_text="Leg number, starting at 1.")
    state = ChoiceField(LegAnalysis.State.choices, help_text="The analysis's state.")
    url = SerializerMethodField(help_text="The analysis's address.")

    @extend_schema_field(URLField)
    def get_url(self, analysis: LegAnalysis) -> str:
        """Return the address of the analysis."""
        leg = analysis.leg
        assert leg is not None
        return build_absolute_url(self.context["request"], reverse("api_analysis", args=[leg.match_id, leg.number]))


class Analyses(Resource):
    """Analyses of legs and live games."""

    @operation(
        "bots_analyses_request",
        "Request analyses of a bot's latest losses",
        [LossAnalysisSerializer],
        reads=LossesSerializer,
        status=202,
        paging=None,
    )
    def request_of_losses(self, request: Request, slug: str) -> Response:
        """Queue analyses of your bot's most recent lost legs, and return them, newest leg first.

        Existing analyses are returned too. Requests are limited per day: if too few remain, the oldest legs are
        skipped. The status is 429 only if none remain.
        """
        bot = own_bot_or_404(request, slug)
        found = request_analyses_of_losses(user=self.user, bot=bot, count=self.read_data()["losses"])
        return Response(self.get_serializer(found, many=True).data, 202)

    def respond_requested(self, analysis: LegAnalysis) -> Response:
        """Return an analysis that somebody has requested."""
        return self.respond(analysis, 202 if analysis.is_pending else 200)

    @operation("matches_analysis", "Show a leg's analysis", AnalysisSerializer)
    def show_of_leg(self, request: Request, pk: int, number: int) -> Response:
        """Return the analysis of a leg in a finished match, or 404 if no one has requested it.

        Until the newest value function's analysis is done, an older one is returned.
        """
        return self.respond(find_shown(leg_or_404(request, pk, number)))

    @operation("matches_analysis_request", "Request a leg's analysis", AnalysisSerializer, status=(200, 202))
    def request_of_leg(self, request: Request, pk: int, number: int) -> Response:
        """Queue an analysis of a leg in a finished match, or return the existing one.

        The status is 202 while it's queued or running, and 200 once it's done. Requests are limited per day.
        """
        leg = leg_or_404(request, pk, number)
        leg.record = fetch_record(leg)
        analysis = request_analysis(user=self.user, leg=leg)
        analysis.leg = leg
        return self.respond_requested(analysis)

    @operation("live_games_analysis", "Show a live game's analysis", AnalysisSerializer)
    def show_of_live_game(self, request: Request, slug: str) -> Response:
        """Return a finished live game's analysis, or 404 if no one has requested it or its deal is still in play."""
        game = finished_game_or_404(slug)
        refuse_deal_in_play(game)
        return self.respond(find_shown(game))

    @operation("live_games_analysis_request", "Request a live game's analysis", AnalysisSerializer, status=(200, 202))
    def request_of_live_game(self, request: Request, slug: str) -> Response:
        """Queue an analysis of one of your finished live games, or return the existing one.

        The status is 202 while it's queued or running, and 200 once it's done. Requests are limited per day.
        """
        player = read_player(request)
        return self.respond_requested(request_live_analysis(player=player, game=finished_game_or_404(slug)))


def find_shown(subject: Subject) -> LegAnalysis:
    """Return the analysis that is shown of a leg or a live game: the newest that is done. Raise NotFound."""
    found = find_analyses(subject)
    return require_row(
        found.done or found.newest, _("This leg hasn't been analysed: send a POST request to this address.")
    )


def finished_game_or_404(slug: str) -> LiveGame:
    """Return a live game that is over. Raise NotFound: of a game that is played there is none."""
    game = require_row(find_live_game(slug), _("There's no live game at this address."))
    if not game.is_over:
        raise NotFound(_("This game isn't finished, so it has no analysis yet."))
    return game
