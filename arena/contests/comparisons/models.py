"""Comparisons of two versions, and the matches played for them."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.contests.comparisons.sprt import (
    FIELD,
    HEAD_TO_HEAD,
    AdjustedSums,
    Estimate,
    Unit,
    estimate,
    estimate_adjusted,
)
from arena.core.messages import MessageField
from arena.matches.models import Match, Participant
from engine.core import Json
from engine.registry import GAMES


class ComparisonQuerySet(models.QuerySet["Comparison"]):
    """Selections of comparisons."""

    def running(self) -> "ComparisonQuerySet":
        """Return the comparisons without an answer so far."""
        return self.filter(state=Comparison.State.RUNNING)

    def with_bot(self, bot: Bot) -> "ComparisonQuerySet":
        """Return the comparisons in which a bot plays."""
        is_opponent = Q(pk__in=self.model.opponents.through.objects.filter(botversion__bot=bot).values("comparison"))
        return self.filter(Q(version__bot=bot) | Q(baseline__bot=bot) | is_opponent)

    def stalled(self) -> "ComparisonQuerySet":
        """Return the running comparisons without a match to be played."""
        unplayed = [Match.State.QUEUED, Match.State.RUNNING]
        going_on = ComparisonMatch.objects.in_flight().filter(match__state__in=unplayed)
        return self.running().filter(version__bot__game__in=list(GAMES)).exclude(pk__in=going_on.values("comparison"))


class Comparison(models.Model):
    """A sequential test on mirrored pairs whether a version is better than another. Its matches are never rated."""

    class State(models.TextChoices):
        RUNNING = "running"
        BETTER = "better"
        NOT_BETTER = "not_better"
        UNDECIDED = "undecided"
        STOPPED = "stopped"

    class Mode(models.TextChoices):
        HEAD_TO_HEAD = "head_to_head"
        FIELD = "field"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="comparisons")
    version = models.ForeignKey(
        BotVersion, models.CASCADE, related_name="comparisons", help_text="Version in question."
    )
    baseline = models.ForeignKey(BotVersion, models.CASCADE, related_name="+", help_text="Version it is compared with.")
    opponents = models.ManyToManyField(
        BotVersion, related_name="+", help_text="In a field: opponents of both, who are played in turn, by id."
    )
    edition = models.CharField(max_length=40)
    changed_options = models.JSONField(
        default=dict, help_text="The rule options that differ from the edition's, with their values."
    )
    mode = models.CharField(max_length=20, choices=Mode, default=Mode.HEAD_TO_HEAD)
    elo0 = models.FloatField(default=0.0, help_text="Normalized Elo of the hypothesis that the version is not better.")
    elo1 = models.FloatField(default=20.0, help_text="Normalized Elo of the hypothesis that the version is better.")
    promote_if_better = models.BooleanField(default=False, help_text="Whether it is promoted to the ladders if better.")
    value_function = models.JSONField(
        null=True,
        help_text="Value function by which luck is taken off the results, as it was before the first match; or null. "
        "Keys: version, hash, luck_share, cards_per_draw.",
    )

    state = models.CharField(max_length=12, choices=State, default=State.RUNNING)
    state_reason = MessageField(help_text="Reason of the state; null where there is none.")
    state_detail = MessageField(help_text="Details for the owner only.")
    result_counts = models.JSONField(
        default=list, help_text="Number of units by result, the worst first: see `sprt.Unit`."
    )
    pairs = models.PositiveIntegerField(default=0, help_text="Number of units that were counted.")
    llr = models.FloatField(default=0.0, help_text="Log-likelihood ratio of the results as they were counted.")
    adjusted_llr = models.FloatField(default=0.0, help_text="Log-likelihood ratio of the results less luck.")
    adjusted_total = models.FloatField(default=0.0, help_text="Sum of the results of units, from 0 to 1, less luck.")
    adjusted_squares = models.FloatField(default=0.0, help_text="Sum of their squares.")
    adjusted_pairs = models.PositiveIntegerField(default=0, help_text="Number of units whose luck could be measured.")
    adjustment_suspended = models.BooleanField(
        default=False, help_text="Whether the results as they were counted decide after all, for a bot's luck is odd."
    )
    created_at = models.DateTimeField(default=now)
    decided_at = models.DateTimeField(null=True)
    promoted_at = models.DateTimeField(null=True)
    next_virtual_start = models.FloatField(
        default=0.0, help_text="Virtual start time of its next match in the queue, in seconds."
    )

    objects = ComparisonQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["id"], condition=Q(state="running"), name="comparison_running"),
            models.Index(fields=["owner", "-id"], name="comparisons_of_owner"),
        ]

    def __str__(self) -> str:
        return f"comparison {self.pk}: {self.version} with {self.baseline}"

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        return f"/comparisons/{self.pk}/"

    @property
    def game(self) -> str:
        """Return the key of the game."""
        return self.version.bot.game

    @property
    def options(self) -> dict[str, Any]:
        """Return every rule option in force; the changed ones alone where the game is not installed now."""
        rules = GAMES.get(self.game)
        return rules.options(self.edition, **self.changed_options) if rules else self.changed_options

    @property
    def is_over(self) -> bool:
        """Return whether it has ended."""
        return self.state != self.State.RUNNING

    @property
    def is_guard(self) -> bool:
        """Return whether it asks if the version is any worse."""
        return self.elo0 < 0

    @property
    def is_field(self) -> bool:
        """Return whether both versions play the same opponents, not each other."""
        return self.mode == self.Mode.FIELD

    @property
    def unit(self) -> Unit:
        """Return what is counted as one result."""
        return FIELD if self.is_field else HEAD_TO_HEAD

    @property
    def estimate(self) -> Estimate | None:
        """Return how much better the version is; None before anything was counted."""
        return estimate(self.result_counts, self.unit)

    @property
    def is_adjusted(self) -> bool:
        """Return whether the results less luck decide."""
        return self.value_function is not None and not self.adjustment_suspended

    @property
    def deciding_llr(self) -> float:
        """Return the log-likelihood ratio that decides."""
        return self.adjusted_llr if self.is_adjusted else self.llr

    @property
    def adjusted_sums(self) -> AdjustedSums:
        """Return the sums of the results less luck."""
        return AdjustedSums(self.pairs, self.adjusted_total, self.adjusted_squares)

    @property
    def adjusted_estimate(self) -> Estimate | None:
        """Return how much better the version is by results less luck; None where nothing is adjusted."""
        return None if self.value_function is None else estimate_adjusted(self.adjusted_sums, self.unit)

    @property
    def deciding_estimate(self) -> Estimate | None:
        """Return how much better the version is by the results that decide."""
        return self.adjusted_estimate if self.is_adjusted else self.estimate

    @property
    def luck(self) -> Json | None:
        """Return the adjustment for luck as the API shows it; None where the comparison has none."""
        if self.value_function is None:
            return None
        return {
            "value_function": self.value_function,
            "llr": self.adjusted_llr,
            "estimate": self.adjusted_estimate,
            "adjusted_pairs": self.adjusted_pairs,
            "is_suspended": self.adjustment_suspended,
        }


class ComparisonMatchQuerySet(models.QuerySet["ComparisonMatch"]):
    """Selections of the matches of comparisons."""

    def in_flight(self) -> "ComparisonMatchQuerySet":
        """Return the matches that are neither counted nor given up."""
        return self.filter(in_flight=True)

    def without_luck(self) -> "ComparisonMatchQuerySet":
        """Return the matches that can't be counted before their luck is measured."""
        finished = self.in_flight().filter(match__state=Match.State.FINISHED, luck=None, is_luck_unknown=False)
        return finished.exclude(comparison__value_function=None)


class ComparisonMatch(models.Model):
    """A match played for a comparison. Units count in the order of their numbers, whenever they end."""

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="comparison_matches")
    match = models.OneToOneField(Match, models.CASCADE, related_name="comparison_match")
    number = models.PositiveIntegerField(
        help_text="Number of the unit, starting at 1. In a field two matches make one unit."
    )
    of_baseline = models.BooleanField(default=False, help_text="In a field: whether the baseline plays it.")
    in_flight = models.BooleanField(default=True, help_text="Whether it is neither counted nor given up yet.")
    luck = models.FloatField(
        null=True,
        help_text="Luck of its first participant, mean over the legs, in points of a leg; null until measured.",
    )
    is_luck_unknown = models.BooleanField(
        default=False, help_text="Whether its luck can't be measured: its result counts as it is."
    )

    objects = ComparisonMatchQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comparison", "number", "of_baseline"], name="one_match_per_unit_and_side")
        ]
        indexes = [models.Index(fields=["comparison"], condition=Q(in_flight=True), name="comparison_match_in_flight")]

    def __str__(self) -> str:
        return f"{self.match} of {self.comparison}"


class ParticipantLuck(models.Model):
    """The luck of the draws of a participant in a match of a comparison or on an open ladder.

    A bot's luck is audited by it.
    """

    participant = models.OneToOneField(Participant, models.CASCADE, related_name="luck")
    draws = models.PositiveIntegerField(help_text="Number of its own draws.")
    luck = models.FloatField(help_text="Sum of the luck of its own draws, as chances from -1 to 1.")
    squares = models.FloatField(help_text="Sum of the squares of the luck of its own draws.")

    class Meta:
        verbose_name_plural = "luck of participants"

    def __str__(self) -> str:
        return f"luck of {self.participant}"


class LuckSuspension(models.Model):
    """A bot whose mean luck is so far off that no comparison with it is adjusted for luck, until staff dismisses it."""

    bot = models.OneToOneField(Bot, models.CASCADE, related_name="luck_suspension")
    draws = models.PositiveIntegerField(help_text="Number of draws that were measured.")
    z = models.FloatField(help_text="Mean luck of a draw, in its standard errors.")
    suspended_at = models.DateTimeField(default=now)
    dismissed_at = models.DateTimeField(null=True, help_text="When staff let the adjustment go on; or null.")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"luck of {self.bot}"
