"""Tournaments with their entrants, checks, rounds, pairings and matches."""

import secrets
from dataclasses import replace
from datetime import timedelta

from django.conf import settings as django_settings
from django.db import models
from django.db.models import Q
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.fields import MessageField
from arena.matches.models import Match
from arena.tournaments.formats import find_format
from arena.tournaments.formats.base import Format
from arena.tournaments.settings import Settings
from engine.registry import find_game
from engine.season import Season

STALLED_AFTER = timedelta(seconds=10)


def new_secret() -> str:
    """Return a new secret that all deals of a tournament follow from."""
    return secrets.token_hex(32)


class TournamentQuerySet(models.QuerySet["Tournament"]):
    """Queries of tournaments."""

    def public(self) -> "TournamentQuerySet":
        """All but drafts, which are their organiser's alone."""
        return self.exclude(state=Tournament.State.DRAFT)

    def open(self) -> "TournamentQuerySet":
        """Those that take entries."""
        return self.filter(state=Tournament.State.OPEN)

    def unattended(self) -> "TournamentQuerySet":
        """Those in which something may be to do that nobody was told of: a message was lost, or a deadline is over."""
        going = [Tournament.State.OPEN, Tournament.State.CHECKING, Tournament.State.RUNNING]
        return self.filter(state__in=going).filter(looked_at__lt=now() - STALLED_AFTER)


class Tournament(models.Model):
    """A contest with an end: who enters meets others round by round, until a standing says who has won."""

    class State(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        CHECKING = "checking"
        RUNNING = "running"
        PAUSED = "paused"
        FINISHED = "finished"
        CANCELLED = "cancelled"

    organiser = models.ForeignKey(django_settings.AUTH_USER_MODEL, models.PROTECT, related_name="tournaments")
    slug = models.SlugField(max_length=70, unique=True)
    title = models.CharField(max_length=60)
    description = models.TextField(blank=True, max_length=2000)
    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=40)
    settings = models.JSONField(help_text="The fields of arena.tournaments.settings.Settings.")
    is_rated = models.BooleanField(default=False, help_text="Its matches count for the ladder of its edition, too.")

    is_low_priority = models.BooleanField(default=False, help_text="Its matches are played when nothing else waits.")

    entries_close_at = models.DateTimeField(
        null=True, blank=True, help_text="Versions are frozen then, and it starts by itself; null: when it is started."
    )
    max_entrants = models.PositiveIntegerField(default=64)
    max_entrants_per_author = models.PositiveIntegerField(default=1, help_text="Maximum number of bots of one author.")

    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    state_reason = MessageField(help_text="Why it is paused or cancelled.")
    secret = models.CharField(
        max_length=64, default=new_secret, help_text="All deals come from it. Nobody's to see before the end."
    )
    commitment = models.CharField(max_length=64, help_text="The hash of the secret, public from the start.")
    next_turn = models.FloatField(default=0.0, help_text="Where in the queue's order its next match begins.")
    forecast = models.JSONField(null=True, help_text="By seed: what simulations say of its end, and of which bot.")
    forecast_after_round = models.PositiveIntegerField(null=True, help_text="So many rounds were over then.")

    created_at = models.DateTimeField(default=now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    looked_at = models.DateTimeField(default=now, help_text="When it was last seen to that it goes on.")

    winners: "list[Entrant]"
    """Set by the queries that list tournaments."""

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
    def edition_name(self) -> str:
        """Return the name of the edition in English."""
        return find_game(self.game).editions[self.edition]

    @property
    def full_settings(self) -> Settings:
        """Lots come from what was public before anybody entered."""
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
    def has_started(self) -> bool:
        """Return whether the first round has been drawn."""
        return self.started_at is not None

    @property
    def season(self) -> Season:
        """What deals are drawn from. Each tournament has a secret of its own, so all have the same number."""
        return Season(secret=self.secret, game=self.game, edition=self.edition, number=1)


class EntrantQuerySet(models.QuerySet["Entrant"]):
    """Queries of entrants."""

    def in_it(self) -> "EntrantQuerySet":
        """Those that take part, or will: who failed its check may still mend."""
        return self.exclude(state__in=[Entrant.State.WITHDRAWN, Entrant.State.DISQUALIFIED])

    def field(self) -> "EntrantQuerySet":
        """Those that had a number when it began, by number."""
        return self.exclude(number=None).order_by("number")


class Entrant(models.Model):
    """A bot in a tournament."""

    class State(models.TextChoices):
        CHECKING = "checking"
        READY = "ready"
        FAILED = "failed"
        WITHDRAWN = "withdrawn"
        DISQUALIFIED = "disqualified"

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="entrants")
    bot = models.ForeignKey(Bot, models.PROTECT, related_name="tournament_entries")
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="tournament_entries")
    updates_automatically = models.BooleanField(
        default=True, help_text="Newer accepted versions take over until entries close."
    )
    state = models.CharField(max_length=12, choices=State, default=State.CHECKING)
    state_reason = MessageField(help_text="Why it failed its check or left.")
    state_detail = MessageField(help_text="What its bot did wrong in the check: for its owner and the organiser only.")
    number = models.PositiveIntegerField(null=True, help_text="Its seed, from 1; null until versions are frozen.")
    rating = models.FloatField(null=True, help_text="On the ladder when it was seeded, Elo.")
    left_in_round = models.PositiveIntegerField(null=True, help_text="The round from which on it plays no more.")
    place = models.PositiveIntegerField(null=True, help_text="In the end; shared where formats leave it shared.")
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
        return self.state in (self.State.WITHDRAWN, self.State.DISQUALIFIED)


class Check(models.Model):
    """A version playing itself in the tournament's edition, to see that it starts and answers. Never rated."""

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

    def current(self) -> "RoundQuerySet":
        """Those that count, by number."""
        return self.filter(is_latest_attempt=True).order_by("number")


class Round(models.Model):
    """What is played side by side. One that is played again stays, and counts no more."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="rounds")
    number = models.PositiveIntegerField(help_text="From 1.")
    attempt = models.PositiveIntegerField(default=0, help_text="How often it had been played before.")
    is_latest_attempt = models.BooleanField(default=True)
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
    """Who meets whom in a round."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="pairings")
    board = models.PositiveIntegerField(help_text="From 1.")
    name = models.CharField(max_length=12, blank=True, help_text="The group, or the place in the bracket.")
    must_decide = models.BooleanField(default=False, help_text="One of two goes on.")
    is_over = models.BooleanField(default=False)
    played = models.BooleanField(default=False, help_text="False for a bye, and where somebody won without playing.")

    class Meta:
        ordering = ["round", "board"]
        constraints = [models.UniqueConstraint(fields=["round", "board"], name="one_pairing_per_board")]
        indexes = [models.Index(fields=["round"], condition=Q(is_over=False), name="pairings_going_on")]

    def __str__(self) -> str:
        return f"board {self.board} of {self.round}"


class PairingSeat(models.Model):
    """One entrant in a pairing."""

    pairing = models.ForeignKey(Pairing, models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField(help_text="The seat in the first leg; the participant of its matches.")
    entrant = models.ForeignKey(Entrant, models.CASCADE, related_name="pairing_seats")
    points = models.FloatField(null=True, help_text="1, ½ or 0 between two; null until over.")
    score = models.FloatField(null=True, help_text="Sum of the game points of its legs; null until over.")

    class Meta:
        ordering = ["pairing", "index"]
        constraints = [models.UniqueConstraint(fields=["pairing", "index"], name="one_seat_per_index")]

    def __str__(self) -> str:
        return f"{self.entrant} at {self.pairing}"


class PairingMatch(models.Model):
    """A match of a pairing. One that is void is made again with the same number and the same deal."""

    pairing = models.ForeignKey(Pairing, models.CASCADE, related_name="pairing_matches")
    match = models.OneToOneField(Match, models.CASCADE, related_name="pairing_match")
    number = models.PositiveSmallIntegerField(help_text="Which of the pairing's it is, from 1.")
    counts = models.BooleanField(default=True, help_text="False once another is played instead, or none is needed.")
    failed = models.BooleanField(
        default=False, help_text="The arena could not play it, and nobody has looked at that since."
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
