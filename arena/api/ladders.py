"""Ladders: the seasons that run, and who stands where."""

from typing import Any

from django.db.models import Count, Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    FloatField,
    IntegerField,
    Serializer,
    SlugField,
)

from arena.api.errors import find
from arena.api.examples import STANDING, response_example
from arena.api.frame import Resource
from arena.api.references import HtmlUrlField
from arena.ladders.models import Entry, Ladder


class LadderSerializer(Serializer):
    game = CharField()
    edition = CharField()
    season = IntegerField(help_text="From 1.")
    title = CharField()
    page = HtmlUrlField()
    opened_at = DateTimeField()
    closed_at = DateTimeField(allow_null=True, help_text="Null while it runs.")
    commitment = CharField(help_text="SHA-256 of the secret that all deals of the season come from.")
    bots = IntegerField(help_text="That play.")
    rated_matches = IntegerField(source="last_sequence", help_text="Rated matches, those taken back counted again.")
    dispersion = FloatField(help_text="Dispersion of mirrored pairs: below 1 the luck of the deal cancels out.")
    pair_interaction_sd = FloatField(
        allow_null=True, help_text="Elo by which results of pairs differ from their ratings."
    )
    fitted_at = DateTimeField(allow_null=True, help_text="When all ratings were last computed.")


@response_example("Second", STANDING)
class StandingSerializer(Serializer):
    rank = IntegerField(allow_null=True, help_text="From 1; null until its rating is settled.")
    rank_low = IntegerField(allow_null=True, help_text="Its plausible ranks: from this one …")
    rank_high = IntegerField(allow_null=True, help_text="… to this one.")
    group = IntegerField(allow_null=True, help_text="Bots of one group can't be told apart; 1 is the best.")
    bot = CharField(source="version.bot.slug")
    name = CharField(source="version.bot.name")
    owner = CharField(source="version.bot.owner.username")
    version = IntegerField(source="version.number")
    language = CharField(source="version.language")
    rating = FloatField(help_text="Elo.")
    deviation = FloatField(help_text="Standard deviation of the rating, Elo.")
    margin_95 = FloatField(help_text="Half of the 95 % interval, Elo.")
    is_ranked = BooleanField(help_text="Whether the rating is known well enough for a rank.")
    is_anchor = BooleanField(help_text="Whether the ladder's scale hangs on it.")
    matches = IntegerField(help_text="Rated ones.")
    opponents = IntegerField(help_text="How many different ones it met.")
    points = FloatField(help_text="Sum over its rated matches, at most 1 each.")
    rated_at = DateTimeField(allow_null=True, help_text="When its last match was rated.")


class StandingQuery(Serializer):
    bot = SlugField(required=False, help_text="Only this bot's line.")


def open_ladders() -> QuerySet[Ladder]:
    """With how many bots play on each. Secrets stay in the table."""
    active = Count("entries", filter=Q(entries__state=Entry.State.ACTIVE))
    return Ladder.objects.open().defer("secret").annotate(bots=active)


def find_ladder(ladders: QuerySet[Ladder], game: str, edition: str) -> Ladder:
    """Raises NotFound."""
    return find(ladders, f"There is no ladder {game}/{edition}.", game=game, edition=edition)


class LadderList(Resource):
    serializer_class = LadderSerializer
    ordering = ("game", "pk")

    @extend_schema(
        operation_id="ladders_list",
        summary="All ladders: the season that runs of each",
        responses=LadderSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        return self.respond_page(open_ladders())


class LadderDetail(Resource):
    serializer_class = LadderSerializer

    @extend_schema(operation_id="ladders_retrieve", summary="One ladder")
    def get(self, request: Request, game: str, edition: str) -> Response:
        return self.respond(find_ladder(open_ladders(), game, edition))


class Standing(Resource):
    """Best first; those whose ratings are not settled come after the others."""

    serializer_class = StandingSerializer
    query_class = StandingQuery
    ordering = ("-is_ranked", "-rating", "deviation", "pk")

    @extend_schema(
        operation_id="ladders_standing",
        summary="Who stands where",
        parameters=[StandingQuery],
        responses=StandingSerializer(many=True),
    )
    def get(self, request: Request, game: str, edition: str) -> Response:
        entries = Entry.objects.standing(find_ladder(Ladder.objects.open().defer("secret"), game, edition))
        slug = self.query.get("bot")
        shown = self.paginate_queryset(entries.filter(version__bot__slug=slug) if slug else entries)
        return self.get_paginated_response(StandingSerializer(ranked(shown, entries), many=True).data)


def ranked(shown: list[Entry], entries: QuerySet[Entry]) -> list[Any]:
    """Entries that follow each other in the standing, each with its rank."""
    if shown:
        for rank, entry in enumerate(shown, entries.before(shown[0]).count() + 1):
            entry.rank = rank if entry.is_ranked else None
    return shown
