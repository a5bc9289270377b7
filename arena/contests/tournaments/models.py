"""Tournaments with their entrants, checks, rounds, pairings and matches.

The rows of organisers' acts are in `acts.py`; Django looks for them here.
"""

import secrets
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.conf import settings as django_settings
from django.db import models
from django.db.models import Q
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.contests.tournaments.formats import find_format
from arena.contests.tournaments.formats.base import Format
from arena.contests.tournaments.settings import Settings
from arena.core.database import is_past
from arena.core.messages import MessageField
from arena.matches.models import Match
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from arena.people.notices.models import Announcement
from engine.registry import GAMES
from engine.season import Season

# What organisers decide about a tournament: one line for each act, which is added with it.


class OrganiserActKind(models.TextChoices):
    """Something that an organiser decides about a tournament."""

    OPEN_ENTRIES = "entries.open"
    CLOSE_ENTRIES = "entries.close"
    APPROVE_ENTRY = "entry.approve"
    LATE_ENTRY = "entry.late"
    LEAVE_OUT = "entry.leave_out"
    REFUSE_ENTRY = "entry.refuse"
    WITHDRAW_ENTRANT = "entrant.withdraw"
    DISQUALIFY_ENTRANT = "entrant.disqualify"
    CHANGE_SETTINGS = "settings.change"
    SET_SEEDS = "seeds.set"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    REVEAL = "reveal"
    REPLAY_ROUND = "round.replay"
    DECIDE_PAIRING = "pairing.decide"
    UNDO_DECISION = "pairing.undo"
    RENEW_CODE = "code.renew"
    PUBLISH = "publish"
    ADD_ORGANISER = "organiser.add"
    REMOVE_ORGANISER = "organiser.remove"


ORGANISERS_ACTS = frozenset(
    {
        OrganiserActKind.APPROVE_ENTRY,
        OrganiserActKind.REFUSE_ENTRY,
        OrganiserActKind.RENEW_CODE,
        OrganiserActKind.PUBLISH,
        OrganiserActKind.ADD_ORGANISER,
        OrganiserActKind.REMOVE_ORGANISER,
    }
)
"""The acts that touch no result: only organisers read them."""


class OrganiserAct(models.Model):
    """An act of an organiser: who did what when, and why. Acts are never changed."""

    tournament = models.ForeignKey("tournaments.Tournament", models.CASCADE, related_name="acts")
    at = models.DateTimeField(default=now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Who did it; null where the arena did it by itself, or the account is gone.",
    )
    act = models.CharField(max_length=20, choices=OrganiserActKind)
    text = MessageField(help_text="What was done.")
    reason = models.TextField(blank=True, help_text="Why, in the words of who did it.")
    is_public = models.BooleanField(help_text="Whether everybody who sees the tournament may read it.")

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["tournament", "-id"], name="acts_of_tournament")]

    def __str__(self) -> str:
        return f"{self.tournament}: {self.text}"


class TournamentAnnouncement(Announcement):
    """What organisers announced to those of a tournament, or that its deadline was changed."""

    tournament = models.ForeignKey("tournaments.Tournament", models.CASCADE, related_name="announcements")
    is_deadline = models.BooleanField(default=False, help_text="Whether it tells of a changed deadline: the last one.")


REVEALED_AFTER = timedelta(days=7)
"""Hidden rounds are revealed so long after the end where the organisers don't."""
STALL_TIMEOUT = timedelta(seconds=10)
"""A tournament that was not advanced for this long may have lost a message or reached its deadline."""


def new_secret() -> str:
    """Return a new secret, from which all deals of a tournament are drawn."""
    return secrets.token_hex(32)


class TournamentQuerySet(models.QuerySet["Tournament"]):
    """Queries of tournaments."""

    def public(self) -> "TournamentQuerySet":
        """Return all but drafts."""
        return self.exclude(state=Tournament.State.DRAFT)

    def open(self) -> "TournamentQuerySet":
        """Return the tournaments that are open for entries."""
        return self.filter(state=Tournament.State.OPEN)

    def stalled(self) -> "TournamentQuerySet":
        """Return the unfinished tournaments that were not advanced for a while, and those to be revealed now."""
        states = [Tournament.State.OPEN, Tournament.State.CHECKING, Tournament.State.RUNNING]
        due = Q(hidden_from_round__isnull=False, revealed_at=None, finished_at__lt=now() - REVEALED_AFTER)
        due &= Q(state=Tournament.State.FINISHED)
        going_on = Q(state__in=states, game__in=list(GAMES))
        return self.filter(is_past("last_advanced_at", STALL_TIMEOUT)).filter(going_on | due)


class Tournament(models.Model):
    """A contest of bots in one edition of a game, played in rounds until its standings are final."""

    class State(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        CHECKING = "checking"
        RUNNING = "running"
        PAUSED = "paused"
        FINISHED = "finished"
        CANCELLED = "cancelled"

    class Visibility(models.TextChoices):
        """Who sees it once it is opened."""

        PUBLIC = "public"
        LINK = "link"
        GROUP = "group"

    class EntryRule(models.TextChoices):
        """Whose bots may take part. The organiser may enter others, too."""

        ANYONE = "anyone"
        GROUP = "group"
        CODE = "code"
        LIST = "list"

    organiser = models.ForeignKey(django_settings.AUTH_USER_MODEL, models.PROTECT, related_name="tournaments")
    slug = models.SlugField(max_length=70, unique=True)
    title = models.CharField(max_length=60)
    description = models.TextField(blank=True, max_length=2000)
    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=40)
    changed_options = models.JSONField(
        default=dict, help_text="The rule options that differ from the edition's, with their values."
    )
    settings = models.JSONField(help_text="The fields of arena.contests.tournaments.settings.Settings.")
    is_rated = models.BooleanField(default=False, help_text="Whether its matches count for the ladder, too.")
    is_low_priority = models.BooleanField(
        default=False, help_text="Whether its matches are played when nothing else waits."
    )
    entries_close_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When entries close and versions are frozen; null: when the organiser starts it.",
    )
    hidden_rounds = models.PositiveSmallIntegerField(
        default=0, help_text="Number of last rounds that only organisers see until they reveal them."
    )
    hidden_from_round = models.PositiveIntegerField(
        null=True, help_text="First round that is hidden, known from the start on; null: none is."
    )
    revealed_places = models.PositiveIntegerField(
        default=0, help_text="Number of final places that the projector has shown, from the last one."
    )
    revealed_at = models.DateTimeField(null=True, help_text="When the hidden rounds were revealed.")
    max_entrants = models.PositiveIntegerField(default=64)
    max_entrants_per_author = models.PositiveIntegerField(default=1, help_text="Maximum number of bots of one author.")

    group = models.ForeignKey(
        Group,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="tournaments",
        help_text="The group whose owners and co-organisers organise it, too; null: its organiser's alone.",
    )
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.PUBLIC)
    entry_rule = models.CharField(max_length=10, choices=EntryRule, default=EntryRule.ANYONE)
    entry_code = models.CharField(
        max_length=12,
        null=True,
        help_text="Code by which authors may enter bots, without hyphens; null: none.",
    )
    permitted_authors: "models.ManyToManyField[User, Any]" = models.ManyToManyField(
        django_settings.AUTH_USER_MODEL,
        related_name="+",
        help_text="Authors on the list, or who have typed the code.",
    )
    are_entries_moderated = models.BooleanField(
        default=False, help_text="Whether the organiser approves every entry before its check."
    )
    co_organisers: "models.ManyToManyField[User, Any]" = models.ManyToManyField(
        django_settings.AUTH_USER_MODEL,
        related_name="co_organised_tournaments",
        help_text="Users who organise it, too; they can neither delete it nor choose its organisers.",
    )
    day_reminder_sent_at = models.DateTimeField(null=True, help_text="When authors were reminded a day before.")
    hour_reminder_sent_at = models.DateTimeField(null=True, help_text="When authors were reminded an hour before.")

    allows_remote = models.BooleanField(
        default=False, help_text="Whether remote bots may enter, as its group's organisers want it."
    )
    is_rehearsal = models.BooleanField(default=False, help_text="Whether it is for its organisers and deletes itself.")
    rehearsed = models.ForeignKey("self", models.SET_NULL, null=True, related_name="rehearsals")

    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    state_reason = MessageField(help_text="Why it is paused or cancelled.")
    secret = models.CharField(
        max_length=64, default=new_secret, help_text="Secret from which all deals are drawn; revealed after the end."
    )
    commitment = models.CharField(max_length=64, help_text="SHA-256 of the secret, public from the start.")
    next_turn = models.FloatField(default=0.0, help_text="Position of its next match in the order of the queue.")
    forecast = models.JSONField(
        null=True, help_text="Chances by seed, each with the bot's slug; null before the first simulation."
    )
    forecast_after_round = models.PositiveIntegerField(
        null=True, help_text="Number of rounds that were over for the forecast."
    )

    created_at = models.DateTimeField(default=now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    last_advanced_at = models.DateTimeField(default=now, help_text="When it was last advanced.")

    winners: "list[Entrant]"
    """The entrants that share first place; set by `list_tournaments_by_state`."""

    shows_all = False
    """Whether this row is read for who organises it, who sees hidden rounds, too. By default it isn't."""

    objects = TournamentQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state", "-id"], name="tournaments_by_state")]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        """Return the address of the tournament's page."""
        return f"/tournaments/{self.slug}/"

    @property
    def options(self) -> dict[str, Any]:
        """Return every rule option in force; the changed ones alone where the game is not installed now."""
        rules = GAMES.get(self.game)
        return rules.options(self.edition, **self.changed_options) if rules else self.changed_options

    @property
    def full_settings(self) -> Settings:
        """Return the settings; their seed is the commitment, which was public before anybody entered."""
        return replace(Settings.from_json(self.settings), seed=self.commitment)

    @property
    def format(self) -> Format:
        """Return the tournament's format."""
        return find_format(self.settings["format"])

    @property
    def is_over(self) -> bool:
        """Return whether the tournament has finished or was cancelled."""
        return self.state in (self.State.FINISHED, self.State.CANCELLED)

    @property
    def is_concealed(self) -> bool:
        """Return whether its last rounds are hidden from all but organisers, and so is how it ends."""
        return self.hidden_from_round is not None and self.revealed_at is None

    @property
    def first_hidden_round(self) -> int | None:
        """Return the number of the first round that isn't shown to whom this row is read for; None where all are."""
        return self.hidden_from_round if self.is_concealed and not self.shows_all else None

    @property
    def reveals_at(self) -> datetime | None:
        """Return when a finished tournament reveals its hidden rounds by itself, or None."""
        return self.finished_at + REVEALED_AFTER if self.is_concealed and self.finished_at else None

    @property
    def is_settled(self) -> bool:
        """Return whether everybody can see how it ended."""
        return self.is_over and not self.is_concealed

    @property
    def is_public(self) -> bool:
        """Return whether everybody sees it, and pages about it may be cached for everybody."""
        return self.visibility == self.Visibility.PUBLIC and self.state != self.State.DRAFT

    @property
    def audience_id(self) -> int | None:
        """Return the key of the group that alone sees it; None where others do, too."""
        return self.group_id if self.visibility == self.Visibility.GROUP else None

    @property
    def has_started(self) -> bool:
        """Return whether the first round has been drawn."""
        return self.started_at is not None

    @property
    def takes_entries(self) -> bool:
        """Return whether authors can enter bots now."""
        is_past_deadline = self.entries_close_at is not None and self.entries_close_at <= now()
        return self.state == self.State.OPEN and not is_past_deadline

    @property
    def takes_late_entries(self) -> bool:
        """Return whether entries have closed, and organisers can still enter bots: the first round isn't drawn."""
        closed = (self.State.OPEN, self.State.CHECKING, self.State.PAUSED)
        return self.state in closed and not self.takes_entries and not self.has_started

    @property
    def season(self) -> Season:
        """Return the season from which deals are drawn. It is number 1, because each tournament has its own secret."""
        return Season(secret=self.secret, game=self.game, edition=self.edition, number=1)


class EntrantQuerySet(models.QuerySet["Entrant"]):
    """Queries of entrants."""

    def not_out(self) -> "EntrantQuerySet":
        """Return the entrants that were neither withdrawn nor disqualified; some may have failed their check."""
        return self.exclude(state__in=Entrant.OUT_STATES)

    def seeded(self) -> "EntrantQuerySet":
        """Return the entrants that have a seed, sorted by it."""
        return self.exclude(number=None).order_by("number")


class Entrant(models.Model):
    """A bot in a tournament."""

    class State(models.TextChoices):
        WAITING = "waiting"
        ON_TRIAL = "on_trial"
        CHECKING = "checking"
        READY = "ready"
        FAILED = "failed"
        WITHDRAWN = "withdrawn"
        DISQUALIFIED = "disqualified"

    OUT_STATES = (State.WITHDRAWN, State.DISQUALIFIED)
    PLAYABLE_STATES = (State.ON_TRIAL, State.CHECKING, State.READY)
    """The states of those that have a place: they play, unless their trial or check stops them."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="entrants")
    bot = models.ForeignKey(Bot, models.PROTECT, related_name="tournament_entries")
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="tournament_entries")
    updates_automatically = models.BooleanField(
        default=True, help_text="Newer accepted versions take over until entries close."
    )
    state = models.CharField(max_length=12, choices=State, default=State.CHECKING)
    state_reason = MessageField(
        help_text="Why it failed its trial or check, why a version was left out, or why it left."
    )
    state_detail = MessageField(help_text="Fault in its check, for its owner and the organiser only.")
    stopped_with_author = models.BooleanField(
        default=False, help_text="Whether it was withdrawn when its author was suspended."
    )
    entered_late = models.BooleanField(
        default=False, help_text="Whether an organiser entered it, or its version, after entries had closed."
    )
    skipped_version = models.PositiveIntegerField(
        null=True, help_text="Number of the version that was left out because its trial hadn't ended; null: none was."
    )
    number = models.PositiveIntegerField(null=True, help_text="Seed, starting at 1; null until versions are frozen.")
    wanted_seed = models.PositiveIntegerField(
        null=True, help_text="Seed that the organiser gave it before the start; null: by its strength."
    )
    rating = models.FloatField(null=True, help_text="Rating on the ladder when it was seeded, in Elo.")
    left_in_round = models.PositiveIntegerField(null=True, help_text="First round that it doesn't play any more.")
    place = models.PositiveIntegerField(null=True, help_text="Final place; ties share a place.")
    created_at = models.DateTimeField(default=now)

    objects = EntrantQuerySet.as_manager()

    class Meta:
        ordering = ["tournament", "number", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "bot"], name="one_entrant_per_bot"),
            models.UniqueConstraint(fields=["tournament", "number"], name="one_entrant_per_number"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.tournament}"

    @property
    def is_out(self) -> bool:
        """Return whether the entrant has withdrawn or was disqualified."""
        return self.state in self.OUT_STATES


class Invitation(models.Model):
    """An invitation of a bot's authors to enter it: nothing is entered without them."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="invitations")
    bot = models.ForeignKey(Bot, models.CASCADE, related_name="tournament_invitations")
    created_at = models.DateTimeField(default=now)
    told_at = models.DateTimeField(null=True, help_text="When its authors were told; null before entries were opened.")

    class Meta:
        ordering = ["tournament", "pk"]
        constraints = [models.UniqueConstraint(fields=["tournament", "bot"], name="one_invitation_per_bot")]

    def __str__(self) -> str:
        return f"invitation of {self.bot} to {self.tournament}"


class Check(models.Model):
    """A match of a version against itself in the tournament's edition, to see that it starts and answers."""

    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="checks")
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="tournament_checks")
    match = models.OneToOneField(Match, models.CASCADE, related_name="tournament_check")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"check of {self.version} for {self.entrant.tournament}"


class RoundQuerySet(models.QuerySet["Round"]):
    """Queries of rounds."""

    def shown(self, tournament: Tournament) -> "RoundQuerySet":
        """Return the rounds of a tournament but for those that are hidden from whom it is read for."""
        rounds = self.filter(tournament=tournament)
        hidden = tournament.first_hidden_round
        return rounds if hidden is None else rounds.filter(number__lt=hidden)

    def latest_attempts(self) -> "RoundQuerySet":
        """Return the rounds that count, sorted by number."""
        return self.filter(is_latest_attempt=True).order_by("number")


class Round(models.Model):
    """A round of a tournament. One that is replayed is kept, and another attempt is created."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="rounds")
    number = models.PositiveIntegerField(help_text="Round number, starting at 1.")
    attempt = models.PositiveIntegerField(default=0, help_text="Number of times the round had been played before.")
    is_latest_attempt = models.BooleanField(default=True, help_text="Whether it counts; false once it was replayed.")
    replay_reason = MessageField(help_text="Why it was replayed; null while its results count.")
    started_at = models.DateTimeField(default=now)
    finished_at = models.DateTimeField(null=True)

    objects = RoundQuerySet.as_manager()

    class Meta:
        ordering = ["tournament", "number", "attempt"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number", "attempt"], name="one_round_per_attempt"),
            models.UniqueConstraint(
                fields=["tournament", "number"], condition=Q(is_latest_attempt=True), name="one_current_round"
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.tournament}"


class Pairing(models.Model):
    """Entrants that play each other in a round."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="pairings")
    board = models.PositiveIntegerField(help_text="Number of the board, starting at 1.")
    name = models.CharField(max_length=12, blank=True, help_text="Group, or place in the bracket.")
    must_decide = models.BooleanField(default=False, help_text="Whether it can't end even.")
    is_over = models.BooleanField(default=False)
    played = models.BooleanField(
        default=False, help_text="False for byes, walkovers and results that the organiser gave."
    )
    given_points = models.JSONField(
        null=True, help_text="Points by seat that the organiser gave it; null where its matches decide."
    )
    given_reason = models.TextField(blank=True, help_text="Why the organiser decided it, for everybody to read.")
    decisions = models.JSONField(
        default=list,
        help_text="Decisions on it, oldest first, each with what held before and how many rounds were drawn.",
    )

    class Meta:
        ordering = ["round", "board"]
        constraints = [models.UniqueConstraint(fields=["round", "board"], name="one_pairing_per_board")]
        indexes = [models.Index(fields=["round"], condition=Q(is_over=False), name="pairings_going_on")]

    def __str__(self) -> str:
        return f"board {self.board} of {self.round}"


class PairingSeat(models.Model):
    """An entrant in a pairing."""

    pairing = models.ForeignKey(Pairing, models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField(help_text="Seat in the first leg; index of the participant in matches.")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="pairing_seats")
    points = models.FloatField(null=True, help_text="Points of the pairing; null until it is over.")
    game_points = models.FloatField(null=True, help_text="Sum of its game points; null until the pairing is over.")

    class Meta:
        ordering = ["pairing", "index"]
        constraints = [models.UniqueConstraint(fields=["pairing", "index"], name="one_seat_per_index")]

    def __str__(self) -> str:
        return f"{self.entrant} at {self.pairing}"


class PairingMatch(models.Model):
    """A match of a pairing. One without a result is replaced by another with the same number and deal."""

    pairing = models.ForeignKey(Pairing, models.CASCADE, related_name="pairing_matches")
    match = models.OneToOneField(Match, models.CASCADE, related_name="pairing_match")
    number = models.PositiveSmallIntegerField(help_text="Number of the match in its pairing, starting at 1.")
    counts = models.BooleanField(default=True, help_text="False if another one replaces it, or none is needed.")
    failed = models.BooleanField(
        default=False, help_text="Whether the arena failed to play it, until the tournament is resumed."
    )
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["pairing", "number"]
        verbose_name_plural = "pairing matches"
        constraints = [
            models.UniqueConstraint(
                fields=["pairing", "number"], condition=Q(counts=True), name="one_counting_match_per_number"
            )
        ]

    def __str__(self) -> str:
        return f"match {self.number} of {self.pairing}"
