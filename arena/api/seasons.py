"""Seasons of a ladder, and what anyone needs to check that no deal was chosen."""

from typing import Any

from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    CharField,
    ChoiceField,
    DateTimeField,
    DictField,
    IntegerField,
    ListField,
    Serializer,
)

from arena.api.errors import find
from arena.api.frame import Resource
from arena.api.ladders import LadderSerializer, StandingSerializer, ranked
from arena.ladders.models import Entry, Ladder
from arena.ladders.services.seasons import deal_rows, dealt_matches, season_document
from arena.matches.models import Match


class SeasonSerializer(Serializer):
    format = CharField()
    game = CharField()
    edition = CharField()
    season = IntegerField()
    title = CharField()
    options = DictField(help_text="Every rule option in force.")
    rules_version = IntegerField()
    opened_at = DateTimeField()
    closed_at = DateTimeField(allow_null=True)
    commitment = CharField(help_text="SHA-256 of the secret, public from the start.")
    secret = CharField(allow_null=True, help_text="Null until the season is over and its last match is played.")
    last_number = IntegerField(help_text="So many matches were made.")
    deals = CharField(help_text="Where its matches are listed.")


class DealSerializer(Serializer):
    number = IntegerField(help_text="Which of the season's matches, from 1: the deal comes from that.")
    match = IntegerField(help_text="Its id.")
    state = ChoiceField(Match.State.choices)
    seats = IntegerField()
    rules_version = IntegerField()
    deal_hashes = ListField(child=CharField(), help_text="One for each leg, public before its first move.")
    options = DictField(required=False, help_text="Where they are not those of the season.")


def seasons_of(game: str, edition: str) -> QuerySet[Ladder]:
    """Raises NotFound where there never was one."""
    seasons = Ladder.objects.filter(game=game, edition=edition)
    if not seasons.exists():
        raise NotFound(f"There is no ladder {game}/{edition}.")
    return seasons


def find_season(game: str, edition: str, number: int) -> Ladder:
    return find(Ladder.objects.all(), "There is no such season.", game=game, edition=edition, season=number)


class SeasonList(Resource):
    serializer_class = LadderSerializer
    ordering = ("-season",)

    @extend_schema(
        operation_id="seasons_list",
        summary="All seasons of a ladder, the one that runs first",
        responses=LadderSerializer(many=True),
    )
    def get(self, request: Request, game: str, edition: str) -> Response:
        active = Count("entries", filter=Q(entries__state=Entry.State.ACTIVE))
        return self.respond_page(seasons_of(game, edition).defer("secret").annotate(bots=active))


class SeasonDetail(Resource):
    serializer_class = SeasonSerializer

    @extend_schema(operation_id="seasons_retrieve", summary="One season, as `pennant verify --season` wants it")
    def get(self, request: Request, game: str, edition: str, number: int) -> Response:
        document: dict[str, Any] = season_document(find_season(game, edition, number))
        deals = request.build_absolute_uri(reverse("api_deals", args=[game, edition, number]))
        return Response(document | {"deals": deals})


class SeasonStanding(Resource):
    """Who stands where, or stood at the end."""

    serializer_class = StandingSerializer
    ordering = ("-is_ranked", "-rating", "deviation", "pk")

    @extend_schema(
        operation_id="seasons_standing",
        summary="Who stood where in a season",
        responses=StandingSerializer(many=True),
    )
    def get(self, request: Request, game: str, edition: str, number: int) -> Response:
        entries = Entry.objects.standing(find_season(game, edition, number))
        shown = self.paginate_queryset(entries)
        return self.get_paginated_response(self.get_serializer(ranked(shown, entries), many=True).data)


class DealList(Resource):
    """In the order of their numbers, which have no gaps."""

    serializer_class = DealSerializer
    ordering = ("number",)

    @extend_schema(
        operation_id="seasons_deals",
        summary="The deals of a season, by the hashes of their legs",
        responses=DealSerializer(many=True),
    )
    def get(self, request: Request, game: str, edition: str, number: int) -> Response:
        ladder = find_season(game, edition, number)
        shown = self.paginate_queryset(dealt_matches(ladder))
        return self.get_paginated_response(deal_rows(ladder, shown))
