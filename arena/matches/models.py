"""Matches and the attempts to play them, their legs and results.

The rows of workers are in `worker_status.py`; Django looks for them here.
"""

import json
import zlib
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE, Bot, BotVersion
from arena.bots.running import WorkerCapabilities
from arena.core.messages import MessageField, read_message
from arena.people.accounts.models import User
from arena.people.groups.models import Audience, Group, Membership, Reader
from arena.runner.program import Verdict
from engine.message import Message
from engine.registry import GAMES
from engine.series import SeriesLength

# What workers report about themselves.


class WorkerStatusQuerySet(models.QuerySet["WorkerStatus"]):
    """Filters of workers."""

    def recent(self, age: timedelta) -> "WorkerStatusQuerySet":
        """Return those that reported within this time, by name."""
        return self.since(now() - age)

    def since(self, time: datetime) -> "WorkerStatusQuerySet":
        """Return those that reported since then, by name."""
        return self.filter(seen_at__gte=time).order_by("worker")

    def able(self) -> "WorkerStatusQuerySet":
        """Return those that take matches: with a sandbox that works, and not drained."""
        return self.exclude(level="").filter(drained_at=None)


class WorkerStatus(models.Model):
    """The last report of a worker about itself."""

    worker = models.CharField(max_length=100, unique=True, help_text="Host name.")
    seen_at = models.DateTimeField(default=now)
    sandbox = models.CharField(
        max_length=40, blank=True, help_text="Name of the sandbox in use; empty when none works."
    )
    level = models.CharField(max_length=4, blank=True, help_text="A key of LEVELS; empty when no sandbox works.")
    hint = MessageField(help_text="What to install or to allow for the best level.")
    report = models.JSONField(default=dict, help_text="The fields of arena.runner.sandbox.base.Report.")
    checked_at = models.DateTimeField(null=True, help_text="When the layers were last tried.")
    drained_at = models.DateTimeField(
        null=True, help_text="Since when it takes no matches, as staff wants it; null if it takes them."
    )

    objects = WorkerStatusQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "worker statuses"

    def __str__(self) -> str:
        return self.worker

    @property
    def is_able(self) -> bool:
        """Return whether it takes matches, as `able` selects."""
        return bool(self.level) and self.drained_at is None

    @property
    def languages(self) -> dict[str, str]:
        """The versions of the languages that run on it, by key."""
        found = self.report.get("languages", [])
        return {language["key"]: language["version"] for language in found if language["version"] is not None}


def _needs_more(capabilities: WorkerCapabilities) -> Q:
    """Return the condition of matches that a worker may not play.

    They have a bot that it can't run, of a suspended author or held back, or the sandbox is too weak for their legs.
    """
    beyond = replace(capabilities, package_set=None).cannot_run(version="version__")
    beyond |= Q(version__bot__owner__suspended_at__isnull=False) | Q(version__held_back_at__isnull=False)
    beyond |= capabilities.lacks_packages(version="version__") & Q(match__package_trial=None)
    participants = Participant.objects.filter(match=OuterRef("pk"))
    needs_more = Q(Exists(participants.filter(beyond))) | capabilities.cannot_run(game="game")
    needs_more |= Q(package_trial__isnull=False) & capabilities.lacks_packages(version="package_trial__")
    if not capabilities.is_for_rated:
        owners_differ = Q(match__participants__version__bot__owner__gt=F("version__bot__owner"))
        needs_more |= Q(Exists(participants.filter(owners_differ, match__ladder_match__isnull=False)))
    return needs_more


class Lesson(models.Model):
    """A time in which the arena plays for a class. It ends by itself: whoever takes work reads its end."""

    begun_at = models.DateTimeField(default=now)
    ends_at = models.DateTimeField(help_text="When it ends by itself; earlier where staff ended it.")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"lesson until {self.ends_at:%Y-%m-%d %H:%M}"


MAX_LESSON = timedelta(hours=12)


def find_lesson() -> Lesson | None:
    """Return the lesson that runs now, or None.

    One that seems to last longer than it can waits for a clock that was set back: it is over.
    """
    at = now()
    return Lesson.objects.filter(ends_at__gt=at, ends_at__lte=at + MAX_LESSON).first()


MAX_RETRY_PAUSE = timedelta(hours=1)
"""A match that seems to rest for longer waits for a clock that was set back: it is due."""
CANCELLED = "cancelled"
"""The state that people read of a cancelled match; the stored one is `void`, as of all matches without a result."""


class MatchQuerySet(models.QuerySet["Match"]):
    """Filters of matches."""

    def visible_to(self, reader: Reader) -> "MatchQuerySet":
        """Return those that a reader, None if not signed in, may see: public ones and those of the reader's groups.

        Those of hidden rounds of a tournament are for who organises it.
        """
        if isinstance(reader, Audience) and reader.group is not None:
            return self.filter(Q(group=None) | Q(group=reader.group), is_withheld=False)
        if not isinstance(reader, User):
            return self.filter(group=None, is_withheld=False)
        if reader.is_staff:
            return self.all()
        member = Membership.objects.filter(user=reader)
        seen = self.filter(Q(group=None) | Q(group__in=member.values("group")))
        return seen.filter(Q(is_withheld=False) | Q(pk__in=self.model.objects.withheld_by(reader).values("pk")))

    def withheld_by(self, organiser: User) -> "MatchQuerySet":
        """Return those of hidden rounds of the tournaments that a user organises."""
        groups = Membership.objects.filter(user=organiser, role__in=Membership.ORGANISING_ROLES).values("group")
        tournament = "pairing_match__pairing__round__tournament"
        own = Q(**{f"{tournament}__organiser": organiser}) | Q(**{f"{tournament}__group__in": groups})
        own |= Q(**{f"{tournament}__in": organiser.co_organised_tournaments.values("pk")})
        return self.filter(own, is_withheld=True)

    def queued(self) -> "MatchQuerySet":
        """Return the queued ones in the order in which they should be played."""
        return self.filter(state=Match.State.QUEUED).order_by("-priority", "virtual_start", "pk")

    def due(self) -> "MatchQuerySet":
        """Return those that don't rest after a failed attempt, and that no lesson holds back."""
        at = now()
        due = self.exclude(retry_at__gt=at, retry_at__lt=at + MAX_RETRY_PAUSE)
        return due if find_lesson() is None else due.exclude(pk__in=Match.objects.held_in_lesson().values("pk"))

    def held_in_lesson(self) -> "MatchQuerySet":
        """Return the queued ones that wait while a lesson runs.

        Nobody asked for them: they are of public ladders, or of demo tournaments, in which only sample bots play.
        """
        tournament = "pairing_match__pairing__round__tournament"
        queued = Match.objects.filter(state=Match.State.QUEUED)
        of_people = queued.filter(**{f"{tournament}__entrants__bot__owner__is_house": False})
        of_ladder = Q(ladder_match__isnull=False, ladder_match__ladder__group=None)
        of_demo = Q(**{"pairing_match__isnull": False, f"{tournament}__group": None})
        of_demo &= Q(**{f"{tournament}__is_rehearsal": False}) & ~Q(pk__in=of_people.values("pk"))
        return self.filter(of_ladder | of_demo, state=Match.State.QUEUED)

    def running(self) -> "MatchQuerySet":
        """Return those that are being played, the longest running first."""
        return self.filter(state=Match.State.RUNNING).order_by("started_at")

    def over(self) -> "MatchQuerySet":
        """Return those that ended, with or without a result."""
        return self.filter(state__in=[Match.State.FINISHED, Match.State.VOID])

    def for_workers(self) -> "MatchQuerySet":
        """Return those that workers play: matches with remote bots are played by the process that serves these."""
        remote = Participant.objects.filter(match=OuterRef("pk"), version__language=REMOTE_LANGUAGE)
        return self.filter(~Exists(remote))

    def playable(self, capabilities: WorkerCapabilities) -> "MatchQuerySet":
        """Return those that a worker of these capabilities may play."""
        return self.filter(~_needs_more(capabilities))

    def unplayable(self, capabilities: WorkerCapabilities) -> "MatchQuerySet":
        """Return those that a worker of these capabilities may not play."""
        return self.filter(_needs_more(capabilities))

    def unsettled(self) -> "MatchQuerySet":
        """Return those that ended and whose end is not settled yet."""
        return self.over().filter(settled_at=None)

    def lean(self) -> "MatchQuerySet":
        """Return the matches without the fields that only their playing needs."""
        return self.defer("deal", "options", "limits")

    def with_player(self, **player: Any) -> "MatchQuerySet":
        """Return those with a participant that fits these lookups.

        The database looks match by match, which is fast for few matches; a join would read all matches of the player.
        """
        plays = Participant.objects.filter(match=OuterRef("pk"), **player)
        return self.alias(player=Subquery(plays.values("pk")[:1])).filter(player__isnull=False)

    def of_bot(self, bot: Bot | int) -> "MatchQuerySet":
        """Return the matches of a bot."""
        return self.filter(pk__in=Participant.objects.filter(version__bot=bot).values("match"))


class Match(models.Model):
    """Legs of a game between the same participants. All that decides them is fixed; a result is stored once."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        FINISHED = "finished"
        VOID = "void"

    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=40)
    options = models.JSONField(help_text="Every rule option in force.")
    changed_options = models.JSONField(
        default=dict, help_text="The rule options that differ from the edition's, with their values; in lists, too."
    )
    rules_version = models.PositiveIntegerField()
    limits = models.JSONField(help_text="The fields of arena.runner.program.Limits.")
    deal = models.JSONField(
        help_text="All chance of a leg, the same in each; of a series, that of its first game. Secret until the match "
        "is over."
    )
    series = models.JSONField(
        null=True,
        help_text="Length of the series, the fields of engine.series.SeriesLength; null where every participant sits "
        "on every seat once.",
    )
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    priority = models.SmallIntegerField(default=0, help_text="Matches of higher priority are played earlier.")
    virtual_start = models.FloatField(
        default=0.0,
        help_text="Virtual start time in start-time fair queueing; of equal priority the lower is played earlier.",
    )
    delay_s = models.FloatField(
        default=0.0, help_text="The part of the virtual start time by which it is put off since its bots are slow."
    )
    void_reason = MessageField(help_text="Why there is no result.")
    created_at = models.DateTimeField(default=now)
    retry_at = models.DateTimeField(
        null=True, help_text="When it is tried again after a failed attempt; null before the first one."
    )
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    cancelled_at = models.DateTimeField(
        null=True, help_text="When it was taken out of the queue or stopped; null where the arena failed to play it."
    )
    settled_at = models.DateTimeField(null=True, help_text="When all parts of the site had processed its end.")

    group = models.ForeignKey(
        Group,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="matches",
        db_index=False,
        help_text="The group whose members alone see it, since a bot or the tournament is for the group; null: public.",
    )

    is_withheld = models.BooleanField(
        default=False,
        help_text="Whether it is of a hidden round of a tournament, so that only who organises it sees it for now.",
    )

    objects = MatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "matches"
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["id"], name="match_withheld", condition=Q(is_withheld=True)),
            models.Index(fields=["group", "-id"], name="match_newest_of_group", condition=Q(group__isnull=False)),
            models.Index(fields=["state", "-priority", "virtual_start", "id"], name="match_by_state"),
            models.Index(fields=["state", "-id"], name="match_newest_by_state"),
            models.Index(fields=["game", "edition", "-id"], name="match_newest_of_edition"),
            models.Index(fields=["finished_at"], name="match_by_end"),
            models.Index(
                fields=["id"], name="match_unsettled", condition=Q(settled_at=None, state__in=["finished", "void"])
            ),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        return f"/matches/{self.pk}/"

    @property
    def is_public(self) -> bool:
        """Return whether everybody sees it."""
        return self.group_id is None and not self.is_withheld

    @property
    def series_length(self) -> SeriesLength | None:
        """Return the length of the series; None where every participant sits on every seat once."""
        return None if self.series is None else SeriesLength.from_json(self.series)

    @property
    def shown_state(self) -> str:
        """Return the state that people read: of those without a result, `cancelled` ones have a word of their own."""
        return CANCELLED if self.cancelled_at is not None else self.state

    @property
    def is_over(self) -> bool:
        """Return whether it has ended, with or without a result."""
        return self.state in (self.State.FINISHED, self.State.VOID)

    @property
    def next_try_at(self) -> datetime | None:
        """Return when it is tried again while it rests after a failed attempt, or None."""
        rests = self.state == self.State.QUEUED and self.retry_at is not None and self.retry_at > now()
        return self.retry_at if rests else None


class ParticipantQuerySet(models.QuerySet["Participant"]):
    """Selections of participants."""

    def shown(self) -> "ParticipantQuerySet":
        """Return those that pages of their bots list: whoever sees the bot may see the match."""
        return self.filter(is_hidden=False)


class Participant(models.Model):
    """One version in one match, whatever seat it takes in each leg."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="participants")
    index = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="participations")
    points = models.FloatField(
        null=True,
        help_text="Mean over the legs of the share of opponents left behind, ties count half; of a series 1 for who is "
        "ahead, ½ for each if level; null until finished.",
    )
    series_score = models.FloatField(
        null=True, help_text="Sum of its scores in the games of a series; null until finished, and without a series."
    )
    elapsed_s = models.FloatField(
        null=True, help_text="Seconds that its starts and answers took in all legs; null until finished."
    )
    waited_s = models.FloatField(
        null=True, help_text="The part of these seconds in which it used no processor; null until finished."
    )
    is_hidden = models.BooleanField(
        default=False,
        help_text="Whether the match is for a group and the bot is public, or is withheld: it stands on none of the "
        "bot's pages.",
    )

    tried_edition: str | None
    """Edition of a trial that has one leg, else empty or None; set by `arena.matches.queries.list_participants`."""
    legs_played: int
    """Legs of its match, if that isn't a series; set likewise."""

    objects = ParticipantQuerySet.as_manager()

    class Meta:
        ordering = ["match", "index"]
        constraints = [models.UniqueConstraint(fields=["match", "index"], name="one_participant_per_index")]
        indexes = [models.Index(fields=["version", "-match"], name="participations_newest")]

    def __str__(self) -> str:
        return f"{self.version} in {self.match}"


class Leg(models.Model):
    """One play of the game, from deal to outcome, with one seating."""

    match = models.ForeignKey(Match, models.CASCADE, related_name="legs")
    number = models.PositiveSmallIntegerField(help_text="Number of the leg, starting at 1.")
    seating = models.JSONField(
        help_text="Participant index at each seat; empty until finished for the later games of a series."
    )
    deal = models.JSONField(null=True, help_text="All chance of the leg where it isn't that of the match. Secret.")
    salt = models.CharField(max_length=64)
    deal_hash = models.CharField(max_length=64)
    record = models.BinaryField(
        null=True, help_text="Record of the leg: JSON compressed with zlib; null until finished."
    )
    record_hash = models.CharField(
        max_length=64, blank=True, help_text="Hash that binds the record (engine/replay.py); empty until finished."
    )
    reason = models.CharField(max_length=40, blank=True)
    decisions = models.PositiveIntegerField(null=True, help_text="Number of actions of all seats.")

    class Meta:
        ordering = ["match", "number"]
        constraints = [models.UniqueConstraint(fields=["match", "number"], name="one_leg_per_number")]

    def __str__(self) -> str:
        return f"{self.match} leg {self.number}"

    @property
    def record_json(self) -> bytes:
        """The record of a finished match as JSON text."""
        assert self.record is not None
        return zlib.decompress(self.record)

    @property
    def record_data(self) -> dict[str, Any]:
        """The record of a finished match."""
        record: dict[str, Any] = json.loads(self.record_json)
        return record


class LegSeat(models.Model):
    """The result of one seat in a leg. Score and verdict are never mixed."""

    leg = models.ForeignKey(Leg, models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="leg_seats")
    place = models.PositiveSmallIntegerField(help_text="1 is first; ties share a place.")
    score = models.FloatField()
    verdict = models.CharField(max_length=10, choices=[(verdict.value, verdict.value) for verdict in Verdict])
    stderr = models.TextField(blank=True, help_text="End of its log, for its owner only.")
    fault = models.JSONField(null=True, help_text="Keys: message, sent, request. For its owner only.")
    refusals = models.PositiveSmallIntegerField(
        default=0, help_text="Answers of a remote bot that were refused, after which it was asked again."
    )

    class Meta:
        ordering = ["leg", "seat"]
        constraints = [models.UniqueConstraint(fields=["leg", "seat"], name="one_row_per_seat")]
        indexes = [models.Index(fields=["participant"], name="seats_at_fault", condition=~Q(verdict="ok"))]

    def __str__(self) -> str:
        return f"{self.leg} seat {self.seat}"

    @property
    def fault_message(self) -> Message | None:
        """Return the runner's message about the fault, for the owner of the bot only."""
        return read_message((self.fault or {}).get("message"))


class AttemptQuerySet(models.QuerySet["Attempt"]):
    """Filters of attempts."""

    def open(self) -> "AttemptQuerySet":
        """Return those that have not ended."""
        return self.filter(ended_at=None)


class Attempt(models.Model):
    """One worker's try to play a match. A match is running while it has an open one, and never has two."""

    class Ending(models.TextChoices):
        STORED = "stored"
        LOST = "lost"
        FAILED = "failed"
        CANCELLED = "cancelled"

    match = models.ForeignKey(Match, models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField(help_text="Number of the attempt, starting at 1.")
    worker = models.CharField(max_length=200)
    token = models.CharField(max_length=32, unique=True, help_text="Secret that is needed to store the result.")
    started_at = models.DateTimeField(default=now)
    heartbeat_at = models.DateTimeField(default=now)
    ended_at = models.DateTimeField(null=True)
    ending = models.CharField(max_length=10, choices=Ending, blank=True)
    error = MessageField(help_text="Why the arena failed.")
    underway = models.JSONField(
        null=True,
        help_text="The leg that is played, as far as its worker has reported. Keys: leg (from 1), seating, actions "
        "(as in a record), and in a series series_scores. Secret. Null before the first report, and once the attempt "
        "has ended.",
    )

    objects = AttemptQuerySet.as_manager()

    class Meta:
        ordering = ["match", "number"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="one_attempt_per_number"),
            models.UniqueConstraint(fields=["match"], condition=Q(ended_at=None), name="one_open_attempt"),
        ]
        indexes = [models.Index(fields=["ended_at"], name="attempt_by_end")]

    def __str__(self) -> str:
        return f"{self.match} attempt {self.number}"


class Trial(models.Model):
    """The match that decides whether a version is accepted, or later whether it joins the ladders of an edition."""

    match = models.OneToOneField(Match, models.CASCADE, related_name="trial")
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="trials")
    edition = models.CharField(
        max_length=40, blank=True, help_text="Edition whose ladders it decides about; empty: whether it is accepted."
    )
    has_passed = models.BooleanField(
        null=True, help_text="Whether the version joins the ladders of the edition; null until that is known."
    )
    fault = MessageField(help_text="Why the version doesn't join the ladders of the edition, for everybody.")
    fault_detail = MessageField(help_text="Details for its authors only, as they may quote output of the bot.")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"trial of {self.version}"

    @property
    def edition_name(self) -> str:
        """The name of the edition, to be translated."""
        return GAMES[self.match.game].editions[self.match.edition]

    @property
    def is_open(self) -> bool:
        """Return whether it waits for its match: one that the arena failed to play is tried again later."""
        return self.has_passed is None and self.match.state != Match.State.VOID


class PackageTrial(models.Model):
    """The match in which an accepted version is tried with another set of packages than it was accepted with."""

    match = models.OneToOneField(Match, models.CASCADE, related_name="package_trial")
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="package_trials")
    package_set = models.CharField(max_length=40, help_text="Hash of the set.")
    packages = models.JSONField(default=dict, help_text="Version in the set of each package that it uses, by name.")
    has_passed = models.BooleanField(null=True, help_text="Whether it plays with this set; null until that is known.")
    fault = MessageField(help_text="Why it doesn't play with this set, for everybody.")
    fault_detail = MessageField(help_text="Details for its authors only, as they may quote output of the bot.")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"trial of {self.version} with packages {self.package_set}"


class VerdictCount(models.Model):
    """The number of legs of a version that ended with a verdict, in all its finished matches."""

    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="verdict_counts")
    verdict = models.CharField(max_length=10, choices=[(verdict.value, verdict.value) for verdict in Verdict])
    legs = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "verdict"], name="one_count_per_verdict")]

    def __str__(self) -> str:
        return f"{self.version}: {self.verdict} {self.legs}"
