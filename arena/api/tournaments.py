"""Tournaments: planning one, and taking it from the draft to its end. Drafts are there for their organiser only."""

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena import tasks
from arena.api.auth import check_general
from arena.api.errors import find
from arena.api.examples import NEW_TOURNAMENT, REASON, TOURNAMENT, request_example, response_example
from arena.api.frame import Resource
from arena.api.references import HtmlUrlField
from arena.errors import NotYours
from arena.tournaments.formats import FORMATS
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.services import organising
from arena.tournaments.services.forecasting import time_left
from arena.tournaments.services.organising import Plan, is_organiser, plan_of
from arena.tournaments.terms import MOST_ENTRANTS, SCORINGS
from engine.registry import GAMES

OUT = [Entrant.State.WITHDRAWN, Entrant.State.DISQUALIFIED]
LONGEST_REASON = 500


class TermsSerializer(Serializer):
    """How it goes."""

    format = ChoiceField(list(FORMATS), required=False)
    rounds = IntegerField(
        min_value=1, max_value=99, required=False, allow_null=True, help_text="Null: as many as the format recommends."
    )
    pairs = IntegerField(min_value=1, max_value=25, required=False, help_text="Matches of a pairing, or best of.")
    extra = IntegerField(
        min_value=0, max_value=25, required=False, help_text="In a knockout, so many more where a pairing is even."
    )
    scoring = ChoiceField(list(SCORINGS), required=False, help_text="What counts: pairings won, or series scores.")
    groups = IntegerField(min_value=2, max_value=MOST_ENTRANTS, required=False, help_text="Before a knockout.")
    advance = IntegerField(min_value=1, max_value=MOST_ENTRANTS, required=False, help_text="Go on, of each group.")
    seats = IntegerField(min_value=2, max_value=4, required=False, help_text="At a table.")


class PlanSerializer(Serializer):
    """What is left out stays as it is; in a new one it is as usual."""

    title = CharField(max_length=60, required=False)
    about = CharField(max_length=2000, required=False, allow_blank=True)
    game = ChoiceField(list(GAMES), required=False)
    edition = SlugField(required=False)
    terms = TermsSerializer(required=False)
    is_rated = BooleanField(required=False, help_text="Its matches count for the ladder, too. For staff only.")
    is_patient = BooleanField(required=False, help_text="Its matches are played when nothing else waits.")
    entries_until = DateTimeField(required=False, allow_null=True, help_text="Null: until it is started.")
    most_entrants = IntegerField(min_value=2, max_value=MOST_ENTRANTS, required=False)
    most_of_owner = IntegerField(min_value=1, max_value=MOST_ENTRANTS, required=False)


@request_example("A cup", NEW_TOURNAMENT)
class NewTournamentSerializer(PlanSerializer):
    title = CharField(max_length=60, help_text="Its slug is made of it, and stays.")
    game = ChoiceField(list(GAMES))
    edition = SlugField(required=False, help_text="The game's first one where left out.")


class ChanceSerializer(Serializer):
    """What an entrant may hope for."""

    bot = CharField(help_text="Its slug.")
    win = FloatField(help_text="From 0 to 1.")
    podium = FloatField(help_text="To be third or better, from 0 to 1.")
    place = FloatField(help_text="The mean of its places, from 1.")


@response_example("Running", TOURNAMENT)
class TournamentSerializer(Serializer):
    slug = CharField(help_text="Its name in addresses.")
    page = HtmlUrlField()
    title = CharField()
    about = CharField()
    organiser = CharField(source="organiser.username")
    game = CharField()
    edition = CharField()
    terms = TermsSerializer()
    is_rated = BooleanField(help_text="Its matches count for the ladder, too.")
    is_patient = BooleanField(help_text="Its matches are played when nothing else waits.")
    entries_until = DateTimeField(allow_null=True, help_text="Versions are frozen then; null: when it is started.")
    most_entrants = IntegerField()
    most_of_owner = IntegerField(help_text="So many bots of one author may take part.")
    state = ChoiceField(Tournament.State.choices)
    state_reason = CharField(help_text="Why it is paused or called off.")
    entrants = IntegerField(source="there", help_text="That take part, or will.")
    rounds = IntegerField(source="begun", help_text="That were begun and count.")
    length = SerializerMethodField(help_text="So many rounds there are at the most; null before it begins.")
    seconds_left = SerializerMethodField(help_text="Until its end, as far as one can say; null in lists.")
    commitment = CharField(help_text="SHA-256 of the secret that all its deals come from, public from the start.")
    chances = DictField(
        child=ChanceSerializer(),
        allow_null=True,
        help_text="By seed what simulations say of its end, before it begins with who is ready. Null at first.",
    )
    chances_round = IntegerField(allow_null=True, help_text="So many rounds were over when they were made.")
    created_at = DateTimeField()
    started_at = DateTimeField(allow_null=True)
    finished_at = DateTimeField(allow_null=True)

    def get_length(self, tournament: Tournament) -> int | None:
        if tournament.numbered < 2:
            return None
        return tournament.format.length(tournament.numbered, tournament.settled_terms)

    def get_seconds_left(self, tournament: Tournament) -> float | None:
        return None if self.context.get("is_list") else time_left(tournament)


class TournamentQuery(Serializer):
    state = ChoiceField(Tournament.State.choices, required=False)
    game = ChoiceField(list(GAMES), required=False)
    organiser = CharField(required=False, max_length=150, help_text="User name.")


@request_example("With a reason", REASON)
class ReasonSerializer(Serializer):
    reason = CharField(max_length=LONGEST_REASON, required=False, allow_blank=True, help_text="Everybody may read it.")


def with_counts(tournaments: QuerySet[Tournament]) -> QuerySet[Tournament]:
    """All that is shown of each, without its secret."""
    rounds = Count("rounds", filter=Q(rounds__is_current=True), distinct=True)
    return (
        tournaments.select_related("organiser")
        .defer("secret")
        .annotate(there=Count("entrants", filter=~Q(entrants__state__in=OUT), distinct=True))
        .annotate(numbered=Count("entrants", filter=Q(entrants__number__isnull=False), distinct=True))
        .annotate(begun=rounds)
    )


def visible_to(request: Request) -> QuerySet[Tournament]:
    """Also one's own drafts; not for a token that is for one bot."""
    if not request.user.is_authenticated or (request.auth is not None and request.auth.bot_id is not None):
        return Tournament.objects.public()
    if request.user.is_superuser:
        return Tournament.objects.all()
    return Tournament.objects.exclude(~Q(organiser=request.user), state=Tournament.State.DRAFT)


def find_tournament(request: Request, slug: str) -> Tournament:
    """Raises NotFound."""
    return find(with_counts(visible_to(request)), f"There is no tournament at {slug}.", slug=slug)


def find_organised(request: Request, slug: str) -> Tournament:
    """Raises NotFound, NotAuthenticated or NotYours."""
    tournament = find_tournament(request, slug)
    check_general(request)
    if not is_organiser(tournament, request.user):
        raise NotYours("Only its organiser may do that.")
    return tournament


def fill_in(plan: Plan, sent: dict[str, Any]) -> Plan:
    """With what was sent."""
    sent = dict(sent)
    terms = replace(plan.terms, **sent.pop("terms", {}))
    return replace(plan, terms=terms, **sent)


class TournamentResource(Resource):
    serializer_class = TournamentSerializer

    def told(self, request: Request, slug: str, status: int = 200) -> Response:
        """As it is now."""
        return self.respond(find_tournament(request, slug), TournamentSerializer, status=status)


class TournamentList(TournamentResource):
    query_class = TournamentQuery

    def get_serializer_context(self) -> dict[str, Any]:
        return super().get_serializer_context() | {"is_list": self.request.method == "GET"}

    @extend_schema(
        operation_id="tournaments_list",
        summary="All tournaments",
        parameters=[TournamentQuery],
        responses=TournamentSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Newest first."""
        lookups = {"state": "state", "game": "game", "organiser": "organiser__username"}
        chosen = {lookups[name]: value for name, value in self.query.items()}
        return self.respond_page(with_counts(visible_to(request).filter(**chosen)))

    @extend_schema(
        operation_id="tournaments_create",
        summary="Plan a tournament",
        request=NewTournamentSerializer,
        responses={201: TournamentSerializer},
    )
    def post(self, request: Request) -> Response:
        """It is a draft that only you see, until you open it. Your account must be allowed to organise."""
        check_general(request)
        sent = self.read_data(NewTournamentSerializer)
        edition = next(iter(GAMES[sent["game"]].editions))
        plan = fill_in(Plan(title="", game="", edition=edition), sent)
        made = organising.create(organiser=request.user, plan=plan)
        return self.told(request, made.slug, status=201)


class TournamentDetail(TournamentResource):
    @extend_schema(operation_id="tournaments_retrieve", summary="One tournament")
    def get(self, request: Request, slug: str) -> Response:
        return self.told(request, slug)

    @extend_schema(
        operation_id="tournaments_partial_update", summary="Change the terms of a tournament", request=PlanSerializer
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Before it starts. The game and its edition only as long as nobody has entered."""
        tournament = find_organised(request, slug)
        plan = fill_in(plan_of(tournament), self.read_data(PlanSerializer))
        with transaction.atomic():
            organising.edit(tournament=tournament, organiser=request.user, plan=plan)
            tasks.play_tournament.delay_on_commit(tournament.pk)
        return self.told(request, slug)


class Action(TournamentResource):
    """Something that only its organiser does."""

    permission_classes = [IsAuthenticated]

    def act(self, request: Request, slug: str, service: Any, **more: Any) -> Response:
        tournament = find_organised(request, slug)
        with transaction.atomic():
            service(tournament=tournament, organiser=request.user, **more)
            tasks.play_tournament.delay_on_commit(tournament.pk)
        return self.told(request, slug)


class TournamentOpen(Action):
    @extend_schema(operation_id="tournaments_open", summary="Show a draft, and take entries", request=None)
    def post(self, request: Request, slug: str) -> Response:
        return self.act(request, slug, organising.open_entries)


class TournamentStart(Action):
    @extend_schema(operation_id="tournaments_start", summary="Close entries and start", request=None)
    def post(self, request: Request, slug: str) -> Response:
        """Versions are frozen now. It begins as soon as all checks are over."""
        return self.act(request, slug, organising.close_entries)


class TournamentPause(Action):
    @extend_schema(operation_id="tournaments_pause", summary="Begin no more matches", request=ReasonSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """What is being played is played to its end, and counts."""
        return self.act(request, slug, organising.pause, **self.read_data(ReasonSerializer))


class TournamentResume(Action):
    @extend_schema(operation_id="tournaments_resume", summary="Go on exactly where it was", request=None)
    def post(self, request: Request, slug: str) -> Response:
        return self.act(request, slug, organising.resume)


class TournamentCancel(Action):
    @extend_schema(operation_id="tournaments_cancel", summary="Call a tournament off", request=ReasonSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """It ends without a winner, for good. What was played stays to be seen."""
        return self.act(request, slug, organising.cancel, **self.read_data(ReasonSerializer))


class RoundRerun(Action):
    @extend_schema(
        operation_id="tournaments_rounds_rerun", summary="Play again from a round on", request=ReasonSerializer
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """That round and all after it count no more: they are paired and played anew, on other deals."""
        reason = self.read_data(ReasonSerializer).get("reason", "")
        return self.act(request, slug, organising.rerun, number=number, reason=reason)
