"""Tournaments: plan, create, seed, read, change, start, pause and cancel them. Only organisers see drafts."""

from dataclasses import fields, replace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena.api.frame import (
    ChangedOptionsField,
    ChoiceField,
    HtmlUrlField,
    MessageText,
    NewOptionsField,
    OptionsField,
    Resource,
    SeriesSerializer,
    VariantField,
    build_absolute_url,
    operation,
)
from arena.api.requests import find_bot_of_token, require_row, require_unrestricted_token
from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.overview import fetch_overview
from arena.contests.tournaments.phases import count_expected_entrants, explain_missing_rounds, name_phases
from arena.contests.tournaments.queries import find_tournament, list_tournaments
from arena.contests.tournaments.services import organising, playing
from arena.contests.tournaments.services.access import Access, BadAccess, is_organiser, note_reader, sign_archive_link
from arena.contests.tournaments.services.entering import invite_entrants
from arena.contests.tournaments.services.forecasting import TimeLeft, estimate_time_left, explain_missing_forecast
from arena.contests.tournaments.services.organising import MAX_HIDDEN_ROUNDS, TournamentPlan, build_plan
from arena.contests.tournaments.services.trials import leave_out_trials
from arena.contests.tournaments.settings import MAX_ENTRANTS, SCORINGS
from arena.core.errors import NotYours
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.matches.filters import parse_series_length
from arena.people.accounts.models import User
from arena.people.groups.models import format_code
from arena.people.groups.services import find_organised_group
from engine.message import Message, gettext_noop, message
from engine.registry import GAMES

# The settings of a tournament, and the phases that follow from them.


class SettingsSerializer(Serializer):
    """Settings for how a tournament is played."""

    format = ChoiceField(list(FORMATS), required=False, help_text="Tournament format.")
    rounds = IntegerField(
        min_value=1,
        max_value=99,
        required=False,
        allow_null=True,
        help_text="Number of rounds; null for the format's recommendation.",
    )
    matches_per_pairing = IntegerField(
        min_value=1,
        max_value=25,
        required=False,
        help_text="Matches per pairing; in a knockout, best of this number.",
    )
    max_tiebreak_matches = IntegerField(
        min_value=0,
        max_value=25,
        required=False,
        help_text="Maximum number of extra matches in a tied knockout pairing.",
    )
    scoring = ChoiceField(list(SCORINGS), required=False, help_text="Whether won pairings or game points count.")
    groups = IntegerField(
        min_value=2, max_value=MAX_ENTRANTS, required=False, help_text="Number of groups before a knockout."
    )
    advance_per_group = IntegerField(
        min_value=1,
        max_value=MAX_ENTRANTS,
        required=False,
        help_text="Number of entrants that advance from each group.",
    )
    knockout_size = IntegerField(
        min_value=2,
        max_value=MAX_ENTRANTS,
        required=False,
        help_text="Number of entrants that advance from a Swiss phase to the knockout.",
    )
    third_place_match = BooleanField(
        required=False,
        help_text="Whether a knockout's losing semi-finalists play for third place; otherwise they share it.",
    )
    seats = IntegerField(min_value=2, max_value=4, required=False, help_text="Number of seats at a table.")
    series = SeriesSerializer(
        required=False,
        allow_null=True,
        help_text="Length of each match as a series of games. Defaults to null: mirrored pairs, which are fairer.",
    )


class PhaseSerializer(Serializer):
    """A tournament's phase."""

    number = IntegerField(help_text="Phase number, starting at 1.")
    key = CharField(help_text="Its format; `knockout` for a knockout after another phase.")
    rounds_planned = IntegerField(help_text="Maximum number of rounds.")


def count_planned_rounds(tournament: Any) -> tuple[int, ...]:
    """Return the maximum number of rounds of each phase; the tournament is one of `list_tournaments`."""
    settings = tournament.full_settings
    count = tournament.seeded_count or count_expected_entrants(
        tournament.entrants_count, settings, tournament.max_entrants
    )
    found: tuple[int, ...] = tournament.format.count_phase_rounds(count, settings)
    return found


def find_missing_rounds(tournament: Any, *, in_list: bool) -> Message | None:
    """Return why a Swiss has or may have fewer rounds than planned, or None; in lists none that has started."""
    if not tournament.has_started:
        settings, there = tournament.full_settings, tournament.entrants_count
        count = count_expected_entrants(there, settings, tournament.max_entrants)
        return None if tournament.is_over else explain_missing_rounds(tournament.format, count, settings)
    return None if in_list else fetch_overview(tournament).missing_rounds


# What organisers send to plan a tournament, and how it changes the plan.


class PlanSerializer(Serializer):
    """Changes to a tournament. Omitted fields stay; in a new one, they have their defaults."""

    title = CharField(max_length=60, required=False, help_text="The tournament's title.")
    description = CharField(max_length=2000, required=False, allow_blank=True, help_text="The organiser's description.")
    game = ChoiceField(list(GAMES), required=False, help_text="Key of the game.")
    edition = SlugField(required=False, help_text="Key of the edition.")
    options = NewOptionsField()
    settings = SettingsSerializer(required=False, help_text="Settings for how the tournament is played.")
    is_rated = BooleanField(
        required=False, help_text="Whether its matches also count for the ladder. Only staff can set this."
    )
    is_low_priority = BooleanField(
        required=False, help_text="Whether to play its matches only when the queue is otherwise empty."
    )
    entries_close_at = DateTimeField(
        required=False,
        allow_null=True,
        help_text="When entries close; null means when the tournament is started. A new time set after entries "
        "have closed reopens them.",
    )
    hidden_rounds = IntegerField(
        min_value=0,
        max_value=MAX_HIDDEN_ROUNDS,
        required=False,
        help_text="Number of final rounds that only organisers can see until they reveal them.",
    )
    max_entrants = IntegerField(
        min_value=2,
        max_value=MAX_ENTRANTS,
        required=False,
        help_text="Maximum number of bots.",
    )
    max_entrants_per_author = IntegerField(
        min_value=1,
        max_value=MAX_ENTRANTS,
        required=False,
        help_text="Maximum number of bots per author.",
    )
    group = SlugField(
        required=False,
        allow_null=True,
        help_text="Slug of a group that you organise, or null. The group's organisers then also organise the "
        "tournament.",
    )
    visibility = ChoiceField(
        Tournament.Visibility.choices,
        required=False,
        help_text="Who can see it: anyone, people with its address, or the group. Once it's open, it can only "
        "be made public.",
    )
    entry_rule = ChoiceField(Tournament.EntryRule.choices, required=False, help_text="Who can enter bots.")
    permitted_authors = ListField(
        child=CharField(max_length=150),
        required=False,
        help_text="Usernames of the authors who can enter bots; only with the `list` rule.",
    )
    are_entries_moderated = BooleanField(required=False, help_text="Whether an organiser must approve each entry.")
    allows_remote = BooleanField(
        required=False,
        help_text="Whether remote bots can enter; only in tournaments of a group, and until entries close.",
    )


class ChangesSerializer(PlanSerializer):
    """Changes to a tournament, with a reason."""

    reason = CharField(
        max_length=500,
        required=False,
        allow_blank=True,
        help_text="Reason, which is public. Changes made after entries have opened are recorded.",
    )


class NewTournamentSerializer(PlanSerializer):
    """A tournament to create."""

    title = CharField(
        max_length=60, help_text="The tournament's title. The slug is derived from it and doesn't change."
    )
    game = ChoiceField(list(GAMES), help_text="Key of the game.")
    edition = SlugField(required=False, help_text="Key of the edition. Defaults to the game's first edition.")
    invites_entrants_of = SlugField(
        required=False,
        help_text="Slug of a tournament that you organise. The authors of its bots are invited once entries "
        "open. Only authors can enter their bots.",
    )


def apply_changes(organiser: User, plan: TournamentPlan, changes: dict[str, Any]) -> TournamentPlan:
    """Return the plan with these changes. Raise BadAccess for a group that isn't the organiser's."""
    changes = dict(changes)
    plan = replace(plan, access=change_access(organiser, plan.access, changes))
    if "options" in changes or changes.get("game", plan.game) != plan.game:
        changes["changed_options"] = changes.pop("options", {})
    changed = dict(changes.pop("settings", {}))
    if "series" in changed:
        game = changes.get("game", plan.game)
        changed["series"] = parse_series_length(game, changed.get("seats", plan.settings.seats), changed["series"])
    settings = replace(plan.settings, **changed)
    return replace(plan, settings=settings, **changes)


def change_access(organiser: User, access: Access, changes: dict[str, Any]) -> Access:
    """Return the access with those of the changes that are about it, which are taken out of them. Raise BadAccess."""
    changed = {field.name: changes.pop(field.name) for field in fields(Access) if field.name in changes}
    if changed.get("group"):
        slug = changed["group"]
        changed["group"] = find_organised_group(organiser, slug)
        if changed["group"] is None:
            raise BadAccess(message(gettext_noop("You don't organise a group with the address %(slug)s."), slug=slug))
    if "permitted_authors" in changed:
        changed["permitted_authors"] = tuple(dict.fromkeys(changed["permitted_authors"]))
    return replace(access, **changed)


# Tournaments: create, read, change, start, pause and cancel them. Only their organisers see drafts.

MAX_REASON_LENGTH = 500


class ForecastSerializer(Serializer):
    """An entrant's chances, by simulation."""

    bot = CharField(help_text="The bot's slug.")
    win = FloatField(help_text="Probability of winning, from 0 to 1.")
    podium = FloatField(help_text="Probability of a top-three place, from 0 to 1.")
    place = FloatField(help_text="Mean place.")


class TournamentSerializer(Serializer):
    """A tournament."""

    slug = CharField(help_text="The tournament's slug.")
    html_url = HtmlUrlField()
    title = CharField(help_text="The tournament's title.")
    description = CharField(help_text="The organiser's description; may be empty.")
    organiser = CharField(source="organiser.username", help_text="The organiser's username.")
    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    options = OptionsField()
    changed_options = ChangedOptionsField()
    variant = VariantField()
    settings = SettingsSerializer(read_only=True, help_text="Settings for how the tournament is played.")
    is_rated = BooleanField(help_text="Whether its matches also count for the ladder.")
    is_low_priority = BooleanField(help_text="Whether its matches are played only when the queue is otherwise empty.")
    entries_close_at = DateTimeField(
        allow_null=True, help_text="When entries close; null means when the tournament is started."
    )
    hidden_rounds = IntegerField(
        help_text="Number of final rounds that only organisers can see until they reveal them."
    )
    is_concealed = BooleanField(
        help_text="Whether these rounds are hidden now: they aren't listed, and no bot has a final place."
    )
    revealed_at = DateTimeField(allow_null=True, help_text="When the hidden rounds were revealed, or null.")
    max_entrants = IntegerField(help_text="Maximum number of bots.")
    max_entrants_per_author = IntegerField(help_text="Maximum number of bots per author.")
    group = SerializerMethodField(help_text="Slug of its group, only for its organisers; null in lists.")
    visibility = ChoiceField(Tournament.Visibility.choices, help_text="Who can see it once it's open.")
    entry_rule = ChoiceField(Tournament.EntryRule.choices, help_text="Who can enter bots.")
    entry_code = SerializerMethodField(help_text="Code for entering bots, only for its organisers; null in lists.")
    are_entries_moderated = BooleanField(help_text="Whether an organiser must approve each entry.")
    allows_remote = BooleanField(
        help_text="Whether remote bots can enter: they run on their authors' machines, with 60 s a move and 10 minutes "
        "a leg."
    )
    state = ChoiceField(Tournament.State.choices, help_text="The tournament's state.")
    state_reason = MessageText(help_text="Why it's paused or cancelled; empty otherwise.")
    entrants = IntegerField(source="entrants_count", help_text="Number of bots that take part.")
    rounds_started = IntegerField(source="rounds_count", help_text="Number of rounds started, without replays.")
    rounds_planned = IntegerField(
        source="all_rounds",
        read_only=True,
        help_text="Maximum number of rounds. Before the start, with the current entries or, if too "
        "few, the maximum number of bots.",
    )
    missing_rounds = MessageText(
        source="why_rounds_are_missing",
        help_text="Why a Swiss has or might have fewer rounds than planned, before the start with "
        "the current entries. Empty otherwise, and in lists after the start.",
    )
    phases = PhaseSerializer(
        source="all_phases", many=True, read_only=True, help_text="Phases: one, or one followed by a knockout."
    )
    seconds_left = FloatField(
        source="time_left.seconds.middle",
        read_only=True,
        allow_null=True,
        help_text="Estimated seconds until its end, the middle of the range below; null in lists and if unknown.",
    )
    seconds_left_low = FloatField(
        source="time_left.seconds.low",
        read_only=True,
        allow_null=True,
        help_text="Lowest likely number of seconds: all machines free, bots as fast as in their latest matches.",
    )
    seconds_left_high = FloatField(
        source="time_left.seconds.high",
        read_only=True,
        allow_null=True,
        help_text="Highest likely number of seconds: slower bots than usual, machines shared with the whole queue.",
    )
    whole_clock_seconds = FloatField(
        source="time_left.whole_clock_s",
        read_only=True,
        allow_null=True,
        help_text="Before the draw, the maximum number of seconds if every bot uses its whole clock, "
        "with as many bots as `rounds_planned` assumes; null afterwards and in lists.",
    )
    seconds_left_reason = MessageText(
        source="time_left.reason",
        help_text="Why it has no estimate, such as no machine playing matches; empty otherwise and in lists.",
    )
    commitment = CharField(help_text="SHA-256 of the secret from which all deals are derived, public from the start.")
    forecast = DictField(
        child=ForecastSerializer(),
        allow_null=True,
        help_text="Chances by seed; before the start, of the bots that are ready. Null before the "
        "first simulation, and while ratings are less certain than the differences between the bots.",
    )
    forecast_reason = MessageText(
        source="missing_forecast", help_text="Why the forecast was left out; empty otherwise."
    )
    forecast_after_round = IntegerField(allow_null=True, help_text="Number of finished rounds in the forecast.")
    created_at = DateTimeField(help_text="When it was created.")
    started_at = DateTimeField(allow_null=True, help_text="When it started, or null.")
    finished_at = DateTimeField(allow_null=True, help_text="When it ended, or null.")

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

    def to_representation(self, tournament: Any) -> dict[str, Any]:
        """Return the tournament with what is computed of it; the time that is left, in lists, is not."""
        rounds = count_planned_rounds(tournament)
        tournament.all_rounds = sum(rounds)
        tournament.all_phases = [
            {"number": number, "key": key, "rounds_planned": count}
            for number, (key, count) in enumerate(zip(name_phases(tournament.format), rounds, strict=True), start=1)
        ]
        tournament.why_rounds_are_missing = find_missing_rounds(tournament, in_list=bool(self.context.get("is_list")))
        tournament.time_left = TimeLeft() if self.context.get("is_list") else estimate_time_left(tournament)
        tournament.missing_forecast = explain_missing_forecast(tournament)
        return dict(super().to_representation(tournament))


class TournamentQuery(Serializer):
    """Filters for the list of tournaments."""

    state = ChoiceField(Tournament.State.choices, required=False, help_text="Only tournaments in this state.")
    game = ChoiceField(list(GAMES), required=False, help_text="Only tournaments in this game.")
    organiser = CharField(
        required=False, max_length=150, help_text="Only tournaments by the organiser with this username."
    )


class ReasonSerializer(Serializer):
    """The organiser's reason."""

    reason = CharField(
        max_length=MAX_REASON_LENGTH, required=False, allow_blank=True, help_text="Reason, which is public."
    )


def reader_of(request: Request) -> User | AnonymousUser:
    """Return the user whose tournaments are visible; an anonymous one for a token of a single bot."""
    return AnonymousUser() if find_bot_of_token(request) is not None else request.user


def tournament_or_404(request: Request, slug: str) -> Tournament:
    """Return a tournament that the request may read. Raise NotFound."""
    message = _("There's no tournament with the address %(slug)s.") % {"slug": slug}
    tournament = require_row(find_tournament(reader_of(request), slug), message)
    note_reader(tournament, reader_of(request))
    if not tournament.is_public or tournament.shows_all:
        forbid_caching(request)
    return tournament


def own_tournament_or_404(request: Request, slug: str) -> Tournament:
    """Return a tournament of the organiser. Raise NotFound, NotAuthenticated or NotYours."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, require_unrestricted_token(request)):
        raise NotYours(message(gettext_noop("Only the tournament's organiser can do that.")))
    return tournament


class TournamentResource(Resource):
    """Base of what is read and changed of a tournament."""

    def respond_tournament(self, slug: str) -> Response:
        """Return the tournament as it is now."""
        return self.respond(tournament_or_404(self.request, slug))

    def act(self, slug: str, service: Any, **more: Any) -> Response:
        """Call the service and return the tournament as it is afterwards."""
        tournament = own_tournament_or_404(self.request, slug)
        service(tournament=tournament, organiser=self.user, **more)
        return self.respond_tournament(slug)


# The seeds of a tournament, which its organiser may order.


class SeedsSerializer(Serializer):
    """The order of the seeds: give one of the fields."""

    bots = ListField(
        child=SlugField(),
        required=False,
        max_length=MAX_ENTRANTS,
        help_text="Slugs of bots, best first. The other bots follow in order of strength. An empty list orders "
        "all bots by strength.",
    )
    places_in = SlugField(required=False, help_text="Slug of a finished tournament whose places to use as seeds.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check that there is one of the fields."""
        if len(attrs) != 1:
            raise ValidationError(_("Specify either bots or places_in."))
        return attrs


# The archive of a tournament: a link by which a program downloads it.


class ArchiveLinkSerializer(Serializer):
    """A link to a tournament's archive."""

    download_url = CharField(help_text="Address of the zip. It works without a token, for anyone who has it.")
    expires_at = DateTimeField(help_text="When it expires.")


class Tournaments(TournamentResource):
    """Tournaments."""

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context, which says whether this is a list."""
        return super().get_serializer_context() | {"is_list": self.operation.paging is not None}

    @operation("tournaments_list", "List tournaments", [TournamentSerializer], query=TournamentQuery)
    def list(self, request: Request) -> Response:
        """List tournaments, newest first."""
        lookups = {"state": "state", "game": "game", "organiser": "organiser__username"}
        conditions = {lookups[name]: value for name, value in self.query.items()}
        return self.respond_page(list_tournaments(reader_of(request), **conditions))

    @operation(
        "tournaments_create", "Create a tournament", TournamentSerializer, status=201, reads=NewTournamentSerializer
    )
    def create(self, request: Request) -> Response:
        """Create a draft that only you can see until you open it. Your account needs permission to organise."""
        organiser = self.unrestricted_user
        sent = self.read_data()
        slug = sent.pop("invites_entrants_of", "")
        source = own_tournament_or_404(request, slug) if slug else None
        edition = next(iter(GAMES[sent["game"]].editions))
        plan = apply_changes(organiser, TournamentPlan(title="", game="", edition=edition), sent)
        made = organising.create(organiser=organiser, plan=plan)
        if source is not None:
            invite_entrants(tournament=made, organiser=organiser, source=source)
        return self.respond_tournament(made.slug)

    @operation("tournaments_retrieve", "Show a tournament", TournamentSerializer)
    def show(self, request: Request, slug: str) -> Response:
        """Return a tournament."""
        return self.respond_tournament(slug)

    @operation("tournaments_partial_update", "Change a tournament", TournamentSerializer, reads=ChangesSerializer)
    def change(self, request: Request, slug: str) -> Response:
        """Change a tournament before it starts. Its game and rules can only be changed while it has no entries."""
        tournament = own_tournament_or_404(request, slug)
        sent = self.read_data()
        reason = sent.pop("reason", "")
        plan = apply_changes(self.user, build_plan(tournament), sent)
        return self.act(slug, organising.edit, plan=plan, reason=reason)

    @operation("tournaments_open", "Open a tournament", TournamentSerializer)
    def open(self, request: Request, slug: str) -> Response:
        """Publish a draft and open entries, or reopen entries if the first round hasn't been drawn."""
        return self.act(slug, organising.open_entries)

    @operation("tournaments_start", "Start a tournament", TournamentSerializer)
    def start(self, request: Request, slug: str) -> Response:
        """Close entries and freeze the versions. The first round starts once all check matches have finished."""
        return self.act(slug, organising.close_entries)

    @operation(
        "tournaments_trials_leave_out", "Start without pending trials", TournamentSerializer, reads=ReasonSerializer
    )
    def leave_out_trials(self, request: Request, slug: str) -> Response:
        """Leave out the versions whose trials are delaying the start. Requires a reason. Their authors are notified."""
        return self.act(slug, leave_out_trials, reason=self.read_data().get("reason", ""))

    @operation("tournaments_pause", "Pause a tournament", TournamentSerializer, reads=ReasonSerializer)
    def pause(self, request: Request, slug: str) -> Response:
        """Stop starting matches. Running matches finish and count."""
        return self.act(slug, organising.pause, **self.read_data())

    @operation("tournaments_resume", "Resume a tournament", TournamentSerializer)
    def resume(self, request: Request, slug: str) -> Response:
        """Continue a paused tournament."""
        return self.act(slug, organising.resume)

    @operation("tournaments_cancel", "Cancel a tournament", TournamentSerializer, reads=ReasonSerializer)
    def cancel(self, request: Request, slug: str) -> Response:
        """End a tournament permanently, without a winner. Matches already played stay visible."""
        return self.act(slug, organising.cancel, **self.read_data())

    @operation("tournaments_reveal", "Reveal a tournament's hidden rounds", TournamentSerializer)
    def reveal(self, request: Request, slug: str) -> Response:
        """Show the hidden rounds and their results to everyone who can see the tournament."""
        return self.act(slug, playing.reveal_all)

    @operation(
        "tournaments_rounds_replay", "Replay a tournament from a round", TournamentSerializer, reads=ReasonSerializer
    )
    def replay_rounds(self, request: Request, slug: str, number: int) -> Response:
        """Discard a round and all later rounds. They're paired and played again with new deals."""
        reason = self.read_data().get("reason", "")
        return self.act(slug, organising.replay_rounds, number=number, reason=reason)

    @operation("tournaments_seeds", "Order a tournament's seeds", TournamentSerializer, reads=SeedsSerializer)
    def order_seeds(self, request: Request, slug: str) -> Response:
        """Change the order of the seeds. Possible until the first round is drawn."""
        sent = self.read_data()
        if "bots" in sent:
            return self.act(slug, organising.order_seeds, bots=sent["bots"])
        return self.act(slug, organising.take_seeds, source=sent["places_in"])

    @operation("tournaments_archive_retrieve", "Get a link to a tournament's archive", ArchiveLinkSerializer)
    def link_archive(self, request: Request, slug: str) -> Response:
        """Return a link that works for ten minutes.

        The zip contains pages that you can open offline, the tournament's document and the records; `pennant verify`
        checks it. It's streamed, so the response has no Content-Length. The status is 503 while the arena is writing
        another archive, and 404 before the tournament ends.
        """
        tournament = tournament_or_404(request, slug)
        forbid_caching(request)
        path, expires_at = sign_archive_link(tournament=tournament, reader=reader_of(request))
        return self.respond({"download_url": build_absolute_url(request, path), "expires_at": expires_at})
