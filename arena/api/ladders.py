"""Ladders: the running seasons and their standings."""

from typing import Any

from django.utils.translation import gettext as _
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

from arena.api.errors import require_row
from arena.api.examples import EXAMPLE_STANDING, response_example
from arena.api.frame import Resource
from arena.api.references import AuthorsField, HtmlUrlField
from arena.ladders.models import Ladder
from arena.ladders.queries.ladders import find_open_ladder, list_open_ladders
from arena.ladders.queries.standings import count_entries_before, list_standings


class LadderSerializer(Serializer):
    """A season of a ladder."""

    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    season = IntegerField(help_text="Season number, starting at 1.")
    title = CharField(help_text="Title of the ladder.")
    html_url = HtmlUrlField()
    opened_at = DateTimeField(help_text="When the season was opened.")
    closed_at = DateTimeField(allow_null=True, help_text="When the season was closed; null while it runs.")
    paused_at = DateTimeField(
        allow_null=True,
        help_text="Since when no new matches are paired, as staff or organisers want it; null while they are.",
    )
    commitment = CharField(help_text="SHA-256 of the secret from which all deals of the season come.")
    bots = IntegerField(help_text="Number of bots on the ladder.")
    rated_matches = IntegerField(
        source="last_sequence", help_text="Number of lines in the ledger: rated matches, and cancellations of them."
    )
    dispersion = FloatField(help_text="Dispersion of mirrored pairs; below 1 the luck of the deal cancels out.")
    pair_interaction_sd = FloatField(
        allow_null=True,
        help_text="Standard deviation of what ratings can't explain of results between two bots, in Elo.",
    )
    fitted_at = DateTimeField(allow_null=True, help_text="When all ratings were last computed.")


@response_example("Second", EXAMPLE_STANDING)
class StandingSerializer(Serializer):
    """An entry of a ladder."""

    rank = IntegerField(allow_null=True, help_text="Rank, starting at 1; null until the rating is known well enough.")
    rank_low = IntegerField(allow_null=True, help_text="Lower end of its plausible ranks (the best one).")
    rank_high = IntegerField(allow_null=True, help_text="Upper end of its plausible ranks (the worst one).")
    group = IntegerField(allow_null=True, help_text="Group of bots that can't be told apart; 1 is the best group.")
    bot = CharField(source="version.bot.slug", help_text="Slug of the bot.")
    name = CharField(source="version.bot.name", help_text="Name of the bot.")
    authors = AuthorsField(source="version.bot")
    version = IntegerField(source="version.number", help_text="Version number, starting at 1.")
    language = CharField(source="version.language", help_text="Key of the programming language.")
    rating = FloatField(help_text="Rating in Elo.")
    deviation = FloatField(help_text="Standard deviation of the rating, in Elo.")
    margin_95 = FloatField(help_text="Half of the rating's 95 % interval, in Elo.")
    is_ranked = BooleanField(help_text="Whether the rating is known well enough for a rank.")
    is_anchor = BooleanField(help_text="Whether the scale of the ladder is anchored at this entry.")
    matches = IntegerField(help_text="Number of rated matches.")
    opponents = IntegerField(help_text="Number of different opponents in rated matches.")
    points = FloatField(help_text="Sum of the points of its rated matches, at most 1 each.")
    rated_at = DateTimeField(allow_null=True, help_text="When its last match was rated.")


class StandingQuery(Serializer):
    """Filters of the standings."""

    bot = SlugField(required=False, help_text="Only the entry of the bot with this slug.")


def attach_ranks(ladder: Ladder, entries: list[Any]) -> None:
    """Give a rank to entries that follow each other in the standings."""
    if entries:
        for rank, entry in enumerate(entries, count_entries_before(entries[0], ladder) + 1):
            entry.rank = rank if entry.is_ranked else None


def ladder_or_404(game: str, edition: str) -> Ladder:
    """Return the running season. Raise NotFound."""
    message = _("There is no ladder %(game)s/%(edition)s.") % {"game": game, "edition": edition}
    return require_row(find_open_ladder(game, edition), message)


class LadderList(Resource):
    """All ladders."""

    is_list = True
    serializer_class = LadderSerializer
    ordering = ("game", "pk")

    @extend_schema(
        operation_id="ladders_list",
        summary="List ladders",
        responses=LadderSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the running season of every ladder."""
        return self.respond_page(list_open_ladders())


class LadderDetail(Resource):
    """One ladder."""

    serializer_class = LadderSerializer

    @extend_schema(operation_id="ladders_retrieve", summary="Show a ladder")
    def get(self, request: Request, game: str, edition: str) -> Response:
        """Return the running season of a ladder."""
        return self.respond(ladder_or_404(game, edition))


class LadderStandings(Resource):
    """The standings of a ladder."""

    is_list = True
    serializer_class = StandingSerializer
    query_class = StandingQuery
    ordering = ("-is_ranked", "-rating", "deviation", "pk")

    @extend_schema(
        operation_id="ladders_standings",
        summary="Show the standings of a ladder",
        parameters=[StandingQuery],
        responses=StandingSerializer(many=True),
    )
    def get(self, request: Request, game: str, edition: str) -> Response:
        """List the entries, best first; those without a rank come last."""
        ladder = ladder_or_404(game, edition)
        entries = list_standings(ladder, bot=self.query.get("bot", ""))
        return self.respond_page(entries, attach=lambda shown: attach_ranks(ladder, shown))
