"""Rating history of a bot's versions, day by day."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DateField, FloatField, IntegerField, Serializer, SlugField

from arena.api.auth import bot_or_404
from arena.api.frame import Resource
from arena.api.references import MAX_INTEGER_COLUMN_VALUE
from arena.ladders.queries.ratings import list_rating_points


class RatingPointSerializer(Serializer):
    """The rating of a version on a day."""

    day = DateField(help_text="Day of the rating.")
    game = CharField(source="entry.ladder.game", help_text="Key of the game.")
    edition = CharField(source="entry.ladder.edition", help_text="Key of the edition.")
    season = IntegerField(source="entry.ladder.season", help_text="Season number, starting at 1.")
    version = IntegerField(source="entry.version.number", help_text="Version number, starting at 1.")
    rating = FloatField(help_text="Rating in Elo, as last computed on that day.")
    deviation = FloatField(help_text="Standard deviation of the rating, in Elo.")
    rank = IntegerField(allow_null=True, help_text="Rank; null where the rating was not known well enough.")
    matches = IntegerField(help_text="Number of rated matches until then.")


class OnLadderQuery(Serializer):
    """Filters by ladder and version."""

    edition = SlugField(required=False, help_text="Only on ladders of the edition with this key.")
    season = IntegerField(
        required=False, min_value=1, max_value=MAX_INTEGER_COLUMN_VALUE, help_text="Only in this season."
    )
    version = IntegerField(
        required=False, min_value=1, max_value=MAX_INTEGER_COLUMN_VALUE, help_text="Only of this version."
    )


ENTRY_LOOKUPS = {"edition": "ladder__edition", "season": "ladder__season", "version": "version__number"}
"""Lookups of an entry, by parameter."""


def build_entry_conditions(query: dict[str, object]) -> dict[str, object]:
    """Return the lookups of entries that a query stands for."""
    return {ENTRY_LOOKUPS[name]: value for name, value in query.items()}


class RatingHistory(Resource):
    """The rating history of a bot."""

    is_list = True
    serializer_class = RatingPointSerializer
    query_class = OnLadderQuery

    @extend_schema(
        operation_id="bots_ratings",
        summary="Show the rating history of a bot",
        parameters=[OnLadderQuery],
        responses=RatingPointSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the daily ratings of a bot's versions, newest first."""
        bot, conditions = bot_or_404(request, slug), build_entry_conditions(self.query)
        return self.respond_page(list_rating_points(request.user, bot, **conditions))
