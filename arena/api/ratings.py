"""How the ratings of a bot's versions went, day by day."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DateField, FloatField, IntegerField, Serializer, SlugField

from arena.api.auth import bot_or_404
from arena.api.frame import Resource
from arena.ladders.models import RatingPoint


class RatingPointSerializer(Serializer):
    day = DateField()
    game = CharField(source="entry.ladder.game")
    edition = CharField(source="entry.ladder.edition")
    season = IntegerField(source="entry.ladder.season")
    version = IntegerField(source="entry.version.number")
    rating = FloatField(help_text="Elo, as computed last on that day.")
    deviation = FloatField(help_text="Standard deviation of the rating, Elo.")
    rank = IntegerField(allow_null=True, help_text="Null where the rating was not settled.")
    matches = IntegerField(help_text="Rated until then.")


class OnLadderQuery(Serializer):
    edition = SlugField(required=False)
    season = IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    version = IntegerField(required=False, min_value=1, max_value=2**31 - 1)


LOOKUPS = {"edition": "ladder__edition", "season": "ladder__season", "version": "version__number"}
"""Of an entry, by parameter."""


class RatingHistory(Resource):
    """Newest first."""

    serializer_class = RatingPointSerializer
    query_class = OnLadderQuery

    @extend_schema(
        operation_id="bots_ratings",
        summary="Rating history of a bot",
        parameters=[OnLadderQuery],
        responses=RatingPointSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        asked = {f"entry__{LOOKUPS[name]}": value for name, value in self.query.items()}
        points = RatingPoint.objects.filter(entry__version__bot=bot_or_404(slug), **asked)
        return self.respond_page(
            points.select_related("entry__ladder", "entry__version").defer(
                "entry__ladder__secret", "entry__version__build_log"
            )
        )
