"""Analyses of legs and live games: request one, follow its progress, and read it."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
)

from arena import tasks
from arena.analysis.models import LegAnalysis
from arena.analysis.queries.analyses import Subject, count_ahead, find_analyses
from arena.analysis.services.requesting import request_analysis, request_live_analysis
from arena.api.auth import require_user
from arena.api.errors import require_row
from arena.api.examples import response_example
from arena.api.fields import ChoiceField, MessageText
from arena.api.frame import Resource
from arena.api.live_games import read_player
from arena.api.records import leg_or_404
from arena.livegames.models import LiveGame
from arena.livegames.queries.games import find_live_game
from arena.matches.queries.replays import fetch_record
from engine.analysis.grading import JUDGEMENTS

JUDGEMENT_NAMES = [name for _least, name in JUDGEMENTS]


class FunctionSerializer(Serializer):
    """The value function of an analysis."""

    version = CharField(help_text="Version of the value function.")
    hash = CharField(help_text="SHA-256 of its weights.")


class SeatBalanceSerializer(Serializer):
    """The luck and skill of a seat, which add up to its result less its chance at the start."""

    start = FloatField(help_text="Chance to win before the first move, from 0 to 1.")
    result = FloatField(help_text="1 for a win, 0.5 for a draw, 0 for a loss.")
    luck = FloatField(help_text="Sum of the luck of all draws of both seats, as this seat's chance to win.")
    skill = FloatField(help_text="Result less start and luck.")
    accuracy = FloatField(allow_null=True, help_text="Accuracy of its decisions in percent; null without any.")
    given_away = FloatField(help_text="Sum of the chances that its decisions gave away.")
    decisions = IntegerField(help_text="Number of its graded decisions.")
    draws = IntegerField(help_text="Number of its own draws.")
    draw_luck = FloatField(help_text="Sum of the luck of its own draws.")
    draw_luck_squares = FloatField(help_text="Sum of the squares of the luck of its own draws.")


class KnownChancesSerializer(Serializer):
    """Chances of both seats as each could know them."""

    number = IntegerField(help_text="Index of the action in the record after which they are told.")
    chances = ListField(child=FloatField(), help_text="Chance of each seat to win, by seat.")


class DecisionSerializer(Serializer):
    """A graded decision. Claims and decisions without a choice are not graded."""

    number = IntegerField(help_text="Index of the action in the record.")
    seat = IntegerField(help_text="Seat that decided.")
    action = CharField(help_text="Action that was played.")
    chance = FloatField(help_text="Mean chance to win after it over redeals of what the seat could not know.")
    best_chance = FloatField(help_text="The same after the best action.")
    loss = FloatField(help_text="Chance that was given away; 0 within two standard errors.")
    standard_error = FloatField(help_text="Standard error of the difference between the two.")
    judgement = ChoiceField(
        JUDGEMENT_NAMES, allow_null=True, help_text="Name of the loss; null below five points of winning chance."
    )
    better = CharField(required=False, help_text="The best action; only with a judgement.")
    kind = CharField(required=False, help_text="Kind of the mistake, a word of the game; only with a judgement.")
    choices = DictField(
        child=FloatField(), required=False, help_text="Mean chance after each action; only with a judgement."
    )


class DrawSerializer(Serializer):
    """The luck of one draw."""

    number = IntegerField(help_text="Index of the action in the record.")
    seat = IntegerField(help_text="Seat that drew.")
    luck = FloatField(help_text="Chance to win after it less the mean over the cards it could have been.")


class AnalysisResultSerializer(Serializer):
    """An analysis in the format pennant-analysis/1."""

    format = CharField(help_text="Name of the format.")
    record_hash = CharField(help_text="SHA-256 of the record that was analysed.")
    function = FunctionSerializer(help_text="Value function that was used.")
    redeals = IntegerField(help_text="Number of redeals by which choices are compared.")
    seats = SeatBalanceSerializer(many=True, help_text="Balance of each seat.")
    chances = ListField(
        child=FloatField(),
        help_text="Chance of seat 0 to win with open cards, before the first action and after each.",
    )
    known = KnownChancesSerializer(many=True, help_text="Chances as the seats could know them, at each end of a turn.")
    decisions = DecisionSerializer(many=True, help_text="Graded decisions in order.")
    draws = DrawSerializer(many=True, help_text="Draws in order.")


EXAMPLE_ANALYSIS: dict[str, Any] = {
    "state": "running",
    "progress": 0.4,
    "ahead": 0,
    "is_automatic": False,
    "error": "",
    "created_at": "2026-11-21T18:00:20Z",
    "finished_at": None,
    "function": {"version": "1", "hash": "f3b9a1f4c2be0d1f7f8a6b5c4d3e2f100f1e2d3c4b5a69788796a5b4c3d2e1f0"},
    "result": None,
}


@response_example("Under way", EXAMPLE_ANALYSIS)
class AnalysisSerializer(Serializer):
    """The analysis of a leg, or how far it is."""

    state = ChoiceField(LegAnalysis.State.choices, help_text="State of the analysis.")
    progress = FloatField(help_text="Share of the leg that has been analysed, from 0 to 1.")
    ahead = SerializerMethodField(help_text="Number of analyses that are made before it; 0 once it is done.")
    is_automatic = BooleanField(help_text="Whether the arena chose the match by itself.")
    error = MessageText(help_text="Why there is none; empty unless it failed.")
    created_at = DateTimeField(help_text="When it was requested.")
    finished_at = DateTimeField(allow_null=True, help_text="When it was done, or given up; null before.")
    function = SerializerMethodField(help_text="Value function that it is made by.")
    result = SerializerMethodField(help_text="The analysis itself; null until it is done.")

    def get_ahead(self, analysis: LegAnalysis) -> int:
        """Return the number of analyses before it."""
        return count_ahead(analysis) if analysis.is_pending else 0

    @extend_schema_field(FunctionSerializer)
    def get_function(self, analysis: LegAnalysis) -> dict[str, str]:
        """Return the value function."""
        return {"version": analysis.function_version, "hash": analysis.function_hash}

    @extend_schema_field(AnalysisResultSerializer(allow_null=True))
    def get_result(self, analysis: LegAnalysis) -> dict[str, Any] | None:
        """Return the content of a finished analysis."""
        return analysis.result_data if analysis.is_done else None


class AnalysisResource(Resource):
    """A resource of one analysis."""

    serializer_class = AnalysisSerializer

    def respond_requested(self, analysis: LegAnalysis) -> Response:
        """Return an analysis that somebody has requested, and have it made if it waits."""
        if analysis.is_pending:
            tasks.analyse_next.delay_on_commit()
        return self.respond(analysis, status=202 if analysis.is_pending else 200)


class Analysis(AnalysisResource):
    """The analysis of a leg."""

    @extend_schema(operation_id="matches_analysis", summary="Show the analysis of a leg")
    def get(self, request: Request, pk: int, number: int) -> Response:
        """Return the analysis of a leg of a finished match; 404 if nobody has requested one.

        An analysis by an older value function is shown until the newest one is done.
        """
        return self.respond(find_shown(leg_or_404(request, pk, number)))

    @extend_schema(
        operation_id="matches_analysis_request",
        summary="Request the analysis of a leg",
        request=None,
        responses={200: AnalysisSerializer, 202: AnalysisSerializer},
    )
    def post(self, request: Request, pk: int, number: int) -> Response:
        """Queue the analysis of a leg of a finished match; where there is one already, that is returned.

        The answer is 202 while it waits or is made, and 200 once it is done. Requests are limited per day.
        """
        leg = leg_or_404(request, pk, number)
        leg.record = fetch_record(leg)
        analysis = request_analysis(user=require_user(request), leg=leg)
        analysis.leg = leg
        return self.respond_requested(analysis)


class LiveGameAnalysis(AnalysisResource):
    """The analysis of a live game."""

    @extend_schema(operation_id="live_games_analysis", summary="Show the analysis of a live game")
    def get(self, request: Request, slug: str) -> Response:
        """Return the analysis of a live game that is over; 404 if nobody has requested one."""
        return self.respond(find_shown(finished_game_or_404(slug)))

    @extend_schema(
        operation_id="live_games_analysis_request",
        summary="Request the analysis of a live game",
        request=None,
        responses={200: AnalysisSerializer, 202: AnalysisSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue the analysis of a live game of yours that is over; where there is one already, that is returned.

        The answer is 202 while it waits or is made, and 200 once it is done. Requests are limited per day.
        """
        player = read_player(request)
        return self.respond_requested(request_live_analysis(player=player, game=finished_game_or_404(slug)))


def find_shown(subject: Subject) -> LegAnalysis:
    """Return the analysis that is shown of a leg or a live game: the newest that is done. Raise NotFound."""
    found = find_analyses(subject)
    return require_row(
        found.done or found.newest, _("This leg has not been analysed: send a POST request to this address.")
    )


def finished_game_or_404(slug: str) -> LiveGame:
    """Return a live game that is over. Raise NotFound: of a game that is played there is none."""
    game = require_row(find_live_game(slug), _("There is no live game at this address."))
    if not game.is_over:
        raise NotFound(_("This game is not over, so it has no analysis yet."))
    return game
