"""Analyses of legs of matches and of live games, and what they found of each seat."""

import enum
import zlib
from typing import Any

import orjson
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.timezone import now

from arena.core.errors import ArenaError
from arena.core.messages import MessageField
from arena.matches.livegames.models import LiveGame
from arena.matches.models import Leg, Participant
from engine.analysis.leg import COARSE, FULL
from engine.core import Json


@enum.unique
class WaitingLine(enum.Enum):
    """The lines in which analyses wait, the most urgent first. In each line the oldest comes first."""

    COARSE = "coarse"
    """Somebody has requested it and has seen nothing of it yet: the coarse pass."""
    FULL = "full"
    """Somebody has requested it and can look at the coarse result: the full pass."""
    UNREQUESTED = "unrequested"
    """The arena chose it by itself: the full pass alone."""


BALANCE_FIELDS = ("start", "result", "luck", "skill", "given_away", "draw_luck", "draw_luck_squares")
COUNT_FIELDS = ("decisions", "draws")


class LegAnalysisQuerySet(models.QuerySet["LegAnalysis"]):
    """Selections of analyses."""

    def unfinished(self) -> "LegAnalysisQuerySet":
        """Return those that wait or are made."""
        return self.filter(state__in=[LegAnalysis.State.WAITING, LegAnalysis.State.RUNNING])

    def in_queue_order(self) -> "LegAnalysisQuerySet":
        """Return them in the order in which they are made: those that somebody waits for first."""
        return self.order_by("is_automatic", "pk")

    def in_line(self, line: WaitingLine) -> "LegAnalysisQuerySet":
        """Return those that wait for this pass, or are in it, oldest first."""
        found = self.unfinished().filter(is_automatic=line is WaitingLine.UNREQUESTED).order_by("pk")
        return (
            found if line is WaitingLine.UNREQUESTED else found.filter(coarse_result__isnull=line is WaitingLine.COARSE)
        )

    def in_full_pass(self) -> "LegAnalysisQuerySet":
        """Return the unfinished ones that are not in their coarse pass, and wait for none."""
        return self.unfinished().exclude(is_automatic=False, coarse_result=None)

    def held(self) -> "LegAnalysisQuerySet":
        """Return those that a worker is making now."""
        return self.unfinished().exclude(worker="")

    def of_function(self, version: str, weights_hash: str) -> "LegAnalysisQuerySet":
        """Return those by one value function."""
        return self.filter(function_version=version, function_hash=weights_hash)


class LegAnalysis(models.Model):
    """The analysis of a leg by one value function. It is made in slices, between which its parts are stored.

    The leg is one of a match, or a live game that is over. Where somebody has requested it, a coarse result comes
    first.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        COARSE = "coarse"
        """There is a coarse result, and nobody has asked for more."""
        DONE = "done"
        FAILED = "failed"

    leg = models.ForeignKey(
        Leg, models.CASCADE, null=True, related_name="analyses", help_text="Leg of a match; null for a live game."
    )
    live_game = models.ForeignKey(
        LiveGame, models.CASCADE, null=True, related_name="analyses", help_text="Null for a leg of a match."
    )
    function_version = models.CharField(max_length=20, help_text="Version of the value function.")
    function_hash = models.CharField(max_length=64, help_text="Hash of the value function's weights.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    is_automatic = models.BooleanField(default=False, help_text="Whether the arena chose the match by itself.")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="requested_analyses"
    )
    created_at = models.DateTimeField(default=now, help_text="When it was requested, the last time.")
    finished_at = models.DateTimeField(null=True)
    published_at = models.DateTimeField(default=now, help_text="When a worker was last told of it.")
    rests_until = models.DateTimeField(null=True, help_text="When it may go on, so that matches get their share.")

    entries_done = models.PositiveIntegerField(default=0, help_text="Entries of the record that have been analysed.")
    parts = models.BinaryField(null=True, help_text="Parts made so far: JSON compressed with zlib; null when done.")
    worker = models.CharField(max_length=200, blank=True, help_text="Who makes it now; empty where nobody does.")
    token = models.CharField(max_length=32, blank=True, help_text="Secret that is needed to store what was made.")
    heartbeat_at = models.DateTimeField(default=now)
    failures = models.PositiveSmallIntegerField(default=0, help_text="How often the arena failed to make it.")
    losses = models.PositiveSmallIntegerField(default=0, help_text="How often a worker stopped while it made it.")
    error = MessageField(help_text="Why there is none.")
    coarse_result = models.BinaryField(
        null=True, help_text="What the coarse pass found: JSON compressed with zlib; null before, and when done."
    )
    coarse_s = models.FloatField(null=True, help_text="Seconds of work of the coarse pass; null where none was made.")
    worked_s = models.FloatField(
        null=True, help_text="Seconds of work of the full pass so far; null where they were not counted."
    )
    result = models.BinaryField(null=True, help_text="The analysis: JSON compressed with zlib; null until done.")

    objects = LegAnalysisQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "leg analyses"
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["leg", "function_version", "function_hash"], name="one_analysis_per_leg_and_function"
            ),
            models.UniqueConstraint(
                fields=["live_game", "function_version", "function_hash"],
                name="one_analysis_per_live_game_and_function",
            ),
            models.CheckConstraint(
                condition=Q(leg__isnull=False, live_game=None) | Q(leg=None, live_game__isnull=False),
                name="analysis_of_one_leg",
            ),
        ]
        indexes = [
            models.Index(
                fields=["is_automatic", "id"], name="analysis_queue", condition=Q(state__in=["waiting", "running"])
            ),
            models.Index(fields=["requested_by", "-created_at"], name="analyses_of_user"),
            models.Index(fields=["-finished_at"], name="analyses_by_end", condition=Q(state="done")),
        ]

    def __str__(self) -> str:
        return f"analysis of {self.subject}"

    @property
    def subject(self) -> Leg | LiveGame:
        """Return what is analysed."""
        subject = self.leg or self.live_game
        assert subject is not None
        return subject

    @property
    def is_done(self) -> bool:
        """Return whether there is a result."""
        return self.state == self.State.DONE

    @property
    def is_pending(self) -> bool:
        """Return whether it waits or is made."""
        return self.state in (self.State.WAITING, self.State.RUNNING)

    @property
    def line(self) -> WaitingLine:
        """Return what is to be done next, while it is pending."""
        if self.is_automatic:
            return WaitingLine.UNREQUESTED
        return WaitingLine.COARSE if self.coarse_result is None else WaitingLine.FULL

    @property
    def current_pass(self) -> str:
        """Return the pass that is under way or comes next; the full one once it is done."""
        return COARSE if self.is_pending and self.line is WaitingLine.COARSE else FULL

    @property
    def progress(self) -> float:
        """Return the share of the leg that the full pass has analysed, from 0 to 1."""
        if self.is_done:
            return 1.0
        decisions = self.subject.decisions
        return min(1.0, self.entries_done / decisions) if decisions else 0.0

    @property
    def result_data(self) -> Json:
        """Return the analysis, which must be done."""
        assert self.result is not None
        result: Json = read_packed(self.result)
        return result

    @property
    def coarse_data(self) -> Json | None:
        """Return the coarse analysis; None before its pass, and once the full one is done."""
        if self.coarse_result is None:
            return None
        result: Json = read_packed(self.coarse_result)
        return result


class SeatAnalysis(models.Model):
    """The numbers of one seat in a full analysis. Chances and their differences are from 0 to 1, or from -1 to 1."""

    analysis = models.ForeignKey(LegAnalysis, models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    participant = models.ForeignKey(
        Participant, models.CASCADE, null=True, related_name="analysed_seats", help_text="Null in a live game."
    )
    accuracy = models.FloatField(null=True, help_text="Accuracy in percent; null without a graded decision.")
    given_away = models.FloatField(help_text="Sum of the chances that its decisions gave away.")
    decisions = models.PositiveIntegerField(help_text="Number of graded decisions.")
    start = models.FloatField(help_text="Chance before the first move.")
    result = models.FloatField(help_text="1 for a win, 0.5 for a draw, 0 for a loss.")
    luck = models.FloatField(help_text="Sum of the luck of all draws, of both seats.")
    skill = models.FloatField(help_text="Result less start and luck.")
    draws = models.PositiveIntegerField(help_text="Number of its own draws.")
    draw_luck = models.FloatField(help_text="Sum of the luck of its own draws.")
    draw_luck_squares = models.FloatField(help_text="Sum of the squares of the luck of its own draws.")
    mistakes = models.JSONField(
        default=list, help_text="Its decisions with a judgement. Keys: number, action, better, kind, judgement, loss."
    )

    class Meta:
        verbose_name_plural = "seat analyses"
        ordering = ["analysis", "seat"]
        constraints = [models.UniqueConstraint(fields=["analysis", "seat"], name="one_row_per_analysed_seat")]

    def __str__(self) -> str:
        return f"{self.analysis} seat {self.seat}"


def pack(content: Any) -> bytes:
    """Return JSON compressed with zlib."""
    return zlib.compress(orjson.dumps(content), 9)


def read_packed(packed: bytes | memoryview) -> Any:
    """Return what `pack` packed."""
    return orjson.loads(zlib.decompress(packed))


# Why an analysis is refused.


class NotAnalysable(ArenaError):
    """The leg can't be analysed, or not yet; the message tells why."""

    status = 409


class NotPlayed(ArenaError):
    """Only who played a live game may have it analysed."""

    status = 403


class AnalysisClosed(ArenaError):
    """This arena makes no analyses at present."""

    status = 403
