"""Tournaments: create, read, change, start, pause and cancel them. Only their organisers see drafts."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from arena import tasks
from arena.accounts.models import User
from arena.api.auth import find_bot_of_token, require_unrestricted_token, require_user
from arena.api.errors import require_row
from arena.api.examples import (
    EXAMPLE_REASON,
    EXAMPLE_TOURNAMENT,
    request_example,
    response_example,
)
from arena.api.fields import ChoiceField, MessageText
from arena.api.frame import Resource
from arena.api.references import HtmlUrlField
from arena.api.rules import ChangedOptionsField, OptionsField, VariantField
from arena.api.tournament_plans import ChangesSerializer, NewTournamentSerializer, apply_changes
from arena.api.tournament_settings import PhaseSerializer, SettingsSerializer, count_planned_rounds
from arena.errors import NotYours
from arena.groups.codes import format_code
from arena.private_responses import forbid_caching
from arena.tournaments.models import Tournament
from arena.tournaments.phases import name_phases
from arena.tournaments.queries.tournaments import find_tournament, list_tournaments
from arena.tournaments.services import organising
from arena.tournaments.services.forecasting import estimate_time_left
from arena.tournaments.services.organisers import is_organiser
from arena.tournaments.services.organising import Plan, build_plan
from engine.message import gettext_noop, message
from engine.registry import GAMES

MAX_REASON_LENGTH = 500


class ForecastSerializer(Serializer):
    """Chances of an entrant, by simulation."""

    bot = CharField(help_text="Slug of the bot.")
    win = FloatField(help_text="Probability of winning, from 0 to 1.")
    podium = FloatField(help_text="Probability of being third or better, from 0 to 1.")
    place = FloatField(help_text="Mean place.")


@response_example("Running", EXAMPLE_TOURNAMENT)
class TournamentSerializer(Serializer):
    """A tournament."""

    slug = CharField(help_text="Name of the tournament in addresses.")
    html_url = HtmlUrlField()
    title = CharField(help_text="Title of the tournament.")
    description = CharField(help_text="Description by the organiser; may be empty.")
    organiser = CharField(source="organiser.username", help_text="User name of the organiser.")
    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    options = OptionsField()
    changed_options = ChangedOptionsField()
    variant = VariantField()
    settings = SerializerMethodField(help_text="Settings that decide how it is played.")
    is_rated = BooleanField(help_text="Whether its matches count for the ladder, too.")
    is_low_priority = BooleanField(help_text="Low priority: its matches are played only when the queue is empty.")
    entries_close_at = DateTimeField(allow_null=True, help_text="When entries close; null: when it is started.")
    max_entrants = IntegerField(help_text="Maximum number of bots.")
    max_entrants_per_author = IntegerField(help_text="Maximum number of bots of one author.")
    group = SerializerMethodField(help_text="Slug of its group, for its organisers alone; null in lists.")
    visibility = ChoiceField(Tournament.Visibility.choices, help_text="Who sees it once it is opened.")
    entry_rule = ChoiceField(Tournament.EntryRule.choices, help_text="Whose bots may enter.")
    entry_code = SerializerMethodField(
        help_text="Code by which authors may enter, for its organisers alone; null in lists."
    )
    are_entries_moderated = BooleanField(help_text="Whether each entry waits until an organiser approves it.")
    state = ChoiceField(Tournament.State.choices, help_text="State of the tournament.")
    state_reason = MessageText(help_text="Why it is paused or cancelled; empty otherwise.")
    entrants = IntegerField(source="entrants_count", help_text="Number of bots that take part.")
    rounds_started = IntegerField(
        source="rounds_count", help_text="Number of rounds that were started, without replays."
    )
    rounds_planned = SerializerMethodField(
        help_text="Maximum number of rounds; before the start, with the bots entered now, or with as many as may enter "
        "while these are too few."
    )
    phases = SerializerMethodField(help_text="Phases: one, or another one and then a knockout.")
    seconds_left = SerializerMethodField(help_text="Estimated seconds until its end; null in lists.")
    commitment = CharField(help_text="SHA-256 of the secret from which all deals come, public from the start.")
    forecast = DictField(
        child=ForecastSerializer(),
        allow_null=True,
        help_text="Chances by seed; before the start, of the bots that are ready. Null before the first simulation.",
    )
    forecast_after_round = IntegerField(allow_null=True, help_text="Number of rounds that were over for the forecast.")
    created_at = DateTimeField(help_text="When it was created.")
    started_at = DateTimeField(allow_null=True, help_text="When it started; null before.")
    finished_at = DateTimeField(allow_null=True, help_text="When it ended; null before.")

    @extend_schema_field(SettingsSerializer)
    def get_settings(self, tournament: Tournament) -> dict[str, Any]:
        """Return the settings."""
        return dict(SettingsSerializer(tournament.settings).data)

    def get_group(self, tournament: Tournament) -> str | None:
        """Return the slug of the group for an organiser."""
        return tournament.group.slug if tournament.group and self._is_for_organiser(tournament) else None

    def get_entry_code(self, tournament: Tournament) -> str | None:
        """Return the code for an organiser."""
        code = tournament.entry_code
        return format_code(code) if code and self._is_for_organiser(tournament) else None

    def _is_for_organiser(self, tournament: Tournament) -> bool:
        is_list = self.context.get("is_list")
        return not is_list and is_organiser(tournament, reader_of(self.context["request"]))

    def get_rounds_planned(self, tournament: Any) -> int:
        """Return the number of rounds."""
        return sum(count_planned_rounds(tournament))

    @extend_schema_field(PhaseSerializer(many=True))
    def get_phases(self, tournament: Any) -> list[dict[str, Any]]:
        """Return the phases."""
        keys = name_phases(tournament.format)
        return [
            {"number": number, "key": key, "rounds_planned": rounds}
            for number, (key, rounds) in enumerate(zip(keys, count_planned_rounds(tournament), strict=True), start=1)
        ]

    def get_seconds_left(self, tournament: Tournament) -> float | None:
        """Return the estimate."""
        return None if self.context.get("is_list") else estimate_time_left(tournament)


class TournamentQuery(Serializer):
    """Filters of the list of tournaments."""

    state = ChoiceField(Tournament.State.choices, required=False, help_text="Only tournaments in this state.")
    game = ChoiceField(list(GAMES), required=False, help_text="Only tournaments in this game.")
    organiser = CharField(
        required=False, max_length=150, help_text="Only tournaments of the organiser with this user name."
    )


@request_example("With a reason", EXAMPLE_REASON)
class ReasonSerializer(Serializer):
    """A reason given by the organiser."""

    reason = CharField(
        max_length=MAX_REASON_LENGTH, required=False, allow_blank=True, help_text="Reason, which is public."
    )


def reader_of(request: Request) -> User | AnonymousUser:
    """Return the user whose tournaments are visible; an anonymous one for a token of a single bot."""
    return AnonymousUser() if find_bot_of_token(request) is not None else request.user


def tournament_or_404(request: Request, slug: str) -> Tournament:
    """Return a tournament that the request may read. Raise NotFound."""
    message = _("There is no tournament at %(slug)s.") % {"slug": slug}
    tournament = require_row(find_tournament(reader_of(request), slug), message)
    if not tournament.is_public:
        forbid_caching(request)
    return tournament


def own_tournament_or_404(request: Request, slug: str) -> Tournament:
    """Return a tournament of the organiser. Raise NotFound, NotAuthenticated or NotYours."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, require_unrestricted_token(request)):
        raise NotYours(message(gettext_noop("Only the organiser of the tournament may do that.")))
    return tournament


class TournamentResource(Resource):
    """An address that returns one tournament."""

    serializer_class = TournamentSerializer

    def respond_tournament(self, request: Request, slug: str, status: int = 200) -> Response:
        """Return the tournament as it is now."""
        return self.respond(tournament_or_404(request, slug), TournamentSerializer, status=status)


class TournamentList(TournamentResource):
    """All tournaments."""

    is_list = True
    query_class = TournamentQuery

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context, which says whether this is a list."""
        return super().get_serializer_context() | {"is_list": self.request.method == "GET"}

    @extend_schema(
        operation_id="tournaments_list",
        summary="List tournaments",
        parameters=[TournamentQuery],
        responses=TournamentSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List tournaments, newest first."""
        lookups = {"state": "state", "game": "game", "organiser": "organiser__username"}
        conditions = {lookups[name]: value for name, value in self.query.items()}
        return self.respond_page(list_tournaments(reader_of(request), **conditions))

    @extend_schema(
        operation_id="tournaments_create",
        summary="Create a tournament",
        request=NewTournamentSerializer,
        responses={201: TournamentSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a draft that only you see until you open it. Your account needs the permission to organise."""
        organiser = require_unrestricted_token(request)
        sent = self.read_data(NewTournamentSerializer)
        edition = next(iter(GAMES[sent["game"]].editions))
        plan = apply_changes(organiser, Plan(title="", game="", edition=edition), sent)
        made = organising.create(organiser=organiser, plan=plan)
        return self.respond_tournament(request, made.slug, status=201)


class TournamentDetail(TournamentResource):
    """One tournament."""

    @extend_schema(operation_id="tournaments_retrieve", summary="Show a tournament")
    def get(self, request: Request, slug: str) -> Response:
        """Return a tournament."""
        return self.respond_tournament(request, slug)

    @extend_schema(operation_id="tournaments_partial_update", summary="Change a tournament", request=ChangesSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change a tournament before it starts; its game and rules only while nobody has entered."""
        tournament, organiser = own_tournament_or_404(request, slug), require_user(request)
        sent = self.read_data(ChangesSerializer)
        reason = sent.pop("reason", "")
        plan = apply_changes(organiser, build_plan(tournament), sent)
        with transaction.atomic():
            organising.edit(tournament=tournament, organiser=organiser, plan=plan, reason=reason)
            tasks.play_tournament.delay_on_commit(tournament.pk)
        return self.respond_tournament(request, slug)


class TournamentAction(TournamentResource):
    """Base of actions of the organiser."""

    permission_classes = [IsAuthenticated]

    def act(self, request: Request, slug: str, service: Any, **more: Any) -> Response:
        """Call the service and return the tournament as it is afterwards."""
        tournament = own_tournament_or_404(request, slug)
        with transaction.atomic():
            service(tournament=tournament, organiser=request.user, **more)
            tasks.play_tournament.delay_on_commit(tournament.pk)
        return self.respond_tournament(request, slug)


class TournamentOpen(TournamentAction):
    """Opening a tournament."""

    @extend_schema(operation_id="tournaments_open", summary="Open a tournament", request=None)
    def post(self, request: Request, slug: str) -> Response:
        """Publish a draft and accept entries."""
        return self.act(request, slug, organising.open_entries)


class TournamentStart(TournamentAction):
    """Starting a tournament."""

    @extend_schema(operation_id="tournaments_start", summary="Start a tournament", request=None)
    def post(self, request: Request, slug: str) -> Response:
        """Close entries and freeze the versions. The first round starts once all checks are over."""
        return self.act(request, slug, organising.close_entries)


class TournamentPause(TournamentAction):
    """Pausing a tournament."""

    @extend_schema(operation_id="tournaments_pause", summary="Pause a tournament", request=ReasonSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Start no more matches. Those that are being played are finished and count."""
        return self.act(request, slug, organising.pause, **self.read_data(ReasonSerializer))


class TournamentResume(TournamentAction):
    """Resuming a tournament."""

    @extend_schema(operation_id="tournaments_resume", summary="Resume a tournament", request=None)
    def post(self, request: Request, slug: str) -> Response:
        """Continue a tournament where it was paused."""
        return self.act(request, slug, organising.resume)


class TournamentCancel(TournamentAction):
    """Cancelling a tournament."""

    @extend_schema(operation_id="tournaments_cancel", summary="Cancel a tournament", request=ReasonSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """End a tournament without a winner, for good. What was played stays visible."""
        return self.act(request, slug, organising.cancel, **self.read_data(ReasonSerializer))


class RoundReplay(TournamentAction):
    """Replaying rounds."""

    @extend_schema(
        operation_id="tournaments_rounds_replay",
        summary="Replay a tournament from a round on",
        request=ReasonSerializer,
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Drop a round and all rounds after it: they are paired and played again on other deals."""
        reason = self.read_data(ReasonSerializer).get("reason", "")
        return self.act(request, slug, organising.replay_rounds, number=number, reason=reason)
