"""Live games: the deal, the seats, every decision in order, and the attempts to have a bot decide."""

import secrets
import zlib
from typing import Any

import orjson
from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.core.messages import MessageField
from arena.matches.models import MAX_RETRY_PAUSE, Match
from arena.runner.program import Limits

SLUG_BYTES = 12
"""Random bytes of an address: whoever has it may look on."""
LINK_BYTES = 18
"""Random bytes of the link by which a person takes a seat, once."""


def make_slug() -> str:
    """Return an address that nobody can guess."""
    return secrets.token_urlsafe(SLUG_BYTES)


def make_link() -> str:
    """Return the secret part of a link to a seat."""
    return secrets.token_urlsafe(LINK_BYTES)


class LiveGameQuerySet(models.QuerySet["LiveGame"]):
    """Selections of live games."""

    def open(self) -> "LiveGameQuerySet":
        """Return those that are not over."""
        return self.filter(state__in=[LiveGame.State.SEATING, LiveGame.State.PLAYING])

    def of_people(self) -> "LiveGameQuerySet":
        """Return those that people play; the others are legs of matches with remote bots, and nobody's to open."""
        return self.filter(match=None)

    def playing(self) -> "LiveGameQuerySet":
        """Return those that are played."""
        return self.filter(state=LiveGame.State.PLAYING)

    def waiting_for_bot(self) -> "LiveGameQuerySet":
        """Return those in which a bot is to decide."""
        return self.playing().filter(bot_to_act__isnull=False)

    def waiting_for_worker(self) -> "LiveGameQuerySet":
        """Return those in which a bot is to decide, and no worker has it decide or rests after a failed attempt."""
        at = now()
        open_attempts = LiveAttempt.objects.open().filter(game=OuterRef("pk"))
        resting = Q(retry_at__gt=at, retry_at__lt=at + MAX_RETRY_PAUSE)
        return self.waiting_for_bot().filter(~Exists(open_attempts), ~resting)


class LiveGame(models.Model):
    """One play of a game with at least one person or remote bot.

    All that decides it is fixed but for the decisions themselves.
    """

    class State(models.TextChoices):
        SEATING = "seating"
        PLAYING = "playing"
        FINISHED = "finished"
        VOID = "void"

    slug = models.CharField(max_length=32, unique=True, default=make_slug, help_text="Random part of its address.")
    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=40)
    options = models.JSONField(help_text="Every rule option in force.")
    changed_options = models.JSONField(default=dict, help_text="The rule options that differ from the edition's.")
    rules_version = models.PositiveIntegerField()
    limits = models.JSONField(help_text="The fields of arena.runner.program.Limits, for the bots.")
    deal = models.JSONField(help_text="All chance of the game. Secret until it is over.")
    salt = models.CharField(max_length=64, help_text="Secret until it is over.")
    state = models.CharField(max_length=10, choices=State, default=State.PLAYING)
    void_reason = MessageField(help_text="Why there is no result.")
    decisions = models.PositiveIntegerField(default=0, help_text="Number of stored decisions of all seats.")
    seat_to_act = models.PositiveSmallIntegerField(null=True, help_text="Who is to decide; null when it is over.")
    bot_to_act = models.ForeignKey(
        BotVersion, models.PROTECT, null=True, related_name="+", help_text="The bot that is to decide, if it is one."
    )
    match = models.OneToOneField(
        Match,
        models.CASCADE,
        null=True,
        related_name="table",
        help_text="The match with a remote bot whose only leg this is; null where people play.",
    )
    swapped_from = models.OneToOneField(
        "self",
        models.SET_NULL,
        null=True,
        related_name="swapped",
        help_text="The game with the same deal and other seats that was played before this one.",
    )
    series = models.JSONField(null=True, help_text="Length of the series, as of a match; null for a single game.")
    series_number = models.PositiveSmallIntegerField(default=1, help_text="Number of the game in its series, from 1.")
    series_scores = models.JSONField(default=list, help_text="Series score of each seat before this game.")
    previous = models.OneToOneField(
        "self", models.SET_NULL, null=True, related_name="next", help_text="The game before this one in its series."
    )
    is_public = models.BooleanField(default=False, help_text="Whether it is listed once it is over.")
    has_hints = models.BooleanField(
        default=False, help_text="Whether its person may ask for hints. Such a game counts as practice."
    )
    address = models.CharField(max_length=64, blank=True, help_text="Hash of the network it was started from.")
    cpu_s = models.FloatField(default=0.0, help_text="Processor seconds that its bots have used.")
    created_at = models.DateTimeField(default=now)
    decided_at = models.DateTimeField(default=now, help_text="When the last decision was stored, or it was started.")
    retry_at = models.DateTimeField(
        null=True, help_text="When its bot is asked again after a failed attempt; null without one at this decision."
    )
    finished_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=40, blank=True)
    record = models.BinaryField(null=True, help_text="Record: JSON compressed with zlib; null until finished.")
    record_hash = models.CharField(max_length=64, blank=True)

    objects = LiveGameQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["state", "decided_at"], name="live_games_by_state"),
            models.Index(fields=["address", "-created_at"], name="live_games_of_address"),
            models.Index(fields=["-finished_at"], name="live_games_public", condition=Q(is_public=True)),
        ]

    def __str__(self) -> str:
        return f"live game {self.pk}"

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        return f"/play/{self.slug}/"

    @property
    def is_over(self) -> bool:
        """Return whether it has ended, with or without a result."""
        return self.state in (self.State.FINISHED, self.State.VOID)

    @property
    def bot_limits(self) -> Limits:
        """Return what each bot may use."""
        return Limits(**self.limits)

    @property
    def record_json(self) -> bytes:
        """Return the record of a finished game as JSON text."""
        assert self.record is not None
        return zlib.decompress(self.record)

    @property
    def record_data(self) -> dict[str, Any]:
        """Return the record of a finished game."""
        record: dict[str, Any] = orjson.loads(self.record_json)
        return record


class LiveSeat(models.Model):
    """A seat of a live game, with a version of a bot or a person: a user or a guest."""

    game = models.ForeignKey(LiveGame, models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, models.PROTECT, null=True, related_name="live_seats")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="live_seats")
    guest = models.CharField(max_length=64, blank=True, help_text="Hash of the secret in a guest's session.")
    link = models.CharField(
        max_length=32, null=True, unique=True, help_text="Secret of the link to this seat while nobody has taken it."
    )
    draft = models.JSONField(default=list, help_text="Decisions that may still be taken back, as in a record.")
    bank_ms = models.FloatField(default=0.0, help_text="Rest of a bot's time bank.")
    kept_by = models.CharField(
        max_length=200, blank=True, help_text="The worker that keeps a bot's process for its next turn; empty: none."
    )
    kept_at = models.DateTimeField(null=True, help_text="When that process last answered.")
    place = models.PositiveSmallIntegerField(
        null=True, help_text="1 is first; ties share a place. Null until finished."
    )
    score = models.FloatField(null=True)
    unseen_end = models.BooleanField(default=False, help_text="Whether its person has yet to see how the game ended.")
    verdict = models.CharField(max_length=10, default="ok")
    stderr = models.TextField(blank=True, help_text="End of the log of a bot's last answer, for its owner only.")
    fault = models.JSONField(null=True, help_text="Keys: message, sent, request. For its owner only.")
    changed_answers = models.PositiveIntegerField(
        default=0, help_text="Answers that a stateful bot changed when it was asked its earlier turns again."
    )

    class Meta:
        ordering = ["game", "seat"]
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="one_live_seat")]
        indexes = [
            models.Index(fields=["user", "-game"], name="live_seats_of_user"),
            models.Index(fields=["guest", "-game"], name="live_seats_of_guest"),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.game}"

    @property
    def is_free(self) -> bool:
        """Return whether a person may still take it."""
        return self.link is not None


class LiveDecision(models.Model):
    """One decision of a live game; it is never changed."""

    game = models.ForeignKey(LiveGame, models.CASCADE, related_name="stored_decisions")
    number = models.PositiveIntegerField(help_text="Number of decisions before it.")
    entry = models.JSONField(help_text="The decision as in a record.")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["game", "number"]
        constraints = [models.UniqueConstraint(fields=["game", "number"], name="one_live_decision_per_number")]

    def __str__(self) -> str:
        return f"decision {self.number} of {self.game}"


class LiveAttemptQuerySet(models.QuerySet["LiveAttempt"]):
    """Selections of attempts."""

    def open(self) -> "LiveAttemptQuerySet":
        """Return those that have not ended."""
        return self.filter(ended_at=None)


class LiveAttempt(models.Model):
    """One worker's try to have a bot decide. A game never has two that are open."""

    class Ending(models.TextChoices):
        STORED = "stored"
        LOST = "lost"
        FAILED = "failed"

    game = models.ForeignKey(LiveGame, models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField(help_text="Number of decisions before the one that is tried.")
    worker = models.CharField(max_length=200)
    token = models.CharField(max_length=32, unique=True, help_text="Secret that is needed to store the decision.")
    started_at = models.DateTimeField(default=now)
    heartbeat_at = models.DateTimeField(default=now)
    ended_at = models.DateTimeField(null=True)
    ending = models.CharField(max_length=10, choices=Ending, blank=True)
    error = MessageField(help_text="Why the arena failed.")

    objects = LiveAttemptQuerySet.as_manager()

    class Meta:
        ordering = ["game", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["game"], condition=Q(ended_at=None), name="one_open_live_attempt"),
        ]
        indexes = [models.Index(fields=["game", "number"], name="live_attempts_of_decision")]

    def __str__(self) -> str:
        return f"attempt {self.pk} at decision {self.number} of {self.game}"


class LiveHintQuerySet(models.QuerySet["LiveHint"]):
    """Selections of hints."""

    def waiting(self) -> "LiveHintQuerySet":
        """Return those that no worker has taken."""
        return self.filter(state=LiveHint.State.WAITING)


class LiveHint(models.Model):
    """What a person is advised at one decision, made by a worker from what the seat can know."""

    class State(models.TextChoices):
        WAITING = "waiting"
        MAKING = "making"
        DONE = "done"
        FAILED = "failed"

    game = models.ForeignKey(LiveGame, models.CASCADE, related_name="hints")
    number = models.PositiveIntegerField(help_text="Number of stored decisions before it.")
    draft = models.JSONField(help_text="The person's steps after these that could be taken back, as in a record.")
    position = models.CharField(max_length=64, help_text="Hash of number and draft.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    created_at = models.DateTimeField(default=now)
    published_at = models.DateTimeField(default=now, help_text="When a worker was last told of it.")
    token = models.CharField(max_length=32, blank=True, help_text="Secret that is needed to store it.")
    tries = models.PositiveSmallIntegerField(default=0)
    result = models.JSONField(null=True, help_text="Actions and chances, the best first; null until done.")
    cpu_s = models.FloatField(default=0.0, help_text="Processor seconds that it took.")

    objects = LiveHintQuerySet.as_manager()

    class Meta:
        ordering = ["game", "pk"]
        constraints = [models.UniqueConstraint(fields=["game", "position"], name="one_live_hint_per_position")]
        indexes = [
            models.Index(
                fields=["state", "published_at"], name="live_hints_open", condition=Q(state__in=["waiting", "running"])
            )
        ]

    def __str__(self) -> str:
        return f"hint {self.pk} at decision {self.number} of {self.game}"

    @property
    def is_pending(self) -> bool:
        """Return whether it waits or is made."""
        return self.state in (self.State.WAITING, self.State.MAKING)
