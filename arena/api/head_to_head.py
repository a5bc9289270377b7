"""Results of a bot against each of its opponents."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, FloatField, IntegerField, Serializer

from arena.api.auth import bot_or_404
from arena.api.frame import Resource
from arena.api.ratings import OnLadderQuery, build_entry_conditions
from arena.ladders.models import PairStat
from arena.ladders.queries.entries import fetch_entry_keys
from arena.ladders.queries.pair_stats import list_pair_stats
from arena.ladders.rating.elo import expected_score


class HeadToHeadSerializer(Serializer):
    """Results of a version against another one."""

    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    season = IntegerField(help_text="Season number, starting at 1.")
    version = IntegerField(help_text="Version number of the bot.")
    opponent = CharField(help_text="Slug of the opponent.")
    opponent_name = CharField(help_text="Name of the opponent.")
    opponent_version = IntegerField(help_text="Version number of the opponent.")
    seats = IntegerField(help_text="Number of seats in these matches, which is also the number of legs of each.")
    matches = IntegerField(help_text="Number of rated matches.")
    score = FloatField(help_text="Share of the legs in which the bot was placed better; ties count half.")
    expected_score = FloatField(help_text="Score that the present ratings predict.")


class HeadToHead(Resource):
    """The results of a bot by opponent."""

    is_list = True
    serializer_class = HeadToHeadSerializer
    query_class = OnLadderQuery

    @extend_schema(
        operation_id="bots_head_to_head",
        summary="Show the results of a bot by opponent",
        parameters=[OnLadderQuery],
        responses=HeadToHeadSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List results, one row per opponent's version and number of seats; the latest new opponent comes first."""
        own = fetch_entry_keys(request.user, bot_or_404(request, slug), **build_entry_conditions(self.query))
        shown = self.paginate_queryset(list_pair_stats(own)) or []
        rows = [describe_pair(stat, stat.low_id in own) for stat in shown]
        return self.get_paginated_response(self.get_serializer(rows, many=True).data)


def describe_pair(stat: PairStat, is_low: bool) -> dict[str, Any]:
    """Return the row from the side of the entry with the lower key, or of the other one."""
    own, other = (stat.low, stat.high) if is_low else (stat.high, stat.low)
    share = stat.halves / (2 * stat.matches * stat.seats)
    return {
        "game": stat.ladder.game,
        "edition": stat.ladder.edition,
        "season": stat.ladder.season,
        "version": own.version.number,
        "opponent": other.version.bot.slug,
        "opponent_name": other.version.bot.name,
        "opponent_version": other.version.number,
        "seats": stat.seats,
        "matches": stat.matches,
        "score": share if is_low else 1 - share,
        "expected_score": expected_score(own.rating - other.rating),
    }
