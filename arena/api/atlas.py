"""The atlas of a ladder: what happens in its rated legs, as sums, of all bots or of one."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, FloatField, IntegerField, ListField, Serializer, SlugField

from arena.api.auth import bot_or_404
from arena.api.examples import response_example
from arena.api.frame import Resource
from arena.api.seasons import season_or_404
from arena.atlas.queries.cells import fetch_bot_cells, fetch_cells
from arena.atlas.queries.progress import find_progress

EXAMPLE_ATLAS = {
    "game": "battleline",
    "edition": "standard",
    "season": 1,
    "legs": 2406,
    "sequence": 1203,
    "cells": [
        {"chart": "endings", "row": "breakthrough", "column": "first", "count": 1741, "points": 1741.0},
        {"chart": "formations", "row": "wedge", "column": "3", "count": 312, "points": 204.0},
        {"chart": "tactics", "row": "traitor", "column": "", "count": 630, "points": 331.0},
    ],
}


class AtlasCellSerializer(Serializer):
    """How often something happened."""

    chart = CharField(help_text="What is counted: seats, length, endings, and charts of the game's own.")
    row = CharField(help_text="Row of the chart: a seat, a reason, a number of turns, a formation and so on.")
    column = CharField(help_text="Column of the chart; empty where it has none.")
    count = IntegerField(help_text="How often it happened.")
    points = FloatField(
        help_text="Sum of the points, from 0 to 1 each, that who did it made in these legs; 0 for whole legs."
    )


@response_example("Standard", EXAMPLE_ATLAS)
class AtlasSerializer(Serializer):
    """What happened in the counted legs of a season."""

    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    season = IntegerField(help_text="Season number, starting at 1.")
    legs = IntegerField(help_text="Number of legs of all bots counted so far.")
    sequence = IntegerField(help_text="Last line of the ledger that was read for it.")
    cells = ListField(child=AtlasCellSerializer(), help_text="All cells of all charts that are not empty.")


class AtlasQuery(Serializer):
    """Whose legs are counted."""

    bot = SlugField(required=False, help_text="Only what the bot with this slug did, in all its versions.")


class SeasonAtlas(Resource):
    """The atlas of a season."""

    serializer_class = AtlasSerializer
    query_class = AtlasQuery

    @extend_schema(
        operation_id="seasons_atlas", summary="Show what happens in the rated legs of a season", parameters=[AtlasQuery]
    )
    def get(self, request: Request, game: str, edition: str, number: int) -> Response:
        """Return the sums of a season, of all bots or of one."""
        ladder = season_or_404(game, edition, number)
        slug, progress = self.query.get("bot"), find_progress(ladder)
        cells = fetch_bot_cells(ladder, bot_or_404(request, slug)) if slug else fetch_cells(ladder)
        values = {"game": game, "edition": edition, "season": number}
        return self.respond({**values, "legs": progress.legs, "sequence": progress.sequence, "cells": cells})
