"""How a bot fared against each of those it met."""

from typing import Any

from django.db.models import Q
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, FloatField, IntegerField, Serializer

from arena.api.auth import bot_or_404
from arena.api.frame import Resource
from arena.api.ratings import LOOKUPS, OnLadderQuery
from arena.ladders.models import Entry, PairStat
from arena.ladders.rating.elo import expected


class HeadToHeadSerializer(Serializer):
    game = CharField()
    edition = CharField()
    season = IntegerField()
    version = IntegerField(help_text="The bot's own.")
    opponent = CharField(help_text="Slug of the other bot.")
    opponent_name = CharField()
    opponent_version = IntegerField()
    seats = IntegerField(help_text="Of the tables at which they met, so legs of each match, too.")
    matches = IntegerField(help_text="Rated ones.")
    score = FloatField(help_text="Share of the legs in which it came before the other, an equal place half.")
    expected = FloatField(help_text="What score their ratings of now tell.")


class HeadToHead(Resource):
    """One row for two versions and a size of table: who met last for the first time comes first."""

    serializer_class = HeadToHeadSerializer
    query_class = OnLadderQuery

    @extend_schema(
        operation_id="bots_head_to_head",
        summary="A bot against each other",
        parameters=[OnLadderQuery],
        responses=HeadToHeadSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        asked = {LOOKUPS[name]: value for name, value in self.query.items()}
        own = set(Entry.objects.filter(version__bot=bot_or_404(slug), **asked).values_list("pk", flat=True))
        stats = PairStat.objects.filter(Q(low__in=own) | Q(high__in=own), matches__gt=0)
        stats = stats.select_related("ladder", "low__version__bot", "high__version__bot").defer(
            "ladder__secret", "low__version__build_log", "high__version__build_log"
        )
        rows = [describe(stat, stat.low_id in own) for stat in self.paginate_queryset(stats)]
        return self.get_paginated_response(self.get_serializer(rows, many=True).data)


def describe(stat: PairStat, is_low: bool) -> dict[str, Any]:
    """A row from the side of the one or the other."""
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
        "expected": expected(own.rating - other.rating),
    }
