"""Seasons of a ladder, and what anyone needs to verify that no deal was chosen."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    CharField,
    DateTimeField,
    DictField,
    IntegerField,
    ListField,
    Serializer,
)

from arena.api.errors import require_row
from arena.api.fields import ChoiceField
from arena.api.frame import Resource, build_absolute_url
from arena.api.ladders import LadderSerializer, StandingSerializer, attach_ranks
from arena.api.luck import ValueFunctionSerializer
from arena.ladders.models import Ladder
from arena.ladders.queries.ladders import find_season, list_seasons
from arena.ladders.queries.standings import list_standings
from arena.ladders.services.seasons import build_deal_rows, build_season_document, list_dealt_matches
from arena.matches.models import Match


class SeasonSerializer(Serializer):
    """A season's document, which `pennant verify --season` reads."""

    format = CharField(help_text="Name of the format.")
    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    season = IntegerField(help_text="Season number, starting at 1.")
    title = CharField(help_text="Title of the ladder.")
    options = DictField(help_text="All rule options in force.")
    rules_version = IntegerField(help_text="Version of the rules.")
    opened_at = DateTimeField(help_text="When the season was opened.")
    closed_at = DateTimeField(allow_null=True, help_text="When the season was closed; null while it runs.")
    commitment = CharField(help_text="SHA-256 of the secret, public from the start.")
    value_function = ValueFunctionSerializer(
        allow_null=True, help_text="Value function of the adjustment for luck, public from the start; null without one."
    )
    secret = CharField(allow_null=True, help_text="The secret; null until the season's last match is played.")
    last_number = IntegerField(help_text="Number of matches that were made.")
    deals = CharField(help_text="Address of the list of its deals.")


class DealSerializer(Serializer):
    """The deal of a match, by its hashes."""

    number = IntegerField(help_text="Number of the match in its season, which the deal comes from; starts at 1.")
    match = IntegerField(help_text="Id of the match.")
    state = ChoiceField(Match.State.choices, help_text="State of the match.")
    seats = IntegerField(help_text="Number of seats.")
    rules_version = IntegerField(help_text="Version of the rules.")
    deal_hashes = ListField(child=CharField(), help_text="Hash of each leg's deal, public before its first move.")
    record_hashes = ListField(
        child=CharField(), required=False, help_text="Hash of each leg's record; missing until the match is finished."
    )
    options = DictField(required=False, help_text="Rule options, where they are not those of the season.")


def season_or_404(game: str, edition: str, number: int) -> Ladder:
    """Return the season. Raise NotFound."""
    return require_row(find_season(game, edition, number), _("There is no such season."))


class SeasonList(Resource):
    """The seasons of a ladder."""

    is_list = True
    serializer_class = LadderSerializer
    ordering = ("-season",)

    @extend_schema(
        operation_id="seasons_list",
        summary="List the seasons of a ladder",
        responses=LadderSerializer(many=True),
    )
    def get(self, request: Request, game: str, edition: str) -> Response:
        """List all seasons of a ladder, the running one first."""
        seasons = list_seasons(game, edition)
        if not seasons.exists():
            raise NotFound(_("There is no ladder %(game)s/%(edition)s.") % {"game": game, "edition": edition})
        return self.respond_page(seasons)


class SeasonDetail(Resource):
    """One season."""

    serializer_class = SeasonSerializer

    @extend_schema(operation_id="seasons_retrieve", summary="Show a season")
    def get(self, request: Request, game: str, edition: str, number: int) -> Response:
        """Return the season's document, as `pennant verify --season` reads it."""
        document: dict[str, Any] = build_season_document(season_or_404(game, edition, number))
        deals = build_absolute_url(request, reverse("api_deals", args=[game, edition, number]))
        return Response(document | {"deals": deals})


class SeasonStandings(Resource):
    """The standings of a season."""

    is_list = True
    serializer_class = StandingSerializer
    ordering = ("-is_ranked", "-rating", "deviation", "pk")

    @extend_schema(
        operation_id="seasons_standings",
        summary="Show the standings of a season",
        responses=StandingSerializer(many=True),
    )
    def get(self, request: Request, game: str, edition: str, number: int) -> Response:
        """List the entries of a season, best first; the final standings once it is closed."""
        ladder = season_or_404(game, edition, number)
        return self.respond_page(list_standings(ladder), attach=lambda shown: attach_ranks(ladder, shown))


class DealList(Resource):
    """The deals of a season."""

    is_list = True
    serializer_class = DealSerializer
    ordering = ("number",)

    @extend_schema(
        operation_id="seasons_deals",
        summary="List the deals of a season",
        responses=DealSerializer(many=True),
    )
    def get(self, request: Request, game: str, edition: str, number: int) -> Response:
        """List the hashes of all deals in the order of their numbers, which have no gaps."""
        ladder = season_or_404(game, edition, number)
        shown = self.paginate_queryset(list_dealt_matches(ladder)) or []
        return self.get_paginated_response(build_deal_rows(ladder, shown))
