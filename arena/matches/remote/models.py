"""Remote bots: which are here, and what is known of their seats while a leg is played."""

from datetime import timedelta

from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.matches.livegames.models import LiveGame, LiveSeat
from arena.matches.models import Match

PRESENCE_TIMEOUT = timedelta(seconds=60)
"""A bot of which the process that serves remote bots has said nothing for longer isn't online."""


END_KEPT = timedelta(minutes=10)
"""Time for which a bot can still be told how a leg ended."""


class RemoteBotQuerySet(models.QuerySet["RemoteBot"]):
    """Selections of remote bots."""

    def online(self) -> "RemoteBotQuerySet":
        """Return those that are connected now."""
        return self.filter(is_online=True, seen_at__gt=now() - PRESENCE_TIMEOUT)


class RemoteBot(models.Model):
    """Whether a remote bot is connected, and how many legs it takes at a time."""

    bot = models.OneToOneField(Bot, models.CASCADE, primary_key=True, related_name="remote")
    is_online = models.BooleanField(default=False, help_text="Whether its program is connected.")
    seen_at = models.DateTimeField(null=True, help_text="When it was last known to be; null before the first time.")
    room = models.PositiveSmallIntegerField(default=0, help_text="Legs that it takes at a time, as its program says.")

    objects = RemoteBotQuerySet.as_manager()

    def __str__(self) -> str:
        return f"presence of {self.bot}"

    @property
    def is_here(self) -> bool:
        """Return whether it is connected now, as `online` selects."""
        return self.is_online and self.seen_at is not None and self.seen_at > now() - PRESENCE_TIMEOUT


class RemoteSeat(models.Model):
    """The state of a remote bot's seat besides the decisions: enough to resume after either side restarts."""

    seat = models.OneToOneField(LiveSeat, models.CASCADE, primary_key=True, related_name="remote")
    game = models.ForeignKey(LiveGame, models.CASCADE, related_name="remote_seats")
    bot = models.ForeignKey(Bot, models.CASCADE, related_name="remote_seats")
    ready = models.JSONField(null=True, help_text="What it said to `hello`: legal, view, stateful; null before.")
    refusals = models.PositiveSmallIntegerField(default=0, help_text="Answers that were refused in this leg.")
    refused_here = models.PositiveSmallIntegerField(default=0, help_text="Those to the present decision.")
    refusal = models.TextField(blank=True, help_text="Why the last of them was refused, as the bot is told; or empty.")
    answered = models.CharField(max_length=40, blank=True, help_text="Key of the last message that it answered.")
    answer_hash = models.CharField(max_length=64, blank=True, help_text="SHA-256 of that answer, hexadecimal.")
    away_ms = models.FloatField(default=0.0, help_text="How long the leg has waited while it was away.")
    has_end = models.BooleanField(default=False, help_text="Whether it has been told how the leg ended.")
    log = models.TextField(blank=True, help_text="What went wrong, in lines for its authors: absences, refusals.")

    class Meta:
        indexes = [models.Index(fields=["bot"], name="remote_seats_open", condition=Q(has_end=False))]

    def __str__(self) -> str:
        return f"{self.bot} at {self.seat}"


def list_old_tables() -> QuerySet[LiveGame]:
    """List the tables of matches that have ended, once their bots have seen it or may not be told any more."""
    unseen = Exists(RemoteSeat.objects.filter(game=OuterRef("pk"), has_end=False))
    is_over = Q(match__state__in=[Match.State.FINISHED, Match.State.VOID])
    return LiveGame.objects.filter(is_over, Q(match__finished_at__lt=now() - END_KEPT) | ~unseen)
