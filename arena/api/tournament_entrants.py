"""Who takes part in a tournament: entering a bot, and taking one out."""

from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    FloatField,
    IntegerField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena import tasks
from arena.api.auth import bot_or_404, check_owner, is_owner
from arena.api.errors import find
from arena.api.examples import ENTRANT, ENTRY, LEAVING, request_example, response_example
from arena.api.frame import Resource
from arena.api.references import NamedVersionSerializer, VersionSerializer, version_or_404
from arena.api.tournaments import LONGEST_REASON, find_organised, find_tournament
from arena.bots.models import Bot
from arena.bots.queries.versions import list_named_versions
from arena.tournaments.models import Check, Entrant, Tournament
from arena.tournaments.services import entering
from arena.tournaments.services.organising import is_organiser


@response_example("Ready", ENTRANT)
class EntrantSerializer(Serializer):
    number = IntegerField(allow_null=True, help_text="Its seed, from 1; null until versions are frozen.")
    version = VersionSerializer()
    follows = BooleanField(help_text="Until entries close each newer accepted version takes over.")
    state = ChoiceField(Entrant.State.choices)
    state_reason = SerializerMethodField(help_text="Of a failed check its owner and the organiser are told more.")
    check = IntegerField(source="check_match", allow_null=True, help_text="Id of the match that checks this version.")
    rating = FloatField(allow_null=True, help_text="On the ladder when it was seeded.")
    left_in = IntegerField(allow_null=True, help_text="The round from which on it plays no more.")
    place = IntegerField(allow_null=True, help_text="In the end.")
    created_at = DateTimeField()

    def get_state_reason(self, entrant: Entrant) -> str:
        request, reason = self.context["request"], entrant.state_reason
        if entrant.state != Entrant.State.FAILED or is_owner(request, entrant.bot) or self.context["sees_all"]:
            return reason
        first, dot, _quoted = reason.partition(". ")
        return f"{first}." if dot else reason


@request_example("The newest version", ENTRY)
class EntrySerializer(NamedVersionSerializer):
    version = IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="Where left out, its newest accepted one, and newer ones take over until entries close.",
    )


@request_example("With a reason", LEAVING)
class LeavingSerializer(Serializer):
    bot = SlugField(help_text="Slug of the bot.")
    reason = CharField(max_length=LONGEST_REASON, required=False, allow_blank=True, help_text="Everybody may read it.")


def entrants_of(tournament: Tournament) -> QuerySet[Entrant]:
    """With all that is shown of each."""
    checks = Check.objects.filter(entrant=OuterRef("pk"), version=OuterRef("version")).order_by("-pk")
    entrants = Entrant.objects.filter(tournament=tournament).select_related("bot__owner")
    versions = Prefetch("version", list_named_versions())
    return entrants.annotate(check_match=Subquery(checks.values("match")[:1])).prefetch_related(versions)


def may_act_for(request: Request, tournament: Tournament, bot: Bot) -> None:
    """Its owner, or the organiser. Raises NotAuthenticated or NotYours."""
    is_general = request.auth is None or request.auth.bot_id is None
    if not (is_general and is_organiser(tournament, request.user)):
        check_owner(request, bot)


class EntrantResource(Resource):
    serializer_class = EntrantSerializer
    ordering = ("pk",)
    tournament: Tournament | None = None

    def find(self, request: Request, slug: str) -> Tournament:
        """What is shown hangs on who asks. Raises NotFound."""
        self.tournament = find_tournament(request, slug)
        return self.tournament

    def get_serializer_context(self) -> dict[str, Any]:
        request = self.request
        is_general = request.auth is None or request.auth.bot_id is None
        is_known = self.tournament is not None and is_organiser(self.tournament, request.user)
        return super().get_serializer_context() | {"sees_all": is_general and is_known}

    def told(self, entrant: Entrant, status: int = 200) -> Response:
        """As it is now. Whatever was done, the tournament goes on from there."""
        tasks.play_tournament.delay_on_commit(self.tournament.pk)
        return self.respond(entrants_of(self.tournament).get(pk=entrant.pk), EntrantSerializer, status=status)


class EntrantList(EntrantResource):
    @extend_schema(
        operation_id="tournaments_entrants_list", summary="Who takes part", responses=EntrantSerializer(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        """In the order in which they entered; also those that have left."""
        return self.respond_page(entrants_of(self.find(request, slug)))

    @extend_schema(
        operation_id="tournaments_entrants_create",
        summary="Enter a bot",
        request=EntrySerializer,
        responses={201: EntrantSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """By its owner or the organiser. It plays a check against itself. Sent again with another version, that one is
        entered instead."""
        tournament = self.find(request, slug)
        sent = self.read_data(EntrySerializer)
        bot = bot_or_404(sent["bot"])
        may_act_for(request, tournament, bot)
        version = version_or_404(sent) if "version" in sent else None
        with transaction.atomic():
            entrant = entering.enter(tournament=tournament, bot=bot, user=request.user, version=version)
        return self.told(entrant, status=201)


class EntrantAction(EntrantResource):
    permission_classes = [IsAuthenticated]

    def find_entrant(self, request: Request, slug: str, bot: str) -> Entrant:
        """Raises NotFound."""
        entrants = self.find(request, slug).entrants.select_related("bot__owner", "tournament")
        return find(entrants, f"No bot at {bot} has entered.", bot__slug=bot)


class EntrantWithdraw(EntrantAction):
    @extend_schema(operation_id="tournaments_withdraw", summary="Take a bot out", request=LeavingSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """By its owner or the organiser. What it plays now between two is lost."""
        sent = self.read_data(LeavingSerializer)
        entrant = self.find_entrant(request, slug, sent["bot"])
        may_act_for(request, self.tournament, entrant.bot)
        return self.told(entering.withdraw(entrant=entrant, user=request.user, reason=sent.get("reason", "")))


class EntrantDisqualify(EntrantAction):
    @extend_schema(operation_id="tournaments_disqualify", summary="Put a bot out for good", request=LeavingSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """By the organiser, with a reason."""
        sent = self.read_data(LeavingSerializer)
        entrant = self.find_entrant(request, slug, sent["bot"])
        find_organised(request, slug)
        reason = sent.get("reason", "")
        return self.told(entering.disqualify(entrant=entrant, organiser=request.user, reason=reason))
