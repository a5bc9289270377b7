"""The ladders of a group: its members read them, its organisers open, pause and end them."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BooleanField, CharField, Serializer, SlugField

from arena.api.auth import bot_or_404, require_unrestricted_token
from arena.api.errors import require_row
from arena.api.frame import build_absolute_url
from arena.api.groups import GroupResource
from arena.api.ladders import LadderSerializer, StandingSerializer, attach_ranks
from arena.api.seasons import DealSerializer, SeasonSerializer
from arena.ladders.models import Ladder
from arena.ladders.queries.ladders import find_open_ladder, find_season, list_open_ladders, list_seasons
from arena.ladders.queries.standings import list_standings
from arena.ladders.services.group_ladders import (
    end_group_season,
    enter_group_ladder,
    leave_group_ladder,
    open_group_ladder,
    pause_group_ladder,
    resume_group_ladder,
)
from arena.ladders.services.seasons import build_deal_rows, build_season_document, list_dealt_matches


@extend_schema_serializer(
    examples=[
        OpenApiExample(
            "with samples", {"game": "battleline", "edition": "standard", "with_samples": True}, request_only=True
        )
    ]
)
class NewLadderSerializer(Serializer):
    """A ladder to be opened."""

    game = CharField(max_length=40, help_text="Key of the game.")
    edition = CharField(max_length=40, help_text="Key of the edition.")
    with_samples = BooleanField(
        default=True, help_text="Whether the sample bots play on it; they fix the scale of the ratings."
    )


@extend_schema_serializer(examples=[OpenApiExample("Kingfisher", {"bot": "kingfisher"}, request_only=True)])
class EnteringBotSerializer(Serializer):
    """A bot that is to play on a ladder."""

    bot = SlugField(help_text="Slug of one of your bots.")


class GroupLadderResource(GroupResource):
    """Base of what concerns one ladder of a group."""

    serializer_class: type[Serializer] | None = LadderSerializer

    def ladder_or_404(self, slug: str, game: str, edition: str) -> Ladder:
        """Return the running season. Raise NotFound."""
        found = find_open_ladder(game, edition, self.group_or_404(slug))
        return require_row(found, _("There is no ladder %(game)s/%(edition)s.") % {"game": game, "edition": edition})

    def season_or_404(self, slug: str, game: str, edition: str, number: int) -> Ladder:
        """Return a season. Raise NotFound."""
        return require_row(find_season(game, edition, number, self.group_or_404(slug)), _("There is no such season."))

    def respond_standings(self, ladder: Ladder) -> Response:
        """Return a page of the standings."""
        return self.respond_page(list_standings(ladder), attach=lambda shown: attach_ranks(ladder, shown))


class GroupLadderList(GroupResource):
    """The ladders of a group."""

    is_list = True
    serializer_class = LadderSerializer
    ordering = ("game", "pk")

    @extend_schema(
        operation_id="group_ladders_list", summary="List the ladders of a group", responses=LadderSerializer(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the running season of each ladder of a group in which you are."""
        return self.respond_page(list_open_ladders(self.group_or_404(slug)))

    @extend_schema(
        operation_id="group_ladders_open",
        summary="Open a ladder for a group",
        request=NewLadderSerializer,
        responses={201: LadderSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Open a ladder of an edition for the group alone, or its next season, as an organiser."""
        group, sent = self.group_or_404(slug), self.read_data(NewLadderSerializer)
        open_group_ladder(group=group, by=require_unrestricted_token(request), **sent)
        return self.respond(find_open_ladder(sent["game"], sent["edition"], group), LadderSerializer, status=201)


class GroupLadderDetail(GroupLadderResource):
    """One ladder of a group."""

    @extend_schema(operation_id="group_ladders_retrieve", summary="Show a ladder of a group")
    def get(self, request: Request, slug: str, game: str, edition: str) -> Response:
        """Return the running season of a ladder of the group."""
        return self.respond(self.ladder_or_404(slug, game, edition))


class GroupLadderPause(GroupLadderResource):
    """Pausing a ladder of a group."""

    @extend_schema(operation_id="group_ladders_pause", summary="Pause a ladder of a group", request=None)
    def post(self, request: Request, slug: str, game: str, edition: str) -> Response:
        """Let no new matches be paired until the ladder is resumed, as an organiser."""
        pause_group_ladder(ladder=self.ladder_or_404(slug, game, edition), by=require_unrestricted_token(request))
        return self.respond(self.ladder_or_404(slug, game, edition))


class GroupLadderResume(GroupLadderResource):
    """Resuming a ladder of a group."""

    @extend_schema(operation_id="group_ladders_resume", summary="Resume a ladder of a group", request=None)
    def post(self, request: Request, slug: str, game: str, edition: str) -> Response:
        """Let matches be paired again, as an organiser."""
        resume_group_ladder(ladder=self.ladder_or_404(slug, game, edition), by=require_unrestricted_token(request))
        return self.respond(self.ladder_or_404(slug, game, edition))


class GroupLadderEnd(GroupLadderResource):
    """Ending a season of a ladder of a group."""

    @extend_schema(operation_id="group_ladders_end", summary="End the season of a ladder of a group", request=None)
    def post(self, request: Request, slug: str, game: str, edition: str) -> Response:
        """End the season, as an organiser. Its secret is published to the group after the last match."""
        ladder = self.ladder_or_404(slug, game, edition)
        end_group_season(ladder=ladder, by=require_unrestricted_token(request))
        seasons = list_seasons(game, edition, self.group_or_404(slug))
        return self.respond(seasons.get(pk=ladder.pk))


class GroupLadderBots(GroupLadderResource):
    """The bots on a ladder of a group."""

    is_list = True
    serializer_class = StandingSerializer
    ordering = ("-is_ranked", "-rating", "deviation", "pk")

    @extend_schema(
        operation_id="group_ladders_standings",
        summary="Show the standings of a ladder of a group",
        responses=StandingSerializer(many=True),
    )
    def get(self, request: Request, slug: str, game: str, edition: str) -> Response:
        """List the entries, best first; those without a rank come last."""
        return self.respond_standings(self.ladder_or_404(slug, game, edition))

    @extend_schema(
        operation_id="group_ladders_enter",
        summary="Let a bot play on a ladder of a group",
        request=EnteringBotSerializer,
        responses={204: None},
    )
    def post(self, request: Request, slug: str, game: str, edition: str) -> Response:
        """Let the newest accepted version of a bot of yours play there. Bots for the group only do so by themselves."""
        ladder, sent = self.ladder_or_404(slug, game, edition), self.read_data(EnteringBotSerializer)
        enter_group_ladder(ladder=ladder, bot=bot_or_404(request, sent["bot"]), by=require_unrestricted_token(request))
        return Response(status=204)


class GroupLadderBot(GroupLadderResource):
    """A bot on a ladder of a group."""

    @extend_schema(
        operation_id="group_ladders_leave", summary="Take a bot off a ladder of a group", responses={204: None}
    )
    def delete(self, request: Request, slug: str, game: str, edition: str, bot: str) -> Response:
        """Take a bot off the ladder, as its author or as an organiser. Its results stay."""
        ladder = self.ladder_or_404(slug, game, edition)
        leave_group_ladder(ladder=ladder, bot=bot_or_404(request, bot), by=require_unrestricted_token(request))
        return Response(status=204)


class GroupSeasonList(GroupLadderResource):
    """The seasons of a ladder of a group."""

    is_list = True
    ordering = ("-season",)

    @extend_schema(
        operation_id="group_seasons_list",
        summary="List the seasons of a ladder of a group",
        responses=LadderSerializer(many=True),
    )
    def get(self, request: Request, slug: str, game: str, edition: str) -> Response:
        """List all seasons, the latest first; none where the group never had this ladder."""
        return self.respond_page(list_seasons(game, edition, self.group_or_404(slug)))


class GroupSeasonDetail(GroupLadderResource):
    """One season of a ladder of a group."""

    serializer_class = SeasonSerializer

    @extend_schema(operation_id="group_seasons_retrieve", summary="Show a season of a ladder of a group")
    def get(self, request: Request, slug: str, game: str, edition: str, number: int) -> Response:
        """Return the season's document, as `pennant verify --season` reads it."""
        document: dict[str, Any] = build_season_document(self.season_or_404(slug, game, edition, number))
        deals = build_absolute_url(request, reverse("api_group_deals", args=[slug, game, edition, number]))
        return Response(document | {"deals": deals})


class GroupSeasonStandings(GroupLadderResource):
    """The standings of a season of a ladder of a group."""

    is_list = True
    serializer_class = StandingSerializer
    ordering = ("-is_ranked", "-rating", "deviation", "pk")

    @extend_schema(
        operation_id="group_seasons_standings",
        summary="Show the standings of a season of a ladder of a group",
        responses=StandingSerializer(many=True),
    )
    def get(self, request: Request, slug: str, game: str, edition: str, number: int) -> Response:
        """List the entries of a season, best first; the final standings once it is closed."""
        return self.respond_standings(self.season_or_404(slug, game, edition, number))


class GroupDealList(GroupLadderResource):
    """The deals of a season of a ladder of a group."""

    is_list = True
    serializer_class = DealSerializer
    ordering = ("number",)

    @extend_schema(
        operation_id="group_seasons_deals",
        summary="List the deals of a season of a ladder of a group",
        responses=DealSerializer(many=True),
    )
    def get(self, request: Request, slug: str, game: str, edition: str, number: int) -> Response:
        """List the hashes of all deals in the order of their numbers, which have no gaps."""
        ladder = self.season_or_404(slug, game, edition, number)
        shown = self.paginate_queryset(list_dealt_matches(ladder)) or []
        return self.get_paginated_response(build_deal_rows(ladder, shown))
